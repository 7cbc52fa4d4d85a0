//! Happening 2: the demo's own release let incomes be known with certainty, under a green banner. The banner has three colours now.

use std::collections::{BTreeMap, BTreeSet};

use super::tables;
use crate::support::{DEMO, Folder, PEOPLE, ROLES};

#[test]
fn a_class_with_a_single_sensitive_value_is_amber() {
    let folder = Folder::with("people.csv", PEOPLE);
    // The pairs of PEOPLE: flu and cold, flu and gout, flu and cold, gout and flu. Alone in l they are all different.
    let green = folder.run(&format!("anonymize people.csv -o a.csv {ROLES} --k 2 --report a.html --json")).ok().json();
    assert_eq!(green["verdict"], serde_json::json!({ "colour": "green", "reasons": [] }));
    assert!(folder.text("a.html").contains("class=\"verdict green\""));
    // Now the first pair has the flu.
    folder.write("alike.csv", PEOPLE.replace("cold\nCid", "flu\nCid"));
    let run = folder
        .run(&format!(
            "anonymize alike.csv -o b.csv {ROLES} --k 2 --report b.html --report b.json --public-report c.html"
        ))
        .ok();
    assert!(run.stdout.starts_with("verdict    AMBER"), "{}", run.stdout);
    let report: serde_json::Value = serde_json::from_str(&folder.text("b.json")).unwrap();
    let reason = &report["verdict"]["reasons"][0];
    // Two of eight records.
    assert_eq!((reason["about"].as_str(), reason["share"].as_f64()), (Some("single-value"), Some(0.25)), "{report}");
    assert_eq!(report["achieved"]["sensitive"]["disease"]["single_value"], 0.25);
    for page in ["b.html", "c.html"] {
        let text = folder.text(page);
        assert!(text.contains("class=\"verdict amber\"") && text.contains("25.0 % of the records"), "{page}");
    }
    // The verdict of an audit is the same, and red where it fails.
    let audit = folder.run("audit b.csv --plan b.plan.toml --original alike.csv --json").ok().json();
    assert_eq!(audit["verdict"], report["verdict"]);
    let audit = folder.run("audit b.csv --plan b.plan.toml --k 3 --json");
    assert_eq!((audit.code, &audit.json()["verdict"]["colour"]), (1, &serde_json::json!("red")));
}

#[test]
fn columns_that_nobody_named_are_amber_if_they_tell_records_apart() {
    // Without their cities, which look like identifiers.
    let cells = PEOPLE.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let table: String = cells.map(|cells| format!("{},{},{}\n", cells[0], cells[1], cells[3])).collect();
    let folder = Folder::with("people.csv", table);
    let run = folder.run("anonymize people.csv -o a.csv --quasi age --identifier name --k 2 --json").ok();
    assert!(run.stderr.contains("published unchanged, because nobody named them: disease"), "{}", run.stderr);
    let verdict = &run.json()["verdict"];
    // In each pair both diseases are different.
    assert_eq!(verdict["reasons"][0]["about"], "unnamed");
    assert_eq!(verdict["reasons"][0]["share"], 1.0);
    let said = "anonymize people.csv -o a.csv --quasi age --identifier name --publish-as-is disease --k 2 --json";
    assert_eq!(folder.run(said).ok().json()["verdict"]["colour"], "green");
    // Nobody may ask for k = 1, but a file that somebody else made can have it.
    folder.write("ages.csv", "age\n21\n23\n");
    let alone = folder.run("audit ages.csv --quasi age --json").ok().json();
    assert_eq!(alone["verdict"]["reasons"][0]["about"], "no-crowd");
    // Even if somebody says so: cities as they are make it amber, and come first.
    folder.write("people.csv", PEOPLE);
    let said = "anonymize people.csv -o a.csv --quasi age --identifier name --publish-as-is city --k 2 --json";
    let reasons = folder.run(said).ok().json()["verdict"]["reasons"].clone();
    let told = [0, 1].map(|place| (reasons[place]["about"].clone(), reasons[place]["columns"].clone()));
    let expected = [("identifier", "city"), ("unnamed", "disease")];
    assert_eq!(told, expected.map(|(about, column)| (about.into(), serde_json::json!([column]))));
}

#[test]
fn what_a_plan_publishes_is_looked_at_as_well() {
    let table = tables::table("Synthea, patients");
    let folder = Folder::with("table.csv", table.csv(300, 3));
    let plan = "others = \"drop\"\n[privacy]\nk = 5\n[columns]\nGENDER = { role = \"quasi\", kind = \"set\" }\nSSN = { role = \"other\" }\n";
    folder.write("plan.toml", plan);
    let run = folder.run("anonymize table.csv -o release.csv --plan plan.toml --json").ok();
    let verdict = &run.json()["verdict"];
    assert_eq!(
        (verdict["colour"].as_str(), verdict["reasons"][0]["about"].as_str()),
        (Some("amber"), Some("identifier"))
    );
    assert_eq!(verdict["reasons"][0]["columns"], serde_json::json!(["SSN"]));
}

#[test]
fn the_demo_ends_in_a_green_page() {
    assert!(DEMO.stdout.contains("\nverdict    GREEN"), "{}", DEMO.stdout);
    assert!(DEMO.page.contains("class=\"verdict green\""));
}

#[test]
fn no_income_of_the_demo_is_known_with_certainty() {
    let mut lines = DEMO.release.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(header.last(), Some(&"income"));
    // Whoever knows all other columns of a person sees the incomes of the class.
    let mut incomes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    lines.map(|line| line.rsplit_once(',').unwrap()).for_each(|(cells, income)| {
        incomes.entry(cells).or_default().insert(income);
    });
    assert!(incomes.len() > 1_000);
    assert!(incomes.values().all(|incomes| incomes.len() == 2));
}
