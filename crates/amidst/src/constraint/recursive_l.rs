//! Recursive (c, ℓ)-diversity: in every class the most frequent sensitive value is rarer than c times all but the ℓ − 1 most
//! frequent ones together, r₁ < c (r_ℓ + … + r_m).
//!
//! Monotone, as its authors prove.

use super::{Attribute, Build, Constraint, infeasible};
use crate::error::Error;
use crate::problem::{Cluster, Histogram};
use crate::registry::{Entry, Param, Range};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "recursive-l",
    about: "the most frequent value is rarer than c times all but the l-1 most frequent ones together",
    paper: "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam, TKDD 2007",
    params: &[
        Param {
            name: "c",
            about: "how often the most frequent value may occur, compared with the rare ones",
            range: Range::Number(1e-6, 1e9),
            default: None,
        },
        Param {
            name: "l",
            about: "values from the l-th most frequent on are the rare ones",
            range: Range::Integer(2, u32::MAX as u64),
            default: None,
        },
    ],
    build: Build::Sensitive(|params, attribute| {
        let Attribute { place, sensitive } = *attribute;
        let (c, l) = (params.number("c"), params.integer("l") as usize);
        Ok(Box::new(RecursiveL { c, l, place, name: sensitive.name().to_owned() }))
    }),
};

struct RecursiveL {
    c: f64,
    l: usize,
    place: usize,
    name: String,
}

impl RecursiveL {
    /// How often the most frequent value occurs, and how often the rare ones do.
    fn counts(&self, histogram: &Histogram) -> (u32, u32) {
        let mut counts: Vec<u32> = histogram.iter().map(|(_, times)| times).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        (counts.first().copied().unwrap_or(0), counts.iter().skip(self.l - 1).sum())
    }
}

impl Constraint for RecursiveL {
    fn lack(&self, cluster: &Cluster) -> f64 {
        let histogram = &cluster.histograms()[self.place];
        let (most, rare) = self.counts(histogram);
        if f64::from(most) < self.c * f64::from(rare) {
            return 0.0;
        }
        // First there must be ℓ values, then enough records of the rare ones.
        let values = (self.l - 1).saturating_sub(histogram.distinct()) as f64;
        values + (f64::from(most) / self.c - f64::from(rare)).floor() + 1.0
    }

    fn min_size(&self) -> usize {
        // With one record of each value, 1 < c (m − ℓ + 1).
        self.l + (1.0 / self.c).floor() as usize
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        let (most, rare) = self.counts(&whole.histograms()[self.place]);
        let best = if rare == 0 {
            format!("only {} different values", whole.histograms()[self.place].distinct())
        } else {
            format!("every c above {} for l = {}", (f64::from(most) / f64::from(rare) * 1e4).ceil() / 1e4, self.l)
        };
        infeasible(&format!("recursive (c, l) = ({}, {})", self.c, self.l), &best, &self.name)
    }
}
