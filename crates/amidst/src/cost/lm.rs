//! LM, the loss metric: how much of its column's domain a closure takes.
//!
//! A cell costs (|R̄| − 1) / (|A| − 1), where |R̄| counts the values or leaves in its closure and |A| those of the
//! column; a column of one value costs nothing. Numbers can be read in two ways: by the difference of the bounds over
//! that of the whole column (the default, as most tools do), or literally, by the distinct values in between.
//!
//! Grows with the closure. Range: 0 (every value published as it is) to 1 (everything suppressed).

use std::sync::Arc;

use super::units::Units;
use super::{Build, Measure, Payer, Payers, size_times_parts};
use crate::encode::{Encoded, Span};
use crate::problem::Cluster;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "lm",
    about: "loss metric: the share of the domain that a closure takes, (|R|-1)/(|A|-1)",
    paper: "Iyengar, KDD 2002; Nergiz and Clifton, DKE 2007",
    params: &[Param {
        name: "numeric",
        about: "numbers by the difference of their bounds (range), or by the distinct values between them (values)",
        range: Range::Choice(&["range", "values"]),
        default: Some(Value::Word("range")),
    }],
    build: |params, encoded| Ok(Box::new(Lm::new(encoded, params.word("numeric") == "range"))),
};

struct Lm {
    encoded: Arc<Encoded>,
    units: Units,
    by_range: bool,
}

impl Lm {
    fn new(encoded: &Arc<Encoded>, by_range: bool) -> Self {
        let units = Units::new(encoded, |domain| match domain.extent(domain.everything()) {
            Some(_) if by_range => domain.steps(),
            _ if domain.is_suppress() => Some(1),
            _ => Some(domain.len() as u64 - 1),
        });
        Lm { encoded: encoded.clone(), units, by_range }
    }
}

impl Measure for Lm {
    fn cell(&self, column: usize, span: Span) -> f64 {
        let domain = &self.encoded.domains()[column];
        let span = domain.close(span);
        match domain.extent(span) {
            Some(extent) if self.by_range => extent,
            _ if domain.len() <= 1 => 0.0,
            _ => (domain.count(span) - 1) as f64 / (domain.len() - 1) as f64,
        }
    }

    fn payers(&self) -> Payers {
        Payers::Alike
    }

    fn part(&self, column: usize, span: Span, _payer: Payer) -> f64 {
        self.units.part(column, self.cell(column, span))
    }

    fn counts_values(&self) -> bool {
        true
    }

    fn cluster(&self, cluster: &Cluster) -> f64 {
        size_times_parts(self, cluster)
    }

    fn table(&self, sum: f64, rows: usize) -> f64 {
        self.units.mean(sum, rows)
    }
}
