//! Pools: a few neighbouring clusters at a time, poured together and clustered anew. The search of the engine, after any partitioner.

mod exchange;
mod growing;
mod guide;
mod opening;
mod pool;
mod search;

use rand_chacha::ChaCha8Rng;

use self::growing::Growing;
use self::pool::{Group, Pool};
use super::{Build, Refiner};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(crate) use guide::Guide;
pub(crate) use search::{Budget, improve};

/// Clusters these rows by [growing](growing). Gives, too, those that find no cluster that holds with them.
pub(crate) fn grow(
    problem: &Problem,
    guide: &Guide,
    rows: &[u32],
    rng: &mut ChaCha8Rng,
    progress: Progress,
) -> Result<(Vec<Vec<u32>>, Vec<u32>)> {
    if rows.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let mut pool = Pool::default();
    pool.fill(problem, std::iter::once(rows));
    let (mut groups, unplaced) = Growing::default().regroup(problem, guide, &pool, rng, progress)?;
    // The last group is no cluster.
    let clusters = groups.len();
    groups.push(Group { taken: unplaced, ..Group::default() });
    let mut rows = pool.rows(&groups);
    let unplaced = rows.split_off(clusters).concat();
    Ok((rows, unplaced))
}

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "pools",
    about: "pours a few neighbouring clusters together and clusters them anew where that costs less; time n per round",
    paper: "ours; Pisinger and Ropke, Computers and Operations Research 2007",
    params: &[Param {
        name: "rounds",
        about: "how often; ends sooner when hardly anything is gained",
        range: Range::Integer(1, u64::MAX),
        default: Some(Value::Integer(60)),
    }],
    build: |params| Box::new(Pools { rounds: params.integer("rounds") }),
};

struct Pools {
    rounds: u64,
}

impl Refiner for Pools {
    fn refine(&self, problem: &Problem, partition: Partition, progress: Progress) -> Result<Partition> {
        let budget = Budget { rounds: self.rounds, least_gain: 2e-5, patience: 20, until: None };
        Ok(improve(problem, &Guide::new(problem)?, partition, budget, progress)?.0)
    }
}
