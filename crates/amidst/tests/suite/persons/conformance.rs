//! Every partitioner and every refiner on hard tables whose persons have several rows.

use std::sync::LazyLock;

use amidst::Result;
use amidst::internals::encode::Merged;
use amidst::internals::problem::{Partition, Problem};
use amidst::internals::registry::Spec;
use amidst::internals::{constraint, cost, partition, refine};
use amidst::progress::Progress;

use super::{OWNERS, Owners};
use crate::hard;
use crate::pairs::{self, Case};
use crate::tables::{Loaded, Sketch, specs};

/// The number of persons that every class must have.
const K: usize = 3;

/// Demands on the sensitive column of the hard tables, which has three values, about equally often. With the first only k is asked for.
const DEMANDS: &[&[&str]] = &[
    &[],
    &["distinct-l(l=3)"],
    &["frequency-l(l=1.4)"],
    &["entropy-l(l=2.2)"],
    &["recursive-l(c=1.2, l=2)"],
    &["alpha-k(alpha=0.8)"],
    &["t-closeness(t=0.2)"],
    &["t-closeness(t=0)"],
    &["basic-beta(beta=0.6)"],
    &["enhanced-beta(beta=0.3)"],
    &["delta-disclosure(delta=0.5)"],
    &["frequency-l(l=1.3)", "distinct-l(l=3)", "t-closeness(t=0.3)"],
];

/// The hard tables with their persons, and the same with the rows of a person merged that nothing tells apart.
static TABLES: LazyLock<Vec<(&str, Sketch, Vec<Loaded>)>> = LazyLock::new(|| {
    let load = |sketch: &Sketch| OWNERS.iter().map(|owners| owners.load(sketch)).collect();
    hard::tables(2 * K).into_iter().map(|(name, sketch)| (name, sketch.clone(), load(&sketch))).collect()
});

/// A table, its persons and a demand, by their places in the lists.
struct Asked {
    table: usize,
    owners: usize,
    demand: usize,
}

impl Asked {
    /// The problem with all rows, if the table as one class solves it.
    fn problem(&self) -> Option<Problem> {
        let loaded = &TABLES[self.table].2[self.owners];
        let problem = loaded.demanding(&Spec::new("lm"), K, DEMANDS[self.demand]).ok()?;
        let all: Vec<u32> = (0..problem.rows() as u32).collect();
        problem.hold(&all).then_some(problem)
    }

    /// The same problem as the pipeline sets it, and the rows that its records stand for.
    fn merged(&self, problem: &Problem) -> (Problem, Merged) {
        let merged = Merged::new(&problem.encoded, problem.watches()).unwrap();
        let mut plan = TABLES[self.table].2[self.owners].plan.clone();
        plan.privacy.k = K;
        plan.privacy.require = DEMANDS[self.demand].iter().map(|model| Spec::new(*model)).collect();
        let measure = cost::build(&Spec::new("lm"), &merged.encoded).unwrap();
        let constraints = constraint::all(&plan, &merged.encoded).unwrap();
        (Problem::unchecked(merged.encoded.clone(), measure, constraints, problem.seed), merged)
    }

    /// What a partition does wrong. The problem of all rows judges its classes, and the persons are counted here.
    fn mistakes(&self, problem: &Problem, partition: &Partition) -> Result<(), String> {
        let mut seen = vec![0; problem.rows()];
        for rows in partition.clusters() {
            rows.iter().for_each(|row| seen[*row as usize] += 1);
            let persons = OWNERS[self.owners].count(rows, problem.rows());
            if persons < K {
                return Err(format!("a class of {} rows has {persons} persons", rows.len()));
            }
            if !problem.hold(rows) {
                return Err(format!("a class of {persons} persons breaks a model"));
            }
        }
        if seen.iter().all(|times| *times == 1) { Ok(()) } else { Err("a row is lost or repeated".to_owned()) }
    }
}

/// Runs an algorithm on all rows and on merged ones, on every case that a pair of choices needs.
fn each(algorithms: &[Spec], name: &str, run: impl Fn(&Spec, &Problem) -> Result<Partition>) {
    let cases: Vec<Case<4>> = pairs::cases([DEMANDS.len(), TABLES.len(), OWNERS.len(), algorithms.len()], |_| true);
    let mut tried = 0;
    for [demand, table, owners, algorithm] in cases {
        let (asked, spec) = (Asked { table, owners, demand }, &algorithms[algorithm]);
        if spec.name() != name {
            continue;
        }
        let Some(problem) = asked.problem() else { continue };
        let fails = |e: String| -> ! {
            panic!("{spec} with {:?} on {}, {:?}: {e}", DEMANDS[demand], TABLES[table].0, OWNERS[owners])
        };
        let plain = run(spec, &problem).unwrap_or_else(|e| fails(e.to_string()));
        asked.mistakes(&problem, &plain).unwrap_or_else(|e| fails(e));
        assert!(run(spec, &problem).unwrap() == plain, "{spec}: the second run differs");
        let (records, merged) = asked.merged(&problem);
        let few = run(spec, &records).unwrap_or_else(|e| fails(format!("merged: {e}")));
        let few = few.expanded(problem.rows(), |records| merged.rows(records)).unwrap();
        asked.mistakes(&problem, &few).unwrap_or_else(|e| fails(format!("merged: {e}")));
        tried += 1;
    }
    assert!(tried >= DEMANDS.len(), "{name} was tried {tried} times");
}

fn counts_persons(partitioner: &str) {
    each(&specs(partition::ALL), partitioner, |spec, problem| {
        partition::build(spec)?.partition(problem, Progress::silent())
    });
}

tests!(of partitioners: every_partitioner_counts_persons: counts_persons);

fn keeps_persons(refiner: &str) {
    let first = partition::build(&Spec::new("mondrian")).unwrap();
    each(&specs(refine::ALL), refiner, |spec, problem| {
        let partition = first.partition(problem, Progress::silent())?;
        let better = refine::build(spec)?.refine(problem, partition.clone(), Progress::silent())?;
        let (before, after) = (problem.loss(&partition), problem.loss(&better));
        assert!(after <= before + 1e-12, "{spec}: a loss of {before} became {after}");
        Ok(better)
    });
}

tests!(of refiners: every_refiner_keeps_persons: keeps_persons);

#[test]
fn most_demands_can_be_had() {
    for (demand, spec) in DEMANDS.iter().enumerate() {
        let cases = (0..TABLES.len()).flat_map(|table| (0..OWNERS.len()).map(move |owners| (table, owners)));
        let had = cases.filter(|(table, owners)| {
            let asked = Asked { table: *table, owners: *owners, demand };
            asked.problem().is_some()
        });
        assert!(had.count() >= 8, "{spec:?} is hardly tried");
    }
}

#[test]
fn a_class_of_k_rows_and_fewer_persons_is_reported() {
    let table = TABLES.iter().position(|(name, ..)| *name == "all rows different").unwrap();
    let pairs = OWNERS.iter().position(|owners| *owners == Owners::Pairs).unwrap();
    let asked = Asked { table, owners: pairs, demand: 0 };
    let problem = asked.problem().unwrap();
    let all: Vec<u32> = (0..problem.rows() as u32).collect();
    let chunks = Partition::new(problem.rows(), all.chunks(K)).unwrap();
    let said = asked.mistakes(&problem, &chunks).unwrap_err();
    assert_eq!(said, "a class of 3 rows has 2 persons");
}
