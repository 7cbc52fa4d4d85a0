//! Households: their risk, and classes with rows of enough of them, against hand calculations and plain counting.

use std::collections::{BTreeMap, BTreeSet};

use amidst::internals::risk::{self, Member};
use amidst::internals::verify::Failure;
use amidst::internals::{partition, refine};
use amidst::pipeline::{Assumptions, AuditJob, Job, RiskJob, anonymize, audit, risk};
use amidst::plan::{Plan, RowOrder, Spec};
use amidst::progress::Progress;
use proptest::prelude::*;

use crate::members::specs_of;
use crate::tables::seeded;

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9, "{found} is not {expected}");
}

fn member(household: u32, person: u32, risk: f64) -> Member {
    Member { household: Some(household), person, risk }
}

#[test]
fn somebody_of_a_household_by_hand() {
    // Risks 1/2 and 1/2: nobody is found with 1/4. Risks 1/3, 1/4 and 1/5: nobody is found with 2/3 · 3/4 · 4/5 = 2/5. A single one with 1/5.
    let records = [
        member(0, 0, 0.5),
        member(1, 1, 1.0 / 3.0),
        member(0, 2, 0.5),
        member(1, 3, 0.25),
        member(2, 4, 0.2),
        member(1, 5, 0.2),
        Member { household: None, person: 6, risk: 1.0 },
    ];
    let found = risk::households(&records, 0.2);
    assert_eq!((found.households, found.at_risk, found.without), (3, 2, 1)); // 1/5 is not above 0.2
    near(found.highest, 0.75);
    near(found.average, (0.75 + 0.6 + 0.2) / 3.0);
}

#[test]
fn a_person_has_the_highest_of_their_risks() {
    // Two persons: one with records of 1/2 and 1/10, one with 1/4 twice. 1 − 1/2 · 3/4.
    let records = [member(0, 0, 0.5), member(0, 0, 0.1), member(0, 1, 0.25), member(0, 1, 0.25)];
    near(risk::households(&records, 0.2).highest, 0.625);
}

#[test]
fn nobody_has_no_risk() {
    let found = risk::households(&[Member { household: None, person: 0, risk: 1.0 }], 0.2);
    assert_eq!((found.households, found.highest, found.average, found.without), (0, 0.0, 0.0, 1));
}

/// A row: two quasi-identifiers, the person, and the household if it is known.
type Row = (u8, u8, u8, Option<u8>);

fn rows(number: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((0_u8..6, 0_u8..3, 0_u8..12, prop::option::weighted(0.9, 0_u8..9)), number)
}

fn csv(rows: &[Row]) -> String {
    let household = |of: Option<u8>| of.map(|h| format!("h{h}")).unwrap_or_default();
    let line = |(row, (a, b, person, of)): (usize, &Row)| format!("{a},{b},p{person},{},{row}\n", household(*of));
    "a,b,who,home,row\n".to_owned() + &rows.iter().enumerate().map(line).collect::<String>()
}

fn plan(who: &str, asked: usize) -> Plan {
    let require = if asked > 0 { format!("require = [\"household-k(k={asked})\"]") } else { String::new() };
    let text = format!(
        "[privacy]\nk = 2\n{require}\n[columns]\na = {{ role = \"quasi\", kind = \"range\" }}\nb = {{ role = \"quasi\", kind = \"range\" }}\n\
         who = {{ role = \"{who}\" }}\nhome = {{ role = \"household\" }}\nrow = {{ role = \"other\" }}\n"
    );
    text.parse().unwrap()
}

/// The households of the rows of each class of a release, by its cells, and whose the rows are.
fn classes(release: &str, rows: &[Row]) -> BTreeMap<String, Vec<Row>> {
    let mut classes: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for line in release.lines().skip(1) {
        let (cells, row) = line.rsplit_once(',').unwrap();
        classes.entry(cells.to_owned()).or_default().push(rows[row.parse::<usize>().unwrap()]);
    }
    classes
}

fn households(rows: &[Row]) -> usize {
    rows.iter().filter_map(|row| row.3).collect::<BTreeSet<u8>>().len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn risk_as_by_multiplying(rows in rows(1..40), by_person in any::<bool>()) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.csv");
        std::fs::write(&file, csv(&rows)).unwrap();
        let plan = plan(if by_person { "person" } else { "other" }, 0);
        let job = RiskJob { input: file.into(), plan, assumptions: Assumptions::default(), population: None };
        let told = risk(&job, Progress::silent()).unwrap().households.unwrap();
        let unit = |row: usize| if by_person { usize::from(rows[row].2) } else { row };
        let like = |a: &Row, b: &Row| (a.0, a.1) == (b.0, b.1);
        let own = |row: usize| {
            let all: BTreeSet<usize> = (0..rows.len()).filter(|other| like(&rows[*other], &rows[row])).map(unit).collect();
            1.0 / all.len() as f64
        };
        let mut found = Vec::new();
        for household in rows.iter().filter_map(|row| row.3).collect::<BTreeSet<u8>>() {
            let members: Vec<usize> = (0..rows.len()).filter(|row| rows[*row].3 == Some(household)).collect();
            let units: BTreeSet<usize> = members.iter().map(|row| unit(*row)).collect();
            let of = |one: &usize| members.iter().filter(|row| unit(**row) == *one).map(|row| own(*row)).fold(0.0, f64::max);
            found.push(1.0 - units.iter().map(|one| 1.0 - of(one)).product::<f64>());
        }
        prop_assert_eq!(told.households, found.len());
        prop_assert_eq!(told.without, rows.iter().filter(|row| row.3.is_none()).count());
        near(told.highest, found.iter().copied().fold(0.0, f64::max));
        near(told.average, found.iter().sum::<f64>() / found.len().max(1) as f64);
        prop_assert_eq!(told.at_risk, found.iter().filter(|risk| **risk > 0.2 + 1e-9).count());
    }
}

/// Releases of a few tables, with and without persons: each class has rows of enough households, and the audit counts the same.
fn counts_households(partitioner: &str, refiner: Option<&Spec>) {
    for spec in specs_of(partition::ALL, partitioner) {
        for (number, who) in [(0, "other"), (1, "person"), (2, "identifier"), (3, "person")] {
            // Households that stand together in the quasi-identifiers; every seventh row names none.
            let row = |i: u8| -> Row {
                let person = (i % 24) * 5 % 24 + number;
                ((person / 4) % 6, i % 3, person, (i % 7 != 6).then_some(person / 3))
            };
            let rows: Vec<Row> = (0..60).map(row).collect();
            let folder = tempfile::tempdir().unwrap();
            let (file, output) = (folder.path().join("t.csv"), folder.path().join("r.csv"));
            std::fs::write(&file, csv(&rows)).unwrap();
            let mut plan = seeded(&plan(who, 3));
            plan.method.partitioner = spec.clone();
            plan.method.refine = refiner.into_iter().cloned().collect();
            plan.method.order = RowOrder::Keep;
            if partition::build(&spec).unwrap().suppresses() {
                plan.privacy.suppress = 0.1;
            }
            let made = anonymize(&Job::new(file.clone(), output.clone(), plan.clone()), Progress::silent());
            let made = made.unwrap_or_else(|e| panic!("{spec}, {who}: {e}"));
            let release = std::fs::read_to_string(&output).unwrap();
            let release: String = release.lines().map(|line| without_who(line, who) + "\n").collect();
            let fewest = classes(&release, &rows).values().map(|rows| households(rows)).min().unwrap();
            assert!(fewest >= 3, "{spec}, {who}: a class has {fewest} households");
            assert_eq!(made.audit.achieved.households, Some(fewest), "{spec}, {who}");
        }
    }
}

/// A line without the column `who`, which is published if it is no identifier and no person.
fn without_who(line: &str, who: &str) -> String {
    if who != "other" {
        return line.to_owned();
    }
    let (front, row) = line.rsplit_once(',').unwrap();
    format!("{},{row}", front.rsplit_once(',').unwrap().0)
}

fn partitions(partitioner: &str) {
    counts_households(partitioner, None);
}

fn refines(refiner: &str) {
    specs_of(refine::ALL, refiner).iter().for_each(|spec| counts_households("mondrian", Some(spec)));
}

tests!(of partitioners: every_partitioner_counts_households: partitions);
tests!(of refiners: every_refiner_counts_households: refines);

#[test]
fn an_audit_without_the_original_does_not_pass() {
    let rows: Vec<Row> = (0..24).map(|i| (i / 4, 0, i, Some(i / 2))).collect();
    let folder = tempfile::tempdir().unwrap();
    let (file, output) = (folder.path().join("t.csv"), folder.path().join("r.csv"));
    std::fs::write(&file, csv(&rows)).unwrap();
    // Two rows of a household stand together, so pairs are classes of one household.
    let made = anonymize(&Job::new(file.clone(), output.clone(), seeded(&plan("identifier", 0))), Progress::silent());
    let fewest = made.unwrap().audit.achieved.households.unwrap();
    assert!(fewest < 3, "the table is too easy: {fewest}");
    let stored = Plan::load(&folder.path().join("r.plan.toml")).unwrap();
    let mut asked = stored.clone();
    asked.privacy.require = vec![Spec::new("household-k(k=3)")];
    let job = |original: bool, plan: &Plan| AuditJob {
        release: output.clone().into(),
        plan: plan.clone(),
        demand: true,
        original: original.then(|| file.clone().into()),
        tables: Vec::new(),
    };
    let failures = |original, plan: &Plan| audit(&job(original, plan), Progress::silent()).unwrap().failures;
    let said = |failures: Vec<Failure>, what: &str| {
        assert!(failures.iter().any(|failure| failure.0.contains(what)), "{failures:?}");
    };
    said(failures(false, &asked), "only the original");
    said(failures(true, &asked), &format!("household-k = 3 was asked for but {fewest} is reached"));
    assert!(failures(true, &stored).is_empty());
    asked.privacy.require = vec![Spec::new(format!("household-k(k={})", fewest.max(2)))];
    assert_eq!(failures(true, &asked).is_empty(), fewest >= 2);
}
