//! Missing values: a category of their own, or a reason to drop the row.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray};

use super::formats::{parquet, parquet_column};
use crate::support::Folder;

#[test]
fn missing_is_a_value_like_any_other() {
    let folder = Folder::with("in.csv", "age,s\n?,a\n?,b\n30,c\n40,d\n");
    folder.run("anonymize in.csv -o out.csv --quasi age --k 2 --missing ? --keep-order").ok();
    assert_eq!(folder.text("out.csv"), "age,s\n?,a\n?,b\n[30-40],c\n[30-40],d\n");
}

#[test]
fn missing_together_with_a_number_is_suppressed() {
    // A range that silently held a missing value would say something false.
    let folder = Folder::with("in.csv", "age,s\n?,a\n20,b\n30,c\n40,d\n");
    folder.run("anonymize in.csv -o out.csv --quasi age --k 2 --missing ? --keep-order --seed 0").ok();
    assert_eq!(folder.text("out.csv"), "age,s\n*,a\n*,b\n[30-40],c\n[30-40],d\n");
}

#[test]
fn several_texts_can_mean_missing() {
    let folder = Folder::with("in.csv", "age,s\n-9,a\nNA,b\n30,c\n40,d\n");
    folder.run("anonymize in.csv -o out.csv --quasi age --k 2 --missing NA --missing -9 --keep-order").ok();
    assert_eq!(folder.text("out.csv"), "age,s\nNA,a\nNA,b\n[30-40],c\n[30-40],d\n");
}

#[test]
fn rows_that_miss_a_quasi_identifier_or_a_sensitive_value_are_dropped() {
    let folder = Folder::with("in.csv", "age,s,note\n?,a,1\n20,?,2\n30,c,3\n40,d,?\n");
    let args = "anonymize in.csv -o out.csv --quasi age --sensitive s --k 2 --missing ? --drop-missing";
    let report = folder.run(&format!("{args} --keep-order --json")).ok().json();
    assert_eq!((&report["rows"], &report["dropped_rows"]), (&2.into(), &2.into()));
    assert_eq!(folder.text("out.csv"), "age,s,note\n[30-40],c,3\n[30-40],d,?\n");
    // The stored plan drops them again.
    folder.run("audit out.csv --plan out.plan.toml --original in.csv").ok();
    folder.run(args).ok();
    folder.run("audit out.csv --plan out.plan.toml --original in.csv").ok();
}

#[test]
fn empty_fields_are_missing_unless_only_others_are() {
    let folder = Folder::with("in.csv", "job,s\n,a\n,b\ncook,c\nsmith,d\n");
    let args = "anonymize in.csv -o out.csv --quasi job --k 2 --drop-missing --keep-order";
    folder.run(args).ok();
    assert_eq!(folder.text("out.csv"), "job,s\n*,c\n*,d\n");
    folder.run(&format!("{args} --missing-only")).ok();
    assert_eq!(folder.text("out.csv"), "job,s\n,a\n,b\n\"{cook, smith}\",c\n\"{cook, smith}\",d\n");
}

#[test]
fn the_stored_plan_lists_what_was_missing() {
    let folder = Folder::with("in.csv", "age,s\nNA,a\n?,b\n-9,c\n ,d\n30,e\n40,f\n");
    let run = folder.run("anonymize in.csv -o out.csv --quasi age --k 2 --missing -9 --keep-order").ok();
    let told = "taken as missing: `?` in 1 cell of `age`, `NA` in 1 cell of `age`; if these are values";
    assert!(run.stdout.contains(told), "{}", run.stdout);
    assert_eq!(folder.text("out.csv"), "age,s\n-9,a\n-9,b\n-9,c\n-9,d\n[30-40],e\n[30-40],f\n");
    let plan: toml::Table = folder.text("out.plan.toml").parse().unwrap();
    assert_eq!(plan["input"]["missing"], toml::Value::from(vec!["-9", " ", "?", "NA"]));
    assert_eq!(plan["input"]["missing_only"], true.into());
    folder.run("audit out.csv --plan out.plan.toml --original in.csv").ok();
    // Flags find the same texts in the release and in the original.
    folder.run("audit out.csv --quasi age --missing -9 --original in.csv --k 2").ok();
    folder.run("measure in.csv out.csv --quasi age --missing -9").ok();
}

#[test]
fn a_plan_can_say_that_nothing_is_missing() {
    let folder = Folder::with("in.csv", "country\nNA\nNA\nBR\nAR\n");
    let plan = |input: &str| {
        format!("[input]\n{input}\n[privacy]\nk = 2\n[columns]\ncountry = {{ role = \"quasi\", kind = \"set\" }}\n")
    };
    let rows = |input: &str| {
        folder.write("plan.toml", plan(input));
        let run = folder.run("anonymize in.csv -o out.csv --plan plan.toml --json").ok();
        let stored: toml::Table = folder.text("out.plan.toml").parse().unwrap();
        (run.json()["remarks"].as_array().map_or(0, Vec::len), stored["input"]["missing"].as_array().unwrap().len())
    };
    assert_eq!(rows(""), (1, 1));
    assert_eq!(rows("missing_only = true"), (0, 0));
    assert_eq!(rows("missing = [\"BR\"]\nmissing_only = true"), (0, 1));
}

#[test]
fn every_row_dropped_is_no_release() {
    let folder = Folder::with("in.csv", "age,s\n?,a\n?,b\n");
    let run = folder.run("anonymize in.csv -o out.csv --quasi age --k 2 --missing ? --drop-missing");
    assert_eq!(run.code, 1);
    assert!(
        run.stderr.ends_with("error: every row of `in.csv` misses a value, so all were dropped\n"),
        "{}",
        run.stderr
    );
}

fn with_nulls() -> Folder {
    let ages: ArrayRef = Arc::new(Int64Array::from(vec![None, None, Some(30), Some(40)]));
    let notes: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("c"), Some("")]));
    Folder::with("in.parquet", parquet(&[("age", ages), ("note", notes)]))
}

#[test]
fn nulls_stay_nulls_in_parquet_and_become_empty_in_csv() {
    let folder = with_nulls();
    let owned = |texts: [Option<&str>; 4]| texts.map(|t| t.map(str::to_owned));
    folder.run("anonymize in.parquet -o out.parquet --quasi age --k 2 --keep-order").ok();
    let ages = parquet_column(&folder, "out.parquet", "age");
    assert_eq!(ages, owned([None, None, Some("[30-40]"), Some("[30-40]")]));
    assert_eq!(parquet_column(&folder, "out.parquet", "note"), owned([Some("a"), None, Some("c"), Some("")]));
    folder.run("anonymize in.parquet -o out.csv --quasi age --k 2 --keep-order").ok();
    assert_eq!(folder.text("out.csv"), "age,note\n,a\n,\n[30-40],c\n[30-40],\n");
    folder.run("audit out.csv --plan out.plan.toml --original in.parquet").ok();
}

#[test]
fn rows_with_nulls_are_dropped() {
    let folder = with_nulls();
    let report = folder.run("anonymize in.parquet -o out.csv --quasi age --k 2 --drop-missing --keep-order --json");
    assert_eq!(report.ok().json()["dropped_rows"], 2);
    assert_eq!(folder.text("out.csv"), "age,note\n[30-40],c\n[30-40],\n");
}

#[test]
fn missing_is_a_leaf_right_below_the_root() {
    let folder = Folder::with("in.csv", "city\nOslo\nBergen\n?\nRome\n");
    folder.write("cities.csv", "Oslo;Norway;*\nBergen;Norway;*\nRome;Italy;*\n");
    let args = "anonymize in.csv -o out.csv --quasi city --hierarchy city=cities.csv --k 2 --missing ? --keep-order";
    folder.run(&format!("{args} --partitioner mondrian(relaxed)")).ok();
    assert_eq!(folder.text("out.csv"), "city\nNorway\nNorway\n*\n*\n");
}
