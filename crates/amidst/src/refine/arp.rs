//! ARP, refining: blocks of as few different sensitive values as the privacy models allow, each as often as the others.
//!
//! # Idea
//! In a block with more than ℓ different sensitive values, or with some more frequent than others, the release says less about
//! each record than it might. So every block is dealt into sub-blocks of ℓ records with ℓ different values: one record of each of the ℓ values that are most
//! frequent among those that remain. Fewer than ℓ records of a block are left over. These *residues* meet those of the neighbouring blocks;
//! where ℓ of them have ℓ different values, they make a further sub-block. The last residues join a sub-block of their own block that
//! lacks their value. One exists: if all sub-blocks had it, it would be too frequent in the block.
//!
//! # Choices
//! - The paper takes a random record of a bucket: `pick=random`. By default it is the nearest: records stand in the lexicographic order of
//!   [AIP](crate::partition); a sub-block begins with the first record of the largest bucket, and of the
//!   others the nearest to it are taken. Blocks are neighbours in the same order, and of the residues the last come first.
//!   The partitioner of the same name takes the columns as its AIP does. Here the column that tells most about the sensitive value comes
//!   first (`order=falling`), which loses less in Mondrian's blocks.
//! - Each residue finds its home first, and leaves it for a sub-block of residues if its home can do without. As a refiner
//!   ARP must not raise the loss, so a block stays as it is where its sub-blocks cost more (they lie within it, so that happens
//!   only by measures that look at sensitive values), and residues stay at home unless it costs no more that they meet. As a partitioner it
//!   lets them meet whatever that costs, as the paper does: residues that meet raise the loss of quasi-identifiers, but more of
//!   what they say about sensitive values is kept.
//! - `l` is as small as the privacy models allow, unless given: the least number of different values of which one record each
//!   satisfies all models that look at sensitive values, the most frequent values of the table taken first. Where more
//!   records than ℓ are asked for, neighbouring sets of ℓ are united until they hold. A block for which that does not work stays as it is.
//! - With several sensitive columns records are different when they differ in all of them.
//! - Without privacy models for sensitive values all values count as the same, and a block is cut into runs of k.
//!
//! # Complexity
//! O(n log n).
//!
//! # Paper
//! Zhu, Tian, Du, Xie: Anonymization on refining partition: same privacy, more utility. Computer Science and Information
//! Systems 2015, algorithm 2.

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
    about: "by which column records are near: first the one that goes together most with the sensitive one, or least (rising)",
    range: Range::Choice(&["falling", "rising"]),
    default: Some(Value::Word("falling")),
};

struct Arp(Dealing);

impl Refiner for Arp {
    fn refine(&self, problem: &Problem, partition: Partition, progress: Progress) -> Result<Partition> {
        self.0.refined(problem, &partition, progress)
    }
}
