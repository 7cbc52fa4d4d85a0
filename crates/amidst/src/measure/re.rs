//! RE, the reconstruction error: the sum over the records of the probability of a wrong sensitive value.
//!
//! Whoever links a person to a class of m records, h(s) of them with the value s, takes the person's own value with
//! probability h(s)/m. So RE = Σ_C (m − Σ_s h(s)²/m). No release in which every value has at most the share 1/ℓ of its
//! class can go below n(1 − 1/ℓ); `bound` is that, for the ℓ that the release reaches.
//!
//! In a ring the rows that a record fits take the place of its class: RE is the sum over the records of the share of these rows that
//! has another value than the record.

use super::view::Class;
use super::{Build, Figure, Score, View};
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
    build: Build { quick: true, make: |_| Box::new(Re) },
};

struct Re;

impl Score for Re {
    fn score(&self, view: &View, _progress: Progress) -> Result<Figure> {
        need_sensitive(&view.encoded, "re")?;
        if matches!(view.shape, Shape::Ring(_)) {
            return by_suspects(view);
        }
        let columns = view.encoded.sensitive().iter().enumerate().map(|(s, sensitive)| {
            let error: f64 = view.classes.iter().map(|c| class_error(c, s)).sum();
            let share = |c: &Class| f64::from(c.histograms[s].most()) / c.size as f64;
            let highest = view.classes.iter().map(share).fold(0.0, f64::max);
            let rows: usize = view.classes.iter().map(|c| c.size).sum();
            let bound = rows as f64 * (1.0 - highest);
            (sensitive.name(), Figure::many([("error", Figure::One(error)), ("bound", Figure::One(bound))]))
        });
        Ok(Figure::many(columns))
    }
}

/// Where records are suspects in other rows than those of a class.
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
