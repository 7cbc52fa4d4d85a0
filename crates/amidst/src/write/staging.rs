//! Files that are written but not published yet.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use arrow_array::RecordBatch;

use super::digest::{Digest, Hashing};
#[cfg(feature = "parquet")]
use super::parquet;
use super::places::{Announced, Output, Places, folder_of};
use super::workshop::Workshop;
use super::{Compression, Format, csv};
use crate::error::{Error, Result};
use crate::progress::Progress;

/// The time between checks for interruption while a stream is not read.
const INTERRUPTION_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Files that are written but not published yet. They are published together. Dropping the staging removes them.
#[derive(Debug)]
pub struct Staging {
    announced: Vec<Announced>,
    workshops: Vec<Workshop>,
    files: Vec<Staged>,
}

/// A file that is written but not published yet.
#[derive(Debug)]
pub struct Staged {
    /// The purpose of the file.
    pub output: Output,
    /// The path as the user gave it.
    pub asked: PathBuf,
    /// The path of the temporary file.
    pub written: PathBuf,
    /// The size and digest of what was written.
    pub digest: Digest,
    /// The path that it will get; none for a stream, which only gets its bytes.
    target: Option<PathBuf>,
    /// The workshop that the temporary file is in.
    workshop: usize,
}

impl Staged {
    /// The rank of the file in the order of publishing. The manifest is first. From then on, it disagrees with every older file until the last
    /// one is replaced. The release itself comes after its other files, so that a new release is visible only when they are there. Bytes in a
    /// stream cannot be taken back, so streams are last.
    fn turn(&self) -> u8 {
        match self.output {
            Output::Manifest => 0,
            _ if self.target.is_none() => 3,
            Output::Release => 2,
            _ => 1,
        }
    }

    fn failed(&self, error: io::Error) -> Error {
        write_error(&self.asked.display().to_string(), error)
    }
}

/// A file that was published, and a backup of the file that it replaced.
type Replaced = (PathBuf, Option<PathBuf>);

impl Staging {
    /// A staging for these outputs and no others. Fails if one of them cannot be written.
    pub fn new(places: &Places) -> Result<Self> {
        let announced = places.announced()?;
        let mut staging = Staging { announced: Vec::new(), workshops: Vec::new(), files: Vec::new() };
        for place in &announced {
            staging.workshop(place).map_err(|e| Error::write(&place.asked.display(), unnamed(&e)))?;
        }
        staging.announced = announced;
        Ok(staging)
    }

    /// Writes a table for `target`. Returns the path of the temporary file.
    pub fn table(&mut self, target: &Path, batch: &RecordBatch, delimiter: char, progress: Progress) -> Result<&Path> {
        let format = Format::of(target);
        progress.begin("writing", batch.num_rows() as u64)?;
        self.stage(target, |out| match format {
            #[cfg(feature = "parquet")]
            Format::Parquet => parquet::write(out, batch, progress),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => Err(io::Error::other("it takes the feature `parquet`, which this build leaves out")),
            Format::Csv(Compression::None) => csv::write(out, batch, delimiter, true, progress).map(drop),
            Format::Csv(Compression::Gzip) => {
                let out = flate2::write::GzEncoder::new(out, flate2::Compression::default());
                csv::write(out, batch, delimiter, false, progress)?.finish().map(drop)
            }
            Format::Csv(Compression::Zstd) => {
                let out = zstd::stream::write::Encoder::new(out, 0)?;
                csv::write(out, batch, delimiter, false, progress)?.finish().map(drop)
            }
        })
    }

    /// Writes bytes for `target`. Returns the path of the temporary file.
    pub fn bytes(&mut self, target: &Path, bytes: impl AsRef<[u8]>) -> Result<&Path> {
        self.stage(target, |out| out.write_all(bytes.as_ref()))
    }

    /// The files that were written so far.
    pub fn files(&self) -> &[Staged] {
        &self.files
    }

    fn stage(&mut self, asked: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> Result<&Path> {
        let name = asked.display().to_string();
        let Some(place) = self.announced.iter().position(|place| place.asked == asked) else {
            return Err(Error::write(&name, io::Error::other("it was not declared as an output")));
        };
        let place = self.announced.swap_remove(place); // so that no file is written twice
        let workshop = self.workshop(&place).map_err(|e| Error::write(&name, unnamed(&e)))?;
        let (written, file) = self.workshops[workshop].file().map_err(|e| Error::write(&name, unnamed(&e)))?;
        let mut out = BufWriter::with_capacity(1 << 18, Hashing::new(&file));
        let done = write(&mut out).and_then(|()| out.flush()).and_then(|()| file.sync_all());
        done.map_err(|e| write_error(&name, e))?;
        let digest = out.into_inner().map_err(|e| Error::write(&name, e.into_error()))?.digest();
        let Announced { output, asked, target } = place;
        self.files.push(Staged { output, asked, written, digest, target, workshop });
        Ok(self.files.last().map_or(Path::new(""), |f| &f.written))
    }

    /// The workshop in the folder of a target. It is on the same file system, so that a rename is atomic.
    fn workshop(&mut self, place: &Announced) -> io::Result<usize> {
        let system = std::env::temp_dir();
        let folder = place.target.as_deref().map_or(system.as_path(), folder_of);
        if let Some(found) = self.workshops.iter().position(|workshop| workshop.folder() == folder) {
            return Ok(found);
        }
        self.workshops.push(Workshop::new(folder)?);
        Ok(self.workshops.len() - 1)
    }

    /// Publishes all files, while no other run publishes in the same folders. If one fails, the files before it are put back.
    pub fn publish(mut self, progress: Progress) -> Result<()> {
        self.files.sort_by_key(Staged::turn);
        let _alone = self.alone(progress)?;
        progress.advance(0)?; // the last check for interruption
        let mut replaced = Vec::new();
        match self.rename(&mut replaced, progress) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.put_back(replaced, error)),
        }
    }

    /// Locks all folders, always in the same order, so that two runs never wait for each other.
    fn alone(&self, progress: Progress) -> Result<Vec<File>> {
        let targets = |place: usize| self.files.iter().any(|f| f.workshop == place && f.target.is_some());
        let mut workshops: Vec<(usize, &Workshop)> = self.workshops.iter().enumerate().collect();
        workshops.retain(|(place, _)| targets(*place));
        workshops.sort_by_key(|(_, workshop)| workshop.folder());
        let mut locks = Vec::new();
        for (_, workshop) in workshops {
            locks.extend(workshop.alone(progress)?);
        }
        Ok(locks)
    }

    fn rename(&mut self, replaced: &mut Vec<Replaced>, progress: Progress) -> Result<()> {
        for staged in &self.files {
            let workshop = &mut self.workshops[staged.workshop];
            let Some(target) = &staged.target else {
                copy(&staged.written, &staged.asked, progress).map_err(|e| staged.failed(e))?;
                continue;
            };
            let failed = |e| staged.failed(e);
            let old = fs::metadata(target).ok();
            let backup = old.as_ref().map(|_| backup(target, workshop)).transpose().map_err(failed)?;
            workshop.hand_over(&staged.written, staged.output, old.as_ref()).map_err(failed)?;
            fs::rename(&staged.written, target).map_err(failed)?;
            replaced.push((target.clone(), backup));
            if staged.output == Output::Manifest {
                workshop.sync().map_err(failed)?; // before any file that it must disagree with
            }
        }
        for staged in self.files.iter().filter(|staged| staged.target.is_some()) {
            self.workshops[staged.workshop].sync().map_err(|e| staged.failed(e))?;
        }
        Ok(())
    }

    /// Puts back the old files, the last first. So an old manifest comes back after all files that it names.
    fn put_back(&self, replaced: Vec<Replaced>, error: Error) -> Error {
        let mut lost = Vec::new();
        for (target, backup) in replaced.into_iter().rev() {
            let done = match backup {
                Some(backup) => fs::rename(backup, &target),
                None => fs::remove_file(&target),
            };
            if done.is_err() {
                lost.push(format!("`{}`", target.display()));
            }
        }
        for workshop in &self.workshops {
            let _ = workshop.sync();
        }
        if lost.is_empty() { error } else { Error::NotPutBack { files: lost.join(", "), error: Box::new(error) } }
    }
}

/// Makes a backup of the file at `path`.
fn backup(path: &Path, workshop: &mut Workshop) -> io::Result<PathBuf> {
    let spare = workshop.name();
    // Some file systems have no hard links, so a copy is made instead.
    fs::hard_link(path, &spare).or_else(|_| fs::copy(path, &spare).map(drop))?;
    Ok(spare)
}

/// Copies a file to a stream, in a separate thread. A pipe that nobody reads blocks for ever; this way, the work can still be interrupted.
fn copy(written: &Path, path: &Path, progress: Progress) -> io::Result<()> {
    let (mut from, path) = (File::open(written)?, path.to_owned());
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
        // If the work was interrupted, nobody receives the result.
        let _ = sender.send(copy());
    });
    loop {
        match done.recv_timeout(INTERRUPTION_CHECK_INTERVAL) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Timeout) => progress.begin("waiting for the reader", 0).map_err(io::Error::other)?,
            Err(RecvTimeoutError::Disconnected) => return Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

/// The error without the name of the temporary file, which means nothing to the user.
fn unnamed(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}

/// Converts an output error. An interruption travels through writers as an output error, too.
fn write_error(name: &str, error: io::Error) -> Error {
    if error.get_ref().is_some_and(|inner| matches!(inner.downcast_ref(), Some(Error::Interrupted))) {
        return Error::Interrupted;
    }
    Error::write(&name, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn staging(places: &[(Output, &Path)]) -> Staging {
        let mut all = Places::new();
        places.iter().for_each(|(output, path)| all.writes(*output, path));
        Staging::new(&all).unwrap()
    }

    fn count(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn all_or_none() {
        // Whichever of four cannot take its name, those before it come back, and those that were not there go.
        let outputs = [Output::Manifest, Output::Part, Output::Plan, Output::Release];
        for broken in 0..outputs.len() {
            let folder = tempfile::tempdir().unwrap();
            let paths: Vec<PathBuf> = (0..outputs.len()).map(|i| folder.path().join(format!("{i}"))).collect();
            for path in paths.iter().step_by(2).filter(|path| **path != paths[broken]) {
                fs::write(path, "old").unwrap();
            }
            let before = count(folder.path());
            let places: Vec<(Output, &Path)> = outputs.into_iter().zip(paths.iter().map(PathBuf::as_path)).collect();
            let mut staging = staging(&places);
            for path in &paths {
                staging.bytes(path, "new").unwrap();
            }
            fs::create_dir(&paths[broken]).unwrap(); // now it cannot take its name
            assert!(staging.publish(Progress::silent()).is_err());
            fs::remove_dir(&paths[broken]).unwrap();
            for path in paths.iter().step_by(2).filter(|path| **path != paths[broken]) {
                assert_eq!(fs::read_to_string(path).unwrap(), "old");
            }
            assert_eq!(count(folder.path()), before);
        }
    }

    #[test]
    fn dropped_without_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut staging = staging(&[(Output::Report, &path)]);
        staging.bytes(&path, "new").unwrap();
        assert_eq!(count(folder.path()), 1);
        drop(staging);
        assert_eq!(count(folder.path()), 0);
    }

    #[test]
    fn what_was_not_announced_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        let mut staging = staging(&[(Output::Report, &path)]);
        assert!(staging.bytes(&other, "new").is_err());
        staging.bytes(&path, "new").unwrap();
        assert!(staging.bytes(&path, "again").is_err());
    }

    #[test]
    fn workshops_of_the_living_stay_and_those_of_the_dead_go() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("a"), folder.path().join("b"));
        let mut alive = staging(&[(Output::Report, &one)]);
        alive.bytes(&one, "new").unwrap();
        let dead = folder.path().join(".amidst-a1B2c3");
        fs::create_dir(&dead).unwrap();
        fs::write(dead.join("1"), "left behind").unwrap();
        // Not by us: its name is longer, or it holds what no workshop holds.
        for (name, file) in [(".amidst-notes-of-2024", "1"), (".amidst-notes1", "diary")] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join(file), "mine").unwrap();
        }
        drop(staging(&[(Output::Report, &other)]));
        assert!(!dead.exists());
        assert_eq!(count(folder.path()), 3);
        assert!(folder.path().join(".amidst-notes1/diary").is_file());
        alive.publish(Progress::silent()).unwrap();
        assert_eq!(fs::read_to_string(&one).unwrap(), "new");
    }
}
