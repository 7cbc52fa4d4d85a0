//! Dates and times as texts: how a column writes them, and what they say.
//!
//! A [`DateFormat`] reads and writes dates, times, and times of a day in the notation of strftime. [`detect`] finds the format that all values
//! of a column have. It does not guess whether `9/10/2001` is in September or in October: if every value can be read in both ways, it says so.

use std::fmt::Write;
use std::sync::LazyLock;

use chrono::format::{Fixed, Item, Numeric, Parsed, StrftimeItems, parse, parse_and_remainder};
use chrono::{Datelike, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone};

/// A moment as a text says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// What calendar and clock show. A day without a time is its midnight, and a time without a day is in 1970.
    pub wall: NaiveDateTime,
    /// How far the clock is ahead of universal time, if the text says so.
    pub zone: Option<FixedOffset>,
    /// Whether only the day is written, in a column of times.
    bare: bool,
}

impl Moment {
    /// The moment in universal time, or as the clock shows it if the zone is not known.
    pub fn instant(&self) -> NaiveDateTime {
        let ahead = self.zone.map_or(0, |zone| zone.local_minus_utc());
        self.wall.checked_sub_signed(TimeDelta::seconds(ahead.into())).unwrap_or(self.wall)
    }

    /// The same time on another day.
    #[must_use]
    pub fn on(self, day: NaiveDate) -> Self {
        Moment { wall: day.and_time(self.wall.time()), ..self }
    }
}

/// How the dates or times of a column are written.
#[derive(Debug, Clone)]
pub struct DateFormat {
    text: String,
    items: Vec<Item<'static>>,
    /// The items up to the end of the day, where a time follows.
    day: Option<Vec<Item<'static>>>,
    has_day: bool,
    has_time: bool,
    has_zone: bool,
}

/// What a part of a format is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Nothing,
    Day,
    Time,
    Zone,
    All,
}

fn about(item: &Item) -> About {
    match item {
        Item::Numeric(numeric, _) => match numeric {
            Numeric::Hour | Numeric::Hour12 | Numeric::Minute | Numeric::Second | Numeric::Nanosecond => About::Time,
            Numeric::Timestamp => About::All,
            _ => About::Day,
        },
        Item::Fixed(fixed) => match fixed {
            Fixed::ShortMonthName | Fixed::LongMonthName | Fixed::ShortWeekdayName | Fixed::LongWeekdayName => {
                About::Day
            }
            Fixed::TimezoneOffset
            | Fixed::TimezoneOffsetColon
            | Fixed::TimezoneOffsetDoubleColon
            | Fixed::TimezoneOffsetTripleColon
            | Fixed::TimezoneOffsetColonZ
            | Fixed::TimezoneOffsetZ => About::Zone,
            Fixed::RFC2822 | Fixed::RFC3339 => About::All,
            _ => About::Time,
        },
        _ => About::Nothing,
    }
}

impl DateFormat {
    /// A format in the notation of strftime. `None` if it is not one, or says neither a day nor a time.
    pub fn new(text: &str) -> Option<Self> {
        // `%#z` also reads `Z`, but cannot be written.
        let permissive = text.contains(PERMISSIVE);
        let plain = text.replace(PERMISSIVE, "%:z");
        let mut items = StrftimeItems::new(&plain).parse_to_owned().ok()?;
        if permissive {
            items.iter_mut().filter(|item| **item == Item::Fixed(Fixed::TimezoneOffsetColon)).for_each(|item| {
                *item = Item::Fixed(Fixed::TimezoneOffsetColonZ);
            });
        }
        let has = |wanted: About| items.iter().any(|item| [wanted, About::All].contains(&about(item)));
        let (has_day, has_time) = (has(About::Day), has(About::Time));
        let has_zone = has(About::Zone);
        let end = items.iter().rposition(|item| about(item) == About::Day);
        let first_time = items.iter().position(|item| !matches!(about(item), About::Day | About::Nothing));
        let day = match (end, first_time) {
            (Some(end), Some(time)) if end < time => Some(items[..=end].to_vec()),
            _ => None,
        };
        let format = DateFormat { text: text.to_owned(), items, day, has_day, has_time, has_zone };
        // Not everything that can be read can be written: a format with an hour and no minute says no time.
        let (wall, zone) = (NaiveDateTime::default(), FixedOffset::east_opt(0));
        let sample = format.write(&Moment { wall, zone, bare: false })?;
        ((has_day || has_time) && format.read(&sample).is_some()).then_some(format)
    }

    /// The format in the notation of strftime.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it says days and no times.
    pub fn is_day(&self) -> bool {
        !self.has_time
    }

    /// What a text says.
    pub fn read(&self, text: &str) -> Option<Moment> {
        let text = text.trim();
        let mut parsed = Parsed::new();
        if parse(&mut parsed, text, self.items.iter()).is_err() {
            let mut parsed = Parsed::new();
            parse(&mut parsed, text, self.day.as_ref()?.iter()).ok()?;
            let wall = parsed.to_naive_date().ok()?.and_time(NaiveTime::MIN);
            return Some(Moment { wall, zone: self.has_zone.then(|| FixedOffset::east_opt(0)).flatten(), bare: true });
        }
        let wall = match (self.has_day, self.has_time) {
            (true, true) => parsed.to_naive_datetime_with_offset(parsed.offset().unwrap_or(0)).ok()?,
            (true, false) => parsed.to_naive_date().ok()?.and_time(NaiveTime::MIN),
            _ => NaiveDate::default().and_time(parsed.to_naive_time().ok()?),
        };
        Some(Moment { wall, zone: parsed.offset().and_then(FixedOffset::east_opt), bare: false })
    }

    /// A moment as the column writes it.
    pub fn write(&self, moment: &Moment) -> Option<String> {
        let items = if moment.bare { self.day.as_ref().unwrap_or(&self.items) } else { &self.items };
        let mut text = String::new();
        let items = items.iter();
        match moment.zone.filter(|_| !moment.bare) {
            Some(zone) => write!(text, "{}", zone.from_local_datetime(&moment.wall).single()?.format_with_items(items)),
            None if self.has_day && self.has_time => write!(text, "{}", moment.wall.format_with_items(items)),
            None if self.has_day => write!(text, "{}", moment.wall.date().format_with_items(items)),
            None => write!(text, "{}", moment.wall.time().format_with_items(items)),
        }
        .ok()?;
        Some(text)
    }

    /// An instant as the column writes it, in a zone if its times have one.
    pub fn write_instant(&self, instant: NaiveDateTime, zone: Option<FixedOffset>) -> Option<String> {
        let ahead = TimeDelta::seconds(zone.map_or(0, |zone| zone.local_minus_utc()).into());
        self.write(&Moment { wall: instant.checked_add_signed(ahead)?, zone, bare: false })
    }
}

/// How a zone is written that may also be a `Z`.
const PERMISSIVE: &str = "%#z";

/// Which of day, month and year is written first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    Year,
    Day,
    Month,
}

/// How days are written. A year has four digits in `%Y` and two in `%y`.
const DAYS: &[(First, &str)] = &[
    (First::Year, "%Y-%m-%d"),
    (First::Year, "%Y/%m/%d"),
    (First::Year, "%Y.%m.%d"),
    (First::Day, "%d.%m.%Y"),
    (First::Day, "%d/%m/%Y"),
    (First::Month, "%m/%d/%Y"),
    (First::Day, "%d-%m-%Y"),
    (First::Month, "%m-%d-%Y"),
    (First::Day, "%d-%b-%Y"),
    (First::Day, "%d/%b/%Y"),
    (First::Day, "%d %b %Y"),
    (First::Day, "%d-%B-%Y"),
    (First::Day, "%d %B %Y"),
    (First::Month, "%b %d, %Y"),
    (First::Month, "%B %d, %Y"),
    (First::Month, "%b %d %Y"),
    (First::Month, "%B %d %Y"),
    (First::Day, "%d.%m.%y"),
    (First::Day, "%d/%m/%y"),
    (First::Month, "%m/%d/%y"),
    (First::Day, "%d-%b-%y"),
];

/// The same, ready to read.
static DAY_FORMATS: LazyLock<Vec<(First, DateFormat)>> =
    LazyLock::new(|| DAYS.iter().filter_map(|(order, day)| Some((*order, DateFormat::new(day)?))).collect());

/// Days without a mark between year, month and day. Too many numbers look like that, so the name of the column must say that it has dates.
const DIGITS: &str = "%Y%m%d";

/// How times are written.
const TIMES: &[&str] = &["%H:%M", "%H:%M:%S", "%H:%M:%S%.f", "%I:%M %p", "%I:%M:%S %p"];

/// How zones are written.
const ZONES: &[&str] = &["", "Z", "%:z", PERMISSIVE];

/// What the values of a column are written like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detected {
    /// Not like dates.
    Nothing,
    /// All like dates of this format.
    Format(String),
    /// All like dates, but every value can be read in each of these formats, which mean different days.
    Ambiguous(Vec<String>),
}

/// The format of dates or times that all values have, in a column whose name speaks of dates or does not.
pub fn detect(values: &[&str], named: bool) -> Detected {
    let Some(first) = values.first() else { return Detected::Nothing };
    let mut fitting: Vec<(First, DateFormat)> = Vec::new();
    for (order, format) in candidates(first, named) {
        if fitting.iter().any(|(known, _)| *known == order) {
            continue;
        }
        if let Some(format) = DateFormat::new(&format)
            && values.iter().all(|value| format.is_plausible(value))
        {
            fitting.push((order, format));
        }
    }
    let mut formats = fitting.into_iter().map(|(_, format)| format.as_written(values));
    match (formats.next(), formats.next()) {
        (None, _) => Detected::Nothing,
        (Some(one), None) => Detected::Format(one),
        (Some(one), Some(other)) => Detected::Ambiguous(vec![one, other]),
    }
}

/// The formats that a value fits, without the ways to write the same.
fn candidates(value: &str, named: bool) -> Vec<(First, String)> {
    let value = value.trim();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    if digits < 3 || value.len() > 48 {
        return Vec::new();
    }
    let mut found = Vec::new();
    let fits = |format: &str| DateFormat::new(format).is_some_and(|format| format.is_plausible(value));
    let digits = DateFormat::new(DIGITS).filter(|_| named).map(|format| (First::Year, format));
    for (order, format) in DAY_FORMATS.iter().chain(&digits) {
        if begins(format, value) {
            let (order, day) = (*order, format.as_str());
            found.push((order, day.to_owned()));
            for gap in ["T", " "] {
                let zoned =
                    TIMES.iter().flat_map(|time| ZONES.iter().map(move |zone| format!("{day}{gap}{time}{zone}")));
                found.extend(zoned.map(|format| (order, format)));
            }
        }
    }
    found.extend(TIMES.iter().map(|time| (First::Year, (*time).to_owned())));
    found.retain(|(_, format)| fits(format));
    found
}

/// Whether a text begins with a day of this format.
fn begins(format: &DateFormat, text: &str) -> bool {
    let text = text.trim();
    let Ok(rest) = parse_and_remainder(&mut Parsed::new(), text, format.items.iter()) else { return false };
    matches!(rest.chars().next(), None | Some('T' | ' ')) && format.is_plausible(&text[..text.len() - rest.len()])
}

impl DateFormat {
    /// Whether a text is a date of the format with as many digits as people write.
    fn is_plausible(&self, text: &str) -> bool {
        let text = text.trim();
        let Some(moment) = self.read(text) else { return false };
        let two = self.text.contains("%y");
        let short = two && self.text.contains("%m.") && text.split([' ', 'T']).next().is_none_or(|day| day.len() != 8);
        !self.has_day || !short && (two || (1000..=9999).contains(&moment.wall.year()))
    }

    /// The same format with numbers padded, and fractions and zones written, as the values are.
    fn as_written(&self, values: &[&str]) -> String {
        /// As many values show how all are written.
        const LOOKED_AT: usize = 1000;
        let unpadded = |text: &str, parts: &[&str]| {
            parts.iter().fold(text.to_owned(), |text, part| text.replace(part, &part.replace('%', "%-")))
        };
        let days = unpadded(&self.text, &["%d", "%m"]);
        let hours = ["%H", "%I"];
        let paddings = [self.text.clone(), days.clone(), unpadded(&self.text, &hours), unpadded(&days, &hours)];
        let variants = paddings.into_iter().flat_map(|text| {
            let fractions = [".f", ".3f", ".6f"].map(|digits| text.replace("%.f", &format!("%{digits}")));
            fractions.into_iter().flat_map(|text| [text.replace("%:z", "%z"), text].into_iter().rev())
        });
        let same = |format: &DateFormat| {
            let again = |value: &&str| {
                format.read(value).and_then(|moment| format.write(&moment)).as_deref() == Some(value.trim())
            };
            values.iter().take(LOOKED_AT).all(again)
        };
        let exact = variants.filter_map(|text| DateFormat::new(&text)).find(same);
        exact.map_or_else(|| self.text.clone(), |format| format.text)
    }
}

/// The values that are no dates or times, in a column in which at most so many are none.
pub fn misfits<'a>(values: &[&'a str], named: bool, most: usize) -> Option<Vec<&'a str>> {
    // One of the first values is a date if the others are few.
    let seeds = values.iter().take(most + 1);
    seeds.flat_map(|seed| candidates(seed, named)).find_map(|(_, format)| {
        let format = DateFormat::new(&format)?;
        let odd: Vec<&str> =
            values.iter().copied().filter(|value| !format.is_plausible(value)).take(most + 1).collect();
        (odd.len() <= most).then_some(odd)
    })
}

/// Whether a text is a date, with or without a time. Times of a day are none, and eight digits in a row are none.
pub fn is_date(text: &str) -> bool {
    let count = |test: fn(&u8) -> bool| text.bytes().filter(test).count();
    let marks = count(|b| matches!(b, b'-' | b'/' | b'.' | b' '));
    count(u8::is_ascii_digit) >= 3
        && marks >= 2
        && text.len() <= 48
        && DAY_FORMATS.iter().any(|(_, format)| begins(format, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(values: &[&str]) -> String {
        match detect(values, false) {
            Detected::Nothing => "nothing".to_owned(),
            Detected::Format(format) => format,
            Detected::Ambiguous(formats) => formats.join(" or "),
        }
    }

    #[test]
    fn formats_are_read_off_the_values() {
        for (values, format) in [
            (&["2001-09-10", "1999-12-31"][..], "%Y-%m-%d"),
            (&["2001/09/10"], "%Y/%m/%d"),
            (&["10.09.2001"], "%d.%m.%Y"),
            (&["1.9.2001", "31.12.2001"], "%-d.%-m.%Y"),
            (&["9/10/2001", "9/13/2001"], "%-m/%-d/%Y"),
            (&["09/10/2001", "13/09/2001"], "%d/%m/%Y"),
            (&["9/10/2001", "10/9/2001"], "%-d/%-m/%Y or %-m/%-d/%Y"),
            (&["10-09-2001", "30-09-2001"], "%d-%m-%Y"),
            (&["10-Sep-2001"], "%d-%b-%Y"),
            (&["Sep 10, 2001", "May 1, 2001"], "%b %-d, %Y"),
            (&["September 10, 2001"], "%B %d, %Y"),
            (&["10.09.01", "11.12.99"], "%d.%m.%y"),
            (&["9/13/01", "9/1/01"], "%-m/%-d/%y"),
            (&["2001-09-10 14:30"], "%Y-%m-%d %H:%M"),
            (&["2001-09-10T14:30:00"], "%Y-%m-%dT%H:%M:%S"),
            (&["2001-09-10 14:30:00.123", "2001-09-10 14:30:01.000"], "%Y-%m-%d %H:%M:%S%.3f"),
            (&["2001-09-10T14:30:00.123", "2001-09-10T14:30:01"], "%Y-%m-%dT%H:%M:%S%.f"),
            (&["2001-09-10T14:30:00Z"], "%Y-%m-%dT%H:%M:%SZ"),
            (&["2001-09-10T14:30:00+02:00"], "%Y-%m-%dT%H:%M:%S%:z"),
            (&["2001-09-10T14:30:00+0200"], "%Y-%m-%dT%H:%M:%S%z"),
            (&["2001-09-10T14:30:00+02:00", "2001-09-10T14:30:00Z"], "%Y-%m-%dT%H:%M:%S%#z"),
            (&["9/13/2001 2:30 PM"], "%-m/%-d/%Y %-I:%M %p"),
            (&["9/13/2001 02:30"], "%-m/%-d/%Y %H:%M"),
            (&["14:30", "09:05"], "%H:%M"),
            (&["14:30:05"], "%H:%M:%S"),
            // A day among times is its midnight.
            (&["2001-09-10", "2001-09-10T14:30:00"], "%Y-%m-%dT%H:%M:%S"),
            (&["20010910"], "nothing"),
            (&["1.2.3", "1.10.12"], "nothing"),
            (&["123-45-6789"], "nothing"),
            (&["2001-09-10", "-"], "nothing"),
            (&["2001-02-30"], "nothing"),
            (&["75:30"], "nothing"),
            (&[], "nothing"),
        ] {
            assert_eq!(found(values), format, "{values:?}");
        }
        assert_eq!(detect(&["20010910", "19991231"], true), Detected::Format("%Y%m%d".to_owned()));
        assert_eq!(detect(&["20010910", "20011301"], true), Detected::Nothing);
    }

    #[test]
    fn zones_are_instants() {
        let format = DateFormat::new("%Y-%m-%dT%H:%M:%S%#z").unwrap();
        let instant = |text: &str| format.read(text).unwrap().instant();
        assert_eq!(instant("2001-09-10T14:30:00+02:00"), instant("2001-09-10T12:30:00Z"));
        assert!(instant("2001-09-10T14:30:00+02:00") < instant("2001-09-10T13:30:00Z"));
        let zone = FixedOffset::east_opt(7200);
        let noon = format.read("2001-09-10T12:00:00Z").unwrap().instant();
        assert_eq!(format.write_instant(noon, zone).unwrap(), "2001-09-10T14:00:00+02:00");
    }

    #[test]
    fn formats_that_say_no_moment_are_none() {
        for text in ["%Q", "%Y-%m", "%H", "day", "", "%Y-%m-%d %H"] {
            assert!(DateFormat::new(text).is_none(), "{text}");
        }
    }

    #[test]
    fn dates_among_texts() {
        for text in ["2001-09-10", "9/10/2001", "10.09.2001 14:30", "Sep 10, 2001", "2001-09-10T14:30:00Z", "10-Sep-01"]
        {
            assert!(is_date(text), "{text}");
        }
        for text in ["20010910", "14:30", "123-45-6789", "555 1234", "1.2.3", "V3000"] {
            assert!(!is_date(text), "{text}");
        }
    }
}
