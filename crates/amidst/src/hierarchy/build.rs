//! Trees that are built over the values of a column.

use chrono::{Datelike, NaiveDateTime};

use super::Path;
use crate::error::{Error, Result};
use crate::notation;
use crate::plan::{BuiltinTree, CalendarUnit};
use crate::schema::classifications;
use crate::schema::dates::DateFormat;

const ROOT: &str = notation::EVERYTHING;

fn fail(problem: String) -> Error {
    Error::Hierarchy { hierarchy: "the hierarchy in the plan".to_owned(), line: None, problem }
}

fn path(labels: Vec<String>) -> Path {
    Path { labels, line: None }
}

/// A tree with every value directly below the root.
pub(super) fn flat(values: &[&str], root: &str) -> Vec<Path> {
    values.iter().map(|v| path(vec![(*v).to_owned(), root.to_owned()])).collect()
}

/// The part of a built-in tree that is above the values which it has.
pub(super) fn builtin(values: &[&str], tree: BuiltinTree) -> Vec<Path> {
    let mut values = values.to_vec();
    values.sort_unstable();
    let labels = |value: &&str| {
        let above = classifications::above(tree, value)?;
        Some(path(std::iter::once((*value).to_owned()).chain(above).chain([ROOT.to_owned()]).collect()))
    };
    values.iter().filter_map(labels).collect()
}

/// A tree of ranges with the given widths, which begin at multiples of the width.
pub(super) fn widths(values: &[&str], widths: &[f64]) -> Result<Vec<Path>> {
    if widths.is_empty() || widths.iter().any(|w| !w.is_finite() || *w <= 0.0) {
        return Err(fail("widths are a list of positive numbers".to_owned()));
    }
    for pair in widths.windows(2) {
        let ratio = pair[1] / pair[0];
        if ratio < 1.5 || (ratio - ratio.round()).abs() > 1e-9 {
            return Err(fail(format!("the width {} is not a multiple of {}; ranges would overlap", pair[1], pair[0])));
        }
    }
    let mut numbers: Vec<(f64, &str)> = values
        .iter()
        .map(|v| match v.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok((number, *v)),
            _ => Err(fail(format!("widths need numbers, and `{v}` is not a number"))),
        })
        .collect::<Result<_>>()?;
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    // For larger numbers, neighbouring whole numbers or ranges would be the same number in 64 bits, and a
    // label would not name what is below it.
    let (largest, most_ranges) = (2_f64.powi(53), 2_f64.powi(50));
    let large = |value: f64| value.abs() >= largest || widths.iter().any(|width| (value / width).abs() >= most_ranges);
    if let Some((_, text)) = numbers.iter().find(|(value, _)| large(*value)) {
        return Err(fail(format!(
            "`{text}` is too large for ranges of these widths; make the kind range, or the widths larger"
        )));
    }
    let whole = |x: f64| x.fract() == 0.0;
    let whole = numbers.iter().all(|(v, _)| whole(*v)) && widths.iter().all(|w| whole(*w));
    let range = |value: f64, width: f64| {
        // The quotient is rounded: 0.6 / 0.1 is below 6, so without this correction 0.6 would lie in [0.5,
        // 0.6).
        let mut number = (value / width).floor();
        if (number + 1.0) * width <= value {
            number += 1.0;
        } else if number * width > value {
            number -= 1.0;
        }
        let (from, next) = (number * width, (number + 1.0) * width);
        if whole {
            let to = next - 1.0;
            if width > 1.0 { notation::numbers(&from.to_string(), &to.to_string()) } else { from.to_string() }
        } else {
            notation::half_open(&from.to_string(), &next.to_string())
        }
    };
    let above = |value: f64| widths.iter().map(move |w| range(value, *w));
    Ok(numbers
        .into_iter()
        .map(|(value, text)| {
            let leaf = std::iter::once(text.to_owned());
            path(leaf.chain(above(value)).chain([ROOT.to_owned()]).collect())
        })
        .collect())
}

/// A tree of days, months, quarters, years and decades.
pub(super) fn dates(values: &[&str], units: &[CalendarUnit], format: &str) -> Result<Vec<Path>> {
    if units.is_empty() || !units.is_sorted_by(|a, b| a < b) {
        return Err(fail("calendar units go from small to large: day, month, quarter, year, decade".to_owned()));
    }
    let reader = DateFormat::new(format);
    let mut days: Vec<(NaiveDateTime, &str)> = values
        .iter()
        .map(|v| {
            // The day is that of the clock at the place, not that of universal time.
            let day = reader.as_ref().and_then(|reader| reader.read(v)).map(|moment| (moment.wall, *v));
            day.ok_or_else(|| fail(format!("`{v}` is not a date of the form {format}")))
        })
        .collect::<Result<_>>()?;
    days.sort_unstable();
    let label = |day: NaiveDateTime, unit: &CalendarUnit| match unit {
        CalendarUnit::Day => day.format("%Y-%m-%d").to_string(),
        CalendarUnit::Month => day.format("%Y-%m").to_string(),
        CalendarUnit::Quarter => format!("{}-Q{}", day.year(), day.month0() / 3 + 1),
        CalendarUnit::Year => day.year().to_string(),
        CalendarUnit::Decade => format!("{}s", day.year().div_euclid(10) * 10),
    };
    Ok(days
        .into_iter()
        .map(|(day, text)| {
            let leaf = std::iter::once(text.to_owned());
            let above = units.iter().map(|u| label(day, u));
            path(leaf.chain(above).chain([ROOT.to_owned()]).collect())
        })
        .collect())
}

/// A tree in which more and more of the last characters are replaced by stars. An empty text, which is a value where a plan says that nothing
/// but its own texts is missing, becomes a single star.
pub(super) fn mask(values: &[&str], counts: &[u32]) -> Result<Vec<Path>> {
    if counts.is_empty() || counts[0] == 0 || !counts.is_sorted_by(|a, b| a < b) {
        return Err(fail("mask is a rising list of numbers of characters to hide: [1, 2, 3]".to_owned()));
    }
    let mut values = values.to_vec();
    values.sort_unstable();
    Ok(values
        .into_iter()
        .map(|text| {
            let length = text.chars().count();
            let masked = counts.iter().map(|&count| {
                let kept = length.saturating_sub(count as usize);
                let stars = std::iter::repeat_n('*', (length - kept).max(1));
                text.chars().take(kept).chain(stars).collect::<String>()
            });
            let leaf = std::iter::once(text.to_owned());
            path(leaf.chain(masked).chain([ROOT.to_owned()]).collect())
        })
        .collect())
}
