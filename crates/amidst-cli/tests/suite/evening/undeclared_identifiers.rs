//! Happening 1: names, numbers and a unique amount were published under a green verdict, because no flag named them.

use super::tables::{self, Table};
use crate::support::Folder;

/// Publishes a table by a few flags. What was left open is refused, and names all that a reader should not see.
fn refused(table: &Table, flags: &[&str]) -> (Folder, String) {
    let folder = Folder::with("table.csv", table.csv(600, 7));
    let run = folder.run_args(&[&["anonymize", "table.csv", "-o", "release.csv", "--k", "10"], flags].concat());
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert_eq!(folder.names(), ["table.csv"], "nothing may be published");
    (folder, run.stderr)
}

const HEALTHCARE: [&str; 6] = ["--quasi", "Age,Gender", "--sensitive", "Medical Condition", "--l", "3"];

#[test]
fn identifiers_that_no_flag_names_are_refused() {
    let (_, message) = refused(&tables::table("Healthcare dataset (Kaggle)"), &HEALTHCARE);
    for name in ["Name", "Doctor", "Billing Amount", "Date of Admission"] {
        assert!(message.contains(&format!("`{name}`")), "{name}: {message}");
    }
    for name in ["Blood Type", "Test Results", "Insurance Provider"] {
        assert!(!message.contains(&format!("`{name}`")), "{name}: {message}");
    }
    assert!(message.contains("--identifier 'Name,"), "{message}");
    assert!(message.contains("--publish-as-is 'Name,"), "{message}");
    let (_, message) = refused(&tables::table("Synthea, patients"), &["--quasi", "GENDER,RACE,BIRTHDATE"]);
    for name in ["Id", "SSN", "PASSPORT", "DRIVERS", "ADDRESS", "FIRST", "LAST", "MAIDEN", "ZIP"] {
        assert!(message.contains(&format!("`{name}`")), "{name}: {message}");
    }
}

#[test]
fn no_value_of_an_identifier_is_in_the_message() {
    let table = tables::table("Synthea, patients");
    let (folder, message) = refused(&table, &["--quasi", "GENDER,RACE"]);
    let text = folder.text("table.csv");
    let cells = text.lines().skip(1).flat_map(|line| line.split(','));
    let named = |cell: &&str| cell.len() > 5 && cell.bytes().any(|b| b.is_ascii_digit()) && message.contains(*cell);
    assert_eq!(cells.filter(named).count(), 0, "{message}");
}

#[test]
fn the_ways_out_work() {
    let table = tables::table("Healthcare dataset (Kaggle)");
    let (folder, message) = refused(&table, &HEALTHCARE);
    let run = |more: &[&str]| {
        folder
            .run_args(&[&["anonymize", "table.csv", "-o", "release.csv", "--k", "10"], &HEALTHCARE[..], more].concat())
    };
    // The flag that the message proposes, as it stands there.
    let proposed = message.split("(--identifier '").nth(1).unwrap().split('\'').next().unwrap().to_owned();
    let named = run(&["--identifier", &proposed]).ok();
    assert!(named.stderr.contains("published unchanged, because nobody named them: Blood Type"), "{}", named.stderr);
    assert!(named.stdout.starts_with("verdict    AMBER"), "{}", named.stdout);
    assert!(!folder.text("release.csv").lines().next().unwrap().contains("Name"));

    let dropped = run(&["--others", "drop"]).ok();
    assert_eq!(folder.text("release.csv").lines().next().unwrap(), "Age,Gender,Medical Condition");
    assert!(dropped.stdout.starts_with("verdict    GREEN"), "{}", dropped.stdout);

    let publish = run(&["--others", "publish"]);
    assert_eq!(publish.code, 2, "identifiers are refused all the same");
    let all = run(&["--publish-as-is", &proposed, "--others", "publish"]).ok();
    assert!(all.stdout.starts_with("verdict    AMBER"), "{}", all.stdout);
    assert!(all.stdout.contains("`Name` (names: by its name;"), "{}", all.stdout);
    assert!(folder.text("release.csv").lines().next().unwrap().starts_with("Name,"));
}

#[test]
fn a_plan_says_what_happens_to_new_columns() {
    let table = tables::table("Healthcare dataset (Kaggle)");
    let folder = Folder::with("table.csv", table.csv(600, 7));
    let plan = |others: &str| {
        format!(
            "{others}\n[privacy]\nk = 10\n[columns]\nAge = {{ role = \"quasi\", kind = \"range\" }}\nGender = {{ role = \"quasi\", kind = \"set\" }}\n"
        )
    };
    folder.write("open.toml", plan(""));
    let run = folder.run("anonymize table.csv -o release.csv --plan open.toml");
    assert!(run.code == 2 && run.stderr.contains("the plan says nothing about"), "{}", run.stderr);
    folder.write("drop.toml", plan("others = \"drop\""));
    folder.run("anonymize table.csv -o release.csv --plan drop.toml").ok();
    assert_eq!(folder.text("release.csv").lines().next().unwrap(), "Age,Gender");
    folder.run("audit release.csv --plan release.plan.toml --original table.csv").ok();
    folder.write("publish.toml", plan("others = \"publish\""));
    let run = folder.run("anonymize table.csv -o other.csv --plan publish.toml");
    assert!(run.code == 2 && run.stderr.contains("`Name`"), "{}", run.stderr);
}
