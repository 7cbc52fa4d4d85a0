//! KL: how far the distribution that the release induces is from the original one.
//!
//! The original gives each combination x of quasi-identifiers the probability p(x) = records with x / n. In the release
//! every record spreads its mass evenly over all combinations in its closure, so q(x) is the sum over the classes that
//! cover x of size / n / Π |R̄(j)|. The figure is Σ p(x) log₂ (p(x)/q(x)), in bits; 0 when nothing was generalized.
//!
//! Of a sliced release q(x) is what [its sets of columns](super::slices) let expect of x: sets are independent within a class.
//!
//! It is the mean of log₂ (p/q) over the records, so for large tables the mean over a sample of them serves.

use rayon::prelude::*;

use super::{Build, Cover, Figure, Piece, Score, View, looked_at};
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
        let cover = view.slices.is_none().then(|| (Cover::new(encoded, &view.pieces), densities(view)));
        let density = |codes: &[Code]| {
            let mut sum = 0.0;
            if let Some((cover, densities)) = &cover {
                cover.covering(codes, |piece| sum += densities[piece]);
            }
            if let Some(slices) = &view.slices {
                let expected = slices.fitting(encoded, &view.classes, codes);
                sum += expected.iter().map(|(_, records)| records).sum::<f64>() / rows as f64;
            }
            sum
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

/// What each piece adds to the density where it covers.
fn densities(view: &View) -> Vec<f64> {
    let domains = view.encoded.domains();
    let density = |piece: &Piece| {
        let counts = domains.iter().zip(&piece.closure).map(|(domain, span)| domain.count(domain.close(*span)) as f64);
        piece.size as f64 / view.encoded.rows() as f64 / counts.product::<f64>()
    };
    view.pieces.iter().map(density).collect()
}
