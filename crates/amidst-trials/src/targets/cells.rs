//! Any text as a cell, in a column of any values; and what is written, read back.
//!
//! Some texts can be written in two ways where values have dashes and blanks in them; those are left out.

use amidst::internals::notation;
use amidst::internals::schema::{Coding, Form, Quasi};
use amidst::internals::verify::{Cell, CellReader};
use amidst::plan::{Decimal, Number};

use super::Script;

/// More values teach nothing more, and pairs of them are many.
const MOST: usize = 4;

pub(super) fn run(bytes: &[u8]) {
    let mut script = Script(bytes);
    let choice = script.byte();
    let text = String::from_utf8_lossy(script.until(b'\n')).into_owned();
    let mut values = script.lines();
    values.truncate(MOST);
    let mut distinct: Vec<String> = Vec::new();
    for value in values {
        if value != "*" && !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    let form = match choice % 8 {
        0 => Form::Range(Some(Number::Integer), String::new(), Decimal::Point),
        1 => Form::Range(Some(Number::Decimal), String::new(), Decimal::Point),
        2 => Form::Range(Some(Number::Date), "%Y-%m-%d".to_owned(), Decimal::Point),
        3 => Form::Range(None, "%Y-%m-%d".to_owned(), Decimal::Point),
        4 => Form::Ordered(Some(distinct.clone())),
        5 => Form::Ordered(None),
        6 => Form::Set,
        _ => Form::Suppress,
    };
    let quasi = Quasi { name: "x".to_owned(), form, weight: 1.0, show: None, coding: Coding::default() };
    let reader = CellReader::new((&quasi.form).into(), distinct.iter().map(String::as_str));
    reader.read(&text);
    assert_eq!(reader.read("*"), Cell::Everything);
    for value in &distinct {
        assert_eq!(reader.read(value), Cell::One(value.clone()));
    }
    match &quasi.form {
        Form::Range(Some(Number::Integer), ..) => whole(&reader, &distinct),
        Form::Range(Some(Number::Decimal), ..) => decimal(&reader, &distinct),
        Form::Ordered(Some(order)) => ordered(&reader, order),
        Form::Set => sets(&reader, &distinct),
        _ => {}
    }
}

/// Pairs of values, the lower first, as places.
fn pairs(length: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..length).flat_map(move |hi| (0..hi).map(move |lo| (lo, hi)))
}

fn between(lo: &str, hi: &str) -> Cell {
    Cell::Between(lo.to_owned(), hi.to_owned())
}

fn whole(reader: &CellReader, values: &[String]) {
    let mut numbers: Vec<i64> = values.iter().filter_map(|value| value.trim().parse().ok()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    ranges(reader, values, &numbers);
}

fn decimal(reader: &CellReader, values: &[String]) {
    let numbers = values.iter().filter_map(|value| value.trim().parse().ok()).filter(|number: &f64| number.is_finite());
    let mut numbers: Vec<f64> = numbers.map(|number| number + 0.0).collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    ranges(reader, values, &numbers);
}

/// Every range between two of these numbers is read as it was written.
fn ranges(reader: &CellReader, values: &[String], numbers: &[impl ToString]) {
    for (lo, hi) in pairs(numbers.len()) {
        let (lo, hi) = (numbers[lo].to_string(), numbers[hi].to_string());
        let text = notation::numbers(&lo, &hi);
        if !values.contains(&text) {
            assert_eq!(reader.read(&text), between(&lo, &hi), "{text}");
        }
    }
}

fn ordered(reader: &CellReader, order: &[String]) {
    let written: Vec<_> =
        pairs(order.len()).map(|(lo, hi)| (notation::labels(&order[lo], &order[hi]), &order[lo], &order[hi])).collect();
    // `[a - a]` is never written, but could be what such a text says.
    let same = |text: &str| order.iter().any(|label| notation::labels(label, label) == text);
    // A dash without blanks around it is a dash, too, and blanks around a label are dropped there.
    let otherwise = |text: &str, meant: (&str, &str)| {
        let inner = &text[1..text.len() - 1];
        let mut splits = inner.match_indices('-').map(|(at, _)| (inner[..at].trim(), inner[at + 1..].trim()));
        let known = |label: &str| order.iter().any(|other| other == label);
        splits.any(|(lo, hi)| known(lo) && known(hi) && (lo, hi) != meant)
    };
    // Where labels begin or end with what stands between them it is open where the dash is.
    let bare = |label: &str| label.trim_matches([' ', '-']) == label;
    for (text, lo, hi) in written.iter().filter(|(_, lo, hi)| bare(lo) && bare(hi)) {
        let once = written.iter().filter(|(other, ..)| other == text).count() == 1;
        if once && !same(text) && !otherwise(text, (lo, hi)) && !order.contains(text) {
            assert_eq!(reader.read(text), between(lo, hi), "{text}");
        }
    }
}

fn sets(reader: &CellReader, values: &[String]) {
    for mask in 0_u32..1 << values.len() {
        let members = || values.iter().enumerate().filter(|(place, _)| mask >> place & 1 == 1).map(|(_, value)| value);
        let text = notation::set(members().map(String::as_str));
        if members().count() > 1 && !values.contains(&text) {
            assert_eq!(reader.read(&text), Cell::OneOf(members().cloned().collect()), "{text}");
        }
    }
}
