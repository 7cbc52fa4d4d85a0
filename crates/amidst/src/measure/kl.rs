//! KL: how far the distribution that the release induces is from the original one.
//!
//! The original gives each combination x of quasi-identifiers the probability p(x) = records with x / n. In the release
//! every record spreads its mass evenly over all combinations in its closure, so q(x) is the sum over the classes that
//! cover x of size / n / Π |R̄(j)|. The figure is Σ p(x) log₂ (p(x)/q(x)), in bits; 0 when nothing was generalized.
//!
//! It is the mean of log₂ (p/q) over the records, so for large tables the mean over a sample of them serves.

use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use super::{Build, Cover, Figure, Piece, Score, View};
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
        // (tuple, how often it is looked at)
        let mut looked_at = vec![0_u32; encoded.tuples()];
        if rows <= self.sample {
            looked_at.iter_mut().zip(0..).for_each(|(times, t)| *times = encoded.rows_of(t).len() as u32);
        } else {
            let mut rng = ChaCha12Rng::seed_from_u64(0);
            sample(&mut rng, rows, self.sample)
                .into_iter()
                .for_each(|row| looked_at[encoded.tuple_of(row as u32) as usize] += 1);
        }
        let (cover, densities) = (Cover::new(encoded, &view.pieces), densities(view));
        let tuples: Vec<(u32, u32)> = (0..).zip(looked_at).filter(|(_, times)| *times > 0).collect();
        progress.begin("measuring kl", tuples.len() as u64)?;
        let bits: Vec<f64> = tuples
            .par_iter()
            .map(|&(tuple, times)| {
                progress.advance(1)?;
                let p = encoded.rows_of(tuple).len() as f64 / rows as f64;
                let mut q = 0.0;
                cover.covering(encoded.tuple(tuple), |piece| q += densities[piece]);
                Ok(f64::from(times) * (p / q).log2())
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
