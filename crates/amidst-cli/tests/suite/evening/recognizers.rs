//! How well identifiers are recognized: the headers of public tables, each column labelled by a person.

use super::tables::{self, Table};
use crate::support::Folder;

/// The role that `init` guesses for each column of a table.
pub fn roles(table: &Table, seed: u64) -> Vec<(String, String)> {
    let folder = Folder::with("table.csv", table.csv(400, seed));
    folder.run("init table.csv --yes --k 5").ok();
    let plan: toml::Table = folder.text("table.plan.toml").parse().unwrap();
    let columns = plan["columns"].as_table().unwrap();
    let role = |name: &str| columns[name]["role"].as_str().unwrap().to_owned();
    table.columns.iter().map(|column| (column.name.clone(), role(&column.name))).collect()
}

#[test]
fn identifiers_are_found_and_little_else() {
    let (mut missed, mut false_alarms) = (Vec::new(), Vec::new());
    let (mut identifiers, mut others) = (0, 0);
    for table in tables::all() {
        for seed in [1, 2] {
            let roles = roles(&table, seed);
            for (column, (name, role)) in table.columns.iter().zip(&roles) {
                let taken = role == "identifier" || role == "person";
                let told = format!("{}: {name} is {role}", table.name);
                if column.label == 'i' {
                    identifiers += 1;
                    missed.extend((!taken).then_some(told));
                } else {
                    others += 1;
                    false_alarms.extend(taken.then_some(told));
                }
            }
        }
    }
    let (found, alarms) = (1.0 - missed.len() as f64 / identifiers as f64, false_alarms.len() as f64 / others as f64);
    let told = format!(
        "{identifiers} identifiers, {:.1} % found; {others} others, {:.1} % false alarms\nmissed {missed:#?}\nfalse alarms {false_alarms:#?}",
        found * 100.0,
        alarms * 100.0
    );
    println!("{told}");
    assert!(found >= 0.95 && alarms <= 0.05, "{told}");
}
