//! The associations between all columns, before and after: φ² of every pair.
//!
//! This is the measure `phi2` with two additions for reports. Pairs of quasi-identifiers are included; within a closure they count as
//! independent. In columns with many values, all but the most frequent values are one group.
//!
//! Complexity: O(m² n) for m columns and n records.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::View;
use super::view::Piece;
use crate::encode::{Code, Contingency, Encoded, Span};
use crate::error::Result;
use crate::progress::Progress;

/// The most groups of values of a column.
const MAX_GROUPS: usize = 20;

/// φ² of every pair of columns: 0 if they are independent, 1 if one determines the other.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Correlations {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// φ² in the original. Rows and columns are in the order of `columns`. A column has no figure with itself.
    pub before: Vec<Vec<Option<f64>>>,
    /// φ² in the release.
    pub after: Vec<Vec<Option<f64>>>,
}

impl Correlations {
    /// The associations between all quasi-identifiers and sensitive columns.
    pub(crate) fn new(view: &View, progress: Progress) -> Result<Self> {
        let encoded = &*view.encoded;
        let groups = Groups::new(encoded);
        let quasi = encoded.domains().iter().map(|domain| domain.name().to_owned());
        let sensitive = encoded.sensitive().iter().map(|sensitive| sensitive.name().to_owned());
        let columns: Vec<String> = quasi.chain(sensitive).collect();
        let pairs: Vec<(usize, usize)> =
            (0..columns.len()).flat_map(|a| (a + 1..columns.len()).map(move |b| (a, b))).collect();
        progress.begin("measuring correlations", pairs.len() as u64)?;
        let figures: Vec<(f64, f64)> = pairs
            .par_iter()
            .map(|(a, b)| {
                let figures = (before(encoded, &groups, *a, *b), after(view, &groups, *a, *b));
                progress.advance(1)?;
                Ok(figures)
            })
            .collect::<Result<_>>()?;
        let mut matrices =
            [vec![vec![None; columns.len()]; columns.len()], vec![vec![None; columns.len()]; columns.len()]];
        for ((a, b), (before, after)) in pairs.into_iter().zip(figures) {
            for (matrix, figure) in matrices.iter_mut().zip([before, after]) {
                matrix[a][b] = Some(figure);
                matrix[b][a] = Some(figure);
            }
        }
        let [before, after] = matrices;
        Ok(Correlations { columns, before, after })
    }
}

/// The group of each code, for each column. Quasi-identifiers come first.
struct Groups(Vec<Vec<usize>>);

impl Groups {
    fn new(encoded: &Encoded) -> Self {
        let quasi = (0..encoded.domains().len()).map(|column| {
            let groups = encoded.groups(column);
            let mut records = vec![0; groups.len()];
            for tuple in 0..encoded.tuples() as u32 {
                records[groups[encoded.tuple(tuple)[column] as usize]] += encoded.rows_of(tuple).len();
            }
            let frequent = frequent(&records);
            groups.into_iter().map(|group| frequent[group]).collect()
        });
        let sensitive = encoded.sensitive().iter().map(|sensitive| {
            let records: Vec<usize> = sensitive.counts().iter().map(|records| *records as usize).collect();
            frequent(&records)
        });
        Groups(quasi.chain(sensitive).collect())
    }

    /// The share of each group in a closure of a quasi-identifier.
    fn spread(&self, encoded: &Encoded, column: usize, span: Span) -> Vec<f64> {
        let domain = &encoded.domains()[column];
        let span = domain.close(span);
        let share = 1.0 / domain.count(span) as f64;
        let mut shares = vec![0.0; MAX_GROUPS];
        domain.codes(span).for_each(|code| shares[self.0[column][code as usize]] += share);
        shares
    }

    /// The share of each group of a sensitive column, from the shares of its values.
    fn shares(&self, column: usize, shares: impl Iterator<Item = (Code, f64)>) -> Vec<f64> {
        let mut by_group = vec![0.0; MAX_GROUPS];
        shares.for_each(|(code, share)| by_group[self.0[column][code as usize]] += share);
        by_group
    }
}

/// A group for each value. The most frequent values have a group each, and all others share the last.
fn frequent(records: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_by_key(|value| std::cmp::Reverse(records[*value]));
    let mut places = vec![0; records.len()];
    order.into_iter().enumerate().for_each(|(place, value)| places[value] = place.min(MAX_GROUPS - 1));
    places
}

fn before(encoded: &Encoded, groups: &Groups, a: usize, b: usize) -> f64 {
    let quasi = encoded.domains().len();
    let group = |column: usize, row: u32| {
        let code = if column < quasi { encoded.row(row)[column] } else { encoded.sensitive()[column - quasi].row(row) };
        groups.0[column][code as usize]
    };
    let mut joint = Joint::default();
    (0..encoded.rows() as u32).for_each(|row| joint.0[group(a, row)][group(b, row)] += 1.0);
    joint.phi2()
}

fn after(view: &View, groups: &Groups, a: usize, b: usize) -> f64 {
    let quasi = view.encoded.domains().len();
    let mut known: [FxHashMap<Span, Vec<f64>>; 2] = [FxHashMap::default(), FxHashMap::default()];
    let mut shares = |which: usize, column: usize, piece: &Piece| {
        if let Some(sensitive) = column.checked_sub(quasi) {
            return groups.shares(column, view.shares(piece, sensitive));
        }
        let span = piece.closure[column];
        known[which].entry(span).or_insert_with(|| groups.spread(&view.encoded, column, span)).clone()
    };
    let mut joint = Joint::default();
    if view.are_apart(a, b) {
        // Within a class, any value of one column may belong to any value of the other.
        let mut by_class: FxHashMap<u32, (f64, Vec<f64>, Vec<f64>)> = FxHashMap::default();
        for piece in &view.pieces {
            let sums =
                by_class.entry(piece.class).or_insert_with(|| (0.0, vec![0.0; MAX_GROUPS], vec![0.0; MAX_GROUPS]));
            let size = piece.size as f64;
            sums.0 += size;
            sums.1.iter_mut().zip(shares(0, a, piece)).for_each(|(sum, share)| *sum += size * share);
            sums.2.iter_mut().zip(shares(1, b, piece)).for_each(|(sum, share)| *sum += size * share);
        }
        let mut by_class: Vec<_> = by_class.into_iter().collect();
        by_class.sort_unstable_by_key(|(class, _)| *class);
        by_class.iter().for_each(|(_, (size, a, b))| joint.add(1.0 / size, a, b));
    } else {
        for piece in &view.pieces {
            let (a, b) = (shares(0, a, piece), shares(1, b, piece));
            joint.add(piece.size as f64, &a, &b);
        }
    }
    joint.phi2()
}

/// The number of records with each pair of groups.
#[derive(Default)]
struct Joint([[f64; MAX_GROUPS]; MAX_GROUPS]);

impl Joint {
    /// Adds `mass` records, spread over the pairs of groups by these shares.
    fn add(&mut self, mass: f64, a: &[f64], b: &[f64]) {
        for (row, of_a) in self.0.iter_mut().zip(a).filter(|(_, of_a)| **of_a > 0.0) {
            row.iter_mut().zip(b).for_each(|(cell, of_b)| *cell += mass * of_a * of_b);
        }
    }

    fn phi2(&self) -> f64 {
        let mut contingency = Contingency::default();
        for (a, row) in self.0.iter().enumerate() {
            row.iter().enumerate().filter(|(_, mass)| **mass > 0.0).for_each(|(b, mass)| contingency.add(a, b, *mass));
        }
        contingency.phi2()
    }
}
