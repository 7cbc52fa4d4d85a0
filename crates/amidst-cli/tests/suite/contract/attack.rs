//! `attack` says what adversaries learn, and fails when that is more than was promised.

use crate::support::{Folder, PEOPLE, ROLES, many_rows};

const ROLES_OF_MANY: &str = "--quasi age,zip,job --sensitive disease --identifier note";

/// A folder with a release of 200 rows.
fn released(how: &str) -> Folder {
    let folder = Folder::with("table.csv", many_rows(200));
    folder.run(&format!("anonymize table.csv -o release.csv {ROLES_OF_MANY} --k 4 --l 2 {how}")).ok();
    folder
}

#[test]
fn a_sound_release_withstands_what_it_promises() {
    for form in ["generalization", "anatomy"] {
        let folder = released(&format!("--publish {form}"));
        let report = folder.run("attack table.csv release.csv --plan release.plan.toml --json").ok().json();
        assert_eq!((&report["rows"], &report["publish"]), (&200.into(), &form.into()));
        let verdict = |attack: &str| report["findings"][attack]["verdict"].as_str().unwrap().to_owned();
        assert_eq!(verdict("linking"), if form == "anatomy" { "unpromised" } else { "withstood" });
        assert_eq!(verdict("homogeneity"), "withstood");
        assert_eq!(verdict("rerun"), "unpromised");
        assert_eq!(report["findings"]["homogeneity"]["learned"], 0);
    }
}

#[test]
fn a_broken_promise_fails_and_names_nobody() {
    let folder = released("--keep-order");
    let flags = format!("attack table.csv release.csv {ROLES_OF_MANY}");
    folder.run(&format!("{flags} --k 4 --l 2 --attacks linking,homogeneity")).ok();
    for (attacks, promise) in [("linking", "--k 150"), ("homogeneity", "--k 4 --l 9"), ("order", "--k 4")] {
        let run = folder.run(&format!("{flags} {promise} --attacks {attacks}"));
        assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains(&format!("{attacks}: LEARNED MORE THAN PROMISED, about ")), "{}", run.stdout);
        assert!(!run.stdout.contains("disease ") && !run.stdout.contains("job "), "{}", run.stdout);
        let quiet = folder.run(&format!("{flags} {promise} --attacks {attacks} --quiet"));
        assert_eq!((quiet.code, quiet.stdout.as_str(), quiet.stderr.as_str()), (1, "", ""));
    }
    // Nothing was promised.
    folder.run(&format!("{flags} --attacks linking,homogeneity")).ok();
}

#[test]
fn wrong_use_is_refused() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o release.csv {ROLES} --k 2")).ok();
    let run = folder.run(&format!("attack people.csv release.csv {ROLES} --attacks linkin"));
    assert_eq!(run.code, 2);
    assert_eq!(run.stderr, "error: there is no attack named `linkin`; did you mean `linking`?\n");
    let run = folder.run(&format!("attack people.csv nowhere.csv {ROLES}"));
    assert_eq!(run.code, 2, "{}", run.stderr);
    let list = folder.run("list attacks --json").ok().json();
    assert_eq!(list[0]["name"], "linking");
}
