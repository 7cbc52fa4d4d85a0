//! The replacement of the Parquet reader in a build without Parquet.

use std::fs::File;
use std::io::Read;

use super::{Options, Table};
use crate::error::{Error, Result};
use crate::progress::Progress;

pub(super) fn read_file(name: &str, _: File, _: &Options, _: Progress) -> Result<Table> {
    Err(Error::Feature { what: format!("Parquet files (`{name}`)"), feature: "parquet" })
}

pub(super) fn read_stream(name: &str, _: impl Read, _: &Options, _: Progress) -> Result<Table> {
    Err(Error::Feature { what: format!("Parquet files (`{name}`)"), feature: "parquet" })
}
