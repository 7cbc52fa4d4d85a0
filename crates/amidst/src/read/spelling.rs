//! Spellings: texts that mean the same value, such as `HIV`, `hiv` and `HIV ` with a blank at its end, or `1`, `1.0` and `01`.
//!
//! If they counted as different values, a class could look more diverse than it is. Two texts are spellings of one value if their
//! [keys](Key) are equal. The key of a text is computed in these steps, which docs/plan.md describes for users:
//!
//! 1. Apply Unicode normalization form NFKC.
//! 2. Remove invisible characters ([`INVISIBLE`]), then white space at both ends.
//! 3. Apply full Unicode case folding.
//! 4. Apply NFKC again.
//! 5. If the result is a number in decimal digits (`[+-]digits[.digits][e[+-]digits]`), the key is that number, exactly: without leading and
//!    trailing zeros, and without a sign if it is zero.
//!
//! A text that means a missing value is not a spelling of anything.

use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, StringArray, UInt32Array};
use arrow_select::take::take;
use rustc_hash::{FxHashMap, FxHashSet};
use unicase::UniCase;
use unicode_normalization::UnicodeNormalization;

use super::intern::{is_text, push_all};
use super::{Interner, Table, texts};
use crate::error::{Error, Result};

/// Invisible characters: soft hyphen, joiners, direction marks, variation selectors, byte order mark.
const INVISIBLE: [RangeInclusive<char>; 9] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{202a}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{feff}',
];

/// The most digits of an exponent. A text with more is not a number.
const MAX_EXPONENT_DIGITS: usize = 9;

/// The key that all spellings of a value share.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    /// A number: whether it is negative, its digits from the first to the last non-zero one, and the power of ten of the last.
    Number(bool, String, i64),
    Text(String),
}

impl Key {
    fn of(text: &str) -> Self {
        let text = if text.is_ascii() {
            text.trim().to_ascii_lowercase()
        } else {
            let seen = |c: &char| !INVISIBLE.iter().any(|range| range.contains(c));
            let normal: String = text.nfkc().filter(seen).collect();
            UniCase::unicode(normal.trim()).to_folded_case().nfkc().collect()
        };
        number(&text).unwrap_or(Key::Text(text))
    }
}

/// The number that a text writes in decimal digits.
fn number(text: &str) -> Option<Key> {
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, exponent) = unsigned.split_once('e').map_or((unsigned, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let exponent = match exponent {
        None => 0,
        Some(exponent) => {
            let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            let short = digits(unsigned) && (1..=MAX_EXPONENT_DIGITS).contains(&unsigned.len());
            exponent.parse::<i64>().ok().filter(|_| short)?
        }
    };
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Some(Key::Number(false, String::new(), 0));
    }
    let zeros = all.len() - all.trim_end_matches('0').len();
    Some(Key::Number(negative, significant.to_owned(), exponent - fraction.len() as i64 + zeros as i64))
}

/// The values of a column that have several spellings.
#[derive(Debug)]
pub(crate) struct Spellings {
    column: String,
    /// The spellings of each value, with their numbers of rows. The first one replaces all others.
    values: Vec<Vec<(String, usize)>>,
}

impl Spellings {
    /// The spellings of a column. Texts in `missing` and the empty text are not spellings. A spelling in the older table `known` comes first,
    /// then the most frequent one, then the first in the order of code points.
    pub(crate) fn of(table: &Table, column: &str, missing: &[String], known: Option<&Table>) -> Result<Self> {
        let missing: FxHashSet<&str> = missing.iter().map(String::as_str).collect();
        let is_value = |text: &str| !text.is_empty() && !missing.contains(text);
        let mut by_key: FxHashMap<Key, Vec<(bool, usize, String)>> = FxHashMap::default();
        let older = known.map(|known| counts(known, column)).transpose()?.unwrap_or_default();
        let older: FxHashMap<&str, usize> = older.iter().map(|(text, rows)| (text.as_str(), *rows)).collect();
        for text in older.keys().filter(|text| is_value(text)) {
            by_key.entry(Key::of(text)).or_default().push((true, 0, (*text).to_owned()));
        }
        for (text, rows) in counts(table, column)? {
            if is_value(&text) {
                let spellings = by_key.entry(Key::of(&text)).or_default();
                spellings.retain(|(_, _, other)| *other != text);
                spellings.push((older.contains_key(text.as_str()), rows, text));
            }
        }
        let mut values: Vec<Vec<(String, usize)>> = Vec::new();
        for mut spellings in by_key.into_values().filter(|spellings| spellings.len() > 1) {
            spellings.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.cmp(&a.1)).then_with(|| a.2.cmp(&b.2)));
            values.push(spellings.into_iter().map(|(_, rows, text)| (text, rows)).collect());
        }
        values.sort();
        Ok(Spellings { column: column.to_owned(), values })
    }

    /// Whether every value has only one spelling.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A remark about the spellings of persons. It shows none of them.
    pub(crate) fn of_persons(&self) -> String {
        let (values, spellings) = (self.values.len(), self.values.iter().map(Vec::len).sum::<usize>());
        format!(
            "column `{}`: {spellings} values differ only in their spelling (case, blanks, form of characters or numbers) and would be {values}; \
             if they name the same persons, classes have fewer persons than are counted: give each person one spelling",
            self.column
        )
    }

    /// A remark about the spellings. It shows two spellings as an example only if both have at least `shown` rows.
    pub(crate) fn remark(&self, folded: bool, shown: usize) -> String {
        let (values, spellings) = (self.values.len(), self.values.iter().map(Vec::len).sum::<usize>());
        let frequent = self.values.iter().find(|spellings| spellings[1].1 >= shown.max(1));
        let example = frequent.map(|all| format!(", `{}` and `{}` for one", all[0].0, all[1].0)).unwrap_or_default();
        let column = &self.column;
        if folded {
            let rows: usize = self.values.iter().flat_map(|all| &all[1..]).map(|(_, rows)| rows).sum();
            let became = if values == 1 { "1 value".to_owned() } else { format!("{values} values") };
            let changed = if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
            return format!(
                "column `{column}`: {spellings} spellings became {became}{example}; {changed} changed (fold)"
            );
        }
        format!(
            "column `{column}`: {spellings} values differ only in their spelling (case, blanks, form of characters or numbers) and \
             would be {values}{example}; privacy models count each as a value of its own, unless fold is asked for"
        )
    }

    /// The table with one spelling of each value.
    pub(crate) fn fold(&self, table: &Table) -> Result<Table> {
        if self.is_empty() {
            return Ok(table.clone());
        }
        let name = &self.column;
        let fail = |e: &dyn ToString| Error::column(name, &e.to_string());
        let mut one: FxHashMap<&str, &str> = FxHashMap::default();
        for all in &self.values {
            one.extend(all.iter().map(|(text, _)| (text.as_str(), all[0].0.as_str())));
        }
        let array = table.column(name)?;
        let texts = texts(array).map_err(|e| fail(&e))?;
        let spelled = |text| *one.get(text).unwrap_or(&text);
        let folded: ArrayRef = if is_text(array.data_type()) {
            let values: StringArray = texts.values().as_string::<i32>().iter().map(|text| text.map(spelled)).collect();
            let same = DictionaryArray::<Int32Type>::try_new(texts.keys().clone(), Arc::new(values));
            let mut interner = Interner::default();
            push_all(&mut interner, &(Arc::new(same.map_err(|e| fail(&e))?) as ArrayRef)).map_err(|e| fail(&e))?;
            interner.finish().map_err(|e| fail(&e))?
        } else {
            // The value of a row that has the chosen spelling replaces the values of all rows with other spellings.
            let values = texts.values().as_string::<i32>();
            let text = |row: u32| texts.key(row as usize).map(|key| values.value(key));
            let rows = 0..table.rows() as u32;
            let mut first: FxHashMap<&str, u32> = FxHashMap::default();
            rows.clone().filter_map(|row| Some((text(row)?, row))).for_each(|(text, row)| {
                first.entry(text).or_insert(row);
            });
            let from = |row: u32| text(row).and_then(|text| first.get(spelled(text))).copied().unwrap_or(row);
            take(array, &UInt32Array::from_iter_values(rows.map(from)), None).map_err(|e| fail(&e))?
        };
        table.with(name, &folded)
    }
}

/// The number of rows with each text of a column.
fn counts(table: &Table, column: &str) -> Result<Vec<(String, usize)>> {
    let texts = texts(table.column(column)?).map_err(|e| Error::column(column, &e))?;
    let values = texts.values().as_string::<i32>();
    let mut counts = vec![0; values.len()];
    texts.keys().iter().flatten().for_each(|key| counts[key as usize] += 1);
    let counted = values.iter().zip(counts).filter(|(_, rows)| *rows > 0);
    Ok(counted.filter_map(|(text, rows)| Some((text?.to_owned(), rows))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_value() {
        for spellings in [
            &["HIV", "hiv", " HIV", "HIV \t", "ＨＩＶ", "HIV\u{a0}", "H\u{200b}IV", "\u{feff}hiv"][..],
            &["Straße", "STRASSE", "strasse"],
            &["Crohn’s", "CROHN’S"],
            &["é", "e\u{301}", "É", "E\u{301}"],
            &["1", "1.0", "01", "+1", "1e0", "10e-1", "0.1E1", "１", "1."],
            &["0", "-0", "0.00", "0e7", ".0"],
            &["-2.50", "-2.5", "-25e-1", "-002.5"],
        ] {
            for other in spellings {
                assert_eq!(Key::of(other), Key::of(spellings[0]), "{other:?}");
            }
        }
    }

    #[test]
    fn different_values() {
        let values = [
            "",
            "a",
            "b",
            "a b",
            "a  b",
            "1",
            "10",
            "0.1",
            "-1",
            "1e",
            "e1",
            ".",
            "+",
            "1.0.0",
            "0x1",
            "inf",
            "nan",
            "10000000000000000",
            "10000000000000001",
            "1,5",
            "1e1000000000",
        ];
        for (place, one) in values.iter().enumerate() {
            for other in &values[place + 1..] {
                assert_ne!(Key::of(one), Key::of(other), "{one:?} {other:?}");
            }
        }
    }

    fn table(values: Vec<Option<&str>>) -> Table {
        let mut interner = Interner::default();
        push_all(&mut interner, &(Arc::new(StringArray::from(values)) as ArrayRef)).unwrap();
        Table::new("t", vec![("x".to_owned(), interner.finish().unwrap())]).unwrap()
    }

    #[test]
    fn the_most_frequent_stands_for_all() {
        let missing = ["NA".to_owned()];
        let rows =
            vec![Some("b"), Some("B"), Some("a "), Some("A"), Some("a "), Some("na"), Some("NA"), None, Some("")];
        let table = table(rows);
        let spellings = Spellings::of(&table, "x", &missing, None).unwrap();
        // Of `B` and `b`, one row each, `B` comes first; `NA` is missing, so `na` has only one spelling.
        let folded = spellings.fold(&table).unwrap();
        let expected = ["B", "B", "a ", "a ", "a ", "na", "NA", "", ""];
        assert_eq!(folded.cells("x", &(0..9).collect::<Vec<_>>()).unwrap(), expected);
        assert!(Spellings::of(&folded, "x", &missing, None).unwrap().is_empty());
    }

    #[test]
    fn an_older_table_has_the_last_word() {
        let (old, new) = (table(vec![Some("HIV")]), table(vec![Some("hiv"), Some("hiv"), Some("Flu"), Some("flu")]));
        let folded = Spellings::of(&new, "x", &[], Some(&old)).unwrap().fold(&new).unwrap();
        assert_eq!(folded.cells("x", &[0, 1, 2, 3]).unwrap(), ["HIV", "HIV", "Flu", "Flu"]);
    }

    #[test]
    fn numbers_that_are_no_texts() {
        let array: ArrayRef = Arc::new(arrow_array::Float64Array::from(vec![0.0, -0.0, 0.0, 1.0]));
        let table = Table::new("t", vec![("x".to_owned(), array)]).unwrap();
        let folded = Spellings::of(&table, "x", &[], None).unwrap().fold(&table).unwrap();
        assert_eq!(folded.cells("x", &[0, 1, 2, 3]).unwrap(), ["0.0", "0.0", "0.0", "1.0"]);
    }

    #[test]
    fn rare_spellings_are_not_shown() {
        let table = table(vec![Some("HIV"), Some("HIV"), Some("hiv")]);
        let spellings = Spellings::of(&table, "x", &[], None).unwrap();
        assert!(!spellings.remark(false, 2).contains("hiv"));
        assert!(spellings.remark(false, 1).contains("`HIV` and `hiv`"));
    }
}
