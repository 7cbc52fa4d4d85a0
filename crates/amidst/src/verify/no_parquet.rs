//! The replacement of the Parquet reader in a build without Parquet.

use super::reading::Take;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::read::Table;

pub(super) fn read<F>(name: &str, _: F, _: impl Fn(&str) -> Take, _: Progress) -> Result<Table> {
    Err(Error::Feature { what: format!("Parquet files (`{name}`)"), feature: "parquet" })
}
