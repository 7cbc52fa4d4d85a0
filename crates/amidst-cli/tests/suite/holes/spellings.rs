//! `HIV`, `hiv` and `HIV ` counted as three diseases, so that a class of one disease passed for a diverse one.

use super::said;
use crate::support::Folder;

const ROLES: &str = "--quasi age --sensitive disease --k 4 --kind age=set";

/// Two classes of four rows at k = 4. The first has one disease in three spellings, the second has four diseases.
fn table() -> String {
    let mut text = "age,disease\n".to_owned();
    for (age, disease) in
        [(1, "HIV"), (1, "hiv"), (1, "HIV "), (1, "HIV"), (2, "flu"), (2, "cold"), (2, "gout"), (2, "asthma")]
    {
        text += &format!("{age},{disease}\n");
    }
    text
}

#[test]
fn spellings_that_pass_for_diversity_are_said() {
    let folder = Folder::with("in.csv", table());
    let run = folder.run(&format!("anonymize in.csv -o out.csv {ROLES}")).ok();
    // No spelling but `HIV` has two rows or more, so no pair is shown at k = 4.
    let remark = "column `disease`: 3 values differ only in their spelling (case, blanks, form of characters or numbers) and would be \
                  1; privacy models count each as a value of its own, unless fold is asked for";
    assert!(said(&run).contains(remark), "{}", run.stdout);
    assert!(!run.stdout.contains("`hiv`"), "{}", run.stdout);
    let json = folder.run(&format!("anonymize in.csv -o out.csv {ROLES} --json")).ok().json();
    assert!(json["remarks"].as_array().unwrap().iter().any(|r| r.as_str().unwrap() == remark), "{json}");
}

#[test]
fn frequent_spellings_are_shown() {
    let folder = Folder::with("in.csv", format!("age,disease\n{}", "1,HIV\n1,hiv\n1,HIV\n".repeat(4)));
    let run = folder.run(&format!("anonymize in.csv -o out.csv {ROLES}")).ok();
    assert!(said(&run).contains("2 values differ only in their spelling"), "{}", run.stdout);
    assert!(said(&run).contains("would be 1, `HIV` and `hiv` for one"), "{}", run.stdout);
}

#[test]
fn spellings_become_one() {
    let folder = Folder::with("in.csv", table());
    let run = folder.run(&format!("anonymize in.csv -o out.csv {ROLES} --fold --keep-order")).ok();
    let remark = "column `disease`: 3 spellings became 1 value; 2 rows changed (fold)";
    assert!(said(&run).contains(remark), "{}", run.stdout);
    let diseases = "age,disease\n1,HIV\n1,HIV\n1,HIV\n1,HIV\n2,flu\n2,cold\n2,gout\n2,asthma\n";
    assert_eq!(folder.text("out.csv"), diseases);
    assert!(folder.text("out.plan.toml").contains("fold = true"));
    // The plan makes the same again, and the audit compares with the table as it was folded.
    folder.run("anonymize in.csv -o again.csv --plan out.plan.toml -q").ok();
    assert_eq!(folder.bytes("again.csv"), folder.bytes("out.csv"));
    let audit = folder.run("audit out.csv --plan out.plan.toml --original in.csv").ok();
    assert!(audit.stdout.contains("all other columns are unchanged"), "{}", audit.stdout);
}

#[test]
fn folded_spellings_are_no_diversity() {
    // By spelling no value has more than half of a class; folded, all of the first class have one, so both must be united: 4 of 8.
    let folder = Folder::with("in.csv", table());
    let run = folder.run(&format!("anonymize in.csv -o out.csv {ROLES} --l 2")).ok();
    assert!(run.stdout.contains("2 classes"), "{}", run.stdout);
    let run = folder.run(&format!("anonymize in.csv -o out.csv {ROLES} --l 2 --fold")).ok();
    assert!(run.stdout.contains("1 class"), "{}", run.stdout);
}

#[test]
fn numbers_are_folded_by_their_value() {
    let table = "age,disease\n1,1\n1,1.0\n1,01\n1,1\n2,10000000000000000\n2,10000000000000001\n2,2\n2,3\n";
    let folder = Folder::with("in.csv", table);
    folder.run(&format!("anonymize in.csv -o out.csv {ROLES} --fold --keep-order -q")).ok();
    let expected = "age,disease\n1,1\n1,1\n1,1\n1,1\n2,10000000000000000\n2,10000000000000001\n2,2\n2,3\n";
    assert_eq!(folder.text("out.csv"), expected);
}

#[test]
fn what_means_missing_is_not_folded() {
    let table = "age,disease\n1,NA\n1,na\n1,na\n1,Na\n1,flu\n1,\n1, \n1,  \n";
    let folder = Folder::with("in.csv", table);
    let made = |flags: &str| {
        folder.run(&format!("anonymize in.csv -o out.csv {ROLES} --fold --keep-order -q {flags}")).ok();
        folder.text("out.csv")
    };
    // `na` is more frequent than `Na`, and of one blank and two, one comes first.
    let as_one = "age,disease\n1,NA\n1,na\n1,na\n1,na\n1,flu\n1,\n1, \n1, \n";
    assert_eq!(made("--missing-only --missing NA"), as_one);
    // `NA`, `na` and blanks mean missing by themselves, and `Na` is alone.
    assert_eq!(made(""), table);
}
