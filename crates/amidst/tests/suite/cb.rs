//! CB against the plain way to do it, with the same random draws.

use amidst::internals::encode::Code;
use amidst::internals::partition;
use amidst::internals::problem::{Cluster, Histogram, Problem};
use amidst::internals::registry::Spec;
use amidst::progress::Progress;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use crate::tables::{Sketch, Sort, load, sketches};

pub fn run(problem: &Problem, spec: &str) -> Vec<Vec<u32>> {
    let partition = partition::build(&Spec::new(spec)).unwrap().partition(problem, Progress::silent()).unwrap();
    let mut clusters: Vec<Vec<u32>> = partition.clusters().map(<[u32]>::to_vec).collect();
    clusters.sort();
    clusters
}

/// The algorithm as its description reads: every cost is that of a whole cluster, and nothing is remembered.
struct Plain<'a> {
    problem: &'a Problem,
    /// Of each column: true for numbers, dates and ordered categories.
    has_mean: Vec<bool>,
    k: usize,
    tries: u64,
    rounds: usize,
    /// Sides are compared by what they lose with a record, not by what it adds.
    by_penalty: bool,
}

/// A record that need not be in the table: the codes of its columns, and its sensitive value.
type Record = (Vec<Code>, Code);

impl Plain<'_> {
    fn loss(&self, rows: &[u32]) -> f64 {
        self.problem.measure.cluster(&self.problem.cluster(rows).unwrap())
    }

    fn record(&self, row: u32) -> Record {
        (self.problem.encoded.row(row).to_vec(), self.problem.encoded.sensitive()[0].row(row))
    }

    /// What sides that began with a made-up record and have these rows are compared by.
    fn growth(&self, (codes, value): &Record, rows: &[u32], row: u32) -> f64 {
        let closure = self.problem.encoded.domains().iter().zip(codes).map(|(d, c)| d.span(*c)).collect();
        let mut histogram = Histogram::default();
        histogram.add(*value, 1);
        let histograms =
            if self.problem.measure.uses_sensitive() || self.problem.guarded() { vec![histogram] } else { vec![] };
        let mut cluster = Cluster::new(1, closure, histograms);
        rows.iter().for_each(|row| self.problem.add(&mut cluster, *row));
        let before = if self.by_penalty { 0.0 } else { self.problem.measure.cluster(&cluster) };
        self.problem.add(&mut cluster, row);
        self.problem.measure.cluster(&cluster) - before
    }

    fn mean(&self, rows: &[u32]) -> Record {
        let records: Vec<Record> = rows.iter().map(|row| self.record(*row)).collect();
        let code = |column: usize| {
            let codes: Vec<Code> = records.iter().map(|(codes, _)| codes[column]).collect();
            if self.has_mean[column] { rounded_mean(&codes) } else { most_frequent(&codes) }
        };
        let values: Vec<Code> = records.iter().map(|(_, value)| *value).collect();
        ((0..self.has_mean.len()).map(code).collect(), most_frequent(&values))
    }

    /// Moves rows from `many` to `few` until there are k.
    fn borrow(&self, few: &mut Vec<u32>, many: &mut Vec<u32>) {
        while few.len() < self.k {
            let mut place = 0;
            if !few.is_empty() {
                let cost = |row: u32| self.loss(&[few.as_slice(), &[row]].concat()) - self.problem.measure.record(row);
                for other in 1..many.len() {
                    if cost(many[other]) < cost(many[place]) {
                        place = other;
                    }
                }
            }
            few.push(many.remove(place));
        }
    }

    fn attempt(&self, rows: &[u32], seed: u64, number: u64) -> [Vec<u32>; 2] {
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        rng.set_stream(number);
        let mut rows = rows.to_vec();
        rows.shuffle(&mut rng);
        let codes = |row: u32| self.problem.encoded.row(row);
        let other = rows.iter().copied().find(|row| codes(*row) != codes(rows[0])).unwrap_or(rows[1]);
        let mut centres = [self.record(rows[0]), self.record(other)];
        let mut sides = [Vec::new(), Vec::new()];
        for round in 0..self.rounds {
            if round > 0 {
                if sides.iter().any(Vec::is_empty) {
                    break;
                }
                centres = sides.each_ref().map(|side| self.mean(side));
            }
            sides = [Vec::new(), Vec::new()];
            for row in &rows {
                let [a, b] = [0, 1].map(|i| self.growth(&centres[i], &sides[i], *row));
                let smaller = sides[1].len() < sides[0].len();
                let to_second = a.partial_cmp(&b).map_or(smaller, |order| order.is_gt() || order.is_eq() && smaller);
                sides[usize::from(to_second)].push(*row);
            }
        }
        let [mut a, mut b] = sides;
        self.borrow(&mut a, &mut b);
        self.borrow(&mut b, &mut a);
        [a, b]
    }

    fn split(&self, mut rows: Vec<u32>, seed: u64, done: &mut Vec<Vec<u32>>) {
        rows.sort_unstable();
        let mut best: Option<(f64, [Vec<u32>; 2])> = None;
        if rows.len() >= 2 * self.k {
            for number in 0..self.tries {
                let sides = self.attempt(&rows, seed, number);
                if !sides.iter().all(|side| self.problem.hold(side)) {
                    continue;
                }
                let loss = self.loss(&sides[0]) + self.loss(&sides[1]);
                if best.as_ref().is_none_or(|(least, _)| loss < *least) {
                    best = Some((loss, sides));
                }
            }
        }
        let before = self.loss(&rows);
        match best {
            Some((after, [a, b])) if after <= before + 1e-12 * before.abs() => {
                self.split(a, mixed(seed, 1), done);
                self.split(b, mixed(seed, 2), done);
            }
            _ => done.extend(self.deal(rows)),
        }
    }

    /// Section 4: ordered by sensitive value, to g parts in turn, with the largest g for which all hold.
    fn deal(&self, mut rows: Vec<u32>) -> Vec<Vec<u32>> {
        let before = self.loss(&rows);
        rows.sort_by_key(|row| self.problem.secret(*row));
        let mut best = vec![rows.clone()];
        for g in 2..=rows.len() / self.k {
            let mut parts = vec![Vec::new(); g];
            rows.iter().enumerate().for_each(|(place, row)| parts[place % g].push(*row));
            if self.problem.guarded() && parts.iter().all(|part| self.problem.hold(part)) {
                best = parts;
            }
        }
        if best.iter().map(|part| self.loss(part)).sum::<f64>() > before + 1e-12 * before.abs() {
            best = vec![rows];
        }
        best.iter_mut().for_each(|part| part.sort_unstable());
        best
    }
}

fn rounded_mean(codes: &[Code]) -> Code {
    let sum: u32 = codes.iter().sum();
    (f64::from(sum) / codes.len() as f64).round() as Code
}

fn most_frequent(codes: &[Code]) -> Code {
    let times = |code: Code| codes.iter().filter(|c| **c == code).count();
    let most = codes.iter().map(|c| times(*c)).max().unwrap();
    codes.iter().copied().filter(|c| times(*c) == most).min().unwrap()
}

/// One step of splitmix64.
pub fn mixed(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn plain(
    sketch: &Sketch,
    problem: &Problem,
    k: usize,
    (tries, rounds): (u64, usize),
    by_penalty: bool,
) -> Vec<Vec<u32>> {
    let ordered = |sort: &Sort| matches!(sort, Sort::Integer | Sort::Decimal | Sort::Date | Sort::Ordered(_));
    let has_mean = sketch.columns.iter().map(|c| ordered(&c.sort)).collect();
    let mut done = Vec::new();
    let all = (0..problem.rows() as u32).collect();
    Plain { problem, has_mean, k, tries, rounds, by_penalty }.split(all, problem.seed, &mut done);
    done.sort();
    done
}

#[test]
fn the_same_clusters_as_the_plain_way() {
    let mut runner = TestRunner::deterministic();
    for _ in 0..60 {
        let sketch = sketches(6..=40_usize).new_tree(&mut runner).unwrap().current();
        let loaded = sketch.load();
        for (measure, k) in [("lm", 2), ("ncp", 3), ("am", 2), ("dm", 2), ("cm", 3), ("mi", 3), ("pmi", 2)] {
            let problem = loaded.problem(&Spec::new(measure), k).unwrap();
            for (tries, rounds, compare) in
                [(4, 2, "increase"), (2, 1, "penalty"), (3, 5, "increase"), (3, 2, "penalty")]
            {
                let spec = format!("cb(tries={tries}, rounds={rounds}, compare={compare})");
                let expected = plain(&sketch, &problem, k, (tries, rounds), compare == "penalty");
                assert_eq!(run(&problem, &spec), expected, "{spec} with {measure}, k = {k}: {sketch:?}");
            }
        }
    }
}

#[test]
fn the_same_clusters_as_the_plain_way_where_sensitive_values_matter() {
    let mut runner = TestRunner::deterministic();
    for _ in 0..40 {
        let sketch = sketches(6..=40_usize).new_tree(&mut runner).unwrap().current();
        let loaded = sketch.load();
        for (measure, k, demand) in [
            ("lm", 2, "frequency-l(l=2)"),
            ("ncp", 3, "frequency-l(l=1.5)"),
            ("am", 2, "distinct-l(l=2)"),
            ("dm", 2, "entropy-l(l=2)"),
            ("mi", 4, "t-closeness(t=0.2)"),
            ("pmi", 2, "delta-disclosure(delta=0.7)"),
        ] {
            let Ok(problem) = loaded.demanding(&Spec::new(measure), k, &[demand]) else { continue };
            let found = run(&problem, "cb(tries=3, rounds=2)");
            let expected = plain(&sketch, &problem, problem.min_size(), (3, 2), false);
            assert_eq!(found, expected, "{measure}, k = {k}, {demand}: {sketch:?}");
        }
    }
}

#[test]
fn a_group_that_cannot_be_split_is_dealt_out() {
    // The two heaps have one value each, so no split holds. By value: 0 1 2 | 3 4 5; in turn: 0 3, 1 4, 2 5.
    let columns = "x = { role = \"quasi\", kind = \"range\" }\ns = { role = \"sensitive\" }";
    let loaded = load("x,s\n1,a\n2,a\n3,a\n91,b\n92,b\n93,b\n", &format!("[privacy]\nk = 2\n[columns]\n{columns}"));
    let problem = loaded.demanding(&Spec::new("dm"), 2, &["frequency-l(l=2)"]).unwrap();
    let found = run(&problem, "cb(tries=1, rounds=1)");
    assert!(found.iter().all(|rows| rows.len() == 2 && rows[0] < 3 && rows[1] >= 3), "{found:?}");
}

#[test]
fn two_heaps_are_told_apart() {
    // From centres in different heaps every record stays in its heap, and some of the 15 tries begin so.
    let plan = "[privacy]\nk = 3\n[columns]\nx = { role = \"quasi\", kind = \"range\" }";
    let problem = load("x\n1\n90\n2\n91\n3\n92\n", plan).problem(&Spec::new("lm"), 3).unwrap();
    assert_eq!(run(&problem, "cb"), [[0, 2, 4], [1, 3, 5]]);
}

#[test]
fn groups_end_below_two_clusters_worth() {
    // LM never grows when a group is split, so every group of 2k records or more is.
    let mut runner = TestRunner::deterministic();
    for _ in 0..30 {
        let loaded = sketches(20..=60_usize).new_tree(&mut runner).unwrap().current().load();
        let problem = loaded.problem(&Spec::new("lm"), 4).unwrap();
        assert!(run(&problem, "cb").iter().all(|cluster| (4..8).contains(&cluster.len())));
    }
}

#[test]
fn a_side_that_is_too_small_borrows() {
    // The best there is: 1 and 2, and 100 with the 3 that is nearest. Where 100 is a centre it stands alone at first.
    let plan = "[privacy]\nk = 2\n[columns]\nx = { role = \"quasi\", kind = \"range\" }";
    let problem = load("x\n2\n100\n1\n3\n", plan).problem(&Spec::new("lm"), 2).unwrap();
    assert_eq!(run(&problem, "cb"), [[0, 2], [1, 3]]);
}
