//! Frequency ℓ-diversity: no sensitive value has more than 1/ℓ of a class.
//!
//! # Definition
//! With p_v the share of value v in a class: p_v ≤ 1/ℓ for every v. ℓ may be a fraction. It implies
//! distinct ⌈ℓ⌉-diversity.
//!
//! # Properties
//! Monotone: a share of a union lies between the shares of its parts.
//!
//! # Paper
//! Goldberger and Tassa: Efficient anonymizations with enhanced utility. Transactions on Data Privacy 2010.
//! Xiao and Tao: Anatomy. VLDB 2006.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --l 3
//! ```

use super::shares::{bearers, excess, largest, size_of};
use super::{Attribute, Constraint, down, infeasible};
use crate::error::Error;
use crate::problem::Cluster;

pub(super) struct FrequencyL {
    l: f64,
    place: usize,
    name: String,
}

impl FrequencyL {
    pub(super) fn new(l: f64, attribute: &Attribute) -> Self {
        FrequencyL { l, place: attribute.place, name: attribute.sensitive.name().to_owned() }
    }
}

impl Constraint for FrequencyL {
    fn lack(&self, cluster: &Cluster) -> f64 {
        excess(cluster, self.place, bearers, |_| 1.0 / self.l)
    }

    fn min_size(&self) -> usize {
        size_of(1.0 / self.l)
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        let best = 1.0 / largest(whole, self.place);
        infeasible(&format!("frequency l = {}", self.l), &format!("l = {}", down(best)), &self.name)
    }
}
