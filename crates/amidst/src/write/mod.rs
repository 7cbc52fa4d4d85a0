//! Writing files so that nothing half-written or unchecked is ever seen, and nothing is lost.
//!
//! A command first says what it reads and writes ([`Places`]); an output that is an input is refused before any work. Everything then
//! goes into a locked folder beside its target that only its owner can look into ([`Staging`]). Only after the verification has read
//! the files back do they take their final names, all or none. Dropping a [`Staging`] removes what it wrote, and what a run that was
//! killed could not remove goes with the next run.
//!
//! Names cannot be given to several files at once. So a release has a [`Manifest`], which takes its name first: a run that is
//! killed between two names leaves files that disagree with it, and whoever reads them notices.

mod csv;
mod digest;
mod manifest;
mod memory;
#[cfg(feature = "parquet")]
mod parquet;
mod places;
mod staging;
mod workshop;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use arrow_schema::SchemaRef;

pub use digest::Digest;
pub use manifest::{Entry, Manifest};
pub use memory::shaped;
pub use places::{Input, Output, Places, is_stream, same_file};
pub use staging::Staging;

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
