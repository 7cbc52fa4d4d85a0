//! Reports: written with the release, all or none, and the same facts in every form.

use std::fs;
use std::path::Path;

use crate::support::{Folder, PEOPLE, ROLES};

#[test]
fn every_form_of_the_report_carries_the_same_facts() {
    let folder = Folder::with("people.csv", PEOPLE);
    let arguments = "--k 2 --report report.html --report report.json --report report.txt --json";
    let printed = folder.run(&format!("anonymize people.csv -o release.csv {ROLES} {arguments}")).ok().json();
    let stored: serde_json::Value = serde_json::from_str(&folder.text("report.json")).unwrap();
    assert_eq!(printed, stored);
    let details = &stored["details"];
    // SHA-256 of the bytes of PEOPLE, by sha256sum.
    let known = "197ba2b9aae9bbd9250437382c7ed4434369dc784d140f9be4d2155213dc612d";
    assert_eq!((&details["files"][0]["what"], &details["files"][0]["sha256"]), (&"input".into(), &known.into()));
    assert_eq!(details["again"], "amidst anonymize people.csv -o release.csv --plan release.plan.toml");
    // Everybody is alone before; of pairs, one in two is found.
    assert_eq!(details["risk"]["before"]["prosecutor"]["highest"], 1.0);
    assert_eq!(details["risk"]["after"]["prosecutor"]["highest"], 0.5);
    let (page, text) = (folder.text("report.html"), folder.text("report.txt"));
    for form in [&page, &text] {
        for file in details["files"].as_array().unwrap() {
            assert!(form.contains(file["sha256"].as_str().unwrap()) && form.contains(file["name"].as_str().unwrap()));
        }
        assert!(form.contains("amidst anonymize people.csv -o release.csv --plan release.plan.toml"));
        // Names are identifiers, and nobody's record stands in a report.
        assert!(!form.contains("Ann") && !form.contains("Hal"));
    }
}

#[test]
fn what_is_printed_names_the_reports_and_stays_short() {
    let folder = Folder::with("people.csv", PEOPLE);
    let run = folder.run(&format!("anonymize people.csv -o release.csv {ROLES} --k 2 --report report.html")).ok();
    assert!(run.stdout.contains("report     report.html\n"), "{}", run.stdout);
    assert!(!run.stdout.contains("fingerprints"), "{}", run.stdout);
}

#[test]
fn a_report_that_cannot_be_written_leaves_no_release() {
    let folder = Folder::with("people.csv", PEOPLE);
    let refused = |report: &str, message: &str| {
        let run = folder.run(&format!("anonymize people.csv -o release.csv {ROLES} --k 2 --report {report}"));
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(message), "{}", run.stderr);
        assert_eq!(folder.names(), ["people.csv"]);
        assert_eq!(folder.text("people.csv"), PEOPLE);
    };
    refused("report.pdf", "`report.pdf` is not a report: its name must end in .html, .json or .txt");
    refused("people.csv", "`people.csv` is not a report");
    refused("nowhere/report.html", "nowhere/report.html");
    refused("release.dictionary.json", "the report `release.dictionary.json` would overwrite");
    refused("a.html --report a.html", "the report `a.html` would overwrite the report `a.html`, which is written, too");
}

#[test]
fn a_report_about_a_stream_has_no_command_to_make_it_again() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o - {ROLES} --k 2 --report report.json -q")).ok();
    let report: serde_json::Value = serde_json::from_str(&folder.text("report.json")).unwrap();
    assert!(report["details"]["again"].is_null());
    assert_eq!(report["details"]["files"][0]["what"], "input");
}

#[test]
fn comparisons_have_a_page() {
    let folder = Folder::with("people.csv", PEOPLE);
    let arguments = "--k 2,4 --l 1,2 --rows 4,8 --algorithms mondrian,engine --report page.html -o runs.csv";
    folder.run(&format!("compare people.csv {ROLES} {arguments}")).ok();
    let csv = folder.text("runs.csv");
    assert_eq!(csv.lines().next(), Some("k,l,rows,partitioner,classes,risk,seconds,cpu_seconds,lm,ncp"));
    assert_eq!(csv.lines().count(), 1 + 2 * 2 * 2 * 2);
    assert!(folder.text("page.html").contains("<svg"));
    let run = folder.run(&format!("compare people.csv {ROLES} --k 2 --report page.csv"));
    assert_eq!((run.code, run.stderr.as_str()), (2, "error: `page.csv` is not a page: its name must end in .html\n"));
}

#[test]
fn the_schemas_in_the_documents_are_those_of_the_program() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    let folder = Folder::new();
    let mut names: Vec<String> =
        fs::read_dir(&docs).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(
        names,
        ["anonymize", "attack", "audit", "bound", "compare", "dry-run", "explain", "measure", "public-report", "risk"]
            .map(|n| format!("{n}.json"))
    );
    for name in names {
        let printed = folder.run(&format!("schema {}", name.trim_end_matches(".json"))).ok().stdout;
        assert_eq!(printed, fs::read_to_string(docs.join(&name)).unwrap(), "{name} is old: run `make schema`");
    }
}
