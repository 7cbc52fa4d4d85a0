//! (α, k)-anonymity: besides k-anonymity, no sensitive value has more than the share α of a class.
//!
//! # Definition
//! For every class of n records and every sensitive value v that occurs n_v times in it: n_v / n ≤ α. This
//! is the general form of the paper: it protects every value, not only a chosen one. It is the same as
//! frequency ℓ-diversity with ℓ = 1/α.
//!
//! # Properties
//! Monotone: a share of a union lies between the shares of its parts.
//!
//! # Paper
//! Wong, Li, Fu and Wang: (α, k)-anonymity. KDD 2006.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --require 'alpha-k(alpha=0.5)'
//! ```

use super::shares::{bearers, excess, largest, size_of};
use super::{Attribute, Constraint, infeasible};
use crate::error::Error;
use crate::problem::Cluster;

pub(super) struct AlphaK {
    alpha: f64,
    place: usize,
    name: String,
}

impl AlphaK {
    pub(super) fn new(alpha: f64, attribute: &Attribute) -> Self {
        AlphaK { alpha, place: attribute.place, name: attribute.sensitive.name().to_owned() }
    }
}

impl Constraint for AlphaK {
    fn lack(&self, cluster: &Cluster) -> f64 {
        excess(cluster, self.place, bearers, |_| self.alpha)
    }

    fn min_size(&self) -> usize {
        size_of(self.alpha)
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        let best = largest(whole, self.place);
        let best = format!("alpha = {}", (best * 1e4).ceil() / 1e4);
        infeasible(&format!("alpha = {}", self.alpha), &best, &self.name)
    }
}
