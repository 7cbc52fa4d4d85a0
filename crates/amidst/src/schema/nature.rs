//! What the values of a column look like, how they are written, and which values are odd among them.
//!
//! Everybody who must know takes it from here: `init`, flags that leave out a kind, and plans that leave out a format.

use arrow_array::Array;
use arrow_array::cast::AsArray;

use super::ISO_DATE;
use super::dates::{DateFormat, Detected, detect, is_date, misfits};
use super::guess::SET_LIMIT;
use super::numbers::{self, Commas, commas};
use super::recognize::{Contents, speaks_of_dates};
use crate::error::{Error, Remedy, Result, Setting};
use crate::plan::{Column, Decimal, InlineTree, Input, Kind, Number, Plan, Role, Treatment, Tree};
use crate::read::{Table, texts};

/// What the values of a column look like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Nature {
    Integer,
    Decimal,
    /// Decimal numbers with a comma.
    Comma,
    /// Numbers with marks that may separate thousands.
    Thousands,
    /// Dates or times of this format.
    Date(String),
    /// Dates that can be read in each of these formats.
    Ambiguous(Vec<String>),
    /// Digits of equal length that begin with zeros. They look like numbers but are names.
    Code,
    Text,
}

/// What the values of a column look like. `mark` is what the user says about decimal marks.
pub(super) fn nature(column: &str, values: &[&str], mark: Option<Decimal>) -> Nature {
    if values.is_empty() {
        return Nature::Text;
    }
    let all = |test: fn(&str) -> bool| values.iter().all(|v| test(v));
    let digits = |v: &str| v.bytes().all(|b| b.is_ascii_digit());
    let zeros = values.iter().any(|v| v.len() > 1 && v.starts_with('0') && digits(v));
    if zeros && all(|v| v.bytes().all(|b| b.is_ascii_digit())) {
        return Nature::Code;
    }
    if all(|v| v.parse::<i64>().is_ok()) {
        return match dates(column, values) {
            Detected::Format(format) => Nature::Date(format),
            _ => Nature::Integer,
        };
    }
    match commas(values, mark) {
        Commas::Decimal => Nature::Comma,
        Commas::Thousands => Nature::Thousands,
        Commas::None if all(|v| numbers::decimal(v, Decimal::Point).is_some()) => Nature::Decimal,
        Commas::None => match dates(column, values) {
            Detected::Format(format) => Nature::Date(format),
            Detected::Ambiguous(formats) => Nature::Ambiguous(formats),
            Detected::Nothing => Nature::Text,
        },
    }
}

fn dates(column: &str, values: &[&str]) -> Detected {
    detect(values, speaks_of_dates(column))
}

impl Nature {
    /// A name for readers of a plan.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Nature::Integer => "whole numbers",
            Nature::Decimal => "decimal numbers",
            Nature::Comma => "decimal numbers with a comma",
            Nature::Thousands => "numbers with marks in them",
            Nature::Date(format) if DateFormat::new(format).is_some_and(|format| format.is_day()) => "dates",
            Nature::Date(_) => "times",
            Nature::Ambiguous(_) => "dates",
            Nature::Code => "digits with leading zeros",
            Nature::Text => "text",
        }
    }

    /// The formats among which somebody must choose.
    pub(super) fn formats(&self) -> &[String] {
        match self {
            Nature::Ambiguous(formats) => formats,
            _ => &[],
        }
    }

    /// What a plan should say, if the values do not.
    pub(super) fn remark(&self) -> Option<String> {
        match self {
            Nature::Ambiguous(formats) => {
                let formats: Vec<String> = formats.iter().map(|format| format!("format = \"{format}\"")).collect();
                Some(format!(
                    "every value can be read with the day or the month first: make it a range with {}",
                    formats.join(" or ")
                ))
            }
            Nature::Thousands => Some(
                "its commas may separate thousands: write them without, or say decimal = \",\" in [input]".to_owned(),
            ),
            _ => None,
        }
    }

    /// Says in a range column of a plan what its numbers are and how they are written.
    pub(super) fn describe_in(&self, column: &mut Column) {
        match self {
            Nature::Integer => column.number = Some(Number::Integer),
            Nature::Date(format) => {
                column.number = Some(Number::Date);
                column.format = (format != ISO_DATE).then(|| format.clone());
            }
            Nature::Comma => (column.number, column.decimal) = (Some(Number::Decimal), Some(Decimal::Comma)),
            _ => column.number = Some(Number::Decimal),
        }
    }
}

/// A few texts in a column of numbers or dates.
pub(super) struct Odd {
    texts: Vec<String>,
    /// What the other values are.
    others: &'static str,
}

impl Odd {
    /// At least so many values must be numbers or dates for the others to be odd. Fewer numbers are as good as set.
    const FEWEST: usize = 10;
    /// At most so many texts are odd; more are what the column is about.
    const MOST: usize = 3;

    /// The odd values of a column of texts.
    pub(super) fn among(column: &str, contents: &Contents, mark: Option<Decimal>) -> Option<Self> {
        let number = |text: &str| {
            numbers::decimal(text, Decimal::Point).or_else(|| numbers::decimal(text, Decimal::Comma)).is_some()
        };
        let values: Vec<&str> = contents.texts().collect();
        let of_numbers: Vec<&str> = values.iter().copied().filter(|text| !number(text)).take(Self::MOST + 1).collect();
        let texts = if of_numbers.len() <= Self::MOST {
            of_numbers
        } else {
            misfits(&values, speaks_of_dates(column), Self::MOST)?
        };
        if texts.is_empty() || values.len() < Self::FEWEST + texts.len() {
            return None;
        }
        let rest: Vec<&str> = values.into_iter().filter(|text| !texts.contains(text)).collect();
        let others = match nature(column, &rest, mark) {
            Nature::Text => return None,
            other => other.name(),
        };
        Some(Odd { texts: texts.into_iter().map(str::to_owned).collect(), others })
    }

    /// What to know about them.
    pub(super) fn remark(&self) -> String {
        let texts = self.texts.iter().map(|text| toml::Value::from(text.as_str()).to_string()).collect::<Vec<_>>();
        format!("{} but for {}: if that means missing, add it to `missing`", self.others, texts.join(", "))
    }
}

/// Refuses to choose a kind for a quasi-identifier whose values can be meant in several ways. What [`init`](crate::pipeline::init) leaves to the
/// reader of its plan would otherwise be published as stars, or with days and months mixed up.
pub fn check(plan: &Plan, table: &Table) -> Result<()> {
    for (name, column) in &plan.columns {
        if column.role != Role::Quasi || column.kind.is_some() || column.format.is_some() {
            continue;
        }
        let contents = Contents::new(table, name, &plan.input.missing)?;
        let values: Vec<&str> = contents.texts().collect();
        let nature = nature(name, &values, plan.input.decimal);
        nature.check(name, &values, table)?;
        let odd = if nature == Nature::Text { Odd::among(name, &contents, plan.input.decimal) } else { None };
        if let Some(Odd { texts, others }) = odd {
            let listed: Vec<String> =
                texts.iter().map(|text| format!("`{text}` (row {})", row_of(table, name, text))).collect();
            let message = format!("its values are {others} but for {}", listed.join(", "));
            let kind = if values.len() < SET_LIMIT { "set" } else { "suppress" };
            return Err(Error::column(name, &message).or([
                Remedy::just("correct that"),
                Remedy::by("declare it missing", Setting::Missing(texts[0].clone())),
                Remedy::by("take all values for texts", Setting::Kind(name.clone(), kind)),
            ]));
        }
    }
    Ok(())
}

/// The number of the first row with a text, but for blanks around it.
fn row_of(table: &Table, column: &str, text: &str) -> usize {
    let Some(texts) = table.column(column).ok().and_then(|column| texts(column).ok()) else { return 0 };
    let values = texts.values().as_string::<i32>();
    let has = |row: &usize| texts.key(*row).is_some_and(|key| values.is_valid(key) && values.value(key).trim() == text);
    (0..texts.len()).find(has).map_or(0, |row| table.number(row))
}

impl Nature {
    /// Refuses values that can be meant in several ways.
    fn check(&self, name: &str, values: &[&str], table: &Table) -> Result<()> {
        match self {
            Nature::Ambiguous(formats) => Err(ambiguous(name, values[0], row_of(table, name, values[0]), formats)),
            Nature::Thousands => {
                let marked = values.iter().find(|text| text.contains([',', '.'])).unwrap_or(&values[0]);
                let row = row_of(table, name, marked);
                let message = format!("the marks in its numbers may separate thousands, as in `{marked}` (row {row})");
                Err(Error::column(name, &message).or([
                    Remedy::just("write them without"),
                    Remedy::by("say that they are decimal commas", Setting::Decimal(',')),
                    Remedy::by("keep them as texts", Setting::Kind(name.to_owned(), "suppress")),
                ]))
            }
            _ => Ok(()),
        }
    }
}

fn ambiguous(name: &str, value: &str, row: usize, formats: &[String]) -> Error {
    let message = format!("`{value}` (row {row}) and all its other dates can be read with the day or the month first");
    let way = |format: &String| {
        let what = if format.find("%d").or(format.find("%-d")) < format.find("%m").or(format.find("%-m")) {
            "say that the day is first"
        } else {
            "say that the month is first"
        };
        Remedy::by(what, Setting::Format(name.to_owned(), format.clone()))
    };
    match formats {
        [one, other] => Error::column(name, &message).or([way(one), way(other)]),
        _ => Error::column(name, &message),
    }
}

/// Completes what a plan says about how dates and decimals are written, so that the stored plan says it.
pub fn settle(plan: &mut Plan, table: &Table) -> Result<()> {
    let Plan { columns, input, .. } = plan;
    for (name, column) in columns {
        let dates = matches!(column.hierarchy, Some(Tree::Inline(InlineTree::Dates(_))));
        match (column.role, column.kind) {
            _ if column.format.is_some() => {}
            (Role::Quasi, Some(Kind::Range)) => range(name, column, table, input)?,
            (Role::Quasi, Some(Kind::Taxonomy)) if dates => {
                column.format = format(name, table, input)?.filter(|format| format != ISO_DATE);
            }
            _ if matches!(column.publish, Some(Treatment::Shift { .. } | Treatment::StudyDay)) => {
                treated(name, column, table, input)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Completes what a plan says about the numbers of a column that is coded without being generalized.
pub fn settle_coded(name: &str, column: &mut Column, table: &Table, input: &Input) -> Result<()> {
    range(name, column, table, input)?;
    if column.number == Some(Number::Date) {
        let message =
            "dates are coded by top, bottom or bins only in a quasi-identifier; drop these, or make the role quasi";
        return Err(Error::column(name, message));
    }
    Ok(())
}

/// How the numbers or dates of a range are written, where the plan leaves that out.
fn range(name: &str, column: &mut Column, table: &Table, input: &Input) -> Result<()> {
    if column.number == Some(Number::Integer) || column.decimal.is_some() {
        return Ok(());
    }
    let contents = Contents::new(table, name, &input.missing)?;
    let values: Vec<&str> = contents.texts().collect();
    let nature = nature(name, &values, input.decimal);
    if column.is_coded() && column.number.is_none() {
        // Which cells a coding allows depends on what the numbers are.
        let whole = values.iter().all(|text| text.trim().parse::<i64>().is_ok());
        let dates = matches!(nature, Nature::Date(_) | Nature::Ambiguous(_));
        column.number = Some(match () {
            () if dates => Number::Date,
            () if whole => Number::Integer,
            () => Number::Decimal,
        });
    }
    let fits = match &nature {
        Nature::Date(_) | Nature::Ambiguous(_) => Number::Date,
        Nature::Comma | Nature::Thousands => Number::Decimal,
        Nature::Integer | Nature::Decimal | Nature::Code | Nature::Text => return Ok(()),
    };
    if column.number.is_none_or(|number| number == fits) && nature != Nature::Date(ISO_DATE.to_owned()) {
        nature.check(name, &values, table)?;
        nature.describe_in(column);
    }
    Ok(())
}

/// The format of the dates of a column; `None` if they have none.
fn format(name: &str, table: &Table, input: &Input) -> Result<Option<String>> {
    let contents = Contents::new(table, name, &input.missing)?;
    let values: Vec<&str> = contents.texts().collect();
    match dates(name, &values) {
        Detected::Format(format) => Ok(Some(format)),
        Detected::Nothing => Ok(None),
        Detected::Ambiguous(formats) => Err(ambiguous(name, values[0], row_of(table, name, values[0]), &formats)),
    }
}

/// The format of dates that are replaced. ISO dates need none, whatever stands behind them.
fn treated(name: &str, column: &mut Column, table: &Table, input: &Input) -> Result<()> {
    let contents = Contents::new(table, name, &input.missing)?;
    let iso = |text: &str| {
        let (day, behind) = text.split_at_checked(10).unwrap_or((text, ""));
        behind.is_empty() && is_date(day) && day.as_bytes()[4] == b'-' || behind.starts_with(['T', ' '])
    };
    if !contents.texts().all(iso) {
        column.format = format(name, table, input)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natures() {
        let of = |values: &[&str]| nature("x", values, None);
        assert_eq!(of(&["1", "-20"]), Nature::Integer);
        assert_eq!(of(&["1", "2.5"]), Nature::Decimal);
        assert_eq!(of(&["1", "2,5"]), Nature::Comma);
        assert_eq!(of(&["1,234", "999"]), Nature::Thousands);
        assert_eq!(of(&["2020-01-31"]), Nature::Date("%Y-%m-%d".to_owned()));
        assert!(matches!(of(&["1/2/2020"]), Nature::Ambiguous(_)));
        assert_eq!(of(&["01234", "99999"]), Nature::Code);
        assert_eq!(of(&["0", "10"]), Nature::Integer);
        assert_eq!(of(&["1", "x"]), Nature::Text);
        assert_eq!(of(&["1", "inf"]), Nature::Text);
        assert_eq!(of(&["20200131"]), Nature::Integer);
        assert_eq!(nature("birth date", &["20200131"], None), Nature::Date("%Y%m%d".to_owned()));
        assert_eq!(of(&[]), Nature::Text);
    }

    #[test]
    fn odd_values() {
        let odd = |more: &[&str]| {
            let numbers: Vec<String> = (20..40).map(|n| n.to_string()).collect();
            let values = numbers.iter().map(String::as_str).chain(more.iter().copied());
            let values: Vec<(String, usize)> = values.map(|text| (text.to_owned(), 1)).collect();
            let (present, rows) = (values.len(), values.len());
            Odd::among("x", &Contents { values, present, rows }, None).map(|odd| odd.texts.join(" "))
        };
        assert_eq!(odd(&["-"]).as_deref(), Some("-"));
        assert_eq!(odd(&["-", "unknown", "90+"]).as_deref(), Some("- unknown 90+"));
        assert_eq!(odd(&["a", "b", "c", "d"]), None);
    }
}
