//! MI, the mutual information that is lost between the original and the published values (non-uniform entropy).
//!
//! Π = −(1/nr) Σ_i Σ_j log₂ Pr(X_j = R_i(j) | X_j ∈ R̄_i(j)): the bits missing to tell each record's own value from its
//! closure. With c_j(·) counting the records of the table whose value lies in a closure, the probability is
//! c_j(R_i(j)) / c_j(R̄(j)), so a cluster of m records costs
//!
//! Σ_j ( m · log₂ c_j(R̄(j)) − Σ_{i ∈ C} log₂ c_j(R_i(j)) ).
//!
//! The first term needs size and closure only: that is [`cluster`](Measure::cluster). The second is a constant of each
//! record, whatever its cluster: that is [`record`](Measure::record).
//!
//! Monotone (SEQ, proposition 3): c_j(R̄) grows with R̄. Range: 0 to the mean entropy of the columns.

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

    fn record(&self, row: u32) -> f64 {
        let codes = self.encoded.row(row);
        self.entropy.units.sum(|column| self.entropy.counts[column].at(codes[column]).log2())
    }

    fn records(&self, _rows: usize) -> f64 {
        // Added up from what single records count, so that they lose nothing by themselves.
        let column = |(column, domain): (usize, &Domain)| {
            let count = |code| self.entropy.counts[column].at(code);
            let all = (0..domain.len() as Code).filter(|code| count(*code) > 0.0);
            all.map(|code| count(code) * self.entropy.units.part(column, count(code).log2())).sum::<f64>()
        };
        self.encoded.domains().iter().enumerate().map(column).sum()
    }

    /// The mean over the records in the closure is the entropy.
    fn cell(&self, column: usize, span: Span) -> f64 {
        self.entropy.cell(column, span)
    }

    fn table(&self, sum: f64, rows: usize) -> f64 {
        self.entropy.units.mean(sum, rows)
    }
}
