//! Where a plan says whose the rows are, risk and attacks are about persons: by a count of every pair of rows of small tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use amidst::internals::attack::{Unit, Verdict};
use amidst::internals::measure::{Figure, Selection};
use amidst::internals::registry;
use amidst::pipeline::{Assumptions, AttackJob, Job, RiskJob, anonymize, attack, risk};
use amidst::plan::{Plan, RowOrder};
use amidst::progress::Progress;
use amidst::report::{AttackOutcome, RiskOutcome};
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::tables::seeded;

/// A row: a person, three quasi-identifiers, a sensitive value.
type Row = (u8, [u8; 3], u8);

const QUASI: [&str; 3] = ["a", "b", "c"];

fn rows(persons: u8, values: u8) -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec((0..persons, [0..values, 0..values, 0..2_u8], 0..3_u8), 4..24)
}

fn csv(rows: &[Row]) -> String {
    let line = |(person, [a, b, c], s): &Row| format!("p{person},{a},{b},{c},s{s}\n");
    "pid,a,b,c,s\n".to_owned() + &rows.iter().map(line).collect::<String>()
}

fn persons(rows: &[Row]) -> BTreeSet<u8> {
    rows.iter().map(|row| row.0).collect()
}

/// The persons with a row whose values in these columns no row of anybody else has.
fn alone(rows: &[Row], columns: &[usize]) -> usize {
    let same = |one: &Row, other: &Row| columns.iter().all(|c| one.1[*c] == other.1[*c]);
    let hides = |row: &Row| rows.iter().any(|other| other.0 != row.0 && same(row, other));
    rows.iter().filter(|row| !hides(row)).map(|row| row.0).collect::<BTreeSet<_>>().len()
}

fn near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-9, "{what}: {found}, by hand {expected}");
}

fn risk_of(rows: &[Row], plan: &Plan, population: Option<&str>) -> RiskOutcome {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    fs::write(file("t.csv"), csv(rows)).unwrap();
    population.into_iter().for_each(|text| fs::write(file("p.csv"), text).unwrap());
    let population = population.map(|_| file("p.csv").into());
    let (input, assumptions) = (file("t.csv").into(), Assumptions::default());
    risk(&RiskJob { input, plan: plan.clone(), assumptions, population }, Progress::silent()).unwrap()
}

fn plan(k: usize) -> Plan {
    QUASI.iter().fold(Plan::new(k).person("pid"), |plan, name| plan.quasi(name)).sensitive("s")
}

proptest! {
    #![proptest_config(Config { cases: 96, failure_persistence: None, ..Config::default() })]

    #[test]
    fn risk_counts_persons(rows in rows(6, 3), others in rows(9, 3)) {
        let outcome = risk_of(&rows, &plan(1), None);
        let n = persons(&rows).len() as f64;
        prop_assert_eq!(outcome.risk.persons, Some(persons(&rows).len()));
        prop_assert_eq!(outcome.risk.records, rows.len());
        let crowd = |row: &Row| persons(&rows.iter().filter(|other| other.1 == row.1).copied().collect::<Vec<_>>()).len();
        // The smallest class of each person.
        let mut smallest: BTreeMap<u8, usize> = BTreeMap::new();
        rows.iter().for_each(|row| {
            let size = crowd(row);
            smallest.entry(row.0).and_modify(|s| *s = size.min(*s)).or_insert(size);
        });
        let risks: Vec<f64> = smallest.values().map(|size| 1.0 / *size as f64).collect();
        let found = &outcome.risk.prosecutor;
        near(found.average, risks.iter().sum::<f64>() / n, "average");
        near(found.highest, risks.iter().copied().fold(0.0, f64::max), "highest");
        near(found.lowest, risks.iter().copied().fold(1.0, f64::min), "lowest");
        near(found.uniques, smallest.values().filter(|size| **size == 1).count() as f64 / n, "uniques");
        near(found.at_risk, smallest.values().filter(|size| **size < 5).count() as f64 / n, "at risk");
        near(outcome.risk.marketer, found.average, "marketer");
        let share = |row: &Row| {
            let class = rows.iter().filter(|other| other.1 == row.1);
            class.clone().filter(|other| other.0 == row.0).count() as f64 / class.count() as f64
        };
        near(outcome.risk.largest_share.unwrap(), rows.iter().map(share).fold(0.0, f64::max), "largest share");

        for (place, column) in outcome.columns.iter().enumerate() {
            let others: Vec<usize> = (0..3).filter(|c| *c != place).collect();
            near(column.uniques, alone(&rows, &[place]) as f64 / n, "alone");
            near(column.adds, (alone(&rows, &[0, 1, 2]) - alone(&rows, &others)) as f64 / n, "adds to all");
            let sets = [vec![], vec![others[0]], vec![others[1]], others.clone()];
            let adds = sets.iter().map(|set| {
                let with: Vec<usize> = set.iter().copied().chain([place]).collect();
                alone(&rows, &with) - if set.is_empty() { 0 } else { alone(&rows, set) }
            });
            near(column.adds_to_few, adds.max().unwrap() as f64 / n, "adds to few");
        }
        for set in &outcome.sets {
            let columns: Vec<usize> = set.columns.iter().map(|c| QUASI.iter().position(|q| q == c).unwrap()).collect();
            near(set.uniques, alone(&rows, &columns) as f64 / n, "set");
        }
        let most = |size: usize| {
            let sets: [&[&[usize]]; 3] = [&[&[0], &[1], &[2]], &[&[0, 1], &[0, 2], &[1, 2]], &[&[0, 1, 2]]];
            sets[size - 1].iter().map(|set| alone(&rows, set)).max().unwrap()
        };
        let told = outcome.sets.iter().filter(|set| set.columns.len() == 1).map(|set| set.uniques).fold(0.0, f64::max);
        near(told, most(1) as f64 / n, "worst column");

        // Each row of a population is somebody; who is in the table is there, too.
        let counted = risk_of(&rows, &plan(1), Some(&csv(&others)));
        let people = |row: &Row| others.iter().filter(|other| other.1 == row.1).count().max(crowd(row));
        let mut fewest: BTreeMap<u8, usize> = BTreeMap::new();
        rows.iter().for_each(|row| {
            let people = people(row);
            fewest.entry(row.0).and_modify(|s| *s = people.min(*s)).or_insert(people);
        });
        let journalist = counted.risk.journalist.unwrap();
        near(journalist.average, fewest.values().map(|people| 1.0 / *people as f64).sum::<f64>() / n, "journalist");
        near(journalist.uniques, fewest.values().filter(|people| **people == 1).count() as f64 / n, "alone among people");
    }

    #[test]
    fn attacks_count_persons(rows in rows(7, 4), k in 2..4_usize) {
        let Some((outcome, cells)) = attacked(&rows, k) else { return Ok(()) };
        let covers = |cell: &str, value: u8| {
            let bounds = cell.trim_matches(['[', ']']).split('-').map(|bound| bound.parse::<u8>().ok());
            let bounds: Vec<u8> = bounds.map(Option::unwrap_or_default).collect();
            cell == "*" || (bounds[0]..=bounds[bounds.len() - 1]).contains(&value)
        };
        let fits = |record: &Row, row: usize| (0..3).all(|c| covers(&cells[row][c], record.1[c]));
        let whose = |places: &[usize]| places.iter().map(|row| rows[*row].0).collect::<BTreeSet<u8>>();
        let figure = |path: &[&str]| {
            let mut figure = &outcome.findings[path[0]].figures[path[1]];
            for name in &path[2..] {
                let Figure::Many(many) = figure else { panic!("{path:?}") };
                figure = &many[*name];
            }
            figure.one().unwrap()
        };
        let check = |path: &[&str], expected: f64| near(figure(path), expected, &format!("{path:?}"));
        for attack in ["linking", "homogeneity", "skewness"] {
            prop_assert_eq!(outcome.findings[attack].counts, Unit::Persons);
        }

        let n = persons(&rows).len() as f64;
        let mut fewest: BTreeMap<u8, usize> = BTreeMap::new();
        for record in &rows {
            let candidates: Vec<usize> = (0..rows.len()).filter(|row| fits(record, *row)).collect();
            let size = whose(&candidates).len();
            fewest.entry(record.0).and_modify(|s| *s = size.min(*s)).or_insert(size);
        }
        check(&["linking", "fewest_candidates"], *fewest.values().min().unwrap() as f64);
        check(&["linking", "mean_candidates"], fewest.values().sum::<usize>() as f64 / n);
        check(&["linking", "persons"], n);
        let sources = |row: usize| rows.iter().filter(|record| fits(record, row)).map(|record| record.0).collect::<BTreeSet<_>>().len();
        check(&["linking", "fewest_sources"], (0..rows.len()).map(sources).min().unwrap() as f64);
        prop_assert!(outcome.findings["linking"].verdict == Verdict::Withstood);

        // The classes: rows with the same cells.
        let mut classes: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
        (0..rows.len()).for_each(|row| classes.entry(&cells[row]).or_default().push(row));
        let beliefs: Vec<Vec<(f64, f64)>> = rows.iter().map(|record| {
            let fitting: Vec<&Vec<usize>> = classes.values().filter(|class| fits(record, class[0])).collect();
            let all: f64 = fitting.iter().map(|class| whose(class).len() as f64).sum();
            (0..3).map(|value| {
                let held = fitting.iter().map(|class| held(&rows, class, value)).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
                (held.0 / all, held.1 / all)
            }).collect()
        }).collect();
        let most = |belief: &[(f64, f64)]| belief.iter().map(|(_, bearers)| *bearers).fold(0.0, f64::max);
        check(&["homogeneity", "s", "worst_certainty"], beliefs.iter().map(|b| most(b)).fold(0.0, f64::max));
        let certain = rows.iter().zip(&beliefs).filter(|(_, belief)| most(belief) > 1.0 - 1e-9).map(|(row, _)| row.0);
        check(&["homogeneity", "s", "certain"], certain.collect::<BTreeSet<_>>().len() as f64);
        let everything: Vec<usize> = (0..rows.len()).collect();
        let moved = |belief: &Vec<(f64, f64)>| {
            (0..3).map(|v| (belief[usize::from(v)].0 - held(&rows, &everything, v).0 / n).max(0.0)).sum::<f64>()
        };
        check(&["skewness", "s", "worst_t"], beliefs.iter().map(moved).fold(0.0, f64::max));
        let mean = |person: &u8| {
            let own: Vec<f64> = rows.iter().zip(&beliefs).filter(|(row, _)| row.0 == *person).map(|(_, b)| moved(b)).collect();
            own.iter().sum::<f64>() / own.len() as f64
        };
        check(&["skewness", "s", "mean_t"], persons(&rows).iter().map(mean).sum::<f64>() / n);
    }
}

/// How many persons of a class have a value: each split evenly over the person's rows there, and at all.
fn held(rows: &[Row], class: &[usize], value: u8) -> (f64, f64) {
    let mut of_persons: BTreeMap<u8, (f64, f64)> = BTreeMap::new();
    for row in class {
        let (all, with) = of_persons.entry(rows[*row].0).or_default();
        *all += 1.0;
        *with += f64::from(u8::from(rows[*row].2 == value));
    }
    let shares = of_persons.values();
    (shares.clone().map(|(all, with)| with / all).sum(), shares.filter(|(_, with)| *with > 0.0).count() as f64)
}

/// What adversaries find in a release in the order of the table, and its quasi-identifiers; none if there is no such release.
fn attacked(rows: &[Row], k: usize) -> Option<(AttackOutcome, Vec<Vec<String>>)> {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    fs::write(file("t.csv"), csv(rows)).unwrap();
    let mut plan = seeded(&plan(k));
    plan.method.order = RowOrder::Keep;
    let measures = Selection::Named(Vec::new());
    match anonymize(&Job { measures, ..Job::new(file("t.csv"), file("r.csv"), plan) }, Progress::silent()) {
        Err(e) if e.is_infeasible() => return None,
        made => drop(made.unwrap()),
    }
    let (original, release, attacks) =
        (file("t.csv").into(), file("r.csv").into(), registry::specs("linking,homogeneity,skewness"));
    let plan = Plan::load(&file("r.plan.toml")).unwrap();
    let outcome = attack(&AttackJob { original, release, plan, attacks }, Progress::silent()).unwrap();
    let cells = csv::Reader::from_path(file("r.csv")).unwrap().into_records();
    Some((outcome, cells.map(|row| row.unwrap().iter().take(3).map(str::to_owned).collect()).collect()))
}

#[test]
fn a_person_is_as_exposed_as_in_the_smallest_class() {
    // p0 has two rows of a class with p1, and one of a class of p0 alone: 1/1. p1 is one of two: 1/2.
    let rows = [(0, [0, 0, 0], 0), (0, [0, 0, 0], 1), (1, [0, 0, 0], 0), (0, [1, 1, 1], 0)];
    let outcome = risk_of(&rows, &plan(1), None);
    near(outcome.risk.prosecutor.average, 0.75, "average");
    near(outcome.risk.prosecutor.uniques, 0.5, "uniques");
    near(outcome.risk.largest_share.unwrap(), 1.0, "largest share");
    assert_eq!((outcome.risk.records, outcome.risk.persons, outcome.risk.classes), (4, Some(2), 2));
    // By rows, the same table has three records in a class of three and one alone: (3/3 + 1) / 4.
    let mut by_rows = plan(1);
    by_rows.columns.shift_remove("pid");
    near(risk_of(&rows, &by_rows, None).risk.prosecutor.average, 0.5, "average by rows");
}
