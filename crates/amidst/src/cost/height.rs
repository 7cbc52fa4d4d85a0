//! Tree height: how far up its tree a value was generalized.
//!
//! A cell costs the level of its node over the height of the tree; the level of a node is the height of the subtree
//! below it, so unbalanced trees are no exception. Sets and suppressed values are trees of height 1. Numbers and
//! ordered categories have no tree and cost the share of the column's extent between their bounds.
//!
//! Grows with the closure. Range: 0 to 1.

use std::sync::Arc;

use super::units::Units;
use super::{Build, Measure, Payer, Payers, size_times_parts};
use crate::encode::{Domain, Encoded, Span};
use crate::problem::Cluster;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "height",
    about: "tree height: the level of a node over the height of its tree; range ratio for numbers",
    paper: "Aggarwal et al., ICDT 2005",
    params: &[],
    build: |_, encoded| Ok(Box::new(Height { encoded: encoded.clone(), units: units(encoded) })),
};

struct Height {
    encoded: Arc<Encoded>,
    units: Units,
}

/// What cells are counted in.
pub(super) fn units(encoded: &Encoded) -> Units {
    let height = |domain: &Domain| u64::from(domain.level(domain.everything()).1);
    Units::new(encoded, |domain| domain.extent(domain.everything()).map_or(Some(height(domain)), |_| domain.steps()))
}

/// What a cell costs.
pub(super) fn cell(domain: &Domain, span: Span) -> f64 {
    let span = domain.close(span);
    domain.extent(span).unwrap_or_else(|| {
        let (level, height) = domain.level(span);
        f64::from(level) / f64::from(height.max(1))
    })
}

impl Measure for Height {
    fn cell(&self, column: usize, span: Span) -> f64 {
        cell(&self.encoded.domains()[column], span)
    }

    fn payers(&self) -> Payers {
        Payers::Alike
    }

    fn part(&self, column: usize, span: Span, _payer: Payer) -> f64 {
        self.units.part(column, self.cell(column, span))
    }

    fn cluster(&self, cluster: &Cluster) -> f64 {
        size_times_parts(self, cluster)
    }

    fn table(&self, sum: f64, rows: usize) -> f64 {
        self.units.mean(sum, rows)
    }
}
