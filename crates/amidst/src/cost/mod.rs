//! Measures of lost information that a partitioner can keep low: the objective, and the score of any release.
//!
//! Each is a function of a cluster's state alone (size, closure, histograms of the sensitive values), so that every
//! algorithm works with every measure. [`measure`](crate::measure) has the figures that need more than that.

pub mod am;
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

/// What the publication of closures loses.
///
/// Costs are in units of the measure's own, chosen such that costs that are equal by definition are equal numbers (see `units.rs`);
/// only [`table`](Self::table) says what they are as a loss. The loss of a table is `table` of the sum of [`cluster`](Self::cluster) over its clusters less the sum of
/// [`record`](Self::record) over its records. The last sum does not depend on the clusters; it lets measures that look
/// at each record's own value (MI, PMI) do without a loop over the members of a cluster.
pub trait Measure: Send + Sync {
    /// What the records of a cluster lose together, up to their [`record`](Self::record) parts.
    fn cluster(&self, cluster: &Cluster) -> f64;

    /// What a record brings to [`cluster`](Self::cluster) whatever cluster it is in.
    fn record(&self, _row: u32) -> f64 {
        0.0
    }

    /// The sum of [`record`](Self::record) over all records of the table.
    fn records(&self, rows: usize) -> f64 {
        (0..rows as u32).map(|row| self.record(row)).sum()
    }

    /// What one record loses on average in `column` when it is published as `span`, which need not be closed; 0 for a
    /// single value. Measures that do not tell columns apart say 0.
    fn cell(&self, _column: usize, _span: Span) -> f64 {
        0.0
    }

    /// Who pays what a cluster costs.
    fn payers(&self) -> Payers {
        Payers::Together
    }

    /// The column's part of what a record of a cluster pays. Where [`payers`](Self::payers) says so, a cluster costs the sum
    /// of these parts over its columns and its records, and algorithms that ask for many costs keep tables of them.
    fn part(&self, _column: usize, _span: Span, _payer: Payer) -> f64 {
        0.0
    }

    /// The measure by which a search finds its proposals where not all records pay alike; the measure itself decides what is kept.
    fn led_by(&self) -> &'static str {
        "lm"
    }

    /// True when sets of as many values always cost the same, whichever values they are.
    fn counts_values(&self) -> bool {
        false
    }

    /// The loss of a table of so many rows, from a sum of costs: the mean over the rows, unless the measure is a sum by definition.
    fn table(&self, sum: f64, rows: usize) -> f64 {
        sum / rows as f64
    }

    /// True when the loss never falls as closures grow.
    fn monotone(&self) -> bool {
        true
    }

    /// True when it looks at the histograms of sensitive values.
    fn uses_sensitive(&self) -> bool {
        false
    }

    /// True when it looks at the sizes or at the sensitive values of classes, and not only at closures.
    fn looks_at_classes(&self) -> bool {
        self.uses_sensitive()
    }
}

/// Who pays what a cluster costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payers {
    /// The cluster as a whole: its cost is no sum over columns and records.
    Together,
    /// Its records, and all of them the same.
    Alike,
    /// Its records by their sensitive values, once for each sensitive column.
    ByValue,
}

/// A record as far as its part of the cost is concerned. Where all pay alike there is only the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Payer {
    /// A sensitive column.
    pub sensitive: usize,
    /// The record's value there.
    pub value: Code,
}

/// How measures are built: from their parameters and the records.
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

/// The measure that `spec` asks for.
pub fn build(spec: &Spec, encoded: &Arc<Encoded>) -> Result<Box<dyn Measure>> {
    let (entry, params) = registry::find(ALL, "measure", spec)?;
    (entry.build)(&params, encoded)
}

/// The loss of a table of so many rows in these clusters.
pub fn loss<C: Borrow<Cluster>>(measure: &dyn Measure, clusters: impl IntoIterator<Item = C>, rows: usize) -> f64 {
    let sum: f64 = clusters.into_iter().map(|c| measure.cluster(c.borrow())).sum();
    measure.table(sum - measure.records(rows), rows)
}

/// The weighted mean over the columns of what `value` gives for each.
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

/// The size of a cluster times the sum of its columns' [parts](Measure::part).
fn size_times_parts(measure: &impl Measure, cluster: &Cluster) -> f64 {
    let part = |(column, span): (usize, &Span)| measure.part(column, *span, Payer::default());
    let parts = cluster.closure().iter().enumerate().map(part);
    cluster.size() as f64 * parts.sum::<f64>()
}

/// What the records of a cluster pay together by their sensitive values; `column` gives what each payer pays for a closure in one.
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

/// True when nothing is left of the quasi-identifiers. A column of one value has nothing to lose.
fn is_suppressed(encoded: &Encoded, cluster: &Cluster) -> bool {
    let columns = || encoded.domains().iter().zip(cluster.closure()).filter(|(domain, _)| domain.len() > 1);
    columns().next().is_some() && columns().all(|(domain, span)| domain.close(*span) == domain.everything())
}

/// Refuses tables without a sensitive column.
pub(crate) fn need_sensitive(encoded: &Encoded, measure: &str) -> Result<()> {
    if encoded.sensitive().is_empty() {
        let message = "it looks at sensitive values, and no column has the role sensitive";
        return Err(Error::NotApplicable { measure: measure.to_owned(), message: message.to_owned() });
    }
    Ok(())
}
