//! What a sliced release shows about a record: the classes that it fits, each with a probability.
//!
//! Only the values within one set of columns are known to belong together. The expected number of records x in a class C is |C| times the
//! product, over the sets, of the share of the rows of C that have x's values in that set. A person with the values x is in C with a
//! probability proportional to this number. So the posterior of the person is a mixture of the distributions of these classes.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::view::{Class, Piece, View};
use crate::encode::{Code, Encoded, Span};

/// The sets of columns of a sliced release.
#[derive(Debug)]
pub struct Slices {
    pub(super) sets: Vec<Slice>,
    /// The class of the records that were left out. They can have any values.
    left_out: Option<u32>,
}

/// The number of rows in each class, sorted by class.
type ByClass = Vec<(u32, u32)>;

/// A set of quasi-identifiers whose values are known to belong together.
#[derive(Debug)]
pub struct Slice {
    /// The places of the columns.
    pub(super) columns: Vec<usize>,
    /// Each combination of their values that occurs, with its number of rows in each class.
    pub(super) rows: Vec<(Vec<Span>, ByClass)>,
    places: FxHashMap<Vec<Span>, usize>,
}

impl Slices {
    /// The sets of columns, with the rows of these pieces.
    pub(super) fn new(sets: Vec<Vec<usize>>, pieces: &[Piece], left_out: Option<u32>) -> Self {
        let slice = |columns: Vec<usize>| {
            let (mut rows, mut places) = (Vec::new(), FxHashMap::default());
            for piece in pieces {
                let spans: Vec<Span> = columns.iter().map(|column| piece.closure[*column]).collect();
                let place = *places.entry(spans.clone()).or_insert(rows.len());
                if place == rows.len() {
                    rows.push((spans, BTreeMap::new()));
                }
                *rows[place].1.entry(piece.class).or_insert(0) += piece.size as u32;
            }
            let rows = rows.into_iter().map(|(spans, classes)| (spans, classes.into_iter().collect())).collect();
            Slice { columns, rows, places }
        };
        Slices { sets: sets.into_iter().map(slice).collect(), left_out }
    }

    /// The classes that records with these codes fit, each with the expected number of such records.
    pub(super) fn fitting(&self, encoded: &Encoded, classes: &[Class], codes: &[Code]) -> Vec<(u32, f64)> {
        let domains = encoded.domains();
        let found = self.sets.iter().map(|slice| {
            let spans: Vec<Span> = slice.columns.iter().map(|c| domains[*c].span(codes[*c])).collect();
            slice.places.get(&spans).map_or(&[][..], |place| slice.rows[*place].1.as_slice())
        });
        let mut found: Vec<&[(u32, u32)]> = found.collect();
        found.sort_by_key(|classes| classes.len());
        let Some((rarest, others)) = found.split_first() else { return Vec::new() };
        let expected = |(class, rows): &(u32, u32)| {
            let size = classes[*class as usize].size as f64;
            let mut expected = f64::from(*rows);
            for other in others {
                let place = other.binary_search_by_key(class, |(c, _)| *c).ok()?;
                expected *= f64::from(other[place].1) / size;
            }
            Some((*class, expected))
        };
        let published = rarest.iter().filter(|(class, _)| Some(*class) != self.left_out);
        let everything: f64 = domains.iter().map(|d| d.count(d.everything()) as f64).product();
        let anything = |class: u32| (class, classes[class as usize].size as f64 / everything);
        published.filter_map(expected).chain(self.left_out.map(anything)).collect()
    }
}

impl View {
    /// The posterior of a sensitive column for records with these codes. It is empty if they fit no class.
    pub fn mixture(&self, slices: &Slices, codes: &[Code], sensitive: usize) -> BTreeMap<Code, f64> {
        self.mixture_of(slices, codes, |class| self.classes[class].shares(sensitive).collect())
    }

    /// The same with other shares of the classes.
    pub fn mixture_of(
        &self,
        slices: &Slices,
        codes: &[Code],
        shares: impl Fn(usize) -> Vec<(Code, f64)>,
    ) -> BTreeMap<Code, f64> {
        let fitting = slices.fitting(&self.encoded, &self.classes, codes);
        let sum: f64 = fitting.iter().map(|(_, expected)| expected).sum();
        let mut mixture = BTreeMap::new();
        for (class, expected) in fitting {
            for (code, share) in shares(class as usize) {
                *mixture.entry(code).or_insert(0.0) += expected / sum * share;
            }
        }
        mixture
    }
}
