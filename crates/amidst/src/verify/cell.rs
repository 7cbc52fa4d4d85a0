//! The parser of published cells.

use chrono::{Datelike, NaiveDate};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::plan::{self, Kind, Number};

/// The meaning of a published cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// Any value.
    Everything,
    /// This value, or the node of a taxonomy with this label.
    One(String),
    /// A value between two bounds, both included.
    Between(String, String),
    /// One of these values.
    OneOf(Vec<String>),
}

/// A value that can be compared.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Point {
    Whole(i64),
    Decimal(f64),
    Day(NaiveDate),
    Rank(usize),
}

impl Point {
    /// The point as a number.
    pub(super) fn position(self) -> f64 {
        match self {
            Point::Whole(number) => number as f64,
            Point::Decimal(number) => number,
            Point::Day(day) => f64::from(day.num_days_from_ce()),
            Point::Rank(rank) => rank as f64,
        }
    }
}

/// How to read the cells of a quasi-identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// Ranges of numbers of this type (none: of the type that the values show), or of dates in this format.
    Range(Option<Number>, String),
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
            Some(Kind::Range) => Meaning::Range(column.number, date_format(column).to_owned()),
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
            Meaning::Range(..) | Meaning::Ordered(_) => self.bounds(text).unwrap_or_else(one),
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

    /// The position of a value in the order of the column; `None` if the text is not a value.
    pub(super) fn point(&self, text: &str) -> Option<Point> {
        let whole = || text.trim().parse().ok().map(Point::Whole);
        let decimal = || text.trim().parse().ok().map(Point::Decimal);
        let day = |format: &str| NaiveDate::parse_from_str(text.trim(), format).ok().map(Point::Day);
        match &self.meaning {
            Meaning::Range(Some(Number::Integer), _) => whole(),
            Meaning::Range(Some(Number::Decimal), _) | Meaning::Ordered(None) => decimal(),
            Meaning::Range(Some(Number::Date), format) => day(format),
            Meaning::Range(None, format) => {
                let number = if self.whole { whole() } else { decimal() };
                number.or_else(|| day(format))
            }
            Meaning::Ordered(Some(_)) => self.ranks.get(text).copied().map(Point::Rank),
            Meaning::Set | Meaning::One => None,
        }
    }
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
        let number = || Meaning::Range(None, "%Y-%m-%d".to_owned());
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
