//! Every command in the documentation works: each `sh` block is run in a folder of its own, with the Adult table and
//! its hierarchies in it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Folder, amidst};

/// What is not for the reader of a release: building and installing.
const SKIPPED: [&str; 3] = ["make", "cargo", "pip"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README.md, docs/*.md and docs/figures/*.md, where they are.
fn pages() -> Vec<PathBuf> {
    let folders = ["docs", "docs/figures"].map(|folder| fs::read_dir(root().join(folder)));
    let docs = folders.into_iter().flatten().flatten().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = docs.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    pages.sort();
    pages.insert(0, root().join("README.md"));
    pages.retain(|path| path.is_file());
    pages
}

/// The scripts in a page, each with the line that it begins in.
fn scripts(page: &str) -> Vec<(usize, String)> {
    let mut scripts = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(info) = line.trim_start().strip_prefix("```") else { continue };
        let block = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```");
        let block = block.map(|line| line.trim_start().strip_prefix("$ ").unwrap_or(line));
        let block: Vec<&str> = block.collect();
        if info == "sh" {
            // A command may go on in the next line.
            let joined = block.join("\n").replace("\\\n", " ");
            let run = |line: &&str| !SKIPPED.contains(&line.split_whitespace().next().unwrap_or_default());
            scripts.push((number + 1, joined.lines().filter(run).collect::<Vec<_>>().join("\n")));
        }
    }
    scripts
}

fn run(script: &str) -> Result<(), String> {
    let folder = Folder::new();
    let adult = root().join("data/adult");
    fs::create_dir(folder.path("hierarchies")).unwrap();
    fs::copy(adult.join("adult.csv.gz"), folder.path("adult.csv.gz")).unwrap();
    for tree in fs::read_dir(adult.join("hierarchies")).unwrap() {
        let tree = tree.unwrap();
        fs::copy(tree.path(), folder.path("hierarchies").join(tree.file_name())).unwrap();
    }
    let mut path = OsString::from(amidst().parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = Command::new("sh").args(["-e", "-c", script]).current_dir(folder.path("")).env("PATH", path).output();
    let output = output.unwrap();
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(format!("{}\n{script}\n{}", output.status, String::from_utf8_lossy(&said)))
}

#[test]
fn every_command_in_the_documentation_works() {
    let mut failures = Vec::new();
    for page in pages() {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        for (line, script) in scripts(&fs::read_to_string(&page).unwrap()) {
            if let Err(failure) = run(&script) {
                failures.push(format!("{name}, line {line}: {failure}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_readme_shows_commands() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap_or_default();
    assert!(!scripts(&readme).is_empty(), "README.md has no block of commands (```sh), so none of them is tested");
}

#[test]
fn blocks_are_found() {
    let page = "text\n```sh\n$ amidst list \\\n    measures\nmake all\necho done\n```\n```toml\nk = 2\n```\n  ```sh\n  true\n  ```\n";
    assert_eq!(scripts(page), [(2, "amidst list      measures\necho done".to_owned()), (11, "  true".to_owned())]);
}
