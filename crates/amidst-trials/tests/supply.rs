//! What the packages are made of is as deny.toml wants it, and THIRD-PARTY.md lists it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

fn supply(asked: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_supply")).arg(asked).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn licences_crates_and_sources_are_allowed() {
    assert!(supply("check").contains("crates"));
}

#[test]
fn the_notices_are_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../THIRD-PARTY.md");
    let stored = fs::read_to_string(file).unwrap();
    assert!(stored == supply("notices"), "THIRD-PARTY.md is out of date; run `make notices`");
}

#[test]
fn the_bill_of_materials_lists_every_crate_with_its_checksum() {
    let bill: serde_json::Value = serde_json::from_str(&supply("sbom")).unwrap();
    let components = bill["components"].as_array().unwrap();
    let ours = |name: &str| name.starts_with("amidst");
    for component in components {
        let name = component["name"].as_str().unwrap();
        assert!(ours(name) || component["hashes"][0]["content"].as_str().is_some_and(|sum| sum.len() == 64), "{name}");
    }
    assert_eq!(bill["dependencies"].as_array().unwrap().len(), components.len());
    assert!(components.iter().any(|component| component["name"] == "arrow-array"));
}

/// The crates outside of this repository that a Cargo.toml asks for, also for tests and for single platforms.
fn asked_for(manifest: &toml::Table) -> BTreeSet<String> {
    let platforms = manifest.get("target").and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::values);
    let tables = platforms.filter_map(toml::Value::as_table).chain([manifest]);
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let found = tables.flat_map(|table| kinds.into_iter().filter_map(|kind| table.get(kind)?.as_table()));
    let names = found.flat_map(|crates| crates.keys().cloned());
    names.filter(|name| !name.starts_with("amidst")).collect()
}

/// The words in backquotes in the first column of the table below "## Dependencies".
fn listed(design: &str) -> Vec<String> {
    let table = design.split("\n## Dependencies\n").nth(1).unwrap_or_default();
    let rows = table.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    rows.flat_map(|row| row.split('|').nth(1).unwrap_or_default().split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_design_gives_a_reason_for_every_direct_dependency() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let workspace: toml::Table = read("Cargo.toml").parse().unwrap();
    let members = workspace["workspace"]["members"].as_array().unwrap().iter().map(|member| member.as_str().unwrap());
    let manifests = members.chain(["fuzz"]).map(|member| read(&format!("{member}/Cargo.toml")).parse().unwrap());
    let asked_for: BTreeSet<String> = manifests.flat_map(|manifest| asked_for(&manifest)).collect();
    let listed = listed(&read("DESIGN.md"));
    let once: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), once.len(), "DESIGN.md lists a dependency twice");
    let lacking: Vec<_> = asked_for.difference(&once).collect();
    let unused: Vec<_> = once.difference(&asked_for).collect();
    assert!(lacking.is_empty(), "DESIGN.md gives no reason for {lacking:?}");
    assert!(unused.is_empty(), "DESIGN.md lists {unused:?}, which no Cargo.toml asks for");
}

#[test]
fn dependencies_of_every_kind_are_found() {
    let manifest = "[dependencies]\namidst = \"1\"\ncsv = \"1\"\n[dev-dependencies]\ninsta = \"1\"\n[build-dependencies]\ncc = \"1\"\n\
                    [target.'cfg(unix)'.dependencies]\nnix = \"1\"";
    assert_eq!(asked_for(&manifest.parse().unwrap()), ["cc", "csv", "insta", "nix"].map(str::to_owned).into());
    let design = "`a`\n## Dependencies\n\n| crate | why |\n|---|---|\n| `b`, `c` 2 | like `d` |\n| `e` | |\n\n| `f` |";
    assert_eq!(listed(design), ["b", "c", "e"]);
}
