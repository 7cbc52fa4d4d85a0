//! Distinct ℓ-diversity: every class has at least ℓ different sensitive values.
//!
//! # Definition
//! The number of different sensitive values in a class is at least ℓ. This is easy to explain but weak: 99
//! of 100 records may have the same value.
//!
//! # Properties
//! Monotone: a union has the values of both parts.
//!
//! # Paper
//! Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam: ℓ-diversity: privacy beyond k-anonymity. TKDD
//! 2007.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --require 'distinct-l(l=3)'
//! ```

use super::{Attribute, Constraint, infeasible};
use crate::error::Error;
use crate::problem::Cluster;

pub(super) struct DistinctL {
    l: usize,
    place: usize,
    name: String,
}

impl DistinctL {
    pub(super) fn new(l: usize, attribute: &Attribute) -> Self {
        DistinctL { l, place: attribute.place, name: attribute.sensitive.name().to_owned() }
    }
}

impl Constraint for DistinctL {
    fn lack(&self, cluster: &Cluster) -> f64 {
        self.l.saturating_sub(cluster.values(self.place).count()) as f64
    }

    fn only_grows(&self) -> bool {
        true
    }

    fn min_size(&self) -> usize {
        self.l
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        let best = format!("l = {}", whole.values(self.place).count());
        infeasible(&format!("distinct l = {}", self.l), &best, &self.name)
    }
}
