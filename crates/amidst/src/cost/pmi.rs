//! PMI, the mutual information that is lost between the published values and the sensitive one.
//!
//! Π = −(1/nr) Σ_i Σ_j log₂ ( Pr(Y = S_i | X_j ∈ R̄_i(j)) / Pr(Y = S_i | X_j = R_i(j)) ). With c_j(R̄, s) counting the records
//! of the table whose value lies in the closure and whose sensitive value is s, and h(s) the cluster's histogram, a
//! cluster costs
//!
//! −Σ_s h(s) Σ_j log₂ ( c_j(R̄, s) / c_j(R̄) ) + Σ_{i ∈ C} Σ_j log₂ Pr(Y = S_i | X_j = R_i(j)).
//!
//! The first sum needs closure and histogram only: that is [`cluster`](Measure::cluster). The second is a constant of each
//! record: that is, with its sign turned, [`record`](Measure::record).
//!
//! *Not* monotone, and can be negative: hiding an outlier among others can tell more about the sensitive value than the
//! original did (SEQ §5.1). With several sensitive columns, their mean.

use std::sync::Arc;

use super::counts::{Sums, occurrences, xlog2};
use super::{Build, Measure, mean, need_sensitive};
use crate::encode::{Code, Domain, Encoded, Span};
use crate::error::Result;
use crate::problem::Cluster;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "pmi",
    about: "private mutual information lost between published values and the sensitive one, in bits",
    paper: "Goldberger and Tassa, Transactions on Data Privacy 2010",
    params: &[],
    build: |_, encoded| Ok(Box::new(Pmi::new(encoded)?)),
};

/// The counts behind PMI.
pub(crate) struct Pmi {
    encoded: Arc<Encoded>,
    /// c(a), per column.
    counts: Vec<Sums>,
    /// c(·, s), per sensitive column and column.
    joint: Vec<Vec<Joint>>,
}

impl Pmi {
    pub(crate) fn new(encoded: &Arc<Encoded>) -> Result<Self> {
        need_sensitive(encoded, "pmi")?;
        let counts = occurrences(encoded).into_iter().map(Sums::new).collect();
        let columns = 0..encoded.domains().len();
        let joint = (0..encoded.sensitive().len())
            .map(|s| columns.clone().map(|column| Joint::new(encoded, column, s)).collect())
            .collect();
        Ok(Pmi { encoded: encoded.clone(), counts, joint })
    }

    /// −Σ log₂ Pr(Y = S_i | X ∈ R̄) over the records of a cluster, for one column and the sensitive column `s`.
    pub(crate) fn cluster_bits(&self, s: usize, column: usize, cluster: &Cluster) -> f64 {
        let domain = &self.encoded.domains()[column];
        let span = domain.close(cluster.closure()[column]);
        let all = self.counts[column].over(domain, span);
        let joint = &self.joint[s][column];
        let bits = |(value, times): (Code, u32)| f64::from(times) * (all / joint.over(domain, span, value)).log2();
        cluster.histograms()[s].iter().map(bits).sum()
    }

    /// −log₂ Pr(Y = S_i | X = R_i) of a record, for one column and the sensitive column `s`.
    fn record_bits(&self, s: usize, column: usize, row: u32) -> f64 {
        let domain = &self.encoded.domains()[column];
        let code = self.encoded.row(row)[column];
        let value = self.encoded.sensitive()[s].row(row);
        (self.counts[column].at(code) / self.joint[s][column].over(domain, domain.span(code), value)).log2()
    }

    /// The sum of [`record_bits`](Self::record_bits) over all records: Σ c(a) · H(Y | X = a).
    pub(crate) fn records_bits(&self, s: usize, column: usize) -> f64 {
        self.joint[s][column].conditional.total()
    }

    /// The mean over the sensitive columns.
    fn mean_sensitive(&self, value: impl Fn(usize) -> f64) -> f64 {
        let count = self.joint.len();
        (0..count).map(value).sum::<f64>() / count as f64
    }
}

impl Measure for Pmi {
    fn cluster(&self, cluster: &Cluster) -> f64 {
        self.mean_sensitive(|s| mean(&self.encoded, |column| self.cluster_bits(s, column, cluster)))
    }

    fn record(&self, row: u32) -> f64 {
        self.mean_sensitive(|s| mean(&self.encoded, |column| self.record_bits(s, column, row)))
    }

    fn records(&self, _rows: usize) -> f64 {
        self.mean_sensitive(|s| mean(&self.encoded, |column| self.records_bits(s, column)))
    }

    /// What the records in the closure lose on average: H(Y | X ∈ R̄) − H(Y | X) within it.
    fn cell(&self, column: usize, span: Span) -> f64 {
        let domain = &self.encoded.domains()[column];
        let span = domain.close(span);
        let all = self.counts[column].over(domain, span);
        if all <= 0.0 {
            return 0.0;
        }
        self.mean_sensitive(|s| {
            let joint = &self.joint[s][column];
            let values = self.encoded.sensitive()[s].values().len() as Code;
            let mixed: f64 = (0..values).map(|value| xlog2(joint.over(domain, span, value))).sum();
            ((xlog2(all) - mixed - joint.conditional.over(domain, span)) / all).max(0.0)
        })
    }

    fn monotone(&self) -> bool {
        false
    }

    fn uses_sensitive(&self) -> bool {
        true
    }
}

/// How many records have both a quasi-identifier in a closure and a sensitive value.
struct Joint {
    /// The codes of the records with each sensitive value, in order.
    codes: Vec<Vec<Code>>,
    /// c(a) · H(Y | X = a), per code.
    conditional: Sums,
}

impl Joint {
    fn new(encoded: &Encoded, column: usize, sensitive: usize) -> Self {
        let domain = &encoded.domains()[column];
        let sensitive = &encoded.sensitive()[sensitive];
        // Rows by rising code (a counting sort), so that every list below comes out in order.
        let mut starts = vec![0_usize; domain.len() + 1];
        let rows = || 0..encoded.rows() as u32;
        rows().for_each(|row| starts[encoded.row(row)[column] as usize + 1] += 1);
        (0..domain.len()).for_each(|code| starts[code + 1] += starts[code]);
        let mut sorted = vec![(0, 0); encoded.rows()];
        for row in rows() {
            let code = encoded.row(row)[column];
            sorted[starts[code as usize]] = (code, sensitive.row(row));
            starts[code as usize] += 1;
        }
        let mut codes = vec![Vec::new(); sensitive.values().len()];
        sorted.into_iter().for_each(|(code, value)| codes[value as usize].push(code));
        let mut conditional = vec![0.0; domain.len()];
        let mut totals = vec![0.0; domain.len()];
        for with_value in &codes {
            for run in with_value.chunk_by(|a, b| a == b) {
                conditional[run[0] as usize] -= xlog2(run.len() as f64);
                totals[run[0] as usize] += run.len() as f64;
            }
        }
        conditional.iter_mut().zip(totals).for_each(|(c, total)| *c += xlog2(total));
        Joint { codes, conditional: Sums::new(conditional) }
    }

    /// Records with a code in the closed span and that sensitive value.
    fn over(&self, domain: &Domain, span: Span, value: Code) -> f64 {
        let codes = &self.codes[value as usize];
        if span == domain.everything() {
            return codes.len() as f64;
        }
        let range = |lo: Code, hi: Code| codes.partition_point(|c| *c <= hi) - codes.partition_point(|c| *c < lo);
        let count: usize = if domain.is_set() {
            domain.codes(span).map(|code| range(code, code)).sum()
        } else {
            range(span.lo(), span.hi())
        };
        count as f64
    }
}
