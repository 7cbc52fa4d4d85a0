//! NCP, the normalized certainty penalty. Its mean over all cells is called GCP.
//!
//! # Definition
//! A number or an ordered category costs the distance between its bounds, as a share of the extent of the
//! column. Any other cell costs |R̄| / |A|, the share of the column's values or leaves in its closure, or 0
//! for a single value. Columns count by their weights in the plan.
//!
//! # Properties
//! Grows with the closure. Range: 0 to 1. It charges more than LM for the first step away from an exact
//! value.
//!
//! # Paper
//! Xu, Wang, Pei, Wang, Shi and Fu: Utility-based anonymization using local recoding. KDD 2006. Ghinita,
//! Karras, Kalnis and Mamoulis: Fast data anonymization with low information loss. VLDB 2007.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --measure ncp
//! ```

use super::Build;
use super::by_cell::ByCell;
use super::units::Units;
use crate::encode::{Domain, Encoded, Span};
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "ncp",
    about: "normalized certainty penalty: range ratio for numbers, |R|/|A| for categories; its mean is GCP",
    paper: "Xu et al., KDD 2006; Ghinita et al., VLDB 2007",
    params: &[],
    build: |_, encoded| Ok(Box::new(ByCell::mean(encoded, units(encoded), cell).counting_values())),
};

fn units(encoded: &Encoded) -> Units {
    Units::new(encoded, |domain| match domain.extent(domain.everything()) {
        Some(_) => domain.steps(),
        None if domain.is_suppress() => Some(1),
        None => Some(domain.len() as u64),
    })
}

fn cell(domain: &Domain, span: Span) -> f64 {
    match (domain.extent(span), domain.count(span)) {
        (Some(extent), _) => extent,
        (None, 1) => 0.0,
        (None, count) => count as f64 / domain.len() as f64,
    }
}
