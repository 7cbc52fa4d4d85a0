//! Happening 10: the names of managers repeat, so they were taken for a quasi-identifier and came out in sets, under a green verdict.

use super::tables;
use crate::support::Folder;

const HR: &str = "HR data set (v14)";

fn folder() -> Folder {
    Folder::with("table.csv", tables::table(HR).csv(400, 3))
}

#[test]
fn names_of_other_people_are_left_out_by_a_first_plan() {
    let folder = folder();
    folder.run("init table.csv --yes --k 5").ok();
    let text = folder.text("table.plan.toml");
    let line = |name: &str| text.lines().find(|line| line.trim_start().starts_with(name)).unwrap().to_owned();
    for (name, why) in [("ManagerName", "names of other people, by its name"), ("ManagerID", "numbers of other people")]
    {
        assert!(line(name).contains("identifier") && text.contains(why), "{text}");
    }
    // They repeat, but nobody thinks that a manager has several rows.
    let run = folder.run("anonymize table.csv -o release.csv --plan table.plan.toml --effort fast --json").ok();
    assert_eq!(run.json()["verdict"]["colour"], "green", "{}", run.stdout);
}

#[test]
fn names_of_other_people_that_nobody_named_are_refused() {
    let folder = folder();
    let run = folder.run("anonymize table.csv -o release.csv --k 5 --quasi Sex,MaritalDesc --effort fast");
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(run.stderr.contains("`ManagerName`: names: names of other people, by its name"), "{}", run.stderr);
    // Salaries are sensitive by their name, but nobody said that they are to be published.
    assert!(run.stderr.contains("`Salary`"), "{}", run.stderr);
    assert_eq!(folder.names(), ["table.csv"]);
}

/// Whoever publishes them all the same reads about it first, and so does whoever audits the release.
#[test]
fn published_names_of_other_people_make_the_verdict_amber() {
    let folder = folder();
    for role in
        ["--quasi Sex,ManagerName", "--quasi Sex --sensitive ManagerName", "--quasi Sex --publish-as-is ManagerName"]
    {
        let flags = format!("anonymize table.csv -o release.csv --others drop --k 5 --effort fast {role} --json");
        let verdict = folder.run(&flags).ok().json()["verdict"].clone();
        assert_eq!(verdict["colour"], "amber", "{role}: {verdict}");
        assert_eq!(verdict["reasons"][0]["about"], "identifier", "{role}: {verdict}");
        assert_eq!(verdict["reasons"][0]["columns"], serde_json::json!(["ManagerName"]), "{role}");
        let message = verdict["reasons"][0]["message"].as_str().unwrap();
        assert!(message.contains("names of other people"), "{message}");
        let audit = folder.run("audit release.csv --plan release.plan.toml --original table.csv --json").ok().json();
        assert_eq!(audit["verdict"], verdict, "{role}");
    }
}
