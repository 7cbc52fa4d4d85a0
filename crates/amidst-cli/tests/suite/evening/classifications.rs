//! Trees that everybody needs were not there: diagnoses, countries, ZIP codes, occupations, and ages as HIPAA wants them.

use crate::support::Folder;

/// The release of a table with one column, in its order.
fn released(values: &[&str], flags: &str) -> Vec<String> {
    let folder = Folder::with("t.csv", format!("x\n{}\n", values.join("\n")));
    folder.run(&format!("anonymize t.csv -o r.csv --quasi x --keep-order --seed 1 {flags}")).ok();
    folder.run("audit r.csv --original t.csv --plan r.plan.toml").ok();
    folder.run("measure t.csv r.csv --plan r.plan.toml").ok();
    folder.text("r.csv").lines().skip(1).map(|line| line.trim_matches('"').to_owned()).collect()
}

#[test]
fn classes_get_the_lowest_label() {
    let icd = released(&["I21.0", "I219", "I20", "I48", "E11.9", "F32"], "--k 2 --hierarchy x=icd10");
    assert_eq!(icd, ["I21.-", "I21.-", "I00-I99", "I00-I99", "*", "*"]);
    let countries = released(&["DE", "France", "BRA", "AR"], "--k 2 --hierarchy x=countries");
    assert_eq!(countries, ["Western Europe", "Western Europe", "South America", "South America"]);
    let zips = released(&["02139", "02144", "10001-1234", "14850"], "--k 2 --hierarchy x=us-zip");
    assert_eq!(zips, ["021**", "021**", "NY", "NY"]);
    let isco = released(&["2211", "2212", "5131", "5223"], "--k 2 --hierarchy x=isco");
    assert_eq!(isco, ["221*", "221*", "5***", "5***"]);
    let naics = released(&["311111", "332111", "541511", "541512"], "--k 2 --hierarchy x=naics");
    assert_eq!(naics, ["31-33 Manufacturing", "31-33 Manufacturing", "54151*", "54151*"]);
    let soc = released(&["11-1011", "11-9199", "29-1141", "29-1151"], "--k 2 --hierarchy x=soc");
    assert_eq!(soc, ["11 Management", "11 Management", "29-1***", "29-1***"]);
}

#[test]
fn ages_from_90_on_are_never_shown() {
    // Both classes share a value, and still only one of them may show it.
    let cells = released(&["92", "92", "37", "37", "84", "81"], "--k 2 --hierarchy x=age-bands");
    assert_eq!(cells, ["90+", "90+", "37", "37", "[80-84]", "[80-84]"]);
    let folder = Folder::with("t.csv", "x\n92\n92\n37\n37\n");
    folder.run("anonymize t.csv -o r.csv --quasi x --k 2 --hierarchy x=age-bands").ok();
    std::fs::remove_file(folder.path("r.manifest.json")).unwrap();
    folder.run("audit r.csv --original t.csv --plan r.plan.toml").ok();
    folder.write("r.csv", folder.text("r.csv").replace("90+", "92"));
    let run = folder.run("audit r.csv --original t.csv --plan r.plan.toml");
    assert!(run.code == 1 && run.stdout.contains("the cell does not cover the value"), "{}", run.stdout);
}

#[test]
fn a_value_that_a_tree_lacks_is_named_with_what_to_do() {
    let folder = Folder::with("t.csv", "dx\nI21\nI22\nflu\n250.0\nI21\n");
    let run = folder.run("anonymize t.csv -o r.csv --quasi dx --k 2 --hierarchy dx=icd10");
    assert_eq!(run.code, 2);
    let expected =
        "column `dx`: 2 of its 4 values are not in the built-in tree `icd10`; one is `flu` in row 3 of `t.csv`";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert!(run.stderr.contains("--missing 'flu'"), "{}", run.stderr);
    folder.run("anonymize t.csv -o r.csv --quasi dx --k 2 --hierarchy dx=icd10 --missing flu --missing 250.0").ok();
}

#[test]
fn a_file_of_the_same_name_is_not_taken_for_a_tree() {
    let folder = Folder::with("t.csv", "x\na\nb\n");
    let make = "anonymize t.csv -o r.csv --quasi x --k 2 --hierarchy";
    let run = folder.run(&format!("{make} x=icd11"));
    assert!(run.stderr.contains("its hierarchy `icd11` is not a file"), "{}", run.stderr);
    folder.write("icd10", "a;*\nb;*\n");
    let run = folder.run(&format!("{make} x=icd10"));
    assert!(run.stderr.contains("write ./icd10 for the file, or builtin:icd10 for the tree"), "{}", run.stderr);
    folder.run(&format!("{make} x=./icd10")).ok();
    let run = folder.run(&format!("{make} x=builtin:nothing"));
    assert!(run.stderr.contains("`nothing` is no built-in tree; there are: icd10, icd10cm"), "{}", run.stderr);
    // A plan names files by texts. Where one means a tree, the message says how.
    let plan =
        "[privacy]\nk = 2\n[columns]\nx = { role = \"quasi\", kind = \"taxonomy\", hierarchy = \"countries\" }\n";
    folder.write("p.toml", plan);
    let run = folder.run("anonymize t.csv -o r2.csv --plan p.toml");
    assert!(run.stderr.contains("the built-in tree is { builtin = \"countries\" }"), "{}", run.stderr);
}

#[test]
fn the_stored_plan_makes_the_same_release() {
    let folder = Folder::with("t.csv", "dx\nI21\nI22\nE10\nE11.90\n");
    folder.run("anonymize t.csv -o r.csv --quasi dx --k 2 --hierarchy dx=icd10").ok();
    assert!(
        folder.text("r.plan.toml").contains("hierarchy = { builtin = \"icd10\" }"),
        "{}",
        folder.text("r.plan.toml")
    );
    folder.run("anonymize t.csv -o again.csv --plan r.plan.toml").ok();
    assert_eq!(folder.text("again.csv"), folder.text("r.csv"));
}

#[test]
fn init_proposes_the_tree_of_diagnoses_and_of_many_countries() {
    let codes = ["I21.0", "I22", "E11.9", "F32.1", "J45"];
    let rows: String = (0..200).map(|row| format!("{},{}\n", codes[row % 5], row % 7)).collect();
    let folder = Folder::with("t.csv", format!("icd_code,ward\n{rows}"));
    folder.run("anonymize t.csv -o r.csv --quasi icd_code --others drop --k 5").ok();
    assert!(folder.text("r.plan.toml").contains("builtin = \"icd10\""), "{}", folder.text("r.plan.toml"));
    // The name alone does not decide, and neither do the values.
    for header in ["icd_code", "part"] {
        let rows = rows.replace("J45", if header == "part" { "J45" } else { "none yet" });
        let folder = Folder::with("t.csv", format!("{header},ward\n{rows}"));
        folder.run(&format!("anonymize t.csv -o r.csv --quasi {header} --others drop --k 5")).ok();
        assert!(!folder.text("r.plan.toml").contains("builtin"), "{}", folder.text("r.plan.toml"));
    }
}

#[test]
fn the_list_has_all_trees() {
    let folder = Folder::new();
    let listed = folder.run("list hierarchies").ok().stdout;
    for name in
        ["widths", "icd10\n", "icd10cm\n", "countries\n", "us-zip\n", "isco\n", "naics\n", "soc\n", "age-bands\n"]
    {
        assert!(listed.contains(name), "{name}");
    }
}
