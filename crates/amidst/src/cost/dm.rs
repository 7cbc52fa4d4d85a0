//! DM, the discernibility metric: every record costs the number of records that look the same.
//!
//! So a cluster costs the square of its size, and a record of which nothing is left costs the size of the table. It does
//! not look at closures otherwise: two partitions with the same sizes cost the same.
//!
//! Range: n·k (all clusters as small as allowed) to n².

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
