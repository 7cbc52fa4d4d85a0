//! Basic β-likeness: in no class is a sensitive value more than 1 + β times as frequent as in the table.
//!
//! # Definition
//! With p the share of a sensitive value in a class and q its share in the table: (p − q) / q ≤ β. Unlike
//! t-closeness this limit is relative, so rare values count as much as frequent ones.
//!
//! # Properties
//! Monotone, because it limits the share of each value. The table as a whole has β = 0, so every β can be
//! reached.
//!
//! # Paper
//! Cao and Karras: Publishing microdata with a robust privacy guarantee. PVLDB 2012.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --require 'basic-beta(beta=2)'
//! ```

use super::shares::{excess, size_of, weight};
use super::{Attribute, Constraint, infeasible};
use crate::error::Error;
use crate::problem::Cluster;

pub(super) fn new(beta: f64, attribute: &Attribute) -> Limited {
    limited(attribute, "basic beta", beta, |_| beta)
}

/// Limits the share of every sensitive value in a cluster.
pub(super) struct Limited {
    /// The model and its level, for messages.
    asked: String,
    /// The largest share of each value.
    limits: Vec<f64>,
    place: usize,
    name: String,
}

/// Limits each share to the share q in the table times 1 + `gain(q)`.
pub(super) fn limited(attribute: &Attribute, model: &str, asked: f64, gain: impl Fn(f64) -> f64) -> Limited {
    let limits = attribute.shares().into_iter().map(|share| (share * (1.0 + gain(share))).min(1.0)).collect();
    let Attribute { place, sensitive, .. } = *attribute;
    Limited { asked: format!("{model} = {asked}"), limits, place, name: sensitive.name().to_owned() }
}

impl Constraint for Limited {
    fn lack(&self, cluster: &Cluster) -> f64 {
        excess(cluster, self.place, weight, |code| self.limits[code as usize])
    }

    fn min_size(&self) -> usize {
        size_of(self.limits.iter().copied().fold(0.0, f64::max))
    }

    fn refusal(&self, _whole: &Cluster) -> Error {
        infeasible(&self.asked, "beta = 0", &self.name)
    }
}
