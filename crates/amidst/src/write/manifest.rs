//! The manifest: a list of the files of a release with their sizes and SHA-256 digests, stored beside the release.
//!
//! The manifest may be published with the release. It names only published files and the plan. The digest of the plan reveals nothing about the
//! plan, because every stored plan contains a random number.

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
    /// The version of amidst that made the release.
    pub amidst: String,
    /// The tables, the plan and the data dictionary.
    pub files: Vec<Entry>,
}

/// A file of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The name of the file, in the folder of the manifest.
    pub name: String,
    /// The size and digest of the file.
    #[serde(flatten)]
    pub digest: Digest,
}

impl Entry {
    /// An entry for the file `path`.
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
    /// A manifest of these files, made by this version.
    pub fn new(mut files: Vec<Entry>) -> Self {
        files.sort_by(|a, b| a.name.cmp(&b.name)); // so that the same files give the same manifest
        Manifest { amidst: env!("CARGO_PKG_VERSION").to_owned(), files }
    }

    /// Reads a manifest from a file; `None` if the file is not a manifest.
    pub fn load(path: &Path) -> Option<Self> {
        fs::read(path).ok().and_then(|text| serde_json::from_slice(&text).ok())
    }

    /// Whether the manifest has an entry for a file of this name.
    pub fn names(&self, file: &Path) -> bool {
        self.entry(file).is_some()
    }

    /// Whether the manifest has an entry of this name with another size or digest than the file. A file that is missing or cannot be read does
    /// not contradict its entry.
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
