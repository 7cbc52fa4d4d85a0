//! KL: how far the distribution that the release induces is from the original one.
//!
//! The original gives each combination x of quasi-identifiers the probability p(x) = records with x / n. In the release
//! every record spreads its mass evenly over all combinations in its closure, so q(x) is the sum over the classes that
//! cover x of size / n / Π |R̄(j)|. The figure is Σ p(x) log₂ (p(x)/q(x)), in bits; 0 when nothing was generalized.
//!
//! Of a sliced release q(x) is what [its sets of columns](super::slices) let expect of x: sets are independent within a class.
//!
//! It is the mean of log₂ (p/q) over the records, so for large tables the mean over a sample of them serves. A bit per
//! piece and value says which pieces cover a value; the AND over the columns finds all pieces that cover a combination.

use rayon::prelude::*;

use super::{Build, Figure, Score, View, looked_at};
use crate::encode::Code;
use crate::error::Result;
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "kl",
    about: "Kullback-Leibler divergence of the original distribution from the one the release induces, in bits",
    paper: "Kifer and Gehrke, SIGMOD 2006",
    params: &[Param {
        name: "sample",
        about: "how many records are looked at; all when there are no more",
        range: Range::Integer(1, u64::MAX),
        default: Some(Value::Integer(50_000)),
    }],
    build: Build { quick: false, make: |params| Box::new(Kl { sample: params.integer("sample") as usize }) },
};

struct Kl {
    sample: usize,
}

impl Score for Kl {
    fn score(&self, view: &View, progress: Progress) -> Result<Figure> {
        let encoded = &view.encoded;
        let rows = encoded.rows();
        let tuples = looked_at(encoded, self.sample);
        let cover = view.slices.is_none().then(|| Cover::new(view));
        let density = |codes: &[Code]| match (&cover, &view.slices) {
            (Some(cover), _) => cover.density(codes),
            (None, Some(slices)) => {
                let expected = slices.fitting(encoded, &view.classes, codes);
                expected.iter().map(|(_, records)| records).sum::<f64>() / rows as f64
            }
            (None, None) => 0.0,
        };
        progress.begin("measuring kl", tuples.len() as u64)?;
        let bits: Vec<f64> = tuples
            .par_iter()
            .map(|&(tuple, times)| {
                progress.advance(1)?;
                let p = encoded.rows_of(tuple).len() as f64 / rows as f64;
                Ok(f64::from(times) * (p / density(encoded.tuple(tuple))).log2())
            })
            .collect::<Result<_>>()?;
        let looked_at: f64 = tuples.iter().map(|(_, times)| f64::from(*times)).sum();
        Ok(Figure::One(bits.iter().sum::<f64>() / looked_at))
    }
}

/// Which pieces cover which values.
struct Cover {
    /// A bit per piece, for every code of every column.
    bits: Vec<Vec<Vec<u64>>>,
    /// What each piece adds to the density where it covers.
    density: Vec<f64>,
}

impl Cover {
    fn new(view: &View) -> Self {
        let domains = view.encoded.domains();
        let rows = view.encoded.rows() as f64;
        let words = view.pieces.len().div_ceil(64);
        let mut bits: Vec<Vec<Vec<u64>>> = domains.iter().map(|d| vec![vec![0; words]; d.len()]).collect();
        let mut density = Vec::with_capacity(view.pieces.len());
        for (i, piece) in view.pieces.iter().enumerate() {
            let mut volume = 1.0;
            for ((column, domain), span) in bits.iter_mut().zip(domains).zip(&piece.closure) {
                let span = domain.close(*span);
                volume *= domain.count(span) as f64;
                for code in domain.codes(span) {
                    column[code as usize][i / 64] |= 1 << (i % 64);
                }
            }
            density.push(piece.size as f64 / rows / volume);
        }
        Cover { bits, density }
    }

    /// The probability that the release gives to a combination.
    fn density(&self, codes: &[Code]) -> f64 {
        let columns: Vec<&[u64]> = self.bits.iter().zip(codes).map(|(c, code)| c[*code as usize].as_slice()).collect();
        let mut sum = 0.0;
        for word in 0..self.density.len().div_ceil(64) {
            let mut covering = columns.iter().fold(u64::MAX, |all, column| all & column[word]);
            while covering != 0 {
                sum += self.density[word * 64 + covering.trailing_zeros() as usize];
                covering &= covering - 1;
            }
        }
        sum
    }
}
