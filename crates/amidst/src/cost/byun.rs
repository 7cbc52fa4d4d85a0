//! Byun's information loss, the one k-member and OKA were made for.
//!
//! L(P) = |P| · D(P) with D(P) = Σ (range / extent of the column) over the numeric columns + Σ H(subtree) / H(tree) over
//! the categorical ones. The cells are those of [tree height](super::height), but they are *summed*: neither divided by
//! the number of columns nor by that of the records. Weights multiply the terms.
//!
//! Grows with the closure. Range: 0 to records × columns.

use std::sync::Arc;

use super::units::Units;
use super::{Build, Measure, Payer, Payers, height, size_times_parts};
use crate::encode::{Encoded, Span};
use crate::problem::Cluster;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "byun",
    about: "size times the sum of range ratios and subtree heights over all columns; a sum, not a mean",
    paper: "Byun, Kamra, Bertino and Li, DASFAA 2007; Lin and Wei, PAIS 2008",
    params: &[],
    build: |_, encoded| Ok(Box::new(Byun { encoded: encoded.clone(), units: height::units(encoded) })),
};

struct Byun {
    encoded: Arc<Encoded>,
    units: Units,
}

impl Measure for Byun {
    fn cell(&self, column: usize, span: Span) -> f64 {
        height::cell(&self.encoded.domains()[column], span)
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

    fn table(&self, sum: f64, _rows: usize) -> f64 {
        self.units.total(sum)
    }
}
