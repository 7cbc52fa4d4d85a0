//! How little any release of a table can lose.

use std::time::{Duration, Instant};

use super::clock::{Clock, Lap};
use super::dataset::Dataset;
use super::proof_time::ProofTime;
use crate::bound::{self, Bound, Effort};
use crate::constraint;
use crate::error::{Error, Result};
use crate::notation::at_most;
use crate::plan::{Plan, Seed};
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::read::Source;
use crate::report::{BoundOutcome, Certificate, above};

/// How much longer than the run until then a proof may take.
const TIMES_THE_RUN: u32 = 2;

/// What a proof may always take.
const SHORTEST: Duration = Duration::from_secs(1);

/// What a bound without a release may take.
const WITHOUT_RELEASE: Duration = Duration::from_mins(1);

/// How far a partition is from the best possible at most. `run` is how long the run has lasted.
pub(super) fn certify(
    problem: &Problem,
    partition: &Partition,
    (time, run): (ProofTime, Duration),
    progress: Progress,
) -> Result<Certificate> {
    let mut clock = Clock::start();
    let (loss, limit) = (problem.loss(partition), time.limit((TIMES_THE_RUN * run).max(SHORTEST)));
    let found = if partition.suppressed().is_empty() {
        let so_far = |least: f64| above(loss, least).map(|share| format!("{} above the best possible", at_most(share)));
        prove(problem, limit, &so_far, progress)
    } else {
        Err(Error::NoBound("records were suppressed, and bounds are about releases of all records".to_owned()))
    };
    let (bound, reason) = match found {
        Ok(bound) => (Some(bound), None),
        Err(Error::NoBound(reason)) => (None, Some(reason)),
        Err(e) => return Err(e),
    };
    let Lap { seconds, cpu_seconds } = clock.lap();
    let (above, limit_seconds) =
        (bound.and_then(|bound| above(loss, bound.loss)), limit.map(|limit| limit.as_secs_f64()));
    Ok(Certificate { loss, bound, above, reason, limit_seconds, seconds, cpu_seconds })
}

/// The shortest proof that is announced, in seconds.
const LONG: f64 = 3.0;

/// How long a proof lasts before it says how far it is.
const PATIENCE: Duration = Duration::from_secs(2);

/// The best bound within this time, or without a limit. `so_far` puts the best loss on the way into words.
fn prove(
    problem: &Problem,
    limit: Option<Duration>,
    so_far: &(dyn Fn(f64) -> Option<String> + Sync),
    progress: Progress,
) -> Result<Bound> {
    let begun = Instant::now();
    // A time that no clock can show is as good as no limit.
    let until = limit.and_then(|limit| begun.checked_add(limit));
    match limit {
        Some(limit) if limit.as_secs_f64() >= LONG => {
            progress.note(&format!("the proof takes at most about {}", roughly(limit.as_secs_f64())));
        }
        Some(_) => {}
        None => foretell(problem, progress)?,
    }
    let raised = |least: f64| {
        if begun.elapsed() > PATIENCE
            && let Some(words) = so_far(least)
        {
            progress.status(&words);
        }
    };
    bound::bound(problem, until.map_or(Effort::FULL, Effort::until), &raised, progress)
}

/// Says about how long a proof without a limit will take, if it takes long.
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
    /// How long the proof may take.
    pub time: ProofTime,
}

/// Proves how little any release of a table can lose.
pub fn bound(job: &BoundJob, progress: Progress) -> Result<BoundOutcome> {
    constraint::check(&job.plan)?;
    proven(Dataset::load(&job.input, job.plan.clone(), progress)?, job.time, progress)
}

/// Proves how little any release of this table can lose.
pub(super) fn proven(data: Dataset, time: ProofTime, progress: Progress) -> Result<BoundOutcome> {
    let plan = &data.plan;
    constraint::check(plan)?;
    let problem = data.problem(plan.method.seed.unwrap_or(Seed::FIXED))?;
    problem.feasible()?;
    let mut clock = Clock::start();
    let limit = time.limit(WITHOUT_RELEASE);
    let bound = prove(&problem, limit, &|least| Some(format!("at least {least:.4}")), progress)?;
    let Lap { seconds, cpu_seconds } = clock.lap();
    Ok(BoundOutcome {
        rows: problem.rows(),
        k: plan.privacy.k,
        measure: plan.method.measure.to_string(),
        bound,
        limit_seconds: limit.map(|limit| limit.as_secs_f64()),
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
