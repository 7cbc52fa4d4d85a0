//! Frequency ℓ-diversity: no sensitive value has more than 1/ℓ of a class. ℓ may be a fraction.
//!
//! Monotone: a share of a union lies between those of its parts. It implies distinct ⌈ℓ⌉.

use super::shares::{excess, size_of};
use super::{Attribute, Build, Constraint, down, infeasible};
use crate::error::Error;
use crate::problem::Cluster;
use crate::registry::{Entry, Param, Range};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "frequency-l",
    about: "no sensitive value has more than 1/l of a class; what --l asks for",
    paper: "Goldberger and Tassa, Transactions on Data Privacy 2010; Xiao and Tao, VLDB 2006",
    params: &[Param {
        name: "l",
        about: "one in how many records may have the same value; a fraction such as 1.33 will do",
        range: Range::Number(1.0, 1e9),
        default: None,
    }],
    build: Build::Sensitive(|params, attribute| {
        let Attribute { place, sensitive } = *attribute;
        Ok(Box::new(FrequencyL { l: params.number("l"), place, name: sensitive.name().to_owned() }))
    }),
};

struct FrequencyL {
    l: f64,
    place: usize,
    name: String,
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
