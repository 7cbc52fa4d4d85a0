//! Hole 2: where records were left out, only the table as a whole was compared with the original.

use std::collections::HashMap;

use crate::support::{Folder, many_rows};

/// A table of 403 rows, three of them far from all others, whose first column tells every row apart; and a release of it in this form with at most
/// a tenth of the records left out.
fn release(form: &str) -> Folder {
    let far = "200,20000,job,note,disease 1\n300,30000,job,note,disease 2\n400,40000,job,note,disease 3\n";
    let text = many_rows(400) + far;
    let mut lines = text.lines();
    let mut table = format!("row,{}\n", lines.next().unwrap());
    lines.zip(0..).for_each(|(line, row)| table += &format!("{row},{line}\n"));
    let folder = Folder::with("table.csv", table);
    let roles = "--quasi age,zip --sensitive disease --identifier job,note --publish-as-is row --kind zip=range";
    let run = folder.run(&format!(
        "anonymize table.csv -o release.csv {roles} --k 10 --l 2 --suppress 0.1 --publish {form} --seed 1 --json"
    ));
    let left_out = run.ok().json()["suppressed"]["rows"].as_u64().unwrap();
    assert!(left_out > 0, "{form} leaves nobody out");
    folder
}

/// The rows of a file, and its header first.
fn rows(folder: &Folder, name: &str) -> Vec<Vec<String>> {
    let text = folder.text(name);
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// Replaces a file, which then no longer is what its manifest says; so that goes, too.
fn store(folder: &Folder, name: &str, rows: &[Vec<String>]) {
    let lines: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
    folder.write(name, lines.join("\n") + "\n");
    let _ = std::fs::remove_file(folder.path("release.manifest.json"));
}

fn place(header: &[String], column: &str) -> usize {
    header.iter().position(|name| name == column).unwrap()
}

/// The release passes as it is, and does not pass after it was tampered with, for this reason.
fn is_noticed(folder: &Folder, name: &str, tampered: &[Vec<String>], reason: &str) {
    let audit = "audit release.csv --plan release.plan.toml --original table.csv";
    folder.run(audit).ok();
    store(folder, name, tampered);
    let run = folder.run(audit);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains(reason), "{}{}", run.stdout, run.stderr);
}

#[test]
fn randomization_that_keeps_nearly_all_values_is_noticed() {
    let folder = release("randomization(p=0.2)");
    let original = rows(&folder, "table.csv");
    let (row, disease) = (place(&original[0], "row"), place(&original[0], "disease"));
    let own: HashMap<&String, &String> = original[1..].iter().map(|cells| (&cells[row], &cells[disease])).collect();
    let mut tampered = rows(&folder, "release.csv");
    let (row, disease) = (place(&tampered[0], "row"), place(&tampered[0], "disease"));
    for cells in &mut tampered[1..] {
        cells[disease] = own[&cells[row]].clone();
    }
    is_noticed(&folder, "release.csv", &tampered, "have the sensitive values of their own records");
}

#[test]
fn centres_that_are_off_by_five_are_noticed() {
    let folder = release("centres");
    let mut tampered = rows(&folder, "release.csv");
    let age = place(&tampered[0], "age");
    for cells in &mut tampered[1..] {
        cells[age] = (cells[age].parse::<f64>().unwrap() + 5.0).to_string();
    }
    is_noticed(&folder, "release.csv", &tampered, "the centre is wrong in");
}

#[test]
fn groups_of_an_anatomy_that_exchanged_values_are_noticed() {
    let folder = release("anatomy");
    let mut tampered = rows(&folder, "release.sensitive.csv");
    let has = |rows: &[Vec<String>], group: &str, value: &str| rows.iter().any(|r| r[0] == group && r[1] == value);
    // Two values with the same count, each of which the other group lacks.
    let pairs = (1..tampered.len()).flat_map(|one| (1..one).map(move |other| (one, other)));
    let mut pairs = pairs.filter(|(one, other)| {
        let (one, other) = (&tampered[*one], &tampered[*other]);
        one[2] == other[2] && !has(&tampered, &one[0], &other[1]) && !has(&tampered, &other[0], &one[1])
    });
    let (one, other) = pairs.next().unwrap();
    drop(pairs);
    let value = tampered[one][1].clone();
    tampered[one][1] = std::mem::replace(&mut tampered[other][1], value);
    tampered[1..].sort_by(|a, b| (a[0].parse::<u32>().unwrap(), &a[1]).cmp(&(b[0].parse::<u32>().unwrap(), &b[1])));
    is_noticed(&folder, "release.sensitive.csv", &tampered, "a class has values that its records do not have");
}
