//! What the packages are made of is as deny.toml wants it, and THIRD-PARTY.md lists it.

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
