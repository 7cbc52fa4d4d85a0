//! Entropy: the bits that are missing to tell a value from its closure.
//!
//! # Definition
//! A cell costs H(X | X ∈ R̄), the entropy of the table's values within the closure R̄. With c(a) the
//! number of records that have the value a, and c(R̄) the number of records with a value in the closure:
//!
//! H = −Σ_{a ∈ R̄} c(a)/c(R̄) · log₂ (c(a)/c(R̄)) = log₂ c(R̄) − (Σ_{a ∈ R̄} c(a) log₂ c(a)) / c(R̄)
//!
//! These are two sums over the closure. For a range each is a difference of two running sums.
//!
//! # Properties
//! *Not* monotone: a closure that grows by a frequent value can have less entropy. For that reason its
//! authors proposed `mi`. Range: 0 to the mean log₂ of the domain sizes.
//!
//! # Paper
//! Gionis and Tassa: k-anonymization with minimal loss of information. TKDE 2009.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --measure entropy
//! ```

use std::sync::Arc;

use super::counts::{Sums, occurrences, xlog2};
use super::units::Units;
use super::{Build, Measure, Payer, Payers, size_times_parts};
use crate::encode::{Encoded, Span};
use crate::problem::Cluster;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "entropy",
    about: "entropy of the table's values within a closure, in bits",
    paper: "Gionis and Tassa, TKDE 2009",
    params: &[],
    build: |_, encoded| Ok(Box::new(Entropy::new(encoded))),
};

/// The entropy of closures.
pub(super) struct Entropy {
    encoded: Arc<Encoded>,
    pub(super) units: Units,
    /// c(a), per column.
    pub(super) counts: Vec<Sums>,
    /// c(a) log₂ c(a), per column.
    pub(super) count_logs: Vec<Sums>,
}

impl Entropy {
    pub(super) fn new(encoded: &Arc<Encoded>) -> Self {
        let counts = occurrences(encoded);
        let logs = counts.iter().map(|column| Sums::new(column.iter().map(|c| xlog2(*c)).collect()));
        Entropy {
            encoded: encoded.clone(),
            units: Units::new(encoded, |_| None),
            count_logs: logs.collect(),
            counts: counts.into_iter().map(Sums::new).collect(),
        }
    }
}

impl Measure for Entropy {
    fn cell(&self, column: usize, span: Span) -> f64 {
        let domain = &self.encoded.domains()[column];
        let span = domain.close(span);
        let count = self.counts[column].over(domain, span);
        if domain.count(span) <= 1 || count <= 0.0 {
            return 0.0;
        }
        (count.log2() - self.count_logs[column].over(domain, span) / count).max(0.0)
    }

    fn payers(&self) -> Payers {
        Payers::Alike
    }

    fn part(&self, column: usize, span: Span, _payer: Payer) -> f64 {
        self.units.part(column, self.cell(column, span))
    }

    fn cluster(&self, cluster: &Cluster) -> f64 {
        size_times_parts(self, cluster)
    }

    fn monotone(&self) -> bool {
        false
    }

    fn table(&self, sum: f64, rows: usize) -> f64 {
        self.units.mean(sum, rows)
    }
}
