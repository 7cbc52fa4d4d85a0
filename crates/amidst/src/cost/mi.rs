//! MI, the mutual information that is lost between original and published values. It is also called
//! non-uniform entropy.
//!
//! # Definition
//! Π = −(1/nr) Σ_i Σ_j log₂ Pr(X_j = R_i(j) | X_j ∈ R̄_i(j))
//!
//! These are the bits that are missing to tell each record's own value from its closure. With c_j(·) the
//! number of records of the table whose value lies in a closure, the probability is c_j(R_i(j)) /
//! c_j(R̄(j)). So a cluster C of m records costs
//!
//! Σ_j ( m · log₂ c_j(R̄(j)) − Σ_{i ∈ C} log₂ c_j(R_i(j)) )
//!
//! The first term needs only the size and the closure of the cluster. The second term is a constant of each
//! record, in whatever cluster it is.
//!
//! # Properties
//! Monotone, because c_j(R̄) grows with R̄ (proposition 3 of the second paper). Range: 0 to the mean
//! entropy of the columns. Losing a rare value costs more than losing a frequent one.
//!
//! # Paper
//! Gionis and Tassa: k-anonymization with minimal loss of information. TKDE 2009. Goldberger and Tassa:
//! Efficient anonymizations with enhanced utility. Transactions on Data Privacy 2010.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --measure mi
//! ```

use std::sync::Arc;

use super::entropy::Entropy;
use super::{Build, Measure, Payer, Payers, size_times_parts};
use crate::encode::{Code, Domain, Encoded, Span};
use crate::problem::Cluster;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "mi",
    about: "mutual information lost between original and published values (non-uniform entropy), in bits",
    paper: "Gionis and Tassa, TKDE 2009; Goldberger and Tassa, Transactions on Data Privacy 2010",
    params: &[],
    build: |_, encoded| Ok(Box::new(Mi::new(encoded))),
};

pub(super) struct Mi {
    encoded: Arc<Encoded>,
    entropy: Entropy,
}

impl Mi {
    pub(super) fn new(encoded: &Arc<Encoded>) -> Self {
        Mi { encoded: encoded.clone(), entropy: Entropy::new(encoded) }
    }
}

impl Measure for Mi {
    /// The first term of the definition.
    fn cluster(&self, cluster: &Cluster) -> f64 {
        size_times_parts(self, cluster)
    }

    fn payers(&self) -> Payers {
        Payers::Alike
    }

    fn part(&self, column: usize, span: Span, _payer: Payer) -> f64 {
        let domain = &self.encoded.domains()[column];
        let count = self.entropy.counts[column].over(domain, domain.close(span));
        self.entropy.units.part(column, count.log2())
    }

    /// A record's part of the second term.
    fn record(&self, row: u32) -> f64 {
        let codes = self.encoded.row(row);
        self.entropy.units.sum(|column| self.entropy.counts[column].at(codes[column]).log2())
    }

    fn records(&self, _rows: usize) -> f64 {
        // The sum uses the rounded parts of single records, so that unchanged records lose exactly nothing.
        let column = |(column, domain): (usize, &Domain)| {
            let count = |code| self.entropy.counts[column].at(code);
            let all = (0..domain.len() as Code).filter(|code| count(*code) > 0.0);
            all.map(|code| count(code) * self.entropy.units.part(column, count(code).log2())).sum::<f64>()
        };
        self.encoded.domains().iter().enumerate().map(column).sum()
    }

    /// The entropy, which is the mean over the records in the closure.
    fn cell(&self, column: usize, span: Span) -> f64 {
        self.entropy.cell(column, span)
    }

    fn table(&self, sum: f64, rows: usize) -> f64 {
        self.entropy.units.mean(sum, rows)
    }
}
