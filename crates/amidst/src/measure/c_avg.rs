//! C_AVG, the normalized average class size.
//!
//! The figure is n / (c k) for n records in c classes. The best possible value is 1: all classes have exactly k records.
//!
//! Complexity: O(c).
//!
//! LeFevre, DeWitt and Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006.
//!
//! # Example
//!
//! ```text
//! amidst measure adult.csv.gz release.csv --plan release.plan.toml --measures c-avg
//! ```

use super::{Build, Figure, Needs, Score, View};
use crate::error::Result;
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "c-avg",
    about: "normalized average class size: rows / classes / k; 1 is the best possible",
    paper: "LeFevre, DeWitt and Ramakrishnan, ICDE 2006",
    params: &[],
    build: Build { quick: true, needs: Needs { classes: true, ..Needs::NOTHING }, make: |_| Box::new(CAvg) },
};

struct CAvg;

impl Score for CAvg {
    fn score(&self, view: &View, _progress: Progress) -> Result<Figure> {
        let rows: usize = view.classes.iter().map(|class| class.size).sum();
        Ok(Figure::One(rows as f64 / view.classes.len() as f64 / view.k as f64))
    }
}
