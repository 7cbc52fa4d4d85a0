//! A release that lost half of its detail through one column, and nobody said so.

use serde_json::Value;

use crate::support::Folder;

/// Ages, sexes and names of places that hardly two rows share.
fn places() -> Folder {
    let mut table = "age,sex,place\n".to_owned();
    (0..400_u32).for_each(|row| {
        let dice = row.wrapping_mul(2_654_435_761) >> 9;
        let (age, sex) = (20 + dice % 60, if dice % 7 < 3 { "f" } else { "m" });
        table += &format!("{age},{sex},place {}\n", dice % 190);
    });
    Folder::with("table.csv", table)
}

const FLAGS: &str = "--quasi age,sex,place --kind place=suppress --k 5 --effort fast --seed 0";

fn lm(report: &Value) -> f64 {
    report["loss"]["lm"].as_f64().unwrap()
}

#[test]
fn the_column_that_costs_most_is_named_with_what_the_others_lose_without_it() {
    let folder = places();
    let report = folder.run(&format!("anonymize table.csv -o release.csv {FLAGS} --json")).ok().json();
    let advice = &report["advice"][0];
    assert_eq!((advice["column"].as_str(), advice["rows"].as_u64()), (Some("place"), Some(400)), "{report}");
    // Nearly all of the loss: hardly any class has a single place.
    assert!(advice["share"].as_f64().unwrap() > 0.5 && lm(&report) > 0.3);
    // All rows were tried by the same effort and seed, so this is what a run without the column loses.
    let flags = FLAGS.replace("age,sex,place --kind place=suppress", "age,sex --identifier place");
    let without = folder.run(&format!("anonymize table.csv -o without.csv {flags} --json")).ok().json();
    let told = advice["others_without"].as_f64().unwrap();
    assert!((told - lm(&without)).abs() < 1e-9, "{told} {}", lm(&without));
    let message = advice["message"].as_str().unwrap();
    assert!(message.contains("estimated on 400 rows") && message.contains("a hierarchy would keep more"), "{message}");
    let text = folder.run(&format!("anonymize table.csv -o release.csv {FLAGS} --report r.html --report r.txt")).ok();
    assert!(text.stdout.contains("\nadvice     `place` is "), "{}", text.stdout);
    assert!(
        folder.text("r.html").contains("a hierarchy would keep more") && folder.text("r.txt").contains("advice     ")
    );
}

#[test]
fn advice_is_not_for_recipients_and_not_for_who_wants_none() {
    let folder = places();
    let report =
        folder.run(&format!("anonymize table.csv -o release.csv {FLAGS} --json -q --public-report p.txt")).ok();
    assert_eq!(report.json().get("advice"), None);
    folder
        .run(&format!("anonymize table.csv -o release.csv {FLAGS} --public-report p.txt --public-report p.html"))
        .ok();
    for file in ["p.txt", "p.html"] {
        assert!(!folder.text(file).contains("hierarchy would keep more"), "{file}");
    }
}

#[test]
fn the_release_is_the_same_with_advice_and_without() {
    let folder = places();
    folder.run(&format!("anonymize table.csv -o with.csv {FLAGS}")).ok();
    folder.run(&format!("anonymize table.csv -o without.csv {FLAGS} -q")).ok();
    assert_eq!(folder.text("with.csv"), folder.text("without.csv"));
}

#[test]
fn a_release_that_loses_little_gets_none() {
    let folder = places();
    for flags in ["--quasi age,sex --identifier place --k 5", "--quasi place --kind place=suppress --others drop --k 5"]
    {
        let report = folder.run(&format!("anonymize table.csv -o release.csv {flags} --json")).ok().json();
        assert_eq!(report.get("advice"), None, "{flags}: {}", lm(&report));
    }
}
