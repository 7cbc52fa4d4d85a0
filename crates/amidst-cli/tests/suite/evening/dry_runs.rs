//! A run of hours that ended in a mistake of the plan, and a release of which nobody knew what would be in it: `anonymize --dry-run`. And a proof
//! that did not say how long it would take.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::json;

use super::tables;
use crate::support::{Folder, PEOPLE, ROLES, many_rows};

/// A dry run, which leaves the folder as it is.
fn dry(folder: &Folder, args: &str) -> crate::support::Run {
    let before: Vec<(String, Vec<u8>)> =
        folder.names().into_iter().map(|name| (name.clone(), folder.bytes(&name))).collect();
    let run = folder.run(&format!("anonymize {args} --dry-run"));
    let after: Vec<(String, Vec<u8>)> =
        folder.names().into_iter().map(|name| (name.clone(), folder.bytes(&name))).collect();
    assert_eq!(before, after, "{args}");
    run
}

#[test]
fn nothing_is_written_and_every_column_is_told() {
    let folder = Folder::with("people.csv", PEOPLE);
    for output in ["", "-o release.csv", "-o release.csv --report report.html --public-report public.html"] {
        let told =
            dry(&folder, &format!("people.csv {output} {ROLES} --k 2 --require distinct-l(l=2) --json")).ok().json();
        let columns: Vec<(&str, &str, &str, &str)> = told["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|column| {
                let text = |key: &str| column[key].as_str().unwrap();
                (text("name"), text("role"), text("published"), text("decided"))
            })
            .collect();
        let mut expected = [
            ("age", "quasi", "generalized: range", "kind-guessed"),
            ("city", "quasi", "generalized: set", "kind-guessed"),
            ("disease", "sensitive", "as it is", "named"),
            ("name", "identifier", "left out", "named"),
        ];
        let mut found = columns.clone();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
        assert_eq!((&told["rows"], &told["k"]), (&json!(8), &json!(2)));
        assert!(told["estimate"]["seconds"].as_f64().unwrap() > 0.0);
    }
    let text = dry(&folder, &format!("people.csv {ROLES} --k 2")).ok().stdout;
    assert!(text.starts_with("DRY RUN: nothing was written."), "{text}");
    assert!(text.contains("an estimate: all 8 rows were tried"), "{text}");
}

#[test]
fn the_loss_of_a_small_table_is_that_of_the_run() {
    let folder = Folder::with("people.csv", PEOPLE);
    let flags = format!("people.csv {ROLES} --k 2 --seed 0 --json");
    let told = dry(&folder, &flags).ok().json()["estimate"]["loss"].as_f64().unwrap();
    // Pairs of ages 2, 3, 4 and 2 years apart, of 48, and cities as they are.
    assert!((told - 22.0 / 8.0 / 48.0 / 2.0).abs() < 1e-9, "{told}");
}

#[test]
fn what_cannot_be_is_found_before_the_work() {
    let folder = Folder::with("people.csv", PEOPLE);
    let fails = |args: &str, code: i32, words: &str| {
        let run = dry(&folder, args);
        assert!(run.code == code && run.stderr.contains(words), "{args}: {} {}", run.code, run.stderr);
    };
    fails(&format!("people.csv {ROLES} --k 9"), 1, "8");
    fails(&format!("people.csv {ROLES} --k 2 --l 5"), 1, "l");
    fails(&format!("people.csv {ROLES} --k 2 --partitioner mondrean"), 2, "did you mean");
    fails(&format!("people.csv -o people.csv {ROLES} --k 2"), 2, "overwrite");
    fails(&format!("people.csv {ROLES} --k 2 --hierarchy city=nowhere.csv"), 2, "nowhere.csv");
    fails("people.csv --quasi age --k 2", 2, "look as if each could single a person out");
    // A release needs a name, a dry run does not.
    let run = folder.run(&format!("anonymize people.csv {ROLES} --k 2"));
    assert!(run.code == 2 && run.stderr.contains("--output"), "{}", run.stderr);
}

#[test]
fn columns_that_nobody_named_are_told() {
    let table = tables::table("Titanic");
    let folder = Folder::with("table.csv", table.csv(300, 4));
    let names = table.labelled(&['i']).join(",");
    let args = ["anonymize", "table.csv", "--dry-run", "--json", "--quasi", "Age,Sex", "--k", "5"];
    let by_rule = folder.run_args(&[&args[..], &["--others", "drop"]].concat()).ok().json();
    let decided = |told: &serde_json::Value, name: &str| {
        let columns = told["columns"].as_array().unwrap();
        columns.iter().find(|column| column["name"] == name).unwrap()["decided"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (decided(&by_rule, "Pclass"), decided(&by_rule, "Age")),
        ("by-rule".to_owned(), "kind-guessed".to_owned())
    );
    let open = folder.run_args(&[&args[..], &["--identifier", &names, "--publish-as-is", "Fare"]].concat());
    if open.code == 0 {
        assert_eq!(decided(&open.json(), "Pclass"), "nobody");
    }
}

#[test]
fn a_large_table_is_estimated_by_some_of_its_rows() {
    let folder = Folder::with("many.csv", many_rows(40_000));
    let told = dry(&folder, "many.csv --quasi age,zip,job --publish-as-is note,disease --k 5 --json").ok().json();
    let estimate = &told["estimate"];
    let rows = estimate["rows"].as_u64().unwrap();
    assert_eq!(rows, 5_000, "{estimate}");
    assert_eq!(estimate.get("loss"), None, "a sample loses more than the table");
    assert!(estimate["basis"].as_str().unwrap().contains("the time was scaled"), "{estimate}");
}

#[test]
fn a_proof_says_how_long_it_takes_and_can_be_stopped() {
    // Ranges, for which a proof uses up the work that is allowed: about half a minute and more.
    let folder = Folder::with("many.csv", many_rows(3_000));
    let mut command = folder.command();
    let flags = "anonymize many.csv -o out.csv --quasi age,zip,job --publish-as-is note,disease --k 5 --effort fast --certify full";
    let mut child = command.args(flags.split(' ')).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    let told = said.by_ref().map(Result::unwrap).find(|line| line.contains("the proof will take about")).unwrap();
    assert!(told.contains("seconds") || told.contains("minutes"), "{told}");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.names(), ["many.csv"]);
}
