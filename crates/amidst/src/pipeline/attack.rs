//! Adversaries against a release.

use arrow_array::UInt32Array;
use arrow_select::take::take;
use rustc_hash::FxHashMap;

use super::beside::mixture;
use super::dataset::Dataset;
use super::published::{Matched, release};
use super::solve::Solver;
use crate::attack::{self, Scene, World};
use crate::constraint;
use crate::error::{Error, Result};
use crate::plan::{Plan, Seed};
use crate::progress::Progress;
use crate::publish::Release;
use crate::read::{Source, Table};
use crate::registry::Spec;
use crate::report::AttackOutcome;
use crate::schema::Schema;
use crate::verify::{self, Failure, Files, Published};

/// A release to attack.
#[derive(Debug)]
pub struct AttackJob {
    /// The table it was made from.
    pub original: Source,
    /// The published file.
    pub release: Source,
    /// What it was meant to be, and what was promised.
    pub plan: Plan,
    /// The adversaries.
    pub attacks: Vec<Spec>,
}

/// Plays adversaries against a release.
pub fn attack(job: &AttackJob, progress: Progress) -> Result<AttackOutcome> {
    let plan = &job.plan;
    constraint::check_models(plan)?;
    attack::check(&job.attacks)?;
    let publish = plan.method.publish.to_string();
    if let Some(mixed) = mixture(&job.release, plan)? {
        return Ok(AttackOutcome::failed(publish, mixed));
    }
    let mut plan = plan.clone();
    let release = match release(&job.release, &mut plan, progress)? {
        Ok(release) => release,
        Err(failure) => return Ok(AttackOutcome::failed(publish, failure)),
    };
    let matched = Matched::load(&job.original, plan, &release, progress)?;
    let view = matched.view(&release, matched.data.plan.privacy.k)?;
    let data = &matched.data;
    let Dataset { table, schema, plan, .. } = data;
    let again = |world: World, seed: Seed, progress: Progress| match world {
        World::Original => again(data, seed, progress),
        world => again(&data.instead(changed(table, schema, world)?, progress)?, seed, progress),
    };
    // The persons of a release with other tables are clustered by these, too.
    let ours = plan.amidst.is_some() && plan.tables.is_empty();
    let scene = Scene { view: &view, release: &release, original: table, schema, plan, rerun: ours.then_some(&again) };
    let findings = attack::play(&scene, &job.attacks, progress)?;
    Ok(AttackOutcome { rows: release.table.rows(), publish, findings, failures: Vec::new() })
}

/// The table as it is in another world.
fn changed(table: &Table, schema: &Schema, world: World) -> Result<Table> {
    let mut from: Vec<u32> = (0..table.rows() as u32).collect();
    let names: Vec<&str> = match world {
        World::Original => Vec::new(),
        World::Exchanged(one, other) => {
            from.swap(one as usize, other as usize);
            schema.sensitive.iter().map(|column| column.name.as_str()).collect()
        }
        World::Other { row, column, like } => {
            from[row as usize] = like;
            vec![schema.quasi[column].name.as_str()]
        }
    };
    let from = UInt32Array::from(from);
    let mut columns = Vec::new();
    for name in table.names() {
        let column = table.column(name)?;
        let column = if names.contains(&name) {
            take(column, &from, None).map_err(|e| Error::internal(name, &e))?
        } else {
            column.clone()
        };
        columns.push((name.to_owned(), column));
    }
    Table::new(table.name(), columns)
}

/// What a plan makes of a table by a seed, as it would be read back; `None` where that is no release.
fn again(data: &Dataset, seed: Seed, progress: Progress) -> Result<Option<Published>> {
    let made = || {
        let (mut plan, solver) = (data.plan.clone(), Solver::new(&data.plan)?);
        let problem = data.problem(seed)?;
        let partition = solver.cluster(&mut plan, (&data.schema, &data.beside), &problem, progress)?;
        let release = solver.form(data, &problem, &partition)?;
        verify::published(&files(data.table.name(), release)?, &plan)
    };
    match made() {
        Ok(published) => Ok(published.map_err(|Failure(_)| ()).ok()),
        Err(e) if e.is_infeasible() => Ok(None),
        Err(e) => Err(e),
    }
}

/// The tables of a release as if they had been read.
fn files(name: &str, release: Release) -> Result<Files> {
    let (mut main, mut beside) = (None, FxHashMap::default());
    for part in release.tables {
        let names = part.table.schema_ref().fields().iter().map(|field| field.name().clone());
        let table = Table::new(name, names.zip(part.table.columns().iter().cloned()).collect())?;
        match part.name {
            Some(part) => drop(beside.insert(part, table)),
            None => main = Some(table),
        }
    }
    let main = main.ok_or_else(|| Error::Internal("there is nothing to verify".to_owned()))?;
    Ok(Files { main, beside })
}
