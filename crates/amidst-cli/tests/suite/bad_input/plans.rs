//! Plans that cannot be followed.

use super::refused;
use crate::support::{Folder, PEOPLE, ROLES};

const PLAN: &str = r#"[privacy]
k = 2

[columns]
name    = { role = "identifier" }
age     = { role = "quasi", kind = "range" }
city    = { role = "quasi", kind = "set" }
disease = { role = "sensitive" }
"#;

/// The people by a plan in which one text is replaced by another.
#[track_caller]
fn plan_refused(from: &str, to: &str, message: &str) {
    assert!(PLAN.contains(from));
    let folder = Folder::with("people.csv", PEOPLE);
    folder.write("plan.toml", PLAN.replace(from, to));
    refused(&folder, "people.csv --plan plan.toml", 2, message);
}

/// The same where the plan cannot even be read; the message shows the place.
#[track_caller]
fn invalid(from: &str, to: &str, place: &str) {
    plan_refused(from, to, &format!("`plan.toml` is not a valid plan: TOML parse error at {place}"));
}

#[test]
fn the_plan_itself_is_fine() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.write("plan.toml", PLAN);
    folder.run("anonymize people.csv -o out.csv --plan plan.toml").ok();
}

#[test]
fn a_plan_that_is_not_there() {
    let message = "cannot read `nowhere.toml`: No such file or directory (os error 2)";
    refused(&Folder::with("people.csv", PEOPLE), "people.csv --plan nowhere.toml", 2, message);
}

#[test]
fn toml_that_is_none() {
    invalid(
        "k = 2",
        "k = ",
        "\
line 2, column 5
  |
2 | k =\x20
  |     ^
string values must be quoted, expected literal string",
    );
}

#[test]
fn a_key_that_is_none() {
    invalid(
        "k = 2",
        "k = 2\nl = 3",
        "\
line 3, column 1
  |
3 | l = 3
  | ^
unknown field `l`, expected one of `k`, `require`, `suppress`",
    );
}

#[test]
fn a_role_or_kind_that_is_none() {
    invalid(
        "\"sensitive\"",
        "\"secret\"",
        "\
line 8, column 20
  |
8 | disease = { role = \"secret\" }
  |                    ^^^^^^^^
unknown variant `secret`, expected one of `identifier`, `person`, `household`, `quasi`, `sensitive`, `other`, `personal-k`, `personal-l`",
    );
}

#[test]
fn a_column_that_is_not_in_the_table() {
    plan_refused("city  ", "citi", "there is no column `citi` in `people.csv`; did you mean `city`?");
    plan_refused("name  ", "nmae", "there is no column `nmae` in `people.csv`; did you mean `name`?");
}

#[test]
fn a_column_that_is_not_in_the_plan() {
    plan_refused(
        "city    = { role = \"quasi\", kind = \"set\" }\ndisease = { role = \"sensitive\" }",
        "",
        "the plan says nothing about columns `city`, `disease` of `people.csv`; \
         give each a role (identifier, person, household, quasi, sensitive or other)",
    );
    plan_refused(
        "disease = { role = \"sensitive\" }",
        "",
        "the plan says nothing about column `disease` of `people.csv`; \
         give each a role (identifier, person, household, quasi, sensitive or other)",
    );
}

#[test]
fn a_column_in_two_roles() {
    invalid(
        "disease =",
        "age =",
        "\
line 8, column 1
  |
8 | age = { role = \"sensitive\" }
  | ^^^
duplicate key",
    );
}

#[test]
fn no_quasi_identifier() {
    let folder = Folder::with("people.csv", PEOPLE);
    let plan = PLAN.replace("role = \"quasi\", kind = \"range\"", "role = \"other\"");
    folder.write("plan.toml", plan.replace("role = \"quasi\", kind = \"set\"", "role = \"other\""));
    let message = "no column is a quasi-identifier; \
                   name the columns that could single a person out (--quasi, or role = \"quasi\" in the plan)";
    refused(&folder, "people.csv --plan plan.toml", 2, message);
}

#[test]
fn a_column_that_contradicts_itself() {
    plan_refused(
        "kind = \"range\"",
        "kind = \"set\", type = \"integer\"",
        "column `age`: it has a type but is no range; drop the type or make the kind range",
    );
    plan_refused(
        ", kind = \"range\"",
        "",
        "column `age`: it has no kind; say how it is generalized: range, ordered, taxonomy, set or suppress",
    );
    plan_refused(
        "role = \"sensitive\"",
        "role = \"sensitive\", kind = \"set\"",
        "column `disease`: only a quasi-identifier has a kind; drop it or make the role quasi",
    );
    plan_refused("kind = \"range\"", "kind = \"range\", weight = -1.0", "column `age`: its weight must be 0 or more");
    plan_refused(
        "kind = \"set\"",
        "kind = \"ordered\", order = [\"Oslo\", \"Oslo\", \"Bergen\", \"Rome\", \"Milan\"]",
        "column `city`: its order lists a value twice",
    );
}

#[test]
fn a_type_that_a_value_does_not_have() {
    let folder = Folder::with("people.csv", PEOPLE.replace("31", "31.5"));
    folder.write("plan.toml", PLAN.replace("kind = \"range\"", "kind = \"range\", type = \"integer\""));
    refused(
        &folder,
        "people.csv --plan plan.toml",
        2,
        "`people.csv`, row 3, column `age`: `31.5` is not a whole number; \
         correct it, declare it missing (--missing '31.5'), or give the column another kind",
    );
}

#[test]
fn rows_are_counted_as_in_the_file_even_where_some_are_dropped() {
    let folder = Folder::with("ages.csv", "age,sex\n?,f\n30,f\nx,m\n");
    folder.write(
        "plan.toml",
        "[privacy]\nk = 2\n[columns]\nage = { role = \"quasi\", kind = \"range\" }\nsex = { role = \"other\" }",
    );
    refused(
        &folder,
        "ages.csv --plan plan.toml --missing ? --drop-missing",
        2,
        "`ages.csv`, row 3, column `age`: `x` is not a number; \
         correct it, declare it missing (--missing 'x'), or give the column another kind",
    );
}

#[test]
fn a_plan_that_would_be_overwritten() {
    let folder = Folder::with("people.csv", PEOPLE);
    let message = |path: &str| {
        format!(
            "the release would overwrite `{path}`, which is a plan that somebody wrote; \
             choose another output name, or rename the plan"
        )
    };
    // The plan of `out.csv` would be stored where this one lies, whoever asks.
    folder.write("out.plan.toml", PLAN);
    refused(&folder, "people.csv --quasi age --k 2", 2, &message("out.plan.toml"));
    refused(&folder, "people.csv --plan out.plan.toml", 2, &message("out.plan.toml"));
    assert_eq!(folder.text("out.plan.toml"), PLAN);
    let run = folder.run("anonymize people.csv -o out.plan.toml --plan out.plan.toml");
    let read =
        "the release `out.plan.toml` would overwrite the plan `out.plan.toml`, which is read; choose another name";
    assert_eq!((run.code, run.stderr), (2, format!("error: {read}\n")));
    assert_eq!(folder.text("out.plan.toml"), PLAN);
    // Nor is a stored plan changed by a run that departs from it.
    folder.run(&format!("anonymize people.csv -o first.csv {ROLES} --k 2 -q")).ok();
    let run = folder.run("anonymize people.csv -o first.csv --plan first.plan.toml --seed 8");
    assert_eq!((run.code, run.stderr), (2, format!("error: {}\n", message("first.plan.toml"))));
}
