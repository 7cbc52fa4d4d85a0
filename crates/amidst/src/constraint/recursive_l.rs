//! Recursive (c, ℓ)-diversity: the most frequent sensitive value of a class is not too frequent compared
//! with the rare ones.
//!
//! # Definition
//! With r₁ ≥ r₂ ≥ … ≥ r_m the counts of the sensitive values in a class: r₁ < c (r_ℓ + … + r_m). Somebody
//! who can rule out ℓ − 2 values is still left with some doubt.
//!
//! # Properties
//! Monotone, as its authors prove.
//!
//! # Paper
//! Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam: ℓ-diversity: privacy beyond k-anonymity. TKDD
//! 2007.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --require 'recursive-l(c=2, l=3)'
//! ```

use super::shares::ROUNDING;
use super::{Attribute, Constraint, infeasible};
use crate::error::Error;
use crate::problem::Cluster;

pub(super) struct RecursiveL {
    c: f64,
    l: usize,
    place: usize,
    name: String,
}

impl RecursiveL {
    pub(super) fn new(c: f64, l: usize, attribute: &Attribute) -> Self {
        RecursiveL { c, l, place: attribute.place, name: attribute.sensitive.name().to_owned() }
    }

    /// The weights of the values, the largest first.
    fn counts(&self, cluster: &Cluster) -> Vec<f64> {
        let mut counts: Vec<f64> = cluster.values(self.place).map(|value| value.weight).collect();
        counts.sort_unstable_by(|a, b| b.total_cmp(a));
        counts
    }

    /// The weight of the most frequent value, and the sum of the weights from the ℓ-th value on.
    fn ends(&self, counts: &[f64]) -> (f64, f64) {
        // The sum of no numbers is -0.0, and a quotient of it is negative.
        (counts.first().copied().unwrap_or(0.0), counts.iter().skip(self.l - 1).sum::<f64>() + 0.0)
    }
}

impl Constraint for RecursiveL {
    fn lack(&self, cluster: &Cluster) -> f64 {
        let counts = self.counts(cluster);
        let (most, rare) = self.ends(&counts);
        // Parts of persons are rounded, so a quotient that is equal to c may look a little smaller.
        if most / rare < self.c * (1.0 - ROUNDING) {
            return 0.0;
        }
        // The cluster needs ℓ values first, then enough records of rare values. Where the ℓ-th count equals
        // some of the larger ones, one more record of such a value does not change the rare counts at once.
        // The last term counts these ties, so that such a record still lowers the lack.
        let values = (self.l - 1).saturating_sub(counts.len()) as f64;
        let level = counts.get(self.l - 1);
        let level_with = counts.iter().take(self.l - 1).filter(|times| Some(*times) == level).count();
        let short = (most / self.c - rare).floor().max(0.0) + 1.0;
        values + short + level_with as f64 / self.l as f64
    }

    fn min_size(&self) -> usize {
        // A cluster with one record of each value satisfies it if 1 < c (m − ℓ + 1).
        self.l + (1.0 / self.c * (1.0 - ROUNDING)).floor() as usize
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        let counts = self.counts(whole);
        let (most, rare) = self.ends(&counts);
        let best = if rare == 0.0 {
            format!("only l = {}", counts.len())
        } else {
            format!("every c above {} for l = {}", (most / rare * 1e4).ceil() / 1e4, self.l)
        };
        infeasible(&format!("recursive (c, l) = ({}, {})", self.c, self.l), &best, &self.name)
    }
}
