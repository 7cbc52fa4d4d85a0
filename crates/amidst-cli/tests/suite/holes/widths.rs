//! Ranges of decimal widths that did not name the numbers in them.

use crate::support::Folder;

/// 0.6 / 0.1 is 5.999… in binary, so 0.6 was published as `[0.5, 0.6)`, which leaves it out.
#[test]
fn a_range_of_widths_names_every_number_in_it() {
    let folder = Folder::with("in.csv", "x\n0.55\n0.6\n1.2\n1.25\n");
    folder.run("anonymize in.csv -o out.csv --quasi x --k 2 --keep-order --hierarchy x=widths:0.1,0.5").ok();
    let text = folder.text("out.csv");
    let cells: Vec<&str> = text.lines().skip(1).collect();
    for (cell, value) in cells.iter().zip([0.55, 0.6, 1.2, 1.25]) {
        let inner = cell.trim_matches('"').trim_start_matches('[').trim_end_matches(')');
        let (from, to) = inner.split_once(", ").unwrap_or_else(|| panic!("{cell} is no range"));
        let (from, to): (f64, f64) = (from.parse().unwrap(), to.parse().unwrap());
        assert!(from <= value && value < to, "{value} is published as {cell}");
    }
}

/// 9007199254740995 is 9007199254740996 in 64 bits, so it was published as `[9007199254740996-9007199254740997]`.
#[test]
fn numbers_that_widths_cannot_tell_apart_are_refused() {
    let folder = Folder::with("in.csv", "x\n9007199254740995\n9007199254740996\n");
    let run = folder.run("anonymize in.csv -o out.csv --quasi x --k 2 --hierarchy x=widths:2,4");
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("too large for ranges of these widths"), "{}", run.stderr);
    assert_eq!(folder.names(), ["in.csv"]);
}
