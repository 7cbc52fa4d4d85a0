//! A run that writes nothing: what a release would be, and about what it would cost.

use super::Job;
use super::anonymize::resolve;
use super::banner;
use super::clock::Clock;
use super::dataset::Dataset;
use super::places::{check_form, places};
use super::trial::{ENGINE, Sample, Trial, most_rows};
use crate::error::{Error, Result};
use crate::partition;
use crate::plan::{Column, Kind, Plan, Role, Seed};
use crate::progress::Progress;
use crate::registry::{self, Params};
use crate::report::DryRun;
use crate::report::dry_run::{ColumnPlanned, Decided, Estimated, basis};
use crate::suppress;
use crate::usage;

/// Tables of so many rows are tried as a whole by the engine. So long its time grows as the rows do.
const SMALL: usize = 10_000;
/// Up to so many rows the engine takes no longer, because it looks less hard for what it could still gain. From there on its time grows as the rows do.
const LARGE: usize = 60_000;
/// The rows of a table between both that are tried, and those of a larger one.
const OF_MEDIUM: usize = 5_000;
const OF_LARGE: usize = 50_000;
/// The smaller of two samples for other algorithms has this part of the rows of the larger one.
const SMALLER: usize = 4;
/// How the time to form classes grows with the rows at least and at most: as the rows, or as their square.
const EXPONENTS: (f64, f64) = (1.0, 2.0);
/// Writing the release, and reading it and the original back, takes about so many times as long as reading the table.
const READINGS: f64 = 3.0;
/// The verification has its own copies of the table and of the release.
const COPIES: f64 = 2.0;

/// Checks everything about a job that can be checked without making the release: the plan, the files, the table, and whether the required privacy
/// is possible. Writes nothing.
pub fn dry_run(job: &Job, progress: Progress) -> Result<DryRun> {
    let (plan, solver) = resolve(&job.plan)?;
    let form = plan.method.form()?;
    check_form(job, form)?;
    places(job, form)?;
    let (asked, mut clock) = (plan.clone(), Clock::start());
    let data = Dataset::load_beside(&job.input, &job.tables, plan, progress)?;
    banner::refuse_identifiers(&data)?;
    solver.publisher.admits(&data.plan)?;
    let reading = clock.lap().alone();
    feasible(&data)?;
    let estimate = estimate(&data, reading, progress)?;
    let privacy = &data.plan.privacy;
    let mut models = Vec::new();
    let persons = data.plan.columns_with(Role::Person).next().is_some();
    for column in data.plan.columns_with(Role::Sensitive) {
        let asked = data.plan.models_in_words(column, persons)?;
        models.extend(asked.into_iter().map(|(words, model)| format!("{words} [{model}]")));
    }
    Ok(DryRun {
        rows: data.table.rows(),
        dropped_rows: data.dropped_rows,
        k: privacy.k,
        models,
        publish: data.plan.method.publish.to_string(),
        partitioner: data.plan.method.partitioner.to_string(),
        columns: data.plan.columns.iter().map(|(name, column)| planned(&data, &asked, name, column)).collect(),
        estimate,
        remarks: data.remarks.clone(),
    })
}

/// Fails if no release of the table can reach what is asked for, and says what is possible.
fn feasible(data: &Dataset) -> Result<()> {
    let problem = data.problem(data.plan.method.seed.unwrap_or(Seed::FIXED))?;
    let most = (data.plan.privacy.suppress * problem.rows() as f64) as usize;
    problem.feasible().or_else(|e| suppress::surplus(&problem, most).filter(|_| most > 0).map(drop).ok_or(e))
}

/// What happens to a column.
fn planned(data: &Dataset, asked: &Plan, name: &str, column: &Column) -> ColumnPlanned {
    let (domains, sensitive) = (data.encoded.domains(), data.encoded.sensitive());
    let of_quasi = domains.iter().find(|domain| domain.name() == name).map(crate::encode::Domain::len);
    let values = of_quasi.or_else(|| sensitive.iter().find(|s| s.name() == name).map(|s| s.values().len()));
    let decided = match asked.columns.get(name) {
        None if asked.others.is_some() => Decided::ByRule,
        None => Decided::Nobody,
        Some(_) if data.completed.taken.iter().any(|(taken, _)| taken == name) => Decided::KindGuessed,
        Some(_) => Decided::Named,
    };
    let kind = column.kind.filter(|_| column.role == Role::Quasi);
    let published = match (&column.publish, column.role, kind) {
        (Some(treatment), ..) => format!("replaced: {treatment}"),
        (None, Role::Quasi, _) if data.plan.method.form().is_ok_and(crate::plan::ReleaseForm::is_grouped) => {
            "as it is, in groups".to_owned()
        }
        (None, Role::Quasi, Some(Kind::Suppress)) => "the value or *".to_owned(),
        (None, Role::Quasi, Some(kind)) => format!("generalized: {}", kind.name()),
        (None, Role::Sensitive | Role::Other, _) if column.is_coded() => "numbers coded".to_owned(),
        _ if column.is_published() => "as it is".to_owned(),
        _ => "left out".to_owned(),
    };
    ColumnPlanned { name: name.to_owned(), role: column.role, kind, values, published, decided }
}

/// What a run would cost, by how long its algorithm takes for a sample.
fn estimate(data: &Dataset, reading: f64, progress: Progress) -> Result<Estimated> {
    progress.begin("estimating", 0)?;
    let (all, plan) = (data.table.rows(), &data.plan);
    let is_engine = plan.method.partitioner.name() == ENGINE;
    let most = match all {
        all if is_engine && all <= SMALL => all,
        all if is_engine && all <= LARGE => OF_MEDIUM,
        _ => most_rows(plan, OF_LARGE),
    };
    let tried = tried(data, most, progress)?;
    let (rows, forming, loss) = match &tried {
        Some((rows, trial)) if *rows == all => (all, trial.seconds, Some(trial.whole())),
        Some((rows, trial)) if is_engine => (*rows, trial.seconds * growth_of_engine(plan, *rows, all), None),
        Some((rows, trial)) => {
            let times = all as f64 / *rows as f64;
            (*rows, trial.seconds * times.powf(exponent(data, *rows, trial, progress)?), None)
        }
        None => (0, 0.0, None),
    };
    Ok(Estimated {
        seconds: reading * (1.0 + READINGS) + limit(plan).unwrap_or(forming),
        memory_bytes: usage::peak_memory_bytes().map(|bytes| (bytes as f64 * COPIES) as u64),
        loss,
        rows,
        basis: basis(rows, all),
    })
}

/// Tries so many rows. `None` if these do not reach what the table does, and for other tables, which are not sampled.
fn tried(data: &Dataset, most: usize, progress: Progress) -> Result<Option<(usize, Trial)>> {
    let sample = Sample::new(data, most)?;
    // With a time of its own, the engine would take all of it for the sample, too.
    let timed = limit(&data.plan).is_some();
    let trial = if timed { sample.quickly(|_| {}, progress) } else { sample.with(|_| {}, progress) };
    match trial {
        Ok(trial) => Ok(Some((sample.rows(), trial))),
        Err(e @ Error::Interrupted) => Err(e),
        Err(e) if sample.rows() == data.table.rows() && data.others.is_empty() => Err(e),
        Err(_) => Ok(None),
    }
}

/// How many times as long the engine takes for all rows.
fn growth_of_engine(plan: &Plan, rows: usize, all: usize) -> f64 {
    let (rows, of_rows) = (rows as f64, all as f64 / rows as f64);
    let other_effort = params(plan).is_some_and(|params| params.word("effort") != "balanced");
    match all {
        _ if other_effort => of_rows,
        all if all <= LARGE => (SMALL as f64 / rows).min(of_rows).max(1.0),
        _ => of_rows,
    }
}

/// The parameters of the engine, if the plan asks for it.
fn params(plan: &Plan) -> Option<Params> {
    let spec = &plan.method.partitioner;
    let found = (spec.name() == ENGINE).then(|| registry::find(partition::ALL, "partitioner", spec).ok());
    found.flatten().map(|(_, params)| params)
}

/// The time that the engine is given, if it is given any. It uses all of it.
fn limit(plan: &Plan) -> Option<f64> {
    params(plan).map(|params| params.number("seconds")).filter(|seconds| *seconds > 0.0)
}

/// How the time of another algorithm than the engine grows with the rows, by a smaller sample.
fn exponent(data: &Dataset, rows: usize, larger: &Trial, progress: Progress) -> Result<f64> {
    let (least, most) = EXPONENTS;
    let Some((fewer, smaller)) = tried(data, rows / SMALLER, progress)? else { return Ok(least) };
    let grown = (larger.seconds / smaller.seconds.max(1e-6)).ln() / (rows as f64 / fewer.max(1) as f64).ln();
    Ok(if grown.is_finite() { grown.clamp(least, most) } else { least })
}
