//! Frequency ℓ-diversity: no sensitive value has more than 1/ℓ of a class. ℓ may be a fraction.
//!
//! Monotone: a share of a union lies between those of its parts. It implies distinct ⌈ℓ⌉.

use super::shares::{excess, size_of};
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
        excess(cluster, &cluster.histograms()[self.place], |_| 1.0 / self.l)
    }

    fn min_size(&self) -> usize {
        size_of(1.0 / self.l)
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        let best = whole.size() as f64 / f64::from(whole.histograms()[self.place].most().max(1));
        infeasible(&format!("frequency l = {}", self.l), &format!("l = {}", down(best)), &self.name)
    }
}
