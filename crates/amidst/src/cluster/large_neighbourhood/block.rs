//! A block of neighbouring clusters: its steps, each of which clusters the records of a few of them anew.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::bisection::{Bisection, FEW_TRIES};
use super::exchange::exchange;
use super::growing::PoolGrowth;
use super::opening::Opening;
use super::peeling::Peeling;
use super::pool::{Pool, total};
use super::search::{Member, NeighbourhoodSearch, Tally, WAYS, Way};
use crate::encode::Span;
use crate::error::Result;
use crate::progress::Progress;

/// The work of a round for each record, in about nanoseconds, with up to eight columns. It grows with the columns, up to 32.
const ROUND_WORK_PER_RECORD: u64 = 500;
const COLUMNS_OF_ROUND: (usize, usize) = (8, 32);
/// The largest number of different records of a pool, because growing takes the square of that number.
const MAX_POOL_ITEMS: usize = 5000;

/// The state of the ways, kept from pool to pool to save allocations.
#[derive(Default)]
pub(super) struct Tools {
    pool: Pool,
    growing: PoolGrowth,
    opening: Opening,
    near: Vec<(f32, u32)>,
}

/// A block of neighbouring clusters.
pub(super) struct Block<'a> {
    search: &'a NeighbourhoodSearch<'a>,
    pub(super) members: Vec<Member>,
    /// For each column, the spans of the members.
    spans: Vec<Vec<Span>>,
    sums: Vec<f32>,
    /// What the records of each member pay together by the surrogate.
    weights: Vec<f64>,
    pub(super) tallies: [Tally; WAYS.len()],
    rng: ChaCha8Rng,
}

impl<'a> Block<'a> {
    pub(super) fn new(search: &'a NeighbourhoodSearch<'a>, members: Vec<Member>, rng: ChaCha8Rng) -> Self {
        let spans = (0..search.surrogate.columns()).map(|_| Vec::with_capacity(members.len())).collect();
        let (sums, weights) = (Vec::new(), Vec::with_capacity(members.len()));
        let mut block = Block {
            search,
            members: Vec::with_capacity(members.len()),
            spans,
            sums,
            weights,
            tallies: Default::default(),
            rng,
        };
        members.into_iter().for_each(|member| block.push(member));
        block
    }

    fn push(&mut self, member: Member) {
        self.spans.iter_mut().zip(&member.spans).for_each(|(spans, span)| spans.push(*span));
        self.weights.push(f64::from(member.each) * member.rows.len() as f64);
        self.members.push(member);
    }

    pub(super) fn work(&mut self, weights: &[f64; WAYS.len()], share: f64, tools: &mut Tools) -> Result<()> {
        let records: usize = self.members.iter().map(|member| member.rows.len()).sum();
        let columns = self.search.surrogate.varying().len().clamp(COLUMNS_OF_ROUND.0, COLUMNS_OF_ROUND.1);
        let work = records as u64 * ROUND_WORK_PER_RECORD * columns as u64 / COLUMNS_OF_ROUND.0 as u64;
        let mut left = (work as f64 * share) as u64;
        while self.members.len() > 1 {
            let way = roulette(weights, &mut self.rng);
            let (gain, work) = self.step(WAYS[way], tools);
            self.tallies[way].add(Tally { gain, work: work as f64, steps: 1.0 });
            if left <= work {
                break;
            }
            left -= work;
            self.search.progress.advance(0)?;
        }
        Ok(())
    }

    /// Pours some clusters together and clusters them anew. Returns the gain and the work.
    fn step(&mut self, (way, clusters): (Way, usize), tools: &mut Tools) -> (f64, u64) {
        let NeighbourhoodSearch { problem, surrogate, .. } = *self.search;
        // A cluster is picked more often the more it costs.
        let seed = roulette(&self.weights, &mut self.rng);
        let chosen = self.near(seed, clusters, &mut tools.near);
        let scan = (self.members.len() * (surrogate.varying().len() + 10)) as u64;
        let (rows, work) = match way {
            Way::Exchange => {
                let [a, b] = [0, 1].map(|side| self.members[chosen[side]].rows.as_slice());
                let (rows, work) = exchange(problem, surrogate, [a, b]);
                (rows.map(Vec::from), work)
            }
            Way::Bisection => self.halve_again(&chosen, tools),
            Way::Peeling => self.peel(&chosen, tools),
            Way::PoolGrowth | Way::Opening => self.pour(way, &chosen, tools),
        };
        let work = work + scan;
        let Some(rows) = rows else { return (0.0, work) };
        let old: f64 = chosen.iter().map(|member| self.members[*member].cost).sum();
        let new: Vec<Member> = rows.into_iter().filter_map(|rows| Member::new(problem, surrogate, rows)).collect();
        let cost: f64 = new.iter().map(|member| member.cost).sum();
        let holds = |member: &Member| problem.hold(&member.rows);
        // The gain must be more than rounding.
        if cost >= old - 1e-9 * old.abs() || !new.iter().all(holds) {
            return (0.0, work);
        }
        for member in chosen.iter().rev() {
            self.members.swap_remove(*member);
            self.weights.swap_remove(*member);
            for spans in &mut self.spans {
                spans.swap_remove(*member);
            }
        }
        new.into_iter().for_each(|member| self.push(member));
        (old - cost, work)
    }

    /// Pours clusters together and clusters them anew. Returns the rows of the new clusters, if the
    /// surrogate prefers them, and the work.
    fn pour(&mut self, way: Way, chosen: &[usize], tools: &mut Tools) -> (Option<Vec<Vec<u32>>>, u64) {
        let NeighbourhoodSearch { problem, surrogate, .. } = *self.search;
        let records: usize = chosen.iter().map(|member| self.members[*member].rows.len()).sum();
        tools.pool.group(problem, chosen.iter().map(|member| self.members[*member].rows.as_slice()));
        if tools.pool.items() > MAX_POOL_ITEMS {
            return (None, 60 * records as u64);
        }
        tools.pool.number(problem);
        let pool = &tools.pool;
        let filling = u64::from(pool.size()) * (surrogate.varying().len() as u64 * 4 + 40);
        let (groups, work) = if matches!(way, Way::Opening) {
            let prices = self.prices(chosen, pool);
            (tools.opening.regroup(problem, surrogate, pool, &prices, &mut self.rng), tools.opening.work)
        } else {
            // Pools are small, so there is no need to stop within one.
            let grown = tools.growing.regroup(problem, surrogate, pool, &mut self.rng, Progress::silent());
            (grown.ok().and_then(|(groups, unplaced)| unplaced.is_empty().then_some(groups)), tools.growing.work)
        };
        let now: f64 = chosen.iter().map(|member| self.weights[*member]).sum();
        let better = groups.filter(|groups| !surrogate.exact() || total(groups) < now);
        (better.map(|groups| pool.rows(&groups)), filling + work)
    }

    /// Pours clusters together and halves their records again and again. Returns the rows of the new clusters, if the
    /// surrogate prefers them, and the work.
    fn halve_again(&mut self, chosen: &[usize], tools: &mut Tools) -> (Option<Vec<Vec<u32>>>, u64) {
        let NeighbourhoodSearch { problem, surrogate, .. } = *self.search;
        tools.pool.group(problem, chosen.iter().map(|member| self.members[*member].rows.as_slice()));
        let pool = &tools.pool;
        let filling = u64::from(pool.size()) * 60;
        let bisection = Bisection::new(problem, surrogate, pool, FEW_TRIES, Progress::silent());
        let Ok((groups, work)) = bisection.regroup(self.rng.random()) else { return (None, filling) };
        let now: f64 = chosen.iter().map(|member| self.weights[*member]).sum();
        let better = !surrogate.exact() || total(&groups) < now;
        (better.then(|| pool.rows(&groups)), filling + work)
    }

    /// Moves slices of clusters to the others. Returns the rows of the new clusters, if the surrogate prefers them, and the
    /// work.
    fn peel(&mut self, chosen: &[usize], tools: &mut Tools) -> (Option<Vec<Vec<u32>>>, u64) {
        let NeighbourhoodSearch { problem, surrogate, .. } = *self.search;
        let clusters: Vec<&[u32]> = chosen.iter().map(|member| self.members[*member].rows.as_slice()).collect();
        tools.pool.fill(problem, clusters.iter().copied());
        let pool = &tools.pool;
        let (groups, work) = Peeling::new(problem, surrogate, pool, &clusters).regroup();
        let now: f64 = chosen.iter().map(|member| self.weights[*member]).sum();
        let better = !surrogate.exact() || total(&groups) < now;
        (better.then(|| pool.rows(&groups)), work)
    }

    /// A cluster and those nearest to one of its records, `clusters` in all, sorted.
    fn near(&mut self, seed: usize, clusters: usize, near: &mut Vec<(f32, u32)>) -> Vec<usize> {
        let surrogate = self.search.surrogate;
        let rows = &self.members[seed].rows;
        let codes = self.search.problem.encoded.row(rows[self.rng.random_range(0..rows.len())]);
        near.clear();
        self.sums.clear();
        self.sums.resize(self.members.len(), 0.0);
        for (column, code) in codes.iter().enumerate() {
            surrogate.add_joined(column, &self.spans[column], *code, &mut self.sums);
        }
        for (number, (member, with)) in self.members.iter().zip(&self.sums).enumerate() {
            if number != seed {
                near.push(((with - member.each) * self.rng.random_range(0.5..1.5), number as u32));
            }
        }
        let others = (clusters - 1).min(near.len());
        if others < near.len() {
            near.select_nth_unstable_by(others, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
        let mut chosen: Vec<usize> = near[..others].iter().map(|(_, number)| *number as usize).collect();
        chosen.push(seed);
        chosen.sort_unstable();
        chosen
    }

    /// The mean of what the records of each item pay now.
    fn prices(&self, chosen: &[usize], pool: &Pool) -> Vec<f32> {
        let mut of_row: Vec<(u32, f32)> = chosen
            .iter()
            .flat_map(|member| self.members[*member].rows.iter().map(|row| (*row, self.members[*member].each)))
            .collect();
        of_row.sort_unstable_by_key(|(row, _)| *row);
        let price = |row: u32| of_row.binary_search_by_key(&row, |(row, _)| *row).map_or(0.0, |at| of_row[at].1);
        let mean =
            |item: usize| pool.rows_of(item).iter().map(|row| price(*row)).sum::<f32>() / pool.weight(item) as f32;
        (0..pool.items()).map(mean).collect()
    }
}

/// A random index, with probabilities proportional to the weights.
fn roulette(weights: &[f64], rng: &mut ChaCha8Rng) -> usize {
    let mut at = weights.iter().sum::<f64>() * rng.random::<f64>();
    let found = weights.iter().position(|weight| {
        at -= weight;
        at < 0.0
    });
    found.unwrap_or_else(|| rng.random_range(0..weights.len()))
}
