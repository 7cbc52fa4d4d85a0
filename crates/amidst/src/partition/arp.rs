//! ARP, anonymization on refining partition: the blocks of AIP, refined to sub-blocks with ℓ different
//! sensitive values.
//!
//! # Idea
//! The initial partition of `aip` splits by one column after the other, so the last columns of its order
//! are generalized most. The refining then deals the records of every block into sub-blocks with as few
//! different sensitive values as the privacy models allow, all equally frequent. The refiner `arp` does the
//! same for the blocks of any other algorithm.
//!
//! # Choices
//! - This partitioner takes all steps, whatever they cost. The refiner of the same name takes only steps
//!   that do not raise the loss. With the partitioner `aip` and the refiner `arp`, residues of different
//!   blocks meet only where that costs nothing.
//! - `pick`: algorithm 2 of the paper takes a *random* record of each sensitive value (`pick=random`). The
//!   default takes the nearest one, which loses less.
//! - `order`: sections 4.1 and 5.3 of the paper differ about the order of the columns; see `aip`.
//! - The paper leaves open which residues of neighbouring blocks meet. The page of the refiner `arp` says
//!   which do here.
//!
//! # Complexity
//! O(n log n).
//!
//! # Paper
//! Zhu, Tian, Du and Xie: Anonymization on refining partition: same privacy, more utility. Computer Science
//! and Information Systems 2015.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --l 3 --partitioner arp
//! ```

use super::aip::{Aip, MERGED, ORDER};
use super::{Build, Partitioner};
use crate::cluster::{Dealing, L, PICK};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "arp",
    about: "deals the clusters of aip into sub-clusters of similar records with l different sensitive values; time n log n",
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
