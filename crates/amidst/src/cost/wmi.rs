//! wMI = w · MI + (1 − w) · PMI: between what is known about the records and what is known about their sensitive values.
//!
//! Not monotone unless w = 1.

use super::mi::Mi;
use super::pmi::Pmi;
use super::{Build, Measure};
use crate::encode::Span;
use crate::problem::Cluster;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "wmi",
    about: "w times mi plus 1-w times pmi, in bits",
    paper: "Goldberger and Tassa, Transactions on Data Privacy 2010",
    params: &[Param {
        name: "w",
        about: "the weight of mi; the rest is that of pmi",
        range: Range::Number(0.0, 1.0),
        default: Some(Value::Number(0.5)),
    }],
    build: |params, encoded| Ok(Box::new(Wmi { w: params.number("w"), mi: Mi::new(encoded), pmi: Pmi::new(encoded)? })),
};

struct Wmi {
    w: f64,
    mi: Mi,
    pmi: Pmi,
}

impl Wmi {
    fn both(&self, value: impl Fn(&dyn Measure) -> f64) -> f64 {
        self.w * value(&self.mi) + (1.0 - self.w) * value(&self.pmi)
    }
}

impl Measure for Wmi {
    fn cluster(&self, cluster: &Cluster) -> f64 {
        self.both(|m| m.cluster(cluster))
    }

    fn record(&self, row: u32) -> f64 {
        self.both(|m| m.record(row))
    }

    fn records(&self, rows: usize) -> f64 {
        self.both(|m| m.records(rows))
    }

    fn cell(&self, column: usize, span: Span) -> f64 {
        self.both(|m| m.cell(column, span))
    }

    fn monotone(&self) -> bool {
        self.w >= 1.0
    }

    fn uses_sensitive(&self) -> bool {
        true
    }
}
