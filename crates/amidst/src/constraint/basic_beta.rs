//! Basic β-likeness: in no class is a sensitive value more than β times as frequent again as in the table, (p − q) / q ≤ β.
//!
//! A limit on the share of each value, so monotone. The table as a whole has β = 0.

use super::shares::{excess, size_of};
use super::{Attribute, Constraint, infeasible};
use crate::error::Error;
use crate::problem::Cluster;

pub(super) fn new(beta: f64, attribute: &Attribute) -> Limited {
    limited(attribute, "basic beta", beta, |_| beta)
}

/// Every value has a limit to its share.
pub(super) struct Limited {
    asked: String,
    limits: Vec<f64>,
    place: usize,
    name: String,
}

/// A share may be more by the part that `gain` gives for it.
pub(super) fn limited(attribute: &Attribute, model: &str, asked: f64, gain: impl Fn(f64) -> f64) -> Limited {
    let limits = attribute.shares().into_iter().map(|share| (share * (1.0 + gain(share))).min(1.0)).collect();
    let Attribute { place, sensitive } = *attribute;
    Limited { asked: format!("{model} = {asked}"), limits, place, name: sensitive.name().to_owned() }
}

impl Constraint for Limited {
    fn lack(&self, cluster: &Cluster) -> f64 {
        excess(cluster, &cluster.histograms()[self.place], |code| self.limits[code as usize])
    }

    fn min_size(&self) -> usize {
        size_of(self.limits.iter().copied().fold(0.0, f64::max))
    }

    fn refusal(&self, _whole: &Cluster) -> Error {
        infeasible(&self.asked, "beta = 0", &self.name)
    }
}
