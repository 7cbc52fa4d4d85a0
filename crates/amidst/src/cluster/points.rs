//! Records as points, such that the squared error of [centres](crate::publish::centres) is the sum of the squared distances of the points
//! from the means of their clusters.
//!
//! A column of numbers, dates or ordered categories is one axis, on which the squares of all records sum up to their number, times the weight
//! of the column. Any other column has an axis for each of its values, on which the records with that value stand at 1. So the squared distances
//! of a cluster sum up to the number of its records times the probability that two of them, drawn at random, differ. Where there are many
//! values, each of them is a corner of a cube of [`CUBE_AXES`] axes instead, and the sum is only close to that. Missing numbers stand at the
//! mean of the column. Columns with one value have no axis.

use crate::encode::{Code, Domain, Encoded};
use crate::problem::mixed;

/// The number of values up to which each value of a column without distances has its own axis.
const MAX_NAMED_AXES: usize = 16;
/// The number of axes of a column with more values.
const CUBE_AXES: usize = 16;

/// Where the records of a table stand.
pub(crate) struct Points<'a> {
    encoded: &'a Encoded,
    columns: Vec<Axes>,
    width: usize,
}

/// The axes of one column.
struct Axes {
    column: usize,
    width: usize,
    /// Where each code stands, one code after the other.
    places: Vec<f64>,
}

impl<'a> Points<'a> {
    /// The points of all records.
    pub(crate) fn new(encoded: &'a Encoded) -> Self {
        let columns = encoded.domains().iter().enumerate();
        let columns: Vec<Axes> = columns.filter_map(|(column, domain)| Axes::of(encoded, column, domain)).collect();
        let width = columns.iter().map(|axes| axes.width).sum();
        Points { encoded, columns, width }
    }

    /// The number of axes.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Where a record stands on one axis.
    pub(crate) fn on(&self, row: u32, axis: usize) -> f64 {
        let mut axis = axis;
        for axes in &self.columns {
            if axis < axes.width {
                return axes.place(self.encoded.row(row)[axes.column])[axis];
            }
            axis -= axes.width;
        }
        0.0
    }

    /// The points of these records.
    pub(crate) fn cloud(&self, rows: &[u32]) -> Cloud {
        let mut at = Vec::with_capacity(rows.len() * self.width);
        for row in rows {
            let codes = self.encoded.row(*row);
            self.columns.iter().for_each(|axes| at.extend_from_slice(axes.place(codes[axes.column])));
        }
        Cloud { len: rows.len(), width: self.width, at }
    }
}

impl Axes {
    fn of(encoded: &Encoded, column: usize, domain: &Domain) -> Option<Axes> {
        let mut counts = vec![0_u64; domain.len()];
        (0..encoded.rows() as u32).for_each(|row| counts[encoded.row(row)[column] as usize] += 1);
        let scale = domain.weight().sqrt();
        let (width, places) = match domain.extent(domain.span(0)) {
            Some(_) => (1, numbers(domain, &counts, encoded.rows())?),
            None => names(column, &counts)?,
        };
        Some(Axes { column, width, places: places.into_iter().map(|place| place * scale).collect() })
    }

    fn place(&self, code: Code) -> &[f64] {
        let from = code as usize * self.width;
        &self.places[from..from + self.width]
    }
}

/// The numbers of a column with mean 0 and, over all records, the mean square 1; `None` if they do not differ.
fn numbers(domain: &Domain, counts: &[u64], rows: usize) -> Option<Vec<f64>> {
    let known: Vec<(usize, f64)> =
        (0..counts.len()).filter_map(|code| Some((code, domain.position(code as Code)?))).collect();
    let records =
        || known.iter().map(|(code, number)| (counts[*code] as f64, number)).filter(|(times, _)| *times > 0.0);
    let all: f64 = records().map(|(times, _)| times).sum();
    let mean = records().map(|(times, number)| times / all * number).sum::<f64>();
    // In units of the farthest number, so that no square is too large or too small.
    let unit = records().map(|(_, number)| (number - mean).abs()).fold(0.0, f64::max);
    if unit <= 0.0 || !unit.is_finite() {
        return None;
    }
    let whole: f64 = records().map(|(times, number)| times * ((number - mean) / unit).powi(2)).sum();
    let scale = (rows as f64 / whole).sqrt();
    let mut places = vec![0.0; counts.len()];
    known.iter().for_each(|(code, number)| places[*code] = (number - mean) / unit * scale);
    Some(places)
}

/// Axes for values without distances, and where each value stands on them; `None` if there is only one value.
fn names(column: usize, counts: &[u64]) -> Option<(usize, Vec<f64>)> {
    let occur: Vec<usize> = (0..counts.len()).filter(|code| counts[*code] > 0).collect();
    if occur.len() < 2 {
        return None;
    }
    let width = if occur.len() <= MAX_NAMED_AXES { occur.len() } else { CUBE_AXES };
    let mut places = vec![0.0; counts.len() * width];
    for (number, code) in occur.iter().enumerate() {
        let place = &mut places[code * width..(code + 1) * width];
        if occur.len() <= MAX_NAMED_AXES {
            place[number] = 1.0;
        } else {
            // Two random corners of this cube are √2 apart on average, like two axes.
            let bits = mixed(column as u64, *code as u64);
            let side = 0.5 / (CUBE_AXES as f64 / 4.0).sqrt();
            place.iter_mut().enumerate().for_each(|(axis, at)| *at = if bits >> axis & 1 == 1 { side } else { -side });
        }
    }
    Some((width, places))
}

/// Points side by side.
pub(crate) struct Cloud {
    len: usize,
    width: usize,
    at: Vec<f64>,
}

impl Cloud {
    /// The number of points.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The number of axes.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// A point.
    pub(crate) fn at(&self, point: u32) -> &[f64] {
        let from = point as usize * self.width;
        &self.at[from..from + self.width]
    }

    /// The mean of some points.
    pub(crate) fn mean(&self, points: &[u32]) -> Vec<f64> {
        let mut mean = vec![0.0; self.width];
        points.iter().for_each(|point| mean.iter_mut().zip(self.at(*point)).for_each(|(sum, at)| *sum += at));
        mean.iter_mut().for_each(|sum| *sum /= points.len().max(1) as f64);
        mean
    }
}

/// The squared distance of two points.
pub(crate) fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
