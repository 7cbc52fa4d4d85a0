//! A start for constraints on sensitive values: clusters grow in small neighbourhoods, and what finds no cluster there meets the residues
//! next door.
//!
//! The table is halved again and again where that lowers the loss most, whatever the sensitive values, down to neighbourhoods of
//! some hundred records. In each, clusters grow by the cheapest records that bring them nearer to holding. Records of
//! values that are too frequent there are left over. On the way back up, the residues of both halves grow clusters
//! together; those that are left in the end join clusters of the half or of the whole that still hold with them.
//!
//! Every record that joins late widens a cluster that was done. Where these are many, sensitive values lie too unevenly for small
//! neighbourhoods, and much larger ones are tried, too, as far as their square allows.

use std::sync::atomic::{AtomicUsize, Ordering};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::large_neighbourhood::grow;
use super::mending::mend;
use super::{Surrogate, top_down};
use crate::encode::Span;
use crate::error::Result;
use crate::problem::{Cluster, Partition, Problem};
use crate::progress::Progress;

/// Clusters grow in neighbourhoods of so many records at most.
const NEIGHBOURHOOD: usize = 1000;
/// Larger ones are tried where more than one in so many records joins late.
const LATE: usize = 50;
/// ... or where clusters have so many times the records that they need at least.
const GROWN: f64 = 1.3;
/// Their size times that of the table: what it takes to grow clusters in them.
const WORK: usize = 3_000_000_000;
/// Residues of so many records at most grow clusters, because that takes their number squared.
const RESIDUE: usize = 4000;
/// Residues join clusters of the same part of the table once that has so many records.
const PART: usize = 30_000;

/// The clusters. With `thorough`, larger neighbourhoods are tried where many records join late.
pub(crate) fn start(problem: &Problem, surrogate: &Surrogate, thorough: bool, progress: Progress) -> Result<Partition> {
    let small = NEIGHBOURHOOD.max(4 * problem.min_size());
    let (first, late) = attempt(problem, surrogate, small, progress)?;
    let large = (WORK / problem.rows().max(1)).min(problem.rows());
    // Clusters that had to grow much are as bad a sign.
    let mean = problem.rows() as f64 / first.len().max(1) as f64;
    let uneven = late * LATE > problem.rows() || mean > GROWN * problem.min_size() as f64;
    if !thorough || !uneven || large < 2 * small {
        return Ok(first);
    }
    let (second, _) = attempt(problem, surrogate, large, progress)?;
    Ok(if problem.loss(&second) < problem.loss(&first) { second } else { first })
}

/// The clusters, and how many records joined late.
fn attempt(
    problem: &Problem,
    surrogate: &Surrogate,
    neighbourhood: usize,
    progress: Progress,
) -> Result<(Partition, usize)> {
    progress.begin("partitioning", problem.rows() as u64)?;
    let rows: Vec<u32> = (0..problem.rows() as u32).collect();
    let search = Neighbourhoods { problem, surrogate, neighbourhood, late: AtomicUsize::new(0), progress };
    let (mut clusters, residue) = search.part(rows, 1)?;
    let rest = search.join(&mut clusters, residue)?;
    let late = search.late.load(Ordering::Relaxed) + rest.len();
    clusters.extend((!rest.is_empty()).then_some(rest));
    Ok((mend(problem, Partition::new(problem.rows(), clusters)?, progress)?, late))
}

struct Neighbourhoods<'a> {
    problem: &'a Problem,
    surrogate: &'a Surrogate<'a>,
    neighbourhood: usize,
    late: AtomicUsize,
    progress: Progress<'a>,
}

/// Clusters, and the records that are in none.
type Part = (Vec<Vec<u32>>, Vec<u32>);

impl Neighbourhoods<'_> {
    /// Clusters a part of the table; parts are numbered.
    fn part(&self, rows: Vec<u32>, number: u64) -> Result<Part> {
        let size = rows.len();
        let fits = size <= self.neighbourhood;
        let halves = if fits { None } else { top_down::halves(self.surrogate, &rows, self.neighbourhood / 8) };
        let Some((low, high)) = halves else {
            let part = self.grow(&rows, number)?;
            self.progress.advance(size as u64)?;
            return Ok(part);
        };
        drop(rows);
        let (low, high) = rayon::join(|| self.part(low, 2 * number), || self.part(high, 2 * number + 1));
        let ((mut clusters, mut residue), (more, others)) = (low?, high?);
        clusters.extend(more);
        residue.extend(others);
        if residue.len() <= RESIDUE.max(self.neighbourhood) {
            let (grown, rest) = self.grow(&residue, number)?;
            clusters.extend(grown);
            residue = rest;
        }
        if size >= PART {
            residue = self.join(&mut clusters, residue)?;
        }
        Ok((clusters, residue))
    }

    fn grow(&self, rows: &[u32], number: u64) -> Result<Part> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.problem.seed);
        rng.set_stream(number);
        grow(self.problem, self.surrogate, rows, &mut rng, self.progress)
    }

    /// Lets the residue join the clusters where it costs least, of those that hold with it. Gives the records for which there is none.
    fn join(&self, clusters: &mut [Vec<u32>], mut residue: Vec<u32>) -> Result<Vec<u32>> {
        let Neighbourhoods { problem, surrogate, progress, .. } = *self;
        let all = residue.len();
        residue.sort_unstable_by_key(|row| (problem.secret(*row), *row));
        let mut open = Open::new(problem, surrogate, clusters);
        let mut left = Vec::new();
        for alike in residue.chunk_by(|a, b| problem.secret(*a) == problem.secret(*b)) {
            progress.advance(0)?;
            open.prepare(problem, alike[0]);
            for row in alike {
                match open.cheapest(surrogate, *row) {
                    Some(cluster) => {
                        open.add(problem, surrogate, cluster, *row);
                        clusters[cluster].push(*row);
                    }
                    None => left.push(*row),
                }
            }
        }
        self.late.fetch_add(all - left.len(), Ordering::Relaxed);
        Ok(left)
    }
}

/// Clusters that records may join.
struct Open {
    states: Vec<Cluster>,
    /// Column by column, their spans.
    spans: Vec<Vec<Span>>,
    /// What each record pays.
    each: Vec<f32>,
    /// Whether they hold with one more record of the values that are looked at.
    accept: Vec<bool>,
    sums: Vec<f32>,
}

impl Open {
    fn new(problem: &Problem, surrogate: &Surrogate, clusters: &[Vec<u32>]) -> Self {
        let states: Vec<Cluster> = clusters.iter().filter_map(|rows| problem.cluster(rows)).collect();
        let column = |column: usize| states.iter().map(|state| state.closure()[column]).collect();
        Open {
            spans: (0..surrogate.columns()).map(column).collect(),
            each: states.iter().map(|state| surrogate.closure(state.closure())).collect(),
            accept: vec![false; states.len()],
            sums: Vec::new(),
            states,
        }
    }

    /// Looks for the clusters that hold with one more record of the sensitive values of `row`.
    fn prepare(&mut self, problem: &Problem, row: u32) {
        for (accept, state) in self.accept.iter_mut().zip(&mut self.states) {
            *accept = problem.lack_with(state, row) <= 0.0;
        }
    }

    fn cheapest(&mut self, surrogate: &Surrogate, row: u32) -> Option<usize> {
        self.sums.clear();
        self.sums.resize(self.states.len(), 0.0);
        for (column, code) in surrogate.encoded().row(row).iter().enumerate() {
            surrogate.add_joined(column, &self.spans[column], *code, &mut self.sums);
        }
        let mut best: Option<(f32, usize)> = None;
        for (cluster, sum) in self.sums.iter().enumerate().filter(|(cluster, _)| self.accept[*cluster]) {
            let size = self.states[cluster].size() as f32;
            let more = (size + 1.0) * sum - size * self.each[cluster];
            if best.is_none_or(|(least, _)| more < least) {
                best = Some((more, cluster));
            }
        }
        best.map(|(_, cluster)| cluster)
    }

    fn add(&mut self, problem: &Problem, surrogate: &Surrogate, cluster: usize, row: u32) {
        let state = &mut self.states[cluster];
        problem.add(state, row);
        self.each[cluster] = surrogate.closure(state.closure());
        for (spans, span) in self.spans.iter_mut().zip(state.closure()) {
            spans[cluster] = *span;
        }
        self.accept[cluster] = problem.lack_with(state, row) <= 0.0;
    }
}
