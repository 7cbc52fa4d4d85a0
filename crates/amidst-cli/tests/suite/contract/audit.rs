//! `audit` tells a sound release from one that was tampered with.

use crate::support::{CITIES, Folder, PEOPLE, ROLES, Run};

const BY_PLAN: &str = "--plan release.plan.toml --original people.csv";

/// A folder with a release of the people, in the order of the input or shuffled.
fn released(order: &str) -> Folder {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o release.csv {ROLES} --k 2 {order}")).ok();
    folder
}

/// Audits the release after a change to its text.
fn audited(folder: &Folder, change: impl Fn(&str) -> String, how: &str) -> Run {
    let sound = folder.text("release.csv");
    let changed = change(&sound);
    assert_ne!(sound, changed, "the change must change something");
    folder.write("changed.csv", changed);
    folder.run(&format!("audit changed.csv {how}"))
}

#[test]
fn a_sound_release_covers_its_original() {
    for order in ["--keep-order", ""] {
        let report = released(order).run(&format!("audit release.csv {BY_PLAN} --json")).ok().json();
        assert_eq!(report["covers_original"], true);
        assert!(report["loss"]["lm"].as_f64().is_some_and(|loss| 0.0 < loss && loss < 1.0), "{report}");
    }
    // In the order of the input no plan is needed.
    let report = released("--keep-order").run(&format!("audit release.csv {ROLES} --original people.csv --json"));
    assert_eq!(report.ok().json()["covers_original"], true);
}

#[test]
fn a_shuffled_release_needs_its_plan() {
    let run = released("").run(&format!("audit release.csv {ROLES} --original people.csv"));
    assert_eq!(run.code, 1, "{}", run.stdout);
}

#[test]
fn a_changed_cell_fails() {
    for order in ["--keep-order", ""] {
        // Numbers that are not those of the row, then a text that is none.
        for cell in ["22", "[90-99]", "old"] {
            let run = audited(&released(order), |text| text.replacen("[21-23]", cell, 1), BY_PLAN);
            assert_eq!(run.code, 1, "{cell}: {}", run.stderr);
            assert!(run.stdout.contains("column `age`: the cell does not cover the value of row"), "{}", run.stdout);
            assert!(run.stdout.contains("k = 2 was asked for but k = 1 is reached"), "{}", run.stdout);
        }
    }
}

#[test]
fn a_changed_sensitive_value_fails_and_is_not_shown() {
    for order in ["--keep-order", ""] {
        let run = audited(&released(order), |text| text.replacen("gout", "plague", 1), BY_PLAN);
        assert_eq!(run.code, 1);
        assert!(run.stdout.contains("column `disease`: the value is not that of row"), "{}", run.stdout);
        assert!(!run.stdout.contains("gout") && !run.stdout.contains("plague"), "{}", run.stdout);
    }
}

#[test]
fn a_row_too_few_or_too_many_fails() {
    let first_row = |text: &str| text.lines().nth(1).unwrap().to_owned() + "\n";
    for order in ["--keep-order", ""] {
        let folder = released(order);
        let run = audited(&folder, |text| text.replacen(&first_row(text), "", 1), BY_PLAN);
        assert_eq!(run.code, 1);
        assert!(run.stdout.contains("the release has 7 rows where 8 were expected"), "{}", run.stdout);
        let run = audited(&folder, |text| text.to_owned() + &first_row(text), BY_PLAN);
        assert_eq!(run.code, 1);
        assert!(run.stdout.contains("the release has 9 rows where 8 were expected"), "{}", run.stdout);
    }
}

#[test]
fn two_rows_swapped_fail() {
    let swap = |text: &str| {
        let mut lines: Vec<&str> = text.lines().collect();
        let other = (2..lines.len()).find(|i| lines[*i].split(',').next() != lines[1].split(',').next()).unwrap();
        lines.swap(1, other);
        lines.join("\n") + "\n"
    };
    for order in ["--keep-order", ""] {
        assert_eq!(audited(&released(order), swap, BY_PLAN).code, 1);
    }
}

#[test]
fn a_published_identifier_fails() {
    let folder = Folder::with("release.csv", "name,age\nAnn,[21-23]\nBob,[21-23]\n");
    let run = folder.run("audit release.csv --quasi age --identifier name");
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("fails: the identifier `name` is published"), "{}", run.stdout);
}

#[test]
fn an_identifier_is_never_in_the_output() {
    for output in ["out.csv", "out.parquet"] {
        let folder = Folder::with("people.csv", PEOPLE);
        let run = folder.run(&format!("anonymize people.csv -o {output} {ROLES} --k 2")).ok();
        for name in PEOPLE.lines().skip(1).map(|line| line.split(',').next().unwrap()) {
            let found = |bytes: &[u8]| bytes.windows(name.len()).any(|w| w == name.as_bytes());
            assert!(!found(&folder.bytes(output)) && !found(&folder.bytes("out.plan.toml")));
            assert!(!run.stdout.contains(name) && !run.stderr.contains(name));
        }
    }
}

#[test]
fn the_release_of_another_tool_is_audited() {
    // In the notation of other tools; for the classes only the texts count.
    let release = "\
age;zip;disease
20-29;7527*;flu
20-29;7527*;cold
20-29;7527*;flu
>=40;*;gout
>=40;*;gout
";
    let folder = Folder::with("foreign.csv", release);
    let how = "audit foreign.csv --delimiter ; --quasi age,zip --sensitive disease";
    let report = folder.run(&format!("{how} --json")).ok().json();
    assert_eq!((&report["rows"], &report["classes"]), (&5.into(), &2.into()));
    assert_eq!(report["achieved"]["k"], 2);
    assert_eq!(report["achieved"]["sensitive"]["disease"]["distinct_l"], 1); // the second class has only gout
    assert_eq!(report["class_sizes"].to_string(), r#"{"2":1,"3":1}"#);
    let run = folder.run(&format!("{how} --k 3"));
    assert_eq!(run.code, 1);
    assert!(
        run.stdout
            .contains("fails: k = 3 was asked for but k = 2 is reached: 1 of 2 classes, with 2 of 5 rows, are smaller"),
        "{}",
        run.stdout
    );
}

#[test]
fn whoever_audits_a_shuffled_release_by_flags_is_told_of_its_plan() {
    let table: String = (0..40).map(|row| format!("{},{}\n", 20 + row, row % 3)).collect();
    let folder = Folder::with("t.csv", format!("age,ward\n{table}"));
    folder.run("anonymize t.csv -o r.csv --quasi age --publish-as-is ward --k 4").ok();
    let run = folder.run("audit r.csv --quasi age --publish-as-is ward --original t.csv");
    assert_eq!(run.code, 1);
    let said = "the release does not fit the original in the order of the files; releases of amidst are shuffled unless asked otherwise, and only \
                the plan that was stored beside the release, `r.plan.toml`, says in which order: give that plan (--plan) instead of the columns";
    assert!(run.stdout.contains(said), "{}", run.stdout);
    folder.run("audit r.csv --plan r.plan.toml --original t.csv").ok();
}

#[test]
fn a_generalized_table_written_by_hand_covers_its_original() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.write("cities.csv", CITIES);
    // Bounds that no record has, as tools with fixed intervals publish them.
    let by_hand = "\
age,city,disease
[20-39],Norway,flu
[20-39],Norway,cold
[20-39],Norway,flu
[20-39],Norway,gout
[50-70],*,flu
[50-70],*,cold
[50-70],*,gout
[50-70],*,flu
";
    folder.write("by-hand.csv", by_hand);
    let how = format!("{ROLES} --hierarchy city=cities.csv --original people.csv --k 4");
    let report = folder.run(&format!("audit by-hand.csv {how} --json")).ok().json();
    assert_eq!(report["classes"], 2);
    folder.write("by-hand.csv", by_hand.replace("Norway", "Italy"));
    assert_eq!(folder.run(&format!("audit by-hand.csv {how}")).code, 1);
}
