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
use super::block::{Block, Tools};
use super::pool::{Pool, total};
use crate::cluster::Surrogate;
use crate::encode::Span;
use crate::error::Result;
use crate::problem::{Partition, Problem, mixed};
use crate::progress::Progress;

/// The fewest clusters of a block, if the table has that many, and the most.
const MIN_BLOCK_CLUSTERS: usize = 16;
const MAX_BLOCK_CLUSTERS: usize = 256;
/// The number of neighbourhoods on which halving is tried before the whole table is halved, and their clusters.
const PROBED_BLOCKS: usize = 4;
const PROBED_CLUSTERS: usize = 64;
/// The share of a full round that the first round has if it alone decides whether others follow, because often it gains
/// nothing.
const PROBE_SHARE: f64 = 0.25;
/// The least rate of gain that a way is credited with, as a share of the best rate. So every way is tried now and then.
const MIN_RATE_SHARE: f64 = 0.05;

/// The least number of clusters that a thread looks at.
const MIN_CLUSTERS_PER_THREAD: usize = 4096;
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
pub(super) enum Way {
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
pub(super) const WAYS: [(Way, usize); 13] = [
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
pub(super) struct Tally {
    pub(super) gain: f64,
    pub(super) work: f64,
    pub(super) steps: f64,
}

impl Tally {
    pub(super) fn add(&mut self, more: Tally) {
        self.gain += more.gain;
        self.work += more.work;
        self.steps += more.steps;
    }
}

/// A cluster as the search knows it.
pub(super) struct Member {
    pub(super) rows: Vec<u32>,
    pub(super) spans: Vec<Span>,
    /// Its cost by the objective.
    pub(super) cost: f64,
    /// What each record pays by the surrogate.
    pub(super) each: f32,
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

/// Whether halving loses less than these clusters in some neighbourhoods.
pub(crate) fn halving_gains(problem: &Problem, surrogate: &Surrogate, partition: &Partition) -> Result<bool> {
    let clusters: Vec<&[u32]> = partition.clusters().collect();
    let member = |rows: &&[u32]| Member::new(problem, surrogate, rows.to_vec());
    let members: Vec<Member> = clusters.par_iter().filter_map(member).collect();
    let search = NeighbourhoodSearch { problem, surrogate, progress: Progress::silent(), tallies: Default::default() };
    let mut places: Vec<Place> = (0..members.len()).map(|member| Place { member, key: (0, 0) }).collect();
    let blocks = search.halve(&members, &mut places, PROBED_CLUSTERS, mixed(problem.seed, 0));
    let probed = blocks.par_iter().step_by(blocks.len().div_ceil(PROBED_BLOCKS));
    let gains: Vec<f64> = probed
        .map(|block| {
            let block = || block.iter().map(|place| &members[place.member]);
            let mut pool = Pool::default();
            pool.group(problem, block().map(|member| member.rows.as_slice()));
            let bisection = Bisection::new(problem, surrogate, &pool, FEW_TRIES, Progress::silent());
            let (groups, _) = bisection.regroup(problem.seed)?;
            let now: f64 = block().map(|member| f64::from(member.each) * member.rows.len() as f64).sum();
            Ok(now - total(&groups))
        })
        .collect::<Result<_>>()?;
    Ok(gains.into_iter().sum::<f64>() > 0.0)
}

impl Member {
    /// `None` without rows.
    pub(super) fn new(problem: &Problem, surrogate: &Surrogate, rows: Vec<u32>) -> Option<Self> {
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
pub(super) struct NeighbourhoodSearch<'a> {
    pub(super) problem: &'a Problem,
    pub(super) surrogate: &'a Surrogate<'a>,
    pub(super) progress: Progress<'a>,
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
        let most = (members.len() / 4).clamp(MIN_BLOCK_CLUSTERS, MAX_BLOCK_CLUSTERS);
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
