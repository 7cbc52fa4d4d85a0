//! ARP, the refining: clusters with as few different sensitive values as the privacy models allow, all
//! equally frequent.
//!
//! # Idea
//! In a block with more than ℓ different sensitive values, or with some values more frequent than others,
//! the release says less about each record than it could. So every block is dealt into sub-blocks of ℓ
//! records with ℓ different values: one record of each of the ℓ values that are most frequent among the
//! remaining records. Fewer than ℓ records of a block are left over. These *residues* meet the residues of
//! neighbouring blocks; where ℓ of them have ℓ different values, they form another sub-block. The last
//! residues join a sub-block of their own block that lacks their value. Such a sub-block exists: if all of
//! them had the value, it would be too frequent in the block.
//!
//! # Choices
//! - `pick=random` takes a random record of each value, as in the paper. The default takes the nearest:
//!   records stand in the lexicographic order of `aip`; a sub-block begins with the first record of the
//!   most frequent value, and takes the nearest record of each other value. Blocks are neighbours in the
//!   same order, and the last of the residues come first.
//! - `order`: the partitioner `arp` takes the columns in the order of its `aip`. Here the column that says
//!   most about the sensitive value comes first by default (`order=falling`), which loses less in the
//!   clusters of Mondrian.
//! - Each residue gets its home first, and leaves it for a sub-block of residues if its home can spare it.
//!   As a refiner ARP must not raise the loss. So a block stays as it is if its sub-blocks cost more (which
//!   happens only with measures that look at sensitive values), and residues meet only if that costs no
//!   more. As a partitioner it lets residues meet whatever that costs, as the paper does: this raises the
//!   loss of quasi-identifiers but keeps more of what they say about sensitive values.
//! - `l` is as small as the privacy models allow, unless it is given. The least ℓ is the smallest number of
//!   different values, the most frequent of the table first, for which one record of each satisfies all
//!   models that look at sensitive values. If a model asks for more than ℓ records, neighbouring sub-blocks
//!   are united until they satisfy it. If that fails, the block stays as it is.
//! - With several sensitive columns, two records count as different if they differ in all of them.
//! - Without privacy models for sensitive values, all values count as the same, and a block is cut into
//!   runs of k records.
//!
//! # Complexity
//! O(n log n).
//!
//! # Paper
//! Zhu, Tian, Du and Xie: Anonymization on refining partition: same privacy, more utility. Computer Science
//! and Information Systems 2015, algorithm 2.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --l 3 --partitioner mondrian --refine arp
//! ```

use super::{Build, Refiner};
use crate::cluster::{Dealing, L, PICK};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "arp",
    about: "deals every cluster into sub-clusters of l similar records with different sensitive values; time n log n",
    paper: "Anonymization on refining partition (ARP), algorithm 2",
    params: &[L, ORDER, PICK],
    build: |params| Box::new(Arp(Dealing::new(params, true))),
};

const ORDER: Param = Param {
    name: "order",
    about: "the first column to compare records by: the one that goes together most with the sensitive column (falling), or least (rising)",
    range: Range::Choice(&["falling", "rising"]),
    default: Some(Value::Word("falling")),
};

struct Arp(Dealing);

impl Refiner for Arp {
    fn refine(&self, problem: &Problem, partition: Partition, progress: Progress) -> Result<Partition> {
        self.0.refined(problem, &partition, progress)
    }
}
