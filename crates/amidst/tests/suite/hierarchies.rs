//! The hierarchy files of the Adult data.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use amidst::internals::hierarchy::Hierarchy;
use amidst::plan::Tree;
use flate2::read::MultiGzDecoder;

fn adult() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/adult")
}

/// The distinct values of every column.
fn values() -> BTreeMap<String, BTreeSet<String>> {
    let file = File::open(adult().join("adult.csv.gz")).unwrap();
    let mut reader = csv::Reader::from_reader(MultiGzDecoder::new(file));
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for record in reader.records() {
        for (column, value) in header.iter().zip(record.unwrap().iter()) {
            let known = values.entry(column.clone()).or_default();
            if !known.contains(value) {
                known.insert(value.to_owned());
            }
        }
    }
    values
}

#[test]
fn every_adult_value_is_a_leaf_of_its_hierarchy() {
    let values = values();
    let files = fs::read_dir(adult().join("hierarchies")).unwrap().map(|f| f.unwrap().path());
    let files: Vec<PathBuf> = files.filter(|f| f.extension().is_some_and(|e| e == "csv")).collect();
    assert_eq!(files.len(), 9);
    for file in files {
        let column = file.file_stem().unwrap().to_string_lossy().into_owned();
        let tree = Hierarchy::new(&Tree::File(file.clone()), &[], None, "").unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split(';').collect()).collect();
        assert_eq!(tree.leaves(), lines.len(), "{column}: a leaf a line");
        let values: Vec<&String> = values[&column].iter().collect();
        for value in &values {
            assert!(tree.code(value).is_some(), "{column}: `{value}`");
        }
        // The lowest common ancestor, found by walking two lines at the same level.
        let line = |leaf: &str| lines.iter().find(|l| l[0] == leaf).unwrap();
        for a in &values {
            for b in &values {
                let expected = line(a).iter().zip(line(b)).find(|(x, y)| x == y).unwrap().0;
                let (x, y) = (tree.code(a).unwrap(), tree.code(b).unwrap());
                let node = tree.ancestor(x.min(y), x.max(y));
                assert_eq!(node.text, *expected, "{column}: above `{a}` and `{b}`");
                let below = lines.iter().filter(|l| l.contains(expected)).count();
                assert_eq!((node.hi - node.lo) as usize + 1, below, "{column}: below `{expected}`");
            }
        }
    }
}
