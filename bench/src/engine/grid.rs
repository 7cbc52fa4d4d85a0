//! Holds the engine against every other partitioner, over tables, numbers of columns, kinds, k, models and measures.
//!
//! A default must never be the second best, so each line names who loses less than the engine and how long that took.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use amidst::Result;
use amidst::internals::encode::Encoded;
use amidst::internals::partition;
use amidst::internals::problem::Problem;
use amidst::internals::read::Table;
use amidst::internals::registry::Spec;
use amidst::internals::schema::{Schema, guess};
use amidst::plan::{Kind, Plan, Tree};
use amidst::progress::Progress;

use super::Bench;
use super::runs::Runner;
use crate::{data, score};

mod cases;
mod made_up;

use self::cases::{CASES, Case, Rows};

/// What stands for a missing value in the tables.
const MISSING: [&str; 2] = ["", "?"];
/// How much less somebody else may lose, as a share of the engine's loss.
const MARGIN: f64 = 0.005;

/// Runs the cases and prints what beats the engine. Fails where something does.
pub(super) fn run(bench: &Bench) -> Result<(), Box<dyn Error>> {
    println!("\nEvery partitioner against {}, which may lose {MARGIN} more", bench.balanced.name);
    println!("{:<44} {:>7} {:>4} {:>6}  {:<16} best of the others", "case", "rows", "cols", "k", "engine: loss, cpu");
    let others = others(&bench.args.against)?;
    // One table at a time, because some are large.
    let mut read: Option<(&str, Table)> = None;
    let (mut compared, mut beaten) = (0, 0);
    let asked = |case: &&Case| bench.args.cases.iter().any(|part| case.name.contains(part.as_str()));
    for case in CASES.iter().filter(|case| bench.args.cases.is_empty() || asked(case)) {
        if read.as_ref().is_none_or(|(file, _)| *file != case.file) {
            let Some(table) = table(case.file, bench.args.data.as_deref())? else {
                println!("{:<44} skipped: give --data a folder that has {}", case.name, case.file);
                continue;
            };
            read = Some((case.file, table));
        }
        let Some((_, table)) = &read else { continue };
        let (plan, encoded) = prepare(case, table)?;
        for k in case.k.iter().copied().filter(|k| bench.args.k.is_empty() || bench.args.k.contains(k)) {
            let mut plan = plan.clone();
            plan.privacy.k = k;
            let problem = |seed| Problem::of(&plan, encoded.clone(), seed);
            let problems: Vec<Problem> = (0..bench.runs.seeds).map(problem).collect::<Result<_>>()?;
            let Some(worse) = line(bench, case, &problems, k, &others)? else { continue };
            compared += 1;
            beaten += usize::from(worse);
        }
    }
    println!("{beaten} of {compared} cases where something loses less than the engine by more than {MARGIN}");
    Ok(())
}

/// Runs one case with every seed and prints its line: means over the seeds. Returns whether the engine was beaten; `None`
/// where it took too long.
fn line(bench: &Bench, case: &Case, problems: &[Problem], k: usize, others: &[Runner]) -> Result<Option<bool>> {
    let run = |runner: &Runner| -> Result<Option<(f64, f64)>> {
        let (mut loss, mut cpu) = (0.0, 0.0);
        for problem in problems {
            let run = bench.pool.install(|| score::once(&*runner.partitioner, problem, bench.runs.limit));
            // What does not fit a case says so.
            let Ok(run) = run else { return Ok(None) };
            let Some(partition) = run.partition else { return Ok(None) };
            loss += problem.loss(&partition);
            cpu += run.cpu;
        }
        let seeds = problems.len() as f64;
        Ok(Some((loss / seeds, cpu / seeds)))
    };
    let problem = &problems[0];
    let columns = problem.encoded.domains().len();
    let start = format!("{:<44} {:>7} {columns:>4} {k:>6}", case.name, problem.rows());
    let Some((loss, cpu)) = run(&bench.balanced)? else {
        println!("{start}  not within the limit");
        return Ok(None);
    };
    let mut found: Vec<(f64, f64, &str)> = Vec::new();
    for other in others {
        if let Some((loss, cpu)) = run(other)? {
            found.push((loss, cpu, &other.name));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let beats = |other: f64| other < loss - MARGIN * loss.abs();
    let tell = |(loss, cpu, name): &(f64, f64, &str)| format!("{name} {loss:.4} {cpu:.2}");
    let best = found.first().map_or_else(String::new, tell);
    let worse: Vec<String> = found.iter().filter(|(loss, ..)| beats(*loss)).map(tell).collect();
    let verdict = if worse.is_empty() { best } else { format!("BEATEN by {}", worse.join(", ")) };
    println!("{start}  {loss:.4} {cpu:<8.2}  {verdict}");
    Ok(Some(!worse.is_empty()))
}

/// The partitioners that the engine is held against: these, or all in the list.
fn others(asked: &[Spec]) -> Result<Vec<Runner>> {
    let all = || partition::ALL.iter().map(|entry| entry.name).filter(|name| !["engine", "anatomy"].contains(name));
    let specs: Vec<Spec> = if asked.is_empty() { all().map(Spec::new).collect() } else { asked.to_vec() };
    specs.iter().map(Runner::of).collect()
}

/// The table of this name; `None` where it is not at hand.
fn table(file: &str, brought: Option<&Path>) -> Result<Option<Table>> {
    if file.starts_with("made up") {
        return made_up::table(file).map(Some);
    }
    let bundled = data::root().join("data");
    let mut places = [Some(bundled.as_path()), brought].into_iter().flatten().map(|folder| folder.join(file));
    places.find(|path| path.is_file()).map(|path| data::read(&path)).transpose()
}

/// The plan of a case and its records.
fn prepare(case: &Case, table: &Table) -> Result<(Plan, Arc<Encoded>)> {
    let table = match case.rows {
        Rows::All => table.clone(),
        Rows::First(rows) => data::head(table, rows)?,
        Rows::Sample(rows) => data::sample(table, rows)?,
    };
    let mut plan = Plan::new(2).measure(case.measure);
    plan.input.missing = MISSING.map(str::to_owned).to_vec();
    let all: Vec<String> = table.names().map(str::to_owned).collect();
    let named = |names: &'static str| names.split_whitespace();
    let mut columns: Vec<String> = named(case.quasi).map(str::to_owned).collect();
    if let ["first", number] = columns.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        let number = number.parse().unwrap_or(all.len());
        let sensitive = |name: &&String| case.sensitive != name.as_str();
        columns = all.iter().filter(sensitive).take(number).cloned().collect();
    }
    for column in &columns {
        let (name, kind) = column.split_once(':').unwrap_or((column, ""));
        plan = plan.quasi(name);
        plan = match kind {
            "range" => plan.kind(name, Kind::Range),
            "set" => plan.kind(name, Kind::Set),
            "suppress" => plan.kind(name, Kind::Suppress),
            "tree" => plan.hierarchy(name, Tree::File(data::root().join(format!("data/adult/hierarchies/{name}.csv")))),
            _ => plan,
        };
    }
    if !case.sensitive.is_empty() {
        plan = plan.sensitive(case.sensitive);
    }
    plan = named(case.require).fold(plan, |plan, model| plan.require(Spec::new(model)));
    guess::complete(&mut plan, &table)?;
    let schema = Schema::new(&plan, &table)?;
    let encoded = Encoded::new(&table, &schema, &plan.input.missing, Progress::silent())?;
    Ok((plan, Arc::new(encoded)))
}
