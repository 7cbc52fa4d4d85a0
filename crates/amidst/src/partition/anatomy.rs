//! AT, the partition of Anatomy: the whole table dealt into groups with ℓ different sensitive values.
//!
//! # Idea
//! While records with ℓ different sensitive values are left, form a group of one random record of each of
//! the ℓ values that are most frequent among them. The last few records join groups that lack their value.
//! The algorithm does not look at quasi-identifiers. Use it for releases that keep them as they are, such
//! as anatomy, and as a baseline.
//!
//! # Choices
//! As in the refiner `anatomy`, which deals the clusters of any other algorithm. If the table cannot be
//! dealt, because a model asks for more than different values, it becomes one cluster.
//!
//! # Complexity
//! O(n log n).
//!
//! # Paper
//! Xiao and Tao: Anatomy: simple and effective privacy preservation. VLDB 2006.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --l 3 --publish anatomy --partitioner anatomy
//! ```

use super::{Build, Partitioner};
use crate::cluster::{Game, L, parts};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "anatomy",
    about: "deals the table into groups with l different sensitive values, without looking at other columns; time n log n",
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
