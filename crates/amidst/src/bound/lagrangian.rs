//! Multipliers of the records, over all closures.
//!
//! **Bound.** Let every record i have any multiplier uᵢ ≥ 0. Take a closure P that costs c for each record
//! and covers at least k records. Those with uᵢ > c gain A = Σ (uᵢ − c)⁺ together. If they are fewer than
//! k, the others with the largest uᵢ have to fill up a cluster, at the expense D = Σ (c − uᵢ) of those. If
//! the *excess* V = A − D is positive, every record with uᵢ > c that P covers is *charged* (uᵢ − c) · V /
//! A. With eᵢ the largest charge of record i from all closures, no partition loses less than Σ (uᵢ − eᵢ).
//!
//! *Proof.* Let C be a cluster of a partition, and P its closure. The records of C lose |C| · c = Σ uᵢ −
//! (A' − D'), where A' sums (uᵢ − c)⁺ over C and D' sums (c − uᵢ)⁺. As P covers C, A' ≤ A. As C has at
//! least k records, of which no more exceed c than P covers, D' ≥ D. If A' − D' > 0, then A' − D' = A' · (1
//! − D'/A') ≤ A' · (1 − D/A) = Σ (uᵢ − c)⁺ · V / A. That is what P charges the records of C, and it is at
//! most Σ eᵢ over C. If A' − D' ≤ 0, charges of 0 or more cover it anyway. So C loses at least Σ (uᵢ − eᵢ)
//! over its records, and the clusters of a partition contain every record once. ∎
//!
//! If all uᵢ are very large, V = A for every closure, and the bound is that of the [cheapest
//! closures](super::cheapest). The Lagrangian relaxation of the program that assigns every record to one
//! closure with at least k records (lower-bounded facility location) gives Σ uᵢ − Σ V over all closures for
//! the same multipliers. The charges of P sum to its V, and Σ eᵢ takes only the largest charge of each
//! record. So this bound is never below that one. The best value of both is the optimum of the program with
//! fractions allowed.
//!
//! Two kinds of closures may be skipped without harm to the proof. First, suppose that a smaller closure P'
//! covers all records with uᵢ > c, and all others that could fill up their cluster with an excess left. Its A
//! is not smaller and its D not larger, so P' charges all of them at least as much, and the larger closure
//! may be skipped. Second, a closure that costs as much as the largest multiplier it covers has no excess.
//!
//! Equal records have the same multiplier. The proof allows any multipliers, and this makes one record of
//! them.
//!
//! **Multipliers** are found in rounds. A round searches all closures for positive excess, which gives a
//! valid bound, and adds those closures to a pool. Then it raises Σ uᵢ − Σ V over the pool alone by
//! subgradient steps, which is fast. If multipliers leave an excess for closures outside the pool, the
//! search of the next round finds them. All sums are of whole numbers, and charges are rounded up, so
//! rounding does no harm.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::closures::{Cost, Node};
use super::search::{Budget, Part, Records, Visitor, search};
use super::watch::Watch;
use crate::error::Result;

/// The largest number of rounds.
const MAX_ROUNDS: u64 = 40;

/// The number of subgradient steps in a round.
const STEPS_PER_ROUND: usize = 120;

/// How far above the best bound the steps aim at first, as a share of it.
const FIRST_AIM: f64 = 0.03;

/// The largest growth factor of a multiplier in a round. Larger steps would overrun closures that the pool does not know yet.
const MAX_GROWTH: f64 = 1.2;

/// The share of the last direction that stays in the next.
const MOMENTUM: f64 = 0.35;

/// The best choice of at least k records for a closure.
pub(super) struct Choice {
    /// How much their multipliers exceed the costs together; not exact unless it is positive.
    pub(super) excess: i64,
    /// The same, only for the multipliers that do exceed the cost.
    gain: i64,
    /// The number of tuples with such multipliers.
    gaining: usize,
    /// The number of chosen tuples, the last possibly with only some of its records.
    tuples: usize,
    /// The number of chosen records.
    size: u64,
}

impl Choice {
    /// The best choice among tuples that are sorted by falling multiplier.
    pub(super) fn new(weights: &[u32], k: u64, multipliers: &[Cost], tuples: &[u32], cost: Cost) -> Self {
        let mut choice = Choice { excess: 0, gain: 0, gaining: 0, tuples: 0, size: 0 };
        for t in tuples {
            let (over, weight) = (multipliers[*t as usize] - cost, u64::from(weights[*t as usize]));
            if over > 0 {
                choice.size += weight;
                choice.excess += over * weight as i64;
                choice.gain = choice.excess;
                choice.gaining += 1;
            } else {
                if choice.size >= k || choice.excess <= 0 {
                    break;
                }
                let filled = weight.min(k - choice.size);
                choice.size += filled;
                choice.excess += over * filled as i64;
            }
            choice.tuples += 1;
        }
        if choice.size < k {
            choice.excess = 0;
        }
        choice
    }

    /// The chosen tuples, and how many records of each are chosen.
    fn chosen<'a>(&self, records: &'a Records, tuples: &'a [u32]) -> impl Iterator<Item = (usize, u64)> + 'a {
        let mut left = self.size;
        tuples[..self.tuples].iter().map(move |t| {
            let taken = u64::from(records.weights[*t as usize]).min(left);
            left -= taken;
            (*t as usize, taken)
        })
    }
}

/// A closure that had an excess.
pub(super) struct Closure {
    pub(super) cost: Cost,
    /// The tuples that it covers and that are likely to be chosen, by falling multiplier.
    pub(super) tuples: Vec<u32>,
    /// The number of rounds since it last had an excess.
    pub(super) idle: u32,
}

/// Charges the tuples, which are sorted by falling multiplier.
struct Pricing {
    weights: Vec<u32>,
    k: u64,
    multipliers: Vec<Cost>,
    charges: Vec<Cost>,
    found: Vec<Closure>,
    /// How many more tuples of closures can be remembered.
    room: usize,
}

impl Visitor for Pricing {
    fn prune(&self, tuples: &[u32], cost: Cost) -> bool {
        Choice::new(&self.weights, self.k, &self.multipliers, tuples, cost).excess <= 0
    }

    /// All tuples that gain, and those that lack no more than k − 1 others can gain for them. Any other
    /// chosen record would leave no excess.
    fn matter(&self, tuples: &[u32], cost: Cost) -> usize {
        let (mut left, mut gain) = (self.k - 1, 0);
        for t in tuples {
            let taken = left.min(u64::from(self.weights[*t as usize]));
            gain += (self.multipliers[*t as usize] - cost) * taken as i64;
            left -= taken;
            if left == 0 {
                break;
            }
        }
        let lacks = |t: &u32| cost - self.multipliers[*t as usize];
        tuples.partition_point(|t| lacks(t) < gain.max(0))
    }

    fn visit(&mut self, tuples: &[u32], cost: Cost, _nodes: &[Node]) {
        let choice = Choice::new(&self.weights, self.k, &self.multipliers, tuples, cost);
        if choice.excess <= 0 {
            return;
        }
        let (excess, gain) = (i128::from(choice.excess), i128::from(choice.gain));
        for t in &tuples[..choice.gaining] {
            let charge = (i128::from(self.multipliers[*t as usize] - cost) * excess + gain - 1) / gain;
            let known = &mut self.charges[*t as usize];
            *known = (charge as Cost).max(*known);
        }
        let mut size = 0;
        let likely = tuples.iter().take_while(|t| {
            let few = size < 4 * self.k;
            size += u64::from(self.weights[**t as usize]);
            few
        });
        let likely: Vec<u32> = likely.copied().collect();
        if let Some(room) = self.room.checked_sub(likely.len()) {
            self.room = room;
            self.found.push(Closure { cost, tuples: likely, idle: 0 });
        }
    }
}

/// The largest charge of each tuple, and closures that charge. `None` if the budget does not suffice.
fn price(records: &Records, multipliers: &[Cost], budget: &Budget) -> Result<Option<(Vec<Cost>, Vec<Closure>)>> {
    const ROOM: usize = 5_000_000;
    let mut order: Vec<u32> = (0..multipliers.len() as u32).collect();
    order.sort_unstable_by_key(|t| (Reverse(multipliers[*t as usize]), *t));
    let visitor = |tuples: &[u32]| {
        let original = || tuples.iter().map(|t| order[*t as usize] as usize);
        Pricing {
            weights: original().map(|t| records.weights[t]).collect(),
            k: records.k,
            multipliers: original().map(|t| multipliers[t]).collect(),
            charges: vec![0; tuples.len()],
            found: Vec::new(),
            room: ROOM * tuples.len() / order.len() + 100 * tuples.len(),
        }
    };
    let sorted = records.pick(&order);
    let Some(parts) = search(&sorted, budget, visitor)? else { return Ok(None) };
    let (mut charges, mut closures) = (vec![0; order.len()], Vec::new());
    for Part { tuples, visitor: pricing } in parts {
        let original = |t: u32| order[tuples[t as usize] as usize];
        for (t, charge) in pricing.charges.iter().enumerate() {
            let known: &mut Cost = &mut charges[original(t as u32) as usize];
            *known = (*known).max(*charge);
        }
        closures.extend(pricing.found.into_iter().map(|mut closure| {
            closure.tuples.iter_mut().for_each(|t| *t = original(*t));
            closure
        }));
    }
    Ok(Some((charges, closures)))
}

/// The best bound that was found, as a sum over all records. `start` are multipliers whose sum is a bound. A round that the clock
/// stops counts for nothing.
pub(super) fn raise(records: &Records, start: Vec<Cost>, work: u64, watch: Watch) -> Result<i64> {
    watch.begin(MAX_ROUNDS)?;
    let budget = Budget::new(work, watch);
    let mut best = records.total(&start);
    watch.raised(best);
    let mut free = start; // multipliers minus charges
    let mut pool: Vec<Closure> = Vec::new();
    let (mut aim, mut trust, mut idle) = (FIRST_AIM, MAX_GROWTH, 0);
    for _ in 0..MAX_ROUNDS {
        let (multipliers, _) = climb(records, &mut pool, &free, &limits(&free, trust), Goal { best, aim }, watch)?;
        let spent = budget.spent();
        let Some((charges, closures)) = price(records, &multipliers, &budget)? else { break };
        watch.advance(1)?;
        // Higher multipliers make more work, up to ten times as much if there are many closures.
        let much = budget.spent() - spent > budget.left() / 10;
        trust = if much { 1.0 + (MAX_GROWTH - 1.0) / 4.0 } else { MAX_GROWTH };
        pool.retain_mut(|closure| {
            closure.idle += 1;
            closure.idle <= 3
        });
        pool.extend(closures);
        let value = records.total(&multipliers) - records.total(&charges);
        idle = if value - best > best / 50_000 { 0 } else { idle + 1 };
        if value > best {
            best = value;
            watch.raised(best);
            free = multipliers.iter().zip(&charges).map(|(u, charge)| u - charge).collect();
        } else {
            aim *= 0.7;
        }
        if idle == 5 {
            break;
        }
    }
    Ok(best)
}

/// What the steps of a round aim at.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    /// The best bound so far.
    pub(super) best: i64,
    /// How far above it the steps aim, as a share of it.
    pub(super) aim: f64,
}

/// The largest multipliers in a round.
fn limits(from: &[Cost], trust: f64) -> Vec<Cost> {
    from.iter().map(|u| (*u as f64 * trust) as Cost + 1).collect()
}

/// Takes some subgradient steps towards multipliers with a large value Σ u − Σ V over the pool. Returns the
/// best multipliers and their value. No multiplier exceeds its limit.
pub(super) fn climb(
    records: &Records,
    pool: &mut [Closure],
    from: &[Cost],
    limits: &[Cost],
    goal: Goal,
    watch: Watch,
) -> Result<(Vec<Cost>, i64)> {
    let Goal { best, aim } = goal;
    let reach = aim * best as f64;
    let mut multipliers = from.to_vec();
    let mut direction = vec![0.0; from.len()];
    let (mut top, mut top_multipliers) = (i64::MIN, Vec::new());
    let (mut pace, mut idle) = (1.0, 0);
    for _ in 0..STEPS_PER_ROUND {
        let (excess, taken) = evaluate(records, pool, &multipliers);
        let value = records.total(&multipliers) - excess;
        if value > top {
            (top, idle) = (value, 0);
            top_multipliers.clone_from(&multipliers);
        } else {
            idle += 1;
            if idle > 5 {
                (pace, idle) = (pace * 0.7, 0);
            }
        }
        let mut norm = 0.0;
        for ((direction, taken), weight) in direction.iter_mut().zip(&taken).zip(&records.weights) {
            let weight = f64::from(*weight);
            *direction = MOMENTUM * *direction + (1.0 - MOMENTUM) * (1.0 - *taken as f64 / weight);
            norm += *direction * *direction * weight;
        }
        if norm <= 0.0 {
            break;
        }
        let goal = (best as f64 + reach).max(top as f64 + 0.3 * reach);
        let step = pace * (goal - value as f64) / norm;
        watch.advance(0)?;
        if watch.is_over() {
            break;
        }
        for ((u, direction), limit) in multipliers.iter_mut().zip(&direction).zip(limits) {
            *u = (*u as f64 + step * direction).clamp(0.0, *limit as f64) as Cost;
        }
    }
    Ok((top_multipliers, top))
}

/// The sum of the excesses over the pool, and for each tuple how often its records are chosen.
fn evaluate(records: &Records, pool: &mut [Closure], multipliers: &[Cost]) -> (i64, Vec<u64>) {
    let none = || (0, vec![0; multipliers.len()]);
    let parts = pool.par_iter_mut().with_min_len(1024).fold(none, |(mut excess, mut taken), closure| {
        sort(&mut closure.tuples, multipliers);
        let choice = Choice::new(&records.weights, records.k, multipliers, &closure.tuples, closure.cost);
        if choice.excess > 0 {
            closure.idle = 0;
            excess += choice.excess;
            choice.chosen(records, &closure.tuples).for_each(|(t, count)| taken[t] += count);
        }
        (excess, taken)
    });
    parts.reduce(none, |(a, mut sum), (b, more)| {
        sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        (a + b, sum)
    })
}

/// Sorts by falling multiplier. Insertion sort, because from one step to the next hardly any tuple moves.
fn sort(tuples: &mut [u32], multipliers: &[Cost]) {
    for i in 1..tuples.len() {
        let t = tuples[i];
        let mut place = i;
        while place > 0 && multipliers[tuples[place - 1] as usize] < multipliers[t as usize] {
            tuples[place] = tuples[place - 1];
            place -= 1;
        }
        tuples[place] = t;
    }
}
