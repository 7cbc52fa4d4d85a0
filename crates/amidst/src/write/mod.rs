//! Writing files so that nothing half-written or unchecked is ever seen.
//!
//! Everything goes into temporary files beside its target first ([`Staging`]). Only after the verification has read
//! those back do they take their final names, all or none. Dropping a [`Staging`] removes what it wrote.

mod csv;
mod memory;
mod parquet;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tempfile::{Builder, NamedTempFile, TempPath};

use crate::error::{Error, Result};
use crate::progress::Progress;

pub use memory::shaped;

/// Where a release goes.
#[derive(Debug, Clone)]
pub enum Sink {
    /// A file; `-` is standard output.
    File(PathBuf),
    /// Nowhere: its tables are handed out, with columns like those of this schema.
    Memory(SchemaRef),
}

impl From<PathBuf> for Sink {
    fn from(path: PathBuf) -> Self {
        Sink::File(path)
    }
}

impl Sink {
    /// The file, where it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Sink::File(path) => Some(path),
            Sink::Memory(_) => None,
        }
    }
}

/// How a table is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values.
    Csv(Compression),
    /// Apache Parquet.
    Parquet,
}

/// How a CSV file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Format {
    /// What the extension of `path` asks for; CSV where it says nothing.
    pub fn of(path: &Path) -> Self {
        match path.extension().and_then(OsStr::to_str) {
            Some("parquet" | "pq") => Format::Parquet,
            Some("gz") => Format::Csv(Compression::Gzip),
            Some("zst") => Format::Csv(Compression::Zstd),
            _ => Format::Csv(Compression::None),
        }
    }
}

/// Files that wait to be published together.
#[derive(Debug, Default)]
pub struct Staging {
    files: Vec<Staged>,
}

#[derive(Debug)]
struct Staged {
    written: NamedTempFile,
    target: Target,
}

#[derive(Debug)]
enum Target {
    /// A name that the temporary file takes.
    File(PathBuf),
    /// Something that cannot be replaced, only written to: standard output, a device, a pipe.
    Stream(PathBuf),
}

impl Target {
    fn of(path: &Path) -> Self {
        // A link stays a link: what it points to is replaced.
        let path = fs::canonicalize(path)
            .or_else(|_| fs::read_link(path).map(|to| path.parent().unwrap_or(Path::new("")).join(to)))
            .unwrap_or_else(|_| path.to_owned());
        let special = fs::metadata(&path).is_ok_and(|m| !m.is_file() && !m.is_dir());
        if path.as_os_str() == "-" || special { Target::Stream(path) } else { Target::File(path) }
    }

    fn path(&self) -> &Path {
        match self {
            Target::File(path) | Target::Stream(path) => path,
        }
    }
}

impl Staging {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes a table for `target`; gives where it lies for now.
    pub fn table(&mut self, target: &Path, batch: &RecordBatch, delimiter: char, progress: Progress) -> Result<&Path> {
        let format = Format::of(target);
        progress.begin("writing", batch.num_rows() as u64)?;
        self.stage(target, |out| match format {
            Format::Parquet => parquet::write(out, batch, progress),
            Format::Csv(Compression::None) => csv::write(out, batch, delimiter, progress).map(drop),
            Format::Csv(Compression::Gzip) => {
                let out = flate2::write::GzEncoder::new(out, flate2::Compression::default());
                csv::write(out, batch, delimiter, progress)?.finish().map(drop)
            }
            Format::Csv(Compression::Zstd) => {
                let out = zstd::stream::write::Encoder::new(out, 0)?;
                csv::write(out, batch, delimiter, progress)?.finish().map(drop)
            }
        })
    }

    /// Every file so far: where it will be, and where it lies for now.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &Path)> {
        self.files.iter().map(|staged| (staged.target.path(), staged.written.path()))
    }

    /// Writes a text for `target`; gives where it lies for now.
    pub fn text(&mut self, target: &Path, text: &str) -> Result<&Path> {
        self.stage(target, |out| out.write_all(text.as_bytes()))
    }

    fn stage(&mut self, target: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> Result<&Path> {
        let name = target.display().to_string();
        let target = Target::of(target);
        if target.path().is_dir() {
            return Err(Error::write(&name, io::Error::from(io::ErrorKind::IsADirectory)));
        }
        // The kind alone: the rest names the temporary file, which nobody knows.
        let written = temporary(&target).map_err(|e| Error::write(&name, e.kind().into()))?;
        let mut out = BufWriter::with_capacity(1 << 18, written.as_file());
        let done = write(&mut out).and_then(|()| out.flush());
        drop(out);
        done.and_then(|()| written.as_file().sync_all()).map_err(|e| write_error(&name, e))?;
        self.files.push(Staged { written, target });
        Ok(self.files.last().map_or(Path::new(""), |f| f.written.path()))
    }

    /// Gives all files their names. On failure those that already have it are put back as they were.
    pub fn publish(self, progress: Progress) -> Result<()> {
        let mut replaced: Vec<(PathBuf, Option<TempPath>)> = Vec::new();
        for Staged { written, target } in self.files {
            let name = target.path().display().to_string();
            let done = match target {
                Target::Stream(path) => copy(&written, path, progress),
                Target::File(path) => backup(&path).and_then(|old| {
                    written.persist(&path).map_err(|e| e.error)?;
                    replaced.push((path, old));
                    Ok(())
                }),
            };
            if let Err(e) = done {
                for (path, old) in replaced {
                    let _ = match old {
                        Some(old) => fs::rename(old, path),
                        None => fs::remove_file(path),
                    };
                }
                return Err(write_error(&name, e));
            }
        }
        Ok(())
    }
}

/// An empty file in the folder of the target, so that renaming it there cannot fail half-way.
fn temporary(target: &Target) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".amidst-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666)); // less the umask, like any new file
    }
    match target {
        Target::Stream(_) => builder.tempfile(),
        Target::File(path) => match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => builder.tempfile_in(folder),
            _ => builder.tempfile_in("."),
        },
    }
}

/// A second name for what is at `path`, to bring it back by.
fn backup(path: &Path) -> io::Result<Option<TempPath>> {
    if !path.exists() {
        return Ok(None);
    }
    let spare = temporary(&Target::File(path.to_owned()))?.into_temp_path();
    fs::remove_file(&spare)?;
    // Some file systems have no links; a copy does the same at more cost.
    fs::hard_link(path, &spare).or_else(|_| fs::copy(path, &spare).map(drop))?;
    Ok(Some(spare))
}

/// Copies to a stream, in a thread of its own: a pipe that nobody reads would block for ever, and who waits must be able to stop.
fn copy(written: &NamedTempFile, path: PathBuf, progress: Progress) -> io::Result<()> {
    const PATIENCE: Duration = Duration::from_millis(100);
    let mut from = File::open(written.path())?;
    let (sender, done) = sync_channel(1);
    thread::spawn(move || {
        let copy = || {
            if path.as_os_str() == "-" {
                let mut out = io::stdout().lock();
                io::copy(&mut from, &mut out)?;
                return out.flush();
            }
            io::copy(&mut from, &mut File::options().write(true).open(path)?).map(drop)
        };
        // Nobody listens any more where the work was stopped.
        let _ = sender.send(copy());
    });
    loop {
        match done.recv_timeout(PATIENCE) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Timeout) => progress.begin("waiting for the reader", 0).map_err(io::Error::other)?,
            Err(RecvTimeoutError::Disconnected) => return Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

/// An output error, or the wish to stop that travelled as one.
fn write_error(name: &str, error: io::Error) -> Error {
    if error.get_ref().is_some_and(|inner| matches!(inner.downcast_ref(), Some(Error::Interrupted))) {
        return Error::Interrupted;
    }
    Error::write(&name, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&first, "old").unwrap();
        let mut staging = Staging::new();
        staging.text(&first, "new").unwrap();
        staging.text(&second, "new").unwrap();
        fs::create_dir(&second).unwrap(); // now the second cannot take its name
        assert!(staging.publish(Progress::silent()).is_err());
        assert_eq!(fs::read_to_string(&first).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn dropped_without_trace() {
        let folder = tempfile::tempdir().unwrap();
        let mut staging = Staging::new();
        staging.text(&folder.path().join("a"), "new").unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        drop(staging);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
