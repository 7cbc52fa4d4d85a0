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

use std::sync::Arc;

use super::units::Units;
use super::{Build, Measure, Payer, Payers, size_times_parts};
use crate::encode::{Encoded, Span};
use crate::problem::Cluster;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "ncp",
    about: "normalized certainty penalty: range ratio for numbers, |R|/|A| for categories; its mean is GCP",
    paper: "Xu et al., KDD 2006; Ghinita et al., VLDB 2007",
    params: &[],
    build: |_, encoded| Ok(Box::new(Ncp::new(encoded))),
};

struct Ncp {
    encoded: Arc<Encoded>,
    units: Units,
}

impl Ncp {
    fn new(encoded: &Arc<Encoded>) -> Self {
        let units = Units::new(encoded, |domain| match domain.extent(domain.everything()) {
            Some(_) => domain.steps(),
            None if domain.is_suppress() => Some(1),
            None => Some(domain.len() as u64),
        });
        Ncp { encoded: encoded.clone(), units }
    }
}

impl Measure for Ncp {
    fn cell(&self, column: usize, span: Span) -> f64 {
        let domain = &self.encoded.domains()[column];
        let span = domain.close(span);
        match (domain.extent(span), domain.count(span)) {
            (Some(extent), _) => extent,
            (None, 1) => 0.0,
            (None, count) => count as f64 / domain.len() as f64,
        }
    }

    fn payers(&self) -> Payers {
        Payers::Alike
    }

    fn part(&self, column: usize, span: Span, _payer: Payer) -> f64 {
        self.units.part(column, self.cell(column, span))
    }

    fn counts_values(&self) -> bool {
        true
    }

    fn cluster(&self, cluster: &Cluster) -> f64 {
        size_times_parts(self, cluster)
    }

    fn table(&self, sum: f64, rows: usize) -> f64 {
        self.units.mean(sum, rows)
    }
}
