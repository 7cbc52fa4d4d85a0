//! `amidst measure`: every measure scores a release.

use std::collections::BTreeSet;

use crate::support::{Folder, PEOPLE, ROLES};

#[test]
fn every_measure_that_is_listed_is_measured() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2")).ok();
    let report = folder.run("measure people.csv out.csv --plan out.plan.toml --json").ok().json();
    let listed = folder.run("list measures --json").ok().json();
    let listed: BTreeSet<&str> = listed.as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    let keys = |part: &str| report[part].as_object().into_iter().flat_map(|o| o.keys().map(String::as_str));
    let measured: BTreeSet<&str> = keys("loss").chain(keys("utility")).chain(keys("skipped")).collect();
    assert_eq!(measured, listed);
    assert_eq!(report["rows"], 8);
}

#[test]
fn a_shuffled_release_without_its_plan_is_measured_as_far_as_it_can() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --seed 3")).ok();
    let report = folder.run(&format!("measure people.csv out.csv {ROLES} --measures quick --json")).ok().json();
    assert!(report["loss"]["lm"].as_f64().is_some(), "{report}");
    assert_eq!(report["skipped"]["glp"], "it is not known which published row comes from which record");
}

#[test]
fn measures_can_be_named_with_parameters() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2")).ok();
    let names = "lm(values),query(queries=5,selectivity=0.5)";
    let report = folder.run(&format!("measure people.csv out.csv --plan out.plan.toml --measures {names} --json")).ok();
    let report = report.json();
    assert!(report["loss"]["lm(values)"].as_f64().is_some(), "{report}");
    assert!(report["utility"]["query(queries=5,selectivity=0.5)"]["median"].as_f64().is_some(), "{report}");
    let run = folder.run("measure people.csv out.csv --plan out.plan.toml --measures lmm");
    assert_eq!((run.code, run.stderr.as_str()), (2, "error: there is no measure named `lmm`; did you mean `lm`?\n"));
}
