//! How useful a published file still is.

use super::beside::check_unmixed;
use super::published::{Matched, release};
use crate::error::{Error, Result};
use crate::measure::{self, Selection};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::read::Source;
use crate::report::MeasureOutcome;
use crate::verify::Failure;

/// A published file to measure against its original.
#[derive(Debug)]
pub struct MeasureJob {
    /// The table it was made from.
    pub original: Source,
    /// The published file.
    pub release: Source,
    /// What it was meant to be.
    pub plan: Plan,
    /// What is measured.
    pub measures: Selection,
}

/// Finds out how useful a published file still is.
pub fn measure(job: &MeasureJob, progress: Progress) -> Result<MeasureOutcome> {
    check_unmixed(&job.release, &job.plan)?;
    let strange = |Failure(message)| Error::Format { file: job.release.name(), message };
    let mut plan = job.plan.clone();
    let release = release(&job.release, &mut plan, progress)?.map_err(strange)?;
    let matched = Matched::load(&job.original, plan, &release, progress)?;
    let sizes = &release.classes.sizes;
    let view = matched.view(&release, sizes.iter().min().copied().unwrap_or(1))?;
    let scores = measure::scores(&view, &job.measures, progress)?;
    Ok(MeasureOutcome { rows: release.table.rows(), classes: sizes.len(), scores })
}
