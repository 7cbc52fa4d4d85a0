//! Entropy ℓ-diversity: the entropy of the sensitive values in every class is at least that of ℓ equally frequent ones.
//!
//! Monotone: entropy is concave, so a union has no less than the lesser of its parts.

use super::shares::{positive, size_of};
use super::{Attribute, Constraint, down, infeasible};
use crate::error::Error;
use crate::problem::{Cluster, Histogram};

pub(super) struct EntropyL {
    l: f64,
    place: usize,
    name: String,
}

impl EntropyL {
    pub(super) fn new(l: f64, attribute: &Attribute) -> Self {
        EntropyL { l, place: attribute.place, name: attribute.sensitive.name().to_owned() }
    }
}

/// The entropy of a histogram, in nats, times the number of its records.
fn entropy(size: usize, histogram: &Histogram) -> f64 {
    let weighted = |count: f64| count * count.ln();
    weighted(size as f64) - histogram.iter().map(|(_, times)| weighted(f64::from(times))).sum::<f64>()
}

impl Constraint for EntropyL {
    /// Not a number of records, but records of rare values lower it. It grows with the size only where one more value is
    /// no more than its share: with one record of each value the first ones would be the furthest from ℓ.
    fn lack(&self, cluster: &Cluster) -> f64 {
        let size = cluster.size() as f64;
        let short = self.l.ln() - entropy(cluster.size(), &cluster.histograms()[self.place]) / size;
        positive(short, 1.0) * size.max(self.l)
    }

    fn min_size(&self) -> usize {
        size_of(1.0 / self.l)
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        let best = (entropy(whole.size(), &whole.histograms()[self.place]) / whole.size().max(1) as f64).exp();
        infeasible(&format!("entropy l = {}", self.l), &format!("l = {}", down(best)), &self.name)
    }
}
