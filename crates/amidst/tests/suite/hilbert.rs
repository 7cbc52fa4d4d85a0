//! Hilbert against the plain way to do it: another program's curve, and every way to cut the line.

use amidst::internals::encode::{Code, Domain, Span};
use amidst::internals::partition;
use amidst::internals::problem::Problem;
use amidst::internals::registry::Spec;
use amidst::progress::Progress;
use hilbert_index::ToHilbertIndex;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::tables::{load, sketches};

fn run(problem: &Problem, spec: &str) -> Vec<Vec<u32>> {
    let partition = partition::build(&Spec::new(spec)).unwrap().partition(problem, Progress::silent()).unwrap();
    partition.clusters().map(<[u32]>::to_vec).collect()
}

/// Where the code lies between 0 and `last`: numbers by their value, everything else by its place.
fn stretched(domain: &Domain, code: Code, last: f64) -> usize {
    let top = domain.len() as Code - 1;
    let share = match domain.extent(Span::range(code, top)) {
        Some(above) => 1.0 - above,
        None => f64::from(code) / f64::from(top),
    };
    (share * last).round() as usize
}

fn index(point: &[usize], bits: usize) -> usize {
    match *point {
        [] => 0,
        [a] => a,
        [a, b] => [a, b].to_hilbert_index(bits),
        [a, b, c] => [a, b, c].to_hilbert_index(bits),
        [a, b, c, d] => [a, b, c, d].to_hilbert_index(bits),
        _ => unreachable!("the tables have four columns at most"),
    }
}

/// The rows in the order of the curve, equal ones together.
fn line(problem: &Problem, rescaled: bool) -> Vec<u32> {
    let domains = problem.encoded.domains();
    let used: Vec<usize> = (0..domains.len()).filter(|c| domains[*c].len() > 1).collect();
    let longest = used.iter().map(|c| domains[*c].len()).max().unwrap_or(1);
    let bits = (0..32).find(|bits| 1 << bits >= longest).unwrap();
    let key = |row: &u32| {
        let codes = problem.encoded.row(*row);
        let coordinate = |c: &usize| {
            if rescaled {
                stretched(&domains[*c], codes[*c], f64::from((1_u32 << bits) - 1))
            } else {
                codes[*c] as usize
            }
        };
        let point: Vec<usize> = used.iter().map(coordinate).collect();
        let first_equal = (0..*row).find(|other| problem.encoded.row(*other) == codes).unwrap_or(*row);
        (index(&point, bits), first_equal, *row)
    };
    let mut rows: Vec<u32> = (0..problem.rows() as u32).collect();
    rows.sort_by_key(key);
    rows
}

fn cost(problem: &Problem, rows: &[u32]) -> f64 {
    problem.measure.cluster(&problem.cluster(rows).unwrap())
}

/// The best cuts of the line into groups of k to 2k - 1: for every end try every start.
fn cut(problem: &Problem, line: &[u32], k: usize) -> Vec<Vec<u32>> {
    let mut best: Vec<Option<(f64, Vec<Vec<u32>>)>> = vec![Some((0.0, Vec::new()))];
    for end in 1..=line.len() {
        let mut found: Option<(f64, Vec<Vec<u32>>)> = None;
        for size in k..(2 * k).min(end + 1) {
            let start = end - size;
            let Some((before, groups)) = &best[start] else { continue };
            let total = before + cost(problem, &line[start..end]);
            if found.as_ref().is_none_or(|(least, _)| total < *least) {
                let with = groups.iter().cloned().chain([line[start..end].to_vec()]).collect();
                found = Some((total, with));
            }
        }
        best.push(found);
    }
    best.pop().unwrap().unwrap().1
}

/// The least cost of all ways to cut the line into groups of at least `k`, by trying every set of cuts.
fn optimum(problem: &Problem, line: &[u32], k: usize) -> f64 {
    let cuts = line.len() - 1;
    let ways = (0_u32..1 << cuts).filter_map(|mask| {
        let mut groups: Vec<Vec<u32>> = vec![vec![line[0]]];
        for (i, row) in line[1..].iter().enumerate() {
            if mask >> i & 1 == 1 {
                groups.push(Vec::new());
            }
            groups.last_mut().unwrap().push(*row);
        }
        let allowed = groups.iter().all(|g| g.len() >= k);
        allowed.then(|| groups.iter().map(|g| cost(problem, g)).sum::<f64>())
    });
    ways.reduce(f64::min).unwrap()
}

#[test]
fn the_same_clusters_as_the_plain_way() {
    let mut runner = TestRunner::deterministic();
    for _ in 0..150 {
        let loaded = sketches(10..=60_usize).new_tree(&mut runner).unwrap().current().load();
        for (measure, k) in [("lm", 2), ("ncp", 5), ("am", 3), ("cm", 3), ("mi", 4), ("pmi", 2)] {
            let problem = loaded.problem(&Spec::new(measure), k).unwrap();
            for (spec, rescaled) in [("hilbert", true), ("hilbert(plain)", false)] {
                assert_eq!(run(&problem, spec), cut(&problem, &line(&problem, rescaled), k), "{spec}, {measure}, {k}");
            }
        }
    }
}

#[test]
fn no_way_to_cut_the_line_loses_less() {
    let mut runner = TestRunner::deterministic();
    for _ in 0..40 {
        let loaded = sketches(4..=13_usize).new_tree(&mut runner).unwrap().current().load();
        for (measure, k) in [("lm", 2), ("ncp", 3), ("entropy", 2), ("byun", 4)] {
            let problem = loaded.problem(&Spec::new(measure), k).unwrap();
            let line = line(&problem, true);
            let found: f64 = run(&problem, "hilbert").iter().map(|rows| cost(&problem, rows)).sum();
            let best = optimum(&problem, &line, k);
            assert!((found - best).abs() < 1e-9, "{measure}, k = {k}: {found} where {best} can be had");
        }
    }
}

/// Table 1 of Goldberger and Tassa: four records, each k/2 times. Along the curve of the plain values they stand in the
/// order R1 R2 R3 R4, so the clusters are (*, *, *, 0) and (*, *, *, 2), and 6k cells are suppressed. When all
/// attributes have the same range, R1 meets R3 and R2 meets R4, which suppresses 2k cells.
#[test]
fn the_example_of_the_paper() {
    let csv = "a,b,c,d\n0,0,0,0\n1,1,1,0\n0,0,0,2\n1,1,1,2\n0,0,0,0\n1,1,1,0\n0,0,0,2\n1,1,1,2\n";
    // The value 1 of d, which no record has, is in its domain.
    let column = |(name, order): (&str, &str)| {
        format!("{name} = {{ role = \"quasi\", kind = \"ordered\", order = [{order}] }}\n")
    };
    let two = "\"0\", \"1\"";
    let columns = [("a", two), ("b", two), ("c", two), ("d", "\"0\", \"1\", \"2\"")].map(column);
    let plan = format!("[privacy]\nk = 4\n[columns]\n{}", columns.concat());
    let problem = load(csv, &plan).problem(&Spec::new("lm"), 4).unwrap();
    let clusters = |spec| {
        let mut clusters = run(&problem, spec);
        clusters.iter_mut().for_each(|c| c.sort_unstable());
        clusters.sort();
        clusters
    };
    assert_eq!(clusters("hilbert(plain)"), [[0, 1, 4, 5], [2, 3, 6, 7]]);
    assert_eq!(clusters("hilbert"), [[0, 2, 4, 6], [1, 3, 5, 7]]);
}

#[test]
fn groups_grow_until_they_hold() {
    let plan = "[privacy]\nk = 2\n[columns]\nx = { role = \"quasi\", kind = \"range\" }\ns = { role = \"sensitive\" }";
    let groups = |values: &[u32]| {
        let csv: String = values.iter().map(|x| format!("{x},{x}\n")).collect();
        let loaded = load(&format!("x,s\n{csv}"), plan);
        run(&loaded.demanding(&Spec::new("lm"), 2, &["distinct-l(l=2)"]).unwrap(), "hilbert")
    };
    // 1 1 1 1 1 5 5 5 in a line: with two values in each group, only the group around the change holds.
    assert_eq!(groups(&[5, 1, 1, 5, 1, 1, 5, 1]), [[1, 2, 4, 5, 7, 0, 3, 6]]);
    // 1 1 1 2 2 3 3: {1 1 1 2} and {2 3 3}. The first is longer than 2k - 1, because no shorter one holds.
    assert_eq!(groups(&[1, 1, 1, 2, 2, 3, 3]), [vec![0, 1, 2, 3], vec![4, 5, 6]]);
}
