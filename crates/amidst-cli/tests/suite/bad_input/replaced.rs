//! Pseudonyms, moved dates and limits on rows that cannot be had, and keys that are none.

use std::fs;

use super::{refused, refused_args};
use crate::support::Folder;

/// Ten persons with two visits each, pairwise alike.
fn visits() -> Folder {
    let mut text = "pid,visit,doctor,age,day,dx\n".to_owned();
    for person in 0..10 {
        for visit in 0..2 {
            let (age, day) = (30 + person / 5, 10 + person + visit);
            text += &format!("p{person},v{person}-{visit},d{visit},{age},2020-03-{day},dx{visit}\n");
        }
    }
    let folder = Folder::with("visits.csv", text);
    folder.run("key -o person.key").ok();
    folder
}

const PSEUDONYM: &str = "visits.csv --pseudonym pid --identifier visit,doctor --quasi age --k 5";

#[test]
fn without_a_key() {
    let message = "column `pid`: what it is replaced by depends on a secret key, and none is given; \
                   make one (amidst key -o person.key), or name its file (--key FILE, or the variable AMIDST_KEY)";
    refused(&visits(), PSEUDONYM, 2, message);
    let message = "which rows of a person are kept depends on a secret key, and none is given; \
                   make one (amidst key -o person.key), or name its file (--key FILE, or the variable AMIDST_KEY)";
    let args = "visits.csv --person pid --identifier visit,doctor --quasi age --k 5 --rows-per-person 1";
    refused(&visits(), args, 2, message);
}

#[test]
fn a_key_that_is_none() {
    let folder = visits();
    let with_key = format!("{PSEUDONYM} --key other.key");
    refused(&folder, &with_key, 2, "cannot read `other.key`: No such file or directory (os error 2)");
    let private = |text: &str| {
        fs::copy(folder.path("person.key"), folder.path("other.key")).unwrap();
        folder.write("other.key", text);
    };
    private("");
    refused(&folder, &with_key, 2, "the key `other.key`: it is empty");
    private("00ff");
    refused(&folder, &with_key, 2, "the key `other.key`: it has 4 hexadecimal digits, and 64 are needed");
    private("my secret");
    refused(&folder, &with_key, 2, "the key `other.key`: a key is written as pairs of hexadecimal digits");
}

#[test]
#[cfg(unix)]
fn a_key_that_others_may_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = visits();
    fs::set_permissions(folder.path("person.key"), fs::Permissions::from_mode(0o644)).unwrap();
    let message = "the key `person.key`: others may read it (mode 0644); make it private with `chmod 600`";
    refused(&folder, &format!("{PSEUDONYM} --key person.key"), 2, message);
}

#[test]
fn a_key_is_never_overwritten() {
    let folder = visits();
    let before = folder.text("person.key");
    let run = folder.run("key -o person.key");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("the file is there already"), "{}", run.stderr);
    assert_eq!(folder.text("person.key"), before);
}

/// The table by a plan with these columns beside `age`.
#[track_caller]
fn by_plan(columns: &str, message: &str) {
    let folder = visits();
    let plan = format!("[privacy]\nk = 5\n[columns]\nage = {{ role = \"quasi\", kind = \"range\" }}\n{columns}");
    folder.write("plan.toml", plan);
    refused(&folder, "visits.csv --plan plan.toml --key person.key", 2, message);
}

const REST: &str = "visit = { role = \"identifier\" }\ndoctor = { role = \"identifier\" }\ndx = { role = \"other\" }\n";

#[test]
fn columns_that_cannot_be_replaced() {
    by_plan(
        &format!("{REST}pid = {{ role = \"person\", publish = \"shift(days=3)\" }}\nday = {{ role = \"other\" }}"),
        "column `pid`: only a date of the role other can be replaced by shifted dates or study days",
    );
    by_plan(
        &format!("{REST}pid = {{ role = \"person\" }}\nday = {{ role = \"other\", publish = \"pseudonym\" }}"),
        "column `day`: only a person column or an identifier can be replaced by pseudonyms",
    );
    by_plan(
        &format!("{REST}pid = {{ role = \"identifier\" }}\nday = {{ role = \"other\", publish = \"study-day\" }}"),
        "column `day`: what it is replaced by depends on the person, and no column says whose a row is; \
         name it (--person, or role = \"person\" in the plan)",
    );
    by_plan(
        &format!(
            "{REST}pid = {{ role = \"person\" }}\nday = {{ role = \"other\", publish = \"shift(days=6, weekday=kept)\" }}"
        ),
        "column `day`: dates that keep their weekday move by 7 days or more",
    );
}

#[test]
fn a_limit_of_no_rows() {
    let args = "visits.csv --person pid --quasi age --k 5 --rows-per-person 0 --key person.key";
    refused(&visits(), args, 2, "rows_per_person: at least one row of each person must be kept");
}

#[test]
fn an_identifier_whose_pseudonyms_would_link_persons() {
    let args = "visits.csv --pseudonym pid,doctor --identifier visit,day --quasi age --k 5 --key person.key";
    let args = format!("{args} --person pid");
    let run = visits().run(&format!("anonymize {args} -o out.csv"));
    assert_eq!(run.code, 2);
    let expected = "error: column `doctor`: rows 1 and 3 have the same value and are of different persons, whom its pseudonym \
                    would link; leave the column out\n";
    assert_eq!(run.stderr.lines().filter(|line| line.starts_with("error")).collect::<String>() + "\n", expected);
}

#[test]
fn dates_that_cannot_be_moved() {
    let folder = Folder::new();
    folder.run("key -o person.key").ok();
    let rows: String = (0..90).map(|person| format!("p{person},30,9999-12-31\n")).collect();
    folder.write("visits.csv", format!("pid,age,day\n{rows}"));
    // Each of the ninety offsets is above zero in one of two cases, so one of them is all but certain to be.
    let args = "visits.csv --person pid --quasi age --kind age=range --k 3 --key person.key --shift day=36525";
    let run = folder.run(&format!("anonymize {args} -o out.csv"));
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("column `day`: `visits.csv`, row "), "{}", run.stderr);
    assert!(run.stderr.contains("the date would leave the years from 1 to 9999 when it is moved"), "{}", run.stderr);
    assert!(!folder.path("out.csv").exists());

    folder.write("visits.csv", "pid,age,day\na,30,2020-03-01\nb,30,7.3.2020\nc,30,2020-03-04\n");
    let message = "column `day`: `visits.csv`, row 2: `7.3.2020` is not a date of the form %Y-%m-%d; \
                   say how its dates are written (--format 'day=%d.%m.%Y'), or declare it missing (--missing '7.3.2020')";
    refused(&folder, args, 2, message);
}

#[test]
fn rows_of_nobody_have_no_pseudonym() {
    let folder = Folder::with("visits.csv", "pid,age\na,30\n,30\nb,30\n");
    folder.run("key -o person.key").ok();
    let args = "visits.csv --pseudonym pid --quasi age --k 2 --key person.key --kind age=range --missing-person own";
    let message = "column `pid`: rows that do not say whose they are cannot have what it is replaced by (pseudonym); \
                   leave them out (--missing-person drop)";
    refused(&folder, args, 2, message);
}

#[test]
fn forms_that_cannot_hide_linked_rows() {
    let folder = visits();
    for form in ["anatomy", "slicing"] {
        let args =
            ["visits.csv", "--pseudonym", "pid", "--identifier", "visit,doctor", "--quasi", "age", "--sensitive", "dx"];
        let more = ["--k", "5", "--l", "1", "--key", "person.key", "--publish", form];
        let message = format!(
            "{form}: the pseudonyms in column `pid` link the rows of a person, and all rows of a person must have the same cells \
             then, but this form publishes quasi-identifiers as they are; choose another form (--publish 'generalization' \
             or --publish 'centres')"
        );
        refused_args(&folder, &[&args[..], &more[..]].concat(), 2, &message);
    }
}
