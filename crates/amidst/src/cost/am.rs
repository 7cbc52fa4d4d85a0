//! AM, the ambiguity metric: the number of records that a published record could stand for.
//!
//! # Definition
//! The mean over the records of Π_j |R̄(j)|: the number of combinations of values in the closure, whether
//! they occur in the table or not. The weight of a column is an exponent of its factor.
//!
//! # Properties
//! Grows with the closure. Range: 1 to the product of all domain sizes. The worst records dominate it.
//!
//! # Paper
//! Nergiz and Clifton: Thoughts on k-anonymization. DKE 2007.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --measure am
//! ```

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
    /// The logarithm of the number of values, because a cluster costs a product.
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
