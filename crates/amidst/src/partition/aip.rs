//! AIP, the initial partition of ARP: one block per value of a column, then of the next, by how much they tell about the sensitive value.
//!
//! # Idea
//! Order the columns by how strongly they go together with the sensitive column, and sort the records lexicographically. A
//! block is split into one part per value of the next column. A part that breaks a constraint merges with a random
//! neighbour, the part before or behind it, again and again until it holds. Parts that were not merged are split by the column after that;
//! merged ones are final. So the columns that come first are the last to be generalized.
//!
//! # Choices
//! - φ² with the first sensitive column ranks the columns; numbers with many values are put into ten groups for that, and
//!   for that alone. Where no column is sensitive φ² is not defined, and columns with few values come first, whatever the `order`: a column of
//!   many values leaves only merged parts, which are final, so nothing of the others would be kept.
//! - Section 4.1 of the paper takes the columns in *falling* φ², the proof of its property 7 and its section 5.3 in *rising* φ². The parts of a
//!   column that tells much about the sensitive value have few different ones, so they break a constraint most easily: with ℓ = 4 and more on
//!   Adult with occupation the first column merges all into one block. Rising leaves more blocks, and what ARP makes of them loses less
//!   for most ℓ, so it is the default.
//! - Values stand in the order of their codes: numbers and ordered categories by value, taxonomies by the order of their
//!   leaves, so that siblings are neighbours, sets and suppressed values by their text.
//! - Parts are looked at from the first to the last; one that has been merged is looked at again at once. A part takes a
//!   neighbour with all that this has been merged with. In the end all parts are one block, which holds, so this works with any constraint,
//!   be it monotone or not.
//! - With `merged=split` merged parts are split by the columns that are left, too. As the paper has it, one rare value
//!   makes a whole large part final, and where no value of the first column holds by itself, the table is one block.
//!
//! # Complexity
//! O(n log n) for the sort and O(n · columns) for the splits.
//!
//! # Paper
//! Zhu, Tian, Du, Xie: Anonymization on refining partition: same privacy, more utility. Computer Science and Information
//! Systems 2015, algorithm 1.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use super::{Build, Partitioner};
use crate::cluster::order;
use crate::encode::Order;
use crate::error::Result;
use crate::problem::{Cluster, Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Params, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "aip",
    about: "splits by the values of one column after the other, ordered by what they tell about the sensitive one; time n log n",
    paper: "Anonymization on refining partition (ARP), algorithm 1",
    params: &[MERGED, ORDER],
    build: |params| Box::new(Aip::new(params)),
};

pub(super) const MERGED: Param = Param {
    name: "merged",
    about: "what becomes of parts that were merged: final as in the paper, or split by the columns that are left",
    range: Range::Choice(&["final", "split"]),
    default: Some(Value::Word("final")),
};

pub(super) const ORDER: Param = Param {
    name: "order",
    about: "which columns come first: those that go together least with the sensitive one (rising), or most (falling)",
    range: Range::Choice(&["rising", "falling"]),
    default: Some(Value::Word("rising")),
};

pub(super) struct Aip {
    /// Whether merged parts are split by the columns that are left.
    again: bool,
    order: Order,
}

impl Aip {
    pub(super) fn new(params: &Params) -> Self {
        Aip { again: params.word("merged") == "split", order: order(params) }
    }
}

impl Partitioner for Aip {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let columns = problem.encoded.by_correlation(self.order);
        let mut rows = problem.encoded.lexicographic(&columns);
        let rng = ChaCha12Rng::seed_from_u64(problem.seed);
        let mut splitting = Splitting { problem, again: self.again, progress, rng, blocks: Vec::new() };
        if !rows.is_empty() {
            splitting.split(&mut rows, &columns)?;
        }
        Partition::new(problem.rows(), splitting.blocks)
    }
}

struct Splitting<'a, 'r> {
    problem: &'a Problem,
    again: bool,
    progress: Progress<'a>,
    rng: ChaCha12Rng,
    /// Those that are final.
    blocks: Vec<&'r [u32]>,
}

/// Rows that stand one after the other in a block.
struct Part {
    size: usize,
    /// What the constraints see of it.
    state: Cluster,
    merged: bool,
}

impl<'r> Splitting<'_, 'r> {
    /// Splits rows that are sorted by these columns by the first of them.
    fn split(&mut self, rows: &'r mut [u32], columns: &[usize]) -> Result<()> {
        let Some((column, next)) = columns.split_first() else { return self.finish(rows) };
        let parts = self.parts(rows, *column);
        let mut rest = rows;
        for part in parts {
            let (part_rows, behind) = rest.split_at_mut(part.size);
            rest = behind;
            if part.merged && !self.again {
                self.finish(part_rows)?;
                continue;
            }
            if part.merged {
                let encoded = &self.problem.encoded;
                let codes = |row: u32| next.iter().map(move |column| encoded.row(row)[*column]);
                part_rows.sort_by(|a, b| codes(*a).cmp(codes(*b)));
            }
            self.split(part_rows, next)?;
        }
        Ok(())
    }

    fn finish(&mut self, rows: &'r [u32]) -> Result<()> {
        self.blocks.push(rows);
        self.progress.advance(rows.len() as u64)
    }

    /// One part per value of the column, those merged that do not hold alone.
    fn parts(&mut self, rows: &[u32], column: usize) -> Vec<Part> {
        let problem = self.problem;
        let value = |row: u32| problem.encoded.row(row)[column];
        let values = rows.chunk_by(|a, b| value(*a) == value(*b));
        let mut ahead = values.map(|rows| Part { size: rows.len(), state: problem.outline(rows), merged: false });
        let mut next = ahead.next();
        let mut done: Vec<Part> = Vec::new();
        while let Some(mut part) = next {
            next = ahead.next();
            while !problem.holds(&part.state) {
                let before = !done.is_empty() && (next.is_none() || self.rng.random());
                let neighbour = if before { done.pop() } else { std::mem::replace(&mut next, ahead.next()) };
                let Some(neighbour) = neighbour else { break };
                part.size += neighbour.size;
                problem.join(&mut part.state, &neighbour.state);
                part.merged = true;
            }
            done.push(part);
        }
        done
    }
}
