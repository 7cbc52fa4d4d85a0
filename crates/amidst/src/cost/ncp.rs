//! NCP, the normalized certainty penalty; its mean over all cells is GCP.
//!
//! A number or an ordered category costs the share of the column's extent between its bounds. Any other cell costs
//! the share of the column's values or leaves in its closure, or nothing when that is a single value.
//!
//! Grows with the closure. Range: 0 to 1.

use std::sync::Arc;

use super::{Build, Measure, sum_of_cells};
use crate::encode::{Encoded, Span};
use crate::problem::Cluster;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "ncp",
    about: "normalized certainty penalty: range ratio for numbers, |R|/|A| for categories; its mean is GCP",
    paper: "Xu et al., KDD 2006; Ghinita et al., VLDB 2007",
    params: &[],
    build: |_, encoded| Box::new(Ncp(encoded.clone())),
};

struct Ncp(Arc<Encoded>);

impl Measure for Ncp {
    fn cell(&self, column: usize, span: Span) -> f64 {
        let domain = &self.0.domains()[column];
        let span = domain.close(span);
        let count = domain.count(span);
        match domain.extent(span) {
            Some(extent) => extent,
            None if count <= 1 => 0.0,
            None if domain.is_ordered() => (count - 1) as f64 / (domain.len() - 1) as f64,
            None => count as f64 / domain.len() as f64,
        }
    }

    fn cluster(&self, cluster: &Cluster) -> f64 {
        sum_of_cells(self, &self.0, cluster)
    }
}
