//! Which files make up a release: a list with the size and the SHA-256 of each, beside the release.
//!
//! It may be published with the release: it names what is published, and the digest of the plan tells nothing about it, because every
//! plan that is stored holds a random number of its own.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::staging::Staged;

/// The files of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version that made it.
    pub amidst: String,
    /// Every table, the plan and the data dictionary.
    pub files: Vec<Entry>,
}

/// A file of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name in the folder of the manifest.
    pub name: String,
    /// What is in it.
    #[serde(flatten)]
    pub digest: Digest,
}

impl Entry {
    /// A file that is called like the last part of `path`.
    pub fn new(path: &Path, digest: Digest) -> Self {
        Entry { name: name(path), digest }
    }
}

impl From<&Staged> for Entry {
    fn from(staged: &Staged) -> Self {
        Entry::new(&staged.asked, staged.digest.clone())
    }
}

impl Manifest {
    /// Of these files, made by this version.
    pub fn new(mut files: Vec<Entry>) -> Self {
        files.sort_by(|a, b| a.name.cmp(&b.name)); // the same files, the same manifest
        Manifest { amidst: env!("CARGO_PKG_VERSION").to_owned(), files }
    }

    /// The manifest in a file; none where it is no manifest of ours.
    pub fn load(path: &Path) -> Option<Self> {
        fs::read(path).ok().and_then(|text| serde_json::from_slice(&text).ok())
    }

    /// True where it names a file that is called like this one.
    pub fn names(&self, file: &Path) -> bool {
        self.entry(file).is_some()
    }

    /// True where it names a file like this one that was something else than what is there. Files that are missing, or that somebody
    /// else keeps to themselves, are not read by anybody.
    pub fn contradicts(&self, file: &Path) -> io::Result<bool> {
        let Some(entry) = self.entry(file) else { return Ok(false) };
        let known = |e: &io::Error| matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied);
        let size = match fs::metadata(file) {
            Err(e) if known(&e) => return Ok(false),
            found => found?.len(),
        };
        if size != entry.digest.bytes {
            return Ok(true);
        }
        match Digest::of(file) {
            Err(e) if known(&e) => Ok(false),
            found => Ok(found? != entry.digest),
        }
    }

    fn entry(&self, file: &Path) -> Option<&Entry> {
        let name = name(file);
        self.files.iter().find(|entry| entry.name == name)
    }
}

fn name(path: &Path) -> String {
    path.file_name().map(OsStr::to_string_lossy).unwrap_or_default().into_owned()
}
