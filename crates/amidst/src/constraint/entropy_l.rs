//! Entropy ℓ-diversity: the sensitive values of every class are as uncertain as ℓ equally frequent values.
//!
//! # Definition
//! With p_v the share of value v in a class: −Σ p_v ln p_v ≥ ln ℓ. ℓ may be a fraction. The model looks at
//! the class as a whole, so many rare values can make up for one frequent value.
//!
//! # Properties
//! Monotone: entropy is concave, so a union has at least the entropy of its lesser part.
//!
//! # Paper
//! Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam: ℓ-diversity: privacy beyond k-anonymity. TKDD
//! 2007.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --require 'entropy-l(l=2.5)'
//! ```

use super::shares::{positive, size_of};
use super::{Attribute, Constraint, down, infeasible};
use crate::error::Error;
use crate::problem::Cluster;

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

/// The entropy of the values of a cluster in nats, times its number of persons.
fn entropy(cluster: &Cluster, place: usize) -> f64 {
    let weighted = |count: f64| count * count.ln();
    weighted(cluster.persons() as f64) - cluster.values(place).map(|value| weighted(value.weight)).sum::<f64>()
}

impl Constraint for EntropyL {
    /// The missing entropy times the size, which is not a number of records. Records of rare values lower
    /// it. The size counts as at least ℓ: in a smaller cluster one more value always has more than its
    /// share, so otherwise the first records would raise the lack.
    fn lack(&self, cluster: &Cluster) -> f64 {
        let size = cluster.persons() as f64;
        let short = self.l.ln() - entropy(cluster, self.place) / size;
        positive(short, 1.0) * size.max(self.l)
    }

    fn min_size(&self) -> usize {
        size_of(1.0 / self.l)
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        let best = (entropy(whole, self.place) / whole.persons().max(1) as f64).exp();
        infeasible(&format!("entropy l = {}", self.l), &format!("l = {}", down(best)), &self.name)
    }
}
