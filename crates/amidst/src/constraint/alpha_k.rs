//! (α, k)-anonymity: beside k-anonymity, no sensitive value has more than the share α of a class.
//!
//! The general form, in which every value is protected; frequency ℓ with ℓ = 1/α. Monotone.

use super::shares::{excess, size_of};
use super::{Attribute, Build, Constraint, infeasible};
use crate::error::Error;
use crate::problem::Cluster;
use crate::registry::{Entry, Param, Range};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "alpha-k",
    about: "no sensitive value has more than the share alpha of a class",
    paper: "Wong, Li, Fu and Wang, KDD 2006",
    params: &[Param {
        name: "alpha",
        about: "the largest share of a class that a value may have",
        range: Range::Number(1e-9, 1.0),
        default: None,
    }],
    build: Build::Sensitive(|params, attribute| {
        let Attribute { place, sensitive } = *attribute;
        Ok(Box::new(AlphaK { alpha: params.number("alpha"), place, name: sensitive.name().to_owned() }))
    }),
};

struct AlphaK {
    alpha: f64,
    place: usize,
    name: String,
}

impl Constraint for AlphaK {
    fn lack(&self, cluster: &Cluster) -> f64 {
        excess(cluster, &cluster.histograms()[self.place], |_| self.alpha)
    }

    fn min_size(&self) -> usize {
        size_of(self.alpha)
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        let best = f64::from(whole.histograms()[self.place].most()) / whole.size().max(1) as f64;
        let best = format!("alpha = {}", (best * 1e4).ceil() / 1e4);
        infeasible(&format!("alpha = {}", self.alpha), &best, &self.name)
    }
}
