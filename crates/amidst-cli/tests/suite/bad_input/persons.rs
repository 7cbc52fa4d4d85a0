//! Columns that should say whose a row is and do not.

use super::refused;
use crate::support::Folder;

/// Eight visits of five persons; two rows do not say whose they are.
const VISITS: &str = "\
pid,ward,age,dx
a,n,21,flu
a,n,23,cold
,s,31,flu
b,s,34,gout
c,n,51,flu
?,s,55,cold
d,n,67,gout
e,n,69,flu
";

#[track_caller]
fn visits_refused(flags: &str, code: i32, message: &str) {
    refused(
        &Folder::with("visits.csv", VISITS),
        &format!("visits.csv --quasi age --sensitive dx {flags}"),
        code,
        message,
    );
}

const REMEDIES: &str = "fill them in, count each of them as a person of its own (--missing-person own), or leave them out \
                        (--missing-person drop)";

#[test]
fn a_person_column_that_the_table_lacks() {
    visits_refused(
        "--k 2 --person patient",
        2,
        "there is no column `patient` in `visits.csv`; there are: pid, ward, age, dx",
    );
}

#[test]
fn rows_that_do_not_say_whose_they_are() {
    // An empty cell and a question mark are missing, unless only named texts are. Even then nobody is called nothing.
    let two = format!("column `pid`: 2 rows of `visits.csv` do not say whose they are, the first is row 3; {REMEDIES}");
    let one = format!("column `pid`: row 3 of `visits.csv` does not say whose it is; {REMEDIES}");
    visits_refused("--k 2 --person pid", 2, &two);
    visits_refused("--k 2 --person pid --missing-only --missing ?", 2, &two);
    visits_refused("--k 2 --person pid --missing-only", 2, &one);
    visits_refused("--k 2 --person ward,pid", 2, &two);
    visits_refused("--k 2 --person ward,pid --missing-only", 2, &one);
}

#[test]
fn both_remedies_work() {
    let folder = Folder::with("visits.csv", VISITS);
    let run = |how: &str| {
        let flags = format!("--quasi age --sensitive dx --person pid --missing ? --k 2 --missing-person {how}");
        let done = folder.run(&format!("anonymize visits.csv -o {how}.csv {flags} --identifier ward --json")).ok();
        let audit = format!("audit {how}.csv --plan {how}.plan.toml --original visits.csv --json");
        let people = folder.run(&audit).ok().json()["people"]["persons"].as_u64();
        assert_eq!(done.json()["people"]["persons"].as_u64(), people);
        (people.unwrap(), folder.text(&format!("{how}.csv")).lines().count() - 1)
    };
    assert_eq!(run("own"), (7, 8));
    assert_eq!(run("drop"), (5, 6));
}

#[test]
fn all_rows_lack_their_person() {
    let table = VISITS.replace("\na,", "\n,").replace("\nb,", "\n,").replace("\nc,", "\n,").replace("\nd,", "\n,");
    let folder = Folder::with("visits.csv", table.replace("\ne,", "\n,"));
    refused(
        &folder,
        "visits.csv --quasi age --person pid --missing ? --k 2 --missing-person drop",
        1,
        "no row of `visits.csv` says whose it is, so all were dropped",
    );
}

#[test]
fn a_person_column_with_another_role() {
    let twice = "column `pid`: it is named twice, the second time as a person column";
    visits_refused("--k 2 --person pid --identifier pid", 2, twice);
    refused(&Folder::with("visits.csv", VISITS), "visits.csv --quasi age,pid --person pid --k 2", 2, twice);
}

#[test]
fn more_persons_asked_for_than_there_are() {
    visits_refused(
        "--k 6 --person pid --missing-person drop --missing ?",
        1,
        "the table has 5 persons, fewer than k = 6, so no class can have 6 of them; lower k to 5 or less",
    );
}
