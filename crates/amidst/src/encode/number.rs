//! The numbers of a range column: whole numbers, decimals, dates or times.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, TimeDelta};

use crate::plan::{Decimal, Number, Threshold};
use crate::schema::dates::{DateFormat, Moment};
use crate::schema::numbers;

/// The distinct numbers of a column in rising order.
#[derive(Debug, Clone)]
pub enum Numbers {
    /// Whole numbers.
    Integer(Vec<i64>),
    /// Finite decimal numbers.
    Decimal(Vec<f64>),
    /// Finite decimal numbers with a comma, and how the column writes each.
    Comma(Vec<f64>, Vec<String>),
    /// Dates or times.
    Date(Dates),
}

/// The distinct dates or times of a column in rising order.
#[derive(Debug, Clone)]
pub struct Dates {
    instants: Vec<NaiveDateTime>,
    /// How the column writes each.
    texts: Vec<String>,
    format: DateFormat,
    /// The zone in which times are written that are not in the column.
    zone: Option<FixedOffset>,
}

/// Equal steps of decimals are searched only while single steps are smaller than this number of units.
const MAX_STEP_UNITS: f64 = 1e12;

/// The greatest common divisor.
pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Dates {
    /// The dates or times that all `texts` say, and the place of each text among them.
    fn new<'a>(texts: &[&'a str], format: &str) -> Result<(Self, Vec<usize>), (&'a str, String)> {
        let expected = || {
            let what =
                if DateFormat::new(format).is_some() { "" } else { ", because that form is not one of days or times" };
            format!("a date of the form {format}{what}")
        };
        let first = || texts.first().copied().unwrap_or_default();
        let reader = DateFormat::new(format).ok_or_else(|| (first(), expected()))?;
        let moments = parsed(texts, |text| reader.read(text), &expected())?;
        let instants: Vec<NaiveDateTime> = moments.iter().map(Moment::instant).collect();
        let (distinct, places) = ranked(&instants, Ord::cmp);
        let texts = written(texts, &places, distinct.len());
        let mut zones: Vec<_> = moments.iter().map(|moment| moment.zone).collect();
        zones.dedup();
        let zone =
            if zones.len() == 1 { zones[0] } else { zones.iter().flatten().next().and(FixedOffset::east_opt(0)) };
        Ok((Dates { instants: distinct, texts, format: reader, zone }, places))
    }

    /// Whether they are days without a time.
    pub fn are_days(&self) -> bool {
        self.format.is_day()
    }

    /// A date or time as a number: the days since the year 1, or the seconds since 1970.
    fn number(&self, instant: NaiveDateTime) -> f64 {
        if self.format.is_day() { f64::from(instant.num_days_from_ce()) } else { seconds(instant - EPOCH) }
    }

    /// The text of the day or second that contains a number.
    fn write(&self, number: f64) -> String {
        let instant = if self.format.is_day() {
            NaiveDate::from_num_days_from_ce_opt(number.floor() as i32).map(|day| day.and_time(chrono::NaiveTime::MIN))
        } else {
            EPOCH.checked_add_signed(TimeDelta::microseconds((number * 1e6).floor() as i64))
        };
        self.format.write_instant(instant.unwrap_or_default(), self.zone).unwrap_or_default()
    }

    /// The mean of some of the numbers by their places, which would be rounded in seconds since 1970.
    pub fn mean(&self, places: impl Iterator<Item = usize>) -> Option<f64> {
        let mut from = None;
        let (sum, count) = places.fold((0.0, 0.0), |(sum, count), place| {
            let first = *from.get_or_insert(self.instants[place]);
            (sum + seconds(self.instants[place] - first), count + 1.0)
        });
        let unit = if self.format.is_day() { SECONDS_PER_DAY } else { 1.0 };
        from.map(|first| self.number(first) + sum / count / unit)
    }

    /// A difference in days, or in microseconds.
    fn step(&self, between: TimeDelta) -> Option<u64> {
        let whole = if self.format.is_day() { between.num_days() } else { between.num_microseconds()? };
        (self.format.is_day() || between.subsec_nanos() % 1000 == 0).then_some(whole.unsigned_abs())
    }

    /// The instant that a text says.
    fn read(&self, text: &str) -> Option<NaiveDateTime> {
        self.format.read(text).map(|moment| moment.instant())
    }
}

/// Where seconds are counted from.
const EPOCH: NaiveDateTime = DateTime::UNIX_EPOCH.naive_utc();

const SECONDS_PER_DAY: f64 = 86_400.0;

fn seconds(delta: TimeDelta) -> f64 {
    delta.num_seconds() as f64 + f64::from(delta.subsec_nanos()) * 1e-9
}

/// For each distinct number one of its texts: the first in the order of texts.
fn written(texts: &[&str], places: &[usize], distinct: usize) -> Vec<String> {
    let mut of: Vec<Option<&str>> = vec![None; distinct];
    for (text, place) in texts.iter().map(|text| text.trim()).zip(places) {
        of[*place] = Some(of[*place].map_or(text, |known| known.min(text)));
    }
    of.into_iter().map(|text| text.unwrap_or_default().to_owned()).collect()
}

impl Numbers {
    /// Parses `texts` as numbers. Returns the distinct numbers and the place of each text among them.
    /// Without a `kind` the narrowest one that fits is taken. On failure, returns the first text that does
    /// not fit, and what was expected.
    pub fn new<'a>(
        texts: &[&'a str],
        kind: Option<Number>,
        format: &str,
        mark: Decimal,
    ) -> Result<(Self, Vec<usize>), (&'a str, String)> {
        let integer = |t: &str| t.trim().parse::<i64>().ok();
        let kind = kind.unwrap_or_else(|| {
            let date = |text: &&str| DateFormat::new(format).is_some_and(|format| format.read(text).is_some());
            if texts.iter().all(|t| integer(t).is_some()) {
                Number::Integer
            } else if texts.first().is_some_and(date) {
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
                let values = parsed(texts, |text| numbers::decimal(text, mark), numbers::expected(mark))?;
                let (distinct, places) = ranked(&values, f64::total_cmp);
                let texts = match mark {
                    Decimal::Point => return Ok((Numbers::Decimal(distinct), places)),
                    Decimal::Comma => written(texts, &places, distinct.len()),
                };
                (Numbers::Comma(distinct, texts), places)
            }
            Number::Date => {
                let (dates, places) = Dates::new(texts, format)?;
                (Numbers::Date(dates), places)
            }
        })
    }

    /// The number of distinct numbers.
    pub fn len(&self) -> usize {
        match self {
            Numbers::Integer(v) => v.len(),
            Numbers::Decimal(v) | Numbers::Comma(v, _) => v.len(),
            Numbers::Date(dates) => dates.instants.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of the number at `place`, the same however it was written in the input. Dates, times and numbers with a comma are written as
    /// the column does it.
    pub fn text(&self, place: usize) -> String {
        match self {
            Numbers::Integer(v) => v[place].to_string(),
            Numbers::Decimal(v) => v[place].to_string(),
            Numbers::Comma(_, texts) => texts[place].clone(),
            Numbers::Date(dates) => dates.texts[place].clone(),
        }
    }

    /// The number at `place`; for a date, the days since the year 1; for a time, the seconds since 1970.
    pub fn value(&self, place: usize) -> f64 {
        match self {
            Numbers::Integer(v) => v[place] as f64,
            Numbers::Decimal(v) | Numbers::Comma(v, _) => v[place],
            Numbers::Date(dates) => dates.number(dates.instants[place]),
        }
    }

    /// The text of a number that need not be in the list; for dates, of the day or time that contains it.
    pub fn write(&self, value: f64) -> String {
        match self {
            Numbers::Integer(_) | Numbers::Decimal(_) => value.to_string(),
            Numbers::Comma(..) => value.to_string().replace('.', ","),
            Numbers::Date(dates) => dates.write(value),
        }
    }

    /// The number that a text stands for, whether or not it is in the list.
    pub fn parse(&self, text: &str) -> Option<f64> {
        match self {
            Numbers::Integer(_) | Numbers::Decimal(_) => {
                text.trim().parse().ok().filter(|number: &f64| number.is_finite())
            }
            Numbers::Comma(..) => numbers::decimal(text, Decimal::Comma),
            Numbers::Date(dates) => dates.read(text).map(|instant| dates.number(instant)),
        }
    }

    /// The number that a threshold of the plan stands for, or else what it should be.
    pub fn threshold(&self, threshold: &Threshold) -> Result<f64, &'static str> {
        let number = match self {
            Numbers::Integer(_) => threshold.number().filter(|number| number.fract() == 0.0).ok_or("a whole number"),
            Numbers::Decimal(_) | Numbers::Comma(..) => {
                threshold.number().or_else(|| self.parse(threshold.text())).ok_or("a number")
            }
            Numbers::Date(dates) if dates.are_days() => self.parse(threshold.text()).ok_or("a date"),
            Numbers::Date(_) => self.parse(threshold.text()).ok_or("a time"),
        };
        number.map(|number| number + 0.0)
    }

    /// The place of the number nearest to `value`, the lower of two.
    pub fn nearest(&self, value: f64) -> usize {
        let after = match self {
            Numbers::Integer(v) => v.partition_point(|x| (*x as f64) < value),
            Numbers::Decimal(v) | Numbers::Comma(v, _) => v.partition_point(|x| *x < value),
            Numbers::Date(dates) => dates.instants.partition_point(|x| dates.number(*x) < value),
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
            Numbers::Date(dates) => {
                dates.instants.windows(2).map(|pair| dates.step(pair[1] - pair[0])).collect::<Option<_>>()?
            }
            Numbers::Decimal(_) | Numbers::Comma(..) => (0..=6).find_map(|digits| whole(f64::powi(10.0, digits)))?,
        };
        let step = steps.iter().copied().fold(0, gcd);
        let sum = steps.iter().try_fold(0_u64, |sum, step| sum.checked_add(*step))?;
        sum.checked_div(step)
    }

    /// The distance between two places, up to a factor that is the same for all.
    fn distance(&self, lo: usize, hi: usize) -> f64 {
        match self {
            Numbers::Integer(v) => v[hi].abs_diff(v[lo]) as f64, // a conversion before would round large neighbours to the same number
            Numbers::Decimal(v) | Numbers::Comma(v, _) => v[hi] / 2.0 - v[lo] / 2.0, // halved, so that no difference is infinite
            Numbers::Date(dates) => {
                let between = dates.instants[hi] - dates.instants[lo];
                if dates.format.is_day() { between.num_days() as f64 } else { seconds(between) }
            }
        }
    }

    /// The places of all numbers between two published ones.
    pub fn between(&self, lo: &str, hi: &str) -> Option<(usize, usize)> {
        let (first, end) = match self {
            Numbers::Integer(v) => {
                let (lo, hi): (i64, i64) = (lo.parse().ok()?, hi.parse().ok()?);
                (v.partition_point(|x| *x < lo), v.partition_point(|x| *x <= hi))
            }
            Numbers::Decimal(v) | Numbers::Comma(v, _) => {
                let (lo, hi) = (self.parse(lo)?, self.parse(hi)?);
                (v.partition_point(|x| *x < lo), v.partition_point(|x| *x <= hi))
            }
            Numbers::Date(dates) => {
                let (lo, hi) = (dates.read(lo)?, dates.read(hi)?);
                (dates.instants.partition_point(|x| *x < lo), dates.instants.partition_point(|x| *x <= hi))
            }
        };
        (first < end).then(|| (first, end - 1))
    }
}

impl Numbers {
    /// The places of all numbers from one on and up to another, which may be left out itself.
    pub fn within(&self, low: Option<&str>, high: Option<(&str, bool)>) -> Option<(usize, usize)> {
        let end = |text: Option<&str>, open: f64| text.map_or(Some(open), |text| self.parse(text));
        let (low, high) =
            (end(low, f64::NEG_INFINITY)?, (end(high.map(|(text, _)| text), f64::INFINITY)?, high.is_none_or(|h| h.1)));
        let values = || 0..self.len();
        let first = values().find(|place| self.value(*place) >= low)?;
        let last = values().rfind(|place| self.value(*place) < high.0 || high.1 && self.value(*place) <= high.0)?;
        (first <= last).then_some((first, last))
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
