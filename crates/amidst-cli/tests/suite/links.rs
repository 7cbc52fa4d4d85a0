//! Every link in the documents leads somewhere: a relative one to a file of the repository, and its anchor to a heading of that page. Every page
//! is listed in docs/SUMMARY.md, from which the site is made. Every source file and every item of the code that a page names exists.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All Markdown files below a folder.
fn below(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            below(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = ["README.md", "DESIGN.md", "CHANGELOG.md"].map(|name| root().join(name)).to_vec();
    below(&root().join("docs"), &mut pages);
    pages.sort();
    pages
}

/// The lines of a page outside of code blocks, with their numbers.
fn prose(page: &str) -> Vec<(usize, &str)> {
    let mut code = false;
    let lines = page.lines().enumerate().filter(|(_, line)| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    });
    lines.map(|(number, line)| (number + 1, line)).collect()
}

/// The targets of the links and pictures in a line. What stands in backquotes is no link.
fn targets(line: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    for (at, _) in line.match_indices("](") {
        let quoted = line[..at].matches('`').count() % 2 == 1;
        let end = line[at + 2..].find(')');
        if let (false, Some(end)) = (quoted, end) {
            targets.push(&line[at + 2..at + 2 + end]);
        }
    }
    targets
}

/// The anchors of a page's headings, made as GitHub and mdBook make them: lower case, blanks to hyphens, other marks left out, repeated ones
/// numbered.
fn anchors(page: &str) -> HashSet<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut anchors = HashSet::new();
    for (_, line) in prose(page) {
        let heading = line.trim_start_matches('#');
        if heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let anchor: String = kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect();
        let count = seen.entry(anchor.clone()).or_default();
        anchors.insert(if *count == 0 { anchor } else { format!("{anchor}-{count}") });
        *count += 1;
    }
    anchors
}

/// What is wrong with a link of a page; `None` if nothing is, or if it leaves the repository.
fn fault(page: &Path, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() { page.to_owned() } else { page.parent().unwrap().join(file) };
    if !path.exists() {
        return Some(format!("there is no {file}"));
    }
    let missing = !anchor.is_empty() && !anchors(&fs::read_to_string(&path).unwrap_or_default()).contains(anchor);
    missing.then(|| format!("there is no heading #{anchor} in {}", path.display()))
}

#[test]
fn every_link_leads_somewhere() {
    let mut faults = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for (number, line) in prose(&text) {
            let found = targets(line).into_iter().filter_map(|target| fault(&page, target));
            faults.extend(found.map(|fault| format!("{}, line {number}: {fault}", page.display())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_page_is_in_the_summary() {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let listed: HashSet<PathBuf> =
        summary.lines().flat_map(targets).map(|target| docs.join(target).canonicalize().unwrap()).collect();
    let missing: Vec<PathBuf> =
        pages().into_iter().filter(|page| !listed.contains(page) && *page != docs.join("SUMMARY.md")).collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md does not list {missing:?}");
}

/// What stands in backquotes in a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Whether a quoted text names a folder or a source of the repository, and not a file of the reader.
fn is_path(text: &str) -> bool {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let known = [".rs", ".py", ".sh", "/"].iter().any(|end| text.ends_with(end));
    let no_place = text == "mod.rs" || text.starts_with("target/");
    plain && known && !no_place && text.contains(|c: char| c.is_ascii_lowercase())
}

/// The last two names of a quoted path of the code, as `Partition` and `maker` of `Partition::maker`.
fn item(text: &str) -> Option<[&str; 2]> {
    let (path, last) = text.rsplit_once("::")?;
    let names = [path.rsplit("::").next()?, last];
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    names.iter().all(is_name).then_some(names)
}

/// All words of the sources of all crates.
fn words() -> HashSet<String> {
    let mut folders = vec![root().join("crates"), root().join("bench")];
    let mut words = HashSet::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                words.insert(path.file_stem().unwrap().to_string_lossy().into_owned());
                let text = fs::read_to_string(path).unwrap();
                words.extend(text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned));
            }
        }
    }
    words
}

#[test]
fn every_source_that_is_named_exists() {
    let (root, words) = (root(), words());
    let mut faults = Vec::new();
    for page in pages().into_iter().filter(|page| !page.ends_with("CHANGELOG.md")) {
        let text = fs::read_to_string(&page).unwrap();
        let bases = [root.clone(), root.join("crates/amidst/src"), page.parent().unwrap().to_owned()];
        for (number, line) in prose(&text) {
            let no_path = |text: &&str| is_path(text) && !bases.iter().any(|base| base.join(text).exists());
            let no_item = |text: &&str| item(text).is_some_and(|names| !names.iter().all(|name| words.contains(*name)));
            let missing = quoted(line).filter(|text| no_path(text) || no_item(text));
            faults.extend(missing.map(|text| format!("{}, line {number}: there is no `{text}`", page.display())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn sources_are_told_from_other_words() {
    assert_eq!(quoted("a `b/` and `c`").collect::<Vec<_>>(), ["b/", "c"]);
    assert!(is_path("cost/units.rs") && is_path("verify/") && is_path("problem.rs"));
    assert!(!is_path("release.csv") && !is_path("--a b.rs") && !is_path("target/x/") && !is_path("mod.rs"));
    assert_eq!(item("measure::View::new"), Some(["View", "new"]));
    assert_eq!(item("t-closeness(t=0.4)"), None);
    assert!(
        words().contains("sources_are_told_from_other_words") && !words().contains(&["no", "such", "word"].join("_"))
    );
}

#[test]
fn dead_links_are_found() {
    let page = root().join("docs/plan.md");
    assert_eq!(fault(&page, "privacy.md"), None);
    assert_eq!(fault(&page, "../README.md"), None);
    assert_eq!(fault(&page, "https://example.org/none#at-all"), None);
    assert_eq!(fault(&page, "none.md"), Some("there is no none.md".to_owned()));
    assert!(fault(&page, "#none").is_some());
    assert!(fault(&page, "privacy.md#none").is_some());
    assert_eq!(targets("[a](b.md), ![c](d.svg) and `[e](f)`"), ["b.md", "d.svg"]);
    let headings =
        anchors("# The plan\n## `[columns]`\n```sh\n# no heading\n```\n## SEQ: clustering\n### again\n### again\n");
    assert_eq!(headings, ["the-plan", "columns", "seq-clustering", "again", "again-1"].map(str::to_owned).into());
}
