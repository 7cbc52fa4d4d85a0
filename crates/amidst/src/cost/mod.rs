//! Measures of information loss that can guide the search for clusters.
//!
//! A measure says how much a release loses. The measures here are functions of the state of a cluster
//! alone: its size, its closure, and the histograms of its sensitive values. So every algorithm works with
//! every measure, and each can also score a finished release. [`measure`](crate::measure) has the scores
//! that need more than that state.

pub mod am;
mod by_cell;
pub mod byun;
pub mod cm;
mod counts;
pub mod dm;
pub mod entropy;
pub mod height;
pub mod lm;
pub mod mi;
pub mod ncp;
pub mod pmi;
mod tables;
mod units;
pub mod weighted_levels;
pub mod wmi;

use std::borrow::Borrow;
use std::sync::Arc;

use crate::encode::{Code, Encoded, Span};
use crate::error::{Error, Result};
use crate::problem::Cluster;
use crate::registry::{self, Entry, Params, Spec};

pub(crate) use pmi::Pmi;
pub(crate) use tables::Costs;

/// A measure of the information that is lost when clusters are published by their closures.
///
/// Costs are in units of each measure's own. The units make costs that are equal by definition equal as
/// floating-point numbers. Only [`table`](Self::table) turns a sum of costs into a loss.
///
/// The loss of a table is `table` of the sum of [`cluster`](Self::cluster) over its clusters minus the sum
/// of [`record`](Self::record) over its records. The second sum does not depend on the clusters. With it,
/// measures that look at each record's own value (MI, PMI) need no loop over the members of a cluster.
pub trait Measure: Send + Sync {
    /// The cost of a cluster, without the constants that [`record`](Self::record) returns.
    fn cluster(&self, cluster: &Cluster) -> f64;

    /// The constant that a record subtracts from the cost of any cluster it is in.
    fn record(&self, _row: u32) -> f64 {
        0.0
    }

    /// The sum of [`record`](Self::record) over all records of the table.
    fn records(&self, rows: usize) -> f64 {
        (0..rows as u32).map(|row| self.record(row)).sum()
    }

    /// The mean loss of one record in `column` if it is published as `span`, which need not be closed. It
    /// is 0 for a single value, and for measures that do not look at single columns.
    fn cell(&self, _column: usize, _span: Span) -> f64 {
        0.0
    }

    /// How the cost of a cluster splits into parts of its records.
    fn payers(&self) -> Payers {
        Payers::Together
    }

    /// What one record of a cluster pays for a column. If [`payers`](Self::payers) is not
    /// [`Payers::Together`], the cost of a cluster is the sum of these parts over its columns and records.
    /// Algorithms that ask for many costs keep tables of the parts.
    fn part(&self, _column: usize, _span: Span, _payer: Payer) -> f64 {
        0.0
    }

    /// The name of the measure that guides a search where not all records pay alike. This measure still
    /// decides which changes are kept.
    fn led_by(&self) -> &'static str {
        "lm"
    }

    /// Whether the cost of a set depends only on the number of its values.
    fn counts_values(&self) -> bool {
        false
    }

    /// Turns a sum of costs into the loss of a table: the mean over the rows, unless the measure is defined
    /// as a sum.
    fn table(&self, sum: f64, rows: usize) -> f64 {
        sum / rows as f64
    }

    /// Whether the loss never falls when closures grow.
    fn monotone(&self) -> bool {
        true
    }

    /// Whether it looks at the histograms of sensitive values.
    fn uses_sensitive(&self) -> bool {
        false
    }

    /// True when it looks at the sizes or at the sensitive values of classes, and not only at closures.
    fn looks_at_classes(&self) -> bool {
        self.uses_sensitive()
    }
}

/// How the cost of a cluster splits into parts of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payers {
    /// It does not: the cost is no sum over columns and records.
    Together,
    /// Every record of the cluster pays the same.
    Alike,
    /// A record pays by its sensitive values, once for each sensitive column.
    ByValue,
}

/// What a record's part of the cost depends on. Where all records pay alike, it is always the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Payer {
    /// The index of a sensitive column.
    pub sensitive: usize,
    /// The code of the record's value in that column.
    pub value: Code,
}

/// Builds a measure from its parameters and the encoded records.
pub type Build = fn(&Params, &Arc<Encoded>) -> Result<Box<dyn Measure>>;

/// All measures that can be an objective.
pub const ALL: &[Entry<Build>] = &[
    lm::ENTRY,
    ncp::ENTRY,
    height::ENTRY,
    byun::ENTRY,
    weighted_levels::ENTRY,
    am::ENTRY,
    dm::ENTRY,
    cm::ENTRY,
    entropy::ENTRY,
    mi::ENTRY,
    pmi::ENTRY,
    wmi::ENTRY,
];

/// Builds the measure that `spec` names.
pub fn build(spec: &Spec, encoded: &Arc<Encoded>) -> Result<Box<dyn Measure>> {
    let (entry, params) = registry::find(ALL, "measure", spec)?;
    (entry.build)(&params, encoded)
}

/// The loss of a table of `rows` records in these clusters.
pub fn loss<C: Borrow<Cluster>>(measure: &dyn Measure, clusters: impl IntoIterator<Item = C>, rows: usize) -> f64 {
    let sum: f64 = clusters.into_iter().map(|c| measure.cluster(c.borrow())).sum();
    total(measure, sum, rows)
}

/// The loss of a table of `rows` records in clusters that lose `sum` together.
pub(crate) fn total(measure: &dyn Measure, sum: f64, rows: usize) -> f64 {
    measure.table(sum - measure.records(rows), rows)
}

/// The weighted mean of `value` over the columns.
pub(crate) fn mean(encoded: &Encoded, value: impl Fn(usize) -> f64) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (column, domain) in encoded.domains().iter().enumerate() {
        if domain.weight() > 0.0 {
            sum += domain.weight() * value(column);
            weights += domain.weight();
        }
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

/// The size of a cluster times the sum of the [parts](Measure::part) of its columns.
fn size_times_parts(measure: &impl Measure, cluster: &Cluster) -> f64 {
    let part = |(column, span): (usize, &Span)| measure.part(column, *span, Payer::default());
    let parts = cluster.closure().iter().enumerate().map(part);
    cluster.size() as f64 * parts.sum::<f64>()
}

/// The cost of a cluster whose records pay by their sensitive values. `column` returns, for a column and
/// its closure, the function that says what each payer pays.
fn by_value<P: Fn(Payer) -> f64>(cluster: &Cluster, sensitive: usize, column: impl Fn(usize, Span) -> P) -> f64 {
    let columns = cluster.closure().iter().enumerate().map(|(number, span)| {
        let part = column(number, *span);
        let histograms = cluster.histograms().iter().take(sensitive).enumerate();
        let values =
            histograms.flat_map(|(sensitive, h)| h.iter().map(move |(value, t)| (Payer { sensitive, value }, t)));
        values.map(|(payer, times)| f64::from(times) * part(payer)).sum::<f64>()
    });
    columns.sum()
}

/// Whether all quasi-identifiers are suppressed. A column with a single value has nothing to lose and does
/// not count.
fn is_suppressed(encoded: &Encoded, cluster: &Cluster) -> bool {
    let columns = || encoded.domains().iter().zip(cluster.closure()).filter(|(domain, _)| domain.len() > 1);
    columns().next().is_some() && columns().all(|(domain, span)| domain.close(*span) == domain.everything())
}

/// Fails if the table has no sensitive column.
pub(crate) fn need_sensitive(encoded: &Encoded, measure: &str) -> Result<()> {
    if encoded.sensitive().is_empty() {
        let message = "it looks at sensitive values, and no column has the role sensitive";
        return Err(Error::NotApplicable { measure: measure.to_owned(), message: message.to_owned() });
    }
    Ok(())
}
