//! Sequential clustering against the paper's algorithms, written down step by step: Algorithm 1 here, and 2 and 3 in
//! [`guarded`](crate::guarded).

use amidst::internals::cost;
use amidst::internals::partition;
use amidst::internals::problem::Problem;
use amidst::internals::registry::Spec;
use amidst::progress::Progress;
use proptest::prelude::*;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use crate::agglomerative::{added, closest_pair, cost_of};
use crate::hard;
use crate::tables::{load, sketches, specs};

fn reference(problem: &Problem, k: usize, alpha: f64, omega: f64) -> Vec<Vec<u32>> {
    algorithm_1(problem, k, (alpha, omega), 100, false).0
}

/// Algorithm 1: no bounds, no memory, no threads. Clusters that vanish leave an empty place. Also says whether records
/// still moved in the last of the passes. `at_once` is the text before it: clusters are split when they become too large.
fn algorithm_1(
    problem: &Problem,
    k: usize,
    (alpha, omega): (f64, f64),
    passes: usize,
    at_once: bool,
) -> (Vec<Vec<u32>>, bool) {
    let mut rng = ChaCha12Rng::seed_from_u64(problem.seed);
    // Step 1.
    let mut rows: Vec<u32> = (0..problem.rows() as u32).collect();
    rows.shuffle(&mut rng);
    let k0 = ((alpha * k as f64).round() as usize).max(1);
    let t = rows.len() / k0;
    let (size, larger) = (rows.len() / t, rows.len() % t);
    let mut clusters: Vec<Vec<u32>> = Vec::new();
    for c in 0..t {
        clusters.push(rows.drain(..size + usize::from(c < larger)).collect());
    }
    let mut moved = true;
    for _ in 0..passes {
        // Steps 2 to 8.
        moved = false;
        for row in 0..problem.rows() as u32 {
            let j = clusters.iter().position(|c| c.contains(&row)).unwrap();
            let without: Vec<u32> = clusters[j].iter().copied().filter(|r| *r != row).collect();
            let before = cost_of(problem, &clusters[j]);
            let gain = before - cost_of(problem, &without);
            let mut best: Option<(usize, f64, f64)> = None;
            for h in (0..clusters.len()).filter(|h| *h != j && !clusters[*h].is_empty()) {
                let with = cost_of(problem, &[&clusters[h][..], &[row]].concat());
                let more = with - cost_of(problem, &clusters[h]);
                if best.is_none_or(|(_, least, _)| more < least) {
                    best = Some((h, more, with));
                }
            }
            let Some((h, more, with)) = best else { continue };
            let rounding = 1e-12 * (with.abs() + before.abs());
            if without.is_empty() || more < gain - rounding {
                clusters[j] = without;
                clusters[h].push(row);
                moved = true;
                if at_once {
                    split(&mut clusters, h, omega * k as f64, &mut rng);
                }
            }
        }
        // Step 9.
        for c in 0..clusters.len() {
            split(&mut clusters, c, omega * k as f64, &mut rng);
        }
        // Step 10.
        if !moved {
            break;
        }
    }
    (united(problem, clusters), moved)
}

/// Splits a cluster of more than so many records into random halves.
fn split(clusters: &mut Vec<Vec<u32>>, c: usize, most: f64, rng: &mut ChaCha12Rng) {
    if clusters[c].len() as f64 > most {
        clusters[c].sort_unstable();
        clusters[c].shuffle(rng);
        let half = clusters[c].len().div_ceil(2);
        let second = clusters[c].split_off(half);
        clusters.push(second);
    }
}

/// Steps 11 to 14.
pub fn united(problem: &Problem, mut clusters: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    clusters.retain(|c| !c.is_empty());
    let (mut done, mut small): (Vec<_>, Vec<_>) = clusters.into_iter().partition(|c| problem.hold(c));
    while let Some((younger, older)) = closest_pair(problem, &small) {
        let other = small.remove(younger);
        let united = [small.remove(older), other].concat();
        if problem.hold(&united) { done.push(united) } else { small.push(united) }
    }
    // Step 14.
    if let Some(last) = small.pop() {
        let mut nearest: Option<(usize, f64)> = None;
        for (c, cluster) in done.iter().enumerate() {
            let distance = added(problem, cluster, &last);
            if nearest.is_none_or(|(_, least)| distance < least) {
                nearest = Some((c, distance));
            }
        }
        match nearest {
            Some((c, _)) => done[c].extend(last),
            None => done.push(last),
        }
    }
    sorted(done)
}

pub fn sorted(clusters: impl IntoIterator<Item = Vec<u32>>) -> Vec<Vec<u32>> {
    let mut clusters: Vec<Vec<u32>> = clusters.into_iter().collect();
    clusters.iter_mut().for_each(|c| c.sort_unstable());
    clusters
}

pub fn clusters(problem: &Problem, spec: &str) -> Vec<Vec<u32>> {
    let partition = partition::build(&Spec::new(spec)).unwrap().partition(problem, Progress::silent()).unwrap();
    sorted(partition.clusters().map(<[u32]>::to_vec))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn it_is_algorithm_1(sketch in sketches(4..60_usize), k in 2..7_usize, seed: u64, choice in 0..100_usize) {
        let loaded = sketch.load();
        let measures = specs(cost::ALL);
        let measure = &measures[choice % measures.len()];
        prop_assume!(sketch.rows() >= k);
        let mut problem = loaded.problem(measure, k).unwrap();
        problem.seed = seed;
        let (alpha, omega) = [(0.5, 1.5), (1.0, 2.0), (0.0, 1.2)][choice % 3];
        for at_once in [false, true] {
            let split = if at_once { "once" } else { "pass" };
            let found = clusters(&problem, &format!("sequential(alpha={alpha}, omega={omega}, split={split})"));
            let expected = algorithm_1(&problem, k, (alpha, omega), 100, at_once).0;
            prop_assert_eq!(found, expected, "{}, split={}", measure, split);
        }
    }
}

#[test]
fn it_is_algorithm_1_where_bounds_and_memory_matter() {
    let loaded = hard::part_of_large(320).load();
    let additive = [("lm", 4), ("lm(values)", 10), ("mi", 4), ("byun", 6), ("ncp", 2)];
    for (measure, k) in additive.into_iter().chain([("entropy", 4), ("pmi", 4), ("wmi", 6), ("wmi(w=0.9)", 10)]) {
        let problem = loaded.problem(&Spec::new(measure), k).unwrap();
        for at_once in [false, true] {
            let split = if at_once { "once" } else { "pass" };
            let expected = algorithm_1(&problem, k, (0.5, 1.5), 100, at_once).0;
            assert!(
                clusters(&problem, &format!("sequential(split={split})")) == expected,
                "{measure}, k = {k}, {split}"
            );
        }
    }
}

#[test]
fn costs_that_are_equal_by_definition_are_equal_numbers() {
    // Two records that differ in d of 7 columns by suppression cost d of 7 columns each. Sums of sevenths would differ in the last bit.
    let row = |r: usize| (0..7).map(|c| ((r * 7 + c * c * (r + 3)) % 3).to_string()).collect::<Vec<_>>().join(",");
    let header = (0..7).map(|c| format!("c{c}")).collect::<Vec<_>>();
    let csv = format!("{}\n{}\n", header.join(","), (0..120).map(row).collect::<Vec<_>>().join("\n"));
    let columns = header.iter().map(|c| format!("{c} = {{ role = \"quasi\", kind = \"suppress\" }}\n"));
    let loaded = load(&csv, &format!("[privacy]\nk = 2\n[columns]\n{}", columns.collect::<String>()));
    let problem = loaded.problem(&Spec::new("lm"), 5).unwrap();
    let ties = (0..120).flat_map(|a| (0..120).map(move |b| [a, b])).filter(|rows| rows[0] != rows[1]);
    for rows in ties {
        let differ = (0..7).filter(|c| loaded.encoded.row(rows[0])[*c] != loaded.encoded.row(rows[1])[*c]).count();
        let cost = problem.measure.cluster(&problem.cluster(&rows).unwrap());
        assert!(cost.total_cmp(&(2.0 * differ as f64)).is_eq(), "{cost} for {differ} columns");
    }
}

#[test]
fn it_is_algorithm_1_in_columns_of_more_values_than_rows_of_the_bounds() {
    let cells = (0..600_u64).map(|r| format!("{},{}\n", r * r % 1201, r * 7 % 911)).collect::<String>();
    let columns = "a = { role = \"quasi\", kind = \"range\" }\nb = { role = \"quasi\", kind = \"suppress\" }";
    let loaded = load(&format!("a,b\n{cells}"), &format!("[privacy]\nk = 2\n[columns]\n{columns}"));
    let problem = loaded.problem(&Spec::new("lm"), 5).unwrap();
    assert!(clusters(&problem, "sequential(split=pass)") == reference(&problem, 5, 0.5, 1.5));
}

#[test]
fn it_is_algorithm_1_whatever_the_sensitive_values_are() {
    // Bounds are kept of few sensitive values only, and of columns that are short or suppressed.
    let row = |r: u64| format!("{},{},{},s{},t{}\n", r * r % 31, r * 7 % 401, r * r * r % 13, r * 5 % 3, r * r % 17);
    let csv = format!("a,b,c,s,t\n{}", (0..400).map(row).collect::<String>());
    for b in ["range", "suppress"] {
        for sensitive in ["s", "t", "st"] {
            let role = |name: &str| if sensitive.contains(name) { "sensitive" } else { "other" };
            let plan = format!(
                "[privacy]\nk = 2\n[columns]\na = {{ role = \"quasi\", kind = \"range\" }}\n\
                 b = {{ role = \"quasi\", kind = \"{b}\" }}\nc = {{ role = \"quasi\", kind = \"set\", weight = 2.0 }}\n\
                 s = {{ role = \"{}\" }}\nt = {{ role = \"{}\" }}",
                role("s"),
                role("t")
            );
            let problem = load(&csv, &plan).problem(&Spec::new("wmi"), 5).unwrap();
            assert!(
                clusters(&problem, "sequential(split=pass)") == reference(&problem, 5, 0.5, 1.5),
                "{b}, {sensitive}"
            );
        }
    }
}

#[test]
fn algorithm_1_need_not_end_and_is_ended() {
    // Any halves of a a a b are a a and a b. The a beside b gains by leaving, b is alone and must follow, and four records
    // are more than 1.5 k: split again.
    let plan = "[privacy]\nk = 2\n[columns]\nx = { role = \"quasi\", kind = \"suppress\" }";
    for csv in ["x\na\na\na\nb\n", "x\nb\na\na\na\n"] {
        let problem = load(csv, plan).problem(&Spec::new("lm"), 2).unwrap();
        for passes in [100, 1000, 1001] {
            assert!(algorithm_1(&problem, 2, (0.5, 1.5), passes, false).1, "it ended after {passes} passes");
        }
        let found = clusters(&problem, "sequential(split=pass)");
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
    }
}

#[test]
fn equal_records_find_each_other() {
    // Two values, five records each, k = 5: whatever the start, a record costs nothing among its equals and something
    // elsewhere, so no partition but the one by value is left when no move helps.
    let column = "x = { role = \"quasi\", kind = \"suppress\" }";
    let loaded = load("x\na\nb\na\nb\na\nb\na\nb\na\nb\n", &format!("[privacy]\nk = 2\n[columns]\n{column}"));
    let problem = loaded.problem(&Spec::new("lm"), 5).unwrap();
    let mut found = clusters(&problem, "sequential");
    found.sort();
    assert_eq!(found, [[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]]);
}

#[test]
fn the_best_of_several_runs_is_no_worse_than_the_first() {
    let mut problem = hard::part_of_large(300).load().problem(&Spec::new("lm"), 5).unwrap();
    let mut better = 0;
    for seed in 0..4 {
        problem.seed = seed;
        let loss = |spec: &str| {
            let partitioner = partition::build(&Spec::new(spec)).unwrap();
            problem.loss(&partitioner.partition(&problem, Progress::silent()).unwrap())
        };
        let losses = ["sequential", "sequential(restarts=2)", "sequential(restarts=6)"].map(loss);
        assert!(losses[1] <= losses[0] && losses[2] <= losses[1], "{losses:?}");
        better += usize::from(losses[2] < losses[0]);
    }
    assert!(better > 0, "six runs gave the same as one, whatever the seed");
}
