//! Distinct ℓ-diversity: every class has at least ℓ different sensitive values. Monotone: a union has the values of both.

use super::{Attribute, Build, Constraint, infeasible};
use crate::error::Error;
use crate::problem::Cluster;
use crate::registry::{Entry, Param, Range};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "distinct-l",
    about: "every class has at least l different sensitive values",
    paper: "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam, TKDD 2007",
    params: &[Param {
        name: "l",
        about: "how many different values a class has at least",
        range: Range::Integer(2, u32::MAX as u64),
        default: None,
    }],
    build: Build::Sensitive(|params, attribute| {
        let Attribute { place, sensitive } = *attribute;
        let name = sensitive.name().to_owned();
        Ok(Box::new(DistinctL { l: params.integer("l") as usize, place, name }))
    }),
};

struct DistinctL {
    l: usize,
    place: usize,
    name: String,
}

impl Constraint for DistinctL {
    fn lack(&self, cluster: &Cluster) -> f64 {
        self.l.saturating_sub(cluster.histograms()[self.place].distinct()) as f64
    }

    fn min_size(&self) -> usize {
        self.l
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        let best = format!("l = {}", whole.histograms()[self.place].distinct());
        infeasible(&format!("distinct l = {}", self.l), &best, &self.name)
    }
}
