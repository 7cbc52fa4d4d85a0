//! The coding of numbers in sensitive and other columns, as docs/plan.md describes it, written a second time for the verification: the text that
//! each number of the original must have become, and the order of these texts.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::Int32Type;

use super::cell::ISO_DATE;
use super::reading::{distinct, text, texts};
use super::{Cell, CellReader, Meaning};
use crate::error::{Error, Result};
use crate::plan::{Column, Decimal, Number, Plan, Role, Threshold};
use crate::read::Table;

/// The table with the numbers coded of all columns that the plan codes and does not generalize. Texts that are no numbers stay.
pub(super) fn coded(table: &Table, plan: &Plan) -> Result<Table> {
    let asked = |name: &str| plan.columns.get(name).filter(|column| column.is_coded() && column.role != Role::Quasi);
    if !table.names().any(|name| asked(name).is_some()) {
        return Ok(table.clone());
    }
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    for name in table.names() {
        let column = match asked(name) {
            Some(column) => coded_column(table, plan, name, column)?,
            None => table.column(name)?.clone(),
        };
        columns.push((name.to_owned(), column));
    }
    Table::new(table.name(), columns)
}

fn coded_column(table: &Table, plan: &Plan, name: &str, column: &Column) -> Result<ArrayRef> {
    let values = texts(table, name)?;
    let is_value = |text: &str| !text.is_empty() && !plan.input.missing.iter().any(|missing| missing == text);
    let all = distinct(&values);
    let whole = match column.number {
        Some(number) => number == Number::Integer,
        None => all.iter().flatten().all(|text| !is_value(text) || text.trim().parse::<i64>().is_ok()),
    };
    let code = Code::new(name, column, whole)?;
    let new: Vec<Option<String>> =
        all.iter().map(|text| text.filter(|text| is_value(text)).and_then(|text| code.text(text))).collect();
    let mut coded: StringDictionaryBuilder<Int32Type> = StringDictionaryBuilder::new();
    for row in 0..values.len() {
        let own = values.key(row).and_then(|key| new[key].as_deref()).or_else(|| text(&values, row));
        match own {
            Some(text) => drop(coded.append(text).map_err(|e| Error::internal(name, &e))?),
            None => coded.append_null(),
        }
    }
    Ok(Arc::new(coded.finish()))
}

fn reader(column: &Column, whole: bool) -> CellReader<'static> {
    let number = if whole { Number::Integer } else { Number::Decimal };
    let meaning = Meaning::Range(Some(number), ISO_DATE.to_owned(), column.decimal.unwrap_or_default());
    CellReader::new(meaning, std::iter::empty())
}

/// What becomes of the numbers of a column.
struct Code {
    reader: CellReader<'static>,
    whole: bool,
    comma: bool,
    top: Option<f64>,
    bottom: Option<f64>,
    bins: Vec<f64>,
    /// What numbers are rounded to multiples of: the number, how many units it has, and the number of decimals of a unit.
    step: Option<(f64, i128, usize)>,
}

impl Code {
    fn new(name: &str, column: &Column, whole: bool) -> Result<Self> {
        let reader = reader(column, whole);
        let unread =
            |threshold: &Threshold| Error::column(name, &format!("its threshold `{threshold}` cannot be read"));
        let position = |threshold: &Threshold| {
            let own = || reader.point(threshold.text()).map(super::cell::Point::position);
            threshold.number().or_else(own).ok_or_else(|| unread(threshold))
        };
        let step = |threshold: &Threshold| {
            let decimals = threshold.text().split_once('.').map_or(0, |(_, decimals)| decimals.len());
            let units = threshold.text().replace('.', "").parse().ok();
            let positive = threshold.number().filter(|number| *number > 0.0);
            positive.zip(units).map(|(number, units)| (number, units, decimals)).ok_or_else(|| unread(threshold))
        };
        let (top, bottom) = (column.top.as_ref().map(position), column.bottom.as_ref().map(position));
        let bins = column.bins.iter().map(position).collect::<Result<_>>()?;
        let step = column.round.as_ref().map(step).transpose()?;
        let comma = column.decimal == Some(Decimal::Comma);
        Ok(Code { top: top.transpose()?, bottom: bottom.transpose()?, reader, whole, comma, bins, step })
    }

    /// What a text becomes; `None` if it stays as it is.
    fn text(&self, text: &str) -> Option<String> {
        let position = self.reader.point(text)?.position();
        if !self.bins.is_empty() {
            return Some(self.bin(position));
        }
        let rounded = self.step.map(|step| self.rounded(position, step));
        let position = rounded.as_ref().map_or(position, |(position, _)| *position);
        match (self.top, self.bottom) {
            (Some(top), _) if position >= top => Some(format!(">={}", self.written(top))),
            (_, Some(bottom)) if position <= bottom => Some(format!("<={}", self.written(bottom))),
            _ => rounded.map(|(_, text)| text),
        }
    }

    /// The bin of a number.
    fn bin(&self, position: f64) -> String {
        let above = self.bins.iter().find(|edge| **edge > position);
        let below = self.bins.iter().rev().find(|edge| **edge <= position);
        match (below, above) {
            (Some(below), None) => format!(">={}", self.written(*below)),
            (None, Some(above)) => format!("<{}", self.written(*above)),
            (Some(below), Some(above)) if self.whole => {
                let (low, high) = (self.written(*below), self.written(above - 1.0));
                match low == high {
                    true => low,
                    false if low.starts_with('-') => format!("[{low} - {high}]"),
                    false => format!("[{low}-{high}]"),
                }
            }
            (Some(below), Some(above)) => format!("[{}, {})", self.written(*below), self.written(*above)),
            (None, None) => "*".to_owned(),
        }
    }

    /// The nearest multiple, away from zero where two are as near, and its text, which is computed with whole numbers.
    fn rounded(&self, position: f64, (step, units, decimals): (f64, i128, usize)) -> (f64, String) {
        let units = (position / step).round() as i128 * units;
        let digits = format!("{:0>width$}", units.unsigned_abs(), width = decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - decimals);
        let fraction = fraction.trim_end_matches('0');
        let sign = if units < 0 { "-" } else { "" };
        let point = if fraction.is_empty() { "" } else { "." };
        let text = format!("{sign}{whole}{point}{fraction}");
        let rounded = text.parse().unwrap_or(position);
        (rounded, if self.comma { text.replace('.', ",") } else { text })
    }

    fn written(&self, number: f64) -> String {
        let text = number.to_string();
        if self.comma { text.replace('.', ",") } else { text }
    }
}

/// The texts of a column whose numbers are coded, in the order in which they begin. `None` if some text is none of these.
pub(super) fn from_low_to_high<'a>(column: &Column, texts: &[&'a str]) -> Option<Vec<&'a str>> {
    let reader = reader(column, column.number == Some(Number::Integer));
    let begin = |text: &str| {
        let at = |text: &str| reader.point(text).map(super::cell::Point::position);
        match reader.read(text) {
            Cell::One(low) | Cell::Between(low, _) | Cell::Beyond(Some(low), _) => at(&low),
            Cell::Beyond(None, _) => Some(f64::NEG_INFINITY),
            Cell::Everything | Cell::OneOf(_) => None,
        }
    };
    let mut sorted = texts.iter().map(|text| Some((begin(text)?, *text))).collect::<Option<Vec<_>>>()?;
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1)));
    Some(sorted.into_iter().map(|(_, text)| text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column() -> Column {
        Column::with_role(Role::Sensitive)
    }

    fn becomes(column: &Column, whole: bool, text: &str) -> String {
        let code = Code::new("pay", column, whole).unwrap();
        code.text(text).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn numbers_beyond_thresholds() {
        let ends = Column { top: Some("200".into()), bottom: Some("-5".into()), ..column() };
        for (text, expected) in
            [("199", "199"), ("200", ">=200"), ("999", ">=200"), ("-5", "<=-5"), ("-4", "-4"), ("x", "x")]
        {
            assert_eq!(becomes(&ends, true, text), expected, "{text}");
        }
        // What no threshold touches stays as it is written.
        assert_eq!(becomes(&ends, false, "150.50"), "150.50");
    }

    #[test]
    fn bins_and_rounded_numbers() {
        let bins = Column { bins: ["-10", "0", "1", "20"].map(Threshold::from).to_vec(), ..column() };
        for (text, expected) in [("-11", "<-10"), ("-10", "[-10 - -1]"), ("0", "0"), ("19", "[1-19]"), ("20", ">=20")] {
            assert_eq!(becomes(&bins, true, text), expected, "{text}");
        }
        assert_eq!(becomes(&bins, false, "19.9"), "[1, 20)");
        let rounded = Column { round: Some("0.25".into()), top: Some("1.5".into()), ..column() };
        for (text, expected) in
            [("0.1", "0"), ("-0.13", "-0.25"), ("1.3", "1.25"), ("1.375", ">=1.5"), ("-1.38", "-1.5")]
        {
            assert_eq!(becomes(&rounded, false, text), expected, "{text}");
        }
        let comma = Column { round: Some("0.5".into()), decimal: Some(Decimal::Comma), ..column() };
        assert_eq!(becomes(&comma, false, "1.234,4"), "1234,5");
    }

    #[test]
    fn coded_texts_have_an_order() {
        let texts = ["30", "5", "<=2", ">=100"];
        let integer = Column { number: Some(Number::Integer), top: Some("100".into()), ..column() };
        assert_eq!(from_low_to_high(&integer, &texts), Some(vec!["<=2", "5", "30", ">=100"]));
        assert_eq!(from_low_to_high(&integer, &["5", "high"]), None);
        let bins = ["[10, 20)", "<0", ">=20", "[0, 10)"];
        assert_eq!(from_low_to_high(&column(), &bins), Some(vec!["<0", "[0, 10)", "[10, 20)", ">=20"]));
    }
}
