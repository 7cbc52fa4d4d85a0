//! `audit --plan` passed a release with a column that nobody asked for: only the original noticed.

use crate::support::{Folder, PEOPLE, ROLES};

/// A release of the people, in the form that `more` asks for.
fn released(more: &str) -> Folder {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o release.csv {ROLES} --k 2 {more}")).ok();
    folder
}

/// Puts a column behind the others of a file.
fn widened(folder: &Folder, file: &str, column: &str) {
    let mut lines = folder.text(file).lines().map(str::to_owned).collect::<Vec<_>>();
    lines
        .iter_mut()
        .zip(0..)
        .for_each(|(line, row)| *line += &if row == 0 { format!(",{column}") } else { format!(",{row}") });
    folder.write(file, lines.join("\n") + "\n");
}

const FORMS: &[&str] = &[
    "",
    "--show age=bounds",
    "--publish centres",
    "--publish ring",
    "--l 1.5 --publish anatomy",
    "--l 1.5 --publish slicing",
    "--l 1.5 --publish randomization",
];

#[test]
fn an_added_column_fails_by_the_plan_alone() {
    for form in FORMS {
        let folder = released(form);
        folder.run("audit release.csv --plan release.plan.toml").ok();
        widened(&folder, "release.csv", "ssn");
        let run = folder.run("audit release.csv --plan release.plan.toml");
        assert_eq!(run.code, 1, "{form}: {}{}", run.stdout, run.stderr);
        let expected = "fails: the release has a column `ssn` that the plan does not publish";
        assert!(run.stdout.contains(expected), "{form}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn an_added_column_of_a_part_fails() {
    let folder = released("--l 1.5 --publish anatomy");
    widened(&folder, "release.sensitive.csv", "ssn");
    let run = folder.run("audit release.csv --plan release.plan.toml");
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("release.sensitive.csv` has a column `ssn`"), "{}", run.stdout);
}

#[test]
fn a_column_that_is_gone_fails() {
    let folder = released("");
    for (place, column) in ["age", "city", "disease"].iter().enumerate() {
        let without = |line: &str| {
            let cells: Vec<&str> =
                line.split(',').enumerate().filter(|(i, _)| *i != place).map(|(_, cell)| cell).collect();
            cells.join(",") + "\n"
        };
        folder.write("less.csv", folder.text("release.csv").lines().map(without).collect::<String>());
        let run = folder.run("audit less.csv --plan release.plan.toml");
        assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
        let expected = format!("fails: the release lacks the column `{column}`, which the plan publishes");
        assert!(run.stdout.contains(&expected), "{}", run.stdout);
    }
}

#[test]
fn flags_say_which_columns_they_do_not_name() {
    let folder = released("");
    widened(&folder, "release.csv", "ssn");
    std::fs::remove_file(folder.path("release.manifest.json")).unwrap();
    let run = folder.run("audit release.csv --quasi age,city --k 2").ok();
    assert!(run.stdout.contains("unnamed    disease, ssn: no flag names these columns"), "{}", run.stdout);
    let report = folder.run("audit release.csv --quasi age,city --k 2 --json").ok().json();
    assert_eq!(report["unnamed"], serde_json::json!(["disease", "ssn"]));
    // By a plan there is nothing left unnamed.
    let report = released("").run("audit release.csv --plan release.plan.toml --json").ok().json();
    assert!(report.get("unnamed").is_none());
}
