//! Large-neighbourhood search: a few neighbouring clusters at a time are poured together and clustered
//! anew. The result is kept if it costs less.
//!
//! A round draws a random tree over the clusters: they are halved by a random column of a random member,
//! again and again. It works on each leaf of the tree, a *block*, separately. So blocks run in parallel,
//! and the result does not depend on the threads. In a block, clusters that cost much are picked more
//! often, and one of their records decides which clusters are near. The number of clusters in a pool and
//! the way to cluster it anew are chosen by what they have gained for their work so far (adaptive
//! large-neighbourhood search). Work is counted and not timed, so that the same seed gives the same result.
//!
//! Pisinger and Ropke: A general heuristic for vehicle routing problems. Computers and Operations Research
//! 2007.

use std::time::Instant;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::bisection::{Bisection, FEW_TRIES};
use super::exchange::exchange;
use super::growing::PoolGrowth;
use super::opening::Opening;
use super::peeling::Peeling;
use super::pool::{Pool, total};
use crate::cluster::Surrogate;
use crate::encode::Span;
use crate::error::Result;
use crate::problem::{Partition, Problem, mixed};
use crate::progress::Progress;

/// The largest number of clusters of a block.
const MAX_BLOCK_CLUSTERS: usize = 256;
/// The work of a round for each record, in about nanoseconds.
const ROUND_WORK_PER_RECORD: u64 = 250;
/// The share of a full round that the first round has if it alone decides whether others follow, because often it gains
/// nothing.
const PROBE_SHARE: f64 = 0.25;
/// The least rate of gain that a way is credited with, as a share of the best rate. So every way is tried now and then.
const MIN_RATE_SHARE: f64 = 0.05;

/// The least number of clusters that a thread looks at.
const MIN_CLUSTERS_PER_THREAD: usize = 4096;
/// The largest number of different records of a pool, because growing takes the square of that number.
const MAX_POOL_ITEMS: usize = 5000;
/// A budget with at least this many rounds counts as unlimited in the progress bar.
const UNLIMITED_ROUNDS: u64 = 1_000_000;
/// When a search ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    /// The largest number of rounds.
    pub(crate) rounds: u64,
    /// The search ends when the last `patience` rounds lower the loss by less than this share of it.
    pub(crate) least_gain: f64,
    /// The number of rounds over which the gain is counted, because a single round may be unlucky.
    pub(crate) patience: usize,
    /// The time at which the search ends.
    pub(crate) until: Option<Instant>,
}

/// A way to cluster a pool anew.
#[derive(Debug, Clone, Copy)]
enum Way {
    Exchange,
    PoolGrowth,
    Opening,
    Bisection,
    Peeling,
}

impl Way {
    /// About how much work the way makes for a cluster, compared with the other ways.
    fn effort(self) -> f64 {
        match self {
            Way::Exchange => 1.0,
            Way::PoolGrowth | Way::Bisection | Way::Peeling => 4.0,
            Way::Opening => 20.0,
        }
    }
}

/// The ways, each with the number of clusters in its pools.
const WAYS: [(Way, usize); 13] = [
    (Way::Exchange, 2),
    (Way::PoolGrowth, 2),
    (Way::PoolGrowth, 3),
    (Way::PoolGrowth, 4),
    (Way::Opening, 3),
    (Way::Opening, 5),
    (Way::Opening, 8),
    (Way::Bisection, 2),
    (Way::Bisection, 3),
    (Way::Bisection, 5),
    (Way::Peeling, 2),
    (Way::Peeling, 4),
    (Way::Peeling, 8),
];

/// What a way has gained, in how many steps, and with how much work.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    gain: f64,
    work: f64,
    steps: f64,
}

impl Tally {
    fn add(&mut self, more: Tally) {
        self.gain += more.gain;
        self.work += more.work;
        self.steps += more.steps;
    }
}

/// A cluster as the search knows it.
struct Member {
    rows: Vec<u32>,
    spans: Vec<Span>,
    /// Its cost by the objective.
    cost: f64,
    /// What each record pays by the surrogate.
    each: f32,
}

/// Lowers the loss of a partition until the budget is used up. Also returns the number of rounds.
pub(crate) fn improve(
    problem: &Problem,
    surrogate: &Surrogate,
    partition: Partition,
    budget: Budget,
    progress: Progress,
) -> Result<(Partition, u64)> {
    if budget.rounds == 0 {
        return Ok((partition, 0));
    }
    progress.begin("refining", if budget.rounds < UNLIMITED_ROUNDS { budget.rounds } else { 0 })?;
    let clusters: Vec<&[u32]> = partition.clusters().collect();
    let member = |rows: &&[u32]| Member::new(problem, surrogate, rows.to_vec());
    let mut search = NeighbourhoodSearch { problem, surrogate, progress, tallies: [Tally::default(); WAYS.len()] };
    let mut members: Vec<Member> = clusters.par_iter().filter_map(member).collect();
    let sum = |members: &[Member]| members.iter().map(|member| member.cost).sum::<f64>();
    // The cost can never fall below the constants of the records.
    let fixed = problem.measure.records(problem.rows());
    let nothing = if problem.measure.monotone() { fixed } else { f64::NEG_INFINITY };
    let mut now = sum(&members);
    let mut losses = vec![now];
    let mut rounds = 0;
    while rounds < budget.rounds && members.len() > 1 && now > nothing {
        // At least one round, so that the number of rounds identifies the result.
        if rounds > 0 && budget.until.is_some_and(|until| Instant::now() >= until) {
            break;
        }
        let share = if rounds == 0 && budget.patience == 1 { PROBE_SHARE } else { 1.0 };
        members = search.round(rounds, share, members)?;
        rounds += 1;
        progress.advance(1)?;
        now = sum(&members);
        losses.push(now);
        if let Some(before) = losses.len().checked_sub(1 + budget.patience).map(|then| losses[then])
            && before - now <= share * budget.least_gain * (before - fixed).abs()
        {
            break;
        }
    }
    Ok((Partition::new(problem.rows(), members.iter().map(|member| &member.rows))?, rounds))
}

impl Member {
    /// `None` without rows.
    fn new(problem: &Problem, surrogate: &Surrogate, rows: Vec<u32>) -> Option<Self> {
        let cluster = problem.cluster(&rows)?;
        let each = surrogate.closure(cluster.closure());
        Some(Member { cost: problem.measure.cluster(&cluster), spans: cluster.closure().to_vec(), each, rows })
    }
}

/// The position of a cluster along the column that is halved. Ties are broken at random.
struct Place {
    member: usize,
    key: (u64, u32),
}

/// The state of the search.
struct NeighbourhoodSearch<'a> {
    problem: &'a Problem,
    surrogate: &'a Surrogate<'a>,
    progress: Progress<'a>,
    tallies: [Tally; WAYS.len()],
}

impl NeighbourhoodSearch<'_> {
    /// Runs a round, or this share of one.
    fn round(&mut self, round: u64, share: f64, members: Vec<Member>) -> Result<Vec<Member>> {
        let blocks = self.blocks(round, members);
        // A thread that has done its part can take over some of another's.
        let most = blocks.len().div_ceil(8 * rayon::current_num_threads());
        let weights = self.weights();
        let done: Vec<(Vec<Member>, [Tally; WAYS.len()])> = blocks
            .into_par_iter()
            .with_max_len(most)
            .enumerate()
            .map_init(Tools::default, |tools, (number, members)| {
                let mut rng = ChaCha8Rng::seed_from_u64(self.problem.seed);
                rng.set_stream(round << 32 | (number as u64 + 1));
                let mut block = Block::new(self, members, rng);
                block.work(&weights, share, tools)?;
                Ok((block.members, block.tallies))
            })
            .collect::<Result<_>>()?;
        let mut members = Vec::new();
        for (part, tallies) in done {
            members.extend(part);
            self.tallies.iter_mut().zip(tallies).for_each(|(all, more)| all.add(more));
        }
        // Older gains count less.
        for Tally { gain, work, steps } in &mut self.tallies {
            [gain, work, steps].into_iter().for_each(|sum| *sum *= 0.9);
        }
        Ok(members)
    }

    /// Divides the clusters into blocks of neighbours.
    fn blocks(&self, round: u64, members: Vec<Member>) -> Vec<Vec<Member>> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.problem.seed);
        rng.set_stream(round << 32);
        let most = (members.len() / 4).clamp(64, MAX_BLOCK_CLUSTERS);
        let mut places: Vec<Place> = (0..members.len()).map(|member| Place { member, key: (0, 0) }).collect();
        let parts = self.halve(&members, &mut places, most, rng.random());
        let mut members: Vec<Option<Member>> = members.into_iter().map(Some).collect();
        parts.iter().map(|part| part.iter().filter_map(|place| members[place.member].take()).collect()).collect()
    }

    /// Halves the clusters by a random column of a random record of each, until each part has few enough.
    fn halve<'p>(&self, members: &[Member], places: &'p mut [Place], most: usize, seed: u64) -> Vec<&'p mut [Place]> {
        if places.len() <= most {
            return vec![places];
        }
        let encoded = &self.problem.encoded;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let varying = self.surrogate.varying();
        let column = varying[rng.random_range(0..varying.len())];
        let domain = self.surrogate.domain(column);
        // If the order of the codes says nothing about what is near, use a random one.
        let salt = if domain.is_set() || domain.is_suppress() { rng.random::<u64>() | 1 } else { 1 };
        places.par_iter_mut().with_min_len(MIN_CLUSTERS_PER_THREAD).for_each(|place| {
            let rows = &members[place.member].rows;
            let chance = mixed(0, seed ^ place.member as u64);
            let row = rows[(((chance >> 32) * rows.len() as u64) >> 32) as usize];
            place.key = (u64::from(encoded.row(row)[column] + 1).wrapping_mul(salt), chance as u32);
        });
        let middle = places.len() / 2;
        places.select_nth_unstable_by_key(middle, |place| place.key);
        let (low, high) = places.split_at_mut(middle);
        let [a, b] = [rng.random(), rng.random()];
        let (mut parts, more) =
            rayon::join(|| self.halve(members, low, most, a), || self.halve(members, high, most, b));
        parts.extend(more);
        parts
    }

    /// The weights of the ways, such that the share of the work of each is proportional to its rate of
    /// gain.
    fn weights(&self) -> [f64; WAYS.len()] {
        let rates = self.tallies.map(|tally| if tally.work > 0.0 { tally.gain / tally.work } else { 0.0 });
        let best = rates.iter().copied().fold(0.0, f64::max);
        // The work of a way that was not tried yet is estimated from the other ways.
        let guess = |way: usize| WAYS[way].0.effort() * WAYS[way].1 as f64;
        let (mut known, mut guessed) = (0.0, 0.0);
        for (way, Tally { work, steps, .. }) in self.tallies.iter().enumerate() {
            known += work;
            guessed += steps * guess(way);
        }
        let unit = if guessed > 0.0 { known / guessed } else { 1.0 };
        std::array::from_fn(|way| {
            let Tally { work, steps, .. } = self.tallies[way];
            let share = if best > 0.0 { rates[way].max(MIN_RATE_SHARE * best) } else { 1.0 };
            let each = if steps > 0.0 { work / steps } else { unit * guess(way) };
            share / each
        })
    }
}

/// The state of the ways, kept from pool to pool to save allocations.
#[derive(Default)]
struct Tools {
    pool: Pool,
    growing: PoolGrowth,
    opening: Opening,
    near: Vec<(f32, u32)>,
}

/// A block of neighbouring clusters.
struct Block<'a> {
    search: &'a NeighbourhoodSearch<'a>,
    members: Vec<Member>,
    /// For each column, the spans of the members.
    spans: Vec<Vec<Span>>,
    sums: Vec<f32>,
    /// What the records of each member pay together by the surrogate.
    weights: Vec<f64>,
    tallies: [Tally; WAYS.len()],
    rng: ChaCha8Rng,
}

impl<'a> Block<'a> {
    fn new(search: &'a NeighbourhoodSearch<'a>, members: Vec<Member>, rng: ChaCha8Rng) -> Self {
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

    fn work(&mut self, weights: &[f64; WAYS.len()], share: f64, tools: &mut Tools) -> Result<()> {
        let records: usize = self.members.iter().map(|member| member.rows.len()).sum();
        let mut left = ((records as u64 * ROUND_WORK_PER_RECORD) as f64 * share) as u64;
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
        let scan = (self.members.len() * (surrogate.varying().len() + 5)) as u64;
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
            return (None, 10 * records as u64);
        }
        tools.pool.number(problem);
        let pool = &tools.pool;
        let filling = u64::from(pool.size()) * (surrogate.varying().len() as u64 * 4 + 10);
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
        let filling = u64::from(pool.size()) * 10;
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
        (better.then(|| pool.rows(&groups)), work + u64::from(pool.size()) * 10)
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
