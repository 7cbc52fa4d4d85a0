//! The distribution of the values of a column, before and after, for reports.
//!
//! A distribution must not show more than a release may. So small counts are never shown: no value and no range with fewer than k records of
//! the original is named or counted individually. Rare values form one group, and narrow ranges are joined with their neighbours until they
//! have k records. As in the other measures, a published cell is spread evenly over the values of its closure.
//!
//! Complexity: O(n + v log v) for n records and v different values.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use chrono::NaiveDate;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::View;
use super::calendar::{self, Unit};
use crate::encode::{Code, Numbers, Span};
use crate::error::{Error, Result};
use crate::read::{Table, texts};

/// The most values that are shown individually.
const MAX_VALUES_SHOWN: usize = 12;
/// Numbers with more different values than this are put into ranges.
const MAX_VALUES_WITHOUT_RANGES: usize = 8;
/// The approximate number of ranges.
const RANGES: usize = 16;

/// The number of records with each value or range of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Distribution {
    /// Numbers and dates, in ranges.
    Numbers {
        /// The ranges in ascending order. Before, each is empty or has at least k records.
        bins: Vec<Bin>,
        /// Records without a value, if there are at least k. Fewer are counted with one of the ranges.
        #[serde(skip_serializing_if = "Option::is_none")]
        missing: Option<Change>,
    },
    /// All other columns, by value.
    Categories {
        /// The values that are shown individually. Each has at least k records.
        values: Vec<Category>,
        /// All other values together.
        #[serde(skip_serializing_if = "Option::is_none")]
        other: Option<Other>,
    },
}

/// A number of records before and after. After, a record may be spread over several values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Change {
    /// The number in the original.
    pub before: f64,
    /// The number in the release.
    pub after: f64,
}

/// A range of numbers. The lower bound is included, the upper bound is not.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Bin {
    /// The lower bound; for dates, the number of days since the year 1. None if the range is open below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// The upper bound, which is not included. None if the range is open above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// The range in words.
    pub label: String,
    /// The number of records in the range.
    #[serde(flatten)]
    pub records: Change,
}

/// A value that is shown individually.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Category {
    /// The value.
    pub label: String,
    /// The number of records with the value.
    #[serde(flatten)]
    pub records: Change,
}

/// The values that are not shown individually.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Other {
    /// The number of different values.
    pub values: usize,
    /// The number of records with one of them.
    #[serde(flatten)]
    pub records: Change,
}

/// A value of a column with its number of records.
struct Value {
    label: String,
    number: Option<f64>,
    is_missing: bool,
    records: Change,
}

/// What the numbers of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scale {
    Whole,
    Decimal,
    /// Days since the year 1.
    Days,
    /// Hours since midnight.
    Hours,
}

impl Scale {
    /// The scale of times, which are seconds since 1970. They become days, or hours if they are of the same day or of two.
    fn of_times(values: &mut [Value]) -> Self {
        const HOUR: f64 = 3600.0;
        const DAY: f64 = 24.0 * HOUR;
        let seconds = || values.iter().filter(|value| !value.is_missing).filter_map(|value| value.number);
        let first = (seconds().fold(f64::INFINITY, f64::min) / DAY).floor() * DAY;
        let are_hours = seconds().all(|time| time - first < 2.0 * DAY);
        let first_day = calendar::number(NaiveDate::default()); // in 1970
        let number = |time: f64| if are_hours { (time - first) / HOUR } else { time / DAY + first_day };
        values.iter_mut().for_each(|value| value.number = value.number.map(number));
        if are_hours { Scale::Hours } else { Scale::Days }
    }

    /// The scale of values that are known as texts. If all of them are days, their numbers become days.
    fn of_texts(values: &mut [Value], format: Option<&str>) -> Self {
        let days: Vec<Option<NaiveDate>> = values.iter().map(|value| calendar::day(&value.label, format)).collect();
        if days.iter().any(Option::is_some)
            && values.iter().zip(&days).all(|(value, day)| value.is_missing || day.is_some())
        {
            values.iter_mut().zip(days).for_each(|(value, day)| value.number = day.map(calendar::number));
            return Scale::Days;
        }
        let is_whole = values.iter().filter_map(|value| value.number).all(|number| number.fract() == 0.0);
        if is_whole { Scale::Whole } else { Scale::Decimal }
    }
}

impl Distribution {
    /// The distribution of a quasi-identifier. Its dates may have a format.
    pub(crate) fn of_quasi(view: &View, column: usize, format: Option<&str>) -> Self {
        let domain = &view.encoded.domains()[column];
        let mut records = vec![Change::default(); domain.len()];
        for tuple in 0..view.encoded.tuples() as u32 {
            let code = view.encoded.tuple(tuple)[column] as usize;
            records[code].before += view.encoded.rows_of(tuple).len() as f64;
        }
        let mut sizes: FxHashMap<Span, usize> = FxHashMap::default();
        for piece in view.published() {
            *sizes.entry(domain.close(piece.closure[column])).or_default() += piece.size;
        }
        let mut sizes: Vec<(Span, usize)> = sizes.into_iter().collect();
        sizes.sort_unstable_by_key(|(span, _)| span.bits()); // so that sums do not depend on the order of a hash map
        for (span, size) in sizes {
            let share = size as f64 / domain.count(span) as f64;
            domain.codes(span).for_each(|code| records[code as usize].after += share);
        }
        let missing = domain.missing_code();
        let value = |(code, records): (Code, Change)| {
            let label = domain.text(domain.span(code)).unwrap_or_default();
            let number = if domain.uncoded().is_some() { domain.position(code) } else { label.parse().ok() };
            Value { label, number, is_missing: missing == Some(code), records }
        };
        let mut values: Vec<Value> = (0..).zip(records).map(value).collect();
        let in_order = domain.extent(domain.everything()).is_some();
        let scale = match domain.uncoded() {
            Some(Numbers::Date(dates)) if dates.are_days() => Scale::Days,
            Some(Numbers::Date(_)) => Scale::of_times(&mut values),
            Some(Numbers::Integer(_)) => Scale::Whole,
            Some(Numbers::Decimal(_) | Numbers::Comma(..)) => Scale::Decimal,
            None => Scale::of_texts(&mut values, format),
        };
        Distribution::new(values, view.k, in_order, scale)
    }

    /// The distribution of a column that is not generalized. Its dates may have a format.
    pub(crate) fn of_texts(
        (original, release): (&Table, &Table),
        column: &str,
        format: Option<&str>,
        missing: &[String],
        k: usize,
    ) -> Result<Self> {
        let mut records: IndexMap<String, Change> = IndexMap::new();
        for (table, is_before) in [(original, true), (release, false)] {
            for (text, rows) in counted(table, column)? {
                let change = records.entry(text).or_default();
                *(if is_before { &mut change.before } else { &mut change.after }) += rows as f64;
            }
        }
        let value = |(label, records): (String, Change)| Value {
            number: label.trim().parse().ok().filter(|number: &f64| number.is_finite()),
            is_missing: label.is_empty() || missing.contains(&label),
            label,
            records,
        };
        let mut values: Vec<Value> = records.into_iter().map(value).collect();
        let scale = Scale::of_texts(&mut values, format);
        Ok(Distribution::new(values, k, scale == Scale::Days, scale))
    }

    fn new(values: Vec<Value>, k: usize, in_order: bool, scale: Scale) -> Self {
        let are_numbers = values.iter().all(|value| value.is_missing || value.number.is_some());
        let sum = |missing: bool| {
            let those = values.iter().filter(|value| value.is_missing == missing);
            those.fold(Change::default(), |sum, value| sum + value.records)
        };
        let (present, lost) = (sum(false), sum(true));
        if values.len() <= MAX_VALUES_WITHOUT_RANGES || !are_numbers || present.before < k as f64 {
            return categories(values, k, in_order || are_numbers);
        }
        let mut bins = bins(values, k, scale);
        if lost.before == 0.0 || lost.before >= k as f64 {
            return Distribution::Numbers { bins, missing: (lost != Change::default()).then_some(lost) };
        }
        // Fewer than k missing values could be computed from what the ranges lack, so they are counted with the smallest range.
        let filled = bins.iter_mut().filter(|bin| bin.records.before > 0.0);
        if let Some(bin) = filled.min_by(|a, b| a.records.before.total_cmp(&b.records.before)) {
            bin.records = bin.records + lost;
            bin.label.push_str(" or missing");
        }
        Distribution::Numbers { bins, missing: None }
    }
}

impl std::ops::Add for Change {
    type Output = Change;
    fn add(self, other: Change) -> Change {
        Change { before: self.before + other.before, after: self.after + other.after }
    }
}

/// The distribution by value. It shows at most [`MAX_VALUES_SHOWN`] values with at least k records each, in their order if they have one and
/// by descending frequency otherwise.
fn categories(mut values: Vec<Value>, k: usize, in_order: bool) -> Distribution {
    let by_number = |value: &Value| value.number.unwrap_or(f64::NEG_INFINITY);
    if in_order {
        values.sort_by(|a, b| by_number(a).total_cmp(&by_number(b)));
    }
    let mut frequent: Vec<usize> = (0..values.len()).collect();
    frequent.sort_by(|a, b| values[*b].records.before.total_cmp(&values[*a].records.before));
    let (mut shown, mut rest) = (Vec::new(), Vec::new());
    for place in frequent {
        let is_shown = values[place].records.before >= k as f64 && shown.len() < MAX_VALUES_SHOWN;
        (if is_shown { &mut shown } else { &mut rest }).push(place);
    }
    let sum = |places: &[usize]| places.iter().fold(Change::default(), |sum, place| sum + values[*place].records);
    // A rest of fewer than k records could be computed from the other counts, so one more value joins the rest.
    if (1.0..k as f64).contains(&sum(&rest).before) {
        rest.extend(shown.pop());
    }
    if in_order {
        shown.sort_unstable();
    }
    let other = (!rest.is_empty()).then(|| Other { values: rest.len(), records: sum(&rest) });
    let label = |value: &Value| if value.is_missing { "(missing)".to_owned() } else { value.label.clone() };
    let category = |place: usize| Category { label: label(&values[place]), records: values[place].records };
    Distribution::Categories { values: shown.into_iter().map(category).collect(), other }
}

/// Ranges of equal width, or of a unit of the calendar, except those that were joined to have k records.
///
/// At each end, k records or 1 % of the records do not count for the width, so that an outlier does not put all other numbers into one range.
/// Numbers beyond the ranges form one range on each side.
fn bins(values: Vec<Value>, k: usize, scale: Scale) -> Vec<Bin> {
    let present = values.into_iter().filter(|value| !value.is_missing);
    let mut numbers: Vec<(f64, Change)> = present.filter_map(|value| Some((value.number?, value.records))).collect();
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = numbers.iter().map(|(_, records)| records.before).sum();
    let aside = (all * 0.01).max(k as f64).min(all);
    let low = reached(numbers.iter(), aside);
    let high = reached(numbers.iter().rev(), aside);
    if scale == Scale::Days {
        let unit = Unit::between(low, high);
        let starts = unit.starts(low, high);
        let place = |number: f64| starts.partition_point(|start| *start <= number);
        let counted = counts(&numbers, starts.len() + 1, place);
        return ranges(&counted, k, |place| starts[place - 1], |from, to| unit.label(from, to));
    }
    let is_whole = scale != Scale::Decimal;
    let width = width(high / RANGES as f64 - low / RANGES as f64, is_whole);
    // One more range on each side, for the numbers beyond.
    let first = (low / width).floor() - 1.0;
    let ends = ((high / width).floor() - first) as usize + 2;
    let place = |number: f64| ((number / width).floor() - first).clamp(0.0, (ends - 1) as f64) as usize;
    let counted = counts(&numbers, ends, place);
    let label = |from, to| if scale == Scale::Hours { hours(from, to) } else { label(from, to, is_whole) };
    ranges(&counted, k, |place| (first + place as f64) * width, label)
}

/// The records of each of so many ranges.
fn counts(numbers: &[(f64, Change)], ranges: usize, place: impl Fn(f64) -> usize) -> Vec<Change> {
    let mut counted = vec![Change::default(); ranges];
    for (number, records) in numbers {
        let place = place(*number);
        counted[place] = counted[place] + *records;
    }
    counted
}

/// Ranges with enough records. `start` is the lower bound of a range behind the first one, which has none, as the last has no upper bound.
fn ranges(
    counted: &[Change],
    k: usize,
    start: impl Fn(usize) -> f64,
    label: impl Fn(Option<f64>, Option<f64>) -> String,
) -> Vec<Bin> {
    let ends = counted.len();
    let from = |place: usize| (place > 0).then(|| start(place));
    let to = |end: usize| (end < ends).then(|| start(end));
    let bin = |(place, end, records): (usize, usize, Change)| Bin {
        from: from(place),
        to: to(end),
        label: label(from(place), to(end)),
        records,
    };
    let is_beyond = |place: usize, end: usize| place == 0 || end == ends;
    let bins = joined(counted, k).into_iter();
    bins.filter(|(place, end, sum)| !is_beyond(*place, *end) || sum.before + sum.after > 0.0).map(bin).collect()
}

/// The number at which `wanted` records are reached.
fn reached<'a>(numbers: impl Iterator<Item = &'a (f64, Change)>, wanted: f64) -> f64 {
    let mut passed = 0.0;
    let mut until = numbers.skip_while(|(_, records)| {
        passed += records.before;
        passed < wanted
    });
    until.next().map_or(0.0, |(number, _)| *number)
}

/// Joins neighbouring ranges until each has no records of the original or at least k. Each result has its first place, its end and its
/// records.
fn joined(counted: &[Change], k: usize) -> Vec<(usize, usize, Change)> {
    let is_few = |sum: &Change| sum.before > 0.0 && sum.before < k as f64;
    let mut joined: Vec<(usize, usize, Change)> = Vec::new();
    for (place, records) in counted.iter().enumerate() {
        match joined.last_mut() {
            Some((_, end, sum)) if is_few(sum) => (*end, *sum) = (place + 1, *sum + *records),
            _ => joined.push((place, place + 1, *records)),
        }
    }
    // Too few records at the end are joined with the range before them.
    while let Some((_, rest, few)) = joined.pop_if(|(_, _, sum)| is_few(sum)) {
        let Some((_, end, sum)) = joined.last_mut() else { break };
        (*end, *sum) = (rest, *sum + few);
    }
    joined
}

/// A range in words.
fn label(from: Option<f64>, to: Option<f64>, is_whole: bool) -> String {
    let write = |number: f64| rounded(number).to_string();
    match (from, to) {
        (Some(from), Some(to)) if is_whole && to - from <= 1.0 => write(from),
        (Some(from), Some(to)) if is_whole => format!("{} to {}", write(from), write(to - 1.0)),
        (Some(from), Some(to)) => format!("{} to below {}", write(from), write(to)),
        (Some(from), None) => format!("{} or more", write(from)),
        (None, Some(to)) => format!("below {}", write(to)),
        (None, None) => "all".to_owned(),
    }
}

/// A range of hours in words.
fn hours(from: Option<f64>, to: Option<f64>) -> String {
    let clock = |hours: f64| format!("{hours:02}:00");
    match (from, to) {
        (Some(from), Some(to)) => format!("{} to {}", clock(from), clock(to)),
        (Some(from), None) => format!("{} or later", clock(from)),
        (None, Some(to)) => format!("before {}", clock(to)),
        (None, None) => "all".to_owned(),
    }
}

/// The smallest width of 1, 2, 5, 10, 20, 50, … and their decimal fractions that is at least `least`.
fn width(least: f64, is_whole: bool) -> f64 {
    if least <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(least.log10().floor());
    let nice = [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|width| *width >= least);
    let nice = nice.unwrap_or(10.0 * power);
    if is_whole { nice.max(1.0) } else { nice }
}

/// Removes the rounding error of multiplication.
fn rounded(number: f64) -> f64 {
    format!("{number:.9e}").parse().unwrap_or(number)
}

/// The number of rows with each text of a column. Null is the empty text.
fn counted(table: &Table, column: &str) -> Result<Vec<(String, usize)>> {
    let texts = texts(table.column(column)?).map_err(|e| Error::column(column, &e))?;
    let mut rows = vec![0; texts.values().len()];
    texts.keys().iter().flatten().for_each(|key| rows[key as usize] += 1);
    let values = texts.values().as_string::<i32>();
    let counted = (0..values.len()).map(|key| (values.value(key).to_owned(), rows[key])).filter(|(_, rows)| *rows > 0);
    let nulls = (texts.null_count() > 0).then(|| (String::new(), texts.null_count()));
    Ok(counted.chain(nulls).collect())
}
