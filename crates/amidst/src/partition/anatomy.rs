//! AT, the partition of Anatomy: the whole table dealt into groups of ℓ different sensitive values.
//!
//! # Idea
//! While records of ℓ different sensitive values are left, a group takes one random record of each of the ℓ most frequent of
//! them. The last few join groups that lack their value. It is blind to quasi-identifiers: for publications that keep
//! these as they are, not for closures, and as a yardstick.
//!
//! # Choices
//! As in the [refiner](crate::refine) of the same name, which deals the clusters of any other algorithm. Where the table cannot
//! be dealt, because a model asks for more than different values, it is one cluster.
//!
//! # Complexity
//! O(n log n).
//!
//! # Paper
//! Xiao, Tao: Anatomy: simple and effective privacy preservation. VLDB 2006.

use super::{Build, Partitioner};
use crate::cluster::{Game, L, parts};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "anatomy",
    about: "deals the table into groups of l different sensitive values, whatever the rest; time n log n",
    paper: "Xiao and Tao, VLDB 2006",
    params: &[L],
    build: |params| Box::new(Anatomy { l: params.integer("l") }),
};

struct Anatomy {
    l: u64,
}

impl Partitioner for Anatomy {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let rows: Vec<u32> = (0..problem.rows() as u32).collect();
        if rows.is_empty() {
            return Partition::new(0, [[]; 0]);
        }
        let parts = parts(&Game::new(problem, self.l)?, &rows, 0, progress)?;
        Partition::new(problem.rows(), parts.unwrap_or_else(|| vec![rows]))
    }
}
