//! KL, the Kullback-Leibler divergence of the original distribution from the one that the release induces.
//!
//! In the original, a combination x of quasi-identifiers has the probability p(x), the share of the records with x. In the release, each record
//! is spread evenly over all combinations in its closure. So q(x) is the sum of size / n / Π |R̄(j)| over the classes that cover x. The figure
//! is Σ p(x) log₂ (p(x)/q(x)), in bits. It is 0 if nothing was generalized.
//!
//! In a sliced release, q(x) is the expected share of x if its sets of columns are independent within a class.
//!
//! The figure is the mean of log₂ (p/q) over the records, so large tables are sampled.
//!
//! Complexity: O(s c) for s sampled records and c classes in the worst case; an index of the classes excludes most of them.
//!
//! Kifer and Gehrke, "Injecting utility into anonymized datasets", SIGMOD 2006.
//!
//! # Example
//!
//! ```text
//! amidst measure adult.csv.gz release.csv --plan release.plan.toml --measures 'kl(sample=10000)'
//! ```

use rayon::prelude::*;

use super::{Build, Cover, Figure, Needs, Piece, Score, View, looked_at};
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
        about: "the most records that are used",
        range: Range::Integer(1, u64::MAX),
        default: Some(Value::Integer(50_000)),
    }],
    build: Build {
        quick: false,
        needs: Needs { spread: true, ..Needs::NOTHING },
        make: |params| Box::new(Kl { sample: params.integer("sample") as usize }),
    },
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

/// The density that each piece adds to the combinations it covers.
fn densities(view: &View) -> Vec<f64> {
    let domains = view.encoded.domains();
    let density = |piece: &Piece| {
        let counts = domains.iter().zip(&piece.closure).map(|(domain, span)| domain.count(domain.close(*span)) as f64);
        piece.size as f64 / view.encoded.rows() as f64 / counts.product::<f64>()
    };
    view.pieces.iter().map(density).collect()
}
