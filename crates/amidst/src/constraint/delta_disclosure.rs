//! δ-disclosure privacy: every sensitive value of a class is about as frequent in it as in the table.
//!
//! # Definition
//! With p the share of a sensitive value in a class and q its share in the table: |ln(p / q)| < δ. Values
//! that a class lacks do not count, as in ARX and pycanon. By the letter of the definition they would make
//! δ infinite, so every class would need every value.
//!
//! # Properties
//! *Not* monotone: a value that is just frequent enough in one class can be too rare in the union with a
//! class that lacks it. The table as a whole has δ = 0, so every δ can be reached.
//!
//! # Paper
//! Brickell and Shmatikov: The cost of privacy. KDD 2008.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --require 'delta-disclosure(delta=1)'
//! ```

use super::shares::{excess, positive, size_of, weight};
use super::{Attribute, Constraint, infeasible};
use crate::error::Error;
use crate::problem::{Borne, Cluster};

pub(super) struct DeltaDisclosure {
    delta: f64,
    /// The largest ratio of the two shares, e^δ.
    ratio: f64,
    shares: Vec<f64>,
    place: usize,
    name: String,
}

impl DeltaDisclosure {
    pub(super) fn new(delta: f64, attribute: &Attribute) -> Self {
        let Attribute { place, sensitive, .. } = *attribute;
        // The ratio must be strictly below e^δ, so the limit is lowered by a little more than rounding.
        let ratio = (delta * (1.0 - 1e-8)).exp();
        DeltaDisclosure { delta, ratio, shares: attribute.shares(), place, name: sensitive.name().to_owned() }
    }
}

impl Constraint for DeltaDisclosure {
    fn lack(&self, cluster: &Cluster) -> f64 {
        let persons = cluster.persons() as f64;
        let share = |code: u32| self.shares[code as usize];
        let too_frequent = excess(cluster, self.place, weight, |code| share(code) * self.ratio);
        let missing = |value: Borne| (persons * share(value.code) / self.ratio - value.weight).max(0.0);
        too_frequent.max(positive(cluster.values(self.place).map(missing).sum(), persons))
    }

    fn monotone(&self) -> bool {
        false
    }

    fn min_size(&self) -> usize {
        size_of(self.shares.iter().copied().fold(0.0, f64::max) * self.ratio)
    }

    fn refusal(&self, _whole: &Cluster) -> Error {
        infeasible(&format!("delta = {}", self.delta), "delta = 0", &self.name)
    }
}
