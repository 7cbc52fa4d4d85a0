//! Weighted levels: generalizing near the root costs more than near the leaves.
//!
//! # Definition
//! A node at level l of a tree of height h costs (1 + 2 + … + l) / (1 + 2 + … + h): 1/3 at level 1 of 2, 1
//! at the root. Numbers and ordered categories cost the distance between their bounds, as a share of the
//! extent of the column. A cluster costs its size times the sum over the columns, times their weights. A
//! table costs the sum over its clusters.
//!
//! # Properties
//! Grows with the closure. Range: 0 to records × columns.
//!
//! # Paper
//! Zhu and Ye: Achieving k-anonymity via a density-based clustering method. APWeb 2007.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --hierarchy zip=zip.csv --measure weighted-levels
//! ```

use super::Build;
use super::by_cell::ByCell;
use super::units::Units;
use crate::encode::{Domain, Encoded, Span};
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "weighted-levels",
    about: "tree levels with weights that grow towards the root, (1+..+l)/(1+..+h); a sum, not a mean",
    paper: "Zhu and Ye: Achieving k-anonymity via a density-based clustering method, APWeb 2007",
    params: &[],
    build: |_, encoded| Ok(Box::new(ByCell::sum(encoded, units(encoded), cell))),
};

fn units(encoded: &Encoded) -> Units {
    let weights = |domain: &Domain| {
        let height = u64::from(domain.level(domain.everything()).1);
        height * (height + 1) / 2
    };
    Units::new(encoded, |domain| domain.extent(domain.everything()).map_or(Some(weights(domain)), |_| domain.steps()))
}

fn cell(domain: &Domain, span: Span) -> f64 {
    domain.extent(span).unwrap_or_else(|| {
        let upto = |n: u32| f64::from(n) * f64::from(n + 1) / 2.0;
        let (level, height) = domain.level(span);
        upto(level) / upto(height.max(1))
    })
}
