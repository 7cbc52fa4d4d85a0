//! Every partitioner and every refiner with every choice of parameters, with every measure, and on every hard table.
//!
//! `make test` tries every pair of these, `make test-all` everything with everything.

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
use crate::members::specs_of;
use crate::pairs::{self, Case};
use crate::tables::{Column, Loaded, Sketch, Sort, specs};

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

const SIZES: [usize; 4] = [2, 3, 5, 10];

/// The hard tables for each size of groups.
static TABLES: LazyLock<[Vec<(&str, Loaded)>; 4]> =
    LazyLock::new(|| SIZES.map(|k| hard::tables(k).into_iter().map(|(name, sketch)| (name, sketch.load())).collect()));

/// A size of groups, a measure, a table, and an algorithm, by their places in the lists.
fn cases(algorithms: &[Spec]) -> Vec<Case<4>> {
    let (_, first) = &TABLES[0][0];
    let alike: Vec<bool> = specs(cost::ALL).iter().map(|m| first.free(m).measure.payers() == Payers::Alike).collect();
    // Measures by which not all records pay alike are asked about every pair; small tables do for them.
    pairs::cases([SIZES.len(), alike.len(), TABLES[0].len(), algorithms.len()], |[size, measure, table, _]| {
        alike[*measure] || TABLES[*size][*table].1.encoded.rows() <= 100
    })
}

static PARTITIONER_CASES: LazyLock<Vec<Case<4>>> = LazyLock::new(|| cases(&specs(partition::ALL)));

static REFINER_CASES: LazyLock<Vec<Case<4>>> = LazyLock::new(|| cases(&specs(refine::ALL)));

/// Tries the algorithms of this name in their cases.
fn each(
    cases: &[Case<4>],
    algorithms: &[Spec],
    name: &str,
    check: impl Fn(&Spec, &Problem, usize) -> Result<(), String>,
) {
    let measures = specs(cost::ALL);
    let mut tried = 0;
    for [size, measure, table, algorithm] in cases {
        let (spec, measure, k) = (&algorithms[*algorithm], &measures[*measure], SIZES[*size]);
        if spec.name() == name {
            let (on, loaded) = &TABLES[*size][*table];
            let problem = loaded.problem(measure, k).unwrap();
            check(spec, &problem, k).unwrap_or_else(|e| panic!("{spec} with {measure}, k = {k}, on {on}: {e}"));
            tried += 1;
        }
    }
    assert!(tried >= TABLES[0].len(), "{name} was tried {tried} times");
}

fn keeps_its_promise(partitioner: &str) {
    each(&PARTITIONER_CASES, &specs(partition::ALL), partitioner, |spec, problem, k| {
        check(&*partition::build(spec).unwrap(), problem, k).map(drop)
    });
}

tests!(of partitioners: every_partitioner_keeps_its_promise_on_hard_tables: keeps_its_promise);

fn improves(refiner: &str) {
    // What a refiner is given is a partition, whoever made it.
    let first = partition::build(&Spec::new("mondrian")).unwrap();
    each(&REFINER_CASES, &specs(refine::ALL), refiner, |spec, problem, k| {
        let partition = first.partition(problem, Progress::silent()).unwrap();
        let refiner = refine::build(spec).unwrap();
        let better = conforms(problem, k, || refiner.refine(problem, partition.clone(), Progress::silent()))?;
        let (before, after) = (problem.loss(&partition), problem.loss(&better));
        if after <= before + 1e-12 { Ok(()) } else { Err(format!("a loss of {before} became {after}")) }
    });
}

tests!(of refiners: every_refiner_improves_partitions_of_hard_tables: improves);

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

/// The size of the groups for which demands are tried.
const K: usize = 3;

/// The problem that this demand makes of a hard table, if it can be had.
fn demanded(table: usize, demand: usize) -> Result<Problem> {
    TABLES[SIZES.iter().position(|k| *k == K).unwrap()][table].1.demanding(&specs(cost::ALL)[0], K, DEMANDS[demand])
}

/// The demands that can be had: of each table, which.
static FEASIBLE: LazyLock<Vec<Vec<bool>>> = LazyLock::new(|| {
    let of_table = |table| (0..DEMANDS.len()).map(|demand| demanded(table, demand).is_ok()).collect();
    (0..TABLES[0].len()).map(of_table).collect()
});

#[test]
fn most_demands_can_be_had() {
    for (demand, words) in DEMANDS.iter().enumerate() {
        assert!(FEASIBLE.iter().filter(|of_table| of_table[demand]).count() >= 3, "{words:?} is hardly tried");
    }
}

/// A demand, a table and an algorithm, by their places in the lists.
fn demanding_cases(algorithms: usize) -> Vec<Case<3>> {
    pairs::cases([DEMANDS.len(), TABLES[0].len(), algorithms], |[demand, table, _]| FEASIBLE[*table][*demand])
}

/// Tries the algorithms of this name with demands.
fn each_demanded(algorithms: &[Spec], name: &str, check: impl Fn(&Spec, &Problem) -> Result<(), String>) {
    for [demand, table, algorithm] in demanding_cases(algorithms.len()) {
        let spec = &algorithms[algorithm];
        if spec.name() == name {
            let problem = demanded(table, demand).unwrap();
            check(spec, &problem).unwrap_or_else(|e| {
                panic!("{spec} with {:?} on {}: {e}", DEMANDS[demand], TABLES[0][table].0);
            });
        }
    }
}

fn satisfies(partitioner: &str) {
    each_demanded(&specs(partition::ALL), partitioner, |spec, problem| {
        check(&*partition::build(spec).unwrap(), problem, K).map(drop)
    });
}

tests!(of partitioners: every_partitioner_satisfies_demands_that_can_be_had: satisfies);

fn keeps_demands(refiner: &str) {
    let first = partition::build(&Spec::new("mondrian")).unwrap();
    each_demanded(&specs(refine::ALL), refiner, |spec, problem| {
        let partition = first.partition(problem, Progress::silent()).unwrap();
        let refiner = refine::build(spec).unwrap();
        conforms(problem, K, || refiner.refine(problem, partition.clone(), Progress::silent())).map(drop)
    });
}

tests!(of refiners: every_refiner_keeps_demands: keeps_demands);

/// A search that goes on while it pays at all. It takes the steps of the usual one, only many more of them: on the large table most of the time of
/// all partitioners together. `make test` has it on the hard tables.
fn is_long(spec: &Spec) -> bool {
    spec.to_string().contains("effort=best")
}

fn same_on_threads(partitioner: &str) {
    let problem = hard::large().load().problem(&specs(cost::ALL)[0], 10).unwrap();
    for spec in specs_of(partition::ALL, partitioner).into_iter().filter(|spec| pairs::all_cases() || !is_long(spec)) {
        let partitioner = partition::build(&spec).unwrap();
        let [one, two] = POOLS.each_ref().map(|pool| {
            pool.install(|| partitioner.partition(&problem, Progress::silent()))
                .unwrap_or_else(|e| panic!("{spec}: {e}"))
        });
        assert!(one == two, "{spec}");
        assert_eq!(mistakes(&problem, 10, &one), Ok(()), "{spec}");
    }
}

tests!(of partitioners: large_tables_come_out_the_same_on_any_number_of_threads: same_on_threads);

/// A column whose rows all have the same value.
fn constant(name: &str, sort: Sort, cell: &str, rows: usize) -> Column {
    Column { name: name.to_owned(), sort, weight: 1.0, cells: vec![cell.to_owned(); rows] }
}

/// Hard tables as they are, with one column more, and with two.
static WITH_CONSTANTS: LazyLock<Vec<(&str, [Problem; 3])>> = LazyLock::new(|| {
    let with_constants = |(name, plain): (_, Sketch)| {
        let rows = plain.rows();
        let mut one = plain.clone();
        one.columns.push(constant("same", Sort::Suppress, "x", rows));
        let mut two = one.clone();
        two.columns.insert(0, constant("equal", Sort::Integer, "5", rows));
        (name, [plain, one, two].map(|sketch| sketch.load().problem(&Spec::new("lm"), K).unwrap()))
    };
    hard::tables(K).into_iter().chain([("many ties", hard::ties(90))]).map(with_constants).collect()
});

fn ignores_constant_columns(partitioner: &str) {
    for (name, [plain, one, two]) in &*WITH_CONSTANTS {
        for spec in specs_of(partition::ALL, partitioner) {
            let partitioner = partition::build(&spec).unwrap();
            let run = |problem| partitioner.partition(problem, Progress::silent()).unwrap();
            let expected = run(plain);
            for (count, problem) in [(1, one), (2, two)] {
                assert!(run(problem) == expected, "{spec}, {count} more, on {name}");
            }
        }
    }
}

tests!(of partitioners: constant_columns_change_no_partition: ignores_constant_columns);

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
