//! Does a value that stands for a class stand in its centre?

use arrow_array::cast::AsArray;
use chrono::Datelike;
use rustc_hash::FxHashMap;

use super::cell::Point;
use super::{CellReader, Failure, Published};
use crate::error::{Error, Result};
use crate::plan::Show;
use crate::read::{Table, texts};
use crate::schema::{Quasi, Schema};

/// Compares every centre of a release with the records behind it, where published row `i` comes from row `rows[i]`. Classes that
/// look the same are one class: their common middle, mean, median or most frequent value is still that of all their records.
///
/// Where records were left out it is not certain which of several are published, so then there is nothing to compare.
pub(super) fn centres(
    original: &Table,
    schema: &Schema,
    missing: &[String],
    published: &Published,
    rows: &[u32],
) -> Result<Result<(), Failure>> {
    if rows.len() < original.rows() {
        return Ok(Ok(()));
    }
    for (name, show) in &published.centres {
        let Some(quasi) = schema.quasi.iter().find(|quasi| quasi.name == *name) else { continue };
        let wrong = column(original, quasi, *show, missing, published, rows)?;
        if wrong > 0 {
            let classes = published.classes.sizes.len();
            return Ok(Err(Failure(format!("column `{name}`: {wrong} of {classes} classes have another centre"))));
        }
    }
    Ok(Ok(()))
}

/// How many classes have another centre than what is published.
fn column(
    original: &Table,
    quasi: &Quasi,
    show: Show,
    missing: &[String],
    published: &Published,
    rows: &[u32],
) -> Result<usize> {
    let load = |table: &Table| texts(table.column(&quasi.name)?).map_err(|e| Error::column(&quasi.name, &e));
    let (before, after) = (load(original)?, load(&published.table)?);
    let (values, centres) = (before.values().as_string::<i32>(), after.values().as_string::<i32>());
    let reader = CellReader::new(quasi, values.iter().flatten());
    let is_missing = |text: &str| text.is_empty() || missing.iter().any(|m| m == text);
    let mut members: Vec<Vec<&str>> = vec![Vec::new(); published.classes.sizes.len()];
    for (class, row) in published.classes.of_row.iter().zip(rows) {
        let text = before.key(*row as usize).map_or("", |key| values.value(key));
        members[*class as usize].push(if is_missing(text) { "" } else { text });
    }
    let shown = |class: usize| after.key(published.classes.first[class]).map_or("", |key| centres.value(key));
    let is_right = |class: usize| {
        let text = shown(class);
        let text = if is_missing(text) { "" } else { text };
        if show == Show::Mode {
            return is_mode(&reader, text, &members[class]);
        }
        let known = members[class].iter().filter(|text| !text.is_empty()).filter_map(|text| reader.point(text));
        let known: Vec<Point> = known.collect();
        let whole_days = matches!(known.first(), Some(Point::Day(_)));
        let known: Vec<f64> = known.into_iter().map(number).collect();
        let point = reader.point(text).map(number).or_else(|| text.parse().ok());
        match point {
            None => text.is_empty() && known.is_empty(),
            Some(point) => is_centre(show, point, &known, whole_days),
        }
    };
    Ok((0..members.len()).filter(|class| !is_right(*class)).count())
}

fn number(point: Point) -> f64 {
    match point {
        Point::Whole(value) => value as f64,
        Point::Decimal(value) => value,
        Point::Day(day) => f64::from(day.num_days_from_ce()),
        Point::Rank(rank) => rank as f64,
    }
}

fn is_centre(show: Show, point: f64, known: &[f64], whole_days: bool) -> bool {
    let exact = match show {
        Show::Mean => known.iter().sum::<f64>() / known.len() as f64,
        Show::Middle => {
            let lo = known.iter().copied().fold(f64::INFINITY, f64::min);
            f64::midpoint(lo, known.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        }
        _ => {
            let half = known.len() as f64 / 2.0;
            let side = |beyond: fn(&f64, f64) -> bool| known.iter().filter(|value| beyond(value, point)).count() as f64;
            return known.contains(&point) && side(|v, p| *v < p) <= half && side(|v, p| *v > p) <= half;
        }
    };
    let size = known.iter().map(|value| value.abs()).fold(1.0, f64::max);
    if whole_days { (0.0..1.0 + 1e-6).contains(&(exact - point)) } else { (exact - point).abs() <= 1e-9 * size }
}

/// Whether no value occurs more often than this one. Numbers may be written in several ways.
fn is_mode(reader: &CellReader, text: &str, members: &[&str]) -> bool {
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    let name = |text: &str| match reader.point(text) {
        Some(point) if !text.is_empty() => number(point).to_string(),
        _ => text.to_owned(),
    };
    members.iter().for_each(|text| *counts.entry(name(text)).or_default() += 1);
    counts.get(&name(text)).is_some_and(|times| counts.values().all(|other| other <= times))
}
