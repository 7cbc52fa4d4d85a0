//! A budget for suppression.

use crate::support::Folder;

/// Thirty people of 20 to 29, three to an age, and one of 95.
fn people() -> String {
    let ages = (0..30).map(|i| 20 + i % 10).chain([95]);
    let rows: String = ages.map(|age| format!("{age},{}\n", if age % 2 == 0 { "flu" } else { "cold" })).collect();
    format!("age,disease\n{rows}")
}

const HOW: &str = "anonymize people.csv -o release.csv --quasi age --sensitive disease --k 3";

#[test]
fn who_does_not_fit_is_left_out_and_not_named() {
    let folder = Folder::with("people.csv", people());
    let kept = folder.run(&format!("{HOW} --json")).ok().json();
    assert_eq!(kept["suppressed"], serde_json::Value::Null);
    assert_eq!(folder.text("release.csv").lines().count(), 32);

    let report = folder.run(&format!("{HOW} --suppress 5% --json")).ok().json();
    assert_eq!(report["rows"], 30);
    assert_eq!(report["suppressed"]["rows"], 1);
    assert!(report["loss"]["lm"].as_f64() < kept["loss"]["lm"].as_f64());
    let release = folder.text("release.csv");
    assert_eq!(release.lines().count(), 31);
    // Neither the report nor the plan says who it was; seed and key may be any numbers.
    let random = |line: &&str| line.starts_with("seed") || line.starts_with("fingerprint_key");
    let plan: String = folder.text("release.plan.toml").lines().filter(|line| !random(line)).collect();
    for text in [&report["suppressed"].to_string(), &release, &plan] {
        assert!(!text.contains("95"), "{text}");
    }
    assert!(folder.text("release.plan.toml").contains("suppress = 0.05"));

    let text = folder.run(&format!("{HOW} --suppress 0.05")).ok().stdout;
    assert!(text.contains("suppressed 1 rows, 3.2 % of the table"), "{text}");
}

#[test]
fn a_release_with_rows_left_out_is_audited_and_made_again() {
    let folder = Folder::with("people.csv", people());
    folder.run(&format!("{HOW} --suppress 5%")).ok();
    let first = folder.bytes("release.csv");
    let audit = "audit release.csv --plan release.plan.toml --original people.csv --json";
    let report = folder.run(audit).ok().json();
    assert_eq!(report["covers_original"], true);
    folder.run("anonymize people.csv -o again.csv --plan release.plan.toml").ok();
    assert_eq!(folder.bytes("again.csv"), first);

    // More rows may not be missing than the plan allows, and none may be false.
    let text = folder.text("release.csv");
    let short: Vec<&str> = text.lines().take(29).collect();
    folder.write("release.csv", short.join("\n"));
    let run = folder.run("audit release.csv --plan release.plan.toml --original people.csv");
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("the release has 28 rows where at least 30 of 31 were expected"), "{}", run.stdout);
    folder.write("release.csv", text.replacen(",flu", ",cold", 1));
    assert_eq!(folder.run("audit release.csv --plan release.plan.toml --original people.csv").code, 1);
}

#[test]
fn a_level_that_the_whole_table_lacks_can_be_had() {
    let rows: String = (0..12).map(|i| format!("{i},{}\n", if i < 8 { "flu" } else { "cold" })).collect();
    let folder = Folder::with("people.csv", format!("age,disease\n{rows}"));
    let refused = folder.run(&format!("{HOW} --l 2 --suppress 30%"));
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("l = 1.5"), "{}", refused.stderr);
    assert!(folder.names().iter().all(|name| name == "people.csv"));
    let report = folder.run(&format!("{HOW} --l 2 --suppress 35% --json")).ok().json();
    assert_eq!(report["suppressed"]["rows"], 4);
    assert_eq!(report["achieved"]["sensitive"]["disease"]["l"], 2.0);
}

#[test]
fn shares_that_are_none_are_refused() {
    let folder = Folder::with("people.csv", people());
    for share in ["150%", "1", "-0.1", "some"] {
        let run = folder.run(&format!("{HOW} --suppress={share}"));
        assert_eq!(run.code, 2, "{share}");
        assert!(run.stderr.contains("not a share of the records"), "{}", run.stderr);
    }
    folder.write("plan.toml", "[privacy]\nk = 3\nsuppress = 2\n[columns]\nage = { role = \"quasi\", kind = \"range\" }\ndisease = { role = \"other\" }\n");
    let run = folder.run("anonymize people.csv -o release.csv --plan plan.toml");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("`suppress` must be a share of the records"), "{}", run.stderr);
}
