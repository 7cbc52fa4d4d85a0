//! `risk` says how likely people are found, of any table, and never who they are.

use crate::support::{Folder, PEOPLE, ROLES, many_rows};

#[track_caller]
fn near(found: &serde_json::Value, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn a_file_is_enough() {
    let folder = Folder::with("people.csv", PEOPLE);
    let run = folder.run("risk people.csv").ok();
    assert_eq!(run.stderr, "");
    for line in [
        "rows       8\n",
        "looked at  3 columns (none was named): age, city, disease\n",
        "  identifiers: do not publish them (not counted above)\n    name\n",
        "  name  (A) names: by its name; 8 values in 8 records\n",
    ] {
        assert!(run.stdout.contains(line), "{line}{}", run.stdout);
    }
    assert!(!run.stdout.contains("Ann") && !run.stdout.contains("gout"), "{}", run.stdout);
    assert_eq!(folder.run("risk people.csv --quiet").ok().stdout, "");
    assert_eq!(folder.names(), ["people.csv"]);
}

#[test]
fn an_original_and_its_release() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o release.csv {ROLES} --k 2")).ok();
    // Everybody's age is different.
    let before = folder.run("risk people.csv --quasi age,city --json").ok().json();
    near(&before["prosecutor"]["average"], 1.0);
    near(&before["prosecutor"]["uniques"], 1.0);
    assert_eq!((&before["records"], &before["classes"]), (&8.into(), &8.into()));
    // Classes of two.
    for how in ["--plan release.plan.toml", "--quasi age,city"] {
        let after = folder.run(&format!("risk release.csv {how} --json")).ok().json();
        near(&after["prosecutor"]["average"], 0.5);
        near(&after["prosecutor"]["highest"], 0.5);
        near(&after["prosecutor"]["at_risk"], 1.0);
        near(&after["prosecutor"]["uniques"], 0.0);
        near(&after["marketer"], 0.5);
        assert!(after["journalist"].is_null() && after["population"].is_null());
    }
    let strict = folder.run("risk release.csv --quasi age,city --threshold 50% --json").ok().json();
    near(&strict["prosecutor"]["at_risk"], 0.0);
    // The plan of the release serves for the original, too.
    let planned = folder.run("risk people.csv --plan release.plan.toml --json").ok().json();
    assert_eq!(planned["prosecutor"], before["prosecutor"]);
}

#[test]
fn people_of_a_population_are_counted() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o release.csv {ROLES} --k 2")).ok();
    // One more in Oslo who fits [21-23], and one more in Rome who fits [51-55]; nobody else fits anything.
    let more = "22,Oslo,\n52,Rome,\n30,Oslo,\n99,Paris,\n";
    let rest: String = PEOPLE.lines().map(|line| line.split_once(',').unwrap().1.to_owned() + "\n").collect();
    folder.write("register.csv", rest + more);
    for how in ["--plan release.plan.toml", "--quasi age,city"] {
        let found = folder.run(&format!("risk release.csv {how} --population register.csv --json")).ok().json();
        near(&found["journalist"]["highest"], 0.5);
        near(&found["journalist"]["lowest"], 1.0 / 3.0);
        near(&found["journalist"]["average"], (4.0 / 3.0 + 4.0 / 2.0) / 8.0);
        near(&found["marketer"], (4.0 / 3.0 + 4.0 / 2.0) / 8.0);
        assert!(found["remarks"].is_null());
    }
    // Of the original only those count who have the very same values: nobody but the person.
    let found = folder.run("risk people.csv --quasi age,city --population register.csv --json").ok().json();
    near(&found["journalist"]["average"], 1.0);
    // With no column named those of both tables are taken.
    let found = folder.run("risk people.csv --population register.csv --json").ok().json();
    assert_eq!(found["quasi"], serde_json::json!(["age", "city", "disease"]));

    folder.write("few.csv", "age,city\n21,Oslo\n23,Oslo\n");
    let run = folder.run("risk release.csv --quasi age,city --population few.csv").ok();
    let remark =
        "`few.csv` has fewer people than the table in 3 of 4 classes (6 records); those count as the records do";
    assert!(run.stdout.contains(remark), "{}", run.stdout);
}

#[test]
fn identifiers_are_recognized_and_never_shown() {
    let row = |i: usize| {
        let (zip, day, age) = (10_000 + i % 50, i % 28 + 1, 20 + i % 75);
        format!(
            "P{i:05},person{i}@example.org,555-010-{i:04},10.0.{}.{},{zip},2020-01-{day:02},{age},{}\n",
            i / 250,
            i % 250,
            i % 3
        )
    };
    let table: String = (0..300).map(row).collect();
    let folder = Folder::with("table.csv", format!("patient,contact,call,client,zip,admitted,age,score\n{table}"));
    let found = folder.run("risk table.csv --json").ok().json();
    let hints = found["safe_harbor"].as_array().unwrap();
    let hint =
        |hint: &serde_json::Value| format!("{} {} {}", hint["column"], hint["letter"], hint["rule"]).replace('"', "");
    let hints: Vec<String> = hints.iter().map(hint).collect();
    let expected = [
        "zip B geography",
        "admitted C dates",
        "age C ages",
        "call D phone",
        "contact F email",
        "client O ip-address",
        "patient R unique-code",
    ];
    assert_eq!(hints, expected);
    // What names persons by itself is not tried as a quasi-identifier.
    assert_eq!(found["quasi"], serde_json::json!(["zip", "admitted", "age", "score"]));
    let text = folder.run("risk table.csv").ok().stdout;
    assert!(!text.contains("P00") && !text.contains("example.org") && !text.contains("555-"), "{text}");

    // A plan that drops them needs no such hint.
    folder.run("init table.csv").ok();
    let run = folder.run("risk table.csv --plan table.plan.toml").ok();
    assert!(run.stdout.contains("the file has what the plan does not publish: patient, contact"), "{}", run.stdout);
    assert!(!run.stdout.contains("(F) e-mail"), "{}", run.stdout);
}

#[test]
fn every_form_of_release() {
    let folder = Folder::with("table.csv", many_rows(200));
    for form in ["generalization", "centres", "ring", "anatomy", "slicing", "randomization(l=2)"] {
        let roles = "--quasi age,zip,job --sensitive disease --identifier note";
        folder.run(&format!("anonymize table.csv -o release.csv {roles} --k 4 --l 2 --publish {form}")).ok();
        let found = folder.run("risk release.csv --plan release.plan.toml --sample 10% --json").ok().json();
        assert_eq!(found["records"], 200, "{form}");
        assert!(found["prosecutor"]["highest"].as_f64().unwrap() <= 0.25, "{form}: {found}");
        near(&found["population"]["uniqueness"], 0.0);
        // The plan of a release tells how to read its original, too.
        let original = folder.run("risk table.csv --plan release.plan.toml --json").ok().json();
        assert_eq!(original["records"], 200, "{form}");
    }
}

#[test]
fn a_sample_of_a_population() {
    let folder = Folder::with("table.csv", many_rows(300));
    let found = folder.run("risk table.csv --quasi age,zip --sample 5% --json").ok().json();
    assert_eq!(found["population"]["people"], 6000);
    for model in ["pitman", "zayatz", "snb"] {
        let estimate = &found["population"][model];
        assert_ne!(estimate["uniqueness"].is_null(), estimate["reason"].is_null(), "{estimate}");
    }
    let text = folder.run("risk table.csv --quasi age,zip --sample 5%").ok().stdout;
    assert!(text.contains("alone in a population of 6,000, by three models"), "{text}");
}

#[test]
fn wrong_use_is_refused() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.write("register.csv", "weight\n70\n");
    let refused = |args: &str, message: &str| {
        let run = folder.run(&format!("risk {args}"));
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args}");
        assert!(run.stderr.contains(message), "{args}: {}", run.stderr);
    };
    refused("nowhere.csv", "cannot read `nowhere.csv`");
    refused("people.csv --quasi age,citi", "there is no column `citi` in `people.csv`; did you mean `city`?");
    refused("people.csv --quasi age,age", "column `age`: it is named twice");
    refused("people.csv --sample 0", "`0` is not a number above 0 and up to 1, or a percentage");
    refused("people.csv --sample 150%", "`150%` is not a number above 0 and up to 1, or a percentage");
    refused("people.csv --threshold x", "`x` is not a number above 0 and up to 1, or a percentage");
    refused("people.csv --sample 5% --population people.csv", "cannot be used with");
    refused("people.csv --quasi age --plan plan.toml", "cannot be used with");
    refused("people.csv --publish sliced", "there is no publisher named `sliced`");
    refused("people.csv --population register.csv", "`register.csv`: it has no column of `people.csv`");
    refused("people.csv --quasi age --population register.csv", "there is no column `age` in `register.csv`");
    refused("people.csv --quasi age --population nowhere.csv", "cannot read `nowhere.csv`");
    folder.run("anonymize people.csv -o nested.parquet --quasi age,city --identifier name --k 2 --publish generalization(nested)").ok();
    refused("nested.parquet", "column `age`: its cells are nested; give the plan of the release (--plan)");
    folder.run("risk nested.parquet --plan nested.plan.toml").ok();
    folder.write("bad.csv", "age,city\nold,Oslo\n23,Rome\n");
    folder.write("ages.toml", "[privacy]\nk = 2\n[columns]\nage = { role = \"quasi\", kind = \"range\" }\n");
    refused("people.csv --plan ages.toml --population bad.csv", "`bad.csv`, row 1, column `age`: `old` is not");
    folder.write("none.toml", "[privacy]\nk = 2\n[columns]\nage = { role = \"other\" }\n");
    refused("people.csv --plan none.toml", "no column is a quasi-identifier");
}
