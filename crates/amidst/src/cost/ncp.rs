//! NCP, the normalized certainty penalty; its mean over all cells is GCP.
//!
//! A number or an ordered category costs the share of the column's extent between its bounds. Any other cell costs
//! the share of the column's values or leaves in its closure, or nothing when that is a single value. The columns'
//! weights are those of the plan.
//!
//! Grows with the closure. Range: 0 to 1.

use std::sync::Arc;

use super::{Build, Measure, Payer, Payers, size_times_parts};
use crate::encode::{Encoded, Span};
use crate::problem::Cluster;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "ncp",
    about: "normalized certainty penalty: range ratio for numbers, |R|/|A| for categories; its mean is GCP",
    paper: "Xu et al., KDD 2006; Ghinita et al., VLDB 2007",
    params: &[],
    build: |_, encoded| Ok(Box::new(Ncp(encoded.clone()))),
};

struct Ncp(Arc<Encoded>);

impl Measure for Ncp {
    fn cell(&self, column: usize, span: Span) -> f64 {
        let domain = &self.0.domains()[column];
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
        self.0.share(column) * self.cell(column, span)
    }

    fn counts_values(&self) -> bool {
        true
    }

    fn cluster(&self, cluster: &Cluster) -> f64 {
        size_times_parts(self, cluster)
    }
}
