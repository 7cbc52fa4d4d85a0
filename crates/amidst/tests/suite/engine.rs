//! The engine: it only ever improves, it can be made again, and it loses less than the papers' algorithms.

use std::path::Path;
use std::sync::Arc;

use amidst::internals::encode::Encoded;
use amidst::internals::partition;
use amidst::internals::problem::{Partition, Problem};
use amidst::internals::read::{self, Options};
use amidst::internals::registry::Spec;
use amidst::internals::schema::{Coding, Form, ISO_DATE, Quasi, Schema};
use amidst::internals::{constraint, cost};
use amidst::plan::{Decimal, Tree};
use amidst::progress::Progress;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::pairs::all_cases;
use crate::tables::{Sort, sketches};

fn run(problem: &Problem, spec: &str) -> Partition {
    partition::build(&Spec::new(spec)).unwrap().partition(problem, Progress::silent()).unwrap()
}

/// Adult, the first so many rows of it.
fn adult(quasi: &[(&str, Form)], rows: usize) -> Arc<Encoded> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/adult/adult.csv.gz");
    let table = read::read(&path, &Options::default(), Progress::silent()).unwrap();
    let keep: Vec<bool> = (0..table.rows()).map(|row| row < rows).collect();
    let table = table.filter(&keep.into()).unwrap();
    let quasi = quasi.iter().map(|(name, form)| Quasi {
        name: (*name).to_owned(),
        form: form.clone(),
        weight: 1.0,
        show: None,
        coding: Coding::default(),
    });
    let schema = Schema { quasi: quasi.collect(), ..Schema::default() };
    Arc::new(Encoded::new(&table, &schema, &[], Progress::silent()).unwrap())
}

fn problem(encoded: &Arc<Encoded>, k: usize, seed: u64) -> Problem {
    let demand = constraint::build(&Spec::new(format!("k-anonymity(k={k})")), &[]).unwrap();
    let lm = cost::build(&Spec::new("lm"), encoded).unwrap();
    Problem::new(encoded.clone(), lm, demand, seed).unwrap()
}

fn range() -> Form {
    Form::Range(None, ISO_DATE.to_owned(), Decimal::Point)
}

fn tree(name: &'static str) -> (&'static str, Form) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../data/adult/hierarchies/{name}.csv"));
    (name, Form::Taxonomy(Tree::File(file), ISO_DATE.to_owned()))
}

/// The least that each record pays in a set of at least `k` of these rows, by trying every set.
fn cheapest(problem: &Problem, rows: &[u32], k: u32) -> f64 {
    let sets = (1_usize..1 << rows.len()).filter(|set| set.count_ones() >= k);
    let chosen = |set: usize| rows.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, row)| *row).collect();
    let each = |rows: Vec<u32>| problem.measure.cluster(&problem.cluster(&rows).unwrap()) / rows.len() as f64;
    sets.map(|set| each(chosen(set))).fold(f64::INFINITY, f64::min)
}

#[test]
fn the_cheapest_of_all_closures_is_opened() {
    // Only where all nodes are known, that is without ranges and sets. Records left over may have joined the cluster
    // later, so the cheapest set is looked for within the clusters.
    let mut runner = TestRunner::deterministic();
    let mut tried = 0;
    while tried < 60 {
        let sketch = sketches(4..=9_usize).new_tree(&mut runner).unwrap().current();
        if sketch.columns.iter().any(|c| !matches!(c.sort, Sort::Taxonomy(_) | Sort::Suppress)) {
            continue;
        }
        tried += 1;
        for k in [2, 3] {
            let problem = sketch.load().problem(&Spec::new("lm"), k as usize).unwrap();
            let rows: Vec<u32> = (0..problem.rows() as u32).collect();
            let best = cheapest(&problem, &rows, k);
            let partition = run(&problem, "patterns");
            let opened = partition.clusters().map(|rows| cheapest(&problem, rows, k)).fold(f64::INFINITY, f64::min);
            assert!((opened - best).abs() < 1e-6, "k = {k}: {opened}, not {best}: {sketch:?}");
        }
    }
}

/// The seeds of tests whose searches take seconds: one, and three where all cases are tried.
fn seeds() -> std::ops::Range<u64> {
    0..if all_cases() { 3 } else { 1 }
}

#[test]
fn more_effort_never_loses_more() {
    let encoded =
        adult(&[("age", range()), ("workclass", Form::Set), ("occupation", Form::Set), tree("education")], 2000);
    for seed in seeds() {
        let problem = problem(&encoded, 5, seed);
        let efforts = ["patterns", "engine(fast)", "engine(rounds=2)", "engine(rounds=5)", "engine", "engine(best)"];
        let losses = efforts.map(|spec| problem.loss(&run(&problem, spec)));
        assert!((losses[0] - losses[1]).abs() < 1e-12, "fast is the start: {losses:?}");
        assert!(losses.is_sorted_by(|a, b| b <= &(a + 1e-12)), "{losses:?}");
        assert!(losses[5] < 0.97 * losses[0], "hardly anything was gained: {losses:?}");
    }
}

#[test]
fn a_search_that_the_clock_ended_can_be_made_again() {
    let encoded = adult(&[("age", range()), ("workclass", Form::Set), ("occupation", Form::Set)], 3000);
    let problem = problem(&encoded, 5, 0);
    for seconds in ["1e-9", "0.2"] {
        let timed = run(&problem, &format!("engine(seconds={seconds})"));
        let maker = timed.maker().unwrap();
        let again = run(&problem, maker.as_str());
        assert!(again.clusters().eq(timed.clusters()), "{maker}");
    }
    assert_eq!(run(&problem, "engine").maker(), None);
}

#[test]
fn other_objectives_are_lowered_too() {
    let encoded =
        adult(&[("age", range()), ("workclass", Form::Set), ("race", Form::Suppress), tree("education")], 1000);
    for measure in ["am", "dm", "entropy", "mi", "height", "byun", "ncp"] {
        let demand = constraint::build(&Spec::new("k-anonymity(k=4)"), &[]).unwrap();
        let measure = cost::build(&Spec::new(measure), &encoded).unwrap();
        let problem = Problem::new(encoded.clone(), measure, demand, 0).unwrap();
        let [fast, best, mondrian] = ["engine(fast)", "engine", "mondrian"].map(|s| problem.loss(&run(&problem, s)));
        assert!(best < fast, "{best} {fast}");
        assert!(best < mondrian, "{best} {mondrian}");
    }
}

/// What the engine was asked to reach, figures of a prototype and of ARX 3.9.2's best local recoding; both in `bench/`, too. They are for
/// the mean over three seeds, which `make test-all` takes. A single seed may lose 1 % more: with trees at k = 100 the first loses .1852,
/// where the mean may be .1848.
fn loses_at_most(encoded: &Arc<Encoded>, bounds: &[(usize, f64)]) {
    for (k, bound) in bounds {
        let loss = |seed: u64| {
            let problem = problem(encoded, *k, seed);
            problem.loss(&run(&problem, "engine"))
        };
        let mean = seeds().map(loss).sum::<f64>() / seeds().count() as f64;
        let bound = if all_cases() { *bound } else { 1.01 * bound };
        assert!(mean <= bound, "k = {k}: {mean} is more than {bound}");
    }
}

const CATEGORIES: [&str; 6] = ["workclass", "marital-status", "occupation", "race", "sex", "native-country"];

#[test]
fn adult_with_suppressed_columns_loses_less_than_required() {
    let every = "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,\
                 capital-gain,capital-loss,hours-per-week,native-country";
    let suppressed: Vec<_> = every.split(',').map(|name| (name, Form::Suppress)).collect();
    loses_at_most(&adult(&suppressed, usize::MAX), &[(10, 0.262), (50, 0.336), (100, 0.372)]);
}

#[test]
fn adult_with_sets_and_ranges_loses_less_than_required() {
    let mut sets: Vec<_> = CATEGORIES.map(|name| (name, Form::Set)).to_vec();
    sets.extend([("age", range()), ("education-num", range())]);
    // At k = 1,000 the bound is what CB loses with seed 0 (`bench-engine --only grid --against cb`), less 5 %.
    loses_at_most(&adult(&sets, usize::MAX), &[(10, 0.0335), (50, 0.095), (100, 0.137), (1000, 0.95 * 0.2883)]);
}

#[test]
fn adult_with_trees_loses_less_than_required() {
    let mut trees: Vec<_> = CATEGORIES.map(tree).to_vec();
    trees.extend([tree("age"), tree("education")]);
    loses_at_most(&adult(&trees, 30_162), &[(5, 0.0482), (10, 0.0712), (100, 0.1848)]);
}
