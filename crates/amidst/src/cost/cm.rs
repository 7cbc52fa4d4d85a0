//! CM, the classification metric: the share of records that do not have the most frequent sensitive value
//! of their class.
//!
//! # Definition
//! A record costs 1 if its sensitive value is not the most frequent one of its class, or if all its
//! quasi-identifiers are suppressed; else 0. The metric is the mean over the records. With several
//! sensitive columns it is the mean over these.
//!
//! # Properties
//! Merging two clusters never lowers it. Range: 0 (every class has a single value) to 1. It is low when
//! classes are pure, which is the opposite of diverse.
//!
//! # Paper
//! Iyengar: Transforming data to satisfy privacy constraints. KDD 2002.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --measure cm
//! ```

use std::sync::Arc;

use super::{Build, Measure, is_suppressed, need_sensitive};
use crate::encode::Encoded;
use crate::problem::Cluster;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "cm",
    about: "classification metric: the share of records whose sensitive value is not their class's majority",
    paper: "Iyengar, KDD 2002",
    params: &[],
    build: |_, encoded| {
        need_sensitive(encoded, "cm")?;
        Ok(Box::new(Cm(encoded.clone())))
    },
};

struct Cm(Arc<Encoded>);

impl Measure for Cm {
    fn cluster(&self, cluster: &Cluster) -> f64 {
        let size = cluster.size() as f64;
        if is_suppressed(&self.0, cluster) {
            return size;
        }
        let columns = self.0.sensitive().len();
        let majority: f64 = cluster.histograms().iter().take(columns).map(|h| f64::from(h.most())).sum();
        size - majority / columns.max(1) as f64
    }

    fn uses_sensitive(&self) -> bool {
        true
    }
}
