//! Privacy that cannot be had, or that cannot be understood.

use super::refused;
use crate::support::{Folder, PEOPLE, ROLES};

/// The people with these flags.
#[track_caller]
fn flags_refused(flags: &str, code: i32, message: &str) {
    refused(&Folder::with("people.csv", PEOPLE), &format!("people.csv {flags}"), code, message);
}

/// The people have flu four times of eight, cold and gout twice: what is asked of them, and what they reach.
#[track_caller]
fn infeasible(demand: &str, asked: &str, reached: &str) {
    let message = format!(
        "{asked} cannot be had from column `disease`: the table as a whole reaches {reached}, and no release of all its \
         records does better; ask for no more"
    );
    flags_refused(&format!("{ROLES} --k 2 {demand}"), 1, &message);
}

#[test]
fn levels_that_not_even_the_whole_table_has() {
    infeasible("--l 2.1", "frequency l = 2.1", "l = 2");
    infeasible("--require distinct-l(l=4)", "distinct l = 4", "l = 3");
    infeasible("--require entropy-l(l=3)", "entropy l = 3", "l = 2.8284");
    infeasible("--require recursive-l(c=1,l=2)", "recursive (c, l) = (1, 2)", "every c above 1 for l = 2");
    infeasible("--require recursive-l(c=9,l=4)", "recursive (c, l) = (9, 4)", "only l = 3");
    infeasible("--require disease=alpha-k(alpha=0.4)", "alpha = 0.4", "alpha = 0.5");
}

#[test]
fn what_the_message_names_can_be_had() {
    let folder = Folder::with("people.csv", PEOPLE);
    for demand in [
        "--l 2",
        "--require distinct-l(l=3)",
        "--require entropy-l(l=2.8284)",
        "--require recursive-l(c=1.0001,l=2)",
        "--require alpha-k(alpha=0.5)",
        "--require t-closeness(t=0)",
        "--require basic-beta(beta=0)",
        "--require enhanced-beta(beta=0)",
        "--require delta-disclosure(delta=0.000001)",
    ] {
        folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 {demand}")).ok();
    }
}

#[test]
fn wishes_that_not_even_the_whole_table_grants() {
    let with = |wish: &str| {
        let lines = PEOPLE.lines().enumerate().map(|(row, line)| match row {
            0 => format!("{line},wish\n"),
            5 => format!("{line},{wish}\n"),
            _ => format!("{line},1\n"),
        });
        Folder::with("people.csv", lines.collect::<String>())
    };
    let people = |role: &str| format!("people.csv {ROLES} --k 2 --{role} wish");
    refused(
        &with("9"),
        &people("personal-k"),
        1,
        "the table has 8 rows, fewer than k = 9, so no class can have 9 records; lower k to 8 or less",
    );
    refused(
        &with("2.5"),
        &people("personal-l"),
        1,
        "the highest personal l = 2.5 is more than column `disease` has: the table as a whole reaches l = 2, and a release \
         may have to be one class; ask for no more",
    );
    // `NaN` is no wish, as an empty cell is none.
    with("NaN").run(&format!("anonymize {} -o out.csv", people("personal-l"))).ok();
    // What is neither is named with its place.
    for (wish, role, expected) in [
        ("many", "personal-k", "a whole number of records to hide among, 1 or more"),
        ("2.5", "personal-k", "a whole number of records to hide among, 1 or more"),
        ("0", "personal-k", "a whole number of records to hide among, 1 or more"),
        ("0.5", "personal-l", "a diversity, a number from 1 up"),
        ("NaN", "personal-l", "a diversity, a number from 1 up"),
    ] {
        let message = format!(
            "`people.csv`, row 5, column `wish`: `{wish}` is not {expected}; \
             correct it, declare it missing (--missing '{wish}'), or give the column another kind"
        );
        refused(&with(wish), &format!("{} --missing-only", people(role)), 2, &message);
    }
}

#[test]
fn a_model_that_is_not_there() {
    let demand = |model: &str, message: &str| flags_refused(&format!("{ROLES} --k 2 --require {model}"), 2, message);
    demand("entropi-l(l=2)", "there is no constraint named `entropi-l`; did you mean `entropy-l`?");
    demand("disease=entropi-l(l=2)", "there is no constraint named `entropi-l`; did you mean `entropy-l`?");
    demand("entropy-l", "entropy-l: `l` must be given: a number from 1 to 1000000000");
    demand("entropy-l(l=0.5)", "entropy-l: `l` must be a number from 1 to 1000000000, not `0.5`");
    demand("distinct-l(l=1)", "distinct-l: `l` must be a whole number from 2 to 4294967295, not `1`");
    demand(
        "t-closeness(t=0.2,distance=far)",
        "t-closeness: `distance` must be one of equal, ordered, hierarchical, not `far`",
    );
    demand("t-closeness(t=2)", "t-closeness: `t` must be a number from 0 to 1, not `2`");
    for l in ["0.5", "-1", "NaN"] {
        let message = format!("frequency-l: `l` must be a number from 1 to 1000000000, not `{l}`");
        flags_refused(&format!("{ROLES} --k 2 --l {l}"), 2, &message);
    }
}

#[test]
fn a_column_that_is_not_sensitive() {
    let none = "is about sensitive values, and no column is sensitive; \
                name one (--sensitive, or role = \"sensitive\" in the plan)";
    flags_refused("--quasi age,city --k 2 --l 2", 2, &format!("frequency-l(l=2) {none}"));
    flags_refused("--quasi city --identifier name --k 2 --personal-l age", 2, &format!("a personal l {none}"));
    for column in ["city", "name", "nothing"] {
        flags_refused(
            &format!("{ROLES} --k 2 --require {column}=distinct-l(l=2)"),
            2,
            &format!(
                "column `{column}`: `distinct-l(l=2)` is required of it, but it is not sensitive; \
                 name it as sensitive (--sensitive, or role = \"sensitive\" in the plan)"
            ),
        );
    }
}

#[test]
fn a_distance_that_nobody_described() {
    flags_refused(
        &format!("{ROLES} --k 2 --require t-closeness(t=0.2,distance=ordered)"),
        2,
        "column `disease`: t-closeness by order needs numbers, or the order of the values (order = [\"low\", …, \"high\"])",
    );
    flags_refused(
        &format!("{ROLES} --k 2 --require t-closeness(t=0.2,distance=hierarchical)"),
        2,
        "column `disease`: t-closeness by hierarchy needs a hierarchy of the sensitive values",
    );
    flags_refused(
        &format!("{ROLES} --k 2 --groups disease=flat --order disease=flu,cold,gout"),
        2,
        "column `disease`: a sensitive column has an order, a hierarchy or groups, not two of them",
    );
    flags_refused(
        &format!("{ROLES} --k 2 --order disease=flu,cold"),
        2,
        "`people.csv`, row 4, column `disease`: `gout` is not in the order of the column; \
         correct it, declare it missing (--missing 'gout'), or give the column another kind",
    );
    flags_refused(
        &format!("{ROLES} --k 2 --groups disease=trees.csv"),
        2,
        "column `disease`: its hierarchy `trees.csv` is not a file",
    );
}
