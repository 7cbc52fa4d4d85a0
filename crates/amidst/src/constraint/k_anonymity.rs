//! k-anonymity: every record shares its published quasi-identifiers with at least k − 1 others.
//!
//! # Definition
//! Every class has at least k records. Every plan asks for it. In a table with a person column, every class has records of at least k
//! different persons.
//!
//! # Properties
//! Monotone: a union has at least the records and the persons of each of its parts.
//!
//! # Paper
//! Samarati and Sweeney, 1998. Sweeney: k-anonymity: a model for protecting privacy. IJUFKS 2002.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5
//! ```

use super::Constraint;
use crate::error::Error;
use crate::problem::Cluster;

pub(super) struct KAnonymity {
    pub k: usize,
}

impl Constraint for KAnonymity {
    fn lack(&self, cluster: &Cluster) -> f64 {
        self.k.saturating_sub(cluster.persons()) as f64
    }

    fn only_grows(&self) -> bool {
        true
    }

    fn min_size(&self) -> usize {
        self.k
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        Error::TooFewRows { rows: whole.persons(), k: self.k }
    }

    fn uses_sensitive(&self) -> bool {
        false
    }
}
