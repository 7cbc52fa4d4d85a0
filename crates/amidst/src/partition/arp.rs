//! ARP: [AIP](super::aip)'s blocks, refined to sub-blocks of ℓ different sensitive values.
//!
//! # Idea
//! The initial partition keeps the columns that come first in the order of what they tell about the sensitive value; refining then leaves every block with as
//! few different sensitive values as the privacy models allow, all equally frequent. [`refine`](crate::refine) has the same for the
//! blocks of any other algorithm.
//!
//! # Choices
//! - All steps are taken whatever they cost; the refiner of the same name takes only those that raise no loss. With
//!   `--partitioner aip --refine arp` residues meet only where that costs no more.
//! - Algorithm 2 takes a *random* record of each bucket: `pick=random`. By default it is the nearest, which loses less.
//! - Sections 4.1 and 5.3 differ about the `order` of the columns, see [AIP](super::aip).
//! - Which residues of neighbouring blocks meet the paper leaves open; the [refiner](crate::refine) says which do.
//!
//! # Complexity
//! O(n log n).
//!
//! # Paper
//! Zhu, Tian, Du, Xie: Anonymization on refining partition: same privacy, more utility. Computer Science and Information
//! Systems 2015.

use super::aip::{Aip, MERGED, ORDER};
use super::{Build, Partitioner};
use crate::cluster::{Dealing, L, PICK};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "arp",
    about: "deals the clusters of aip into similar records with l different sensitive values; time n log n",
    paper: "Anonymization on refining partition (ARP), algorithms 1 and 2",
    params: &[L, MERGED, ORDER, PICK],
    build: |params| Box::new(Arp { aip: Aip::new(params), dealing: Dealing::new(params, false) }),
};

struct Arp {
    aip: Aip,
    dealing: Dealing,
}

impl Partitioner for Arp {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        self.dealing.refined(problem, &self.aip.partition(problem, progress)?, progress)
    }
}
