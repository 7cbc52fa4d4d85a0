//! Large-neighbourhood search, and the ways in which it clusters a neighbourhood anew.

mod bisection;
mod block;
mod exchange;
mod growing;
mod opening;
mod peeling;
mod pool;
mod search;

use rand_chacha::ChaCha8Rng;

use self::bisection::Bisection;
use self::growing::PoolGrowth;
use self::pool::{Group, Pool};
use super::Surrogate;
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;

pub(crate) use search::{Budget, halving_gains, improve};

/// Clusters the whole table by [bisection](bisection).
pub(crate) fn bisect(problem: &Problem, surrogate: &Surrogate, progress: Progress) -> Result<Partition> {
    progress.begin("partitioning", problem.rows() as u64)?;
    let rows: Vec<u32> = (0..problem.rows() as u32).collect();
    let mut pool = Pool::default();
    pool.group(problem, std::iter::once(rows.as_slice()));
    let (groups, _) = Bisection::new(problem, surrogate, &pool, bisection::table_tries(problem, surrogate), progress)
        .regroup(problem.seed)?;
    Partition::new(problem.rows(), pool.rows(&groups))
}

/// Clusters these rows by [growing](growing). Also returns the rows that no cluster can take.
pub(crate) fn grow(
    problem: &Problem,
    surrogate: &Surrogate,
    rows: &[u32],
    rng: &mut ChaCha8Rng,
    progress: Progress,
) -> Result<(Vec<Vec<u32>>, Vec<u32>)> {
    if rows.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let mut pool = Pool::default();
    pool.fill(problem, std::iter::once(rows));
    let (mut groups, unplaced) = PoolGrowth::default().regroup(problem, surrogate, &pool, rng, progress)?;
    // The rows of this last group form no cluster.
    let clusters = groups.len();
    groups.push(Group { taken: unplaced, ..Group::default() });
    let mut rows = pool.rows(&groups);
    let unplaced = rows.split_off(clusters).concat();
    Ok((rows, unplaced))
}
