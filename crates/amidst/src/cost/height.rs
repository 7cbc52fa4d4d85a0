//! Tree height: how far up its tree a value was generalized.
//!
//! # Definition
//! A cell costs the level of its node, divided by the height of the tree. The level of a node is the height
//! of the subtree below it, so unbalanced trees need no special rule. Sets and suppressed values count as
//! trees of height 1. Numbers and ordered categories have no tree: they cost the distance between their
//! bounds, as a share of the extent of the column.
//!
//! # Properties
//! Grows with the closure. Range: 0 to 1.
//!
//! # Paper
//! Aggarwal, Feder, Kenthapadi, Motwani, Panigrahy, Thomas and Zhu: Anonymizing tables. ICDT 2005.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --hierarchy zip=zip.csv --measure height
//! ```

use super::Build;
use super::by_cell::ByCell;
use super::units::Units;
use crate::encode::{Domain, Encoded, Span};
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "height",
    about: "tree height: the level of a node over the height of its tree; range ratio for numbers",
    paper: "Aggarwal et al., ICDT 2005",
    params: &[],
    build: |_, encoded| Ok(Box::new(ByCell::mean(encoded, units(encoded), cell))),
};

/// The units for tree heights.
pub(super) fn units(encoded: &Encoded) -> Units {
    let height = |domain: &Domain| u64::from(domain.level(domain.everything()).1);
    Units::new(encoded, |domain| domain.extent(domain.everything()).map_or(Some(height(domain)), |_| domain.steps()))
}

/// The cost of a cell, from 0 to 1.
pub(super) fn cell(domain: &Domain, span: Span) -> f64 {
    domain.extent(span).unwrap_or_else(|| {
        let (level, height) = domain.level(span);
        f64::from(level) / f64::from(height.max(1))
    })
}
