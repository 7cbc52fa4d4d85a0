//! How a generalized value is written.
//!
//! | closure | written |
//! |---|---|
//! | one value | the value |
//! | numbers from 25 to 30 | `[25-30]`; `[-5 - 10]` when a bound is negative |
//! | dates, ordered categories | `[2020-01-31 - 2020-03-01]`, `[HS-grad - Masters]` |
//! | a node of a taxonomy | the node's label |
//! | a set | `{Private, State-gov}`; a value with a comma, brace or quote in it stands in quotes |
//! | everything | `*` |
//!
//! The verification reads these with code of its own.

/// Stands for every value of a column, missing ones included.
pub const EVERYTHING: &str = "*";

/// Numbers from `lo` to `hi`.
pub fn numbers(lo: &str, hi: &str) -> String {
    if lo.starts_with('-') { labels(lo, hi) } else { format!("[{lo}-{hi}]") }
}

/// Labels from `lo` to `hi` in the order of their column.
pub fn labels(lo: &str, hi: &str) -> String {
    format!("[{lo} - {hi}]")
}

/// A set of labels.
pub fn set<'a>(members: impl Iterator<Item = &'a str>) -> String {
    let members: Vec<&str> = members.collect();
    match members.as_slice() {
        [one] => (*one).to_owned(),
        many => format!("{{{}}}", many.iter().map(|m| member(m)).collect::<Vec<_>>().join(", ")),
    }
}

fn member(label: &str) -> String {
    let plain = !label.contains(['{', '}', ',', '"']) && label.trim() == label && !label.is_empty();
    if plain { label.to_owned() } else { format!("\"{}\"", label.replace('"', "\"\"")) }
}
