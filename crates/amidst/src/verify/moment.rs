//! Dates and times of an original, read and written a second time by the format that the stored plan says.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};

/// What a text says: calendar and clock as they are shown, and how far the clock is ahead of universal time, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Said {
    pub shown: NaiveDateTime,
    pub ahead: Option<i32>,
    /// Whether only a day stands in a column of times.
    pub day_only: bool,
}

impl Said {
    /// The point in time by which texts are ordered.
    pub fn point(&self) -> NaiveDateTime {
        let ahead = TimeDelta::seconds(self.ahead.unwrap_or(0).into());
        self.shown.checked_sub_signed(ahead).unwrap_or(self.shown)
    }
}

/// The letters of a format that speak of the clock.
const CLOCK: &str = "HIklMSfTRrXpPsc+Z";
/// The letters that speak of a zone.
const ZONE: &str = "z+";

/// The letters of the parts of a format, with the places where the parts end.
fn letters(format: &str) -> Vec<(usize, char)> {
    let mut letters = Vec::new();
    let mut rest = format.char_indices();
    while let Some((_, c)) = rest.next() {
        if c == '%' {
            let letter = rest.by_ref().find(|(_, c)| !"-_0:#.123456789".contains(*c));
            letters.extend(letter.map(|(place, letter)| (place + letter.len_utf8(), letter)));
        }
    }
    letters.retain(|(_, letter)| *letter != '%');
    letters
}

/// The part of a format that says the day, if that comes first and a time follows.
fn day_part(format: &str) -> Option<&str> {
    let letters = letters(format);
    let is_day = |(_, letter): &&(usize, char)| !CLOCK.contains(*letter) && !ZONE.contains(*letter);
    let days = letters.iter().take_while(is_day).count();
    let alone = days > 0 && days < letters.len() && !letters[days..].iter().any(|part| is_day(&part));
    alone.then(|| &format[..letters[days - 1].0])
}

/// What a text says in a format.
pub(super) fn said(text: &str, format: &str) -> Option<Said> {
    let text = text.trim();
    let parts = letters(format);
    let has = |wanted: &str| parts.iter().any(|(_, letter)| wanted.contains(*letter));
    let days = parts.iter().any(|(_, letter)| !CLOCK.contains(*letter) && !ZONE.contains(*letter));
    let whole = has("sc+");
    let shown = |shown, ahead| Some(Said { shown, ahead, day_only: false });
    if !has(CLOCK) {
        return shown(NaiveDate::parse_from_str(text, format).ok()?.and_time(NaiveTime::MIN), None);
    }
    if !days && !whole {
        return shown(NaiveDateTime::default().date().and_time(NaiveTime::parse_from_str(text, format).ok()?), None);
    }
    if has(ZONE) {
        if let Ok(time) = DateTime::parse_from_str(text, format) {
            return shown(time.naive_local(), Some(time.offset().local_minus_utc()));
        }
    } else if let Ok(time) = NaiveDateTime::parse_from_str(text, format) {
        return shown(time, None);
    }
    // The midnight of a day may be written without its time, where the day comes first.
    let midnight = NaiveDate::parse_from_str(text, day_part(format)?).ok()?.and_time(NaiveTime::MIN);
    Some(Said { shown: midnight, ahead: has(ZONE).then_some(0), day_only: true })
}

/// What is said, as a text of the format. `None` if the format cannot be written.
pub(super) fn written(said: &Said, format: &str) -> Option<String> {
    use std::fmt::Write;
    // A zone that may be a `Z` is one where the clock shows universal time.
    let format = format.replace("%#z", if said.ahead == Some(0) { "Z" } else { "%:z" });
    let mut text = String::new();
    let has_clock = letters(&format).iter().any(|(_, letter)| CLOCK.contains(*letter));
    match said.ahead {
        _ if said.day_only => write!(text, "{}", said.shown.date().format(day_part(&format)?)),
        Some(ahead) => {
            let zone = FixedOffset::east_opt(ahead)?;
            write!(text, "{}", said.shown.and_local_timezone(zone).single()?.format(&format))
        }
        None if !has_clock => write!(text, "{}", said.shown.date().format(&format)),
        None => write!(text, "{}", said.shown.format(&format)),
    }
    .ok()?;
    Some(text)
}

/// The seconds between the smallest steps that a format can tell apart: those of a day, a minute, a second, or less.
pub(super) fn step(format: &str) -> f64 {
    let letters = letters(format);
    let has = |wanted: &str| letters.iter().any(|(_, letter)| wanted.contains(*letter));
    match () {
        () if has("f+") => 1e-3,
        () if has("STrXsc") => 1.0,
        () if has("MR") => 60.0,
        () if has(CLOCK) => 3600.0,
        () => 86_400.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::dates::DateFormat;

    #[test]
    fn both_readings_of_a_moment_agree() {
        for (format, text) in [
            ("%Y-%m-%d", "2001-09-10"),
            ("%-m/%-d/%Y", "9/10/2001"),
            ("%b %-d, %Y", "Sep 1, 2001"),
            ("%d.%m.%y", "10.09.01"),
            ("%Y-%m-%dT%H:%M:%S", "2001-09-10T14:30:00"),
            ("%Y-%m-%dT%H:%M:%S", "2001-09-10"),
            ("%b %-d, %Y %H:%M", "Sep 1, 2001"),
            ("%d.%m.%Y um %H:%M", "10.09.2001"),
            ("%d.%m.%Y um %H:%M", "10.09.2001 um 14:30"),
            ("%H:%M %d.%m.%Y", "10.09.2001"),
            ("%H:%M %d.%m.%Y", "14:30 10.09.2001"),
            ("%Y-%m-%d %H:%M %Z", "2001-09-10 14:30 CET"),
            ("%s", "1000000000"),
            ("%Y-%m-%d %H:%M:%S%.f", "2001-09-10 14:30:00.123"),
            ("%Y-%m-%dT%H:%M:%SZ", "2001-09-10T14:30:00Z"),
            ("%Y-%m-%dT%H:%M:%S%:z", "2001-09-10T14:30:00+02:00"),
            ("%Y-%m-%dT%H:%M:%S%#z", "2001-09-10T14:30:00Z"),
            ("%-m/%-d/%Y %-I:%M %p", "9/13/2001 2:30 PM"),
            ("%H:%M", "14:30"),
            ("%Y-%m-%d", "2001-02-30"),
            ("%Y-%m-%d", "x"),
        ] {
            let own = said(text, format);
            let other = DateFormat::new(format).unwrap();
            assert_eq!(own.map(|said| said.point()), other.read(text).map(|moment| moment.instant()), "{text}");
            let again = own.and_then(|said| written(&said, format));
            assert_eq!(again, other.read(text).and_then(|moment| other.write(&moment)), "{text}");
        }
    }

    #[test]
    fn steps_of_formats() {
        let formats = ["%d.%m.%Y", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S%:z", "%H:%M:%S%.f"];
        let milliseconds = formats.map(|format| (step(format) * 1e3).round() as u64);
        assert_eq!(milliseconds, [86_400_000, 60_000, 1_000, 1]);
    }
}
