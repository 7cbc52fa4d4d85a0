//! The files that a command reads and writes. Each command declares all of them before it begins, so that no output replaces an input or another
//! output, whatever names and links the paths have.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The most links in a row that are followed: more than any system follows.
const MAX_LINKS: usize = 64;

/// The purpose of a file that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Input {
    Table,
    Plan,
    Hierarchy,
}

/// The purpose of a file that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// The main table of a release.
    Release,
    /// Another table of a release.
    Part,
    /// A plan. Other users cannot read it, unless it replaces a file that they can read.
    Plan,
    /// A data dictionary.
    Dictionary,
    /// The list of the files of a release.
    Manifest,
    /// An internal report. Other users cannot read it, unless it replaces a file that they can read.
    Report,
    /// A report for recipients.
    PublicReport,
    /// The table of runs of a comparison.
    Runs,
    /// A file that comes with the program.
    Bundled,
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Input::Table => "the table",
            Input::Plan => "the plan",
            Input::Hierarchy => "the hierarchy",
        })
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Output::Release => "the release",
            Output::Part => "the part of the release",
            Output::Plan => "the plan",
            Output::Dictionary => "the data dictionary",
            Output::Manifest => "the manifest",
            Output::Report | Output::PublicReport => "the report",
            Output::Runs => "the table of runs",
            Output::Bundled => "the file",
        })
    }
}

/// All files that a command reads and writes.
#[derive(Debug, Default)]
pub struct Places {
    read: Vec<(Input, PathBuf)>,
    written: Vec<(Output, PathBuf)>,
}

/// A file to write, and its target.
#[derive(Debug)]
pub(super) struct Announced {
    pub output: Output,
    /// The path as the user gave it.
    pub asked: PathBuf,
    /// The path with all links resolved; none for a stream, which cannot be replaced but only written to.
    pub target: Option<PathBuf>,
}

impl Places {
    /// No files yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a file that the command reads.
    pub fn reads(&mut self, input: Input, path: &Path) {
        self.read.push((input, path.to_owned()));
    }

    /// Declares a file that the command writes.
    pub fn writes(&mut self, output: Output, path: &Path) {
        self.written.push((output, path.to_owned()));
    }

    /// Refuses outputs that are an input or another output, and outputs whose folder does not exist.
    pub fn check(&self) -> Result<()> {
        self.announced().map(drop)
    }

    pub(super) fn announced(&self) -> Result<Vec<Announced>> {
        let inputs: Vec<_> = self.read.iter().filter(|(_, path)| !is_stream(path)).collect();
        let inputs: Vec<_> = inputs.into_iter().map(|(input, path)| (input, path, Identity::of(path))).collect();
        let mut outputs: Vec<(Output, &Path, Identity)> = Vec::new();
        let mut announced = Vec::new();
        for (output, path) in &self.written {
            if is_stream(path) {
                announced.push(Announced { output: *output, asked: path.clone(), target: None });
                continue;
            }
            let target = target(path).map_err(|e| Error::write(&path.display(), e))?;
            let own = Identity::of(path);
            let same = |other: &Identity| other.is(&own);
            let read = inputs.iter().find(|(.., other)| same(other)).map(|(input, path, _)| (input.to_string(), *path));
            let written = outputs.iter().find(|(.., other)| same(other)).map(|(output, path, _)| (output, *path));
            if let Some((other, other_path)) = read {
                return Err(overwrites(*output, path, &other, other_path, "is read"));
            }
            if let Some((other, other_path)) = written {
                return Err(overwrites(*output, path, &other.to_string(), other_path, "is written, too"));
            }
            outputs.push((*output, path, own));
            announced.push(Announced { output: *output, asked: path.clone(), target: Some(target) });
        }
        Ok(announced)
    }
}

fn overwrites(output: Output, path: &Path, other: &str, other_path: &Path, how: &'static str) -> Error {
    let (path, other_path) = (path.display().to_string(), other_path.display().to_string());
    Error::Overwrites { output: output.to_string(), path, other: other.to_owned(), other_path, how }
}

/// Whether two paths are the same file, through any links.
pub fn same_file(one: &Path, other: &Path) -> bool {
    Identity::of(one).is(&Identity::of(other))
}

/// Whether a path is standard input or output, a pipe or a device.
pub fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-" || fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// The identity of a file: its path and, if it exists, its inode.
struct Identity {
    place: PathBuf,
    /// Device and inode number, which all hard links of a file share.
    node: Option<(u64, u64)>,
}

impl Identity {
    fn of(path: &Path) -> Self {
        let place = resolved(path).unwrap_or_else(|_| path.to_owned());
        let node = node(&place);
        Identity { place, node }
    }

    fn is(&self, other: &Self) -> bool {
        self.place == other.place || (self.node.is_some() && self.node == other.node)
    }
}

#[cfg(unix)]
fn node(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn node(_path: &Path) -> Option<(u64, u64)> {
    None
}

/// The file that is replaced when `path` is written. Links are followed, so a link stays a link.
fn target(path: &Path) -> io::Result<PathBuf> {
    let folder = folder_of(path);
    if !folder.is_dir() {
        let missing = format!("there is no folder `{}`", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, missing));
    }
    match fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::InvalidFilename => {
            let message = "the name is too long for the file system; choose a shorter output name";
            return Err(io::Error::new(e.kind(), message));
        }
        _ => {}
    }
    let target = resolved(path)?;
    if target.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(target) }
}

/// The path with all links resolved. The file need not exist, but its folder must.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    if let Ok(found) = fs::canonicalize(path) {
        return Ok(found);
    }
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(to) = fs::read_link(&path) else {
            let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
            return Ok(fs::canonicalize(folder_of(&path))?.join(name));
        };
        path = folder_of(&path).join(to);
    }
    Err(io::Error::other("its links form a cycle"))
}

/// The folder that a file is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
