//! φ², the mean-square contingency of every quasi-identifier with the sensitive value, before and after.
//!
//! φ² = 1 / (min(d₁, d) − 1) · Σ_ij (f_ij − f_i· f_·j)² / (f_i· f_·j): 0 when the two are independent, 1 when one tells the
//! other. After the release every record spreads its mass evenly over its closure. Numbers with many values are put into
//! ten groups of about equal size first, the same before and after.

use rustc_hash::FxHashMap;

use super::{Build, Figure, Score, View};
use crate::cost::need_sensitive;
use crate::encode::{Domain, Encoded, Span};
use crate::error::Result;
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "phi2",
    about: "mean-square contingency of each quasi-identifier with each sensitive column, before and after",
    paper: "Cramér, 1946; Anonymization on refining partition (ARP), section IV",
    params: &[],
    build: Build { quick: false, make: |_| Box::new(Phi2) },
};

/// Numbers with more values than this are grouped.
const UNGROUPED: usize = 20;
const GROUPS: usize = 10;

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
                let groups = groups(encoded, column);
                let values = sensitive.values().len();
                let mut before = Contingency::new(&groups, values);
                for row in 0..encoded.rows() as u32 {
                    let group = groups[encoded.row(row)[column] as usize];
                    before.add(group, sensitive.row(row) as usize, 1.0);
                }
                let mut after = Contingency::new(&groups, values);
                let mut shares: FxHashMap<Span, Vec<(usize, f64)>> = FxHashMap::default();
                for class in &view.classes {
                    let span = domain.close(class.closure()[column]);
                    let shares = shares.entry(span).or_insert_with(|| spread(domain, span, &groups));
                    for (value, times) in class.histograms()[s].iter() {
                        shares
                            .iter()
                            .for_each(|(group, share)| after.add(*group, value as usize, f64::from(times) * share));
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

/// The group of each code: its own, or one of ten with about as many records each.
fn groups(encoded: &Encoded, column: usize) -> Vec<usize> {
    let domain = &encoded.domains()[column];
    if domain.len() <= UNGROUPED || domain.extent(domain.everything()).is_none() {
        return (0..domain.len()).collect();
    }
    let mut counts = vec![0; domain.len()];
    (0..encoded.rows() as u32).for_each(|row| counts[encoded.row(row)[column] as usize] += 1);
    let mut before = 0;
    counts
        .iter()
        .map(|count| {
            let group = before * GROUPS / encoded.rows();
            before += count;
            group
        })
        .collect()
}

/// The share of a closure that falls into each group.
fn spread(domain: &Domain, span: Span, groups: &[usize]) -> Vec<(usize, f64)> {
    let share = 1.0 / domain.count(span) as f64;
    let mut shares: FxHashMap<usize, f64> = FxHashMap::default();
    domain.codes(span).for_each(|code| *shares.entry(groups[code as usize]).or_default() += share);
    let mut shares: Vec<_> = shares.into_iter().collect();
    shares.sort_unstable_by_key(|(group, _)| *group);
    shares
}

struct Contingency {
    values: usize,
    joint: Vec<f64>,
}

impl Contingency {
    fn new(groups: &[usize], values: usize) -> Self {
        let groups = groups.iter().max().map_or(0, |most| most + 1);
        Contingency { values, joint: vec![0.0; groups * values] }
    }

    fn add(&mut self, group: usize, value: usize, mass: f64) {
        self.joint[group * self.values + value] += mass;
    }

    fn phi2(&self) -> f64 {
        let total: f64 = self.joint.iter().sum();
        let rows: Vec<f64> = self.joint.chunks(self.values).map(|row| row.iter().sum()).collect();
        let columns: Vec<f64> =
            (0..self.values).map(|v| self.joint.iter().skip(v).step_by(self.values).sum()).collect();
        let used = |sums: &[f64]| sums.iter().filter(|s| **s > 0.0).count();
        let least = used(&rows).min(used(&columns));
        if least < 2 {
            return 0.0;
        }
        let mut sum = 0.0;
        for (row, joint) in rows.iter().zip(self.joint.chunks(self.values)) {
            for (column, both) in columns.iter().zip(joint) {
                let expected = row * column / total;
                if expected > 0.0 {
                    sum += (both - expected).powi(2) / expected;
                }
            }
        }
        sum / total / (least - 1) as f64
    }
}
