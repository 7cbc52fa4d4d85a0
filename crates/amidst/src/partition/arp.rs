//! ARP: [AIP](super::aip)'s blocks, refined to sub-blocks of ℓ different sensitive values.
//!
//! # Idea
//! The initial partition keeps the columns that tell most about the sensitive value; refining then leaves every block with as
//! few different sensitive values as the privacy models allow, all equally frequent. [`refine`](crate::refine) has the same for the
//! blocks of any other algorithm.
//!
//! # Choices
//! Every step is taken as the paper says, whatever it costs; the refiner of the same name takes only those that raise no loss. With
//! `--partitioner aip --refine arp` residues meet only where that costs no more.
//!
//! # Complexity
//! O(n log n).
//!
//! # Paper
//! Zhu, Tian, Du, Xie: Anonymization on refining partition: same privacy, more utility. Computer Science and Information
//! Systems 2015.

use super::aip::{Aip, MERGED};
use super::{Build, Partitioner};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::refine::{L, refined};
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "arp",
    about: "deals the clusters of aip into similar records with l different sensitive values; time n log n",
    paper: "Anonymization on refining partition (ARP), algorithms 1 and 2",
    params: &[L, MERGED],
    build: |params| Box::new(Arp { l: params.integer("l"), aip: Aip::new(params) }),
};

struct Arp {
    l: u64,
    aip: Aip,
}

impl Partitioner for Arp {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        refined(problem, &self.aip.partition(problem, progress)?, self.l, false, progress)
    }
}
