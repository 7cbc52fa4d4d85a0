//! The stages know only what lies before them, and the sources keep the house rules.

use std::fs;
use std::path::{Path, PathBuf};

/// May be used by all, and use only each other.
const BASE: &[&str] = &["error", "notation", "plan", "progress", "registry", "usage"];

/// The stages in the order of the flow. Those in one row may use each other.
const STAGES: &[&[&str]] = &[
    &["read"],
    &["schema"],
    &["hierarchy"],
    &["encode"],
    &["problem", "cost", "constraint"],
    &["bound"],
    &["cluster"],
    &["partition"],
    &["refine"],
    &["suppress"],
    &["publish"],
    &["write"],
    &["verify"],
    &["measure"],
    &["attack"],
    &["risk"],
    &["report"],
    &["pipeline"],
];

/// What users see: it only hands on what the stages have, so it may name them all.
const FRONT: &[&str] = &["lib", "algorithms", "internals", "prelude"];

/// The folders whose files each hold one member of a list.
const LISTS: &[&str] = &["partition", "refine", "cost", "attack"];

struct Source {
    /// Below `src/`.
    path: PathBuf,
    text: String,
}

impl Source {
    /// The stage or base module it belongs to.
    fn module(&self) -> String {
        let first = self.path.iter().next().unwrap();
        Path::new(first).file_stem().unwrap().to_string_lossy().into_owned()
    }

    /// Its lines without comments and unit tests, with their numbers.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().zip(1..).map(|(line, number)| (number, line));
        lines.take_while(|(_, line)| *line != "#[cfg(test)]").filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// How often it says `super` to get out of its stage.
    fn depth(&self) -> usize {
        let inside = self.path.iter().count();
        if self.path.ends_with("mod.rs") { inside - 1 } else { inside }
    }
}

/// All Rust files below a folder.
fn sources_of(root: &Path) -> Vec<Source> {
    let mut folders = vec![root.to_owned()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                sources.push(Source { path: path.strip_prefix(root).unwrap().to_owned(), text });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

/// All files of the library.
fn sources() -> Vec<Source> {
    sources_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

/// Base modules are 0, the first stage is 1.
fn rank(module: &str) -> Option<usize> {
    let stage = STAGES.iter().position(|row| row.contains(&module)).map(|i| i + 1);
    stage.or_else(|| BASE.contains(&module).then_some(0))
}

/// Why `source` may not say what it says.
fn breaches(source: &Source) -> Vec<String> {
    let module = source.module();
    let Some(own) = rank(&module) else { return vec![format!("`{module}` has no place in the order of stages")] };
    let mut breaches = Vec::new();
    for (number, line) in source.code() {
        let mut breach = |what: String| breaches.push(format!("{}:{number}: {what}", source.path.display()));
        if line.contains("crate::{") {
            breach("name one module in a `use crate::` line".to_owned());
        }
        for named in line.split("crate::").skip(1) {
            let named = named.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            match rank(named) {
                Some(rank) if rank <= own => {}
                Some(_) => breach(format!("{module} names {named}, a later stage")),
                None if named.is_empty() => {}
                None => breach(format!("`{named}` has no place in the order of stages")),
            }
        }
        if line.contains(&"super::".repeat(source.depth())) {
            breach("`super` leads out of the stage; say `crate::`".to_owned());
        }
    }
    breaches
}

#[test]
fn no_stage_names_a_later_one() {
    let all = sources();
    let inner = all.iter().filter(|source| !FRONT.contains(&source.module().as_str()));
    let breaches: Vec<String> = inner.flat_map(breaches).collect();
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

/// What the verification may use: nothing that has a part in making a release. Of `read` it knows where a table is, what holds its columns,
/// and what refuses damaged files.
const OF_VERIFY: &[&str] = &["error", "plan", "progress", "read", "verify"];

#[test]
fn the_verification_shares_nothing_with_what_makes_a_release() {
    for source in sources().iter().filter(|source| source.module() == "verify") {
        for (number, line) in source.code() {
            for named in line.split("crate::").skip(1) {
                let module = named.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
                assert!(OF_VERIFY.contains(&module), "{}:{number}: {line}", source.path.display());
                let of_read = named.strip_prefix("read::").unwrap_or_default();
                let names = of_read.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty());
                let known = ["Caught", "Memory", "Source", "Strict", "Table", "caught", "delimiter"];
                assert!(names.clone().all(|name| known.contains(&name)), "{}:{number}: {line}", source.path.display());
            }
        }
    }
}

#[test]
fn every_stage_exists() {
    let all = sources();
    for module in STAGES.iter().copied().flatten().chain(BASE) {
        assert!(all.iter().any(|s| s.module() == *module), "there is no `{module}`");
    }
}

#[test]
fn breaches_of_the_order_are_found() {
    let found = |path: &str, text: &str| {
        let source = Source { path: path.into(), text: text.to_owned() };
        breaches(&source).len()
    };
    assert_eq!(found("read/csv.rs", "use crate::error::Error;\nuse super::Table;\n"), 0);
    assert_eq!(found("read/csv.rs", "let x = crate::encode::Span::mask(0);"), 1);
    assert_eq!(found("read/csv.rs", "// like crate::encode\n#[cfg(test)]\nuse crate::encode::Span;"), 0);
    assert_eq!(found("plan.rs", "use crate::read::Table;"), 1);
    assert_eq!(found("plan.rs", "use super::read::Table;"), 1);
    assert_eq!(found("read/mod.rs", "use super::encode::Span;"), 1);
    assert_eq!(found("read/csv.rs", "use super::super::encode::Span;"), 1);
    assert_eq!(found("cost/lm.rs", "use crate::problem::Cluster;"), 0);
    assert_eq!(found("encode/mod.rs", "use crate::{error, read};"), 1);
    assert_eq!(found("encode/mod.rs", "use crate::newcomer::Thing;"), 1);
    assert_eq!(found("newcomer.rs", ""), 1);
}

#[test]
fn every_algorithm_stands_in_the_list_of_its_folder() {
    let all = sources();
    for folder in LISTS {
        let inside: Vec<&Source> = all.iter().filter(|s| s.path.parent() == Some(Path::new(folder))).collect();
        let list = inside.iter().find(|s| s.path.ends_with("mod.rs")).unwrap();
        for source in inside.iter().filter(|s| !s.path.ends_with("mod.rs")) {
            let name = source.path.file_stem().unwrap().to_string_lossy();
            // What the folder gives to all of its algorithms has no entry of its own.
            let for_all = list.code().any(|(_, line)| line.contains(&format!("{name}::")));
            let shared = for_all || inside.iter().any(|s| s.text.contains(&format!("super::{name}::")));
            let entry = source.text.contains("pub(super) const ENTRY: Entry<Build>");
            assert!(entry || shared, "{} has no ENTRY", source.path.display());
            assert!(
                entry || *folder != "partition" && *folder != "refine",
                "{} belongs into cluster/",
                source.path.display()
            );
            let listed = list.text.contains(&format!("{name}::ENTRY"));
            assert!(listed || !entry, "{folder}/mod.rs does not list {name}::ENTRY");
        }
    }
}

#[test]
fn every_algorithm_has_a_page() {
    let all = sources();
    let pages =
        all.iter().find(|s| s.path == Path::new("algorithms.rs")).unwrap().text.replace(char::is_whitespace, "");
    for folder in ["partition", "refine", "cost", "measure", "constraint", "publish", "attack"] {
        let shown: Vec<&str> = pages
            .split("pubusecrate::")
            .filter_map(|line| line.split(';').next()?.strip_prefix(folder)?.strip_prefix("::"))
            .flat_map(|names| names.trim_matches(['{', '}']).split(','))
            .collect();
        let list = all.iter().find(|s| s.path == Path::new(folder).join("mod.rs")).unwrap();
        for name in list.text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')) {
            assert!(shown.contains(&name), "algorithms.rs does not show {folder}::{name}");
        }
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for source in sources() {
        assert!(source.text.starts_with("//! "), "{} has no module docs", source.path.display());
    }
}

/// Ways to ask a spec or a list by text for what a type should say.
const BY_TEXT: [&str; 6] =
    [".as_str().contains(", ".as_str().starts_with(", "ALL[", ".name() == \"", ".name() != \"", "match entry.name"];

#[test]
fn choices_are_asked_by_type() {
    for source in sources().iter().filter(|source| source.module() != "registry") {
        for (number, line) in source.code() {
            for way in BY_TEXT {
                assert!(!line.contains(way), "{}:{number}: {line}", source.path.display());
            }
        }
    }
}

#[test]
fn nothing_panics_on_purpose() {
    for source in sources() {
        for (number, line) in source.code() {
            for word in [".unwrap()", ".expect(", "panic!", "todo!", "unimplemented!", "dbg!"] {
                assert!(!line.contains(word), "{}:{number}: {word}", source.path.display());
            }
        }
    }
}

/// How long a function may be stands in `clippy.toml`.
#[test]
fn no_file_is_too_long_to_read() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for folder in ["crates", "bench", "fuzz/fuzz_targets"] {
        for source in sources_of(&project.join(folder)) {
            let lines = source.text.lines().count();
            assert!(lines <= 500, "{folder}/{} has {lines} lines", source.path.display());
        }
    }
}
