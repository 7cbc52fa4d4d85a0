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
fn a_time_may_follow_the_flag() {
    let folder = Folder::with("people.csv", PEOPLE);
    let run =
        |line: &str| folder.run(&format!("anonymize {line} -o out.csv {ROLES} --k 2 --seed 3 --json")).ok().json();
    // Without a time, the next argument is the table.
    let usual = run("--certify people.csv");
    assert!(usual["certificate"]["limit_seconds"].as_f64().unwrap() >= 1.0, "{usual}");
    for (flag, limit) in [
        ("--certify=60s", Some(60.0)),
        ("--certify 2m", Some(120.0)),
        ("--certify 0s", Some(0.0)),
        ("--certify full", None),
    ] {
        for line in [format!("{flag} people.csv"), format!("people.csv {flag}")] {
            let certificate = run(&line)["certificate"].clone();
            assert_eq!(certificate["limit_seconds"].as_f64(), limit, "{line}: {certificate}");
            assert!(certificate["bound"]["loss"].as_f64().unwrap() <= BEST + 1e-9, "{line}: {certificate}");
            assert_eq!(certificate["bound"]["complete"], limit != Some(0.0), "{line}: {certificate}");
        }
    }
    for wrong in ["60", "60x", "0x10"] {
        let refused = folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --certify {wrong}"));
        assert_eq!(refused.code, 2);
        assert!(refused.stderr.contains(&format!("`{wrong}` is no time for a proof; ")), "{}", refused.stderr);
    }
}

#[test]
fn the_release_is_the_same_whatever_is_proven() {
    let folder = Folder::with("people.csv", PEOPLE);
    let released = |more: &str| {
        folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --seed 3 -q {more}")).ok();
        folder.bytes("out.csv")
    };
    let plain = released("");
    for more in ["--certify", "--certify=0s", "--certify=1s", "--certify=full"] {
        assert_eq!(released(more), plain, "{more}");
    }
}

#[test]
fn a_proof_that_was_stopped_says_so() {
    let folder = Folder::with("people.csv", PEOPLE);
    let run = folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --certify 0s")).ok();
    assert!(run.stdout.contains("; stopped after "), "{}", run.stdout);
    let hint = "note: the proof was stopped when its time was up; more time may prove more: --certify 10s, or --certify full\n";
    assert!(run.stderr.contains(hint), "{}", run.stderr);
    let report = folder.run(&format!("bound people.csv {ROLES} --k 2 --time 0s --json")).ok();
    assert_eq!(report.json()["bound"]["complete"], false);
    assert!(report.stderr.contains("--time 10s, or --time full\n"), "{}", report.stderr);
    let whole = folder.run(&format!("bound people.csv {ROLES} --k 2 --json -q")).ok().json();
    assert_eq!((whole["limit_seconds"].as_f64(), &whole["bound"]["complete"]), (Some(60.0), &true.into()));
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
