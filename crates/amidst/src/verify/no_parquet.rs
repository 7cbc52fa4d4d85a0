//! What a build without Parquet says.

use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::read::Table;

pub(super) fn read<F>(name: &str, _: F, _: impl Fn(&str) -> bool, _: Progress) -> Result<Table> {
    Err(Error::Feature { what: format!("Parquet files (`{name}`)"), feature: "parquet" })
}
