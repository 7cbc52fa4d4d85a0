//! Many algorithms on one table, side by side.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha12Rng;

use super::clock::{Clock, Lap};
use super::dataset::Dataset;
use super::places::made_from;
use super::reports::check_page;
use super::solve::Solver;
use crate::constraint;
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::measure::{self, Selection, View};
use crate::partition;
use crate::plan::{Plan, Seed};
use crate::problem::Problem;
use crate::progress::{Observer, Progress};
use crate::read::Source;
use crate::registry::Spec;
use crate::report::{Comparison, Run};
use crate::risk::{Assumptions, Risk};
use crate::schema::Schema;
use crate::write::{Output, Places, Staging};

/// A table and what to try on it.
#[derive(Debug)]
pub struct CompareJob {
    /// The table.
    pub input: Source,
    /// The plan of every run, but for what is varied.
    pub plan: Plan,
    /// The values of k.
    pub ks: Vec<usize>,
    /// The values of l by frequency; none where it is not varied.
    pub ls: Vec<f64>,
    /// How many records are taken, drawn at random; none where all are.
    pub rows: Vec<usize>,
    /// The algorithms.
    pub partitioners: Vec<Spec>,
    /// What is measured.
    pub measures: Selection,
    /// How long a run may take.
    pub limit: Duration,
    /// Where the runs go, by their extension as a table (.csv) or as JSON (.json).
    pub runs: Vec<PathBuf>,
    /// Where a page about it goes; its name ends in .html.
    pub report: Option<PathBuf>,
}

/// Runs every algorithm with every k, every l and every number of records. Nothing is published; a run over the limit is stopped, and
/// one that asks for more than the records have is refused; both are said to be, unless nothing else is left to say.
pub fn compare(job: &CompareJob, progress: Progress) -> Result<Comparison> {
    let mut staging = Staging::new(&places(job)?)?;
    constraint::check(&job.plan)?;
    for spec in &job.partitioners {
        partition::build(spec)?; // a mistyped name is found before hours of work
    }
    let Dataset { plan, schema, encoded, .. } = Dataset::load(&job.input, job.plan.clone(), progress)?;
    let seed = plan.method.seed.unwrap_or(Seed::FIXED);
    let mut runs = Vec::new();
    let mut refused = None;
    for encoded in samples(job, &encoded, seed.0)? {
        for (l, k) in levels(job) {
            let mut plan = plan.clone();
            plan.privacy.k = k;
            if let Some(l) = l {
                plan.privacy.ask_diversity(l);
            }
            constraint::check(&plan)?;
            for partitioner in &job.partitioners {
                let mut run = Run::new(k, l, encoded.rows(), partitioner);
                plan.method.partitioner = partitioner.clone();
                match fill(&mut run, job, &plan, &schema, &encoded, seed, progress) {
                    Err(e) if e.is_infeasible() => {
                        run.refused = Some(e.to_string());
                        refused.get_or_insert(e);
                    }
                    done => done?,
                }
                runs.push(run);
            }
        }
    }
    if let Some(e) = refused.filter(|_| runs.iter().all(|run| run.refused.is_some())) {
        return Err(e);
    }
    let (rows, objective) = (encoded.rows(), plan.method.measure.to_string());
    let comparison = Comparison { rows, objective, seed, runs };
    for file in &job.runs {
        let text = match runs_form(file)? {
            RunsForm::Csv => csv(&comparison),
            RunsForm::Json => {
                serde_json::to_string_pretty(&comparison).map(|text| text + "\n").map_err(io::Error::from)
            }
        };
        staging.bytes(file, text.map_err(|e| Error::write(&file.display(), e))?)?;
    }
    #[cfg(feature = "report")]
    if let Some(file) = &job.report {
        staging.bytes(file, comparison.page())?;
    }
    staging.publish(progress)?;
    Ok(comparison)
}

/// What runs are written as.
enum RunsForm {
    Csv,
    Json,
}

/// What the extension of a file of runs asks for.
fn runs_form(file: &Path) -> Result<RunsForm> {
    match file.extension().and_then(OsStr::to_str) {
        Some("csv") => Ok(RunsForm::Csv),
        Some("json") => Ok(RunsForm::Json),
        _ => Err(Error::RunsForm { path: file.display().to_string() }),
    }
}

fn csv(comparison: &Comparison) -> io::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in comparison.table() {
        writer.write_record(row)?;
    }
    String::from_utf8(writer.into_inner().map_err(csv::IntoInnerError::into_error)?).map_err(io::Error::other)
}

fn places(job: &CompareJob) -> Result<Places> {
    let mut places = Places::new();
    made_from(&mut places, &job.input, &job.plan);
    for file in &job.runs {
        runs_form(file)?;
        places.writes(Output::Runs, file);
    }
    if let Some(file) = &job.report {
        check_page(file)?;
        places.writes(Output::PublicReport, file);
    }
    Ok(places)
}

/// Every l with every k.
fn levels(job: &CompareJob) -> Vec<(Option<f64>, usize)> {
    let ls: Vec<Option<f64>> = if job.ls.is_empty() { vec![None] } else { job.ls.iter().copied().map(Some).collect() };
    ls.into_iter().flat_map(|l| job.ks.iter().map(move |k| (l, *k))).collect()
}

/// The records, or random samples of them.
fn samples(job: &CompareJob, encoded: &Arc<Encoded>, seed: u64) -> Result<Vec<Arc<Encoded>>> {
    let all = encoded.rows();
    let draw = |rows: usize| {
        if rows == 0 || rows > all {
            let message = format!("{rows} records cannot be taken from a table of {all}; name 1 to {all}");
            return Err(Error::parameter("compare", message));
        }
        let mut chosen: Vec<u32> =
            sample(&mut ChaCha12Rng::seed_from_u64(seed), all, rows).into_iter().map(|row| row as u32).collect();
        chosen.sort_unstable();
        Ok(Arc::new(encoded.select(&chosen)))
    };
    if job.rows.is_empty() { Ok(vec![encoded.clone()]) } else { job.rows.iter().map(|rows| draw(*rows)).collect() }
}

/// Does a run, and writes down how it went.
fn fill(
    run: &mut Run,
    job: &CompareJob,
    plan: &Plan,
    schema: &Schema,
    encoded: &Arc<Encoded>,
    seed: Seed,
    progress: Progress,
) -> Result<()> {
    let problem = Problem::of(plan, encoded.clone(), seed.0)?;
    let deadline = Deadline { progress, end: Instant::now() + job.limit };
    let mut clock = Clock::start();
    let mut plan = plan.clone();
    let partition =
        Solver::new(&plan)?.cluster(&mut plan, (schema, &Arc::default()), &problem, Progress::to(&deadline));
    Lap { seconds: run.seconds, cpu_seconds: run.cpu_seconds } = clock.lap();
    let partition = match partition {
        Err(Error::Interrupted) if !progress.interrupted() => {
            run.stopped = true;
            return Ok(());
        }
        partition => partition?,
    };
    run.classes = Some(partition.len());
    let mut sizes = BTreeMap::new();
    partition.clusters().for_each(|rows| *sizes.entry(rows.len()).or_default() += 1);
    run.risk = Some(Risk::new(&sizes, &Assumptions::default()).prosecutor);
    run.scores = measure::scores(&View::of(encoded, &partition, plan.privacy.k), &job.measures, progress)?;
    Ok(())
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

    fn note(&self, text: &str) {
        self.progress.note(text);
    }

    fn memory_limit(&self) -> Option<u64> {
        Some(self.progress.memory_limit())
    }
}
