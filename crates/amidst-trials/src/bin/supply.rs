//! What the packages are made of: `supply check` holds it against deny.toml, `supply notices` prints the licences that belong beside the
//! packages (THIRD-PARTY.md), `supply sbom` prints a bill of materials (CycloneDX).
//!
//! Counted is what the command line and the Python module need on Linux, as `cargo metadata` says; not what only tests or builds
//! need. Nothing of this needs the network.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use serde_json::{Value, json};

const PLATFORM: &str = "x86_64-unknown-linux-gnu";
const PACKAGES: [&str; 2] = ["amidst-cli", "amidst-py"];
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// A crate that is part of a package.
struct Crate {
    id: String,
    name: String,
    version: String,
    license: String,
    /// Where it comes from; nowhere for our own.
    source: Option<String>,
    /// The file that describes it.
    manifest: String,
    needs: Vec<String>,
}

fn main() -> ExitCode {
    let asked = std::env::args().nth(1).unwrap_or_default();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let done = crates(&root).and_then(|crates| match asked.as_str() {
        "check" => check(&root, &crates),
        "notices" => notices(&crates),
        "sbom" => sbom(&root, &crates),
        _ => Err("supply check, supply notices or supply sbom".to_owned()),
    });
    match done {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// All crates of the packages, by name.
fn crates(root: &Path) -> Result<Vec<Crate>, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--locked", "--offline", "--filter-platform", PLATFORM])
        .current_dir(root)
        .output()
        .map_err(|e| format!("cargo metadata: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();

    let mut needs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for node in list(&metadata["resolve"]["nodes"]) {
        let is_part = |need: &&Value| list(&need["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
        let parts = list(&node["deps"]).iter().filter(is_part).map(|need| text(&need["pkg"])).collect();
        needs.insert(text(&node["id"]), parts);
    }
    let packages = list(&metadata["packages"]);
    let ours = packages.iter().filter(|package| PACKAGES.contains(&text(&package["name"]).as_str()));
    let mut next: Vec<String> = ours.map(|package| text(&package["id"])).collect();
    let mut reached: BTreeSet<String> = BTreeSet::new();
    while let Some(id) = next.pop() {
        if reached.insert(id.clone()) {
            next.extend(needs.get(&id).cloned().unwrap_or_default());
        }
    }
    let mut crates: Vec<Crate> = packages
        .iter()
        .filter(|package| reached.contains(&text(&package["id"])))
        .map(|package| Crate {
            id: text(&package["id"]),
            name: text(&package["name"]),
            version: text(&package["version"]),
            license: text(&package["license"]).replace('/', " OR "),
            source: package["source"].as_str().map(str::to_owned),
            manifest: text(&package["manifest_path"]),
            needs: needs.get(&text(&package["id"])).cloned().unwrap_or_default(),
        })
        .collect();
    crates.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(crates)
}

/// Holds licences, crates and sources against deny.toml.
fn check(root: &Path, crates: &[Crate]) -> Result<String, String> {
    let file = fs::read_to_string(root.join("deny.toml")).map_err(|e| format!("deny.toml: {e}"))?;
    let rules: toml::Table = file.parse().map_err(|e| format!("deny.toml: {e}"))?;
    let list = |part: &str, key: &str| rules.get(part).and_then(|p| p.get(key)).and_then(|v| v.as_array()).cloned();
    let allowed = list("licenses", "allow").unwrap_or_default();
    let allowed: Vec<&str> = allowed.iter().filter_map(|license| license.as_str()).collect();
    let banned = list("bans", "deny").unwrap_or_default();
    let banned: Vec<&str> = banned.iter().filter_map(|ban| ban.get("crate").and_then(|name| name.as_str())).collect();
    let mut wrong = Vec::new();
    for part in crates {
        let Crate { name, version, license, source, .. } = part;
        let expression = spdx::Expression::parse(license).map_err(|e| format!("{name}: `{license}`: {e}"))?;
        if !expression.evaluate(|need| allowed.contains(&need.to_string().as_str())) {
            wrong.push(format!("{name} {version}: the licence {license} is not among those that deny.toml allows"));
        }
        if banned.contains(&name.as_str()) {
            wrong.push(format!("{name} {version}: deny.toml bans this crate"));
        }
        if source.as_ref().is_some_and(|source| source != CRATES_IO) {
            wrong.push(format!("{name} {version}: it does not come from crates.io"));
        }
    }
    let text = format!("{} crates: licences, bans and sources are as deny.toml wants them\n", crates.len());
    if wrong.is_empty() { Ok(text) } else { Err(wrong.join("\n")) }
}

/// The licence files of a crate, by name.
fn licences(part: &Crate) -> Result<Vec<String>, String> {
    let folder = Path::new(&part.manifest).parent().unwrap_or(Path::new("."));
    let fail = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let is_licence = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
        if path.is_file() && is_licence.iter().any(|start| name.starts_with(start)) {
            files.push(path);
        }
    }
    files.sort();
    let clean = |text: String| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned();
    files.iter().map(|file| fs::read_to_string(file).map(clean).map_err(fail)).collect()
}

/// THIRD-PARTY.md: every crate of others, and the text of every licence once.
fn notices(crates: &[Crate]) -> Result<String, String> {
    let others: Vec<&Crate> = crates.iter().filter(|part| part.source.is_some()).collect();
    let mut text = format!(
        "# Software of others in amidst\n\nThe command line and the Python module for Linux are built from these {} crates. \
         Made by `make notices`.\n\n| crate | version | licence |\n|---|---|---|\n",
        others.len()
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut bare = Vec::new();
    for part in others {
        let name = format!("{} {}", part.name, part.version);
        text += &format!("| {} | {} | {} |\n", part.name, part.version, part.license);
        let found = licences(part)?;
        if found.is_empty() {
            bare.push(name.clone());
        }
        for licence in found {
            texts.entry(licence).or_default().push(name.clone());
        }
    }
    if !bare.is_empty() {
        text += &format!("\nThese bring no text of their licence, which the table names: {}.\n", bare.join(", "));
    }
    let mut texts: Vec<(String, Vec<String>)> = texts.into_iter().collect();
    texts.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    for (licence, mut names) in texts {
        names.dedup();
        text += &format!("\n## {}\n\n~~~text\n{}\n~~~\n", names.join(", "), licence.replace("~~~", "---"));
    }
    Ok(text)
}

/// A bill of materials in the form of CycloneDX.
fn sbom(root: &Path, crates: &[Crate]) -> Result<String, String> {
    let lock = fs::read_to_string(root.join("Cargo.lock")).map_err(|e| format!("Cargo.lock: {e}"))?;
    let lock: toml::Table = lock.parse().map_err(|e| format!("Cargo.lock: {e}"))?;
    let locked = lock.get("package").and_then(|packages| packages.as_array()).cloned().unwrap_or_default();
    let checksum = |part: &Crate| {
        let is_it = |entry: &&toml::Value| {
            entry.get("name").and_then(|v| v.as_str()) == Some(&part.name)
                && entry.get("version").and_then(|v| v.as_str()) == Some(&part.version)
        };
        Some(locked.iter().find(is_it)?.get("checksum")?.as_str()?.to_owned())
    };
    let url = |part: &Crate| format!("pkg:cargo/{}@{}", part.name, part.version);
    let known: BTreeMap<&str, String> = crates.iter().map(|part| (part.id.as_str(), url(part))).collect();
    let component = |part: &Crate| {
        let mut component = json!({
            "type": "library",
            "bom-ref": url(part),
            "name": part.name,
            "version": part.version,
            "purl": url(part),
            "licenses": [{ "expression": part.license }],
        });
        if let Some(sum) = checksum(part) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        component
    };
    let needs = |part: &Crate| {
        let mut needs: Vec<&String> = part.needs.iter().filter_map(|id| known.get(id.as_str())).collect();
        needs.sort();
        json!({ "ref": url(part), "dependsOn": needs })
    };
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": { "type": "application", "name": "amidst", "version": env!("CARGO_PKG_VERSION") } },
        "components": crates.iter().map(component).collect::<Vec<_>>(),
        "dependencies": crates.iter().map(needs).collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&bill).map(|text| text + "\n").map_err(|e| e.to_string())
}
