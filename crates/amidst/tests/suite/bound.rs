//! Lower bounds of the loss: never above the best partition, and as high as a calculation by hand says.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use amidst::internals::bound::{self, Bound, Effort, Method, Relaxation};
use amidst::internals::partition;
use amidst::internals::problem::Problem;
use amidst::internals::registry::Spec;
use amidst::progress::Progress;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::optimum::optimum;
use crate::tables::{load, sketches};

/// Enough for any table here.
const PLENTY: u64 = 1 << 40;

fn bound(problem: &Problem, work: u64) -> Bound {
    bound::bound(problem, Effort { work, until: None }, &|_| (), Progress::silent()).unwrap()
}

/// The bound of a proof that the clock ends after this time, and those that it told on the way.
fn timed(problem: &Problem, time: Duration) -> (Bound, Vec<f64>) {
    let told = Mutex::new(Vec::new());
    let effort = Effort { work: PLENTY, until: Some(Instant::now() + time) };
    let found = bound::bound(problem, effort, &|loss| told.lock().unwrap().push(loss), Progress::silent()).unwrap();
    (found, told.into_inner().unwrap())
}

fn problem(csv: &str, columns: &str, k: usize) -> Problem {
    load(csv, &format!("[privacy]\nk = 2\n[columns]\n{columns}")).problem(&Spec::new("lm"), k).unwrap()
}

#[test]
fn never_above_the_best_of_all_partitions() {
    let mut runner = TestRunner::deterministic();
    let (mut reached, mut tables) = (0, 0);
    for _ in 0..120 {
        let sketch = sketches(3..=8_usize).new_tree(&mut runner).unwrap().current();
        let loaded = sketch.load();
        for name in ["lm", "lm(values)", "ncp", "height", "byun", "weighted-levels", "mi"] {
            for k in [2, 3] {
                let problem = loaded.problem(&Spec::new(name), k).unwrap();
                let best = optimum(&problem, k);
                // Less and less work, so that all relaxations get their turn, down to a single record's neighbours.
                for work in [PLENTY, 60, 20, 0] {
                    let Bound { loss, method, .. } = bound(&problem, work);
                    let at = format!("{name}, k = {k}, work {work}, {method}: {sketch:?}");
                    assert!(loss <= best + 1e-9 * best.abs(), "{loss} above {best}: {at}");
                    assert!(loss >= -1e-6, "{loss}: {at}");
                    if work == PLENTY && name == "lm" {
                        tables += 1;
                        reached += usize::from(loss >= 0.999 * best - 1e-6);
                    }
                }
            }
        }
    }
    // Not only below, but also near.
    assert!(reached * 2 >= tables, "the best is reached for {reached} of {tables} tables");
}

/// The clock ends proofs at points that nobody chooses. Whatever they have then is below the best of all partitions.
#[test]
fn whatever_the_clock_leaves_is_proven() {
    let mut runner = TestRunner::deterministic();
    let (mut ended, mut came_through) = (0, 0);
    for case in 0..60_u64 {
        let sketch = sketches(4..=8_usize).new_tree(&mut runner).unwrap().current();
        let loaded = sketch.load();
        for name in ["lm", "ncp", "mi"] {
            let problem = loaded.problem(&Spec::new(name), 2).unwrap();
            let best = optimum(&problem, 2);
            for time in [Duration::ZERO, Duration::from_micros(20 + 15 * case), Duration::from_hours(1)] {
                let (found, told) = timed(&problem, time);
                let at = format!("{name}, {time:?}, {}: {sketch:?}", found.method);
                assert!(found.loss <= best + 1e-9 * best.abs(), "{} above {best}: {at}", found.loss);
                assert!(told.is_sorted(), "{told:?}: {at}");
                assert!(told.iter().all(|told| *told <= found.loss + 1e-12), "{told:?} above {}: {at}", found.loss);
                ended += usize::from(!found.complete);
                came_through += usize::from(found.complete);
                if time.is_zero() {
                    assert!(!found.complete, "nothing is complete in no time: {at}");
                } else if found.complete {
                    assert_eq!(found, bound(&problem, PLENTY), "a clock that ends nothing changes nothing: {at}");
                }
            }
        }
    }
    assert!(ended >= 180 && came_through >= 180, "{ended} proofs were ended, {came_through} were not");
}

/// With no time at all, what is left is what every record costs by itself, which is nothing here. By neighbours it is an eighth (see
/// `neighbours_give_the_bound`).
#[test]
fn no_time_proves_nothing_false() {
    let problem = problem("age\n1\n8\n2\n9\n", "age = { role = \"quasi\", kind = \"range\" }", 2);
    let (Bound { loss, complete, .. }, _) = timed(&problem, Duration::ZERO);
    assert!(!complete && loss.abs() < 1e-9, "{loss}");
    assert!((timed(&problem, Duration::from_hours(1)).0.loss - 0.125).abs() < 1e-6);
}

/// Tables too large for all partitions, with enough records that searches branch: no bound is above what was found.
#[test]
fn never_above_what_is_found() {
    let mut runner = TestRunner::deterministic();
    let mut raised = 0;
    for _ in 0..12 {
        let sketch = sketches(40..=120_usize).new_tree(&mut runner).unwrap().current();
        let loaded = sketch.load();
        for name in ["lm", "ncp", "mi"] {
            for k in [3, 8] {
                let problem = loaded.problem(&Spec::new(name), k).unwrap();
                let engine = partition::build(&Spec::new("engine")).unwrap();
                let found = problem.loss(&engine.partition(&problem, Progress::silent()).unwrap());
                let near = bound(&problem, 1 << 10);
                let far = bound(&problem, 1 << 22);
                for Bound { loss, method, .. } in [near, far] {
                    assert!(
                        loss <= found + 1e-9 * found.abs(),
                        "{loss} above {found}: {name}, k = {k}, {method}: {sketch:?}"
                    );
                }
                raised += usize::from(far.loss > near.loss);
            }
        }
    }
    assert!(raised > 24, "more work raises {raised} of 72 bounds");
}

#[test]
fn neighbours_give_the_bound() {
    // 1 2 8 9, k = 2: every number has a neighbour at 1/8 of the range, and {1, 2}, {8, 9} lose just that.
    let problem = problem("age\n1\n8\n2\n9\n", "age = { role = \"quasi\", kind = \"range\" }", 2);
    let Bound { loss, method, .. } = bound(&problem, PLENTY);
    assert!((loss - 0.125).abs() < 1e-6);
    assert_eq!(method, Method::Nearest);
}

#[test]
fn neighbours_are_those_of_all_records() {
    // Enough records that the index has some levels. A record's third neighbour by hand: both differences as shares of the range.
    let place = |row: u64, factor: u64, values: u64| (row * factor + row / 7) % 1009 % values;
    let points: Vec<(u64, u64)> = (0..300).map(|row| (place(row, 389, 211), place(row, 577, 83))).collect();
    let csv: String = points.iter().map(|(x, y)| format!("{x},{y}\n")).collect();
    let quasi = "x = { role = \"quasi\", kind = \"range\" }\ny = { role = \"quasi\", kind = \"range\" }";
    let problem = problem(&format!("x,y\n{csv}"), quasi, 4);
    let range = |of: fn(&(u64, u64)) -> u64| {
        let (least, most) = (points.iter().map(of).min().unwrap(), points.iter().map(of).max().unwrap());
        (most - least) as f64
    };
    let (wide, high) = (range(|p| p.0), range(|p| p.1));
    let third = |point: &(u64, u64)| {
        let distance = |other: &(u64, u64)| {
            let (x, y) = (point.0.abs_diff(other.0) as f64 / wide, point.1.abs_diff(other.1) as f64 / high);
            f64::midpoint(x, y)
        };
        let mut distances: Vec<f64> = points.iter().map(distance).collect();
        distances.sort_by(f64::total_cmp);
        distances[3] // the first is the record itself
    };
    let by_hand = points.iter().map(third).sum::<f64>() / points.len() as f64;
    // Too little work to settle a record at more.
    let settled = bound(&problem, 200_000);
    assert!(settled.loss >= by_hand - 1e-6, "{} below {by_hand}", settled.loss);
    // Where the work does not suffice for all of a record's neighbours, what was seen of them counts.
    let hasty = bound(&problem, 300 * 2 * 20);
    assert!(hasty.loss < by_hand && hasty.loss > by_hand / 10.0, "{} of {by_hand}", hasty.loss);
}

#[test]
fn multipliers_see_what_single_records_do_not() {
    // a a b, k = 2: the two a can be published as they are, b needs one of them. By each record's cheapest closure the loss is
    // 0, 0 and 1, a third on average. But b makes an a lose as much as itself: with multipliers 0, 0 and 2 no cluster
    // has an excess ({a, a}: 0 ≤ 0; {a, b}: 2 ≤ 2; all: 2 ≤ 3), so the bound is two thirds.
    let problem = problem("x\na\na\nb\n", "x = { role = \"quasi\", kind = \"suppress\" }", 2);
    let Bound { loss, method, .. } = bound(&problem, PLENTY);
    assert_eq!(method, Method::Lagrangian(Relaxation::None));
    assert!((0.66..=2.0 / 3.0).contains(&loss), "{loss}");
    assert!((optimum(&problem, 2) - 1.0).abs() < 1e-12);
}

#[test]
fn multipliers_raise_ranges_and_sets_above_the_neighbours() {
    // The same as a range: 0 0 1, and as a set; the neighbours give a third, the multipliers two thirds.
    for kind in ["range", "set"] {
        let problem = problem("x\n0\n0\n1\n", &format!("x = {{ role = \"quasi\", kind = \"{kind}\" }}"), 2);
        let Bound { loss, method, .. } = bound(&problem, PLENTY);
        assert_eq!(method, Method::Lagrangian(Relaxation::None));
        assert!((0.66..=2.0 / 3.0).contains(&loss), "{loss}");
    }
}

#[test]
fn the_optimum_where_prices_find_it() {
    // Pairs of equal records: nothing need be lost. Two pairs, k = 4: everything.
    let quasi = "x = { role = \"quasi\", kind = \"set\" }\ny = { role = \"quasi\", kind = \"suppress\" }";
    let csv = "x,y\na,c\na,c\nb,d\nb,d\n";
    assert!(bound(&problem(csv, quasi, 2), PLENTY).loss.abs() < 1e-9);
    assert!((bound(&problem(csv, quasi, 4), PLENTY).loss - 1.0).abs() < 1e-6);
}

#[test]
fn the_threads_do_not_matter() {
    let sketch = sketches(200..=201_usize).new_tree(&mut TestRunner::deterministic()).unwrap().current();
    let problem = sketch.load().problem(&Spec::new("lm"), 5).unwrap();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| [PLENTY, 5000, 500].map(|work| bound(&problem, work)))
    };
    assert_eq!(with(1), with(4));
}

#[test]
fn other_measures_are_refused() {
    let sketch = sketches(6..=7_usize).new_tree(&mut TestRunner::deterministic()).unwrap().current();
    let loaded = sketch.load();
    for name in ["dm", "cm", "am", "entropy", "pmi", "wmi"] {
        let problem = loaded.problem(&Spec::new(name), 2).unwrap();
        let refused = bound::bound(&problem, Effort::FULL, &|_| (), Progress::silent()).unwrap_err().to_string();
        assert!(refused.starts_with("there is no lower bound of the loss: "), "{refused}");
    }
}
