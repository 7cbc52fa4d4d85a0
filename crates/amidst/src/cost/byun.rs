//! Byun's information loss, the measure that k-member and OKA were made for.
//!
//! # Definition
//! A class P loses |P| · (Σ range / extent of the column + Σ H(subtree) / H(tree)). The first sum is over
//! the numeric columns, the second over the categorical ones. The terms are the cells of the tree height
//! measure. They are summed, and not divided by the number of columns or records. Weights multiply the
//! terms.
//!
//! # Properties
//! Grows with the closure. Range: 0 to records × columns.
//!
//! # Paper
//! Byun, Kamra, Bertino and Li: Efficient k-anonymization using clustering techniques. DASFAA 2007. Lin and
//! Wei: An efficient clustering method for k-anonymization. PAIS 2008.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --measure byun
//! ```

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
