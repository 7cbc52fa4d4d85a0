//! The memory limit of a table.

use crate::error::{Error, Result};
use crate::progress::Progress;

/// The number of tables that a run holds in memory: the original, the release, and both again for the verification.
const TABLES_HELD: u64 = 4;

/// The memory limit of a table that is being read.
pub(crate) struct Memory<'a> {
    file: &'a str,
    limit: u64,
}

impl<'a> Memory<'a> {
    /// The limit that the observer of the work sets.
    pub(crate) fn new(file: &'a str, progress: Progress) -> Self {
        Memory { file, limit: progress.memory_limit() }
    }

    /// The largest size of the table, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.limit / TABLES_HELD
    }

    /// Refuses a table if its first `rows` rows already take too many `bytes`.
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
