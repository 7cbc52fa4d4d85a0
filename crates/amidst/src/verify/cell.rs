//! The parser of published cells.

use chrono::NaiveDateTime;
use rustc_hash::{FxHashMap, FxHashSet};

use super::moment;
use crate::plan::{self, Decimal, Kind, Number};

/// The meaning of a published cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// Any value.
    Everything,
    /// This value, or the node of a taxonomy with this label.
    One(String),
    /// A value between two bounds, both included.
    Between(String, String),
    /// A value without a lower bound or without an upper one, or below an upper bound that is left out itself: the upper bound, and whether
    /// it is included.
    Beyond(Option<String>, Option<(String, bool)>),
    /// One of these values.
    OneOf(Vec<String>),
}

/// A value that can be compared.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Point {
    Whole(i64),
    Decimal(f64),
    Time(NaiveDateTime),
    Rank(usize),
}

impl Point {
    /// The point as a number. Times are seconds.
    pub(super) fn position(self) -> f64 {
        match self {
            Point::Whole(number) => number as f64,
            Point::Decimal(number) => number,
            Point::Time(time) => {
                let utc = time.and_utc();
                utc.timestamp() as f64 + f64::from(utc.timestamp_subsec_nanos()) * 1e-9
            }
            Point::Rank(rank) => rank as f64,
        }
    }
}

/// How to read the cells of a quasi-identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// Ranges of numbers of this type (none: of the type that the values show) with this decimal mark, or of dates in this format.
    Range(Option<Number>, String, Decimal),
    /// Ranges of categories in this order (none: in the order of their numbers).
    Ordered(Option<Vec<String>>),
    /// Sets of values.
    Set,
    /// Single values, or nodes of a tree.
    One,
}

impl Meaning {
    /// The meaning of the cells of a column of a plan.
    pub fn of(column: &plan::Column) -> Self {
        match column.kind {
            Some(Kind::Range) => {
                Meaning::Range(column.number, date_format(column).to_owned(), column.decimal.unwrap_or_default())
            }
            Some(Kind::Ordered) => Meaning::Ordered(column.order.clone()),
            Some(Kind::Set) => Meaning::Set,
            Some(Kind::Taxonomy | Kind::Suppress) | None => Meaning::One,
        }
    }
}

/// The format of dates if the plan has none.
pub(super) const ISO_DATE: &str = "%Y-%m-%d";

/// The format of the dates of a column.
pub(super) fn date_format(column: &plan::Column) -> &str {
    column.format.as_deref().unwrap_or(ISO_DATE)
}

/// A parser for the cells of one column.
pub struct CellReader<'a> {
    meaning: Meaning,
    /// The values of the column in the original, as far as they are known.
    values: FxHashSet<&'a str>,
    /// Whether all these values are whole numbers.
    whole: bool,
    /// The rank of each category in the order of the column.
    ranks: FxHashMap<String, usize>,
}

impl<'a> CellReader<'a> {
    /// A parser for a column that has these values in the original.
    pub fn new(meaning: Meaning, values: impl Iterator<Item = &'a str>) -> Self {
        let values: FxHashSet<&str> = values.collect();
        let whole = !values.is_empty() && values.iter().all(|v| v.trim().parse::<i64>().is_ok());
        let mut ranks: FxHashMap<String, usize> = FxHashMap::default();
        if let Meaning::Ordered(Some(order)) = &meaning {
            order.iter().zip(0..).for_each(|(label, rank)| _ = ranks.entry(label.clone()).or_insert(rank));
        }
        CellReader { meaning, values, whole, ranks }
    }

    /// Reads a cell.
    pub fn read(&self, text: &str) -> Cell {
        if text == "*" {
            return Cell::Everything;
        }
        let one = || Cell::One(text.to_owned());
        if self.values.contains(text) {
            return one();
        }
        match self.meaning {
            Meaning::Range(..) => self.bounds(text).or_else(|| self.beyond(text)).unwrap_or_else(one),
            Meaning::Ordered(_) => self.bounds(text).unwrap_or_else(one),
            Meaning::Set => members(text).map_or_else(one, Cell::OneOf),
            Meaning::One => one(),
        }
    }

    /// Reads `[lo-hi]`, with or without blanks around the dash. The first dash that leaves two values separates the bounds. Categories may
    /// begin or end with blanks, so for them a dash with one blank on either side is tried first.
    fn bounds(&self, text: &str) -> Option<Cell> {
        let inner = text.strip_prefix('[')?.strip_suffix(']')?;
        let labels = matches!(self.meaning, Meaning::Ordered(Some(_)));
        let exact =
            inner.match_indices(" - ").filter(|_| labels).map(|(at, dash)| (&inner[..at], &inner[at + dash.len()..]));
        let loose = inner.match_indices('-').map(|(at, dash)| (inner[..at].trim(), inner[at + dash.len()..].trim()));
        exact.chain(loose).find_map(|(lo, hi)| {
            (self.point(lo)? <= self.point(hi)?).then(|| Cell::Between(lo.to_owned(), hi.to_owned()))
        })
    }

    /// Reads `>=90`, `<=18`, `<0` and `[0, 1000)`.
    fn beyond(&self, text: &str) -> Option<Cell> {
        let end = |text: &str| self.point(text).map(|_| text.trim().to_owned());
        if let Some(low) = text.strip_prefix(">=") {
            return Some(Cell::Beyond(Some(end(low)?), None));
        }
        if let Some(high) = text.strip_prefix('<') {
            let (high, closed) = high.strip_prefix('=').map_or((high, false), |high| (high, true));
            return Some(Cell::Beyond(None, Some((end(high)?, closed))));
        }
        let (low, high) = text.strip_prefix('[')?.strip_suffix(')')?.split_once(", ")?;
        let rising = self.point(low)? < self.point(high)?;
        rising.then(|| Cell::Beyond(Some(low.to_owned()), Some((high.to_owned(), false))))
    }

    /// The distance to the next value if the values are whole numbers, or this one if they are days.
    pub(super) fn next(&self, day: f64) -> Option<f64> {
        match &self.meaning {
            Meaning::Range(Some(Number::Integer), ..) => Some(1.0),
            Meaning::Range(None, ..) if self.whole => Some(1.0),
            Meaning::Range(Some(Number::Date) | None, format, _) => {
                let dates =
                    self.values.is_empty() || self.values.iter().any(|text| moment::said(text, format).is_some());
                (dates && moment::step(format) >= day).then_some(day)
            }
            _ => None,
        }
    }

    /// The position of a value in the order of the column; `None` if the text is not a value.
    pub(super) fn point(&self, text: &str) -> Option<Point> {
        let whole = || text.trim().parse().ok().map(Point::Whole);
        let decimal = || text.trim().parse().ok().map(Point::Decimal);
        let time = |format: &str| moment::said(text, format).map(|said| Point::Time(said.point()));
        match &self.meaning {
            Meaning::Range(Some(Number::Integer), ..) => whole(),
            Meaning::Range(Some(Number::Decimal), _, Decimal::Comma) => with_comma(text).map(Point::Decimal),
            Meaning::Range(Some(Number::Decimal), ..) | Meaning::Ordered(None) => decimal(),
            Meaning::Range(Some(Number::Date), format, _) => time(format),
            Meaning::Range(None, format, _) => {
                let number = if self.whole { whole() } else { decimal() };
                number.or_else(|| time(format))
            }
            Meaning::Ordered(Some(_)) => self.ranks.get(text).copied().map(Point::Rank),
            Meaning::Set | Meaning::One => None,
        }
    }

    /// The smallest step of a centre: centres of times are rounded down to one. Other centres have no steps.
    pub(super) fn step(&self) -> Option<f64> {
        match &self.meaning {
            Meaning::Range(Some(Number::Date), format, _) => Some(moment::step(format)),
            Meaning::Range(None, format, _) => {
                let number = |text: &&str| text.trim().parse::<f64>().is_ok();
                let time = |text: &&str| moment::said(text, format).is_some();
                (!self.values.iter().any(number) && self.values.iter().any(time)).then(|| moment::step(format))
            }
            _ => None,
        }
    }

    /// The number that a published centre stands for.
    pub(super) fn centre(&self, text: &str) -> Option<f64> {
        match &self.meaning {
            Meaning::Range(_, _, Decimal::Comma) => text.replace(',', ".").parse().ok(),
            _ => text.parse().ok(),
        }
    }
}

/// The number in a text with a decimal comma. Points may stand before every third digit from the comma.
fn with_comma(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.trim_start_matches(['+', '-']);
    let (whole, fraction) = match digits.find(',') {
        Some(comma) => (&digits[..comma], &digits[comma + 1..]),
        None => (digits, "0"),
    };
    let is_number = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    let grouped = whole.rsplit('.').rev().enumerate().all(|(place, group)| place == 0 || group.len() == 3);
    let first = whole.split('.').next().unwrap_or_default();
    let right = is_number(first) && grouped && is_number(&whole.replace('.', "")) && is_number(fraction);
    let alone = !whole.contains('.') || first.len() <= 3;
    let signs = text.len() - digits.len();
    if !right || !alone || signs > 1 {
        return None;
    }
    let number: f64 = format!("{}.{fraction}", whole.replace('.', "")).parse().ok()?;
    Some(if text.starts_with('-') { -number } else { number })
}

/// Reads a set such as `{a, "b, c"}`.
fn members(text: &str) -> Option<Vec<String>> {
    let mut rest = text.strip_prefix('{')?.strip_suffix('}')?;
    let mut members = Vec::new();
    loop {
        let member;
        if let Some(quoted) = rest.strip_prefix('"') {
            // A quote within a member is doubled. The first single quote ends the member.
            let mut end = None;
            let mut quotes = quoted.match_indices('"').map(|(at, _)| at).peekable();
            while let Some(at) = quotes.next() {
                if quotes.peek() == Some(&(at + 1)) {
                    quotes.next();
                } else {
                    end = Some(at);
                    break;
                }
            }
            let end = end?;
            member = quoted[..end].replace("\"\"", "\"");
            rest = &quoted[end + 1..];
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            member = rest[..end].to_owned();
            rest = &rest[end..];
        }
        members.push(member);
        if rest.is_empty() {
            return Some(members);
        }
        rest = rest.strip_prefix(", ")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(meaning: Meaning, values: &[&str], text: &str) -> Cell {
        CellReader::new(meaning, values.iter().copied()).read(text)
    }

    fn between(lo: &str, hi: &str) -> Cell {
        Cell::Between(lo.to_owned(), hi.to_owned())
    }

    #[test]
    fn ranges() {
        let number = || Meaning::Range(None, "%Y-%m-%d".to_owned(), Decimal::Point);
        let values = ["1", "-5"];
        assert_eq!(read(number(), &values, "[1-30]"), between("1", "30"));
        assert_eq!(read(number(), &values, "[-5 - 10]"), between("-5", "10"));
        assert_eq!(read(number(), &values, "[-5--1]"), between("-5", "-1"));
        assert_eq!(read(number(), &values, "[5-1]"), Cell::One("[5-1]".to_owned()));
        assert_eq!(read(number(), &["1e-3"], "[1e-3-1e-2]"), between("1e-3", "1e-2"));
        let days = ["2020-01-31", "2020-03-01"];
        assert_eq!(read(number(), &days, "[2020-01-31 - 2020-03-01]"), between("2020-01-31", "2020-03-01"));
        assert_eq!(read(number(), &days, "[2020-01-31-2020-03-01]"), between("2020-01-31", "2020-03-01"));
        assert_eq!(read(number(), &days, "*"), Cell::Everything);
    }

    #[test]
    fn numbers_with_a_comma() {
        let values = ["1.234,56", "12,5", "-0,5"];
        let meaning = || Meaning::Range(Some(Number::Decimal), String::new(), Decimal::Comma);
        assert_eq!(read(meaning(), &values, "[12,5-1.234,56]"), between("12,5", "1.234,56"));
        assert_eq!(read(meaning(), &values, "[-0,5 - 12,5]"), between("-0,5", "12,5"));
        assert_eq!(read(meaning(), &values, "[12,5-1234.56]"), Cell::One("[12,5-1234.56]".to_owned()));
        for text in ["1,2,3", "1.23,4", "1234.567,8", ",5", "5,", "--5,0", "x"] {
            assert_eq!(with_comma(text), None, "{text}");
        }
        assert_eq!(with_comma("-1.234,5"), Some(-1234.5));
    }

    #[test]
    fn orders() {
        let order = || Meaning::Ordered(Some(["7th-8th", "HS-grad", "a - b"].map(str::to_owned).to_vec()));
        assert_eq!(read(order(), &["7th-8th"], "[7th-8th - HS-grad]"), between("7th-8th", "HS-grad"));
        assert_eq!(read(order(), &["7th-8th"], "[HS-grad - a - b]"), between("HS-grad", "a - b"));
        assert_eq!(read(order(), &["7th-8th"], "[HS-grad - 7th-8th]"), Cell::One("[HS-grad - 7th-8th]".to_owned()));
        let blanks = Meaning::Ordered(Some([" low", "high "].map(str::to_owned).to_vec()));
        assert_eq!(read(blanks, &[" low"], "[ low - high ]"), between(" low", "high "));
    }

    #[test]
    fn sets() {
        let set = |text| read(Meaning::Set, &["{x}"], text);
        let of = |members: &[&str]| Cell::OneOf(members.iter().map(|m| (*m).to_owned()).collect());
        assert_eq!(set("{a, b}"), of(&["a", "b"]));
        assert_eq!(set("{\"a, b\", \"say \"\"x\"\"\", \"\"}"), of(&["a, b", "say \"x\"", ""]));
        assert_eq!(set("{x}"), Cell::One("{x}".to_owned()));
        assert_eq!(set("{a"), Cell::One("{a".to_owned()));
    }
}
