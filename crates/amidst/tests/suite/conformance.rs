//! Every partitioner and every refiner, with every choice of parameters and every measure, on every hard table.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use amidst::Result;
use amidst::internals::cost::Payers;
use amidst::internals::partition::{self, Partitioner};
use amidst::internals::problem::{Partition, Problem};
use amidst::internals::registry::Spec;
use amidst::internals::{cost, refine};
use amidst::progress::Progress;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::hard;
use crate::tables::{Column, Sort, specs};

static POOLS: LazyLock<[ThreadPool; 2]> =
    LazyLock::new(|| [1, 2].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap()));

/// What a partition into clusters of at least `k` rows does wrong.
fn mistakes(problem: &Problem, k: usize, partition: &Partition) -> Result<(), String> {
    let mut seen = vec![0; problem.rows()];
    for rows in partition.clusters() {
        if rows.len() < k {
            return Err(format!("a cluster has {} rows where k = {k}", rows.len()));
        }
        rows.iter().for_each(|row| seen[*row as usize] += 1);
        let cluster = problem.cluster(rows).ok_or("a cluster is empty")?;
        if let Some(broken) = problem.constraints.iter().position(|c| !c.holds(&cluster)) {
            return Err(format!("a cluster of {} rows breaks constraint {broken}", rows.len()));
        }
    }
    match seen.iter().position(|times| *times != 1) {
        Some(row) => Err(format!("row {row} is in {} clusters", seen[row])),
        None => Ok(()),
    }
}

/// Runs `work` again, and on one thread and on two. The result must be right and always the same.
fn conforms(problem: &Problem, k: usize, work: impl Fn() -> Result<Partition> + Sync) -> Result<Partition, String> {
    let run = || work().map_err(|e| e.to_string());
    let first = run()?;
    mistakes(problem, k, &first)?;
    if run()? != first {
        return Err("the second run differs from the first".to_owned());
    }
    for pool in &*POOLS {
        if pool.install(run)? != first {
            return Err(format!("the result differs on {} threads", pool.current_num_threads()));
        }
    }
    Ok(first)
}

fn check(partitioner: &dyn Partitioner, problem: &Problem, k: usize) -> Result<Partition, String> {
    conforms(problem, k, || partitioner.partition(problem, Progress::silent()))
}

#[test]
fn every_partitioner_and_refiner_keeps_its_promise_on_every_hard_table() {
    for k in [2, 3, 5, 10] {
        for (name, sketch) in hard::tables(k) {
            let loaded = sketch.load();
            for measure in specs(cost::ALL) {
                let problem = loaded.problem(&measure, k).unwrap();
                // Measures by which not all records pay alike are asked about every pair; small tables do for them.
                let additive = problem.measure.payers() == Payers::Alike;
                if !additive && problem.rows() > 100 {
                    continue;
                }
                for spec in specs(partition::ALL) {
                    let fail = |what: &Spec, e: String| panic!("{what} with {measure}, k = {k}, on {name}: {e}");
                    let partitioner = partition::build(&spec).unwrap();
                    let partition = check(&*partitioner, &problem, k).unwrap_or_else(|e| fail(&spec, e));
                    // One start is enough: what a refiner is given is a partition, whoever made it.
                    let first = spec.name() == partition::ALL[0].name;
                    for spec in specs(refine::ALL).into_iter().filter(|_| first) {
                        let refiner = refine::build(&spec).unwrap();
                        let work = || refiner.refine(&problem, partition.clone(), Progress::silent());
                        let better = conforms(&problem, k, work).unwrap_or_else(|e| fail(&spec, e));
                        let (before, after) = (problem.loss(&partition), problem.loss(&better));
                        assert!(after <= before + 1e-12, "{spec}, k = {k}, on {name}: {before} became {after}");
                    }
                }
            }
        }
    }
}

/// Demands on the sensitive column of the hard tables, which has three values, about equally often.
const DEMANDS: &[&[&str]] = &[
    &["distinct-l(l=3)"],
    &["frequency-l(l=1.5)"],
    &["frequency-l(l=2.5)"],
    &["frequency-l(l=3)"],
    &["entropy-l(l=2.2)"],
    &["recursive-l(c=1.2, l=2)"],
    &["alpha-k(alpha=0.5)"],
    &["t-closeness(t=0.2)"],
    &["t-closeness(t=0)"],
    &["basic-beta(beta=0.6)"],
    &["enhanced-beta(beta=0.3)"],
    &["delta-disclosure(delta=0.5)"],
    &["frequency-l(l=2)", "distinct-l(l=3)", "t-closeness(t=0.3)"],
];

#[test]
fn every_partitioner_satisfies_every_demand_that_can_be_had() {
    let k = 3;
    let mut satisfied = 0;
    for (name, sketch) in hard::tables(k) {
        let loaded = sketch.load();
        for demand in DEMANDS {
            let Ok(problem) = loaded.demanding(&specs(cost::ALL)[0], k, demand) else { continue };
            for spec in specs(partition::ALL) {
                let partitioner = partition::build(&spec).unwrap();
                let partition = check(&*partitioner, &problem, k)
                    .unwrap_or_else(|e| panic!("{spec} with {demand:?} on {name}: {e}"));
                satisfied += 1;
                let first = spec.name() == partition::ALL[0].name;
                for spec in specs(refine::ALL).into_iter().filter(|_| first) {
                    let refiner = refine::build(&spec).unwrap();
                    let work = || refiner.refine(&problem, partition.clone(), Progress::silent());
                    let better = conforms(&problem, k, work);
                    assert!(better.is_ok(), "{spec} with {demand:?} on {name}: {}", better.unwrap_err());
                }
            }
        }
    }
    assert!(satisfied > 1000, "only {satisfied} runs");
}

#[test]
fn large_tables_come_out_the_same_on_any_number_of_threads() {
    let problem = hard::large().load().problem(&specs(cost::ALL)[0], 10).unwrap();
    for spec in specs(partition::ALL) {
        let partitioner = partition::build(&spec).unwrap();
        let [one, two] = POOLS.each_ref().map(|pool| {
            pool.install(|| partitioner.partition(&problem, Progress::silent()))
                .unwrap_or_else(|e| panic!("{spec}: {e}"))
        });
        assert!(one == two, "{spec}");
        assert_eq!(mistakes(&problem, 10, &one), Ok(()), "{spec}");
    }
}

/// A column whose rows all have the same value.
fn constant(name: &str, sort: Sort, cell: &str, rows: usize) -> Column {
    Column { name: name.to_owned(), sort, weight: 1.0, cells: vec![cell.to_owned(); rows] }
}

#[test]
fn constant_columns_change_no_partition() {
    let (k, measure) = (3, Spec::new("lm"));
    for (name, sketch) in hard::tables(k).into_iter().chain([("many ties", hard::ties(90))]) {
        let rows = sketch.rows();
        let mut one = sketch.clone();
        one.columns.push(constant("same", Sort::Suppress, "x", rows));
        let mut two = one.clone();
        two.columns.insert(0, constant("equal", Sort::Integer, "5", rows));
        let [plain, one, two] = [&sketch, &one, &two].map(|s| s.load().problem(&measure, k).unwrap());
        for spec in specs(partition::ALL) {
            let partitioner = partition::build(&spec).unwrap();
            let run = |problem| partitioner.partition(problem, Progress::silent()).unwrap();
            let expected = run(&plain);
            for (count, problem) in [(1, &one), (2, &two)] {
                assert!(run(problem) == expected, "{spec}, {count} more, on {name}");
            }
        }
    }
}

/// A partitioner made of a function.
struct Broken<F>(F);

impl<F: Fn(&Problem) -> Result<Partition> + Send + Sync> Partitioner for Broken<F> {
    fn partition(&self, problem: &Problem, _: Progress) -> Result<Partition> {
        self.0(problem)
    }
}

/// What the check says about a broken partitioner on the hard tables, for k = 3.
fn verdicts(broken: impl Fn(&Problem) -> Result<Partition> + Send + Sync) -> Vec<String> {
    let broken = Broken(broken);
    let tables = hard::tables(3).into_iter();
    let results = tables.map(|(_, sketch)| {
        let problem = sketch.load().problem(&specs(cost::ALL)[0], 3).unwrap();
        check(&broken, &problem, 3).map(drop)
    });
    results.filter_map(Result::err).collect()
}

fn all_rows(problem: &Problem) -> Vec<u32> {
    (0..problem.rows() as u32).collect()
}

fn reported(verdicts: &[String], what: &str) {
    assert!(verdicts.iter().any(|v| v.contains(what)), "{verdicts:?} do not say `{what}`");
}

#[test]
fn a_last_class_that_is_too_small_is_reported() {
    let verdicts = verdicts(|problem| Partition::new(problem.rows(), all_rows(problem).chunks(3)));
    reported(&verdicts, "a cluster has 2 rows where k = 3");
}

#[test]
fn a_cut_that_never_checks_its_halves_is_reported() {
    fn cut(problem: &Problem, mut rows: Vec<u32>, done: &mut Vec<Vec<u32>>) {
        if rows.len() <= 3 {
            return done.push(rows);
        }
        rows.sort_by_key(|row| problem.encoded.row(*row)[0]);
        let upper = rows.split_off(rows.len() / 2);
        cut(problem, rows, done);
        cut(problem, upper, done);
    }
    let verdicts = verdicts(|problem| {
        let mut done = Vec::new();
        cut(problem, all_rows(problem), &mut done);
        Partition::new(problem.rows(), done)
    });
    reported(&verdicts, "where k = 3");
}

#[test]
fn leftovers_that_are_dropped_are_reported() {
    let verdicts = verdicts(|problem| {
        let full = problem.rows() / 3 * 3;
        Partition::new(full, all_rows(problem)[..full].chunks(3))
    });
    reported(&verdicts, "is in 0 clusters");
}

#[test]
fn leftovers_that_are_repeated_are_reported() {
    let verdicts = verdicts(|problem| {
        let rows = all_rows(problem);
        let left = problem.rows() % 3;
        let with_leftovers = |chunk: &[u32]| [chunk, &rows[rows.len() - left..]].concat();
        Partition::new(problem.rows(), rows.chunks_exact(3).map(with_leftovers))
    });
    reported(&verdicts, "is in two clusters");
}

#[test]
fn a_result_that_depends_on_chance_or_threads_is_reported() {
    // Rows in halves: the first half first, or the second.
    let halves = |problem: &Problem, swap: bool| {
        let rows = all_rows(problem);
        let mut halves: Vec<&[u32]> = vec![&rows];
        if rows.len() >= 6 {
            halves = <[_; 2]>::from(rows.split_at(rows.len() / 2)).to_vec();
        }
        if swap {
            halves.reverse();
        }
        Partition::new(problem.rows(), halves)
    };
    let runs = AtomicUsize::new(0);
    let chance = verdicts(move |problem| halves(problem, runs.fetch_add(1, Ordering::Relaxed) % 2 == 1));
    reported(&chance, "the second run differs");
    let elsewhere = verdicts(move |problem| halves(problem, rayon::current_thread_index().is_some()));
    reported(&elsewhere, "the result differs on 1 threads");
}
