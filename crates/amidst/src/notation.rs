//! How a generalized value is written, how large numbers are, and what the columns and parts are called that a form adds to a release.
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

/// The endings of the two columns that bounds are published in.
pub const BOUNDS: [&str; 2] = ["_min", "_max"];

/// The column with the number of a row's group, in forms that have one.
pub const GROUP: &str = "group";

/// The column with a row's place among those of its group, in rings.
pub const PLACE: &str = "place";

/// The column that says how many rows of its ring everybody fits.
pub const WINDOW: &str = "window";

/// The column that says how often a value occurs.
pub const COUNT: &str = "count";

/// The part of a release with the sensitive values of each group.
pub const SENSITIVE: &str = "sensitive";

/// The part of a release that says which columns belong together.
pub const SLICES: &str = "slices";

/// The column of that part with the names of columns.
pub const COLUMN: &str = "column";

/// The column of that part with the numbers of the sets they are in.
pub const SLICE: &str = "slice";

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

/// 1234567 as `1,234,567`.
pub(crate) fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap_or_default()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
