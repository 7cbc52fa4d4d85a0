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

use super::by_cell::ByCell;
use super::{Build, height};
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "byun",
    about: "size times the sum of range ratios and subtree heights over all columns; a sum, not a mean",
    paper: "Byun, Kamra, Bertino and Li, DASFAA 2007; Lin and Wei, PAIS 2008",
    params: &[],
    build: |_, encoded| Ok(Box::new(ByCell::sum(encoded, height::units(encoded), height::cell))),
};
