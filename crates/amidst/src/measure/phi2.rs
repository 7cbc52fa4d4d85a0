//! φ², the mean-square contingency of each quasi-identifier with each sensitive column, before and after.
//!
//! φ² = 1 / (min(d₁, d₂) − 1) · Σ_ij (f_ij − f_i· f_·j)² / (f_i· f_·j) for the joint frequencies f_ij of two columns with d₁ and d₂ values. It is 0
//! if the columns are independent, and 1 if one determines the other. In the release, each record is spread evenly over its closure. Numbers
//! with many values are first put into ten groups of about equal size, the same before and after.
//!
//! Complexity: O(n) for each pair of columns and n records.
//!
//! Cramér, "Mathematical Methods of Statistics", 1946. "Anonymization on refining partition" (ARP), section IV.
//!
//! # Example
//!
//! ```text
//! amidst measure adult.csv.gz release.csv --plan release.plan.toml --measures phi2
//! ```

use rustc_hash::FxHashMap;

use super::{Build, Figure, Needs, Score, View};
use crate::cost::need_sensitive;
use crate::encode::{Contingency, Domain, Span};
use crate::error::Result;
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "phi2",
    about: "mean-square contingency of each quasi-identifier with each sensitive column, before and after",
    paper: "Cramér, 1946; Anonymization on refining partition (ARP), section IV",
    params: &[],
    build: Build { quick: false, needs: Needs::NOTHING, make: |_| Box::new(Phi2) },
};

struct Phi2;

impl Score for Phi2 {
    fn score(&self, view: &View, progress: Progress) -> Result<Figure> {
        need_sensitive(&view.encoded, "phi2")?;
        let encoded = &view.encoded;
        progress.begin("measuring phi2", (encoded.sensitive().len() * encoded.domains().len()) as u64)?;
        let mut by_sensitive = Vec::new();
        for (s, sensitive) in encoded.sensitive().iter().enumerate() {
            let mut by_column = Vec::new();
            for (column, domain) in encoded.domains().iter().enumerate() {
                let groups = encoded.groups(column);
                let mut before = Contingency::default();
                for row in 0..encoded.rows() as u32 {
                    let group = groups[encoded.row(row)[column] as usize];
                    before.add(group, sensitive.row(row) as usize, 1.0);
                }
                let mut after = Contingency::default();
                let mut shares: FxHashMap<Span, Vec<(usize, f64)>> = FxHashMap::default();
                for piece in &view.pieces {
                    let span = domain.close(piece.closure[column]);
                    let spread = shares.entry(span).or_insert_with(|| spread(domain, span, &groups));
                    for (value, of_value) in view.shares(piece, s) {
                        let records = piece.size as f64 * of_value;
                        spread.iter().for_each(|(group, share)| after.add(*group, value as usize, records * share));
                    }
                }
                let figure = [("before", Figure::One(before.phi2())), ("after", Figure::One(after.phi2()))];
                by_column.push((domain.name(), Figure::many(figure)));
                progress.advance(1)?;
            }
            by_sensitive.push((sensitive.name(), Figure::many(by_column)));
        }
        Ok(Figure::many(by_sensitive))
    }
}

/// The share of each group in a closure.
fn spread(domain: &Domain, span: Span, groups: &[usize]) -> Vec<(usize, f64)> {
    let share = 1.0 / domain.count(span) as f64;
    let mut shares: FxHashMap<usize, f64> = FxHashMap::default();
    domain.codes(span).for_each(|code| *shares.entry(groups[code as usize]).or_default() += share);
    let mut shares: Vec<_> = shares.into_iter().collect();
    shares.sort_unstable_by_key(|(group, _)| *group);
    shares
}
