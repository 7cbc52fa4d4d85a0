//! How little any release of a table can lose.

use super::clock::{Clock, Lap};
use super::dataset::Dataset;
use crate::bound;
use crate::constraint;
use crate::error::{Error, Result};
use crate::plan::{Plan, Seed};
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::read::Source;
use crate::report::{BoundOutcome, Certificate};

/// How far a partition is from the best possible at most.
pub(super) fn certify(problem: &Problem, partition: &Partition, progress: Progress) -> Result<Certificate> {
    let mut clock = Clock::start();
    let found = if partition.suppressed().is_empty() {
        bound::best(problem, progress)
    } else {
        Err(Error::NoBound("records were suppressed, and bounds are about releases of all records".to_owned()))
    };
    let (bound, reason) = match found {
        Ok(bound) => (Some(bound), None),
        Err(Error::NoBound(reason)) => (None, Some(reason)),
        Err(e) => return Err(e),
    };
    let Lap { seconds, cpu_seconds } = clock.lap();
    Ok(Certificate::new(problem.loss(partition), bound, reason, seconds, cpu_seconds))
}

/// A table and the privacy of which it is asked what they cost at least.
#[derive(Debug)]
pub struct BoundJob {
    /// The table.
    pub input: Source,
    /// What is asked.
    pub plan: Plan,
}

/// Proves how little any release of a table can lose.
pub fn bound(job: &BoundJob, progress: Progress) -> Result<BoundOutcome> {
    constraint::check(&job.plan)?;
    proven(Dataset::load(&job.input, job.plan.clone(), progress)?, progress)
}

/// Proves how little any release of this table can lose.
pub(super) fn proven(data: Dataset, progress: Progress) -> Result<BoundOutcome> {
    let plan = &data.plan;
    constraint::check(plan)?;
    let problem = data.problem(plan.method.seed.unwrap_or(Seed::FIXED))?;
    problem.feasible()?;
    let mut clock = Clock::start();
    let bound = bound::best(&problem, progress)?;
    let Lap { seconds, cpu_seconds } = clock.lap();
    Ok(BoundOutcome {
        rows: problem.rows(),
        k: plan.privacy.k,
        measure: plan.method.measure.to_string(),
        bound,
        seconds,
        cpu_seconds,
        taken: data.completed.taken,
    })
}
