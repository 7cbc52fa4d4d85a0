//! Measures of lost information that a partitioner can keep low: the objective, and the score of any release.
//!
//! Each is a function of a cluster's state alone (size, closure, histograms of the sensitive values), so that every
//! algorithm works with every measure. [`measure`](crate::measure) has the figures that need more than that.

mod am;
mod byun;
mod cm;
mod counts;
mod dm;
mod entropy;
mod height;
mod lm;
mod mi;
mod ncp;
mod pmi;
mod weighted_levels;
mod wmi;

use std::borrow::Borrow;
use std::sync::Arc;

use crate::encode::{Encoded, Span};
use crate::error::{Error, Result};
use crate::problem::Cluster;
use crate::registry::{self, Entry, Params, Spec};

pub(crate) use pmi::Pmi;

/// What the publication of closures loses.
///
/// The loss of a table is [`table`](Self::table) of the sum of [`cluster`](Self::cluster) over its clusters less the sum of
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

    /// The column's part of what each record of a cluster costs, for measures by which a cluster costs its size times the
    /// sum of these parts over the columns; `None` for all others. Algorithms that ask for many costs keep tables of it.
    fn part(&self, _column: usize, _span: Span) -> Option<f64> {
        None
    }

    /// True when sets of as many values always cost the same, whichever values they are.
    fn counts_values(&self) -> bool {
        false
    }

    /// The loss of a table of so many rows: the mean over the rows, unless the measure is a sum by definition.
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
    let parts = cluster.closure().iter().enumerate().map(|(column, span)| measure.part(column, *span).unwrap_or(0.0));
    cluster.size() as f64 * parts.sum::<f64>()
}

/// True when nothing is left of the quasi-identifiers. A column of one value has nothing to lose.
fn is_suppressed(encoded: &Encoded, cluster: &Cluster) -> bool {
    let columns = || encoded.domains().iter().zip(cluster.closure()).filter(|(domain, _)| domain.len() > 1);
    columns().next().is_some() && columns().all(|(domain, span)| domain.close(*span) == domain.everything())
}

/// Refuses tables without a sensitive column.
pub(crate) fn need_sensitive(encoded: &Encoded, measure: &str) -> Result<()> {
    if encoded.sensitive().is_empty() {
        let message = "it looks at sensitive values; name a sensitive column (--sensitive, or role = \"sensitive\")";
        return Err(Error::NotApplicable { measure: measure.to_owned(), message: message.to_owned() });
    }
    Ok(())
}
