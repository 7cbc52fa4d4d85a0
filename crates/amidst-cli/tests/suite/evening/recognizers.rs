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

/// How many identifiers of the tables are found, and which columns are taken for identifiers and are none.
struct Found {
    share: f64,
    alarms: f64,
    told: String,
}

fn found(tables: &[Table]) -> Found {
    let (mut missed, mut false_alarms) = (Vec::new(), Vec::new());
    let (mut identifiers, mut others) = (0, 0);
    for table in tables {
        for seed in [1, 2] {
            let roles = roles(table, seed);
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
    let share = 1.0 - missed.len() as f64 / f64::from(identifiers);
    let alarms = false_alarms.len() as f64 / f64::from(others);
    let told = format!(
        "{identifiers} identifiers, {:.1} % found; {others} others, {:.1} % false alarms\nmissed {missed:#?}\nfalse alarms {false_alarms:#?}",
        share * 100.0,
        alarms * 100.0
    );
    println!("{told}");
    Found { share, alarms, told }
}

#[test]
fn identifiers_are_found_and_little_else() {
    let Found { share, alarms, told } = found(&tables::all());
    assert!(share >= 0.95 && alarms <= 0.05, "{told}");
}

#[test]
fn identifiers_of_other_tables_are_found_as_well() {
    let Found { share, alarms, told } = found(&tables::unseen());
    assert!(share >= 0.9 && alarms <= 0.05, "{told}");
}
