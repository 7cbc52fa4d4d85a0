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

use super::{Build, Figure, Needs, Piece, Score, View};
use crate::cost;
use crate::encode::{Code, Domain, Span};
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
        let (encoded, piece_of) = (&view.encoded, view.piece_of("sse")?);
        let rows = || (0..encoded.rows() as u32).zip(piece_of).map(|(row, piece)| (encoded.row(row), *piece as usize));
        // All columns at once, because the codes of a row are beside each other.
        let mut known = vec![(0.0, 0_usize); encoded.domains().len()];
        let positions: Vec<Option<Vec<Option<f64>>>> = encoded.domains().iter().map(positions).collect();
        for (codes, _) in rows() {
            for (((sum, count), positions), code) in known.iter_mut().zip(&positions).zip(codes) {
                if let Some(Some(value)) = positions.as_ref().map(|positions| positions[*code as usize]) {
                    *sum += value;
                    *count += 1;
                }
            }
        }
        let columns = known.into_iter().zip(positions).enumerate();
        let mut columns: Vec<Column> = columns
            .map(|(column, ((sum, count), positions))| match positions {
                Some(positions) => Column::of_positions(view, column, positions, sum / count.max(1) as f64),
                None => Column::of_values(view, column),
            })
            .collect();
        for (codes, piece) in rows() {
            for (column, code) in columns.iter_mut().zip(codes) {
                column.add(*code, piece);
            }
        }
        Ok(Figure::One(cost::mean(encoded, |column| columns[column].error(encoded.rows()))))
    }
}

/// The position of each code of a column; `None` if it has no extent.
fn positions(domain: &Domain) -> Option<Vec<Option<f64>>> {
    domain.extent(domain.everything())?;
    Some((0..domain.len() as Code).map(|code| domain.position(code)).collect())
}

/// The errors of a column, row by row.
enum Column<'a> {
    /// A column with an extent.
    Positions {
        positions: Vec<Option<f64>>,
        mean: f64,
        /// The published position in each piece.
        points: Vec<f64>,
        error: f64,
        whole: f64,
    },
    /// Any other column.
    Values {
        domain: &'a Domain,
        /// The closed closure in each piece, and the share of each of its values.
        cells: Vec<(Span, f64)>,
        wrong: f64,
    },
}

impl<'a> Column<'a> {
    fn of_positions(view: &View, column: usize, positions: Vec<Option<f64>>, mean: f64) -> Self {
        let domain = &view.encoded.domains()[column];
        let points = match &view.points[column] {
            Some(points) => points.iter().map(|point| point.unwrap_or(mean)).collect(),
            None => view.pieces.iter().map(|piece| middle(domain, piece.closure[column]).unwrap_or(mean)).collect(),
        };
        Column::Positions { positions, mean, points, error: 0.0, whole: 0.0 }
    }

    fn of_values(view: &'a View, column: usize) -> Self {
        let domain = &view.encoded.domains()[column];
        let cell = |piece: &Piece| {
            let span = domain.close(piece.closure[column]);
            (span, 1.0 / domain.count(span) as f64)
        };
        Column::Values { domain, cells: view.pieces.iter().map(cell).collect(), wrong: 0.0 }
    }

    /// Adds a row with this code in this piece.
    fn add(&mut self, code: Code, piece: usize) {
        match self {
            Column::Positions { positions, mean, points, error, whole } => {
                if let Some(value) = positions[code as usize] {
                    // Records that were left out have no point and count as the mean.
                    *error += (value - points.get(piece).copied().unwrap_or(*mean)).powi(2);
                    *whole += (value - *mean).powi(2);
                }
            }
            Column::Values { domain, cells, wrong } => {
                let (span, share) = cells[piece];
                *wrong += 1.0 - if domain.covers(span, code) { share } else { 0.0 };
            }
        }
    }

    /// The error of all rows that were added, of which there are so many.
    fn error(&self, rows: usize) -> f64 {
        match self {
            Column::Positions { error, whole, .. } if *whole > 0.0 => error / whole,
            Column::Positions { .. } => 0.0,
            Column::Values { wrong, .. } => wrong / rows as f64,
        }
    }
}

/// The middle of a closure; `None` if it has no numbers at its ends.
fn middle(domain: &Domain, span: Span) -> Option<f64> {
    let span = domain.close(span);
    Some(f64::midpoint(domain.position(span.lo())?, domain.position(span.hi())?))
}
