//! AM, the ambiguity metric: how many records a published one could stand for.
//!
//! The mean over the records of Π |R̄(j)|, the number of combinations of values in the closure, whether they occur in
//! the table or not. A column's weight is its exponent.
//!
//! Grows with the closure. Range: 1 to the product of all domain sizes.

use std::sync::Arc;

use super::{Build, Measure};
use crate::encode::{Encoded, Span};
use crate::problem::Cluster;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "am",
    about: "ambiguity metric: the mean number of value combinations that a published record can stand for",
    paper: "Nergiz and Clifton, DKE 2007",
    params: &[],
    build: |_, encoded| Ok(Box::new(Am(encoded.clone()))),
};

struct Am(Arc<Encoded>);

impl Measure for Am {
    /// The logarithm, because the product is what counts.
    fn cell(&self, column: usize, span: Span) -> f64 {
        let domain = &self.0.domains()[column];
        (domain.count(domain.close(span)) as f64).log2()
    }

    fn cluster(&self, cluster: &Cluster) -> f64 {
        let counts = self
            .0
            .domains()
            .iter()
            .zip(cluster.closure())
            .map(|(domain, span)| (domain.count(domain.close(*span)) as f64).powf(domain.weight()));
        cluster.size() as f64 * counts.product::<f64>()
    }
}
