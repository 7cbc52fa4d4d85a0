//! Xu's top-down algorithm: split a group in two from two records that are far apart, again and again.
//!
//! # Idea
//! Two records that would lose much in one group are the seeds of two groups. All others, in random order,
//! go to the group where they cost less. Both groups are split in turn while they have more than k records.
//! Groups that end with fewer than k records are adjusted: such a group either takes the records it lacks
//! from a group that can spare them, or is merged with the nearest group, whichever costs less.
//!
//! # Choices
//! - Seeds: finding the two records that lose most together would need all pairs. As in the paper, a random
//!   record is the first seed and the record that loses most with it the second. Then the record that loses
//!   most with the second replaces the first, and so on, for `rounds` rounds or until a round finds no pair
//!   that loses more.
//! - The loss is the objective, whatever it is. In the paper it is NCP with weights.
//! - `compare=penalty` sends a record to the group that loses less with it, as in the paper. The default
//!   sends it to the group whose loss rises less; on Adult this loses much less.
//! - A record that costs both groups the same goes to the smaller one, or the first if they are equal. Of
//!   several records that lose most with a seed, the first in the random order is taken.
//! - A group is not split if all its records are equal, or if neither side would have k records.
//! - Small groups are adjusted one after the other, the smallest first. As in the paper, all records that a
//!   group takes come from one group, which keeps at least k. The paper asks for the set of records with
//!   which the small group loses least. Here it is found greedily, one record at a time, for each group
//!   that can spare enough. The best of these sets is compared with merging by how much the loss of both
//!   groups rises.
//! - If constraints look at sensitive values, a split counts only if both sides satisfy them.
//! - Every group has its own random stream, so the number of threads changes nothing.
//!
//! # Complexity
//! O(n · rounds · columns) for all groups of one depth, and O(log n) depths for balanced splits; groups run
//! in parallel. Adjusting one small group looks at all records, O(n · columns), and there can be O(n/k)
//! small groups.
//!
//! # Paper
//! Xu, Wang, Pei, Wang, Shi and Fu: Utility-based anonymization using local recoding. KDD 2006, the
//! top-down greedy search.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --measure ncp --partitioner 'top-down-xu(rounds=6)'
//! ```

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use super::{Build, Partitioner};
use crate::cluster::merging::ROUNDING;
use crate::cluster::sides::{Compare, Parts, Side, assign};
use crate::cost::{Costs, Payers};
use crate::error::Result;
use crate::problem::{Cluster, Partition, Problem, mixed};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "top-down-xu",
    about: "splits groups in two from two records that are far apart, then adjusts small groups; time n log n, plus n for each small group",
    paper: "Xu, Wang, Pei, Wang, Shi and Fu, KDD 2006",
    params: &[
        Param {
            name: "rounds",
            about: "the largest number of searches for the farthest record that find the two seeds",
            range: Range::Integer(1, 1_000_000),
            default: Some(Value::Integer(3)),
        },
        Compare::PARAM,
    ],
    build: |params| Box::new(Xu { rounds: params.integer("rounds"), compare: Compare::of(params) }),
};

struct Xu {
    rounds: u64,
    compare: Compare,
}

impl Partitioner for Xu {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let search = PairSplit { xu: self, problem, parts: Parts::new(problem), least: problem.min_size(), progress };
        let mut open = vec![Group { rows: (0..problem.rows() as u32).collect(), seed: problem.seed }];
        let mut done: Vec<Vec<u32>> = Vec::new();
        // One depth after the other, because a recursion could go as deep as there are records.
        while !open.is_empty() {
            let split: Vec<Split> = open.into_par_iter().map(|group| search.split(group)).collect::<Result<_>>()?;
            open = Vec::new();
            for split in split {
                match split {
                    Split::Done(rows) => done.push(rows),
                    Split::Sides(sides) => open.extend(sides),
                }
            }
        }
        done.retain(|rows| !rows.is_empty());
        Partition::new(problem.rows(), search.adjust(done)?)
    }
}

/// Records that may be split further.
struct Group {
    /// Sorted.
    rows: Vec<u32>,
    /// The seed of the random choices in this group.
    seed: u64,
}

/// What becomes of a group.
enum Split {
    Done(Vec<u32>),
    Sides([Group; 2]),
}

/// The state of one run.
struct PairSplit<'a> {
    xu: &'a Xu,
    problem: &'a Problem,
    parts: Parts<'a>,
    least: usize,
    progress: Progress<'a>,
}

impl PairSplit<'_> {
    fn split(&self, group: Group) -> Result<Split> {
        self.progress.advance(0)?;
        let sides = if group.rows.len() > self.least { self.sides(&group) } else { None };
        let Some([mut low, mut high]) = sides else {
            self.progress.advance(group.rows.len() as u64)?;
            return Ok(Split::Done(group.rows));
        };
        low.sort_unstable();
        high.sort_unstable();
        let seed = |side: u64| mixed(group.seed, side);
        Ok(Split::Sides([Group { rows: low, seed: seed(1) }, Group { rows: high, seed: seed(2) }]))
    }

    /// The two sides of a group that can be split.
    fn sides(&self, group: &Group) -> Option<[Vec<u32>; 2]> {
        let mut rows = group.rows.clone();
        rows.shuffle(&mut ChaCha12Rng::seed_from_u64(group.seed));
        let seeds = self.seeds(&rows)?;
        let [a, b] = seeds.map(|row| self.alone(row));
        let (mut growing, mut sides) = ([a?, b?], seeds.map(|row| vec![row]));
        let others = rows.into_iter().filter(|row| !seeds.contains(row));
        assign(&mut growing, &mut sides, self.xu.compare, others);
        let large = sides.iter().any(|side| side.len() >= self.least);
        let holds = !self.problem.guarded() || sides.iter().all(|side| self.problem.hold(side));
        (large && holds).then_some(sides)
    }

    /// Two records that lose much together; `None` if all are equal.
    fn seeds(&self, rows: &[u32]) -> Option<[u32; 2]> {
        let mut pair = [*rows.first()?; 2];
        let mut most = f64::NEG_INFINITY;
        for _ in 0..self.xu.rounds {
            let [_, seed] = pair;
            let (penalty, farthest) = self.farthest(rows, seed)?;
            if penalty <= most {
                break;
            }
            (most, pair) = (penalty, [seed, farthest]);
        }
        Some(pair)
    }

    /// Of the records that differ from this one, the first of those that lose most together with it, and
    /// how much they lose.
    fn farthest(&self, rows: &[u32], seed: u32) -> Option<(f64, u32)> {
        let side = self.alone(seed)?;
        let encoded = &self.problem.encoded;
        let own = self.problem.measure.record(seed);
        let others = rows.iter().filter(|row| encoded.tuple_of(**row) != encoded.tuple_of(seed));
        let first = |a: (f64, u32), b: (f64, u32)| if b.0 > a.0 { b } else { a };
        others.map(|row| (side.net(*row) - own, *row)).reduce(first)
    }

    fn alone(&self, row: u32) -> Option<Side<'_>> {
        Some(self.parts.side(self.problem.cluster(&[row])?))
    }

    /// Gives records to the groups that have too few, or merges them with others.
    fn adjust(&self, groups: Vec<Vec<u32>>) -> Result<Vec<Vec<u32>>> {
        let costs = Costs::new(self.problem);
        let mut states: Vec<Option<Cluster>> = groups.iter().map(|rows| self.problem.cluster(rows)).collect();
        let mut groups = groups;
        let is_small = |rows: &[u32], state: &Option<Cluster>| {
            !rows.is_empty() && state.as_ref().is_some_and(|state| !self.problem.enough(state))
        };
        let all = groups.iter().zip(&states).enumerate();
        let mut small: BTreeSet<(usize, usize)> = all
            .filter(|(_, (rows, state))| is_small(rows, state))
            .map(|(place, (rows, _))| (rows.len(), place))
            .collect();
        while let Some((_, place)) = small.pop_first() {
            self.progress.advance(0)?;
            let Some(own) = states[place].take() else { continue };
            let merging = nearest(&costs, &states, &own);
            let taking = self.giver(&costs, &groups, &states, (place, &own));
            match (taking, merging) {
                (Some(taking), merging) if merging.is_none_or(|(more, _)| taking.more <= more) => {
                    groups[taking.from].retain(|row| !taking.rows.contains(row));
                    groups[place].extend(taking.rows);
                    groups[place].sort_unstable();
                    for changed in [taking.from, place] {
                        states[changed] = self.problem.cluster(&groups[changed]);
                    }
                }
                (_, Some((_, nearest))) => {
                    small.remove(&(groups[nearest].len(), nearest));
                    let rows = std::mem::take(&mut groups[place]);
                    groups[nearest].extend(rows);
                    groups[nearest].sort_unstable();
                    states[nearest] = self.problem.cluster(&groups[nearest]);
                    if is_small(&groups[nearest], &states[nearest]) {
                        small.insert((groups[nearest].len(), nearest));
                    }
                }
                // There is no other group.
                _ => states[place] = Some(own),
            }
        }
        groups.retain(|rows| !rows.is_empty());
        Ok(groups)
    }

    /// The best set of records that a small group can take from a group that can spare them.
    fn giver(
        &self,
        costs: &Costs,
        groups: &[Vec<u32>],
        states: &[Option<Cluster>],
        (place, own): (usize, &Cluster),
    ) -> Option<Taking> {
        let wanted = self.least.checked_sub(own.size()).filter(|wanted| *wanted > 0)?;
        let side = self.parts.side(own.clone());
        let givers: Vec<usize> =
            (0..groups.len()).filter(|giver| *giver != place && groups[*giver].len() >= self.least + wanted).collect();
        // With measures that only grow with the closure, every record pays at least what it would pay if
        // only the cheapest record joined.
        let measure = &self.problem.measure;
        let bounded =
            costs.kind() == Payers::Alike && measure.monotone() && measure.records(self.problem.rows()) <= 0.0;
        let bound = |giver: &usize| {
            let rows = &groups[*giver];
            let cheapest = rows[side.cheapest(rows)];
            let each = side.cost_with(cheapest) / (own.size() + 1) as f64;
            if bounded { each * self.least as f64 } else { f64::NEG_INFINITY }
        };
        let mut bounds: Vec<(f64, usize)> = givers.par_iter().map(|giver| (bound(giver), *giver)).collect();
        bounds.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Option<(f64, Taking)> = None;
        for (bound, giver) in bounds {
            if best.as_ref().is_some_and(|(least, _)| bound > *least + ROUNDING * least.abs()) {
                break;
            }
            let (cost, taking) = self.taking(costs, (giver, &groups[giver], states[giver].as_ref()?), own, wanted)?;
            if best.as_ref().is_none_or(|(least, best)| cost < *least || cost <= *least && giver < best.from) {
                best = Some((cost, taking));
            }
        }
        best.map(|(_, taking)| taking)
    }

    /// The records that a small group takes from group `from`, and what the small group costs with them.
    fn taking(
        &self,
        costs: &Costs,
        (from, rows, giver): (usize, &[u32], &Cluster),
        own: &Cluster,
        wanted: usize,
    ) -> Option<(f64, Taking)> {
        let mut side = self.parts.side(own.clone());
        let mut left = rows.to_vec();
        let mut rows = Vec::with_capacity(wanted);
        let before = side.cost() + costs.cluster(giver);
        for _ in 0..wanted {
            let row = left.remove(side.cheapest(&left));
            side.add(row);
            rows.push(row);
        }
        let more = side.cost() + costs.cluster(&self.problem.cluster(&left)?) - before;
        let net = side.cost() - rows.iter().map(|row| self.problem.measure.record(*row)).sum::<f64>();
        Some((net, Taking { from, rows, more }))
    }
}

/// The first of the groups with which a merger costs least, and how much it costs.
fn nearest(costs: &Costs, states: &[Option<Cluster>], own: &Cluster) -> Option<(f64, usize)> {
    let alone = costs.cluster(own);
    let more = |state: &Cluster| costs.united(state, own) - (costs.cluster(state) + alone);
    let all = states.iter().enumerate().filter_map(|(place, state)| Some((more(state.as_ref()?), place)));
    all.reduce(|a, b| if b.0 < a.0 { b } else { a })
}

/// Records that a group could take from another.
struct Taking {
    from: usize,
    rows: Vec<u32>,
    /// How much the loss of both groups rises.
    more: f64,
}
