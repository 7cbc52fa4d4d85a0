//! docs/algorithms.md lists what there is to choose from. It is made from the lists of the library, and so it is never out of date:
//! `make algorithms` writes it, and a test compares it. Every example in it is run.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use amidst::pipeline::{List, Member, Value, list};

use crate::support::{Folder, many_rows};

/// What the page begins with.
const TOP: &str = "\
# Algorithms, measures, models, forms and attacks

Everything that you can choose by name, with its parameters and the paper it comes from. `amidst list partitioners` (`refiners`, `measures`,
`constraints`, `publishers`, `attacks`) prints the same lists. The page is made by `make algorithms` from the code; do not edit it by hand.

You ask for a member by its name. If you want other parameters than the defaults, put them in parentheses: `mondrian(cut=relaxed)`. For a
parameter that is a choice of words, the word alone is enough: `mondrian(relaxed)`. The examples below are what you add to
`amidst anonymize` or another command. Quote parentheses in a shell. In a plan, the same text is the value of the setting that a section names.
";

/// A section of the page.
struct Section {
    title: &'static str,
    list: List,
    /// Of measures: whether it has those that can be an objective.
    objectives: Option<bool>,
    about: &'static str,
    /// The flag that asks for a member.
    flag: &'static str,
    /// A command that the test of the documents runs on Adult.
    command: &'static str,
    /// The page with a heading for each member.
    page: &'static str,
}

const SECTIONS: [Section; 7] = [
    Section {
        title: "Partitioners",
        list: List::Partitioners,
        objectives: None,
        about: "A partitioner forms the classes. The default is `engine`. In a plan: `partitioner` in `[method]`. Each one works with every objective \
                and every privacy model. In the times, n is the number of records. The first lines of each module in `crates/amidst/src/partition/` explain the \
                algorithm, its choices and its complexity.",
        flag: "--partitioner",
        command: "amidst anonymize adult.csv.gz -o release.csv --quasi age,race,sex --others drop --k 10 --partitioner 'mondrian(cut=relaxed)'",
        page: "",
    },
    Section {
        title: "Refiners",
        list: List::Refiners,
        objectives: None,
        about: "A refiner improves the classes that a partitioner has formed. You can ask for several; they run one after the other. In a plan: `refine` \
                in `[method]`.",
        flag: "--refine",
        command: "amidst anonymize adult.csv.gz -o release.csv --quasi age,race,sex --others drop --k 10 --partitioner mondrian --refine 'large-neighbourhood(rounds=5)'",
        page: "",
    },
    Section {
        title: "Measures: objectives",
        list: List::Measures,
        objectives: Some(true),
        about: "An objective is a loss that the algorithms keep low. The default is `lm`. In a plan: `measure` in `[method]`. It can also score a release: \
                `--measures`.",
        flag: "--measure",
        command: "amidst anonymize adult.csv.gz -o release.csv --quasi age,race,sex --others drop --k 10 --effort fast --measure 'lm(numeric=values)'",
        page: "measures.md",
    },
    Section {
        title: "Measures: scores",
        list: List::Measures,
        objectives: Some(false),
        about: "A score says how good a finished release is. It needs more than the sizes, closures and histograms of the classes, so it cannot guide an \
                algorithm. Ask for scores and objectives by `--measures` of `amidst measure`, `anonymize` and `compare`.",
        flag: "--measures",
        command: "amidst anonymize adult.csv.gz -o release.csv --quasi age,race,sex --others drop --sensitive income --k 10\n\
                  amidst measure adult.csv.gz release.csv --plan release.plan.toml --measures 'c-avg,query(predicates=2)'",
        page: "measures.md",
    },
    Section {
        title: "Privacy models",
        list: List::Constraints,
        objectives: None,
        about: "A privacy model limits what a class says about sensitive values, in addition to k. You can ask for several, for all sensitive columns or \
                for one (`COLUMN=MODEL`). In a plan: `require` in `[privacy]` or of a column.",
        flag: "--require",
        command: "amidst anonymize adult.csv.gz -o release.csv --quasi age,race,sex --others drop --sensitive occupation --k 10 --require 'entropy-l(l=3)'",
        page: "privacy.md",
    },
    Section {
        title: "Forms of release",
        list: List::Publishers,
        objectives: None,
        about: "A form says how the classes are published. The default is `generalization`. In a plan: `publish` in `[method]`.",
        flag: "--publish",
        command: "amidst anonymize adult.csv.gz -o release.csv --quasi age,race,sex --others drop --sensitive occupation --k 5 --l 5 --publish 'slicing(columns=2)'",
        page: "publication.md",
    },
    Section {
        title: "Attacks",
        list: List::Attacks,
        objectives: None,
        about: "An attack shows what an adversary learns from a release, with the original beside it. `amidst attack` runs them.",
        flag: "--attacks",
        command: "amidst anonymize adult.csv.gz -o release.csv --quasi age,race,sex --others drop --sensitive occupation --k 10\n\
                  amidst attack adult.csv.gz release.csv --plan release.plan.toml --attacks 'linking,downcoding'",
        page: "attacks.md",
    },
];

/// Where the other documents tell more about an algorithm.
const MORE: [(&str, &str, &str); 10] = [
    ("Partitioners", "engine", "engine.md"),
    ("Partitioners", "patterns", "engine.md#how-it-works"),
    ("Partitioners", "sequential", "papers.md#seq-sequential-clustering"),
    ("Partitioners", "oka", "papers.md#oka"),
    ("Partitioners", "dbkc", "papers.md#dbkc"),
    ("Partitioners", "cb", "papers.md#cb"),
    ("Partitioners", "arp", "papers.md#arp"),
    ("Privacy models", "household-k", "privacy.md#households"),
    ("Refiners", "large-neighbourhood", "engine.md#how-it-works"),
    ("Refiners", "arp", "papers.md#arp"),
];

/// Values for the examples, of parameters that must be given.
const GIVEN: [(&str, &str); 7] =
    [("l", "2"), ("c", "2"), ("t", "0.5"), ("alpha", "0.5"), ("beta", "2"), ("delta", "1.5"), ("k", "3")];

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn members(section: &Section) -> Vec<Member> {
    let all = list(section.list);
    all.into_iter().filter(|member| member.objective == section.objectives).collect()
}

/// How to ask for a member, with a value for each parameter that must be given.
fn asked(member: &Member) -> String {
    let given = member.params.iter().filter(|param| param.default.is_none()).map(|param| {
        let value = GIVEN.iter().find(|(name, _)| *name == param.name);
        let (name, value) = value.unwrap_or_else(|| panic!("{}: GIVEN has no value for `{}`", member.name, param.name));
        format!("{name}={value}")
    });
    let given: Vec<String> = given.collect();
    if given.is_empty() { member.name.to_owned() } else { format!("{}({})", member.name, given.join(", ")) }
}

/// Where to read more about a member: a heading of the section's page, or a place in [`MORE`].
fn more(section: &Section, name: &str) -> Option<String> {
    let known = MORE.iter().find(|(title, member, _)| *title == section.title && *member == name);
    let heading = || {
        let page = fs::read_to_string(docs().join(section.page)).ok()?;
        let is_heading = |line: &str| line.trim_start_matches('#').trim() == name && line.starts_with("##");
        page.lines().any(is_heading).then(|| format!("{}#{name}", section.page))
    };
    known.map(|(_, _, place)| (*place).to_owned()).or_else(heading)
}

fn entry(section: &Section, member: &Member) -> String {
    let Member { name, about, paper, params, .. } = member;
    let asked = asked(member);
    let quoted = if asked.contains('(') { format!("'{asked}'") } else { asked };
    let (first, rest) = about.split_at(about.chars().next().map_or(0, char::len_utf8));
    let mut text = format!("### {name}\n\n{}{rest}. *{paper}.*\n\n`{} {quoted}`", first.to_uppercase(), section.flag);
    if let Some(place) = more(section, name) {
        let _ = write!(text, "; more in [{place}]({place})");
    }
    text += "\n";
    if !params.is_empty() {
        text += "\n| parameter | meaning | values | default |\n|---|---|---|---|\n";
    }
    for param in *params {
        let default = match param.default {
            None => "must be given".to_owned(),
            Some(Value::Word(word)) => format!("`{word}`"),
            Some(value) => value.to_string(),
        };
        let about = param.about.replace('|', "\\|");
        let _ = writeln!(text, "| `{}` | {about} | {} | {default} |", param.name, param.range);
    }
    text
}

fn page() -> String {
    let mut page = TOP.to_owned();
    for section in &SECTIONS {
        let Section { title, about, command, .. } = section;
        let _ = write!(page, "\n## {title}\n\n{about}\n\n```sh\n{command}\n```\n");
        for member in members(section) {
            let _ = write!(page, "\n{}", entry(section, &member));
        }
    }
    page
}

#[test]
fn the_page_is_that_of_the_lists() {
    let file = docs().join("algorithms.md");
    if env::var_os("AMIDST_WRITE_DOCS").is_some() {
        fs::write(&file, page()).unwrap();
    }
    assert!(fs::read_to_string(file).unwrap() == page(), "docs/algorithms.md is out of date; run `make algorithms`");
}

#[test]
fn every_example_on_the_page_works() {
    let folder = Folder::with("people.csv", many_rows(60));
    let release = "anonymize people.csv --quasi age,zip,job --identifier note --sensitive disease --k 3";
    folder.run(&format!("{release} --effort fast --l 2 -o release.csv")).ok();
    for section in &SECTIONS {
        for member in members(section) {
            let about_release = "people.csv release.csv --plan release.plan.toml";
            let command = match section.flag {
                "--measures" => format!("measure {about_release}"),
                "--attacks" => format!("attack {about_release}"),
                "--partitioner" => format!("{release} --l 2 -o made.csv"),
                "--require" if member.name == "household-k" => {
                    let release = release.replace("age,zip,job", "age,job");
                    format!("{release} --effort fast -o made.csv --household zip")
                }
                "--require" => format!("{release} --effort fast -o made.csv"),
                _ => format!("{release} --l 2 --effort fast -o made.csv"),
            };
            let asked = asked(&member);
            let arguments: Vec<&str> = command.split(' ').chain([section.flag, &asked]).collect();
            let run = folder.run_args(&arguments);
            assert!(run.code == 0, "{asked}: {}{}", run.stdout, run.stderr);
        }
    }
}
