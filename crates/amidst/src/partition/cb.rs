//! CB, clustering-based k-anonymity: split a group in two by K-means, again and again.
//!
//! # Idea
//! Begin with all records in one group. Choose two records as centres, and let a side grow from each: every
//! record goes to the side that loses less with it. Move the centres to the means of their sides and
//! repeat. Keep the best of several tries. Split the two sides in turn, until they have fewer records than
//! two clusters need.
//!
//! # Choices
//! - `compare`: the paper sends a record to the side "that leads to lower penalty". It writes this as
//!   NCP(C₁ ∪ w) for one side and NCP(G₂ ∪ w) for the other: the centre in one, the side as it has grown in
//!   the other. `compare=penalty` takes what the grown side loses with the record. The default takes what
//!   the record *adds* to that loss; on Adult it loses much less.
//! - A try: the records come in random order. The first is one centre, the first that differs from it is
//!   the other. A centre counts as a record of its side while the side grows. A record that costs both
//!   sides the same goes to the smaller one.
//! - The mean of a side is again a record. For numbers and ordered categories it has the rounded mean code;
//!   for all other columns and for sensitive values the most frequent code, the lowest of several.
//! - `rounds` counts the passes over the records, including the one from the random centres. The paper
//!   stops before the sides settle and does not say when.
//! - A side with too few records takes records from the other one at a time: always the record with which
//!   it loses least, the first in the order of the try if there are several.
//! - The best try is the one after which both sides satisfy the constraints and lose least together. It is
//!   kept unless they lose more than the group. With measures that grow with the closure they never do, so
//!   groups end with fewer records than two clusters need, as in the paper.
//! - If constraints look at sensitive values, a try counts only if both sides satisfy them. A group that no
//!   try can split is dealt out, as in section 4 of the paper: its records, ordered by sensitive value, go
//!   to g parts in turn. So every part has about the same share of each value as the group. g is the
//!   largest number for which all parts satisfy the constraints, searched from ⌊group / least size⌋ down to
//!   2. The parts are kept if they lose no more than the group. Close to the largest ℓ that the table
//!   allows, even the first splits fail and everything is dealt out, whatever the other columns; there
//!   other algorithms are better.
//! - Every group has its own random stream, and every try a part of it, so the number of threads changes
//!   nothing.
//!
//! # Complexity
//! O(n · tries · rounds · columns) for all groups of one depth, and O(log n) depths for balanced splits.
//! Groups, and the tries of large groups, run in parallel.
//!
//! # Paper
//! He, Chen, Chen, Dong, Wang and Huang: Clustering-based k-anonymity. PAKDD 2012.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner 'cb(tries=30)'
//! ```

mod centre;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use self::centre::Centres;
use super::{Build, Partitioner};
use crate::cluster::sides::{Compare, Parts, assign};
use crate::error::Result;
use crate::problem::{Cluster, Partition, Problem, mixed};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "cb",
    about: "splits groups in two by K-means, keeping the best of several tries; time n log n, times tries and rounds",
    paper: "He, Chen, Chen, Dong, Wang and Huang, PAKDD 2012",
    params: &[
        Param {
            name: "tries",
            about: "how often each group is split anew; the best try is kept",
            range: Range::Integer(1, 1_000_000),
            default: Some(Value::Integer(15)),
        },
        Param {
            name: "rounds",
            about: "how often a try assigns the records to its centres",
            range: Range::Integer(1, 1_000_000),
            default: Some(Value::Integer(2)),
        },
        Compare::PARAM,
    ],
    build: |params| {
        let (tries, rounds) = (params.integer("tries"), params.integer("rounds"));
        Box::new(Cb { tries, rounds, compare: Compare::of(params) })
    },
};

/// Groups with fewer rows run their tries on one thread.
const MIN_PARALLEL_ROWS: usize = 4096;

/// Relative tolerance when the loss of two sides is compared with that of the group.
const ROUNDING: f64 = 1e-12;

struct Cb {
    tries: u64,
    rounds: u64,
    compare: Compare,
}

impl Partitioner for Cb {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let rows: Vec<u32> = (0..problem.rows() as u32).collect();
        let Some(state) = problem.cluster(&rows) else { return Partition::new(0, [[]; 0]) };
        let search = Bisection { cb: self, problem, parts: Parts::new(problem), least: problem.min_size(), progress };
        let mut open = vec![Group { rows, state, seed: problem.seed }];
        let mut done: Vec<Vec<u32>> = Vec::new();
        // One depth after the other, because a recursion could go as deep as there are clusters.
        while !open.is_empty() {
            let split: Vec<Split> = open.into_par_iter().map(|group| search.split(group)).collect::<Result<_>>()?;
            open = Vec::new();
            for split in split {
                match split {
                    Split::Done(parts) => done.extend(parts),
                    Split::Sides(sides) => open.extend(*sides),
                }
            }
        }
        Partition::new(problem.rows(), done)
    }
}

/// Records that may be split further.
struct Group {
    /// Sorted.
    rows: Vec<u32>,
    state: Cluster,
    /// The seed of the random choices in this group.
    seed: u64,
}

/// What becomes of a group.
enum Split {
    /// Its final clusters.
    Done(Vec<Vec<u32>>),
    /// Two groups that may be split further.
    Sides(Box<[Group; 2]>),
}

/// The result of a try.
struct Outcome {
    loss: f64,
    sides: [Vec<u32>; 2],
    states: [Cluster; 2],
}

/// The state of one run.
struct Bisection<'a> {
    cb: &'a Cb,
    problem: &'a Problem,
    parts: Parts<'a>,
    least: usize,
    progress: Progress<'a>,
}

impl Bisection<'_> {
    fn split(&self, group: Group) -> Result<Split> {
        let best = if group.rows.len() < 2 * self.least { None } else { self.best(&group)? };
        let before = self.problem.measure.cluster(&group.state);
        let Some(best) = best.filter(|best| best.loss <= before + ROUNDING * before.abs()) else {
            self.progress.advance(group.rows.len() as u64)?;
            return Ok(Split::Done(self.deal(group.rows, before)));
        };
        let [first, second] = best.states;
        let [mut low, mut high] = best.sides;
        low.sort_unstable();
        high.sort_unstable();
        let seed = |side: u64| mixed(group.seed, side);
        Ok(Split::Sides(Box::new([
            Group { rows: low, state: first, seed: seed(1) },
            Group { rows: high, state: second, seed: seed(2) },
        ])))
    }

    /// Deals a group that cannot be split, and whose loss is `before`, into the largest number of parts
    /// that satisfy the constraints. Where constraints look only at sizes, the group stays whole.
    fn deal(&self, rows: Vec<u32>, before: f64) -> Vec<Vec<u32>> {
        let most = if self.problem.guarded() { rows.len() / self.least } else { 1 };
        let mut ordered = rows.clone();
        ordered.sort_by_key(|row| self.problem.secret(*row));
        let part = |number: usize, count: usize| -> Vec<u32> {
            let mut part: Vec<u32> = ordered.iter().copied().skip(number).step_by(count).collect();
            part.sort_unstable();
            part
        };
        let holds = |count: &usize| (0..*count).all(|number| self.problem.hold(&part(number, *count)));
        let Some(count) = (2..=most).rev().find(holds) else { return vec![rows] };
        let parts: Vec<Vec<u32>> = (0..count).map(|number| part(number, count)).collect();
        let states = parts.iter().filter_map(|part| self.problem.cluster(part));
        let after: f64 = states.map(|state| self.problem.measure.cluster(&state)).sum();
        if after <= before + ROUNDING * before.abs() { parts } else { vec![rows] }
    }

    /// The best of the tries after which both sides satisfy the constraints; the first of equally good
    /// ones.
    fn best(&self, group: &Group) -> Result<Option<Outcome>> {
        let attempt = |number| self.attempt(group, number);
        let outcomes: Vec<Option<Outcome>> = if group.rows.len() >= MIN_PARALLEL_ROWS {
            (0..self.cb.tries).into_par_iter().map(attempt).collect::<Result<_>>()?
        } else {
            (0..self.cb.tries).map(attempt).collect::<Result<_>>()?
        };
        Ok(outcomes.into_iter().flatten().reduce(|a, b| if b.loss < a.loss { b } else { a }))
    }

    fn attempt(&self, group: &Group, number: u64) -> Result<Option<Outcome>> {
        let mut rng = ChaCha12Rng::seed_from_u64(group.seed);
        rng.set_stream(number);
        let mut rows = group.rows.clone();
        rows.shuffle(&mut rng);
        let tuple = |row: u32| self.problem.encoded.tuple_of(row);
        let Some(other) = rows.iter().copied().find(|row| tuple(*row) != tuple(rows[0])).or(rows.get(1).copied())
        else {
            return Ok(None);
        };
        let mut centres = Centres::at(self.problem, [rows[0], other]);
        let mut sides = [Vec::new(), Vec::new()];
        for round in 0..self.cb.rounds {
            self.progress.advance(0)?;
            if round > 0 {
                let Some(moved) = Centres::of(self.problem, &sides) else { break };
                if moved == centres {
                    break;
                }
                centres = moved;
            }
            self.assign(&rows, &centres, &mut sides);
        }
        let [a, b] = &mut sides;
        self.borrow(a, b);
        self.borrow(b, a);
        let (Some(first), Some(second)) = (self.problem.cluster(a), self.problem.cluster(b)) else { return Ok(None) };
        if !self.problem.holds(&first) || !self.problem.holds(&second) {
            return Ok(None);
        }
        let loss = self.problem.measure.cluster(&first) + self.problem.measure.cluster(&second);
        Ok(Some(Outcome { loss, sides, states: [first, second] }))
    }

    /// Assigns every row to the better side.
    fn assign(&self, rows: &[u32], centres: &Centres, sides: &mut [Vec<u32>; 2]) {
        sides.iter_mut().for_each(Vec::clear);
        let mut growing = centres.0.each_ref().map(|centre| self.parts.side(centre.cluster(self.problem)));
        assign(&mut growing, sides, self.cb.compare, rows.iter().copied());
    }

    /// Fills a side that has too few rows with those rows of the other side that cost it least.
    fn borrow(&self, few: &mut Vec<u32>, many: &mut Vec<u32>) {
        if few.is_empty() && !many.is_empty() {
            few.push(many.remove(0));
        }
        if few.len() >= self.least {
            return;
        }
        let Some(mut growing) = self.problem.cluster(few).map(|cluster| self.parts.side(cluster)) else { return };
        while few.len() < self.least && !many.is_empty() {
            let row = many.remove(growing.cheapest(many));
            growing.add(row);
            few.push(row);
        }
    }
}
