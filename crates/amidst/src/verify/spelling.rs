//! The folding of spellings of sensitive values, as docs/plan.md describes it, written a second time for the verification.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::Int32Type;
use rustc_hash::FxHashMap;
use unicase::UniCase;
use unicode_normalization::UnicodeNormalization;

use super::reading::{distinct, text, texts};
use crate::error::{Error, Result};
use crate::plan::{Plan, Role};
use crate::read::Table;

/// The table with one spelling of each sensitive value: the spelling in `older`, otherwise the most frequent, and of several the first.
pub(super) fn folded(table: &Table, plan: &Plan, older: Option<&Table>) -> Result<Table> {
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    for name in table.names() {
        let is_sensitive = plan.columns.get(name).is_some_and(|column| column.role == Role::Sensitive);
        let column = if is_sensitive { folded_column(table, plan, older, name)? } else { table.column(name)?.clone() };
        columns.push((name.to_owned(), column));
    }
    Table::new(table.name(), columns)
}

fn folded_column(table: &Table, plan: &Plan, older: Option<&Table>, name: &str) -> Result<ArrayRef> {
    let values = texts(table, name)?;
    let is_value = |text: &str| !text.is_empty() && !plan.input.missing.iter().any(|missing| missing == text);
    // The rank of each spelling of a value: whether `older` has it, then its number of rows.
    let mut spellings: FxHashMap<String, BTreeMap<&str, (bool, usize)>> = FxHashMap::default();
    let older = older.map(|older| texts(older, name)).transpose()?;
    for text in older.iter().flat_map(distinct).flatten().filter(|text| is_value(text)) {
        spellings.entry(key(text)).or_default().insert(text, (true, 0));
    }
    let keys: Vec<Option<String>> =
        distinct(&values).iter().map(|text| text.filter(|text| is_value(text)).map(key)).collect();
    for row in 0..values.len() {
        if let (Some(place), Some(text)) = (values.key(row), text(&values, row))
            && let Some(key) = &keys[place]
        {
            spellings.entry(key.clone()).or_default().entry(text).or_default().1 += 1;
        }
    }
    let chosen: FxHashMap<String, &str> = spellings
        .into_iter()
        .filter_map(|(key, spellings)| {
            // `max_by_key` returns the last of several maxima, so the order is reversed to get the first.
            let best = spellings.iter().rev().max_by_key(|(_, goodness)| **goodness)?;
            Some((key, *best.0))
        })
        .collect();
    let mut folded: StringDictionaryBuilder<Int32Type> = StringDictionaryBuilder::new();
    for row in 0..values.len() {
        let key = values.key(row).and_then(|place| keys[place].as_ref());
        let text = key.and_then(|key| chosen.get(key).copied()).or(text(&values, row));
        match text {
            Some(text) => drop(folded.append(text).map_err(|e| Error::internal(name, &e))?),
            None => folded.append_null(),
        }
    }
    Ok(Arc::new(folded.finish()))
}

/// The key that all spellings of a value share.
fn key(text: &str) -> String {
    let is_seen = |c: &char| !matches!(*c as u32, 0xad | 0x34f | 0x61c | 0x180b..=0x180f | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0xfe00..=0xfe0f | 0xfeff);
    let seen: String = text.nfkc().filter(is_seen).collect();
    let folded: String = UniCase::unicode(seen.trim()).to_folded_case().nfkc().collect();
    number(&folded).unwrap_or(folded)
}

/// The key of a number in decimal digits: ` -digits e power`, without leading or trailing zeros. Keys of texts never begin with a blank.
fn number(text: &str) -> Option<String> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, power) = match unsigned.split_once('e') {
        None => (unsigned, 0),
        Some((mantissa, power)) => {
            let digits = power.strip_prefix(['-', '+']).unwrap_or(power);
            if !(1..=9).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            (mantissa, power.parse::<i64>().ok()?)
        }
    };
    let point = mantissa.find('.').unwrap_or(mantissa.len());
    let digits = mantissa.replacen('.', "", 1);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let Some(first) = digits.find(|digit| digit != '0') else { return Some(" 0".to_owned()) };
    let significant = digits[first..].trim_end_matches('0');
    // The power of ten of the last non-zero digit.
    let power = power + point as i64 - (first + significant.len()) as i64;
    let sign = if text.starts_with('-') { "-" } else { "" };
    Some(format!(" {sign}{significant}e{power}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_value_have_one_key() {
        for alike in [
            &["HIV", "hiv", " HIV ", "\u{ff28}IV", "H\u{ad}IV"][..],
            &["1", "1.0", "01", "+1", "1e0", "10e-1", "0.1e1", "1."],
            &["0", "-0", "0.00", "0e5"],
            &["-120", "-1.2e2", "-0120.0"],
            &["Straße", "STRASSE", "straße"],
        ] {
            assert!(alike.iter().all(|text| key(text) == key(alike[0])), "{alike:?}");
        }
        for apart in [("1", "-1"), ("1", "10"), ("1e1", "1e2"), ("1.2.3", "1.23"), ("e5", "0"), ("0e0x", "0")] {
            assert_ne!(key(apart.0), key(apart.1), "{apart:?}");
        }
    }
}
