//! How much memory a table may take.

use crate::error::{Error, Result};
use crate::progress::Progress;

/// A run holds the table, what it was turned into, and for the verification both table and release as they are read anew: about four tables.
const TABLES_HELD: u64 = 4;

/// What a table in the making may take.
pub(crate) struct Memory<'a> {
    file: &'a str,
    limit: u64,
}

impl<'a> Memory<'a> {
    /// What whoever watches the work allows.
    pub(crate) fn new(file: &'a str, progress: Progress) -> Self {
        Memory { file, limit: progress.memory_limit() }
    }

    /// The most bytes that a table may take.
    pub(crate) fn bytes(&self) -> u64 {
        self.limit / TABLES_HELD
    }

    /// Refuses a table whose first rows take so many bytes already.
    pub(crate) fn check(&self, rows: u64, bytes: usize) -> Result<()> {
        let bytes = bytes as u64;
        if bytes <= self.bytes() {
            return Ok(());
        }
        Err(Error::Memory {
            file: self.file.to_owned(),
            rows,
            needed: bytes.saturating_mul(TABLES_HELD),
            limit: self.limit,
        })
    }
}
