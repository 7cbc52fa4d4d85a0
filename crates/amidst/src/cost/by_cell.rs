//! Measures that add up cells, where every record of a cluster pays the same for a cell.

use std::sync::Arc;

use super::units::Units;
use super::{Measure, Payer, Payers, size_times_parts};
use crate::encode::{Domain, Encoded, Span};
use crate::problem::Cluster;

/// A measure by the cost of a cell.
pub(super) struct ByCell<C> {
    encoded: Arc<Encoded>,
    units: Units,
    /// The cost of a closed span, from 0 to 1.
    cell: C,
    /// Whether the loss of a table is a sum, not a mean.
    is_sum: bool,
    counts_values: bool,
}

impl<C: Fn(&Domain, Span) -> f64> ByCell<C> {
    /// The mean over the cells of a table. `cell` returns the cost of a closed span, from 0 to 1.
    pub(super) fn mean(encoded: &Arc<Encoded>, units: Units, cell: C) -> Self {
        ByCell { encoded: encoded.clone(), units, cell, is_sum: false, counts_values: false }
    }

    /// The sum over the cells of a table. `cell` returns the cost of a closed span, from 0 to 1.
    pub(super) fn sum(encoded: &Arc<Encoded>, units: Units, cell: C) -> Self {
        ByCell { is_sum: true, ..ByCell::mean(encoded, units, cell) }
    }

    /// The same, where the cost of a set depends only on the number of its values.
    pub(super) fn counting_values(self) -> Self {
        ByCell { counts_values: true, ..self }
    }
}

impl<C: Fn(&Domain, Span) -> f64 + Send + Sync> Measure for ByCell<C> {
    fn cell(&self, column: usize, span: Span) -> f64 {
        let domain = &self.encoded.domains()[column];
        (self.cell)(domain, domain.close(span))
    }

    fn payers(&self) -> Payers {
        Payers::Alike
    }

    fn part(&self, column: usize, span: Span, _payer: Payer) -> f64 {
        self.units.part(column, self.cell(column, span))
    }

    fn counts_values(&self) -> bool {
        self.counts_values
    }

    fn cluster(&self, cluster: &Cluster) -> f64 {
        size_times_parts(self, cluster)
    }

    fn table(&self, sum: f64, rows: usize) -> f64 {
        if self.is_sum { self.units.total(sum) } else { self.units.mean(sum, rows) }
    }
}
