//! AT, the partition of Anatomy, within every cluster of another algorithm.
//!
//! # Idea
//! A block is dealt into sub-blocks of ℓ records with ℓ different sensitive values: one record of each of
//! the ℓ values that are most frequent among the remaining records, again and again. The last few records
//! join sub-blocks that lack their value. The refiner does not look at quasi-identifiers: which record of a
//! value is taken is random.
//!
//! # Choices
//! - `l` is as small as the privacy models allow, unless it is given. The least ℓ is the smallest number of
//!   different values, the most frequent of the table first, for which one record of each satisfies all
//!   models that look at sensitive values. If a model asks for more than ℓ records, several such sets are
//!   united.
//! - With several sensitive columns, two records count as different if they differ in all of them.
//! - Sub-blocks lie within their block, so closures never grow. The loss may still rise with measures that
//!   look at sensitive values. If it would, or if a constraint would break, the block stays as it is.
//! - Without privacy models for sensitive values, all values count as the same, and a block is cut into
//!   random sub-blocks of k records.
//!
//! # Complexity
//! O(n log n).
//!
//! # Paper
//! Xiao and Tao: Anatomy: simple and effective privacy preservation. VLDB 2006.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --l 3 --refine anatomy
//! ```

use rayon::prelude::*;

use super::{Build, Refiner};
use crate::cluster::{Game, L, parts};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "anatomy",
    about: "deals every cluster into sub-clusters with l different sensitive values, without looking at other columns; time n log n",
    paper: "Xiao and Tao, VLDB 2006",
    params: &[L],
    build: |params| Box::new(Anatomy { l: params.integer("l") }),
};

struct Anatomy {
    l: u64,
}

impl Refiner for Anatomy {
    fn refine(&self, problem: &Problem, partition: Partition, progress: Progress) -> Result<Partition> {
        progress.begin("refining", problem.rows() as u64)?;
        let game = Game::new(problem, self.l)?;
        let blocks: Vec<&[u32]> = partition.clusters().collect();
        let refined = blocks.par_iter().enumerate().map(|(number, block)| {
            let parts = parts(&game, block, number as u64, progress)?;
            Ok(parts.filter(|parts| game.costs_no_more(parts, &[block])).unwrap_or_else(|| vec![block.to_vec()]))
        });
        Partition::new(problem.rows(), refined.collect::<Result<Vec<_>>>()?.concat())
    }
}
