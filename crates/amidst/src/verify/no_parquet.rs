//! The replacement of the Parquet reader in a build without Parquet.

use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::read::Table;

pub(super) fn read<F>(name: &str, _: F, _: impl Fn(&str) -> bool, _: Progress) -> Result<Table> {
    Err(Error::Feature { what: format!("Parquet files (`{name}`)"), feature: "parquet" })
}
