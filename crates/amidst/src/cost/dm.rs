//! DM, the discernibility metric: every record costs the number of records that look the same.
//!
//! # Definition
//! A cluster costs the square of its size. A record whose quasi-identifiers are all suppressed costs the
//! size of the table. The metric does not look at closures otherwise: two partitions with the same class
//! sizes cost the same.
//!
//! # Properties
//! Range: n·k (all clusters as small as allowed) to n².
//!
//! # Paper
//! Bayardo and Agrawal: Data privacy through optimal k-anonymization. ICDE 2005.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --measure dm
//! ```

use std::sync::Arc;

use super::{Build, Measure, is_suppressed};
use crate::encode::Encoded;
use crate::problem::Cluster;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "dm",
    about: "discernibility metric: the sum of the squared class sizes; a suppressed record costs the table's size",
    paper: "Bayardo and Agrawal, ICDE 2005",
    params: &[],
    build: |_, encoded| Ok(Box::new(Dm(encoded.clone()))),
};

struct Dm(Arc<Encoded>);

impl Measure for Dm {
    fn cluster(&self, cluster: &Cluster) -> f64 {
        let alike = if is_suppressed(&self.0, cluster) { self.0.rows() } else { cluster.size() };
        cluster.size() as f64 * alike as f64
    }

    fn looks_at_classes(&self) -> bool {
        true
    }

    fn table(&self, sum: f64, _rows: usize) -> f64 {
        sum
    }
}
