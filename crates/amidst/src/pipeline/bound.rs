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
        foretell(problem, progress).and_then(|()| bound::best(problem, progress))
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

/// The shortest proof that is announced, in seconds.
const LONG: f64 = 3.0;

/// Says about how long a proof will take, if it takes long.
fn foretell(problem: &Problem, progress: Progress) -> Result<()> {
    progress.begin("estimating", 0)?;
    let seconds = bound::seconds(problem, progress)?;
    if let Some(seconds) = seconds.filter(|seconds| *seconds >= LONG) {
        progress.note(&format!("the proof will take about {} (a rough estimate by a short one)", roughly(seconds)));
    }
    Ok(())
}

/// A time that nobody takes for exact.
fn roughly(seconds: f64) -> String {
    match seconds {
        s if s < 20.0 => format!("{:.0} seconds", s.ceil()),
        s if s < 90.0 => format!("{:.0} seconds", (s / 10.0).ceil() * 10.0),
        s if s < 5400.0 => format!("{:.0} minutes", (s / 60.0).round().max(2.0)),
        s => format!("{:.0} hours", (s / 3600.0).round().max(2.0)),
    }
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
    foretell(&problem, progress)?;
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

#[cfg(test)]
mod tests {
    use super::roughly;

    #[test]
    fn times() {
        let told = [3.2, 19.5, 34.0, 89.0, 91.0, 300.0, 5399.0, 5401.0, 20_000.0].map(roughly);
        let expected = ["4 seconds", "20 seconds", "40 seconds", "90 seconds", "2 minutes", "5 minutes", "90 minutes"];
        assert_eq!(told[..7], expected);
        assert_eq!(told[7..], ["2 hours", "6 hours"]);
    }
}
