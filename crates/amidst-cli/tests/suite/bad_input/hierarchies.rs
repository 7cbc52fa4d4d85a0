//! Hierarchies that are no trees, or not those of the column.

use super::refused;
use crate::support::Folder;

/// The column `a` with the values x and y, and this hierarchy file.
#[track_caller]
fn tree_refused(name: &str, tree: &str, message: &str) {
    let folder = Folder::with("in.csv", "a\nx\nx\ny\ny\n");
    folder.write(name, tree);
    refused(&folder, &format!("in.csv --quasi a --hierarchy a={name} --k 2"), 2, message);
}

#[track_caller]
fn lines_refused(tree: &str, problem: &str) {
    tree_refused("tree.csv", tree, &format!("hierarchy `tree.csv`{problem}"));
}

#[test]
fn a_leaf_twice() {
    lines_refused("x;u;*\ny;u;*\n\nx;v;*\n", ", line 4: the leaf `x` is already listed in line 1");
}

#[test]
fn a_node_with_two_parents() {
    lines_refused(
        "x;u;p;*\ny;u;q;*\n",
        ", line 2: `u` is below `q` here but below `p` in line 1; a node has one parent",
    );
}

#[test]
fn several_roots() {
    lines_refused("x;*\ny;all\n", ", line 2: the root is `all` here but `*` in line 1; a tree has one root");
    tree_refused(
        "tree.toml",
        "u = [\"x\"]\nv = [\"y\"]\n",
        "hierarchy `tree.toml`: it has 2 roots (u, v); a tree has one",
    );
}

#[test]
fn a_leaf_that_is_a_group() {
    lines_refused("x;*\ny;x;*\n", ", line 2: `x` is a leaf in line 1 and a group of leaves in line 2; rename one");
}

#[test]
fn an_empty_level() {
    lines_refused("x;*\ny;;*\n", ", line 2: level 1 is empty");
    lines_refused(";*\ny;*\n", ", line 1: level 0 is empty");
}

#[test]
fn another_delimiter() {
    lines_refused("x,*\ny,*\n", ", line 1: `x,*` has only one label; a line is `leaf;…;root`");
}

#[test]
fn nothing_in_it() {
    lines_refused("", ": it has no leaves");
}

#[test]
fn a_value_that_is_not_a_leaf() {
    tree_refused(
        "tree.csv",
        "x;*\nyy;*\n",
        "`in.csv`, row 3, column `a`: `y` is not a leaf of hierarchy `tree.csv` (there is `yy`); \
         add it there, or declare it missing (--missing 'y')",
    );
    tree_refused(
        "tree.csv",
        "x;*\nz;*\n",
        "`in.csv`, row 3, column `a`: `y` is not a leaf of hierarchy `tree.csv`; \
         add it there, or declare it missing (--missing 'y')",
    );
}

#[test]
fn a_file_that_is_not_there() {
    let folder = Folder::with("in.csv", "a\nx\nx\n");
    let args = "in.csv --quasi a --hierarchy a=nowhere.csv --k 2";
    refused(&folder, args, 2, "column `a`: its hierarchy `nowhere.csv` is not a file");
    folder.write(
        "plan.toml",
        "[privacy]\nk = 2\n[columns]\na = { role = \"quasi\", kind = \"taxonomy\", hierarchy = \"nowhere.csv\" }\n",
    );
    let message = "cannot read `nowhere.csv`: No such file or directory (os error 2)";
    refused(&folder, "in.csv --plan plan.toml", 2, message);
}

#[test]
fn a_builder_that_cannot_build() {
    let built = |tree: &str, problem: &str| {
        let folder = Folder::with("in.csv", "a\n1\n2\n");
        let args = format!("in.csv --quasi a --hierarchy a={tree} --k 2");
        refused(&folder, &args, 2, &format!("the hierarchy in the plan: {problem}"));
    };
    built("widths:4,6", "the width 6 is not a multiple of 4; ranges would overlap");
    built("widths:0", "widths are a list of positive numbers");
    built("mask:2,1", "mask is a rising list of numbers of characters to hide: [1, 2, 3]");
    built("dates:year,month", "calendar units go from small to large: day, month, quarter, year, decade");
    built("dates:year", "`1` is not a date of the form %Y-%m-%d");
}
