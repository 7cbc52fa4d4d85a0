//! From a problem to a partition by the algorithms that a plan names, and from there to the tables of a release.

use std::sync::Arc;

use super::classes;
use super::dataset::Dataset;
use crate::encode::{Beside, Merged};
use crate::error::{Error, Remedy, Result, Setting};
use crate::partition::{self, Partitioner};
use crate::plan::Plan;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::publish::{self, Original, Publisher, Release};
use crate::refine::{self, Refiner};
use crate::schema::Schema;
use crate::suppress;

/// Said where a partitioner was to leave out records in its own way and did not.
const NOT_WITHOUT: &str = "no record was left out: without those that the algorithm would leave out, the others do not reach what is asked for";

/// The algorithms that a plan names.
pub(super) struct Solver {
    partitioner: Box<dyn Partitioner>,
    refiners: Vec<Box<dyn Refiner>>,
    pub publisher: Box<dyn Publisher>,
}

impl Solver {
    /// Refuses names, parameters and combinations that do not exist.
    pub(super) fn new(plan: &Plan) -> Result<Self> {
        let refiners: Vec<_> = plan.method.refine.iter().map(refine::build).collect::<Result<_>>()?;
        let partitioner = partition::build(&plan.method.partitioner)?;
        if plan.privacy.suppress == 0.0 && partitioner.needs_suppression() {
            let message = "it leaves out records, but the plan allows none to be left out";
            let some = Remedy::by("allow some", Setting::Suppress(0.02));
            return Err(Error::parameter(plan.method.partitioner.as_str(), message).or([some]));
        }
        let refuse = |message: &str| Err(Error::parameter(plan.method.partitioner.as_str(), message));
        if partitioner.recodes() && !refiners.is_empty() {
            return refuse("it publishes each column at one level, which no refiner keeps; drop `refine`");
        }
        if partitioner.recodes() && plan.linked().is_some() {
            return refuse(
                "it publishes each column at one level, and pseudonyms link the rows of a person, which must have the same cells; \
                 drop the pseudonyms, or choose another partitioner",
            );
        }
        Ok(Solver { partitioner, refiners, publisher: publish::build(&plan.method.publish)? })
    }

    /// Clusters the rows, and leaves some out where the plan allows it: in the partitioner's own way, if it was asked for that, else
    /// where that loses less. Where the clock ended the search, the plan is made to say how to do the same again.
    ///
    /// If the table says whose its rows are, rows of a person that nothing tells apart are one record for the algorithms. If the rows of a
    /// person can be linked in the release, all of them are.
    pub(super) fn cluster(
        &self,
        plan: &mut Plan,
        (schema, beside): (&Schema, &Arc<Vec<Beside>>),
        problem: &Problem,
        progress: Progress,
    ) -> Result<Partition> {
        let most = (plan.privacy.suppress * problem.rows() as f64) as usize;
        let merged = match plan.linked() {
            Some(_) => Merged::whole(&problem.encoded, beside),
            None => Merged::new(&problem.encoded, problem.watches()),
        };
        let Some(merged) = merged else {
            return self.cluster_records(plan, schema, problem, most, progress);
        };
        let records = Problem::of(plan, merged.encoded.clone(), problem.seed)?;
        let partition = self.cluster_records(plan, schema, &records, most, progress)?;
        let partition = partition.expanded(problem.rows(), |records| merged.rows(records))?;
        if partition.suppressed().is_empty() {
            return self.hold(schema, problem, partition, progress);
        }
        let hold = |kept: &[u32], own| self.hold(schema, &part(plan, problem, kept)?, own, progress);
        suppress::keeping(problem, &partition, hold)
    }

    /// Makes sure that all classes satisfy the constraints as they will look. Where persons have several records, there may be no such
    /// classes, or none that was found.
    fn hold(&self, schema: &Schema, problem: &Problem, partition: Partition, progress: Progress) -> Result<Partition> {
        let maker = partition.maker().cloned();
        let partition = classes::hold(problem, schema, &*self.publisher, partition, progress)?;
        let broken = partition.clusters().filter(|rows| !problem.hold(rows)).count();
        if broken > 0 {
            return Err(Error::Infeasible(format!(
                "no classes were found that satisfy the privacy models: {broken} of {} do not, because their persons have too many \
                 of the same values; ask for less, allow that records are left out, or keep fewer rows for each person",
                partition.len()
            )));
        }
        Ok(match maker {
            Some(maker) => partition.made_by(maker),
            None => partition,
        })
    }

    fn cluster_records(
        &self,
        plan: &mut Plan,
        schema: &Schema,
        problem: &Problem,
        most: usize,
        progress: Progress,
    ) -> Result<Partition> {
        if let Err(e) = problem.feasible() {
            let surplus = suppress::surplus(problem, most).filter(|_| most > 0).ok_or(e)?;
            let again = |kept: &[u32]| self.solve(&*self.partitioner, schema, &part(plan, problem, kept)?, progress);
            let partition = suppress::without(problem, surplus, again)?;
            made_by(plan, &partition);
            return Ok(partition);
        }
        if most > 0 && self.partitioner.suppresses() {
            if let Ok(partition) = self.leave_out(plan, schema, problem, most, progress) {
                return Ok(partition);
            }
            progress.advance(0)?; // it may have been interrupted
            let partition = self.solve(&*self.partitioner, schema, problem, progress)?;
            return Ok(partition.remarked([NOT_WITHOUT.to_owned()]));
        }
        let partition = self.solve(&*self.partitioner, schema, problem, progress)?;
        made_by(plan, &partition);
        if most == 0 {
            return Ok(partition);
        }
        let partitioner = partition::build(&plan.method.partitioner)?;
        let again = |kept: &[u32]| self.solve(&*partitioner, schema, &part(plan, problem, kept)?, progress);
        suppress::suppress(problem, partition, most, again, progress)
    }

    /// Leaves out records in the partitioner's own way. Fails where the others do not reach what is asked for.
    fn leave_out(
        &self,
        plan: &Plan,
        schema: &Schema,
        problem: &Problem,
        most: usize,
        progress: Progress,
    ) -> Result<Partition> {
        let mut own = self.partitioner.suppressing(problem, most, progress)?;
        if self.partitioner.recodes() {
            own = without_broken(plan, problem, own)?;
        }
        if problem.weight(own.suppressed()) > most {
            return Err(Error::Infeasible("more rows would be left out than the plan allows".to_owned()));
        }
        suppress::keeping(problem, &own, |kept, own| {
            let part = part(plan, problem, kept)?;
            self.refine(schema, &part, partition::mended(&part, own, progress)?, progress)
        })
    }

    fn solve(
        &self,
        partitioner: &dyn Partitioner,
        schema: &Schema,
        problem: &Problem,
        progress: Progress,
    ) -> Result<Partition> {
        self.refine(schema, problem, partitioner.partition(problem, progress)?, progress)
    }

    fn refine(
        &self,
        schema: &Schema,
        problem: &Problem,
        mut partition: Partition,
        progress: Progress,
    ) -> Result<Partition> {
        let (maker, remarks) = (partition.maker().cloned(), partition.remarks().to_vec());
        for refiner in &self.refiners {
            partition = refiner.refine(problem, partition, progress)?;
        }
        let mut partition = if self.refiners.is_empty() { partition } else { partition.remarked(remarks) };
        if !problem.encoded.is_whole() {
            // Whole persons are judged by their rows, which alone have the columns of the release.
            partition = classes::hold(problem, schema, &*self.publisher, partition, progress)?;
        }
        Ok(match maker {
            Some(maker) => partition.made_by(maker),
            None => partition,
        })
    }

    /// The row of the table that each published row comes from.
    pub(super) fn order(data: &Dataset, problem: &Problem, partition: &Partition) -> Result<Vec<u32>> {
        let mut order = publish::row_order(&data.table, &data.schema, data.plan.method.order, problem.seed)?;
        order.retain(|row| partition.suppressed().binary_search(row).is_err());
        Ok(order)
    }

    /// The release of a partition in the form that the plan asks for.
    pub(super) fn form(&self, data: &Dataset, problem: &Problem, partition: &Partition) -> Result<Release> {
        let Dataset { plan, table, schema, .. } = data;
        let order = Solver::order(data, problem, partition)?;
        let replaced = publish::replaced(table, plan, &data.encoded)?;
        self.publisher.publish(&Original { table, schema, order: &order, replaced: &replaced }, problem, partition)
    }
}

/// The same problem for some of the rows.
fn part(plan: &Plan, problem: &Problem, kept: &[u32]) -> Result<Problem> {
    let part = Problem::of(plan, Arc::new(problem.encoded.select(kept)), problem.seed)?;
    part.feasible()?;
    Ok(part)
}

/// Leaves out whole clusters that break a model once the others are gone. To mend them would give their records other levels.
fn without_broken(plan: &Plan, problem: &Problem, mut partition: Partition) -> Result<Partition> {
    while problem.guarded() && !partition.suppressed().is_empty() {
        let mut left_out = partition.suppressed().to_vec();
        left_out.sort_unstable();
        let kept: Vec<u32> = (0..problem.rows() as u32).filter(|row| left_out.binary_search(row).is_err()).collect();
        let part = part(plan, problem, &kept)?;
        let place = |row: &u32| kept.partition_point(|other| other < row) as u32;
        let holds = |rows: &&[u32]| part.hold(&rows.iter().map(place).collect::<Vec<u32>>());
        let (held, broken): (Vec<&[u32]>, Vec<&[u32]>) = partition.clusters().partition(holds);
        if broken.is_empty() {
            break;
        }
        left_out.extend(broken.concat());
        let fewer = Partition::suppressing(problem.rows(), held, left_out)?.remarked(partition.remarks().to_vec());
        partition = fewer.like(&partition);
    }
    Ok(partition)
}

fn made_by(plan: &mut Plan, partition: &Partition) {
    if let Some(maker) = partition.maker() {
        plan.method.partitioner = maker.clone();
    }
}
