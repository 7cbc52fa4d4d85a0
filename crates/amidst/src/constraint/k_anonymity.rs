//! k-anonymity: every record shares its published quasi-identifiers with at least k − 1 others. Monotone.

use super::{Build, Constraint};
use crate::error::Error;
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
    build: Build::Size(|params| Box::new(KAnonymity { k: params.integer("k") as usize })),
};

struct KAnonymity {
    k: usize,
}

impl Constraint for KAnonymity {
    fn lack(&self, cluster: &Cluster) -> f64 {
        self.k.saturating_sub(cluster.size()) as f64
    }

    fn min_size(&self) -> usize {
        self.k
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        Error::TooFewRows { rows: whole.size(), k: self.k }
    }

    fn uses_sensitive(&self) -> bool {
        false
    }
}
