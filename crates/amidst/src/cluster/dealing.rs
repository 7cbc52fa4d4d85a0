//! Dealing blocks into sub-blocks with different sensitive values, for the algorithm ARP in
//! [`partition`](crate::partition) and [`refine`](crate::refine).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use super::buckets::{Dealt, Game, Seen};
use crate::encode::{Code, Order};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Param, Params, Range, Value};

/// The parameter `pick` of ARP.
pub(crate) const PICK: Param = Param {
    name: "pick",
    about: "which record of a sensitive value joins a sub-block: the nearest one, or a random one as in the paper",
    range: Range::Choice(&["nearest", "random"]),
    default: Some(Value::Word("nearest")),
};

/// The order of the columns, from the parameter `order`.
pub(crate) fn order(params: &Params) -> Order {
    if params.word("order") == "rising" { Order::Rising } else { Order::Falling }
}

/// The largest number of values, besides 4ℓ, whose residues wait to meet others. Above it, waiting residues stay at home. If
/// no value has more than 1/ℓ of a block, it is never reached.
const MAX_WAITING_VALUES: usize = 256;

/// How blocks are dealt.
pub(crate) struct Dealing {
    l: u64,
    order: Order,
    /// Whether a random record of a value is taken instead of the nearest one.
    at_random: bool,
    /// Whether only steps are taken that do not raise the loss.
    thrifty: bool,
}

impl Dealing {
    pub(crate) fn new(params: &Params, thrifty: bool) -> Self {
        let at_random = params.word("pick") == "random";
        Dealing { l: params.integer("l"), order: order(params), at_random, thrifty }
    }

    /// Refines a partition.
    pub(crate) fn refined(&self, problem: &Problem, partition: &Partition, progress: Progress) -> Result<Partition> {
        progress.begin("refining", problem.rows() as u64)?;
        let game = Game::new(problem, self.l)?;
        let encoded = &problem.encoded;
        let mut place = vec![0; problem.rows()];
        for (number, row) in encoded.lexicographic(&encoded.by_correlation(self.order)).into_iter().enumerate() {
            place[row as usize] = number;
        }
        let mut blocks: Vec<Vec<u32>> = partition.clusters().map(<[u32]>::to_vec).collect();
        blocks.par_iter_mut().for_each(|rows| rows.sort_unstable_by_key(|row| place[*row as usize]));
        blocks.sort_unstable_by_key(|rows| rows.first().map(|row| place[*row as usize]));
        let dealt = blocks.into_par_iter().enumerate().map(|(number, mut rows)| {
            if self.at_random {
                // Neighbours in a random order are random records.
                let mut rng = ChaCha12Rng::seed_from_u64(problem.seed);
                rng.set_stream(number as u64);
                rows.shuffle(&mut rng);
            }
            let dealt = game.deal(&rows, progress)?;
            let dealt = dealt.filter(|dealt| !self.thrifty || game.costs_no_more(&dealt.parts, &[&rows]));
            Ok(dealt.unwrap_or_else(|| Dealt { parts: vec![rows], residues: Vec::new() }))
        });
        let dealt: Vec<Dealt> = dealt.collect::<Result<_>>()?;
        let mut meeting = Meeting { game: &game, thrifty: self.thrifty, parts: Vec::new(), waiting: BTreeMap::new() };
        for dealt in dealt {
            progress.advance(0)?;
            meeting.add(dealt);
        }
        Partition::new(problem.rows(), meeting.parts)
    }
}

/// A residue, and the number of the sub-block that is its home.
#[derive(Clone, Copy)]
struct Residue {
    row: u32,
    home: usize,
}

/// The search for new sub-blocks among the residues of neighbouring blocks.
struct Meeting<'a> {
    game: &'a Game<'a>,
    thrifty: bool,
    /// All sub-blocks.
    parts: Vec<Vec<u32>>,
    /// The residues that may still leave their homes, by value. Those of the last block come last.
    waiting: BTreeMap<Vec<Code>, Vec<Residue>>,
}

impl Meeting<'_> {
    /// Adds the next block.
    fn add(&mut self, block: Dealt) {
        let first = self.parts.len();
        self.parts.extend(block.parts);
        for (row, home) in block.residues {
            if self.waiting.len() > MAX_WAITING_VALUES.max(4 * self.game.l) {
                self.waiting.clear();
            }
            let waiting = self.waiting.entry(self.game.values(row).collect()).or_default();
            waiting.push(Residue { row, home: first + home });
        }
        while let Some(mut met) = self.take() {
            if !self.leave(&met) {
                // The residue that has waited longest stays at home.
                met.sort_unstable_by_key(|residue| Reverse(residue.home));
                met.pop();
                self.give_back(met);
            }
        }
    }

    /// Takes residues that together are large enough: as many sets of ℓ different values as the least size
    /// needs.
    fn take(&mut self) -> Option<Vec<Residue>> {
        let problem = self.game.problem;
        let mut met: Vec<Residue> = Vec::new();
        while met.is_empty() || met.len() < problem.min_size() {
            let Some(set) = self.take_set() else {
                self.give_back(met);
                return None;
            };
            met.extend(set);
        }
        Some(met)
    }

    /// Takes the last residue of each of the ℓ values with most residues, if there are that many.
    fn take_set(&mut self) -> Option<Vec<Residue>> {
        if self.waiting.len() < self.game.l {
            return None;
        }
        let mut ends: Vec<(usize, Residue)> =
            self.waiting.values().filter_map(|of| Some((of.len(), *of.last()?))).collect();
        ends.sort_by_key(|(count, _)| Reverse(*count));
        let mut seen = Seen::default();
        ends.retain(|(_, residue)| seen.add(self.game, residue.row));
        ends.truncate(self.game.l);
        if ends.len() < self.game.l {
            return None;
        }
        let set: Vec<Residue> = ends.into_iter().map(|(_, residue)| residue).collect();
        for residue in &set {
            let value: Vec<Code> = self.game.values(residue.row).collect();
            if let Some(of) = self.waiting.get_mut(&value) {
                of.pop();
                if of.is_empty() {
                    self.waiting.remove(&value);
                }
            }
        }
        Some(set)
    }

    fn give_back(&mut self, residues: Vec<Residue>) {
        for residue in residues {
            let value = self.game.values(residue.row).collect();
            self.waiting.entry(value).or_default().push(residue);
        }
    }

    /// Forms a sub-block of residues if it satisfies the constraints and their homes still do without them.
    /// Returns whether it did.
    fn leave(&mut self, met: &[Residue]) -> bool {
        let rows: Vec<u32> = met.iter().map(|residue| residue.row).collect();
        let mut homes: Vec<usize> = met.iter().map(|residue| residue.home).collect();
        homes.sort_unstable();
        homes.dedup();
        let stay = |home: &usize| self.parts[*home].iter().copied().filter(|row| !rows.contains(row)).collect();
        let mut after: Vec<Vec<u32>> = homes.iter().map(stay).collect();
        after.push(rows);
        if !after.iter().all(|rows| self.game.problem.hold(rows)) {
            return false;
        }
        let before: Vec<&Vec<u32>> = homes.iter().map(|home| &self.parts[*home]).collect();
        if self.thrifty && !self.game.costs_no_more(&after, &before) {
            return false;
        }
        self.parts.extend(after.pop());
        for (home, rows) in homes.into_iter().zip(after) {
            self.parts[home] = rows;
        }
        true
    }
}
