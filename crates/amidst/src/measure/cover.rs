//! An index of the pieces of a release that cover a combination of values.
//!
//! A piece of single values is found in a hash table. For all other pieces, a bit for each piece and value says whether the piece covers the
//! value. The AND of these bits over the columns gives the pieces that cover a combination.
//!
//! Complexity: O(m p / 64) for each look-up, with m columns and p pieces.

use rustc_hash::FxHashMap;

use super::Piece;
use crate::encode::{Code, Encoded};

/// An index that finds the pieces that cover a combination of values.
#[derive(Debug)]
pub struct Cover {
    /// The pieces of single values, by these values.
    exact: FxHashMap<Box<[Code]>, Vec<usize>>,
    /// All other pieces.
    wide: Vec<usize>,
    /// For each code of each column, a bit for each of the other pieces.
    bits: Vec<Vec<Vec<u64>>>,
}

impl Cover {
    /// An index of these pieces of a release of `encoded`.
    pub fn new(encoded: &Encoded, pieces: &[Piece]) -> Self {
        let domains = encoded.domains();
        let closed = |piece: &Piece| piece.closure.iter().zip(domains).map(|(s, d)| d.close(*s)).collect::<Vec<_>>();
        let mut exact: FxHashMap<Box<[Code]>, Vec<usize>> = FxHashMap::default();
        let (mut wide, mut closures) = (Vec::new(), Vec::new());
        for (place, piece) in pieces.iter().enumerate() {
            let closure = closed(piece);
            if closure.iter().zip(domains).all(|(span, domain)| domain.count(*span) == 1) {
                let codes = closure.iter().zip(domains).flat_map(|(span, domain)| domain.codes(*span)).collect();
                exact.entry(codes).or_default().push(place);
            } else {
                wide.push(place);
                closures.push(closure);
            }
        }
        let words = wide.len().div_ceil(64);
        let mut bits: Vec<Vec<Vec<u64>>> = domains.iter().map(|d| vec![vec![0; words]; d.len()]).collect();
        for (i, closure) in closures.iter().enumerate() {
            for ((column, domain), span) in bits.iter_mut().zip(domains).zip(closure) {
                for code in domain.codes(*span) {
                    column[code as usize][i / 64] |= 1 << (i % 64);
                }
            }
        }
        Cover { exact, wide, bits }
    }

    /// Calls `found` with the place of each piece that covers a combination.
    pub fn covering(&self, codes: &[Code], mut found: impl FnMut(usize)) {
        self.exact.get(codes).into_iter().flatten().for_each(|place| found(*place));
        let columns: Vec<&[u64]> = self.bits.iter().zip(codes).map(|(c, code)| c[*code as usize].as_slice()).collect();
        for word in 0..self.wide.len().div_ceil(64) {
            let mut covering = columns.iter().fold(u64::MAX, |all, column| all & column[word]);
            while covering != 0 {
                found(self.wide[word * 64 + covering.trailing_zeros() as usize]);
                covering &= covering - 1;
            }
        }
    }
}
