//! A release of which nobody can say why it is so general: `amidst explain`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::{Folder, PEOPLE, ROLES, many_rows};

/// The pairs of [`PEOPLE`], in their order.
fn people() -> Folder {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o release.csv {ROLES} --k 2 --keep-order -q")).ok();
    folder
}

fn near(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn a_row_is_explained_by_the_release_alone() {
    let folder = people();
    let told = folder.run("explain release.csv --row 1 --json").ok().json();
    assert_eq!(told.get("audience"), None);
    let row = &told["row"];
    assert_eq!((row["row"].as_u64(), row["class_rows"].as_u64()), (Some(1), Some(2)));
    assert_eq!(row["promises"][0]["asked"], "k = 2");
    assert_eq!(row["promises"][0]["kept"], true);
    // Ages reach from 21 to 69. The cell of the first pair is [21-23], and its city is the same.
    let cells = row["cells"].as_array().unwrap();
    assert_eq!((&cells[0]["column"], &cells[0]["cell"]), (&json!("age"), &json!("[21-23]")));
    near(&cells[0]["width"], 2.0 / 48.0);
    near(&cells[0]["share"], 1.0);
    near(&cells[1]["width"], 0.0);
    near(&row["loss"], 1.0 / 48.0);
    assert_eq!(cells[0].get("forced_by"), None, "only the original tells");
    let text = folder.run("explain release.csv --row 1").ok().stdout;
    assert!(text.contains("row        1: one of 2 rows that look the same"), "{text}");
    assert!(text.contains("driven by  age: 100 %"), "{text}");
    assert!(!text.contains("INTERNAL"), "{text}");
}

#[test]
fn with_the_original_the_value_is_named_that_makes_a_cell_wide() {
    // Four rows that must be one class at k = 4: without the one of 60, ages would be 20 to 24, of 20 to 60.
    let folder = Folder::with("table.csv", "age,town\n20,A\n22,A\n24,B\n60,A\n");
    folder.run("anonymize table.csv -o release.csv --quasi age,town --k 4 -q").ok();
    let run = folder.run("explain release.csv --row 2 --original table.csv").ok();
    assert!(run.stdout.starts_with("INTERNAL: NOT FOR RECIPIENTS"), "{}", run.stdout);
    let told = folder.run("explain release.csv --row 2 --original table.csv --json").ok().json();
    assert_eq!(told["audience"], "internal: not for recipients");
    let cell = |name: &str| {
        let cells = told["row"]["cells"].as_array().unwrap();
        cells.iter().find(|cell| cell["column"] == name).unwrap()["forced_by"].clone()
    };
    let age = cell("age");
    assert_eq!((&age["value"], &age["rows"], &age["values"]), (&json!("60"), &json!(1), &json!(4)));
    assert_eq!(age["without"], "[20-24]");
    near(&age["width_without"], 4.0 / 40.0);
    let town = cell("town");
    assert_eq!((&town["value"], &town["rows"], &town["without"]), (&json!("B"), &json!(1), &json!("A")));
    near(&town["width_without"], 0.0);
    // By k = 2 the pairs would be {20, 22} in A and {24, 60}, or {20, 24} and {22, 60}, or {22, 24} and {20, 60}. The first loses least in
    // all: ages 2/40 and 36/40, towns 0 and 1, so (2/40 + 36/40 + 1)/4.
    assert_eq!((&told["row"]["narrower"]["k"], &told["row"]["narrower"]["classes"]), (&json!(2), &json!(2)));
    near(&told["row"]["narrower"]["loss"], (2.0 / 40.0 + 36.0 / 40.0 + 1.0) / 4.0);
}

#[test]
fn a_column_is_explained_by_its_cells() {
    let folder = people();
    let column = folder.run("explain release.csv --column age --json").ok().json()["column"].clone();
    // Pairs of ages that are 2, 3, 4 and 2 years apart.
    near(&column["loss"], (2.0 + 3.0 + 4.0 + 2.0) * 2.0 / 8.0 / 48.0);
    near(&column["share"], 1.0);
    assert_eq!((&column["everything"], &column["single"], &column["columns"]), (&json!(0), &json!(0), &json!(2)));
    let widths: Vec<(f64, u64)> = column["widths"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bin| (bin["to"].as_f64().unwrap(), bin["rows"].as_u64().unwrap()))
        .collect();
    assert_eq!(widths, [(0.05, 4), (0.1, 4)]); // 2/48 twice; 3/48 and 4/48
    let widest: Vec<&str> = column["widest"].as_array().unwrap().iter().map(|w| w["cell"].as_str().unwrap()).collect();
    assert_eq!(widest, ["[51-55]", "[31-34]", "[21-23]", "[67-69]"]);
    assert_eq!(column.get("trials"), None);
}

#[test]
fn widths_are_those_of_a_plain_count() {
    let folder = Folder::with("many.csv", many_rows(1_500));
    let flags = "--quasi age,zip,job --identifier note --kind zip=range --kind job=set --sensitive disease --k 5";
    folder.run(&format!("anonymize many.csv -o release.csv {flags} --effort fast -q")).ok();
    let text = folder.text("release.csv");
    // age, zip, and then the set of jobs, which may have commas.
    let bounds = |cell: &str| {
        let inner = cell.trim_start_matches('[').trim_end_matches(']');
        let (lo, hi) = inner.split_once('-').unwrap_or((inner, inner));
        (lo.parse::<f64>().unwrap(), hi.parse::<f64>().unwrap())
    };
    for (place, name) in ["age", "zip"].into_iter().enumerate() {
        let cells: Vec<(f64, f64)> =
            text.lines().skip(1).map(|line| bounds(line.split(',').nth(place).unwrap())).collect();
        let low = cells.iter().map(|cell| cell.0).fold(f64::INFINITY, f64::min);
        let high = cells.iter().map(|cell| cell.1).fold(f64::NEG_INFINITY, f64::max);
        let mean = cells.iter().map(|(lo, hi)| (hi - lo) / (high - low)).sum::<f64>() / cells.len() as f64;
        let column = folder.run(&format!("explain release.csv --column {name} --json")).ok().json()["column"].clone();
        near(&column["loss"], mean);
        let single = cells.iter().filter(|(lo, hi)| hi <= lo).count();
        assert_eq!(column["single"], single, "{name}");
    }
    // With the original, widths are those by which the loss is measured.
    let told = folder.run("explain release.csv --column age --original many.csv --json").ok().json();
    let lm = folder.run("measure many.csv release.csv --plan release.plan.toml --measures lm --json").ok().json();
    let loss = told["loss"].as_f64().unwrap();
    assert!((loss - lm["loss"]["lm"].as_f64().unwrap()).abs() < 0.01, "{loss} {lm}");
    let tried = told["column"]["trials"]["tried"].as_array().unwrap();
    assert_eq!((&tried[0]["choice"], &tried.last().unwrap()["choice"]), (&json!("as it is"), &json!("left out")));
    assert_eq!(tried.last().unwrap()["column"], Value::Null);
}

#[test]
fn no_value_of_few_rows_is_named() {
    // Thirty towns of twenty rows, and five people who are alone in theirs.
    let mut table = "age,town\n".to_owned();
    (0..600).for_each(|row| table += &format!("{},town {}\n", 20 + row % 50, row % 30));
    (0..5).for_each(|row| table += &format!("{},hamlet {row}\n", 30 + row));
    let folder = Folder::with("table.csv", table);
    folder.run("anonymize table.csv -o release.csv --quasi age,town --kind town=suppress --k 10 -q").ok();
    for more in ["", "--original table.csv"] {
        let run = folder.run(&format!("explain release.csv --column town {more}")).ok();
        assert!(!run.stdout.contains("hamlet"), "{}", run.stdout);
        let told = folder.run(&format!("explain release.csv --column town {more} --json")).ok().json();
        for list in ["widest", "values"] {
            for named in told["column"][list].as_array().into_iter().flatten() {
                assert!(named["rows"].as_u64().unwrap() >= 10, "{named}");
            }
        }
    }
}

#[test]
fn persons_are_counted_where_they_are_known() {
    let mut table = "pid,age,disease\n".to_owned();
    let diseases = ["flu", "cold", "gout"];
    (0..36).for_each(|row| table += &format!("p{},{},{}\n", row % 12, 30 + row % 12, diseases[row / 12]));
    let folder = Folder::with("visits.csv", table);
    folder.run("key -o person.key").ok();
    let flags = "--quasi age --publish-as-is disease --k 3 -q";
    let persons = |command: &str| {
        let told = folder.run(&format!("{command} --json")).ok().json();
        (told["row"]["class_persons"].clone(), told["row"]["class_rows"].clone(), told)
    };
    // Three visits of each person, so a class has three times as many rows.
    folder
        .run(&format!("anonymize visits.csv -o linked.csv {flags} --person pid --pseudonym pid --key person.key"))
        .ok();
    let release = folder.text("linked.csv");
    let rows: Vec<Vec<&str>> = release.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let header: Vec<&str> = release.lines().next().unwrap().split(',').collect();
    let (pid, age) = (place(&header, "pid"), place(&header, "age"));
    let alike = rows.iter().filter(|row| row[age] == rows[4][age]);
    let pseudonyms: BTreeSet<&str> = alike.clone().map(|row| row[pid]).collect();
    let (found, of_rows, told) = persons("explain linked.csv --row 5");
    assert_eq!((found, of_rows), (json!(pseudonyms.len()), json!(alike.count())));
    assert_eq!(told["row"]["promises"][0]["asked"], "k = 3 persons");

    folder.run(&format!("anonymize visits.csv -o apart.csv {flags} --person pid")).ok();
    let (found, .., told) = persons("explain apart.csv --row 5");
    assert_eq!(found, Value::Null);
    assert!(told["remarks"].to_string().contains("only the original tells whose a row is"), "{told}");
    let (found, ..) = persons("explain apart.csv --row 5 --original visits.csv");
    assert!(found.as_u64().unwrap() >= 3, "{found}");
}

fn place(header: &[&str], name: &str) -> usize {
    header.iter().position(|column| *column == name).unwrap()
}

#[test]
fn every_model_is_told_for_the_class_of_the_row() {
    let folder = Folder::with("many.csv", many_rows(600));
    let flags = "--quasi age,job --identifier zip,note --sensitive disease --k 6 --l 2 --require t-closeness(t=0.6)";
    folder.run(&format!("anonymize many.csv -o release.csv {flags} --effort fast -q")).ok();
    let text = folder.text("release.csv");
    let rows: Vec<(&str, &str)> = text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap()).collect();
    let table = counts(rows.iter().map(|(_, disease)| *disease));
    for row in [1, 77, 600] {
        let told = folder.run(&format!("explain release.csv --row {row} --json")).ok().json();
        let class: Vec<&str> =
            rows.iter().filter(|(cells, _)| *cells == rows[row - 1].0).map(|(_, disease)| *disease).collect();
        let of_class = counts(class.iter().copied());
        let size = class.len() as f64;
        let l = size / *of_class.values().max().unwrap() as f64;
        // Half of all differences between the class and the table.
        let share =
            |counts: &BTreeMap<&str, usize>, value: &str, all: f64| *counts.get(value).unwrap_or(&0) as f64 / all;
        let t: f64 =
            table.keys().map(|v| (share(&of_class, v, size) - share(&table, v, 600.0)).abs()).sum::<f64>() / 2.0;
        let promises = told["row"]["promises"].as_array().unwrap();
        let reached = |asked: &str| {
            let promise =
                promises.iter().find(|promise| promise["asked"].as_str().unwrap().starts_with(asked)).unwrap();
            assert_eq!(promise["kept"], true);
            promise["reached"].as_str().unwrap().to_owned()
        };
        assert_eq!(reached("k = "), format!("k = {}", class.len()));
        assert_eq!(reached("frequency-l"), format!("l = {l:.4}"));
        assert_eq!(reached("t-closeness"), format!("t = {t:.4}"));
    }
}

fn counts<'a>(values: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    counts
}

#[test]
fn every_form_of_release_has_an_explanation() {
    let folder = Folder::with("many.csv", many_rows(400));
    let flags = "--quasi age,job --identifier zip,note --kind job=set --sensitive disease --k 5 --l 2 --effort fast -q";
    for form in ["generalization", "centres", "ring", "anatomy", "slicing", "randomization"] {
        let file = format!("{form}.csv");
        let made = folder.run(&format!("anonymize many.csv -o {file} {flags} --publish {form}"));
        if made.code != 0 && form == "ring" {
            continue; // some models do not go with rings
        }
        made.ok();
        for more in ["--row 3", "--column age", "--row 3 --column age --original many.csv"] {
            let told = folder.run(&format!("explain {file} {more} --json")).ok().json();
            assert_eq!(told["rows"], 400, "{form}");
        }
    }
}

#[test]
fn mistakes_say_what_to_do() {
    let folder = people();
    let refused = |args: &str, words: &str| {
        let run = folder.run(args);
        assert!(run.code == 2 && run.stderr.contains(words), "{args}: {}", run.stderr);
    };
    refused("explain release.csv --row 9", "there is no row 9 in `release.csv`; it has 8 rows");
    refused("explain release.csv --row 0", "there is no row 0");
    refused("explain release.csv --column agee", "there is no quasi-identifier named `agee`; did you mean `age`?");
    refused("explain release.csv", "--row");
    folder.write("alone.csv", folder.text("release.csv"));
    refused("explain alone.csv --row 1", "no plan is stored beside `alone.csv`");
    refused("explain alone.csv --row 1", "--plan");
    folder.run("explain alone.csv --row 1 --plan release.plan.toml").ok();
    folder.write("other.csv", PEOPLE.replace("Ann,21", "Ann,29"));
    refused("explain release.csv --row 1 --original other.csv", "it is no release of the original");
    folder.write("release.csv", folder.text("release.csv").replace("[21-23]", "[21-24]"));
    refused("explain release.csv --row 1", "is not the file");
}
