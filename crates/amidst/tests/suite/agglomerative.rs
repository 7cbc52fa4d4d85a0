//! Agglomerative clustering against the plain algorithm, which looks at all pairs before every step.

use amidst::internals::cost;
use amidst::internals::problem::Problem;
use amidst::internals::registry::Spec;
use proptest::prelude::*;

use crate::hard;
use crate::sequential::{clusters, sorted};
use crate::tables::{load, sketches, specs};

/// What some rows cost as one cluster.
pub fn cost_of(problem: &Problem, rows: &[u32]) -> f64 {
    problem.cluster(rows).map_or(0.0, |cluster| problem.measure.cluster(&cluster))
}

/// dist(A, B), 0 where it is a rounding error.
pub fn added(problem: &Problem, a: &[u32], b: &[u32]) -> f64 {
    let united = cost_of(problem, &[a, b].concat());
    let added = united - (cost_of(problem, a) + cost_of(problem, b));
    if added.abs() <= 1e-12 * united.abs() { 0.0 } else { added }
}

/// The two closest, the younger first.
pub fn closest_pair(problem: &Problem, clusters: &[Vec<u32>]) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize, f64)> = None;
    for younger in 0..clusters.len() {
        for older in 0..younger {
            let distance = added(problem, &clusters[older], &clusters[younger]);
            if best.is_none_or(|(.., least)| distance < least) {
                best = Some((younger, older, distance));
            }
        }
    }
    best.map(|(younger, older, _)| (younger, older))
}

fn reference(problem: &Problem, k: usize, modified: bool) -> Vec<Vec<u32>> {
    let mut small: Vec<Vec<u32>> = (0..problem.rows() as u32).map(|row| vec![row]).collect();
    let mut done: Vec<Vec<u32>> = Vec::new();
    while let Some((younger, older)) = closest_pair(problem, &small) {
        let other = small.remove(younger);
        let mut united = [small.remove(older), other].concat();
        if united.len() < k {
            small.push(united);
            continue;
        }
        while modified && united.len() > k {
            let left = |place: usize| {
                let mut rest = united.clone();
                let row = rest.remove(place);
                cost_of(problem, &rest) + problem.measure.record(row)
            };
            let mut worst = (0, left(0));
            for place in 1..united.len() {
                if left(place) <= worst.1 {
                    worst = (place, left(place));
                }
            }
            small.push(vec![united.remove(worst.0)]);
        }
        done.push(united);
    }
    for row in small.concat() {
        let mut nearest: Option<(usize, f64)> = None;
        for (c, cluster) in done.iter().enumerate() {
            let more = cost_of(problem, &[&cluster[..], &[row]].concat()) - cost_of(problem, cluster);
            if nearest.is_none_or(|(_, least)| more < least) {
                nearest = Some((c, more));
            }
        }
        match nearest {
            Some((c, _)) => done[c].push(row),
            None => return vec![(0..problem.rows() as u32).collect()],
        }
    }
    sorted(done)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn it_is_the_plain_algorithm(sketch in sketches(4..24_usize), k in 2..7_usize, choice in 0..100_usize) {
        let loaded = sketch.load();
        let measures = specs(cost::ALL);
        let measure = &measures[choice % measures.len()];
        prop_assume!(sketch.rows() >= k);
        let problem = loaded.problem(measure, k).unwrap();
        for (version, modified) in [("basic", false), ("modified", true)] {
            let found = clusters(&problem, &format!("agglomerative({version})"));
            prop_assert_eq!(found, reference(&problem, k, modified), "{}, {}", measure, version);
        }
    }
}

#[test]
fn it_is_the_plain_algorithm_on_a_larger_table() {
    let loaded = hard::part_of_large(110).load();
    for (measure, k) in [("lm", 4), ("mi", 6), ("wmi", 5)] {
        let problem = loaded.problem(&Spec::new(measure), k).unwrap();
        assert!(clusters(&problem, "agglomerative(basic)") == reference(&problem, k, false), "{measure}");
        assert!(clusters(&problem, "agglomerative(modified)") == reference(&problem, k, true), "{measure}");
    }
}

#[test]
fn a_cluster_that_outgrows_k_gives_back_its_worst_record() {
    // Ages 0 1 | 10 11 | 100, k = 3. The pairs 0 1 and 10 11 are united first (dist 2/100 each), then both (dist
    // 4 · 11/100 − 2 · 2/100; with 100 it would be more). The four are done; basic: 100 joins them. Modified: without 0
    // they span 10, without 11 also 10, the last of which goes, so that 11 and 100 are united and too few: both join.
    let loaded =
        load("age\n0\n1\n10\n11\n100\n", "[privacy]\nk = 2\n[columns]\nage = { role = \"quasi\", kind = \"range\" }");
    let problem = loaded.problem(&Spec::new("lm"), 3).unwrap();
    assert_eq!(clusters(&problem, "agglomerative(basic)"), [[0, 1, 2, 3, 4]]);
    assert_eq!(clusters(&problem, "agglomerative(modified)"), [[0, 1, 2, 3, 4]]);
    // With another 101, which 100 is united with, 11 comes back as the third of a cluster of their own.
    let loaded = load(
        "age\n0\n1\n10\n11\n100\n101\n",
        "[privacy]\nk = 2\n[columns]\nage = { role = \"quasi\", kind = \"range\" }",
    );
    let problem = loaded.problem(&Spec::new("lm"), 3).unwrap();
    assert_eq!(clusters(&problem, "agglomerative(basic)"), [[0, 1, 2, 3, 4, 5]]);
    assert_eq!(clusters(&problem, "agglomerative(modified)"), [[0, 1, 2], [3, 4, 5]]);
}
