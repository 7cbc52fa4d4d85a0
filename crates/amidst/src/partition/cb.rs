//! CB: split a group in two by K-means, again and again.
//!
//! # Idea
//! Begin with all records in one group. Take two records as centres, put every record to the centre with which it would
//! lose less, move each centre to the mean of its side, and do so a few times. The best of several tries is
//! kept, and the two sides are split in turn, until they have fewer than two clusters' worth of records.
//!
//! # Choices
//! The paper writes the penalty of a record both with the centre and with the growing side. Here it is the one with the centre,
//! as in K-means: closures of large sides take in nearly everything, and then say nothing.
//!
//! - A try: the records in random order; the first is one centre, the first that differs from it the other. A record goes
//!   to the side where it and the centre alone lose less; to the smaller side where that is the same.
//! - The mean of a side, again a record, has the mean code of numbers and ordered categories, rounded, and the most frequent
//!   code (the lowest of several) of all other columns and of sensitive values.
//! - `rounds` counts the passes over the records, that from the random centres included. The paper stops long before
//!   the sides settle and does not say when; means of large sides lie close together, so more rounds do not help.
//! - A side with too few records takes from the other, one at a time, the record that makes it lose least, the first in
//!   the try's order where there are several.
//! - The best try is the one after which both sides hold and lose least together. It is kept unless that is more than
//!   before. By measures that grow with the closure it never is, so groups end below two clusters' worth, as in the paper.
//! - Every group draws from a random stream of its own, and every try from a part of that, so threads change nothing.
//!
//! # Complexity
//! O(n · tries · rounds · columns) for all groups of one depth, and O(log n) depths for balanced splits; groups, and the
//! tries of large ones, in parallel.
//!
//! # Paper
//! He, Chen, Chen, Dong, Wang, Huang: Clustering-based k-anonymity. PAKDD 2012.

mod centre;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use self::centre::{Centres, Pairs};
use super::{Build, Partitioner};
use crate::error::Result;
use crate::problem::{Cluster, Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "cb",
    about: "splits groups in two by K-means, the best of several tries each; time n log n, times tries and rounds",
    paper: "He, Chen, Chen, Dong, Wang and Huang, PAKDD 2012",
    params: &[
        Param {
            name: "tries",
            about: "how often each group is split anew, to keep the best",
            range: Range::Integer(1, 1_000_000),
            default: Some(Value::Integer(15)),
        },
        Param {
            name: "rounds",
            about: "how often each try assigns the records to its centres",
            range: Range::Integer(1, 1_000_000),
            default: Some(Value::Integer(2)),
        },
    ],
    build: |params| Box::new(Cb { tries: params.integer("tries"), rounds: params.integer("rounds") }),
};

/// Groups below this size are not worth several threads.
const PARALLEL: usize = 4096;

/// By what share rounding may make the sum of two losses larger than that of the whole.
const ROUNDING: f64 = 1e-12;

struct Cb {
    tries: u64,
    rounds: u64,
}

impl Partitioner for Cb {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let rows: Vec<u32> = (0..problem.rows() as u32).collect();
        let Some(state) = problem.cluster(&rows) else { return Partition::new(0, [[]; 0]) };
        let search = Search { cb: self, problem, pairs: Pairs::new(problem), least: problem.min_size(), progress };
        let mut open = vec![Group { rows, state, seed: problem.seed }];
        let mut done: Vec<Vec<u32>> = Vec::new();
        // One depth after the other: a recursion could go as deep as there are clusters.
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
        Partition::new(problem.rows(), done)
    }
}

/// Records that may be split further.
struct Group {
    /// Rising.
    rows: Vec<u32>,
    state: Cluster,
    /// Of the random choices in it.
    seed: u64,
}

enum Split {
    Done(Vec<u32>),
    Sides([Group; 2]),
}

/// What a try came to.
struct Outcome {
    loss: f64,
    sides: [Vec<u32>; 2],
    states: [Cluster; 2],
}

struct Search<'a> {
    cb: &'a Cb,
    problem: &'a Problem,
    pairs: Pairs<'a>,
    least: usize,
    progress: Progress<'a>,
}

impl Search<'_> {
    fn split(&self, group: Group) -> Result<Split> {
        let best = if group.rows.len() < 2 * self.least { None } else { self.best(&group)? };
        let before = self.problem.measure.cluster(&group.state);
        let Some(best) = best.filter(|best| best.loss <= before + ROUNDING * before.abs()) else {
            self.progress.advance(group.rows.len() as u64)?;
            return Ok(Split::Done(group.rows));
        };
        let [first, second] = best.states;
        let [mut low, mut high] = best.sides;
        low.sort_unstable();
        high.sort_unstable();
        let seed = |side: u64| mixed(group.seed, side);
        Ok(Split::Sides([
            Group { rows: low, state: first, seed: seed(1) },
            Group { rows: high, state: second, seed: seed(2) },
        ]))
    }

    /// The first of the best tries after which both sides hold.
    fn best(&self, group: &Group) -> Result<Option<Outcome>> {
        let attempt = |number| self.attempt(group, number);
        let outcomes: Vec<Option<Outcome>> = if group.rows.len() >= PARALLEL {
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

    /// Puts every row to the side of the centre with which it loses less.
    fn assign(&self, rows: &[u32], centres: &Centres, sides: &mut [Vec<u32>; 2]) {
        sides.iter_mut().for_each(Vec::clear);
        let ask = [self.pairs.with(&centres.0[0]), self.pairs.with(&centres.0[1])];
        for row in rows {
            let (first, second) = (ask[0].cost(*row), ask[1].cost(*row));
            let side = if first < second {
                0
            } else if second < first {
                1
            } else {
                usize::from(sides[1].len() < sides[0].len())
            };
            sides[side].push(*row);
        }
    }

    /// Fills a side that has too few rows with those of the other that cost it least.
    fn borrow(&self, few: &mut Vec<u32>, many: &mut Vec<u32>) {
        if few.len() >= self.least {
            return;
        }
        let mut cluster = self.problem.cluster(few);
        while few.len() < self.least && !many.is_empty() {
            let place = cluster.as_ref().map_or(0, |cluster| self.pairs.cheapest(cluster, many));
            let row = many.remove(place);
            few.push(row);
            match &mut cluster {
                Some(cluster) => self.problem.add(cluster, row),
                None => cluster = self.problem.cluster(few),
            }
        }
    }
}

/// A seed made of another and a number (the finalizer of splitmix64).
fn mixed(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
