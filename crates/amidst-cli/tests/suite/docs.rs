//! Every command in the documentation works: each `sh` block is run in a folder of its own, with every fifteenth row of the Adult table, its
//! hierarchies and the visits table in it. What the commands print is not looked at, so that a sample shows as much as the whole table.

use std::ffi::OsString;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use rayon::prelude::*;

use crate::support::{Folder, amidst};

/// What is not for the reader of a release: building and installing.
const SKIPPED: [&str; 3] = ["make", "cargo", "pip"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README.md, docs/*.md and docs/figures/*.md, by their places in the project.
fn pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned()];
    for folder in ["docs", "docs/figures"] {
        let files = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let markdown = files.filter(|file| file.extension().is_some_and(|extension| extension == "md"));
        pages.extend(markdown.map(|file| format!("{folder}/{}", file.file_name().unwrap().display())));
    }
    pages
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|e| panic!("{page}: {e}"))
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

/// The header and every fifteenth row of the Adult table: 3,015 of 45,222 rows. `make test-all` takes all of them.
static ADULT: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let file = fs::File::open(root().join("data/adult/adult.csv.gz")).unwrap();
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let mut sample = GzEncoder::new(Vec::new(), Compression::fast());
    let step = if std::env::var_os("AMIDST_ALL_CASES").is_some() { 1 } else { 15 };
    for line in text.split_inclusive('\n').step_by(step) {
        sample.write_all(line.as_bytes()).unwrap();
    }
    sample.finish().unwrap()
});

fn run(script: &str) -> Result<(), String> {
    let folder = Folder::new();
    let adult = root().join("data/adult");
    fs::create_dir(folder.path("hierarchies")).unwrap();
    folder.write("adult.csv.gz", &*ADULT);
    for tree in fs::read_dir(adult.join("hierarchies")).unwrap() {
        let tree = tree.unwrap();
        fs::copy(tree.path(), folder.path("hierarchies").join(tree.file_name())).unwrap();
    }
    fs::copy(root().join("data/visits/visits.csv"), folder.path("visits.csv")).unwrap();
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

/// Runs all commands of a page, each block of them by itself.
fn commands_work(page: &str) {
    let scripts = scripts(&read(page));
    assert!(!scripts.is_empty(), "{page} has no block of commands (```sh)");
    let failures: Vec<String> = scripts
        .into_par_iter()
        .filter_map(|(line, script)| run(&script).err().map(|failure| format!("{page}, line {line}: {failure}")))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A test for each page, and one that none is missing.
macro_rules! commands_of {
    ($($name:ident: $page:literal,)*) => {
        mod commands_work {
            $(
                #[test]
                fn $name() {
                    super::commands_work($page);
                }
            )*
        }

        #[test]
        fn every_page_with_commands_has_a_test() {
            let tested = [$($page),*];
            for page in pages() {
                let has_commands = !scripts(&read(&page)).is_empty();
                assert!(!has_commands || tested.contains(&page.as_str()), "{page} has commands; name it in {}", file!());
            }
        }
    };
}

commands_of! {
    readme: "README.md",
    algorithms: "docs/algorithms.md",
    attacks: "docs/attacks.md",
    certificate: "docs/certificate.md",
    engine: "docs/engine.md",
    explain: "docs/explain.md",
    measures: "docs/measures.md",
    papers: "docs/papers.md",
    persons: "docs/persons.md",
    plan: "docs/plan.md",
    privacy: "docs/privacy.md",
    publication: "docs/publication.md",
    report: "docs/report.md",
    risk: "docs/risk.md",
    figures_of_the_engine: "docs/figures/engine.md",
}

#[test]
fn blocks_are_found() {
    let page = "text\n```sh\n$ amidst list \\\n    measures\nmake all\necho done\n```\n```toml\nk = 2\n```\n  ```sh\n  true\n  ```\n";
    assert_eq!(scripts(page), [(2, "amidst list      measures\necho done".to_owned()), (11, "  true".to_owned())]);
}
