//! What a sliced release tells: which classes somebody fits, and how well.
//!
//! Only values of one set of columns are known to belong together. A record x is expected |C| · Π_sets (share of the rows of C that have x's
//! values in that set) times in a class C. So a person with the values of x is in C with a probability in proportion to that, and has
//! a mixture of the distributions of the classes they fit.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::view::{Class, Piece, View};
use crate::encode::{Code, Encoded, Span};

/// The sets of columns of a sliced release.
#[derive(Debug)]
pub struct Slices {
    pub(super) sets: Vec<Slice>,
    /// The class of the records that were left out, which can be anything.
    left_out: Option<u32>,
}

/// How many rows of which classes, by rising number of the class.
type ByClass = Vec<(u32, u32)>;

/// Quasi-identifiers of which it is known which values belong together.
#[derive(Debug)]
pub struct Slice {
    /// Their places.
    pub(super) columns: Vec<usize>,
    /// What they are together in some row, and in which.
    pub(super) rows: Vec<(Vec<Span>, ByClass)>,
    places: FxHashMap<Vec<Span>, usize>,
}

impl Slices {
    /// From rows that have values of these sets beside each other.
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

    /// The classes that records with these codes fit, and how many such records each is expected to have.
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
    /// What may be believed about a sensitive value of records with these codes; none where they fit nowhere.
    pub fn mixture(&self, slices: &Slices, codes: &[Code], sensitive: usize) -> BTreeMap<Code, f64> {
        let fitting = slices.fitting(&self.encoded, &self.classes, codes);
        let sum: f64 = fitting.iter().map(|(_, expected)| expected).sum();
        let mut mixture = BTreeMap::new();
        for (class, expected) in fitting {
            for (code, share) in self.classes[class as usize].shares(sensitive) {
                *mixture.entry(code).or_insert(0.0) += expected / sum * share;
            }
        }
        mixture
    }
}
