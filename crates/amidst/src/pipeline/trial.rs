//! What a table would lose by another plan, tried on some of its rows.
//!
//! Advice, explanations and estimates need to know what would happen if something were different. Nobody waits for a whole run to learn that, so
//! these are runs of the same algorithm on a sample, the engine with little effort. A sample loses more than the table it is taken from, because
//! its records lie farther apart. So two trials are only compared with each other.

use std::sync::Arc;

use arrow_array::BooleanArray;
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha12Rng;

use super::clock::Clock;
use super::dataset::Dataset;
use super::solve::Solver;
use crate::encode::{Domain, Encoded};
use crate::error::Result;
use crate::measure::{self, View};
use crate::plan::{Column, Plan, Role, Seed, Spec};
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::read::Table;
use crate::schema::Schema;

/// The algorithm whose effort can be chosen.
pub(super) const ENGINE: &str = "engine";

/// The most rows that an algorithm is tried on. Some of those that are not the engine compare all pairs of records.
pub(super) fn most_rows(plan: &Plan, of_engine: usize) -> usize {
    const OF_OTHERS: usize = 2_000;
    if plan.method.partitioner.name() == ENGINE { of_engine } else { of_engine.min(OF_OTHERS) }
}

/// Some rows of a table, with its plan.
pub(super) struct Sample {
    plan: Plan,
    table: Table,
    seed: Seed,
}

/// What a trial found.
pub(super) struct Trial {
    /// The quasi-identifiers, each with its weight and its loss by LM.
    columns: Vec<(String, f64, f64)>,
    /// How long forming the classes takes on a machine that does nothing else, in seconds.
    pub seconds: f64,
}

impl Trial {
    /// The loss of a column, if it is a quasi-identifier.
    pub(super) fn of(&self, name: &str) -> Option<f64> {
        self.columns.iter().find(|(column, ..)| column == name).map(|(_, _, loss)| *loss)
    }

    /// The loss of all columns.
    pub(super) fn whole(&self) -> f64 {
        mean(self.columns.iter().map(|(_, weight, loss)| (*weight, *loss)))
    }

    /// The loss of all columns but this one.
    pub(super) fn others(&self, name: &str) -> f64 {
        let others = self.columns.iter().filter(|(column, ..)| column != name);
        mean(others.map(|(_, weight, loss)| (*weight, *loss)))
    }
}

/// The mean of losses by their weights.
pub(super) fn mean(losses: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (weights, sum) = losses.fold((0.0, 0.0), |(w, s), (weight, loss)| (w + weight, s + weight * loss));
    if weights > 0.0 { sum / weights } else { 0.0 }
}

impl Sample {
    /// So many rows of a table, drawn at random; all of it if it has no more. Rows of one person stay together.
    pub(super) fn new(data: &Dataset, most: usize) -> Result<Self> {
        let Dataset { plan, table, encoded, .. } = data;
        let seed = Seed::FIXED;
        let mut rng = ChaCha12Rng::seed_from_u64(seed.0);
        let table = if table.rows() <= most {
            table.clone()
        } else {
            let mut keep = vec![false; table.rows()];
            match encoded.persons() {
                None => sample(&mut rng, table.rows(), most).into_iter().for_each(|row| keep[row] = true),
                Some(persons) => {
                    let share = most as f64 / table.rows() as f64;
                    let some = ((persons.count() as f64 * share).ceil() as usize).clamp(1, persons.count());
                    let mut chosen = vec![false; persons.count()];
                    sample(&mut rng, persons.count(), some).into_iter().for_each(|person| chosen[person] = true);
                    (0_u32..).zip(&mut keep).for_each(|(row, keep)| *keep = chosen[persons.person(row) as usize]);
                }
            }
            table.filter(&BooleanArray::from(keep))?
        };
        Ok(Sample { plan: plan.clone(), table, seed })
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.table.rows()
    }

    /// What the rows lose by a plan that is changed like this, with little effort.
    pub(super) fn quickly(&self, change: impl FnOnce(&mut Plan), progress: Progress) -> Result<Trial> {
        let by_effort = |plan: &mut Plan| {
            change(plan);
            quickened(plan);
        };
        self.with(by_effort, progress)
    }

    /// What the rows lose by a plan that is changed like this.
    pub(super) fn with(&self, change: impl FnOnce(&mut Plan), progress: Progress) -> Result<Trial> {
        let (encoded, partition, plan, seconds) = self.solve(change, progress)?;
        let view = View::of(&encoded, &partition, plan.privacy.k);
        let losses = measure::loss_by_column(&view)?.unwrap_or_default();
        let column = |(domain, loss): (&Domain, f64)| (domain.name().to_owned(), domain.weight(), loss);
        let columns = encoded.domains().iter().zip(losses).map(column).collect();
        Ok(Trial { columns, seconds })
    }

    fn solve(
        &self,
        change: impl FnOnce(&mut Plan),
        progress: Progress,
    ) -> Result<(Arc<Encoded>, Partition, Plan, f64)> {
        let mut plan = self.plan.clone();
        change(&mut plan);
        let gone = |name: &&str| {
            plan.columns.get(*name).is_some_and(|column| !column.is_published() && column.role == Role::Identifier)
        };
        let gone: Vec<String> = self.table.names().filter(gone).map(str::to_owned).collect();
        let table = self.table.without(&gone)?;
        let schema = Schema::new(&plan, &table)?;
        let encoded = Arc::new(Encoded::new(&table, &schema, &plan.input.missing, progress)?);
        let problem = Problem::of(&plan, encoded.clone(), self.seed.0)?;
        let solver = Solver::new(&plan)?;
        let mut clock = Clock::start();
        let partition = solver.cluster(&mut plan, (&schema, &Arc::default()), &problem, progress)?;
        Ok((encoded, partition, plan, clock.lap().alone()))
    }
}

/// Some rows of a table as classes of their own by another k, with little effort: how many there are, and what they lose by LM. Widths are shares
/// of what the whole table has.
pub(super) fn split(data: &Dataset, rows: &[u32], k: usize, progress: Progress) -> Result<(usize, f64)> {
    let mut plan = data.plan.clone();
    plan.privacy.k = k;
    quickened(&mut plan);
    let encoded = Arc::new(data.encoded.select(rows));
    let problem = Problem::of(&plan, encoded.clone(), Seed::FIXED.0)?;
    let partition = Solver::new(&plan)?.cluster(&mut plan, (&data.schema, &Arc::default()), &problem, progress)?;
    let losses = measure::loss_by_column(&View::of(&encoded, &partition, k))?.unwrap_or_default();
    Ok((partition.len(), mean(encoded.domains().iter().map(Domain::weight).zip(losses))))
}

/// Makes a plan one for a quick run.
fn quickened(plan: &mut Plan) {
    plan.method.refine.clear();
    if plan.method.partitioner.name() == ENGINE {
        plan.method.partitioner = Spec::new(format!("{ENGINE}(effort=fast)"));
    }
}

/// Leaves a column out of a plan.
pub(super) fn leave_out(plan: &mut Plan, name: &str) {
    plan.columns.insert(name.to_owned(), Column::with_role(Role::Identifier));
}
