//! Any lines, any nested tables, and every builder over any values.
//!
//! Where there is a tree, its nodes are ranges of leaves, two leaves have one lowest node above them, and what is published as its text
//! is read as that node again. Ranges of numbers name the numbers below them.

use amidst::internals::hierarchy::Hierarchy;
use amidst::plan::{CalendarUnit, InlineTree, Tree};

use super::Script;

/// More leaves teach nothing more, and pairs of them are many.
const MOST: u32 = 24;

pub(super) fn run(bytes: &[u8]) {
    let mut script = Script(bytes);
    let choice = script.byte();
    let parameters = String::from_utf8_lossy(script.until(b'\n')).into_owned();
    let numbers = || parameters.split(',').map(str::trim);
    let (tree, values) = match choice % 6 {
        0 => (InlineTree::Lines(script.lines().join("\n")), Vec::new()),
        1 => {
            let text = script.lines().join("\n");
            let Ok(value) = toml::from_str::<toml::Value>(&text) else { return };
            (InlineTree::Nested(value), Vec::new())
        }
        2 => (InlineTree::Widths(numbers().filter_map(|n| n.parse().ok()).collect()), script.lines()),
        3 => {
            let unit = |text: &str| match text {
                "month" => Some(CalendarUnit::Month),
                "quarter" => Some(CalendarUnit::Quarter),
                "year" => Some(CalendarUnit::Year),
                "decade" => Some(CalendarUnit::Decade),
                _ => None,
            };
            (InlineTree::Dates(numbers().filter_map(unit).collect()), script.lines())
        }
        4 => (InlineTree::Mask(numbers().filter_map(|n| n.parse().ok()).collect()), script.lines()),
        _ => (InlineTree::Flat(parameters.clone()), script.lines()),
    };
    let mut values: Vec<&str> = values.iter().map(String::as_str).collect();
    values.sort_unstable();
    values.dedup();
    let missing = (choice & 64 > 0).then_some("?");
    let ranges = matches!(tree, InlineTree::Widths(_));
    let Ok(tree) = Hierarchy::new(&Tree::Inline(tree), &values, missing, "%Y-%m-%d") else { return };
    for value in &values {
        assert!(tree.code(value).is_some(), "{value} is no leaf");
    }
    let leaves = tree.leaves() as u32;
    assert!(leaves > 0);
    for node in tree.nodes() {
        assert!(node.lo <= node.hi && node.hi < leaves);
        if let Some(parent) = node.parent {
            let parent = &tree.nodes()[parent];
            assert!(parent.lo <= node.lo && node.hi <= parent.hi && parent.level > node.level);
        }
    }
    for lo in 0..leaves.min(MOST) {
        assert_eq!(tree.code(&tree.leaf(lo).text), Some(lo));
        for hi in lo..leaves.min(MOST) {
            let node = tree.ancestor(lo, hi);
            assert!(node.lo <= lo && hi <= node.hi);
            let found = tree.node(&node.text).expect("what is published can be read");
            assert_eq!((found.lo, found.hi), (node.lo, node.hi), "{}", node.text);
            if ranges && lo < hi {
                for code in node.lo..=node.hi {
                    in_range(&node.text, &tree.leaf(code).text);
                }
            }
        }
    }
}

/// A leaf lies in the range that a node of widths names.
fn in_range(range: &str, leaf: &str) {
    let Ok(number) = leaf.trim().parse::<f64>() else { return };
    let within = |inner: &str, dash: &str, closed: bool| {
        let ends = inner.match_indices(dash).map(|(at, _)| (inner[..at].trim(), inner[at + dash.len()..].trim()));
        let mut ends = ends.filter_map(|(lo, hi)| Some((lo.parse::<f64>().ok()?, hi.parse::<f64>().ok()?)));
        ends.any(|(lo, hi)| lo <= number && (number < hi || closed && number <= hi))
    };
    let Some(inner) = range.strip_prefix('[') else { return };
    let named = match (inner.strip_suffix(']'), inner.strip_suffix(')')) {
        (Some(inner), _) => within(inner, "-", true),
        (_, Some(inner)) => within(inner, ",", false),
        _ => true,
    };
    assert!(named, "{range} does not name {leaf}");
}
