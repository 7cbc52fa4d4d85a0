//! Whole releases by persons: every form, leaving out rows, one row a person, and audits of releases that were tampered with.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use amidst::Result;
use amidst::internals::encode::Merged;
use amidst::internals::partition;
use amidst::internals::problem::Problem;
use amidst::internals::publish;
use amidst::internals::registry::Spec;
use amidst::pipeline::{AuditJob, audit};
use amidst::plan::{Plan, Role};
use amidst::progress::Progress;

use super::{OWNERS, Owners};
use crate::forms::{Made, lines, make};
use crate::hard;
use crate::members::specs_of;
use crate::privacy::table;
use crate::tables::{Sketch, load};

/// The forms that cannot count persons, and why.
const REFUSE: [(&str, &str); 2] = [
    ("ring", "the rows of a person hide among different persons"),
    ("randomization", "the rows of a person exchange their values one by one"),
];

/// A table of visits: what a person is stays the same, the day changes. `visit` numbers the rows and is published.
fn visits(rows: usize) -> String {
    let line = |row: usize| {
        let person = Owners::Scattered.of(row, rows);
        format!("p{person},{row},{},{},{},{}\n", 20 + person * 13 % 60, person % 3, row * 5 % 31, row * row % 4)
    };
    format!("pid,visit,age,town,day,dx\n{}", (0..rows).map(line).collect::<String>())
}

fn plan(k: usize) -> Plan {
    Plan::new(k).person("pid").quasi("age").quasi("town").quasi("day").sensitive("dx").role("visit", Role::Other)
}

/// The persons of each class of a release, by the numbers of its rows.
fn persons(made: &Made) -> Vec<BTreeSet<String>> {
    let owner = |line: &str| line.split(',').next().unwrap().to_owned();
    let owners: BTreeMap<String, String> = lines(&made.path("table.csv"))
        .iter()
        .map(|line| (line.split(',').nth(1).unwrap().to_owned(), owner(line)))
        .collect();
    let mut reader = csv::Reader::from_path(made.path("release.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let place = |name: &str| header.iter().position(|column| column == name);
    let mut classes: BTreeMap<Vec<String>, BTreeSet<String>> = BTreeMap::new();
    for row in reader.records().map(|row| row.unwrap()) {
        let key = match place("group") {
            Some(group) => vec![row[group].to_owned()],
            None => ["age", "town", "day"].map(|name| row[place(name).unwrap()].to_owned()).to_vec(),
        };
        classes.entry(key).or_default().insert(owners[&row[place("visit").unwrap()]].clone());
    }
    classes.into_values().collect()
}

fn counts_or_refuses(form: &str) {
    for spec in specs_of(publish::ALL, form).into_iter().filter(|spec| !spec.as_str().contains("nested")) {
        for suppress in [0.0, 0.05] {
            let mut plan = plan(4);
            plan.method.publish = spec.clone();
            plan.privacy.require = vec![Spec::new("frequency-l(l=1.2)")];
            plan.privacy.suppress = suppress;
            let made = make(&visits(150), &plan);
            if let Some((_, reason)) = REFUSE.iter().find(|(name, _)| *name == form) {
                let said = made.map(drop).unwrap_err().to_string();
                assert!(said.contains("cannot count the persons in column `pid`") && said.contains(reason), "{said}");
                continue;
            }
            let made = made.unwrap_or_else(|e| panic!("{spec}: {e}"));
            let classes = persons(&made);
            let fewest = classes.iter().map(BTreeSet::len).min().unwrap();
            assert!(fewest >= 4, "{spec}: {fewest} persons");
            assert_eq!(made.outcome.audit.achieved.k, fewest, "{spec}");
            assert!(lines(&made.path("release.csv")).len() > (150.0 * (1.0 - suppress)) as usize, "{spec}");
            let again = made.audit(true).unwrap();
            assert!(again.failures.is_empty(), "{spec}: {:?}", again.failures);
            let again = again.audit.unwrap();
            assert_eq!((again.achieved.k, again.classes), (fewest, classes.len()), "{spec}");
        }
    }
}

tests!(of forms: every_form_counts_persons_or_refuses: counts_or_refuses);

#[test]
fn the_release_alone_does_not_tell_whose_its_rows_are() {
    let made = make(&visits(60), &plan(3)).unwrap();
    let said = made.audit(false).unwrap().failures;
    assert!(
        said.iter().any(|failure| failure.to_string().contains("only the original tells whose a row is")),
        "{said:?}"
    );
}

/// Seven rows of six persons. A release by hand, in the order of the original: two classes of three persons.
const ORIGINAL: &str = "pid,age,dx\na,21,flu\na,22,flu\nb,23,gout\nc,25,flu\nd,30,flu\ne,40,gout\nf,50,flu\n";
const RELEASE: [&str; 8] = [
    "age,dx",
    "[21-25],flu",
    "[21-25],flu",
    "[21-25],gout",
    "[21-25],flu",
    "[21-50],flu",
    "[21-50],gout",
    "[21-50],flu",
];

/// What an audit for k = 3 says of a release.
fn said(release: &[&str]) -> (usize, Vec<String>) {
    let mut plan = Plan::new(3).person("pid").quasi("age").sensitive("dx");
    plan.columns["age"].kind = Some(amidst::plan::Kind::Range);
    let (release, original) = (table(&(release.join("\n") + "\n")), table(ORIGINAL));
    let job = AuditJob {
        release: (&release).into(),
        plan,
        demand: true,
        original: Some((&original).into()),
        tables: Vec::new(),
    };
    let found = audit(&job, Progress::silent()).unwrap();
    (found.audit.unwrap().achieved.k, found.failures.iter().map(ToString::to_string).collect())
}

#[test]
fn an_audit_notices_classes_that_lost_persons() {
    assert_eq!(said(&RELEASE), (3, Vec::new()));
    // Whoever has the row of c put into the other class, which covers it, too, leaves three rows of two persons.
    let mut moved = RELEASE;
    moved[4] = "[21-50],flu";
    let (k, failures) = said(&moved);
    assert_eq!(k, 2);
    assert_eq!(failures, ["k = 3 was asked for but k = 2 is reached: 1 of 2 classes have fewer persons"]);
    // Moving one of the two rows of a takes nobody away.
    let mut moved = RELEASE;
    moved[1] = "[21-50],flu";
    assert_eq!(said(&moved), (3, Vec::new()));
}

#[test]
fn an_audit_notices_rows_of_a_release_that_moved_to_another_class() {
    let made = make(&visits(90), &plan(5)).unwrap();
    let path = made.path("release.csv");
    // All rows of a class but those of one person get the widest cells that fit them.
    let text = lines(&path);
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<String>>();
    let class = cells(&text[1])[1..4].to_vec();
    let widest = ["[20-79]".to_owned(), "*".to_owned(), "[0-30]".to_owned()];
    let mut moved = 0;
    let spoilt = text.iter().map(|line| {
        let mut row = cells(line);
        if row[1..4] == class[..] && moved < 4 {
            row[1..4].clone_from_slice(&widest);
            moved += 1;
        }
        row.join(",") + "\n"
    });
    fs::write(&path, spoilt.collect::<String>()).unwrap();
    assert!(moved > 1);
    let failures = made.audit(true).unwrap().failures;
    assert!(!failures.is_empty());
}

/// The same table with one row a person.
fn one_row_a_person(sketch: &Sketch, times: impl Fn(usize) -> usize) -> (String, String) {
    let text = sketch.csv();
    let (header, rows) = text.split_once('\n').unwrap();
    let repeated = rows.lines().enumerate().flat_map(|(row, line)| std::iter::repeat_n(line, times(row)));
    (text.clone(), format!("{header}\n{}\n", repeated.collect::<Vec<_>>().join("\n")))
}

#[test]
fn rows_that_are_alike_lose_no_more_than_one_row_a_person() -> Result<()> {
    let tables = hard::tables(5).into_iter().chain([("large", hard::part_of_large(700))]);
    for (name, sketch) in tables {
        let (once, often) = one_row_a_person(&sketch, |row| 1 + row * 7 % 5);
        if once.contains('"') && once.lines().count() != sketch.rows() + 1 {
            continue; // a cell with a line break
        }
        let plan = sketch.plan(5).replace("\"identifier\"", "\"person\"");
        let of = |csv: &str| load(csv, &plan);
        let (once, often) = (of(&once), of(&often));
        let merged = Merged::new(&often.encoded, false).unwrap();
        let problem = |encoded| Problem::of(&once.plan, encoded, 7);
        let solve = |problem: &Problem| partition::build(&Spec::new("engine"))?.partition(problem, Progress::silent());
        let (alone, rows) = (problem(once.encoded.clone())?, problem(often.encoded.clone())?);
        let expected = solve(&alone)?.expanded(rows.rows(), |records| merged.rows(records))?;
        let found = solve(&problem(merged.encoded.clone())?)?.expanded(rows.rows(), |records| merged.rows(records))?;
        assert!(rows.loss(&found) <= rows.loss(&expected) + 1e-12, "{name}");
    }
    Ok(())
}

#[test]
fn k_is_that_of_persons_whoever_has_the_rows() {
    for owners in OWNERS {
        let sketch = hard::part_of_large(200);
        let csv = owners.csv(&sketch);
        let plan: Plan = sketch.plan(6).replace("\"identifier\"", "\"person\"").parse().unwrap();
        let made = make(&csv, &plan).unwrap();
        let people = made.outcome.audit.people.as_ref().unwrap();
        let all: Vec<u32> = (0..200).collect();
        assert_eq!(people.persons, owners.count(&all, 200), "{owners:?}");
        assert!(made.outcome.audit.achieved.k >= 6 && people.k_of_rows >= made.outcome.audit.achieved.k, "{owners:?}");
    }
}
