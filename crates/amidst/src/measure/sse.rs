//! SSE, the squared error of published values as a share of the column's own variation.
//!
//! For a number, date or ordered category, the error is Σ (x − x̄)² / Σ (x − μ)². Here x̄ is the published value of the record, for a range its
//! middle, and μ is the mean of the column. For any other column, the error is the probability that a value drawn from the published cell is
//! not the record's value. The figure is the weighted mean over the columns. It is 0 if nothing was changed, and 1 for numbers if only the
//! mean is published. A suppressed cell counts as the mean. Records with a missing number do not count.
//!
//! Complexity: O(n m) for n records and m columns.
//!
//! Domingo-Ferrer and Mateo-Sanz, "Practical data-oriented microaggregation for statistical disclosure control", TKDE 2002.
//!
//! # Example
//!
//! ```text
//! amidst measure adult.csv.gz release.csv --plan release.plan.toml --measures sse
//! ```

use super::{Build, Figure, Needs, Score, View};
use crate::cost;
use crate::encode::{Domain, Span};
use crate::error::Result;
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "sse",
    about: "squared error of the published values, as a share of the column's own variation",
    paper: "Domingo-Ferrer and Mateo-Sanz, TKDE 2002",
    params: &[],
    build: Build { quick: true, needs: Needs { generalized: true, ..Needs::NOTHING }, make: |_| Box::new(Sse) },
};

struct Sse;

impl Score for Sse {
    fn score(&self, view: &View, _progress: Progress) -> Result<Figure> {
        let piece_of = view.piece_of("sse")?;
        let domains = view.encoded.domains();
        Ok(Figure::One(cost::mean(&view.encoded, |i| column(view, piece_of, i, &domains[i]))))
    }
}

fn column(view: &View, piece_of: &[u32], column: usize, domain: &Domain) -> f64 {
    let encoded = &view.encoded;
    let codes = || (0..encoded.rows() as u32).map(|row| encoded.row(row)[column]);
    if domain.extent(domain.everything()).is_none() {
        let wrong = |(code, piece): (u32, &u32)| {
            let span = domain.close(view.pieces[*piece as usize].closure[column]);
            let right = if domain.covers(span, code) { 1.0 / domain.count(span) as f64 } else { 0.0 };
            1.0 - right
        };
        return codes().zip(piece_of).map(wrong).sum::<f64>() / encoded.rows() as f64;
    }
    let known: Vec<f64> = codes().filter_map(|code| domain.position(code)).collect();
    let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
    let points: Vec<f64> = match &view.points[column] {
        Some(points) => points.iter().map(|point| point.unwrap_or(mean)).collect(),
        None => view.pieces.iter().map(|piece| middle(domain, piece.closure[column]).unwrap_or(mean)).collect(),
    };
    // Records that were left out have no point and count as the mean.
    let point = |piece: &u32| points.get(*piece as usize).copied().unwrap_or(mean);
    let (mut error, mut whole) = (0.0, 0.0);
    for (code, piece) in codes().zip(piece_of) {
        if let Some(value) = domain.position(code) {
            error += (value - point(piece)).powi(2);
            whole += (value - mean).powi(2);
        }
    }
    if whole > 0.0 { error / whole } else { 0.0 }
}

/// The middle of a closure; `None` if it has no numbers at its ends.
fn middle(domain: &Domain, span: Span) -> Option<f64> {
    let span = domain.close(span);
    Some(f64::midpoint(domain.position(span.lo())?, domain.position(span.hi())?))
}
