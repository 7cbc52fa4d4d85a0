//! AIP, the initial partition of ARP: one block for each value of a column, then for each value of the next
//! column.
//!
//! # Idea
//! Order the columns by how strongly they go together with the sensitive column, and sort the records
//! lexicographically. Split a block into one part for each value of the next column. A part that breaks a
//! constraint is merged with a random neighbour, the part before or after it, until it satisfies all
//! constraints. Parts that were not merged are split by the following column; merged parts are final. So
//! the first columns are generalized last.
//!
//! # Choices
//! - The columns are ranked by φ² with the first sensitive column. For that, and only for that, numbers
//!   with many values are put into ten groups. If no column is sensitive, φ² is not defined; then columns
//!   with few values come first, whatever `order` says. A column with many values would leave only merged
//!   parts, which are final, so nothing of the other columns would be kept.
//! - `order`: section 4.1 of the paper takes the columns by *falling* φ². The proof of its property 7 and
//!   its section 5.3 take them by *rising* φ². The parts of a column that says much about the sensitive
//!   value have few different ones, so they break a constraint most easily: for ℓ ≥ 4 on Adult with
//!   occupation, the first column merges everything into one block. Rising order leaves more blocks. That
//!   is why it is the default.
//! - Values stand in the order of their codes: numbers and ordered categories by value; taxonomies by their
//!   leaves, so that siblings are neighbours; sets and suppressed values by their text.
//! - Parts are checked from first to last, and a merged part is checked again at once. It takes a neighbour
//!   together with everything that was merged into it. In the worst case all parts end as one block, which
//!   satisfies every constraint. So the algorithm works with any constraint, monotone or not.
//! - `merged=split` splits merged parts by the remaining columns, too. With `merged=final`, as in the
//!   paper, one rare value makes a whole large part final. If no value of the first column holds by itself,
//!   the table is one block.
//!
//! # Complexity
//! O(n log n) for the sort and O(n · columns) for the splits.
//!
//! # Paper
//! Zhu, Tian, Du and Xie: Anonymization on refining partition: same privacy, more utility. Computer Science
//! and Information Systems 2015, algorithm 1.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --l 3 --partitioner 'aip(merged=split)'
//! ```

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
    about: "splits by the values of one column after the other, ranked by what they say about the sensitive one; time n log n",
    paper: "Anonymization on refining partition (ARP), algorithm 1",
    params: &[MERGED, ORDER],
    build: |params| Box::new(Aip::new(params)),
};

pub(super) const MERGED: Param = Param {
    name: "merged",
    about: "merged parts are final, as in the paper, or split by the remaining columns",
    range: Range::Choice(&["final", "split"]),
    default: Some(Value::Word("final")),
};

pub(super) const ORDER: Param = Param {
    name: "order",
    about: "first the columns that go together least with the sensitive column (rising), or most (falling)",
    range: Range::Choice(&["rising", "falling"]),
    default: Some(Value::Word("rising")),
};

pub(super) struct Aip {
    /// Whether merged parts are split by the remaining columns.
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

/// The state of one run.
struct Splitting<'a, 'r> {
    problem: &'a Problem,
    again: bool,
    progress: Progress<'a>,
    rng: ChaCha12Rng,
    /// The final blocks.
    blocks: Vec<&'r [u32]>,
}

/// Consecutive rows of a block.
struct Part {
    size: usize,
    /// The size and the sensitive values, for the constraints.
    state: Cluster,
    merged: bool,
}

impl<'r> Splitting<'_, 'r> {
    /// Splits rows that are sorted by these columns, first by the first column.
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

    /// The parts of a block by the values of a column. A part that breaks a constraint is merged with
    /// neighbours.
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
