//! Ranges of days as people know them: months, quarters, years.

use chrono::{Datelike, NaiveDate};

/// The most ranges of a chart.
const MOST: usize = 24;

/// A unit of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Month,
    Quarter,
    Year,
    Decade,
    Century,
}

/// The day that a text begins with: in this format, or as ISO 8601 has it, with or without a time.
pub(super) fn day(text: &str, format: Option<&str>) -> Option<NaiveDate> {
    let text = text.trim();
    if let Some(format) = format {
        return NaiveDate::parse_from_str(text, format).ok();
    }
    let (date, rest) = text.split_at_checked(10)?;
    let is_day =
        date.bytes().enumerate().all(|(n, byte)| if n == 4 || n == 7 { byte == b'-' } else { byte.is_ascii_digit() });
    if !is_day || !(rest.is_empty() || rest.starts_with(['T', ' '])) {
        return None;
    }
    date.parse().ok()
}

/// A day as a number: the days since the year 1.
pub(super) fn number(day: NaiveDate) -> f64 {
    f64::from(day.num_days_from_ce())
}

fn date(number: f64) -> NaiveDate {
    NaiveDate::from_num_days_from_ce_opt(number.floor() as i32).unwrap_or_default()
}

impl Unit {
    /// The smallest unit with few enough ranges between two days.
    pub(super) fn between(low: f64, high: f64) -> Self {
        let all = [Unit::Day, Unit::Month, Unit::Quarter, Unit::Year, Unit::Decade];
        all.into_iter().find(|unit| unit.starts(low, high).len() <= MOST + 1).unwrap_or(Unit::Century)
    }

    /// The first days of the ranges from the one with the first of these days to the one behind that with the last.
    pub(super) fn starts(self, low: f64, high: f64) -> Vec<f64> {
        let (mut start, high) = (self.start(date(low)), date(high));
        let mut starts = vec![number(start)];
        // More than that is too many in any case.
        while start <= high && starts.len() <= 4 * MOST {
            start = self.next(start);
            starts.push(number(start));
        }
        starts
    }

    fn start(self, day: NaiveDate) -> NaiveDate {
        let (year, month) = (day.year(), day.month0());
        let first = |year: i32, month0: u32| NaiveDate::from_ymd_opt(year, month0 + 1, 1).unwrap_or(day);
        match self {
            Unit::Day => day,
            Unit::Month => first(year, month),
            Unit::Quarter => first(year, month / 3 * 3),
            Unit::Year => first(year, 0),
            Unit::Decade => first(year.div_euclid(10) * 10, 0),
            Unit::Century => first(year.div_euclid(100) * 100, 0),
        }
    }

    /// The start of the next range. A range begins at `start`.
    fn next(self, start: NaiveDate) -> NaiveDate {
        let days = match self {
            Unit::Day => 1,
            Unit::Month => 31,
            Unit::Quarter => 92,
            Unit::Year => 366,
            Unit::Decade => 3_653,
            Unit::Century => 36_525,
        };
        let behind = start.checked_add_days(chrono::Days::new(days)).unwrap_or(NaiveDate::MAX);
        self.start(behind)
    }

    fn name(self, day: NaiveDate) -> String {
        match self {
            Unit::Day => day.format("%Y-%m-%d").to_string(),
            Unit::Month => day.format("%Y-%m").to_string(),
            Unit::Quarter => format!("{}-Q{}", day.year(), day.month0() / 3 + 1),
            Unit::Year => day.year().to_string(),
            Unit::Decade | Unit::Century => format!("{}s", self.start(day).year()),
        }
    }

    /// A range in words. Its end is not included.
    pub(super) fn label(self, from: Option<f64>, to: Option<f64>) -> String {
        let last = |to: f64| self.name(date(to - 1.0));
        match (from.map(|from| self.name(date(from))), to) {
            (Some(from), Some(to)) if last(to) == from => from,
            (Some(from), Some(to)) => format!("{from} to {}", last(to)),
            (Some(from), None) => format!("{from} or later"),
            (None, Some(to)) => format!("before {}", self.name(date(to))),
            (None, None) => "all".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> f64 {
        number(day(text, None).unwrap())
    }

    #[test]
    fn units_follow_the_span() {
        let unit = |low: &str, high: &str| Unit::between(at(low), at(high));
        assert_eq!(unit("2020-03-01", "2020-03-20"), Unit::Day);
        assert_eq!(unit("2019-03-15", "2020-12-31"), Unit::Month);
        assert_eq!(unit("2016-01-01", "2020-12-31"), Unit::Quarter);
        assert_eq!(unit("2000-05-01", "2020-12-31"), Unit::Year);
        assert_eq!(unit("1900-05-01", "2020-12-31"), Unit::Decade);
        assert_eq!(unit("0100-05-01", "2020-12-31"), Unit::Century);
    }

    #[test]
    fn ranges_are_those_of_the_calendar() {
        // The first days of the quarters from the one of May 2019 to the one after January 2020.
        let starts = Unit::Quarter.starts(at("2019-05-05"), at("2020-01-31"));
        assert_eq!(starts, ["2019-04-01", "2019-07-01", "2019-10-01", "2020-01-01", "2020-04-01"].map(at));
        let label = |from: Option<&str>, to: Option<&str>| Unit::Quarter.label(from.map(at), to.map(at));
        assert_eq!(label(Some("2019-04-01"), Some("2019-07-01")), "2019-Q2");
        assert_eq!(label(Some("2019-04-01"), Some("2020-01-01")), "2019-Q2 to 2019-Q4");
        assert_eq!(label(None, Some("2019-04-01")), "before 2019-Q2");
        assert_eq!(label(Some("2020-01-01"), None), "2020-Q1 or later");
        assert_eq!(Unit::Decade.label(Some(at("1980-01-01")), Some(at("1990-01-01"))), "1980s");
    }

    #[test]
    fn texts_that_begin_with_a_day_are_days() {
        assert_eq!(day("2020-02-29T10:15:00+01:00", None), day("2020-02-29", None));
        assert!(day("2020-02-29", None).is_some() && day("9.3.2020", Some("%d.%m.%Y")).is_some());
        assert!(
            ["2020-02-30", "2020-02-2", "20200229", "2020-02-29x", "äöü2020-02-29"]
                .iter()
                .all(|t| day(t, None).is_none())
        );
    }
}
