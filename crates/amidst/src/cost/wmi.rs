//! wMI, weighted mutual information: a compromise between `mi`, which keeps the records, and `pmi`, which
//! keeps what they say about the sensitive value.
//!
//! # Definition
//! wMI = w · MI + (1 − w) · PMI
//!
//! # Properties
//! Not monotone, unless w = 1, where it equals MI.
//!
//! # Paper
//! Goldberger and Tassa: Efficient anonymizations with enhanced utility. Transactions on Data Privacy 2010.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --measure 'wmi(w=0.25)'
//! ```

use super::mi::Mi;
use super::pmi::Pmi;
use super::{Build, Measure, Payer, Payers, by_value, need_sensitive};
use crate::encode::Span;
use crate::problem::Cluster;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "wmi",
    about: "w times mi plus 1-w times pmi, in bits",
    paper: "Goldberger and Tassa, Transactions on Data Privacy 2010",
    params: &[Param {
        name: "w",
        about: "the weight of mi; pmi has the weight 1-w",
        range: Range::Number(0.0, 1.0),
        default: Some(Value::Number(0.5)),
    }],
    build: |params, encoded| {
        need_sensitive(encoded, "wmi")?;
        let (w, mi) = (params.number("w"), Mi::new(encoded));
        Ok(if w < 1.0 { Box::new(Wmi { w, mi, pmi: Pmi::new(encoded)? }) } else { Box::new(mi) })
    },
};

struct Wmi {
    w: f64,
    mi: Mi,
    pmi: Pmi,
}

impl Wmi {
    /// The function that says what each payer pays for a closure in a column. MI does not depend on
    /// sensitive values, so each sensitive column pays an equal share of it.
    fn column(&self, column: usize, span: Span) -> impl Fn(Payer) -> f64 {
        let mi = self.w * self.mi.part(column, span, Payer::default()) / self.pmi.sensitive() as f64;
        let pmi = self.pmi.column(column, span);
        move |payer| self.pmi.units().exact(mi + (1.0 - self.w) * pmi(payer))
    }

    fn both(&self, value: impl Fn(&dyn Measure) -> f64) -> f64 {
        self.w * value(&self.mi) + (1.0 - self.w) * value(&self.pmi)
    }
}

impl Measure for Wmi {
    fn cluster(&self, cluster: &Cluster) -> f64 {
        by_value(cluster, self.pmi.sensitive(), |column, span| self.column(column, span))
    }

    fn payers(&self) -> Payers {
        Payers::ByValue
    }

    fn part(&self, column: usize, span: Span, payer: Payer) -> f64 {
        self.column(column, span)(payer)
    }

    fn led_by(&self) -> &'static str {
        "mi"
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
        false
    }

    fn uses_sensitive(&self) -> bool {
        true
    }

    fn table(&self, sum: f64, rows: usize) -> f64 {
        self.pmi.units().mean(sum, rows)
    }
}
