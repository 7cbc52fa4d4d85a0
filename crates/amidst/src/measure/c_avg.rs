//! C_AVG, the normalized average class size: n / classes / k. 1 is the best that k allows.

use super::{Build, Figure, Score, View};
use crate::error::Result;
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "c-avg",
    about: "normalized average class size: rows / classes / k; 1 is the best there can be",
    paper: "LeFevre, DeWitt and Ramakrishnan, ICDE 2006",
    params: &[],
    build: Build { quick: true, make: |_| Box::new(CAvg) },
};

struct CAvg;

impl Score for CAvg {
    fn score(&self, view: &View, _progress: Progress) -> Result<Figure> {
        let rows: usize = view.classes.iter().map(|class| class.size).sum();
        Ok(Figure::One(rows as f64 / view.classes.len() as f64 / view.k as f64))
    }
}
