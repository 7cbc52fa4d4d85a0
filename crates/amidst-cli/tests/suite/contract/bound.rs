//! `amidst bound` and `anonymize --certify`: how far from the best possible.

use crate::support::{Folder, PEOPLE, ROLES};

/// Pairs of neighbours are the best there can be for [`PEOPLE`] and k = 2: by age the extents of the four pairs are 2, 3, 4 and 2
/// of 48, on average 11/4/48, and the cities are kept; half of that on average over the two columns.
const BEST: f64 = 11.0 / 4.0 / 48.0 / 2.0;

#[test]
fn the_bound_of_a_table_by_hand() {
    let folder = Folder::with("people.csv", PEOPLE);
    let report = folder.run(&format!("bound people.csv {ROLES} --k 2 --json -q")).ok().json();
    let bound = report["bound"]["loss"].as_f64().unwrap();
    assert!((bound - BEST).abs() < 1e-6, "{report}");
    assert_eq!((report["rows"].as_u64(), report["k"].as_u64()), (Some(8), Some(2)));
    assert_eq!(report["measure"], "lm");
    let text = folder.run(&format!("bound people.csv {ROLES} --k 2")).ok().stdout;
    assert!(text.contains("bound      lm 0.0286: no release with k = 2 loses less\n"), "{text}");
    assert_eq!(folder.names(), ["people.csv"]);
}

#[test]
fn a_release_is_certified_if_asked() {
    let folder = Folder::with("people.csv", PEOPLE);
    let run = |more: &str| folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 {more}")).ok();
    assert!(run("--json").json().get("certificate").is_none());
    let certificate = run("--json --certify").json()["certificate"].clone();
    assert!((certificate["loss"].as_f64().unwrap() - BEST).abs() < 1e-9, "{certificate}");
    assert!(certificate["above"].as_f64().unwrap() < 1e-6, "{certificate}");
    let text = run("--certify").stdout;
    assert!(text.contains("proven     below 0.01 % above the best possible (lower bound 0.0286, "), "{text}");
}

#[test]
fn a_measure_without_a_bound_gets_no_certificate() {
    let folder = Folder::with("people.csv", PEOPLE);
    let refused = folder.run(&format!("bound people.csv {ROLES} --k 2 --measure dm -q"));
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.starts_with("error: there is no lower bound of the loss: "), "{}", refused.stderr);
    let run = folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --measure dm --certify")).ok();
    assert!(run.stdout.contains("proven     nothing: the objective is no sum over the columns"), "{}", run.stdout);
}
