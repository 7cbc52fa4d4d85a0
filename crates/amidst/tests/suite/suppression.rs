//! Leaving out records where that loses less.

use amidst::Result;
use amidst::internals::partition;
use amidst::internals::problem::{Partition, Problem};
use amidst::internals::registry::Spec;
use amidst::internals::suppress::{suppress, surplus, without};
use amidst::internals::{constraint, cost};
use amidst::plan::Plan;
use amidst::progress::Progress;
use proptest::prelude::*;

use crate::releases::publish;
use crate::tables::{Column, Loaded, Sketch, Sort, load, sketches};

const PLAN: &str =
    "[privacy]\nk = 3\n[columns]\nage = { role = \"quasi\", kind = \"range\" }\ns = { role = \"sensitive\" }";

/// Clusters some of the rows of a table as the problem of all of them asks.
fn again(loaded: &Loaded, k: usize, require: &[&str], kept: &[u32]) -> Result<Partition> {
    let encoded = std::sync::Arc::new(loaded.encoded.select(kept));
    let mut plan = loaded.plan.clone();
    plan.privacy.k = k;
    plan.privacy.require = require.iter().map(|model| Spec::new(*model)).collect();
    let (measure, constraints) = (cost::build(&Spec::new("lm"), &encoded)?, constraint::all(&plan, &encoded)?);
    let problem = Problem::new(encoded, measure, constraints, 7)?;
    engine(&problem)
}

fn engine(problem: &Problem) -> Result<Partition> {
    partition::build(&Spec::new("engine")).unwrap().partition(problem, Progress::silent())
}

fn suppressing(loaded: &Loaded, k: usize, require: &[&str], most: usize) -> Partition {
    let problem = loaded.demanding(&Spec::new("lm"), k, require).unwrap();
    let partition = engine(&problem).unwrap();
    suppress(&problem, partition, most, |kept| again(loaded, k, require, kept), Progress::silent()).unwrap()
}

#[test]
fn the_one_who_does_not_fit_is_left_out() {
    // Thirty people of 20 to 29 and one of 95: who is in the cluster of the last one pays for it.
    let ages = (0..30).map(|i| 20 + i % 10).chain([95]);
    let csv: String = ages.map(|age| format!("{age},x\n")).collect();
    let loaded = load(&format!("age,s\n{csv}"), PLAN);
    let problem = loaded.problem(&Spec::new("lm"), 3).unwrap();
    assert_eq!(suppressing(&loaded, 3, &[], 0).suppressed(), [] as [u32; 0]);
    let partition = suppressing(&loaded, 3, &[], 2);
    assert_eq!(partition.suppressed(), [30]);
    // Without it everybody shares an age with two others, so only what it loses itself is lost.
    assert!((problem.loss(&partition) - 1.0 / 31.0).abs() < 1e-12);
}

#[test]
fn somebody_is_always_kept() {
    // All differ, so all are a burden, and all may be left out.
    let loaded = load("age,s\n1,x\n2,x\n30,x\n40,x\n", &PLAN.replace("range", "suppress"));
    assert!(suppressing(&loaded, 2, &[], 4).suppressed().len() < 4);
}

#[test]
fn nobody_is_left_out_where_that_does_not_pay() {
    let csv: String = (0..30).map(|i| format!("{},x\n", 20 + i % 10)).collect();
    let loaded = load(&format!("age,s\n{csv}"), PLAN);
    assert!(suppressing(&loaded, 3, &[], 10).suppressed().is_empty());
}

#[test]
fn a_surplus_makes_way_for_what_the_table_cannot_have() {
    // Eight of twelve have flu, so l = 2 cannot be had unless four of them go.
    let csv: String = (0..12).map(|i| format!("{i},{}\n", if i < 8 { "flu" } else { "cold" })).collect();
    let loaded = load(&format!("age,s\n{csv}"), PLAN);
    let demand = ["frequency-l(l=2)"];
    assert!(loaded.demanding(&Spec::new("lm"), 3, &demand).is_err());
    let measure = cost::build(&Spec::new("lm"), &loaded.encoded).unwrap();
    let mut plan = loaded.plan.clone();
    plan.privacy.require = vec![Spec::new(demand[0])];
    let constraints = constraint::all(&plan, &loaded.encoded).unwrap();
    let problem = Problem::unchecked(loaded.encoded.clone(), measure, constraints, 7);
    assert_eq!(surplus(&problem, 3), None);
    let surplus = surplus(&problem, 4).unwrap();
    assert!(surplus.len() == 4 && surplus.iter().all(|row| *row < 8), "{surplus:?}");
    let partition = without(&problem, surplus, |kept| again(&loaded, 3, &demand, kept)).unwrap();
    assert!(partition.clusters().all(|rows| problem.hold(rows)));
    assert_eq!(partition.clusters().map(<[u32]>::len).sum::<usize>(), 8);
}

/// The partitioners that leave out records in their own way.
const OWN: [&str; 4] = [
    "oka(small=suppress)",
    "oka(small=suppress, order=sorted)",
    "greedy(small=delete)",
    "greedy(small=delete, threshold=0.02)",
];

/// A table with outliers.
fn outliers() -> Sketch {
    let ages = (0..60).map(|i| if i % 12 == 0 { 90 - i } else { 20 + i % 7 });
    let column =
        |name: &str, cells: Vec<String>| Column { name: name.to_owned(), sort: Sort::Integer, weight: 1.0, cells };
    let columns = vec![
        column("age", ages.map(|age| age.to_string()).collect()),
        column("hours", (0..60).map(|i| (i % 5 * 10).to_string()).collect()),
    ];
    Sketch { columns, missing: "?" }
}

#[test]
fn a_partitioner_leaves_out_no_more_than_the_plan_allows() {
    let sketch = outliers();
    let mut left_out = 0;
    for spec in OWN {
        for require in [&[][..], &["frequency-l(l=2)"], &["t-closeness(t=0.3)"]] {
            for refine in [&[][..], &["arp"]] {
                let mut plan: Plan = sketch.plan(3).parse().unwrap();
                plan.method.partitioner = Spec::new(spec);
                plan.method.refine = refine.iter().map(|refiner| Spec::new(*refiner)).collect();
                plan.privacy.require = require.iter().map(|model| Spec::new(*model)).collect();
                for share in [0.05, 0.2] {
                    plan.privacy.suppress = share;
                    // What is published has been verified.
                    let (outcome, release) = publish(&sketch, plan.clone()).unwrap();
                    let gone = sketch.rows() - release.rows.len();
                    assert!(gone as f64 <= share * sketch.rows() as f64, "{spec} leaves out {gone}");
                    assert!(outcome.audit.achieved.k >= 3);
                    left_out += gone;
                }
            }
        }
    }
    assert!(left_out > 0);
}

#[test]
fn a_partitioner_that_leaves_out_records_needs_a_plan_that_allows_it() {
    let sketch = outliers();
    for spec in OWN {
        let mut plan: Plan = sketch.plan(3).parse().unwrap();
        plan.method.partitioner = Spec::new(spec);
        let message = publish(&sketch, plan).err().unwrap().to_string();
        assert!(message.contains(spec) && message.contains("(suppress = 0.02)"), "{message}");
    }
}

proptest! {
    #[test]
    fn partitioners_that_leave_out_records_keep_the_budget(sketch in sketches(4..=24_usize), most in 0..8_usize, seed in any::<u64>()) {
        let mut problem = sketch.load().problem(&Spec::new("lm"), 2).unwrap();
        problem.seed = seed;
        for spec in OWN {
            let partitioner = partition::build(&Spec::new(spec)).unwrap();
            let partition = partitioner.suppressing(&problem, most, Progress::silent()).unwrap();
            prop_assert!(partition.suppressed().len() <= most, "{}", spec);
            prop_assert!(partition.clusters().all(|rows| problem.hold(rows)), "{}", spec);
            let kept: usize = partition.clusters().map(<[u32]>::len).sum();
            prop_assert_eq!(kept + partition.suppressed().len(), problem.rows());
            let without = partitioner.partition(&problem, Progress::silent()).unwrap();
            prop_assert!(without.suppressed().is_empty(), "{}", spec);
            if spec.starts_with("oka") {
                prop_assert!(problem.loss(&partition) <= problem.loss(&without));
            }
        }
    }

    #[test]
    fn the_budget_is_kept_and_nothing_gets_worse(sketch in sketches(4..=16_usize), most in 0..6_usize, diverse: bool) {
        let loaded = sketch.load();
        let demand: &[&str] = if diverse { &["frequency-l(l=1.5)"] } else { &[] };
        let Ok(problem) = loaded.demanding(&Spec::new("lm"), 2, demand) else { return Ok(()) };
        let before = problem.loss(&engine(&problem).unwrap());
        let partition = suppressing(&loaded, 2, demand, most);
        prop_assert!(partition.suppressed().len() <= most);
        prop_assert!(problem.loss(&partition) <= before);
        prop_assert!(partition.clusters().all(|rows| problem.hold(rows)));
        let kept: usize = partition.clusters().map(<[u32]>::len).sum();
        prop_assert_eq!(kept + partition.suppressed().len(), problem.rows());
    }

    #[test]
    fn some_of_the_rows_are_encoded_as_they_were(sketch in sketches(2..=12_usize), keep in prop::collection::vec(any::<bool>(), 12)) {
        let encoded = sketch.load().encoded;
        let kept: Vec<u32> = (0..encoded.rows() as u32).filter(|row| keep[*row as usize]).collect();
        let some = encoded.select(&kept);
        prop_assert_eq!(some.rows(), kept.len());
        for (now, then) in (0..).zip(&kept) {
            prop_assert_eq!(some.row(now), encoded.row(*then));
            prop_assert!(some.rows_of(some.tuple_of(now)).contains(&now));
            for (new, old) in some.watched().iter().zip(encoded.watched()) {
                prop_assert_eq!(&new.values()[new.row(now) as usize], &old.values()[old.row(*then) as usize]);
            }
        }
        for column in some.watched() {
            prop_assert!(column.counts().iter().all(|count| *count > 0));
            prop_assert_eq!(column.counts().iter().sum::<u32>() as usize, kept.len());
        }
    }
}
