//! The algorithms that grow one cluster after the other, against plain versions of themselves: no kinds, no tables, no
//! threads, every loss asked of the measure.

use std::cmp::Ordering;

use amidst::internals::problem::{Cluster, Partition, Problem};
use amidst::internals::registry::Spec;
use amidst::internals::{cost, partition};
use amidst::progress::Progress;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use crate::tables::{load, sketches, specs};

type Algorithm = fn(&Problem) -> Partition;

/// The records in no cluster yet.
struct Plain<'a> {
    problem: &'a Problem,
    free: Vec<u32>,
    clusters: Vec<Vec<u32>>,
    leftovers: Vec<u32>,
}

impl<'a> Plain<'a> {
    fn new(problem: &'a Problem) -> Self {
        let free = (0..problem.rows() as u32).collect();
        Plain { problem, free, clusters: Vec::new(), leftovers: Vec::new() }
    }

    fn state(&self, rows: &[u32]) -> Cluster {
        self.problem.cluster(rows).unwrap()
    }

    /// What a set of records costs, less what the last of them brings to any cluster.
    fn cost(&self, rows: &[u32]) -> f64 {
        let measure = &self.problem.measure;
        measure.cluster(&self.state(rows)) - measure.record(*rows.last().unwrap())
    }

    /// The first row that the measure cannot tell from this one. Of equal candidates that comes first whose kind does.
    fn kind(&self, row: u32) -> u32 {
        let encoded = &self.problem.encoded;
        let sees = self.problem.measure.uses_sensitive();
        let same = |other: u32| {
            let secret = |r: u32| encoded.sensitive().iter().map(|s| s.row(r)).collect::<Vec<_>>();
            encoded.row(other) == encoded.row(row) && (!sees || secret(other) == secret(row))
        };
        (0..=row).find(|other| same(*other)).unwrap()
    }

    /// The free row with the least value, the first of equals.
    fn least(&self, value: impl Fn(u32) -> f64) -> u32 {
        let key = |row: &u32| (value(*row), self.kind(*row), *row);
        let order = |a: &u32, b: &u32| {
            let (a, b) = (key(a), key(b));
            a.0.partial_cmp(&b.0).unwrap().then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2))
        };
        self.free.iter().copied().min_by(order).unwrap()
    }

    fn take(&mut self, row: u32) -> u32 {
        self.free.retain(|r| *r != row);
        row
    }

    /// The free row at a place, when rows stand by kind.
    fn random(&self, rng: &mut ChaCha12Rng) -> u32 {
        let mut by_kind = self.free.clone();
        by_kind.sort_by_key(|row| (self.kind(*row), *row));
        by_kind[rng.random_range(0..by_kind.len())]
    }

    /// The first free row that the measure cannot tell from this one.
    fn first_of_kind(&self, row: u32) -> u32 {
        let kind = self.kind(row);
        *self.free.iter().find(|row| self.kind(**row) == kind).unwrap()
    }

    fn cheapest(&self, rows: &[u32]) -> u32 {
        self.least(|row| self.cost(&[rows, &[row]].concat()))
    }

    /// Grows a cluster until it holds.
    fn grow(&mut self, seed: u32) {
        let mut rows = vec![self.take(seed)];
        while !self.problem.holds(&self.state(&rows)) && !self.free.is_empty() {
            let next = self.cheapest(&rows);
            rows.push(self.take(next));
        }
        self.keep(rows);
    }

    fn keep(&mut self, rows: Vec<u32>) {
        if self.problem.holds(&self.state(&rows)) {
            self.clusters.push(rows);
        } else {
            self.leftovers.extend(rows);
        }
    }

    /// Hands the rest to the clusters where they cost least.
    fn finish(mut self) -> Partition {
        let mut rest = std::mem::take(&mut self.free);
        rest.sort_by_key(|row| (self.kind(*row), *row));
        self.leftovers.append(&mut rest);
        if self.clusters.is_empty() {
            self.clusters.push(std::mem::take(&mut self.leftovers));
        }
        for row in std::mem::take(&mut self.leftovers) {
            let measure = &self.problem.measure;
            let more = |rows: &Vec<u32>| {
                let with = self.state(&[rows.as_slice(), &[row]].concat());
                measure.cluster(&with) - measure.cluster(&self.state(rows))
            };
            let nearest = (0..self.clusters.len())
                .min_by(|a, b| more(&self.clusters[*a]).partial_cmp(&more(&self.clusters[*b])).unwrap());
            self.clusters[nearest.unwrap()].push(row);
        }
        Partition::new(self.problem.rows(), &self.clusters).unwrap()
    }
}

fn k_member(problem: &Problem) -> Partition {
    let mut plain = Plain::new(problem);
    let mut rng = ChaCha12Rng::seed_from_u64(problem.seed);
    let mut last = plain.kind(plain.random(&mut rng));
    while plain.free.len() >= problem.min_size() {
        let seed = plain.least(|row| -plain.cost(&[last, row]));
        plain.grow(seed);
        last = seed;
    }
    plain.finish()
}

fn k_member_from_random_seeds(problem: &Problem) -> Partition {
    let mut plain = Plain::new(problem);
    let mut rng = ChaCha12Rng::seed_from_u64(problem.seed);
    // The record that `furthest` would begin with; here it is drawn and not used.
    plain.random(&mut rng);
    while plain.free.len() >= problem.min_size() {
        let seed = plain.first_of_kind(plain.random(&mut rng));
        plain.grow(seed);
    }
    plain.finish()
}

/// The distances of a row to all others, nearest first.
fn near(plain: &Plain, row: u32) -> Vec<(f64, u32)> {
    let own = plain.problem.measure.record(row);
    let others = (0..plain.problem.rows() as u32).filter(|r| *r != row);
    let mut near: Vec<(f64, u32)> = others.map(|r| (plain.cost(&[row, r]) - own, r)).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0).then(plain.kind(a.1).cmp(&plain.kind(b.1))));
    near
}

fn dbkc(problem: &Problem) -> Partition {
    let mut plain = Plain::new(problem);
    let k = problem.min_size();
    let density = |row: u32| {
        let near = near(&plain, row);
        let nearest = &near[..k.min(near.len())];
        // Equal ones are added up at once, so that the last place of the sum is not a matter of chance.
        let kinds = nearest.chunk_by(|a, b| plain.kind(a.1) == plain.kind(b.1));
        let mean = kinds.map(|n| n[0].0 * n.len() as f64).fold(0.0, |a, b| a + b) / nearest.len().max(1) as f64;
        let alike = near.iter().filter(|n| plain.kind(n.1) == plain.kind(row)).count() + 1;
        let next =
            near.iter().filter(|n| plain.kind(n.1) != plain.kind(row)).map(|n| n.0).fold(f64::INFINITY, f64::min);
        (mean, alike, next)
    };
    let mut order: Vec<(u32, (f64, usize, f64))> = plain.free.iter().map(|row| (*row, density(*row))).collect();
    order.sort_by(|(i, a), (j, b)| {
        let mean = a.0.total_cmp(&b.0);
        let infinite = if a.0 <= 0.0 && b.0 <= 0.0 { b.1.cmp(&a.1).then(a.2.total_cmp(&b.2)) } else { Ordering::Equal };
        mean.then(infinite).then(plain.kind(*i).cmp(&plain.kind(*j))).then(i.cmp(j))
    });
    let mut neighbours: Vec<u32> = Vec::new();
    while plain.free.len() >= k {
        let free = || order.iter().map(|(row, _)| *row).filter(|row| plain.free.contains(row));
        let centre = free().find(|row| !neighbours.contains(row)).or_else(|| free().next()).unwrap();
        let near = near(&plain, centre);
        let furthest = near.get(k - 1).or(near.last()).map_or(0.0, |n| n.0);
        neighbours = near.iter().filter(|n| n.0 <= furthest).map(|n| n.1).chain([centre]).collect();
        plain.grow(centre);
    }
    plain.finish()
}

fn greedy(problem: &Problem) -> Partition {
    let mut plain = Plain::new(problem);
    let mut rng = ChaCha12Rng::seed_from_u64(problem.seed);
    let loss = |plain: &Plain, rows: &[u32]| {
        let own: f64 = rows.iter().map(|row| problem.measure.record(*row)).sum();
        (problem.measure.cluster(&plain.state(rows)) - own) / rows.len() as f64
    };
    let whole = problem.measure.cluster(&plain.state(&plain.free)) - problem.measure.records(problem.rows());
    let most = 0.1 * (whole / problem.rows() as f64);
    while !plain.free.is_empty() {
        let seed = plain.first_of_kind(plain.random(&mut rng));
        let mut rows = vec![plain.take(seed)];
        while !plain.free.is_empty() {
            let next = plain.cheapest(&rows);
            if loss(&plain, &[rows.as_slice(), &[next]].concat()) > most {
                break;
            }
            rows.push(plain.take(next));
        }
        plain.keep(rows);
    }
    plain.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn growing_clusters_fast_gives_what_growing_them_plainly_does(sketch in sketches(4..=24_usize), k in 2..4_usize) {
        let loaded = sketch.load();
        for measure in specs(cost::ALL) {
            let problem = loaded.problem(&measure, k).unwrap();
            let plain: [(&str, Algorithm); 4] = [
                ("k-member", k_member),
                ("k-member(seeds=random)", k_member_from_random_seeds),
                ("greedy", greedy),
                ("dbkc", dbkc),
            ];
            for (name, reference) in plain {
                let partitioner = partition::build(&name.parse().unwrap()).unwrap();
                let found = partitioner.partition(&problem, Progress::silent()).unwrap();
                prop_assert_eq!(&found, &reference(&problem), "{} by {}", name, measure);
            }
        }
    }
}

#[test]
fn greedy_deletes_the_smallest_clusters_that_may_be_left_out() {
    // A tenth of the range is the most, so there are three 0, one 50 and two 100 alone; k = 3.
    let plan = "[privacy]\nk = 3\n[columns]\nx = { role = \"quasi\", kind = \"range\" }";
    let problem = load("x\n0\n0\n0\n50\n100\n100\n", plan).problem(&Spec::new("lm"), 3).unwrap();
    let greedy = partition::build(&Spec::new("greedy(small=delete)")).unwrap();
    assert!(greedy.suppresses());
    for (most, deleted, handed_on) in
        [(0, vec![], vec![3, 4, 5]), (1, vec![3], vec![4, 5]), (2, vec![3], vec![4, 5]), (3, vec![3, 4, 5], vec![])]
    {
        let partition = greedy.suppressing(&problem, most, Progress::silent()).unwrap();
        assert_eq!(partition.suppressed(), deleted, "{most}");
        let rows: Vec<u32> = partition.clusters().flatten().copied().collect();
        assert_eq!(partition.len(), 1);
        assert!(handed_on.iter().all(|row| rows.contains(row)));
        assert_eq!(partition.remarks().is_empty(), most == 0 || handed_on.is_empty());
    }
    // Where no cluster holds nothing can be deleted: the table is one cluster.
    let problem = load("x\n0\n50\n100\n", plan).problem(&Spec::new("lm"), 3).unwrap();
    assert_eq!(greedy.suppressing(&problem, 3, Progress::silent()).unwrap().len(), 1);
}
