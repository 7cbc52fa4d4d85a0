//! A check of the centres of classes: middle, mean, median or most frequent value.

use rustc_hash::FxHashMap;

use super::cell::Point;
use super::order::{Alignment, Candidates};
use super::reading::{distinct, text, texts};
use super::{CellReader, Failure, Meaning, Published};
use crate::error::Result;
use crate::plan::{Plan, Role, Show};
use crate::read::Table;

/// Compares each published centre with the records of its class. Classes that look the same count as one class, because their common
/// middle, mean, median or most frequent value is also that of all their records together.
///
/// If a row may come from several records, the centre must be right for some choice of them. Then middle, mean and median must lie between
/// the centre of all lowest candidates and the centre of all highest.
pub(super) fn centres(
    original: &Table,
    plan: &Plan,
    published: &Published,
    rows: &Alignment,
) -> Result<Result<(), Failure>> {
    for (name, show) in &published.centres {
        if plan.columns.get(name).is_none_or(|column| column.role != Role::Quasi) {
            continue;
        }
        let wrong = column(original, plan, name, *show, published, rows)?;
        if wrong > 0 {
            let classes = published.classes.sizes.len();
            return Ok(Err(Failure(format!("column `{name}`: the centre is wrong in {wrong} of {classes} classes"))));
        }
    }
    Ok(Ok(()))
}

/// What is known about the records of a class.
#[derive(Default)]
struct Members<'a> {
    /// The values of the records that are known.
    known: Vec<&'a str>,
    /// The possible values of each of the other records.
    open: Vec<Vec<&'a str>>,
    /// Whether some record may have any value.
    many: bool,
}

/// The number of classes whose published centre is wrong.
fn column(
    original: &Table,
    plan: &Plan,
    name: &str,
    show: Show,
    published: &Published,
    rows: &Alignment,
) -> Result<usize> {
    let (before, after) = (texts(original, name)?, texts(&published.table, name)?);
    let occurring = distinct(&before);
    let reader = CellReader::new(Meaning::of(&plan.columns[name]), occurring.iter().flatten().copied());
    let is_missing = |text: &str| text.is_empty() || plan.input.missing.iter().any(|m| m == text);
    let mut members: Vec<Members> = Vec::new();
    members.resize_with(published.classes.sizes.len(), Members::default);
    for (row, class) in published.classes.of_row.iter().enumerate() {
        let members = &mut members[*class as usize];
        let value = |from: &u32| text(&before, *from as usize).filter(|text| !is_missing(text)).unwrap_or_default();
        match rows.of(row) {
            Ok(from) => members.known.push(value(&from)),
            Err(Candidates::These(records)) => members.open.push(records.iter().map(value).collect()),
            Err(Candidates::Many) => members.many = true,
        }
    }
    let is_right = |(class, members): (usize, &Members)| {
        let shown = text(&after, published.classes.first[class]).filter(|text| !is_missing(text)).unwrap_or_default();
        members.many
            || if show == Show::Mode {
                is_mode(&reader, shown, members)
            } else {
                is_centre(&reader, show, shown, members)
            }
    };
    Ok(members.iter().enumerate().filter(|class| !is_right(*class)).count())
}

/// Whether the published value may be the middle, mean or median of a class.
fn is_centre(reader: &CellReader, show: Show, shown: &str, members: &Members) -> bool {
    let all = || members.known.iter().chain(members.open.iter().flatten()).filter(|text| !text.is_empty());
    let step = reader.step();
    // Times are counted from one of them, because seconds since long ago would be rounded.
    let from = step.and_then(|_| all().find_map(|text| reader.point(text))).map_or(0.0, Point::position);
    let point = |text: &&str| {
        if text.is_empty() { None } else { reader.point(text).map(|point| point.position() - from) }
    };
    // Missing values do not count. A row that is not known may have one unless all its candidates are numbers.
    let mut low: Vec<f64> = members.known.iter().filter_map(point).collect();
    let mut high = low.clone();
    for values in &members.open {
        let points: Vec<f64> = values.iter().filter_map(point).collect();
        if points.len() < values.len() {
            return true;
        }
        low.push(points.iter().copied().fold(f64::INFINITY, f64::min));
        high.push(points.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    }
    let Some(shown) = point(&shown).or_else(|| reader.centre(shown)) else {
        return shown.is_empty() && low.is_empty();
    };
    if low.is_empty() {
        return false;
    }
    let (lowest, highest) = (centre(show, &mut low), centre(show, &mut high));
    let size = low.iter().chain(&high).map(|value| value.abs()).fold(1.0, f64::max);
    // The centre of times is rounded down to a whole step.
    match step {
        _ if show == Show::Median => lowest <= shown && shown <= highest,
        Some(step) => {
            let rounding = 1e-5 + 1e-12 * size;
            lowest - step < shown + rounding && shown <= highest + rounding
        }
        None => lowest - 1e-9 * size <= shown && shown <= highest + 1e-9 * size,
    }
}

/// The middle, mean or median of numbers. Of two medians it is the lower one.
fn centre(show: Show, numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    match show {
        Show::Mean => numbers.iter().sum::<f64>() / numbers.len() as f64,
        Show::Middle => f64::midpoint(numbers[0], numbers[numbers.len() - 1]),
        _ => numbers[(numbers.len() - 1) / 2],
    }
}

/// Whether the published value may be the most frequent one of a class. A number may be written in several ways.
fn is_mode(reader: &CellReader, shown: &str, members: &Members) -> bool {
    let name = |text: &str| match reader.point(text) {
        Some(point) if !text.is_empty() => point.position().to_string(),
        _ => text.to_owned(),
    };
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    members.known.iter().for_each(|text| *counts.entry(name(text)).or_default() += 1);
    let shown = name(shown);
    let more = members.open.iter().filter(|values| values.iter().any(|value| name(value) == shown)).count();
    let most = counts.get(&shown).copied().unwrap_or(0) + more;
    most > 0 && counts.values().all(|other| *other <= most)
}
