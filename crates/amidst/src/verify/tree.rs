//! Hierarchies over the values of a column, read from the plan a second time for the verification.
//!
//! A tree is a list of paths from leaf to root. Lines and nested tables contain the paths. Builders derive them from the values of the column.
//! Leaves are sorted by their paths, so that the leaves below a node are consecutive.

use std::fs;
use std::io::Read;
use std::path::Path;

use chrono::{Datelike, NaiveDateTime};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{builtin, moment};
use crate::error::{Error, Result};
use crate::plan::{CalendarUnit, InlineTree, Tree};

/// A tree over the values of a column.
#[derive(Debug)]
pub(super) struct Branches {
    /// The nodes. The root is the first, and every node comes after its parent.
    pub nodes: Vec<Node>,
    /// The node of each leaf, in the order of their paths.
    leaves: Vec<usize>,
    /// The place of each leaf in that order.
    places: FxHashMap<String, u32>,
    /// The nodes by their published label.
    published: FxHashMap<String, usize>,
    /// The leaves that are never published by themselves.
    hidden: FxHashSet<String>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub parent: Option<usize>,
    /// The length of the longest path down to a leaf.
    pub level: u32,
    /// The places of the first and the last leaf below it.
    pub leaves: (u32, u32),
}

impl Branches {
    /// The tree over the distinct `values` of a column. If the tree lacks the text `missing`, it becomes a leaf directly below the root. Dates
    /// are in the given format.
    pub(super) fn new(tree: &Tree, values: &[&str], missing: Option<&str>, format: &str) -> Result<Self> {
        let mut paths = match tree {
            Tree::File(file) => written(&file_text(file)?, file.extension().is_some_and(|e| e == "toml"))?,
            Tree::Inline(InlineTree::Lines(text)) => written(text, false)?,
            Tree::Inline(InlineTree::Nested(value)) => nested(value),
            Tree::Inline(InlineTree::Widths(widths)) => ranges(values, widths)?,
            Tree::Inline(InlineTree::Dates(units)) => calendar(values, units, format)?,
            Tree::Inline(InlineTree::Mask(counts)) => masked(values, counts),
            Tree::Inline(InlineTree::Builtin(tree)) => builtin::paths(*tree, values),
            Tree::Inline(InlineTree::Flat(root)) => {
                values.iter().map(|value| vec![(*value).to_owned(), root.clone()]).collect()
            }
        };
        let root = paths.first().and_then(|path| path.last()).cloned().ok_or_else(|| odd("it has no leaves"))?;
        if let Some(missing) = missing
            && !paths.iter().any(|path| path[0] == missing)
        {
            paths.insert(0, vec![missing.to_owned(), root]);
        }
        let mut branches = Self::from_paths(&paths)?;
        if let Tree::Inline(InlineTree::Builtin(tree)) = tree {
            branches.hidden =
                values.iter().filter(|value| builtin::hides(*tree, value)).map(|v| (*v).to_owned()).collect();
        }
        Ok(branches)
    }

    /// Whether a cell must not have this text, because only a node above it may be published.
    pub(super) fn hides(&self, text: &str) -> bool {
        self.hidden.contains(text)
    }

    fn from_paths(paths: &[Vec<String>]) -> Result<Self> {
        // Distance from the root and label identify a node.
        let mut nodes: Vec<(Option<usize>, &str)> = Vec::new();
        let mut known: FxHashMap<(usize, &str), usize> = FxHashMap::default();
        let mut children: Vec<FxHashSet<usize>> = Vec::new();
        let mut ways: Vec<Vec<usize>> = Vec::new();
        for path in paths {
            let mut way = Vec::new();
            for (depth, label) in path.iter().rev().enumerate() {
                let parent = way.last().copied();
                let node = *known.entry((depth, label)).or_insert_with(|| {
                    nodes.push((parent, label));
                    children.push(FxHashSet::default());
                    nodes.len() - 1
                });
                if nodes[node].0 != parent || depth == 0 && node != 0 {
                    return Err(odd(&format!("`{label}` stands below two different nodes")));
                }
                parent.map(|parent| children[parent].insert(node));
                way.push(node);
            }
            ways.push(way);
        }
        ways.sort_unstable();
        let labels: Vec<&str> = nodes.iter().map(|(_, label)| *label).collect();
        let end = |way: &Vec<usize>| way.last().copied().unwrap_or_default();
        let leaves: Vec<usize> = ways.iter().map(end).collect();
        let places: FxHashMap<String, u32> = leaves.iter().map(|leaf| labels[*leaf].to_owned()).zip(0..).collect();
        if places.len() < leaves.len() {
            return Err(odd("a leaf stands in it twice"));
        }
        let mut nodes: Vec<Node> =
            nodes.into_iter().map(|(parent, _)| Node { parent, level: 0, leaves: (u32::MAX, 0) }).collect();
        for (way, place) in ways.iter().zip(0..) {
            for (node, level) in way.iter().rev().zip(0..) {
                let node = &mut nodes[*node];
                node.level = node.level.max(level);
                node.leaves = (node.leaves.0.min(place), node.leaves.1.max(place));
            }
        }
        // Leaves and branching nodes get their labels first. A later node whose label is taken gets a number after its label.
        let mut published: FxHashMap<String, usize> =
            leaves.iter().map(|leaf| (labels[*leaf].to_owned(), *leaf)).collect();
        for node in (0..nodes.len()).filter(|node| children[*node].len() > 1) {
            let mut text = labels[node].to_owned();
            let mut level = 1;
            while published.contains_key(&text) {
                text = format!("{} (level {level})", labels[node]);
                level += 1;
            }
            published.insert(text, node);
        }
        // Other tools publish nodes that do not branch, too.
        for (node, label) in labels.iter().enumerate() {
            published.entry((*label).to_owned()).or_insert(node);
        }
        Ok(Branches { nodes, leaves, places, published, hidden: FxHashSet::default() })
    }

    /// The place of a leaf.
    pub(super) fn leaf(&self, text: &str) -> Option<u32> {
        self.places.get(text).copied()
    }

    /// The places of the first and the last leaf below the node that is published as `text`.
    pub(super) fn below(&self, text: &str) -> Option<(u32, u32)> {
        self.published.get(text).map(|node| self.nodes[*node].leaves)
    }

    /// The node that is published as `text`.
    pub(super) fn labelled(&self, text: &str) -> Option<usize> {
        self.published.get(text).copied()
    }

    /// The lowest node above both a node and the leaf at a place.
    pub(super) fn above(&self, mut node: usize, place: u32) -> usize {
        let covers = |node: usize| (self.nodes[node].leaves.0..=self.nodes[node].leaves.1).contains(&place);
        while !covers(node) {
            let Some(parent) = self.nodes[node].parent else { break };
            node = parent;
        }
        node
    }

    /// The node of the leaf at a place.
    pub(super) fn node(&self, place: u32) -> usize {
        self.leaves[place as usize]
    }

    /// The parent of a leaf, or the leaf itself if its parent is the root.
    pub(super) fn group(&self, place: u32) -> usize {
        let leaf = self.node(place);
        match self.nodes[leaf].parent {
            Some(parent) if self.nodes[parent].parent.is_some() => parent,
            _ => leaf,
        }
    }
}

fn odd(problem: &str) -> Error {
    let hierarchy = "a hierarchy, as the verification reads it".to_owned();
    Error::Hierarchy { hierarchy, line: None, problem: problem.to_owned() }
}

fn file_text(file: &Path) -> Result<String> {
    let failed = |e| Error::read(&file.display(), e);
    let bytes = fs::read(file).map_err(failed)?;
    let mut text = String::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_string(&mut text).map_err(failed)?;
    } else {
        bytes.as_slice().read_to_string(&mut text).map_err(failed)?;
    }
    Ok(text)
}

/// Reads paths from lines of `leaf;…;root`, or from TOML.
fn written(text: &str, is_toml: bool) -> Result<Vec<Vec<String>>> {
    if is_toml {
        return toml::from_str::<toml::Value>(text).map(|value| nested(&value)).map_err(|e| odd(&e.to_string()));
    }
    let mut lines = csv::ReaderBuilder::new();
    lines.delimiter(b';').has_headers(false).flexible(true).trim(csv::Trim::All);
    let paths = lines.from_reader(text.as_bytes()).into_deserialize().collect::<Result<Vec<Vec<String>>, _>>();
    paths.map_err(|e| odd(&e.to_string()))
}

/// Reads paths from a nested value. Tables are nodes, everything else is a leaf.
fn nested(value: &toml::Value) -> Vec<Vec<String>> {
    match value {
        toml::Value::Table(table) => {
            let below = |(label, value): (&String, &toml::Value)| {
                let mut paths = nested(value);
                paths.iter_mut().for_each(|path| path.push(label.clone()));
                paths
            };
            table.iter().flat_map(below).collect()
        }
        toml::Value::Array(items) => items.iter().flat_map(nested).collect(),
        toml::Value::String(leaf) => vec![vec![leaf.clone()]],
        leaf => vec![vec![leaf.to_string()]],
    }
}

/// Paths from leaf to root, sorted by key. `above` gives the labels between a value and the root.
fn built<K: PartialOrd>(mut values: Vec<(K, &str)>, above: impl Fn(&K, &str) -> Vec<String>) -> Vec<Vec<String>> {
    values.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal));
    let path = |(key, text): (K, &str)| {
        let mut path = vec![text.to_owned()];
        path.extend(above(&key, text));
        path.push("*".to_owned());
        path
    };
    values.into_iter().map(path).collect()
}

/// Paths of numbers by ranges of each width: `[20-29]` for whole numbers, `[0.5, 1)` for others.
fn ranges(values: &[&str], widths: &[f64]) -> Result<Vec<Vec<String>>> {
    let number = |text: &&'_ str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let numbers: Option<Vec<f64>> = values.iter().map(number).collect();
    let numbers = numbers.ok_or_else(|| odd("widths are for numbers"))?;
    let whole = numbers.iter().chain(widths).all(|number| number.fract() == 0.0);
    let label = |value: f64, width: f64| {
        if !whole {
            // The largest multiple that is not above the value. The quotient alone could be rounded past it.
            let near = (value / width).round();
            let below = |multiple: &f64| multiple * width <= value;
            let multiple = [near + 1.0, near, near - 1.0].into_iter().find(below).unwrap_or(near);
            return format!("[{}, {})", multiple * width, (multiple + 1.0) * width);
        }
        let first = value - value.rem_euclid(width);
        let last = first + (width - 1.0);
        match () {
            () if width <= 1.0 => format!("{first}"),
            () if first < 0.0 => format!("[{first} - {last}]"),
            () => format!("[{first}-{last}]"),
        }
    };
    let values = numbers.into_iter().zip(values.iter().copied()).collect();
    Ok(built(values, |value, _| widths.iter().map(|width| label(*value, *width)).collect()))
}

/// Paths of dates by calendar units: `2024-03`, `2024-Q1`, `2024`, `2020s`.
fn calendar(values: &[&str], units: &[CalendarUnit], format: &str) -> Result<Vec<Vec<String>>> {
    let day = |text: &&str| moment::said(text, format).map(|said| said.shown);
    let days: Option<Vec<NaiveDateTime>> = values.iter().map(day).collect();
    let days = days.ok_or_else(|| odd("calendar units are for dates"))?;
    let label = |day: &NaiveDateTime, unit: &CalendarUnit| match unit {
        CalendarUnit::Day => format!("{:04}-{:02}-{:02}", day.year(), day.month(), day.day()),
        CalendarUnit::Month => day.format("%Y-%m").to_string(),
        CalendarUnit::Quarter => {
            let quarter = match day.month() {
                1..=3 => 1,
                4..=6 => 2,
                7..=9 => 3,
                _ => 4,
            };
            format!("{}-Q{quarter}", day.year())
        }
        CalendarUnit::Year => day.year().to_string(),
        CalendarUnit::Decade => format!("{}s", day.year() - day.year().rem_euclid(10)),
    };
    let days = days.into_iter().zip(values.iter().copied()).map(|(day, text)| ((day, text), text)).collect();
    Ok(built(days, |(day, _), _| units.iter().map(|unit| label(day, unit)).collect()))
}

/// A text whose last characters are masked.
pub(super) fn mask(text: &str, count: u32) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.is_empty() && count > 0 {
        return "*".to_owned();
    }
    let kept = letters.len().saturating_sub(count as usize);
    letters[..kept].iter().copied().chain(letters[kept..].iter().map(|_| '*')).collect()
}

/// Paths of texts by masked endings: `7527*`, `752**`.
fn masked(values: &[&str], counts: &[u32]) -> Vec<Vec<String>> {
    let values = values.iter().map(|text| (*text, *text)).collect();
    built(values, |_, text| counts.iter().map(|count| mask(text, *count)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::Hierarchy;
    use crate::plan::BuiltinTree;

    /// The other reading of the same tree, which makes releases, has the same leaves below every text that may be published.
    fn agree(tree: &Tree, values: &[&str], missing: Option<&str>) {
        let own = Branches::new(tree, values, missing, "%Y-%m-%d").unwrap();
        let other = Hierarchy::new(tree, values, missing, "%Y-%m-%d").unwrap();
        assert_eq!(own.places.len(), other.leaves());
        for (text, place) in &own.places {
            assert_eq!(other.code(text), Some(*place), "{text}");
        }
        for (text, place) in &own.published {
            let node = &own.nodes[*place];
            let Some(found) = other.node(text) else {
                assert_eq!(own.nodes.iter().filter(|below| below.parent == Some(*place)).count(), 1, "{text}");
                continue;
            };
            assert_eq!((found.lo, found.hi, found.level), (node.leaves.0, node.leaves.1, node.level), "{text}");
        }
    }

    #[test]
    fn both_readings_of_a_tree_agree() {
        let lines = |text: &str| Tree::Inline(InlineTree::Lines(text.to_owned()));
        agree(&lines("a;x;*\nb;y;*\nc;x;*\n"), &[], None);
        agree(&lines("a;*\r\nb;y;*\r\n\r\nc;y;*\r\n"), &[], Some("?"));
        agree(&lines("x;x;*\nb;x;*\nc;c;*\n"), &[], None);
        agree(&lines("p;a;a;*\nq;a;a;*\nr;b;a;*\ns;d;c;*\nt;e;c;*"), &[], None);
        agree(&lines("\"a;b\";x;*\nb;x;*"), &[], Some("b"));
        let nested: toml::Value = toml::from_str("\"*\" = [\"a\", { y = [\"b\", 3, { z = [1.5, true] }] }]").unwrap();
        agree(&Tree::Inline(InlineTree::Nested(nested)), &[], Some(""));
        let numbers = ["3", "12", "7", "-1", "-10", "-5", "100", "3.0"];
        agree(&Tree::Inline(InlineTree::Widths(vec![1.0, 5.0, 10.0])), &numbers, Some("?"));
        agree(
            &Tree::Inline(InlineTree::Widths(vec![0.1, 0.5])),
            &["0.2", "0.4", "0.5", "-0.3", "7", "0.7", "0.6", "0.3"],
            None,
        );
        let days = ["2020-01-31", "2020-03-01", "2020-01-02", "2021-12-01", "2019-05-05", "2020-10-10", "1969-07-01"];
        let units = vec![
            CalendarUnit::Day,
            CalendarUnit::Month,
            CalendarUnit::Quarter,
            CalendarUnit::Year,
            CalendarUnit::Decade,
        ];
        agree(&Tree::Inline(InlineTree::Dates(units)), &days, None);
        agree(&Tree::Inline(InlineTree::Mask(vec![1, 2, 4])), &["75275", "75274", "75200", "10001", "äöü"], None);
        agree(&Tree::Inline(InlineTree::Mask(vec![1, 2])), &["", "7", "10"], None);
        agree(&Tree::Inline(InlineTree::Flat("any".to_owned())), &["p", "q"], None);
        let builtin = |tree, values: &[&str]| agree(&Tree::Inline(InlineTree::Builtin(tree)), values, Some("?"));
        builtin(BuiltinTree::Icd10, &["I21", "I21.0", "i219", "E11.90", "E11.91", "D48.9", "B99", "U99.0!", "Z03"]);
        builtin(BuiltinTree::Icd10cm, &["C7A.00", "C78.0", "M1A.0", "O9A.1", "S52.521A", "D3A.01", "I1A.0", "Z3A.2"]);
        builtin(BuiltinTree::Countries, &["DE", "deu", "Germany", "AQ", "United-States", "NA", "Côte d'Ivoire", "BR"]);
        builtin(BuiltinTree::UsZip, &["02139", "02139-4307", "00901", "96910", "75275", "75001", "09012"]);
        builtin(BuiltinTree::Isco, &["2211", "2212", "2221", "0110", "22", "1"]);
        builtin(BuiltinTree::Naics, &["334111", "3341", "31-33", "44-45", "541511", "92"]);
        builtin(BuiltinTree::Soc, &["11-1011", "111021", "15-1252", "55-1011"]);
        builtin(BuiltinTree::AgeBands, &["0", "17", "39", "79", "80", "89", "90", "101"]);
    }

    #[test]
    fn labels_say_what_they_cover() {
        let below = |tree: InlineTree, values: &[&str], text: &str| {
            let branches = Branches::new(&Tree::Inline(tree), values, None, "%Y-%m-%d").unwrap();
            let (first, last) = branches.below(text)?;
            let mut covered: Vec<&str> =
                values.iter().copied().filter(|v| (first..=last).contains(&branches.leaf(v).unwrap())).collect();
            covered.sort_unstable();
            Some(covered.join(" "))
        };
        let ages = ["20", "24", "29", "30"];
        assert_eq!(below(InlineTree::Widths(vec![10.0]), &ages, "[20-29]").as_deref(), Some("20 24 29"));
        assert_eq!(below(InlineTree::Widths(vec![10.0]), &ages, "[20-28]"), None);
        let days = ["2020-03-31", "2020-04-01", "2020-06-30", "2020-12-31"];
        let quarters = || InlineTree::Dates(vec![CalendarUnit::Quarter]);
        assert_eq!(below(quarters(), &days, "2020-Q2").as_deref(), Some("2020-04-01 2020-06-30"));
        assert_eq!(below(quarters(), &days, "2020-Q0"), None);
    }
}
