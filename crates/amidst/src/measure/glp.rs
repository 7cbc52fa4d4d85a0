//! GLP, the correspondence loss between quasi-identifiers and the sensitive value.
//!
//! Let S_t be the set of sensitive values of all records with the quasi-identifiers of record t. These are the values that t can have according
//! to the original. NLP(t) is the probability that the release gives to values outside S_t. It is the share of t's class with such a value, or,
//! in a ring, the share of the rows that fit t. GLP is the mean of NLP over all records, from 0 to 1. With several sensitive columns, it is
//! the mean over them.
//!
//! In a sliced release the class of a record is not known, so the probability is that of the mixture of all classes that it
//! fits. Then at most 50,000 records are sampled.
//!
//! Complexity: O(n d) for n records and d different sensitive values in a class.
//!
//! "Anonymization on refining partition" (ARP), definition 3.
//!
//! # Example
//!
//! ```text
//! amidst measure adult.csv.gz release.csv --plan release.plan.toml --measures glp
//! ```

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::{Build, Figure, Needs, Score, Slices, Suspects, View, looked_at};
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
    build: Build { quick: true, needs: Needs::NOTHING, make: |_| Box::new(Glp) },
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
            let (mut possible, mut pieces) = (Vec::new(), Vec::new());
            for tuple in 0..encoded.tuples() as u32 {
                let rows = encoded.rows_of(tuple);
                possible.clear();
                possible.extend(rows.iter().map(|row| sensitive.row(*row)));
                possible.sort_unstable();
                pieces.clear();
                pieces.extend(rows.iter().map(|row| piece_of[*row as usize]));
                pieces.sort_unstable();
                for alike in pieces.chunk_by(|a, b| a == b) {
                    let shares = view.shares(&view.pieces[alike[0] as usize], s);
                    let ruled_out = shares.filter(|(value, _)| possible.binary_search(value).is_err());
                    sum += alike.len() as f64 * ruled_out.map(|(_, share)| share).sum::<f64>();
                }
                if tuple % 4096 == 0 {
                    progress.advance(0)?;
                }
            }
        }
        Ok(Figure::One(sum / (encoded.sensitive().len() * encoded.rows()) as f64))
    }
}

/// The most records that are sampled in a sliced release.
pub(super) const MAX_SAMPLED_RECORDS: usize = 50_000;

fn sliced(view: &View, slices: &Slices, progress: Progress) -> Result<Figure> {
    let encoded = &view.encoded;
    let tuples = looked_at(encoded, MAX_SAMPLED_RECORDS);
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

/// The sum of NLP in rings, over the rows that each record fits.
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
