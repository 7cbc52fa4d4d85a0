//! What a program gets that asks for a release.

use std::path::Path;

use arrow_array::RecordBatch;

use crate::plan::Plan;
use crate::report::{Dictionary, Outcome};

/// A release that was verified from what was written.
#[derive(Debug)]
pub struct Release(Outcome);

impl Release {
    pub(super) fn of(outcome: Outcome) -> Self {
        Release(outcome)
    }

    /// The published table, unless it went to a file.
    pub fn table(&self) -> Option<&RecordBatch> {
        self.0.tables.iter().find(|part| part.name.is_none()).map(|part| &part.table)
    }

    /// The other tables of the release with their names, unless they went to files. Only some forms have any, and plans
    /// with other tables of the same persons.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &RecordBatch)> {
        self.0.tables.iter().filter_map(|part| Some((part.name.as_deref()?, &part.table)))
    }

    /// The file with the published table, unless it stayed in memory.
    pub fn file(&self) -> Option<&Path> {
        self.0.output.as_deref()
    }

    /// What the release reaches and loses. It prints as text, and serializes as JSON. It is not for recipients.
    pub fn report(&self) -> &Outcome {
        &self.0
    }

    /// What the columns of the published tables hold. Recipients may have it.
    pub fn dictionary(&self) -> &Dictionary {
        &self.0.described
    }

    /// The complete plan, by which the same release can be made again. It is not for recipients.
    pub fn plan(&self) -> &Plan {
        &self.0.asked
    }

    /// The row of the table that each published row comes from, counted from 0. It is not for recipients.
    pub fn rows(&self) -> &[u32] {
        &self.0.rows
    }
}
