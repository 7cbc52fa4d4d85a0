//! The text of generalized values, and the names of columns and parts that a form adds to a release.
//!
//! | closure | text |
//! |---|---|
//! | one value | the value |
//! | numbers from 25 to 30 | `[25-30]`; `[-5 - 10]` when a bound is negative |
//! | numbers or dates without an upper or a lower end | `>=90`, `<=18`, `<0` |
//! | a bin of numbers with fractions, without its upper end | `[0, 1000)` |
//! | dates, ordered categories | `[2020-01-31 - 2020-03-01]`, `[HS-grad - Masters]` |
//! | a node of a taxonomy | the node's label |
//! | a set | `{Private, State-gov}`; a value with a comma, brace or quote is in quotes |
//! | everything | `*` |
//!
//! The verification has its own parser for these texts and its own names.

/// The text for any value of a column, missing ones included.
pub const EVERYTHING: &str = "*";

/// The suffixes of the two columns that hold bounds.
pub const BOUNDS: [&str; 2] = ["_min", "_max"];

/// The column with the number of a row's group.
pub const GROUP: &str = "group";

/// The column with the place of a row in its ring.
pub const PLACE: &str = "place";

/// The column with the number of rows of a ring that fit each record.
pub const WINDOW: &str = "window";

/// The column with the number of records that have a value.
pub const COUNT: &str = "count";

/// The part with the sensitive values of each group.
pub const SENSITIVE: &str = "sensitive";

/// The part that says which columns belong together.
pub const SLICES: &str = "slices";

/// The column of the part `slices` with the names of columns.
pub const COLUMN: &str = "column";

/// The column of the part `slices` with the numbers of slices.
pub const SLICE: &str = "slice";

/// The text of the numbers from `lo` to `hi`.
pub fn numbers(lo: &str, hi: &str) -> String {
    if lo.starts_with('-') { labels(lo, hi) } else { format!("[{lo}-{hi}]") }
}

/// The text of the labels from `lo` to `hi`, in the order of their column.
pub fn labels(lo: &str, hi: &str) -> String {
    format!("[{lo} - {hi}]")
}

/// The text of the numbers from `lo` on.
pub fn from(lo: &str) -> String {
    format!(">={lo}")
}

/// The text of the numbers up to `hi`.
pub fn up_to(hi: &str) -> String {
    format!("<={hi}")
}

/// The text of the numbers below `hi`.
pub fn below(hi: &str) -> String {
    format!("<{hi}")
}

/// The text of the numbers from `lo` to `hi` without `hi` itself.
pub fn half_open(lo: &str, hi: &str) -> String {
    format!("[{lo}, {hi})")
}

/// Things in a sentence: `a`, `a and b`, `a, b and c`.
pub fn listed(things: &[String]) -> String {
    match things {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

/// The text of a set of labels.
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

/// A number with thousands separators: 1234567 as `1,234,567`.
pub(crate) fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap_or_default()).collect();
    groups.join(",")
}

/// A share as a percentage, rounded alike everywhere: 0.0347 as `3.5 %`. Only nothing is shown as 0 %, and only everything as 100 %.
pub(crate) fn percent(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".to_owned(),
        100.0 => "100 %".to_owned(),
        p if p.abs() < 0.01 => "below 0.01 %".to_owned(),
        p if p.abs() < 1.0 => format!("{p:.2} %"),
        p if (99.95..100.0).contains(&p) => "over 99.9 %".to_owned(),
        p => format!("{p:.1} %"),
    }
}

/// A share that is a limit: 0.0347 as `at most 3.5 %`, and 0.00001 as `below 0.01 %`.
pub(crate) fn at_most(share: f64) -> String {
    let told = percent(share);
    if told.starts_with("below") { told } else { format!("at most {told}") }
}

/// A level or a limit with up to three decimals: 2.5 as `2.5`.
pub(crate) fn decimals(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        let shown = [0.0, 0.00001, 0.002, 0.0347, 0.1, 0.5, 0.9996, 1.0, 2.5].map(percent);
        let expected =
            ["0 %", "below 0.01 %", "0.20 %", "3.5 %", "10.0 %", "50.0 %", "over 99.9 %", "100 %", "250.0 %"];
        assert_eq!(shown, expected);
        assert_eq!([2.0, 2.5, 0.1234, 10.0].map(decimals), ["2", "2.5", "0.123", "10"]);
    }

    #[test]
    fn thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
