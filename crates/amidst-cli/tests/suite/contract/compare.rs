//! `amidst compare`: every algorithm on one table.

use crate::support::{Folder, PEOPLE, ROLES};

#[test]
fn every_algorithm_that_is_listed_runs_with_every_k() {
    let folder = Folder::with("people.csv", PEOPLE);
    let report = folder.run(&format!("compare people.csv {ROLES} --k 2,4 -o runs.csv -o runs.json --json")).ok().json();
    let listed = folder.run("list partitioners --json").ok().json();
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|p| p["name"].clone()).collect();
    let runs = report["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2 * names.len());
    for (i, run) in runs.iter().enumerate() {
        assert_eq!(run["k"], if i < names.len() { 2 } else { 4 });
        assert_eq!(run["partitioner"], names[i % names.len()]);
        // Eight people, so at most 8 / k classes.
        assert!((1..=8 / run["k"].as_u64().unwrap()).contains(&run["classes"].as_u64().unwrap()), "{run}");
        assert!(run["loss"]["lm"].as_f64().is_some_and(|lm| (0.0..=1.0).contains(&lm)), "{run}");
        assert_eq!(run["stopped"], false);
    }
    let stored: serde_json::Value = serde_json::from_str(&folder.text("runs.json")).unwrap();
    assert_eq!(stored["runs"].as_array().unwrap().len(), runs.len());
    let csv = folder.text("runs.csv");
    assert_eq!(csv.lines().next(), Some("k,partitioner,classes,risk,seconds,cpu_seconds,lm,ncp"));
    assert_eq!(csv.lines().count(), runs.len() + 1);
}

#[test]
fn a_run_over_the_limit_is_stopped_and_said_to_be() {
    let folder = Folder::with("people.csv", PEOPLE);
    let run = folder.run(&format!("compare people.csv {ROLES} --k 2 --algorithms mondrian --limit 0")).ok();
    assert!(run.stdout.contains("stopped"), "{}", run.stdout);
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::with("people.csv", PEOPLE);
    let refused = |arguments: &str, message: &str| {
        let run = folder.run(&format!("compare people.csv {ROLES} {arguments}"));
        assert_eq!((run.code, run.stderr), (2, format!("error: {message}\n")));
    };
    refused("--algorithms mondrain", "there is no partitioner named `mondrain`; did you mean `mondrian`?");
    refused("-o runs.txt", "`runs.txt` cannot hold the runs: its name must end in .csv or .json");
    refused("--k 1", "k-anonymity: `k` must be a whole number from 2, not `1`");
}
