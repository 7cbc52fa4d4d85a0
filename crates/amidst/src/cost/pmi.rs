//! PMI, the private mutual information: what is lost between the published values and the sensitive one.
//!
//! # Definition
//! Π = −(1/nr) Σ_i Σ_j log₂ ( Pr(Y = S_i | X_j ∈ R̄_i(j)) / Pr(Y = S_i | X_j = R_i(j)) )
//!
//! With c_j(R̄, s) the number of records of the table whose value lies in the closure and whose sensitive
//! value is s, and h(s) the histogram of the cluster, a cluster C costs
//!
//! −Σ_s h(s) Σ_j log₂ ( c_j(R̄, s) / c_j(R̄) ) + Σ_{i ∈ C} Σ_j log₂ Pr(Y = S_i | X_j = R_i(j))
//!
//! The first sum needs only the closure and the histogram of the cluster. The second is a constant of each
//! record. With several sensitive columns the cost is the mean over these.
//!
//! # Properties
//! *Not* monotone, and it can be negative: if an outlier hides among others, the release can say more about
//! the sensitive value than the original did (§5.1 of the paper).
//!
//! # Paper
//! Goldberger and Tassa: Efficient anonymizations with enhanced utility. Transactions on Data Privacy 2010.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --measure pmi
//! ```

use std::sync::Arc;

use super::counts::{Sums, occurrences, xlog2};
use super::units::Units;
use super::{Build, Measure, Payer, Payers, by_value, need_sensitive};
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

/// The largest table of counts, in numbers per record. Above it, sorted lists of codes take its place.
const MAX_COUNTS_PER_RECORD: usize = 4;

/// PMI with the counts that it needs.
pub(crate) struct Pmi {
    encoded: Arc<Encoded>,
    units: Units,
    /// c(a) of each code, for each column.
    counts: Vec<Sums>,
    /// c(·, s), for each sensitive column and each column.
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
        Ok(Pmi { encoded: encoded.clone(), units: Units::new(encoded, |_| None), counts, joint })
    }

    /// −Σ log₂ Pr(Y = S_i | X ∈ R̄) over the records of a cluster, for one column and the sensitive column `s`.
    pub(crate) fn cluster_bits(&self, s: usize, column: usize, cluster: &Cluster) -> f64 {
        let domain = &self.encoded.domains()[column];
        let span = domain.close(cluster.closure()[column]);
        let all = self.counts[column].over(domain, span);
        let joint = &self.joint[s][column];
        let bits = |(value, times): (Code, u32)| f64::from(times) * joint.bits(domain, span, all, value);
        cluster.histograms()[s].iter().map(bits).sum()
    }

    /// −log₂ Pr(Y = S_i | X = R_i) of a record, for one column and the sensitive column `s`.
    fn record_bits(&self, s: usize, column: usize, row: u32) -> f64 {
        let domain = &self.encoded.domains()[column];
        let code = self.encoded.row(row)[column];
        let value = self.encoded.sensitive()[s].row(row);
        self.joint[s][column].bits(domain, domain.span(code), self.counts[column].at(code), value)
    }

    /// The sum of [`record_bits`](Self::record_bits) over all records: Σ c(a) · H(Y | X = a).
    pub(crate) fn records_bits(&self, s: usize, column: usize) -> f64 {
        self.joint[s][column].conditional.total()
    }

    /// The function that says what each payer pays for a closure in a column.
    pub(super) fn column(&self, column: usize, span: Span) -> impl Fn(Payer) -> f64 {
        let domain = &self.encoded.domains()[column];
        let span = domain.close(span);
        let all = self.counts[column].over(domain, span);
        let share = 1.0 / self.sensitive() as f64;
        move |payer| {
            self.units.part(column, share * self.joint[payer.sensitive][column].bits(domain, span, all, payer.value))
        }
    }

    /// The units of its parts.
    pub(super) fn units(&self) -> &Units {
        &self.units
    }

    /// The number of sensitive columns.
    pub(super) fn sensitive(&self) -> usize {
        self.joint.len()
    }

    /// The mean over the sensitive columns.
    fn mean_sensitive(&self, value: impl Fn(usize) -> f64) -> f64 {
        let count = self.joint.len();
        (0..count).map(value).sum::<f64>() / count as f64
    }
}

impl Measure for Pmi {
    /// The first sum of the definition.
    fn cluster(&self, cluster: &Cluster) -> f64 {
        by_value(cluster, self.sensitive(), |column, span| self.column(column, span))
    }

    fn payers(&self) -> Payers {
        Payers::ByValue
    }

    fn part(&self, column: usize, span: Span, payer: Payer) -> f64 {
        self.column(column, span)(payer)
    }

    /// A record's part of the second sum, with the opposite sign.
    fn record(&self, row: u32) -> f64 {
        let share = 1.0 / self.sensitive() as f64;
        let bits = |s: usize| self.units.sum(|column| share * self.record_bits(s, column, row));
        (0..self.sensitive()).map(bits).sum()
    }

    fn records(&self, _rows: usize) -> f64 {
        self.mean_sensitive(|s| self.units.sum(|column| self.records_bits(s, column)))
    }

    /// The mean loss of the records in the closure: H(Y | X ∈ R̄) minus the mean of H(Y | X).
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

    fn table(&self, sum: f64, rows: usize) -> f64 {
        self.units.mean(sum, rows)
    }
}

/// Counts of the records that have both a code in a closure and a sensitive value.
struct Joint {
    counts: Counts,
    /// c(a) · H(Y | X = a) of each code a.
    conditional: Sums,
}

/// The counts of [`Joint`], in one of two layouts.
enum Counts {
    /// The number of sensitive values; then, for each code and each sensitive value, the number of records
    /// with that value and a lower code.
    Below(usize, Vec<u32>),
    /// For each sensitive value, the sorted codes of its records. Used where the other layout would be too
    /// large.
    Lists(Vec<Vec<Code>>),
}

impl Joint {
    fn new(encoded: &Encoded, column: usize, sensitive: usize) -> Self {
        let domain = &encoded.domains()[column];
        let sensitive = &encoded.sensitive()[sensitive];
        let values = sensitive.values().len();
        // A counting sort of the rows by code, so that every list below is sorted.
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
        let conditional = Sums::new(conditional(&sorted, domain.len(), values));
        Joint { counts: Counts::new(&sorted, domain.len(), values), conditional }
    }

    /// −log₂ of the share that a sensitive value has among the `all` records of a closed span. If none of
    /// them has it, which only happens with made-up records, half a record counts, so that the cost stays
    /// finite.
    fn bits(&self, domain: &Domain, span: Span, all: f64, value: Code) -> f64 {
        (all / self.over(domain, span, value).max(0.5)).log2()
    }

    /// The number of records with a code in the closed span and that sensitive value.
    fn over(&self, domain: &Domain, span: Span, value: Code) -> f64 {
        let between = |lo: Code, hi: Code| self.counts.between(lo, hi, value);
        let count: u32 = if domain.is_set() && span != domain.everything() {
            domain.codes(span).map(|code| between(code, code)).sum()
        } else if domain.is_set() {
            between(0, domain.len() as Code - 1)
        } else {
            between(span.lo(), span.hi())
        };
        f64::from(count)
    }
}

impl Counts {
    /// Builds the counts from pairs of a code and a sensitive value, sorted by code.
    fn new(sorted: &[(Code, Code)], codes: usize, values: usize) -> Self {
        if (codes + 1) * values > MAX_COUNTS_PER_RECORD * sorted.len() {
            let mut lists = vec![Vec::new(); values];
            sorted.iter().for_each(|(code, value)| lists[*value as usize].push(*code));
            return Counts::Lists(lists);
        }
        let mut below = vec![0; (codes + 1) * values];
        sorted.iter().for_each(|(code, value)| below[(*code as usize + 1) * values + *value as usize] += 1);
        (values..below.len()).for_each(|place| below[place] += below[place - values]);
        Counts::Below(values, below)
    }

    /// The number of records with a code from `lo` to `hi` and that sensitive value.
    fn between(&self, lo: Code, hi: Code, value: Code) -> u32 {
        match self {
            Counts::Below(values, below) => {
                let place = |code: usize| code * values + value as usize;
                below[place(hi as usize + 1)] - below[place(lo as usize)]
            }
            Counts::Lists(lists) => {
                let codes = &lists[value as usize];
                (codes.partition_point(|c| *c <= hi) - codes.partition_point(|c| *c < lo)) as u32
            }
        }
    }
}

/// c(a) · H(Y | X = a) of each code a, from pairs of a code and a sensitive value, sorted by code.
fn conditional(sorted: &[(Code, Code)], codes: usize, values: usize) -> Vec<f64> {
    let mut conditional = vec![0.0; codes];
    let mut counts = vec![0_u32; values];
    for alike in sorted.chunk_by(|a, b| a.0 == b.0) {
        alike.iter().for_each(|(_, value)| counts[*value as usize] += 1);
        // `take` resets the count of a value at its first record, so that its other records add nothing.
        let split: f64 =
            alike.iter().map(|(_, value)| xlog2(f64::from(std::mem::take(&mut counts[*value as usize])))).sum();
        conditional[alike[0].0 as usize] = xlog2(alike.len() as f64) - split;
    }
    conditional
}
