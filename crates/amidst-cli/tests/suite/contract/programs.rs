//! JSON and exit codes: the interface for programs.

use serde_json::Value;

use crate::support::{CITIES, Folder, PEOPLE, PEOPLE_RELEASED, ROLES};

#[test]
fn anonymize_prints_one_json_object() {
    let folder = Folder::with("people.csv", PEOPLE);
    let method = "--partitioner mondrian --measure ncp --publish generalization --seed 7 --threads 2";
    let run = folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 {method} --json")).ok();
    let report = run.json();
    assert_eq!(report["rows"], 8);
    assert_eq!(report["classes"], 4);
    assert_eq!(report["achieved"]["k"], 2);
    assert_eq!(report["partitioner"], "mondrian");
    assert_eq!(report["measure"], "ncp");
    assert_eq!(report["seed"], 7);
    for pointer in [
        "/loss/lm",
        "/loss/ncp",
        "/seconds/read",
        "/seconds/partition",
        "/seconds/publish",
        "/seconds/verify",
        "/cpu_seconds/partition",
    ] {
        let number = report.pointer(pointer).and_then(Value::as_f64);
        assert!(number.is_some_and(|n| n >= 0.0), "{pointer}: {report}");
    }
    assert!(report["peak_memory_bytes"].as_u64() > Some(1 << 20), "{report}");
}

#[test]
fn losses_are_those_of_the_literature() {
    let folder = Folder::with("t.csv", "age,s\n20,a\n30,b\n40,c\n50,d\n");
    let report = folder.run("anonymize t.csv -o out.csv --quasi age --k 2 --json").ok().json();
    // [20-30] and [40-50] are each 10 of the 30 years that the column spans.
    let third = |name: &str| (report["loss"][name].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12;
    assert!(third("lm") && third("ncp"), "{report}");
}

#[test]
fn a_plan_and_flags_mean_the_same() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.write("cities.csv", CITIES);
    folder.write(
        "plan.toml",
        r#"
        [privacy]
        k = 3
        [method]
        seed = 5
        [columns]
        name    = { role = "identifier" }
        age     = { role = "quasi", kind = "range" }
        city    = { role = "quasi", kind = "taxonomy", hierarchy = "cities.csv" }
        disease = { role = "sensitive" }
        "#,
    );
    folder.run("anonymize people.csv -o by-plan.csv --plan plan.toml").ok();
    folder
        .run(&format!(
            "anonymize people.csv -o by-flags.csv {ROLES} --k 3 --seed 5 --kind age=range --hierarchy city=cities.csv"
        ))
        .ok();
    assert_eq!(folder.text("by-plan.csv"), folder.text("by-flags.csv"));
    assert!(folder.text("by-plan.csv").contains("[51-69],Italy,"), "{}", folder.text("by-plan.csv"));
}

#[test]
fn flags_go_before_the_plan() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o first.csv {ROLES} --k 2 --seed 3")).ok();
    let again = "anonymize people.csv -o second.csv --plan first.plan.toml --k 4 --seed 9 --keep-order --json";
    let report = folder.run(again).ok().json();
    assert_eq!((&report["seed"], &report["classes"]), (&9.into(), &2.into()));
    let stored = folder.text("second.plan.toml");
    assert!(
        stored.contains("k = 4") && stored.contains("seed = 9") && stored.contains(r#"order = "keep""#),
        "{stored}"
    );
}

#[test]
fn audit_prints_one_json_object() {
    let folder = Folder::with("release.csv", PEOPLE_RELEASED);
    let report = folder.run("audit release.csv --quasi age,city --sensitive disease --k 2 --json").ok().json();
    assert_eq!(report["rows"], 8);
    assert_eq!(report["classes"], 4);
    assert_eq!(report["achieved"]["k"], 2);
    assert_eq!(report["achieved"]["sensitive"]["disease"]["distinct_l"], 2);
    assert_eq!(report["failures"], Value::Array(Vec::new()));
}

#[test]
fn every_list_is_a_json_array_of_names() {
    let folder = Folder::new();
    for (list, member) in [
        ("partitioners", Some("mondrian")),
        ("measures", Some("ncp")),
        ("constraints", Some("k-anonymity")),
        ("publishers", Some("generalization")),
        ("refiners", None),
    ] {
        let entries = folder.run(&format!("list {list} --json")).ok().json();
        let entries = entries.as_array().expect("an array");
        for entry in entries {
            let filled = |field: &str| entry[field].as_str().is_some_and(|text| !text.is_empty());
            assert!(filled("name") && filled("about") && filled("paper"), "{entry}");
        }
        let is_there = |name: &str| entries.iter().any(|entry| entry["name"] == name);
        assert!(member.is_none_or(is_there), "{list}: {entries:?}");
    }
}

#[test]
fn exit_codes_tell_the_data_from_the_use() {
    let folder = Folder::with("people.csv", PEOPLE);
    let code = |args: &str| folder.run(args).code;
    assert_eq!(code(&format!("anonymize people.csv -o out.csv {ROLES} --k 2")), 0);
    assert_eq!(code(&format!("anonymize people.csv -o out.csv {ROLES} --k 9")), 1);
    assert_eq!(code("audit out.csv --quasi age,city --k 2"), 0);
    assert_eq!(code("audit out.csv --quasi age,city --k 3"), 1);
    assert_eq!(code("audit out.csv --quasi nothing"), 2);
    assert_eq!(code("anonymize people.csv -o out.csv"), 2);
    assert_eq!(code("anonymise"), 2);
    assert_eq!(code("list friends"), 2);
    assert_eq!(code("--version"), 0);
}

#[test]
fn quiet_says_nothing() {
    let folder = Folder::with("people.csv", PEOPLE);
    let run = folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --quiet")).ok();
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
}

#[test]
fn kinds_that_nobody_named_are_said() {
    let folder = Folder::with("people.csv", PEOPLE);
    let run = folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --json")).ok();
    assert_eq!(run.stderr, "note: kinds taken from the values: age as range; city as set; change them with --kind\n");
    let run = folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --kind age=range --kind city=set"));
    assert_eq!(run.ok().stderr, "");
}
