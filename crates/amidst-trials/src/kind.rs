//! How the values of a column are generalized, written down a second time and as simply as possible.

use std::collections::BTreeSet;

use chrono::{Datelike, NaiveDate};

/// The text that stands for a missing value in the table of [people](crate::people).
pub const MISSING: &str = "?";

/// How a column is generalized.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Ranges of numbers.
    Number,
    /// Ranges of days.
    Day,
    /// Ranges of these categories.
    Ordered(&'static [&'static str]),
    /// Nodes of a tree, by the labels from a leaf to the root.
    Tree(fn(&str) -> Vec<String>),
    /// Sets.
    Set,
    /// One value or a star.
    Suppress,
}

impl Kind {
    /// Where a value stands among others, for kinds with an order.
    pub fn position(self, value: &str) -> Option<f64> {
        match self {
            Kind::Number => value.trim().parse().ok(),
            Kind::Day => {
                let day = NaiveDate::parse_from_str(value.trim(), "%Y-%m-%d").ok()?;
                Some(f64::from(day.num_days_from_ce()))
            }
            Kind::Ordered(order) => order.iter().position(|label| *label == value).map(|place| place as f64),
            Kind::Tree(_) | Kind::Set | Kind::Suppress => None,
        }
    }

    /// What a class with these values must be published as, in a column that has the values `all` in the whole table.
    pub fn closure(self, values: &[&str], all: &[&str]) -> String {
        let distinct: BTreeSet<&str> = values.iter().copied().collect();
        if let (1, Some(one)) = (distinct.len(), distinct.first()) {
            return (*one).to_owned();
        }
        match self {
            Kind::Number | Kind::Day | Kind::Ordered(_) if distinct.contains(MISSING) => "*".to_owned(),
            Kind::Number | Kind::Day | Kind::Ordered(_) => {
                let mut sorted: Vec<&str> = distinct.into_iter().collect();
                let position = |value: &&str| self.position(value).expect("a value of the column");
                sorted.sort_by(|a, b| position(a).total_cmp(&position(b)));
                let (lo, hi) = (sorted[0], sorted[sorted.len() - 1]);
                match self {
                    Kind::Number if !lo.starts_with('-') => format!("[{lo}-{hi}]"),
                    _ => format!("[{lo} - {hi}]"),
                }
            }
            Kind::Tree(labels) => {
                let chains: Vec<Vec<String>> = distinct.iter().map(|value| labels(value)).collect();
                let in_all = |label: &&String| chains.iter().all(|other| other.contains(label));
                chains[0].iter().find(in_all).expect("trees have a root").clone()
            }
            Kind::Set if distinct == all.iter().copied().collect() => "*".to_owned(),
            Kind::Set => {
                let mut members: Vec<&str> = distinct.into_iter().collect();
                members.sort_by_key(|member| (*member != MISSING, *member)); // missing first
                format!("{{{}}}", members.iter().map(|m| member(m)).collect::<Vec<_>>().join(", "))
            }
            Kind::Suppress => "*".to_owned(),
        }
    }

    /// Whether a published text stands for a value, in a column that has the values `all` in the whole table.
    pub fn covers(self, text: &str, value: &str, all: &[&str]) -> bool {
        if text == "*" || text == value {
            return true;
        }
        match self {
            Kind::Number | Kind::Day | Kind::Ordered(_) => {
                let Some(at) = self.position(value) else { return false };
                if self.position(text) == Some(at) {
                    return true;
                }
                let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else { return false };
                let ends = inner.match_indices('-').map(|(dash, _)| (inner[..dash].trim(), inner[dash + 1..].trim()));
                let ends = ends.filter_map(|(lo, hi)| Some((self.position(lo)?, self.position(hi)?)));
                ends.into_iter().any(|(lo, hi)| lo <= at && at <= hi)
            }
            Kind::Tree(labels) => labels(value).iter().any(|label| label == text),
            // A set is compared with how each set with the value is written.
            Kind::Set => {
                let listed: Vec<&str> = all.iter().copied().filter(|other| text.contains(&member(other))).collect();
                text.starts_with('{') && listed.contains(&value)
            }
            Kind::Suppress => false,
        }
    }
}

/// How a value is written in a set.
fn member(value: &str) -> String {
    if value.contains([',', '{', '}', '"']) || value.trim() != value || value.is_empty() {
        format!("\"{}\"", value.replace('"', "\"\""))
    } else {
        value.to_owned()
    }
}
