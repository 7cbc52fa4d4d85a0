//! Recursive (c, ℓ)-diversity: in every class the most frequent sensitive value is rarer than c times all but the ℓ − 1 most
//! frequent ones together, r₁ < c (r_ℓ + … + r_m).
//!
//! Monotone, as its authors prove.

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

    /// How often each value occurs, the most frequent one first.
    fn counts(&self, cluster: &Cluster) -> Vec<u32> {
        let mut counts: Vec<u32> = cluster.histograms()[self.place].iter().map(|(_, times)| times).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts
    }

    /// How often the most frequent value occurs, and how often the rare ones do.
    fn ends(&self, counts: &[u32]) -> (u32, u32) {
        (counts.first().copied().unwrap_or(0), counts.iter().skip(self.l - 1).sum())
    }
}

impl Constraint for RecursiveL {
    fn lack(&self, cluster: &Cluster) -> f64 {
        let counts = self.counts(cluster);
        let (most, rare) = self.ends(&counts);
        // A quotient of whole numbers is rounded like the c that says the same; a product is not.
        if f64::from(most) / f64::from(rare) < self.c {
            return 0.0;
        }
        // First there must be ℓ values, then enough records of the rare ones. Where these are as frequent as some of the
        // frequent ones, one more of either makes none rarer, but brings nearer that it will.
        let values = (self.l - 1).saturating_sub(counts.len()) as f64;
        let level = counts.get(self.l - 1);
        let level_with = counts.iter().take(self.l - 1).filter(|times| Some(*times) == level).count();
        let short = (f64::from(most) / self.c - f64::from(rare)).floor().max(0.0) + 1.0;
        values + short + level_with as f64 / self.l as f64
    }

    fn min_size(&self) -> usize {
        // With one record of each value, 1 < c (m − ℓ + 1).
        self.l + (1.0 / self.c * (1.0 - ROUNDING)).floor() as usize
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        let counts = self.counts(whole);
        let (most, rare) = self.ends(&counts);
        let best = if rare == 0 {
            format!("only l = {}", counts.len())
        } else {
            format!("every c above {} for l = {}", (f64::from(most) / f64::from(rare) * 1e4).ceil() / 1e4, self.l)
        };
        infeasible(&format!("recursive (c, l) = ({}, {})", self.c, self.l), &best, &self.name)
    }
}
