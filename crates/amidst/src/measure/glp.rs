//! GLP, the correspondence loss between quasi-identifiers and sensitive value.
//!
//! S_t is the set of sensitive values of all records with t's quasi-identifiers: what the original says t's value can be.
//! NLP(t) is the probability that the release gives to values outside S_t, those that the original rules out: the share
//! of t's class with such a value, or in a ring of the rows that t fits. GLP is its mean over the records. Range: 0 to 1. With several sensitive columns,
//! their mean.
//!
//! Of a sliced release nobody can tell t's class, so the probability is that of the [mixture](super::slices) of all classes that t fits; over
//! 50,000 records a sample of them serves.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Build, Figure, Score, Slices, Suspects, View, looked_at};
use crate::cost::need_sensitive;
use crate::encode::{Code, Sensitive};
use crate::error::Result;
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "glp",
    about: "correspondence loss: the mean probability of sensitive values that the original rules out for a record",
    paper: "Anonymization on refining partition (ARP), definition 3",
    params: &[],
    build: Build { quick: true, make: |_| Box::new(Glp) },
};

struct Glp;

impl Score for Glp {
    fn score(&self, view: &View, progress: Progress) -> Result<Figure> {
        need_sensitive(&view.encoded, "glp")?;
        if let Some(slices) = &view.slices {
            return sliced(view, slices, progress);
        }
        let piece_of = view.piece_of("glp")?;
        let encoded = &view.encoded;
        let mut sum = 0.0;
        for (s, sensitive) in encoded.sensitive().iter().enumerate() {
            if let Some(suspects) = &view.suspects {
                sum += by_suspects(view, suspects, sensitive);
                continue;
            }
            for tuple in 0..encoded.tuples() as u32 {
                let rows = encoded.rows_of(tuple);
                let possible: FxHashSet<_> = rows.iter().map(|row| sensitive.row(*row)).collect();
                let mut in_piece: FxHashMap<u32, usize> = FxHashMap::default();
                rows.iter().for_each(|row| *in_piece.entry(piece_of[*row as usize]).or_default() += 1);
                for (piece, records) in in_piece {
                    let shares = view.shares(&view.pieces[piece as usize], s);
                    let ruled_out: f64 = shares.filter(|(v, _)| !possible.contains(v)).map(|(_, share)| share).sum();
                    sum += records as f64 * ruled_out;
                }
                if tuple % 4096 == 0 {
                    progress.advance(0)?;
                }
            }
        }
        Ok(Figure::One(sum / (encoded.sensitive().len() * encoded.rows()) as f64))
    }
}

/// How many records are looked at in a sliced release.
pub(super) const SAMPLE: usize = 50_000;

fn sliced(view: &View, slices: &Slices, progress: Progress) -> Result<Figure> {
    let encoded = &view.encoded;
    let tuples = looked_at(encoded, SAMPLE);
    let ruled_out = |tuple: u32, s: usize| -> f64 {
        let possible: FxHashSet<_> =
            encoded.rows_of(tuple).iter().map(|row| encoded.sensitive()[s].row(*row)).collect();
        let mixture = view.mixture(slices, encoded.tuple(tuple), s);
        mixture.iter().filter(|(v, _)| !possible.contains(v)).map(|(_, share)| share).sum()
    };
    let sums = tuples.par_iter().map(|(tuple, times)| {
        progress.advance(0)?;
        let columns = 0..encoded.sensitive().len();
        Ok(f64::from(*times) * columns.map(|s| ruled_out(*tuple, s)).sum::<f64>())
    });
    let sums: Vec<f64> = sums.collect::<Result<_>>()?;
    let records: f64 = tuples.iter().map(|(_, times)| f64::from(*times)).sum();
    Ok(Figure::One(sums.iter().sum::<f64>() / records / encoded.sensitive().len() as f64))
}

/// The sum where records are suspects in other rows than those of a class.
fn by_suspects(view: &View, suspects: &Suspects, sensitive: &Sensitive) -> f64 {
    let encoded = &view.encoded;
    let possible: FxHashSet<(u32, Code)> =
        (0..encoded.rows() as u32).map(|row| (encoded.tuple_of(row), sensitive.row(row))).collect();
    let mut sum = 0.0;
    suspects.each(sensitive, |row, values, size| {
        let tuple = encoded.tuple_of(row);
        let ruled_out = values.iter().filter(|(value, _)| !possible.contains(&(tuple, *value)));
        sum += f64::from(ruled_out.map(|(_, times)| times).sum::<u32>()) / size as f64;
    });
    sum
}
