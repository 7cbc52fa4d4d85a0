//! Writes files so that no incomplete or unverified file is ever visible, and no old file is lost.
//!
//! A command first declares what it reads and writes ([`Places`]). An output that is also an input is refused before any work. All files are
//! then written into a locked folder beside their targets, which only its owner can read ([`Staging`]). After the verification has read them
//! back, either all of them get their final names or none. Dropping a [`Staging`] removes what it wrote. If a run is killed, the next run
//! removes what is left.
//!
//! Several files cannot be renamed at once. So a release has a [`Manifest`], which gets its name first. If a run is killed between two
//! renames, the files disagree with the manifest, and every reader of the release notices.

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

use crate::error::{Error, Result};

pub use digest::Digest;
pub use manifest::{Entry, Manifest};
pub use memory::shaped;
pub use places::{Input, Output, Places, is_stream, same_file};
pub use staging::Staging;

/// The destination of a release.
#[derive(Debug, Clone)]
pub enum Sink {
    /// A file; `-` is standard output.
    File(PathBuf),
    /// Memory: the tables are returned, with columns like those of this schema.
    Memory(SchemaRef),
}

impl From<PathBuf> for Sink {
    fn from(path: PathBuf) -> Self {
        Sink::File(path)
    }
}

impl Sink {
    /// The path, if the destination is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Sink::File(path) => Some(path),
            Sink::Memory(_) => None,
        }
    }
}

/// The format of a table file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values.
    Csv(Compression),
    /// Apache Parquet.
    Parquet,
}

/// The compression of a CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Compression {
    None,
    Gzip,
    Zstd,
}

/// Extensions of formats that cannot be written. A file with one of them that holds CSV could be opened by nobody.
const UNWRITTEN: &[(&[&str], &str)] = &[
    (&["xlsx", "xls", "xlsm", "xlsb"], "an Excel workbook"),
    (&["ods", "fods"], "an OpenDocument spreadsheet"),
    (&["json", "jsonl", "ndjson", "geojson"], "JSON"),
    (&["sav", "zsav", "por"], "an SPSS file"),
    (&["dta"], "a Stata file"),
    (&["sas7bdat", "xpt"], "a SAS file"),
    (&["rds", "rda", "rdata"], "an R data file"),
    (&["feather", "arrow", "ipc"], "an Arrow file"),
    (&["orc"], "an ORC file"),
    (&["avro"], "an Avro file"),
    (&["db", "sqlite", "sqlite3", "duckdb", "mdb", "accdb"], "a database"),
    (&["h5", "hdf5", "hdf"], "an HDF5 file"),
    (&["pkl", "pickle"], "a pickle"),
    (&["npy", "npz", "mat"], "an array of numbers"),
    (&["xml", "html", "htm", "pdf", "doc", "docx"], "a document"),
    (&["zip", "7z", "rar", "tar", "tgz", "bz2", "xz", "lz4", "br"], "an archive of that kind"),
];

/// Refuses a name for a table that promises a format that cannot be written.
pub fn check_name(path: &Path) -> Result<()> {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    match UNWRITTEN.iter().find(|(extensions, _)| extensions.contains(&extension.as_str())) {
        Some((_, what)) => Err(Error::OutputFormat { path: path.display().to_string(), what }),
        None => Ok(()),
    }
}

impl Format {
    /// The format by the extension of `path`. The default is CSV.
    pub fn of(path: &Path) -> Self {
        match path.extension().and_then(OsStr::to_str) {
            Some("parquet" | "pq") => Format::Parquet,
            Some("gz") => Format::Csv(Compression::Gzip),
            Some("zst") => Format::Csv(Compression::Zstd),
            _ => Format::Csv(Compression::None),
        }
    }
}
