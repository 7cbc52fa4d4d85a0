//! Every algorithm against the best that exhaustive search finds on tiny tables.

use std::sync::LazyLock;

use amidst::internals::partition;
use amidst::internals::problem::{Partition, Problem};
use amidst::internals::registry::Spec;
use amidst::progress::Progress;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::members::specs_of;
use crate::tables::{Sketch, load, sketches};

/// The least loss of all partitions into clusters of at least `k`, by trying every cluster for the first free row.
pub fn optimum(problem: &Problem, k: usize) -> f64 {
    let all = (1_usize << problem.rows()) - 1;
    let cost: Vec<f64> = (0..=all)
        .map(|mask| {
            let rows: Vec<u32> = (0..problem.rows() as u32).filter(|r| mask >> r & 1 == 1).collect();
            if rows.len() < k { f64::INFINITY } else { problem.measure.cluster(&problem.cluster(&rows).unwrap()) }
        })
        .collect();
    let mut best = vec![f64::INFINITY; all + 1];
    best[0] = 0.0;
    for mask in 1..=all {
        let first = mask & mask.wrapping_neg();
        let mut part = mask;
        while part > 0 {
            if part & first > 0 {
                best[mask] = best[mask].min(cost[part] + best[mask ^ part]);
            }
            part = (part - 1) & mask;
        }
    }
    problem.measure.table(best[all] - problem.measure.records(problem.rows()), problem.rows())
}

#[test]
fn the_optimum_of_four_numbers_is_found() {
    // 1 2 8 9, k = 2: {1, 2} and {8, 9} lose 1/8 each; any other pairing more.
    let problem =
        load("age\n1\n8\n2\n9\n", "[privacy]\nk = 2\n[columns]\nage = { role = \"quasi\", kind = \"range\" }");
    let problem = problem.problem(&Spec::new("lm"), 2).unwrap();
    assert!((optimum(&problem, 2) - 0.125).abs() < 1e-12);
}

/// A tiny table, what one cluster of it costs, and its optimum.
struct Tiny {
    sketch: Sketch,
    problem: Problem,
    whole: f64,
    best: f64,
}

static TINY: LazyLock<Vec<Tiny>> = LazyLock::new(|| {
    let mut runner = TestRunner::deterministic();
    let mut tiny = Vec::new();
    for _ in 0..100 {
        let sketch = sketches(4..=8_usize).new_tree(&mut runner).unwrap().current();
        let loaded = sketch.load();
        for (measure, k) in [("lm", 2), ("lm", 3), ("ncp", 2)] {
            let problem = loaded.problem(&Spec::new(measure), k).unwrap();
            let rows: Vec<u32> = (0..problem.rows() as u32).collect();
            let whole = problem.loss(&Partition::new(rows.len(), [&rows]).unwrap());
            let best = optimum(&problem, k);
            tiny.push(Tiny { sketch: sketch.clone(), problem, whole, best });
        }
    }
    tiny
});

fn stays_between(partitioner: &str) {
    for spec in specs_of(partition::ALL, partitioner) {
        let (mut worst, mut missed) = (1.0_f64, 0);
        for Tiny { sketch, problem, whole, best } in &*TINY {
            let partition = partition::build(&spec).unwrap().partition(problem, Progress::silent()).unwrap();
            let loss = problem.loss(&partition);
            // At one level for all rows, everything is published as everything, and not as the closure of the table.
            let is_closed = partition.levels().is_empty();
            assert!(!is_closed || loss <= whole + 1e-12, "{spec}: {loss} where one cluster costs {whole}: {sketch:?}");
            assert!(loss >= best - 1e-12, "{spec}: {loss} below the optimum {best}: {sketch:?}");
            if *best > 1e-12 {
                worst = worst.max(loss / best);
            } else if loss > 1e-12 {
                missed += 1;
            }
        }
        println!("{spec}: at worst {worst:.2} times the optimum; {missed} of 300 lossless partitions missed");
    }
}

tests!(of partitioners: never_better_than_the_optimum_and_never_worse_than_one_cluster: stays_between);
