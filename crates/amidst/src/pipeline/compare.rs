//! Many algorithms on one table, side by side.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Clock, Loaded, PlanOrigin, cluster, load};
use crate::constraint;
use crate::cost;
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::measure::{self, Selection, View};
use crate::partition;
use crate::plan::Plan;
use crate::problem::Problem;
use crate::progress::{Observer, Progress};
use crate::read::Source;
use crate::registry::Spec;
use crate::report::{Comparison, Run};
use crate::schema::Schema;
use crate::usage;

/// A table and what to try on it.
#[derive(Debug)]
pub struct CompareJob {
    /// The table.
    pub input: Source,
    /// The plan of every run, but for what is varied.
    pub plan: Plan,
    /// Where the plan comes from.
    pub origin: PlanOrigin,
    /// The values of k.
    pub ks: Vec<usize>,
    /// The algorithms.
    pub partitioners: Vec<Spec>,
    /// What is measured.
    pub measures: Selection,
    /// How long a run may take.
    pub limit: Duration,
}

/// Runs every algorithm with every k. Nothing is published; a run over the limit is stopped and said to be.
pub fn compare(job: &CompareJob, progress: Progress) -> Result<Comparison> {
    let mut plan = job.plan.clone();
    constraint::check(&plan)?;
    for spec in &job.partitioners {
        partition::build(spec)?; // a mistyped name is found before hours of work
    }
    let Loaded { table, .. } = load(&job.input, &mut plan, job.origin == PlanOrigin::Flags, progress)?;
    let schema = Schema::new(&plan, &table)?;
    let encoded = Arc::new(Encoded::new(&table, &schema, &plan.input.missing, progress)?);
    let mut runs = Vec::new();
    for k in &job.ks {
        plan.privacy.k = *k;
        for partitioner in &job.partitioners {
            let measure = cost::build(&plan.method.measure, &encoded)?;
            let constraints = constraint::all(&plan, &encoded)?;
            let problem = Problem::unchecked(encoded.clone(), measure, constraints, plan.method.seed);
            runs.push(run(job, &plan, &problem, partitioner, progress)?);
        }
    }
    Ok(Comparison { rows: encoded.rows(), objective: plan.method.measure.to_string(), seed: plan.method.seed, runs })
}

fn run(job: &CompareJob, plan: &Plan, problem: &Problem, partitioner: &Spec, progress: Progress) -> Result<Run> {
    let deadline = Deadline { progress, end: Instant::now() + job.limit };
    let (mut clock, cpu) = (Clock::start(), usage::cpu_seconds());
    let mut plan = plan.clone();
    plan.method.partitioner = partitioner.clone();
    let partition = cluster(&mut plan, problem, Progress::to(&deadline));
    let cpu_seconds = usage::cpu_seconds().zip(cpu).map(|(end, start)| end - start);
    let mut run = Run {
        k: plan.privacy.k,
        partitioner: partitioner.to_string(),
        seconds: clock.lap(),
        cpu_seconds,
        classes: None,
        scores: measure::Scores::default(),
        stopped: false,
    };
    match partition {
        Ok(partition) => {
            let view = View::of(&problem.encoded, &partition, plan.privacy.k);
            run.classes = Some(partition.len());
            run.scores = measure::scores(&view, &job.measures, progress)?;
        }
        Err(Error::Interrupted) if !progress.interrupted() => run.stopped = true,
        Err(e) => return Err(e),
    }
    Ok(run)
}

/// Passes progress on, and stops the work when its time is up.
struct Deadline<'a> {
    progress: Progress<'a>,
    end: Instant,
}

impl Observer for Deadline<'_> {
    fn begin(&self, stage: &'static str, total: u64) {
        // Whether to stop is asked again with the next step.
        let _ = self.progress.begin(stage, total);
    }

    fn advance(&self, by: u64) {
        let _ = self.progress.advance(by);
    }

    fn interrupted(&self) -> bool {
        self.progress.interrupted() || Instant::now() > self.end
    }
}
