//! The numbers of a range column: whole numbers, decimals, or dates.

use std::fmt::Write as _;

use chrono::{Datelike, NaiveDate};

use crate::plan::Number;

/// The distinct numbers of a column in rising order.
#[derive(Debug, Clone)]
pub enum Numbers {
    /// Whole numbers.
    Integer(Vec<i64>),
    /// Finite decimal numbers.
    Decimal(Vec<f64>),
    /// Days, and their date format.
    Date(Vec<NaiveDate>, String),
}

/// Equal steps of decimals are searched only while single steps are smaller than this number of units.
const MAX_STEP_UNITS: f64 = 1e12;

/// The greatest common divisor.
pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Numbers {
    /// Parses `texts` as numbers. Returns the distinct numbers and the place of each text among them.
    /// Without a `kind` the narrowest one that fits is taken. On failure, returns the first text that does
    /// not fit, and what was expected.
    pub fn new<'a>(
        texts: &[&'a str],
        kind: Option<Number>,
        format: &str,
    ) -> Result<(Self, Vec<usize>), (&'a str, String)> {
        let integer = |t: &str| t.trim().parse::<i64>().ok();
        let decimal = |t: &str| t.trim().parse::<f64>().ok().filter(|v| v.is_finite()).map(|v| v + 0.0);
        let date = |t: &str| NaiveDate::parse_from_str(t.trim(), format).ok();
        let kind = kind.unwrap_or_else(|| {
            if texts.iter().all(|t| integer(t).is_some()) {
                Number::Integer
            } else if texts.first().is_some_and(|t| date(t).is_some()) {
                Number::Date
            } else {
                Number::Decimal
            }
        });
        Ok(match kind {
            Number::Integer => {
                let values = parsed(texts, integer, "a whole number")?;
                let (distinct, places) = ranked(&values, Ord::cmp);
                (Numbers::Integer(distinct), places)
            }
            Number::Decimal => {
                let values = parsed(texts, decimal, "a number")?;
                let (distinct, places) = ranked(&values, f64::total_cmp);
                (Numbers::Decimal(distinct), places)
            }
            Number::Date => {
                // A format with a time of day can be parsed as a day, but a day cannot be written in it.
                let writable = write!(String::new(), "{}", NaiveDate::default().format(format)).is_ok();
                let other = if writable { "" } else { ", because that form is not one of days alone" };
                let expected = format!("a date of the form {format}{other}");
                let values = parsed(texts, |t| date(t).filter(|_| writable), &expected)?;
                let (distinct, places) = ranked(&values, Ord::cmp);
                (Numbers::Date(distinct, format.to_owned()), places)
            }
        })
    }

    /// The number of distinct numbers.
    pub fn len(&self) -> usize {
        match self {
            Numbers::Integer(v) => v.len(),
            Numbers::Decimal(v) => v.len(),
            Numbers::Date(v, _) => v.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of the number at `place`, the same however it was written in the input.
    pub fn text(&self, place: usize) -> String {
        match self {
            Numbers::Integer(v) => v[place].to_string(),
            Numbers::Decimal(v) => v[place].to_string(),
            Numbers::Date(v, format) => v[place].format(format).to_string(),
        }
    }

    /// The number at `place`; for a date, the days since the year 1.
    pub fn value(&self, place: usize) -> f64 {
        match self {
            Numbers::Integer(v) => v[place] as f64,
            Numbers::Decimal(v) => v[place],
            Numbers::Date(v, _) => f64::from(v[place].num_days_from_ce()),
        }
    }

    /// The text of a number that need not be in the list; for dates, of the day that contains it.
    pub fn write(&self, value: f64) -> String {
        match self {
            Numbers::Integer(_) | Numbers::Decimal(_) => value.to_string(),
            Numbers::Date(_, format) => {
                let day = NaiveDate::from_num_days_from_ce_opt(value.floor() as i32).unwrap_or_default();
                day.format(format).to_string()
            }
        }
    }

    /// The number that a text stands for, whether or not it is in the list.
    pub fn parse(&self, text: &str) -> Option<f64> {
        match self {
            Numbers::Integer(_) | Numbers::Decimal(_) => text.trim().parse().ok(),
            Numbers::Date(_, format) => {
                NaiveDate::parse_from_str(text.trim(), format).ok().map(|day| f64::from(day.num_days_from_ce()))
            }
        }
    }

    /// The place of the number nearest to `value`, the lower of two.
    pub fn nearest(&self, value: f64) -> usize {
        let after = match self {
            Numbers::Integer(v) => v.partition_point(|x| (*x as f64) < value),
            Numbers::Decimal(v) => v.partition_point(|x| *x < value),
            Numbers::Date(v, _) => v.partition_point(|x| f64::from(x.num_days_from_ce()) < value),
        };
        let before = after.saturating_sub(1);
        let after = after.min(self.len().saturating_sub(1));
        if value - self.value(before) <= self.value(after) - value { before } else { after }
    }

    /// The share of the whole extent that lies between two places.
    pub fn extent(&self, lo: usize, hi: usize) -> f64 {
        let whole = self.distance(0, self.len() - 1);
        if whole > 0.0 { self.distance(lo, hi) / whole } else { 0.0 }
    }

    /// The number of equal steps in the whole extent, such that every number is a whole number of steps
    /// from the first; `None` for decimals that are no multiples of a millionth.
    pub fn steps(&self) -> Option<u64> {
        let whole = |factor: f64| -> Option<Vec<u64>> {
            let step = |place: usize| {
                let step = (self.value(place) - self.value(place - 1)) * factor;
                let whole = step.round();
                ((step - whole).abs() <= 1e-6 && (1.0..MAX_STEP_UNITS).contains(&whole)).then_some(whole as u64)
            };
            (1..self.len()).map(step).collect()
        };
        let steps: Vec<u64> = match self {
            Numbers::Integer(v) => v.windows(2).map(|pair| pair[1].abs_diff(pair[0])).collect(),
            Numbers::Date(v, _) => v.windows(2).map(|pair| (pair[1] - pair[0]).num_days().unsigned_abs()).collect(),
            Numbers::Decimal(_) => (0..=6).find_map(|digits| whole(f64::powi(10.0, digits)))?,
        };
        let step = steps.iter().copied().fold(0, gcd);
        let sum = steps.iter().try_fold(0_u64, |sum, step| sum.checked_add(*step))?;
        sum.checked_div(step)
    }

    /// The distance between two places, up to a factor that is the same for all.
    fn distance(&self, lo: usize, hi: usize) -> f64 {
        match self {
            Numbers::Integer(v) => v[hi].abs_diff(v[lo]) as f64, // a conversion before would round large neighbours to the same number
            Numbers::Decimal(v) => v[hi] / 2.0 - v[lo] / 2.0,    // halved, so that no difference is infinite
            Numbers::Date(v, _) => (v[hi] - v[lo]).num_days() as f64,
        }
    }

    /// The places of all numbers between two published ones.
    pub fn between(&self, lo: &str, hi: &str) -> Option<(usize, usize)> {
        let (first, end) = match self {
            Numbers::Integer(v) => {
                let (lo, hi): (i64, i64) = (lo.parse().ok()?, hi.parse().ok()?);
                (v.partition_point(|x| *x < lo), v.partition_point(|x| *x <= hi))
            }
            Numbers::Decimal(v) => {
                let (lo, hi): (f64, f64) = (lo.parse().ok()?, hi.parse().ok()?);
                (v.partition_point(|x| *x < lo), v.partition_point(|x| *x <= hi))
            }
            Numbers::Date(v, format) => {
                let day = |t| NaiveDate::parse_from_str(t, format).ok();
                let (lo, hi) = (day(lo)?, day(hi)?);
                (v.partition_point(|x| *x < lo), v.partition_point(|x| *x <= hi))
            }
        };
        (first < end).then(|| (first, end - 1))
    }
}

fn parsed<'a, T>(
    texts: &[&'a str],
    parse: impl Fn(&str) -> Option<T>,
    expected: &str,
) -> Result<Vec<T>, (&'a str, String)> {
    texts.iter().map(|t| parse(t).ok_or_else(|| (*t, expected.to_owned()))).collect()
}

/// The distinct values in order, and the place of each value among them.
fn ranked<T: Copy>(values: &[T], compare: fn(&T, &T) -> std::cmp::Ordering) -> (Vec<T>, Vec<usize>) {
    let mut distinct = values.to_vec();
    distinct.sort_unstable_by(compare);
    distinct.dedup_by(|a, b| compare(a, b).is_eq());
    let place = |v: &T| distinct.partition_point(|d| compare(d, v).is_lt());
    let places = values.iter().map(place).collect();
    (distinct, places)
}
