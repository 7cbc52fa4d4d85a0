//! Sensitive and other columns whose numbers are coded: top and bottom coding, bins, and rounding.
//!
//! # Idea
//! Nobody generalizes these columns, so coding them changes texts and nothing else: `250000` becomes `>=200000`. This happens once, right after
//! the table was read. So what every later stage counts, publishes and reports are the texts that recipients see, and no stage can show a number
//! that the coding hides. A number that the coding leaves alone keeps the text that it has.

use rustc_hash::FxHashMap;

use super::Numbers;
use super::coded::Coded;
use super::values::Values;
use crate::error::{Error, Result};
use crate::plan::{Column, Decimal};
use crate::read::{Table, texts};
use crate::schema::{Coding, ISO_DATE, numbers};

/// The table with the numbers of a column coded as the plan says, and what to say about a coding that changes nothing.
pub fn recoded(table: &Table, name: &str, column: &Column, missing: &[String]) -> Result<(Table, Option<String>)> {
    let coding = Coding::new(name, column)?;
    let own = texts(table.column(name)?).map_err(|e| Error::column(name, &e))?;
    let values = Values::new(name, table, &own, missing);
    // Empty texts are missing values here, even where the table has no nulls.
    let present: Vec<&str> = values.present.iter().copied().filter(|text| !text.is_empty()).collect();
    let (numbers, places) = Numbers::new(&present, column.number, ISO_DATE, column.decimal.unwrap_or_default())
        .map_err(|(value, expected)| values.unparsable(value, expected))?;
    if numbers.is_empty() {
        return Ok((table.clone(), None));
    }
    let (coded, slots) = Coded::new(name, &coding, numbers)?;
    let new: FxHashMap<&str, String> = present
        .into_iter()
        .zip(places)
        .filter(|(_, place)| !coded.keeps(slots[*place]))
        .map(|(text, place)| (text, coded.text(slots[place], slots[place])))
        .collect();
    Ok((table.recoded(name, &new)?, coded.remark(name)))
}

/// Where a coded text begins on the number line, by which coded texts are ordered. `None` if it is no such text.
pub(super) fn begin(text: &str, mark: Decimal) -> Option<f64> {
    let number = |text: &str| numbers::decimal(text, mark).filter(|number| number.is_finite());
    if let Some(low) = text.strip_prefix(">=") {
        return number(low);
    }
    if let Some(high) = text.strip_prefix("<=").or_else(|| text.strip_prefix('<')) {
        return number(high).map(|_| f64::NEG_INFINITY);
    }
    let Some(inner) = text.strip_prefix('[') else { return number(text) };
    if let Some((low, _)) = inner.strip_suffix(')').and_then(|ends| ends.split_once(", ")) {
        return number(low);
    }
    // The first dash behind the first character separates the ends, because that character may be a sign.
    let dash = inner.char_indices().skip(1).find(|(_, c)| *c == '-')?.0;
    number(inner[..dash].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coded_texts_begin_somewhere() {
        for (text, expected) in [
            ("45000", Some(45000.0)),
            (">=90", Some(90.0)),
            ("<=-5", Some(f64::NEG_INFINITY)),
            ("<0", Some(f64::NEG_INFINITY)),
            ("[0-9]", Some(0.0)),
            ("[-10 - -1]", Some(-10.0)),
            ("[0.5, 10)", Some(0.5)),
            ("high", None),
            ("", None),
        ] {
            assert_eq!(begin(text, Decimal::Point), expected, "{text}");
        }
        assert_eq!(begin("[0,5, 10)", Decimal::Comma), Some(0.5));
        assert_eq!(begin(">=1,5", Decimal::Comma), Some(1.5));
    }
}
