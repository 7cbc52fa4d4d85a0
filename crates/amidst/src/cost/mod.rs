//! Measures of lost information: the objective of a partitioner, and the score of any release.

mod lm;
mod ncp;

use std::sync::Arc;

use crate::encode::{Encoded, Span};
use crate::error::Result;
use crate::problem::Cluster;
use crate::registry::{self, Entry, Params, Spec};

/// What the publication of a closure loses.
///
/// The loss of a column is 0 for a single value and at most 1; that of a record is the mean over the columns by their
/// weights; that of a table is the mean over its records. So every loss here is between 0 and 1.
pub trait Measure: Send + Sync {
    /// What one record loses in `column` when it is published as `span`, which need not be closed.
    fn cell(&self, column: usize, span: Span) -> f64;

    /// What all records of a cluster lose together.
    fn cluster(&self, cluster: &Cluster) -> f64;
}

/// How measures are built: from their parameters and the records.
pub type Build = fn(&Params, &Arc<Encoded>) -> Box<dyn Measure>;

/// All measures.
pub const ALL: &[Entry<Build>] = &[lm::ENTRY, ncp::ENTRY];

/// The measure that `spec` asks for.
pub fn build(spec: &Spec, encoded: &Arc<Encoded>) -> Result<Box<dyn Measure>> {
    let (entry, params) = registry::find(ALL, "measure", spec)?;
    Ok((entry.build)(&params, encoded))
}

/// The size of a cluster times the weighted mean of its cells' losses.
fn sum_of_cells(measure: &impl Measure, encoded: &Encoded, cluster: &Cluster) -> f64 {
    let (mut loss, mut weights) = (0.0, 0.0);
    for (column, (domain, span)) in encoded.domains().iter().zip(cluster.closure()).enumerate() {
        loss += domain.weight() * measure.cell(column, *span);
        weights += domain.weight();
    }
    if weights > 0.0 { cluster.size() as f64 * loss / weights } else { 0.0 }
}
