//! A run that writes nothing: what a release would be, and about what it would cost.

use std::time::Instant;

use super::Job;
use super::anonymize::resolve;
use super::banner;
use super::dataset::Dataset;
use super::places::{check_form, places};
use super::trial::{ENGINE, Sample, Trial, most_rows};
use crate::error::{Error, Result};
use crate::plan::{Column, Kind, Plan, Role, Seed};
use crate::progress::Progress;
use crate::report::DryRun;
use crate::report::dry_run::{ColumnPlanned, Decided, Estimated, basis};
use crate::suppress;
use crate::usage;

/// The fewest rows that are tried, if there are so many.
const LEAST_ROWS: usize = 1_000;
/// The most rows that are tried.
const MOST_ROWS: usize = 20_000;
/// Each sample is so many times as large as the one before.
const LARGER: usize = 3;
/// A trial that lasts so many seconds tells how long the whole will last.
const LONG_ENOUGH: f64 = 0.3;
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
    let (asked, begun) = (plan.clone(), Instant::now());
    let data = Dataset::load_beside(&job.input, &job.tables, plan, progress)?;
    banner::refuse_identifiers(&data)?;
    solver.publisher.admits(&data.plan)?;
    let reading = begun.elapsed().as_secs_f64();
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
        _ if column.is_published() => "as it is".to_owned(),
        _ => "left out".to_owned(),
    };
    ColumnPlanned { name: name.to_owned(), role: column.role, kind, values, published, decided }
}

/// What a run would cost, by how long its algorithm takes for a sample. The sample grows until the time can be measured.
fn estimate(data: &Dataset, reading: f64, progress: Progress) -> Result<Estimated> {
    progress.begin("estimating", 0)?;
    let (all, most) = (data.table.rows(), most_rows(&data.plan, MOST_ROWS));
    let mut tries: Vec<(usize, Trial)> = Vec::new();
    let mut rows = LEAST_ROWS.min(most);
    loop {
        let sample = Sample::new(data, rows)?;
        match sample.with(|_| {}, progress) {
            Ok(trial) => tries.push((sample.rows(), trial)),
            Err(e @ Error::Interrupted) => return Err(e),
            Err(e) if sample.rows() == all && data.others.is_empty() => return Err(e),
            Err(_) => {} // a sample may lack what the table has, and other tables are not sampled at all
        }
        let long = tries.last().is_some_and(|(_, trial)| trial.seconds >= LONG_ENOUGH);
        if long || rows >= most.min(all) {
            break;
        }
        rows = (rows * LARGER).min(most);
    }
    let exponent = exponent(&data.plan, &tries);
    let (rows, forming, loss) = match tries.last() {
        Some((rows, trial)) => {
            let times = (all as f64 / *rows as f64).powf(exponent);
            (*rows, limit(&data.plan).unwrap_or(trial.seconds * times), (*rows == all).then(|| trial.whole()))
        }
        None => (0, limit(&data.plan).unwrap_or(0.0), None),
    };
    Ok(Estimated {
        seconds: reading * (1.0 + READINGS) + forming,
        memory_bytes: usage::peak_memory_bytes().map(|bytes| (bytes as f64 * COPIES) as u64),
        loss,
        rows,
        basis: basis(rows, all),
    })
}

/// The time that the engine is given, if it is given any. It uses all of it.
fn limit(plan: &Plan) -> Option<f64> {
    let text = plan.method.partitioner.as_str().split_once("seconds=")?.1;
    text.split([',', ')']).next()?.trim().parse().ok()
}

/// How the time grows with the rows. That of the engine grows as the rows do, that of others as the two largest samples say.
fn exponent(plan: &Plan, tries: &[(usize, Trial)]) -> f64 {
    let (least, most) = EXPONENTS;
    let [.., (fewer, short), (more, long)] = tries else { return least };
    if plan.method.partitioner.name() == ENGINE {
        return least;
    }
    let grown = (long.seconds / short.seconds.max(1e-6)).ln() / (*more as f64 / *fewer as f64).ln();
    if grown.is_finite() { grown.clamp(least, most) } else { least }
}
