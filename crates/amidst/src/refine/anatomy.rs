//! AT, the partition of Anatomy, in every block.
//!
//! # Idea
//! A block is dealt into sub-blocks of ℓ records with ℓ different sensitive values: one of each of the ℓ values that are most
//! frequent among the records that remain, again and again. The last few join sub-blocks that lack their value. It is
//! blind to quasi-identifiers: which record of a value is taken is a matter of chance.
//!
//! # Choices
//! - `l` is as small as the privacy models allow, unless given: the least number of different values of which one record each
//!   satisfies all models that look at sensitive values, the most frequent values of the table taken first. Where more
//!   records than ℓ are asked for, several of these sets are united.
//! - With several sensitive columns records are different when they differ in all of them.
//! - A sub-block lies within the block, so that closures never grow. Where the loss would rise nevertheless, as it may by
//!   measures that look at sensitive values, or where a constraint cannot be kept, the block stays as it is.
//! - Without privacy models for sensitive values all values count as the same, and a block is cut into random sub-blocks of k.
//!
//! # Complexity
//! O(n log n).
//!
//! # Paper
//! Xiao, Tao: Anatomy: simple and effective privacy preservation. VLDB 2006.

use rayon::prelude::*;

use super::{Build, Refiner};
use crate::cluster::{Game, L, parts};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "anatomy",
    about: "deals every cluster into sub-clusters of l different sensitive values, whatever the rest; time n log n",
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
