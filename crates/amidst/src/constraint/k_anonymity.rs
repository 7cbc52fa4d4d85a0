//! k-anonymity: every record shares its published quasi-identifiers with at least k − 1 others. Monotone.

use super::{Build, Constraint};
use crate::error::{Error, Result};
use crate::problem::Cluster;
use crate::registry::{Entry, Param, Range};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "k-anonymity",
    about: "every record shares its published quasi-identifiers with at least k-1 others",
    paper: "Samarati and Sweeney, 1998; Sweeney, IJUFKS 2002",
    params: &[Param {
        name: "k",
        about: "the smallest class allowed; k = 1 would hide nobody",
        range: Range::Integer(2, u64::MAX),
        default: None,
    }],
    build: |params| Box::new(KAnonymity { k: params.integer("k") as usize }),
};

struct KAnonymity {
    k: usize,
}

impl Constraint for KAnonymity {
    fn holds(&self, cluster: &Cluster) -> bool {
        cluster.size() >= self.k
    }

    fn monotone(&self) -> bool {
        true
    }

    fn min_size(&self) -> usize {
        self.k
    }

    fn feasible(&self, whole: &Cluster) -> Result<()> {
        if self.holds(whole) { Ok(()) } else { Err(Error::TooFewRows { rows: whole.size(), k: self.k }) }
    }
}
