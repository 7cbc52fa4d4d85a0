//! RE, the reconstruction error: the sum over all records of the probability of a wrong sensitive value.
//!
//! Take a class C of m records, h(s) of which have the value s. A reader who links a person to this class guesses the person's value correctly
//! with probability h(s)/m. So RE = Σ_C (m − Σ_s h(s)²/m). If no value has more than the share 1/ℓ of its class, RE is at least
//! n (1 − 1/ℓ). The figure `bound` is this lower bound for the ℓ that the release reaches.
//!
//! Other forms replace the share of the class:
//!
//! - By randomization, the published value has more weight than the shares of the class, and ℓ is the inverse of the highest posterior.
//! - In a sliced release the class is not known. The probability is that of the mixture of all classes that the record fits.
//!   Then at most 50,000 records are sampled.
//! - In a ring, the rows that a record fits take the place of its class.
//!
//! Complexity: O(c d) for c classes and d different sensitive values in a class.
//!
//! Xiao and Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006. "Anonymization on refining partition" (ARP), property 8.
//!
//! # Example
//!
//! ```text
//! amidst measure adult.csv.gz release.csv --plan release.plan.toml --measures re
//! ```

use rayon::prelude::*;

use super::glp::MAX_SAMPLED_RECORDS;
use super::view::Class;
use super::{Build, Figure, Needs, Score, Slices, View, looked_at};
use crate::cost::need_sensitive;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::registry::Entry;
use crate::verify::Shape;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "re",
    about: "reconstruction error: the sum of the probabilities of wrong sensitive values, and its lower bound n(1-1/l)",
    paper: "Xiao and Tao, VLDB 2006; Anonymization on refining partition (ARP), property 8",
    params: &[],
    build: Build { quick: true, needs: Needs::NOTHING, make: |_| Box::new(Re) },
};

struct Re;

impl Score for Re {
    fn score(&self, view: &View, progress: Progress) -> Result<Figure> {
        need_sensitive(&view.encoded, "re")?;
        if matches!(view.shape, Shape::Ring(_)) {
            return by_suspects(view);
        }
        let rows: usize = view.classes.iter().map(|c| c.size).sum();
        let mut columns = Vec::new();
        for (s, sensitive) in view.encoded.sensitive().iter().enumerate() {
            let error = match &view.slices {
                Some(slices) => sliced(view, slices, s, progress)?,
                None if view.classes.iter().any(|c| c.kept > 0.0) => by_rows(view, s)?,
                None => view.classes.iter().map(|c| class_error(c, s)).sum(),
            };
            let share = |c: &Class| c.kept + (1.0 - c.kept) * f64::from(c.histograms[s].most()) / c.size as f64;
            let highest = view.classes.iter().map(share).fold(0.0, f64::max);
            let bound = rows as f64 * (1.0 - highest);
            let figures = [("error", Figure::One(error)), ("bound", Figure::One(bound))];
            columns.push((sensitive.name(), Figure::many(figures)));
        }
        Ok(Figure::many(columns))
    }
}

/// The error by the posterior of each record, if values are kept by chance.
fn by_rows(view: &View, s: usize) -> Result<f64> {
    let sensitive = &view.encoded.sensitive()[s];
    let pieces = view.piece_of("re")?.iter().zip(0..);
    let error = |(piece, row): (&u32, u32)| {
        let own = view.shares(&view.pieces[*piece as usize], s).find(|(code, _)| *code == sensitive.row(row));
        1.0 - own.map_or(0.0, |(_, share)| share)
    };
    Ok(pieces.map(error).sum())
}

fn sliced(view: &View, slices: &Slices, s: usize, progress: Progress) -> Result<f64> {
    let encoded = &view.encoded;
    let tuples = looked_at(encoded, MAX_SAMPLED_RECORDS);
    let errors = tuples.par_iter().map(|(tuple, times)| {
        progress.advance(0)?;
        let mixture = view.mixture(slices, encoded.tuple(*tuple), s);
        let rows = encoded.rows_of(*tuple);
        let own = |row: &u32| mixture.get(&encoded.sensitive()[s].row(*row)).copied().unwrap_or(0.0);
        Ok(f64::from(*times) * (1.0 - rows.iter().map(own).sum::<f64>() / rows.len() as f64))
    });
    let errors: Vec<f64> = errors.collect::<Result<_>>()?;
    let records: f64 = tuples.iter().map(|(_, times)| f64::from(*times)).sum();
    Ok(errors.iter().sum::<f64>() / records * encoded.rows() as f64)
}

/// The error in rings, over the rows that each record fits.
fn by_suspects(view: &View) -> Result<Figure> {
    let suspects = view.suspects.as_ref().ok_or_else(|| Error::NotApplicable {
        measure: "re".to_owned(),
        message: "it is not known which published row comes from which record".to_owned(),
    })?;
    let columns = view.encoded.sensitive().iter().map(|sensitive| {
        let (mut error, mut highest) = (0.0, 0.0);
        suspects.each(sensitive, |row, values, size| {
            error += 1.0 - f64::from(values.times(sensitive.row(row))) / size as f64;
            highest = f64::max(highest, f64::from(values.most()) / size as f64);
        });
        let bound = view.encoded.rows() as f64 * (1.0 - highest);
        (sensitive.name(), Figure::many([("error", Figure::One(error)), ("bound", Figure::One(bound))]))
    });
    Ok(Figure::many(columns))
}

fn class_error(class: &Class, sensitive: usize) -> f64 {
    let size = class.size as f64;
    let squares: f64 = class.histograms[sensitive].iter().map(|(_, times)| f64::from(times).powi(2)).sum();
    size - squares / size
}
