//! Pseudonyms, and the key that they depend on.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::Folder;

const ARGS: &str =
    "--pseudonym pid --identifier household,visit --quasi birth,sex,zip --sensitive dx --k 5 --keep-order";

/// The same, with dates that are published as they are.
const AS_IS: &str = "--pseudonym pid --identifier household,visit --publish-as-is day --quasi birth,sex,zip --sensitive dx --k 5 --keep-order";

fn visits() -> Folder {
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/visits/visits.csv");
    let folder = Folder::with("visits.csv", std::fs::read(table).unwrap());
    folder.run("key -o one.key").ok();
    folder.run("key -o other.key").ok();
    folder
}

/// The first column of a CSV file.
fn first_column(text: &str) -> Vec<&str> {
    text.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect()
}

#[test]
fn the_same_key_gives_the_same_pseudonyms_and_another_key_others() {
    let folder = visits();
    for (name, key) in [("a", "one"), ("b", "one"), ("c", "other")] {
        folder.run(&format!("anonymize visits.csv -o {name}.csv {AS_IS} --key {key}.key")).ok();
    }
    let [a, b, c, original] = ["a.csv", "b.csv", "c.csv", "visits.csv"].map(|name| folder.text(name));
    let [a, b, c, original] = [&a, &b, &c, &original].map(|text| first_column(text));
    assert_eq!(a, b);
    assert!(a.iter().zip(&c).all(|(one, other)| one != other));
    // Equal persons have equal pseudonyms, and others have others.
    let pairs: BTreeSet<(&str, &str)> = original.iter().copied().zip(a.iter().copied()).collect();
    let (persons, pseudonyms): (BTreeSet<&str>, BTreeSet<&str>) = pairs.iter().copied().unzip();
    assert_eq!((pairs.len(), persons.len(), pseudonyms.len()), (400, 400, 400));
}

#[test]
fn the_key_is_in_nothing_that_is_written() {
    let folder = visits();
    let key = folder.text("one.key").trim().to_owned();
    let reports = "--report r.html --report r.json --report r.txt --public-report p.html --public-report p.json";
    let run =
        folder.run(&format!("anonymize visits.csv -o out.csv {ARGS} --shift day=30 --key one.key {reports} --json"));
    let run = run.ok();
    let mut seen = 0;
    for name in folder.names().into_iter().filter(|name| !["one.key", "other.key"].contains(&name.as_str())) {
        assert!(!folder.text(&name).contains(&key), "{name}");
        seen += 1;
    }
    assert!(seen >= 10 && !run.stdout.contains(&key) && !run.stderr.contains(&key), "{seen} files");
}

#[test]
fn the_environment_may_hold_the_key() {
    let folder = visits();
    folder.run(&format!("anonymize visits.csv -o a.csv {AS_IS} --key one.key")).ok();
    let mut command = folder.command();
    command.env("AMIDST_KEY", folder.text("one.key")).args(["anonymize", "visits.csv", "-o", "b.csv"]);
    assert!(command.args(AS_IS.split(' ')).output().unwrap().status.success());
    let [a, b] = ["a.csv", "b.csv"].map(|name| folder.text(name));
    assert_eq!(first_column(&a), first_column(&b));
}

#[test]
fn the_audit_counts_pseudonyms_without_the_original() {
    let folder = visits();
    folder.run(&format!("anonymize visits.csv -o out.csv {AS_IS} --key one.key")).ok();
    let report = folder.run("audit out.csv --plan out.plan.toml --k 5 --json").ok().json();
    // Counted by hand: the persons who share each combination of cells, and those of them with the same number of rows.
    let text = folder.text("out.csv");
    let mut classes: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        *classes.entry(cells[1..4].join(",")).or_default().entry(cells[0]).or_default() += 1;
    }
    let smallest = classes.values().map(BTreeMap::len).min().unwrap();
    let alike = |class: &BTreeMap<&str, usize>| {
        let mut persons: BTreeMap<usize, usize> = BTreeMap::new();
        class.values().for_each(|rows| *persons.entry(*rows).or_default() += 1);
        persons.into_values().min().unwrap()
    };
    let by_rows = classes.values().map(alike).min().unwrap();
    assert!(smallest >= 5);
    assert_eq!(report["achieved"]["k"], smallest);
    assert_eq!(report["people"]["k_by_number_of_rows"], by_rows);
    assert_eq!(report["people"]["persons"], 400);
}

#[test]
fn persons_in_two_spellings_are_told() {
    let folder = Folder::with("visits.csv", "pid,age\nAnn,30\nann ,30\nBob,30\nCid,31\n");
    let run = folder.run("anonymize visits.csv -o out.csv --person pid --quasi age --k 2").ok();
    let told: String = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("column `pid`: 2 values differ only in their spelling"), "{told}");
    assert!(told.contains("classes have fewer persons than are counted"), "{told}");
    assert!(!run.stdout.contains("Ann"), "{}", run.stdout);
}

#[test]
fn the_dictionary_names_what_was_replaced() {
    let folder = visits();
    folder.run(&format!("anonymize visits.csv -o out.csv {ARGS} --key one.key --shift day=30 --keep-weekday")).ok();
    let dictionary: serde_json::Value = serde_json::from_str(&folder.text("out.dictionary.json")).unwrap();
    let columns = dictionary["files"][0]["columns"].as_array().unwrap();
    let about = |name: &str| columns.iter().find(|column| column["name"] == name).unwrap()["about"].as_str().unwrap();
    assert!(about("pid").starts_with("a pseudonym of the person"), "{}", about("pid"));
    assert!(about("day").starts_with("a date moved by a secret number of days, at most 30"), "{}", about("day"));
    assert!(about("day").ends_with("the day of the week is that of the original"), "{}", about("day"));
}

#[test]
fn a_release_is_made_again_from_its_plan_and_key() {
    let folder = visits();
    let args = "--rows-per-person 2 --shift day=10";
    folder.run(&format!("anonymize visits.csv -o out.csv {ARGS} {args} --key one.key")).ok();
    folder.run("anonymize visits.csv -o again.csv --plan out.plan.toml --key one.key").ok();
    assert_eq!(folder.text("out.csv"), folder.text("again.csv"));
    let run = folder.run("anonymize visits.csv -o third.csv --plan out.plan.toml");
    assert_eq!((run.code, folder.path("third.csv").exists()), (2, false));
}
