//! Generalization hierarchies: trees whose leaves are the values of a column.
//!
//! Leaves are numbered in depth-first order. So the leaves below a node are a range of codes, and the
//! smallest and the largest code of a set of leaves determine their lowest common ancestor.
//!
//! Every source of a tree (a file, nested TOML, a builder) is first turned into paths from leaf to root.
//! One constructor checks the paths and reports each mistake with its line.

mod build;
mod parse;

use rustc_hash::FxHashMap;

use crate::error::{Error, Result, nearest};
use crate::plan::{InlineTree, Tree};
use crate::schema::classifications;

pub use parse::file_text;

/// What a tree can be built by, with a line about it and where it comes from: the builders, then the trees that come with amidst.
pub const ALL: &[(&str, &str, &str)] = &[
    ("FILE", "the tree in a file: lines of leaf;level 1;…;root, or nested TOML", "the format of ARX"),
    ("widths:5,10,20", "ranges of numbers of these widths", "a builder"),
    ("dates:month,quarter,year,decade", "calendar units of dates; day for times, too", "a builder"),
    ("mask:1,2,3", "texts with so many characters masked from the right", "a builder"),
    ("flat", "every value right below the root", "a builder"),
    (
        "icd10",
        "ICD-10 codes: subcategory, category, block, chapter, by code ranges",
        "World Health Organization, version 2019",
    ),
    (
        "icd10cm",
        "ICD-10-CM codes: subcategory, category, block, chapter, by code ranges",
        "US National Center for Health Statistics, 2024",
    ),
    (
        "countries",
        "countries by ISO code (two or three letters) or English name: subregion, region",
        "ISO 3166-1; UN M49",
    ),
    (
        "us-zip",
        "US ZIP codes (five digits or ZIP+4): three digits, state, census region",
        "US Postal Service; US Census Bureau",
    ),
    ("isco", "occupations of ISCO-08 by digits", "International Labour Organization, 2008"),
    ("naics", "industries of NAICS by digits, sectors with titles", "US Census Bureau, 2022"),
    ("soc", "occupations of the US SOC by digits, major groups with titles", "US Bureau of Labor Statistics, 2018"),
    ("age-bands", "ages in bands of 5, 10 and 20 years; ages from 90 on are always 90+", "45 CFR 164.514(b)(2)(i)(C)"),
];

/// A tree over the values of a column.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    /// The name of the tree in messages.
    name: String,
    nodes: Vec<Node>,
    /// The node of each leaf, by code.
    leaves: Vec<usize>,
    /// The codes of the leaves, by label.
    codes: FxHashMap<String, u32>,
    /// The nodes by the text that they are published as.
    published: FxHashMap<String, usize>,
}

/// A node of a [`Hierarchy`].
#[derive(Debug, Clone)]
pub struct Node {
    /// The text it is published as: its label, followed by its level if another node has the same label.
    pub text: String,
    /// The index of the parent; `None` for the root.
    pub parent: Option<usize>,
    /// The code of the first leaf below it.
    pub lo: u32,
    /// The code of the last leaf below it.
    pub hi: u32,
    /// The height of the subtree below it; 0 for a leaf.
    pub level: u32,
    /// Whether it is a leaf that is never published. Its parent stands for it.
    pub hidden: bool,
}

/// The labels from a leaf to the root, and the line they come from.
struct Path {
    labels: Vec<String>,
    line: Option<usize>,
}

impl Hierarchy {
    /// Builds the tree `tree` over the distinct `values` of a column. Adds `missing` as a leaf directly
    /// below the root, unless it is a leaf already. `date_format` is the format of dates among the values.
    pub fn new(tree: &Tree, values: &[&str], missing: Option<&str>, date_format: &str) -> Result<Self> {
        let (name, mut paths) = match tree {
            Tree::File(path) => (format!("hierarchy `{}`", path.display()), parse::file(path)?),
            Tree::Inline(inline) => {
                let name = "the hierarchy in the plan".to_owned();
                let paths = match inline {
                    InlineTree::Lines(text) => parse::lines(&name, text.as_bytes())?,
                    InlineTree::Nested(nested) => parse::nested(&name, nested)?,
                    InlineTree::Widths(widths) => build::widths(values, widths)?,
                    InlineTree::Dates(units) => build::dates(values, units, date_format)?,
                    InlineTree::Mask(counts) => build::mask(values, counts)?,
                    InlineTree::Flat(root) => build::flat(values, root),
                    InlineTree::Builtin(tree) => build::builtin(values, *tree),
                };
                (name, paths)
            }
        };
        if let Some(missing) = missing
            && let Some(root) = paths.first().and_then(|p| p.labels.last()).cloned()
            && !paths.iter().any(|p| p.labels[0] == missing)
        {
            paths.insert(0, Path { labels: vec![missing.to_owned(), root], line: None });
        }
        let mut built = Self::from_paths(name, &paths)?;
        if let Tree::Inline(InlineTree::Builtin(tree)) = tree {
            let Hierarchy { nodes, leaves, .. } = &mut built;
            leaves.iter().for_each(|leaf| nodes[*leaf].hidden = classifications::is_hidden(*tree, &nodes[*leaf].text));
        }
        Ok(built)
    }

    fn from_paths(name: String, paths: &[Path]) -> Result<Self> {
        let Some(first) = paths.first() else {
            return Err(Error::Hierarchy { hierarchy: name, line: None, problem: "it has no leaves".to_owned() });
        };
        let mut growing = GrowingTree::new(&name, first);
        for path in paths {
            growing.add(path)?;
        }
        let nodes = growing.nodes;
        Ok(Self::number(name, &nodes))
    }

    /// Numbers the leaves in depth-first order.
    fn number(name: String, drafts: &[Draft]) -> Self {
        let mut nodes: Vec<Node> = drafts
            .iter()
            .map(|d| Node { text: d.label.clone(), parent: d.parent, lo: u32::MAX, hi: 0, level: 0, hidden: false })
            .collect();
        let mut leaves = Vec::new();
        let mut codes = FxHashMap::default();
        let mut stack = vec![0];
        while let Some(node) = stack.pop() {
            stack.extend(drafts[node].children.iter().rev());
            if drafts[node].is_leaf {
                let code = leaves.len() as u32;
                leaves.push(node);
                codes.insert(drafts[node].label.clone(), code);
                let mut above = Some(node);
                let mut level = 0;
                while let Some(n) = above {
                    nodes[n].level = nodes[n].level.max(level);
                    level += 1;
                    nodes[n].lo = nodes[n].lo.min(code);
                    nodes[n].hi = nodes[n].hi.max(code);
                    above = nodes[n].parent;
                }
            }
        }
        // Only leaves and nodes with several children can be a lowest common ancestor, so their texts come first.
        let mut published: FxHashMap<String, usize> = leaves.iter().map(|&l| (nodes[l].text.clone(), l)).collect();
        for node in 0..nodes.len() {
            if drafts[node].children.len() > 1 {
                let mut level = 1;
                while published.contains_key(&nodes[node].text) {
                    nodes[node].text = format!("{} (level {level})", drafts[node].label);
                    level += 1;
                }
                published.insert(nodes[node].text.clone(), node);
            }
        }
        // Levels have nodes with a single child, too.
        for (place, node) in nodes.iter().enumerate() {
            published.entry(node.text.clone()).or_insert(place);
        }
        Hierarchy { name, nodes, leaves, codes, published }
    }

    /// The name of the tree in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }

    /// The length of the longest path from a leaf to the root.
    pub fn height(&self) -> u32 {
        self.nodes.first().map_or(0, |root| root.level)
    }

    /// The leaf with this code.
    pub fn leaf(&self, code: u32) -> &Node {
        &self.nodes[self.leaves[code as usize]]
    }

    /// All nodes. The root is the first, and every node comes after its parent.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The index of a leaf among the [nodes](Self::nodes).
    pub fn place(&self, code: u32) -> usize {
        self.leaves[code as usize]
    }

    /// The index of the parent of a leaf among the [nodes](Self::nodes), or of the leaf itself if it is
    /// directly below the root.
    pub fn group(&self, code: u32) -> usize {
        let leaf = self.place(code);
        self.nodes[leaf].parent.filter(|parent| self.nodes[*parent].parent.is_some()).unwrap_or(leaf)
    }

    /// The code of the leaf with this label.
    pub fn code(&self, label: &str) -> Option<u32> {
        self.codes.get(label).copied()
    }

    /// The lowest node above all leaves from `lo` to `hi` that may be published.
    pub fn ancestor(&self, lo: u32, hi: u32) -> &Node {
        let mut node = self.leaf(lo);
        while node.hi < hi || node.hidden {
            match node.parent {
                Some(parent) => node = &self.nodes[parent],
                None => break,
            }
        }
        node
    }

    /// The node above a leaf at this level of the whole tree: 0 is the leaf, [`height`](Self::height) is the root. Levels are cuts through
    /// the tree at the same distance from the root. So a leaf on a shorter path stands for itself until the cut passes it.
    pub fn above(&self, code: u32, level: u32) -> &Node {
        let way: Vec<usize> = std::iter::successors(Some(self.place(code)), |node| self.nodes[*node].parent).collect();
        let steps = (way.len() - 1).saturating_sub((self.height() - level) as usize);
        &self.nodes[way[steps]]
    }

    /// The text by which everybody finds the leaves below this node: its own, unless other leaves are published under it.
    pub fn label(&self, node: &Node) -> &str {
        let found = self.node(&node.text).filter(|found| (found.lo, found.hi) == (node.lo, node.hi));
        &found.unwrap_or_else(|| self.ancestor(node.lo, node.hi)).text
    }

    /// The children of the lowest node above all leaves from `lo` to `hi`, as the codes where each of them
    /// begins.
    pub fn children(&self, lo: u32, hi: u32) -> Vec<u32> {
        let top = self.ancestor(lo, hi);
        let mut starts = Vec::new();
        let mut code = top.lo;
        while code <= top.hi && top.lo < top.hi {
            let mut child = self.leaf(code);
            while let Some(parent) = child.parent.map(|p| &self.nodes[p]) {
                if (parent.lo, parent.hi) == (top.lo, top.hi) {
                    break;
                }
                child = parent;
            }
            starts.push(child.lo);
            code = child.hi + 1;
        }
        starts
    }

    /// The node that is published as `text`.
    pub fn node(&self, text: &str) -> Option<&Node> {
        self.published.get(text).map(|&n| &self.nodes[n])
    }

    /// The leaf whose label is most similar to `label`.
    pub fn nearest(&self, label: &str) -> Option<String> {
        nearest(label, self.leaves.iter().map(|&l| self.nodes[l].text.as_str()))
    }
}

/// A node before its leaves are numbered.
#[derive(Default)]
struct Draft {
    label: String,
    parent: Option<usize>,
    line: Option<usize>,
    is_leaf: bool,
    children: Vec<usize>,
}

/// A tree to which one path after the other is added.
struct GrowingTree<'p> {
    name: &'p str,
    first: &'p Path,
    nodes: Vec<Draft>,
    /// The nodes by their distance from the root and their label, which identify them.
    known: FxHashMap<(usize, &'p str), usize>,
    /// The line of each leaf.
    leaf_lines: FxHashMap<&'p str, Option<usize>>,
}

impl<'p> GrowingTree<'p> {
    /// The root of the first path.
    fn new(name: &'p str, first: &'p Path) -> Self {
        let root = Draft { label: last(first).to_owned(), line: first.line, ..Draft::default() };
        let (known, leaf_lines) = (FxHashMap::default(), FxHashMap::default());
        GrowingTree { name, first, nodes: vec![root], known, leaf_lines }
    }

    fn fail<T>(&self, line: Option<usize>, problem: String) -> Result<T> {
        Err(Error::Hierarchy { hierarchy: self.name.to_owned(), line, problem })
    }

    fn add(&mut self, path: &'p Path) -> Result<()> {
        let Path { labels, line } = path;
        if labels.len() < 2 {
            let problem = format!("`{}` has only one label; a line is `leaf;…;root`", labels.join(";"));
            return self.fail(*line, problem);
        }
        let (root, other) = (last(self.first), last(path));
        if other != root {
            let problem =
                format!("the root is `{other}` here but `{root}`{}; a tree has one root", at(self.first.line));
            return self.fail(*line, problem);
        }
        if let Some(earlier) = self.leaf_lines.insert(&labels[0], *line) {
            return self.fail(*line, format!("the leaf `{}` is already listed{}", labels[0], at(earlier)));
        }
        let mut parent = 0;
        for (depth, label) in labels.iter().rev().enumerate().skip(1) {
            let is_leaf = depth + 1 == labels.len();
            if label.is_empty() && !(is_leaf && line.is_none()) {
                return self.fail(*line, format!("level {} is empty", labels.len() - 1 - depth));
            }
            parent = self.child((depth, label), parent, is_leaf, *line)?;
        }
        Ok(())
    }

    /// The node with this distance from the root and this label, which must be a child of `parent`.
    fn child(&mut self, key: (usize, &'p str), parent: usize, is_leaf: bool, line: Option<usize>) -> Result<usize> {
        let label = key.1;
        let Some(&node) = self.known.get(&key) else {
            let node = self.nodes.len();
            let label = label.to_owned();
            self.nodes.push(Draft { label, parent: Some(parent), line, is_leaf, children: Vec::new() });
            self.nodes[parent].children.push(node);
            self.known.insert(key, node);
            return Ok(node);
        };
        let known = &self.nodes[node];
        if is_leaf || known.is_leaf {
            let (leaf, group) = if is_leaf { (line, known.line) } else { (known.line, line) };
            let problem = format!("`{label}` is a leaf{} and a group of leaves{}; rename one", at(leaf), at(group));
            return self.fail(line, problem);
        }
        if known.parent != Some(parent) {
            let (here, there) = (&self.nodes[parent].label, &self.nodes[known.parent.unwrap_or(0)].label);
            let place = at(known.line);
            let problem = format!("`{label}` is below `{here}` here but below `{there}`{place}; a node has one parent");
            return self.fail(line, problem);
        }
        Ok(node)
    }
}

fn last(path: &Path) -> &str {
    path.labels.last().map_or("", String::as_str)
}

fn at(line: Option<usize>) -> String {
    line.map(|l| format!(" in line {l}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::CalendarUnit;

    fn lines(text: &str) -> Result<Hierarchy, String> {
        let tree = Tree::Inline(InlineTree::Lines(text.to_owned()));
        Hierarchy::new(&tree, &[], None, "").map_err(|e| e.to_string())
    }

    fn built(tree: InlineTree, values: &[&str]) -> Result<Hierarchy, String> {
        Hierarchy::new(&Tree::Inline(tree), values, None, "%Y-%m-%d").map_err(|e| e.to_string())
    }

    /// The label above the two leaves.
    fn above<'a>(tree: &'a Hierarchy, a: &str, b: &str) -> &'a str {
        let (a, b) = (tree.code(a).unwrap(), tree.code(b).unwrap());
        &tree.ancestor(a.min(b), a.max(b)).text
    }

    #[test]
    fn balanced_and_unbalanced() {
        let tree = lines("a;x;*\nb;y;*\nc;x;*\n").unwrap();
        assert_eq!(above(&tree, "a", "c"), "x");
        assert_eq!(above(&tree, "a", "b"), "*");
        assert_eq!(above(&tree, "a", "a"), "a");
        assert_eq!(tree.children(0, 2), [0, 2]); // x = {a, c}, y = {b}
        let tree = lines("\u{feff}a;*\r\nb;y;*\r\n\r\nc;y;*\r\n").unwrap();
        assert_eq!(above(&tree, "b", "c"), "y");
        assert_eq!(above(&tree, "a", "c"), "*");
    }

    #[test]
    fn mistakes_have_lines() {
        let e = |text| lines(text).unwrap_err();
        assert_eq!(e("a;x;*\na;y;*"), "the hierarchy in the plan, line 2: the leaf `a` is already listed in line 1");
        assert_eq!(
            e("a;x;u;*\nb;x;v;*"),
            "the hierarchy in the plan, line 2: `x` is below `v` here but below `u` in line 1; a node has one parent"
        );
        assert_eq!(
            e("a;x;*\nb;x;+"),
            "the hierarchy in the plan, line 2: the root is `+` here but `*` in line 1; a tree has one root"
        );
        assert_eq!(
            e("a;*\nb;a;*"),
            "the hierarchy in the plan, line 2: `a` is a leaf in line 1 and a group of leaves in line 2; rename one"
        );
        assert_eq!(e("a;;*"), "the hierarchy in the plan, line 1: level 1 is empty");
        assert_eq!(
            e("a,x,*"),
            "the hierarchy in the plan, line 1: `a,x,*` has only one label; a line is `leaf;…;root`"
        );
        assert_eq!(e(""), "the hierarchy in the plan: it has no leaves");
    }

    #[test]
    fn a_label_on_two_levels_is_told_apart() {
        let tree = lines("x;x;*\nb;x;*\nc;c;*\n").unwrap();
        assert_eq!(above(&tree, "x", "b"), "x (level 1)");
        assert_eq!(tree.node("x").map(|n| (n.lo, n.hi)), Some((0, 0)));
        assert_eq!(tree.node("x (level 1)").map(|n| (n.lo, n.hi)), Some((0, 1)));
    }

    #[test]
    fn nested() {
        let table: toml::Value = toml::from_str("\"*\" = [\"a\", { y = [\"b\", \"c\"] }]").unwrap();
        let tree = built(InlineTree::Nested(table), &[]).unwrap();
        assert_eq!(above(&tree, "b", "c"), "y");
        assert_eq!(above(&tree, "a", "c"), "*");
    }

    #[test]
    fn builders() {
        let tree = built(InlineTree::Widths(vec![5.0, 10.0]), &["3", "12", "7", "-1"]).unwrap();
        assert_eq!(above(&tree, "3", "7"), "[0-9]");
        assert_eq!(above(&tree, "12", "7"), "*");
        let tree = built(InlineTree::Widths(vec![0.5]), &["0.2", "0.4", "0.5"]).unwrap();
        assert_eq!(above(&tree, "0.2", "0.4"), "[0, 0.5)");
        let e = built(InlineTree::Widths(vec![4.0, 6.0]), &["1"]).unwrap_err();
        assert_eq!(e, "the hierarchy in the plan: the width 6 is not a multiple of 4; ranges would overlap");

        let units = vec![CalendarUnit::Month, CalendarUnit::Quarter, CalendarUnit::Year, CalendarUnit::Decade];
        let days = ["2020-01-31", "2020-03-01", "2020-01-02", "2021-12-01", "2019-05-05", "2020-10-10"];
        let tree = built(InlineTree::Dates(units), &days).unwrap();
        assert_eq!(above(&tree, "2020-01-31", "2020-01-02"), "2020-01");
        assert_eq!(above(&tree, "2020-01-31", "2020-03-01"), "2020-Q1");
        assert_eq!(above(&tree, "2020-10-10", "2020-03-01"), "2020");
        assert_eq!(above(&tree, "2020-01-31", "2021-12-01"), "2020s");
        assert_eq!(above(&tree, "2020-01-31", "2019-05-05"), "*");

        let tree = built(InlineTree::Mask(vec![1, 2]), &["75275", "75274", "75200", "10001"]).unwrap();
        assert_eq!(above(&tree, "75275", "75274"), "7527*");
        assert_eq!(above(&tree, "75275", "75200"), "752**");
        assert_eq!(above(&tree, "75275", "10001"), "*");

        let tree = built(InlineTree::Flat("any".to_owned()), &["p", "q"]).unwrap();
        assert_eq!(above(&tree, "p", "q"), "any");
    }

    #[test]
    fn missing_is_a_leaf_below_the_root() {
        let tree = Tree::Inline(InlineTree::Lines("a;x;*\nb;x;*".to_owned()));
        let tree = Hierarchy::new(&tree, &[], Some("?"), "").unwrap();
        assert_eq!(above(&tree, "a", "b"), "x");
        assert_eq!(above(&tree, "a", "?"), "*");
    }
}
