//! A start for constraints on sensitive values: clusters grow in small neighbourhoods, and residues meet
//! those of other neighbourhoods.
//!
//! The table is halved again and again where that lowers the loss most, whatever the sensitive values, down
//! to neighbourhoods of some hundred records. In each of them, clusters grow by the cheapest records that
//! bring them closer to satisfying the constraints. Records of values that are too frequent there are left
//! over. On the way back up, the residues of both halves grow clusters together. Those that remain at the
//! end join clusters of their half, or of the whole table, that still satisfy the constraints with them.
//!
//! Every record that joins late widens a finished cluster. If many do, the sensitive values are spread too
//! unevenly for small neighbourhoods. Then much larger ones are tried as well, as far as their quadratic
//! time allows.

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

/// The largest number of records of a neighbourhood.
const MAX_NEIGHBOURHOOD: usize = 1000;
/// Larger neighbourhoods are tried if more than one in this many records joins late,
const RECORDS_PER_LATE_RECORD: usize = 50;
/// or if the mean size of clusters is more than this multiple of the least size.
const MAX_MEAN_GROWTH: f64 = 1.3;
/// The largest product of the sizes of a larger neighbourhood and the table. Growing clusters takes that many steps.
const MAX_GROWTH_STEPS: usize = 3_000_000_000;
/// The largest number of residues that grow clusters, because that takes the square of their number.
const MAX_GROWING_RESIDUES: usize = 4000;
/// The largest number of records that constraints cannot tell apart for which not all clusters are asked first.
const MAX_FEW_ALIKE: usize = 4;
/// The number of clusters that are asked first whether a record may join.
const FIRST_ASKED: usize = 16;
/// Residues join clusters of their part of the table once it has this many records.
const MIN_PART_TO_JOIN: usize = 30_000;

/// Makes the start. With `thorough`, larger neighbourhoods are tried if many records join late.
pub(crate) fn start(problem: &Problem, surrogate: &Surrogate, thorough: bool, progress: Progress) -> Result<Partition> {
    let small = MAX_NEIGHBOURHOOD.max(4 * problem.min_size());
    let (first, late) = attempt(problem, surrogate, small, progress)?;
    let large = (MAX_GROWTH_STEPS / problem.rows().max(1)).min(problem.rows());
    // Clusters that are much larger than needed are as bad a sign as late records. Persons count, because clusters of several records a
    // person have more records than they need.
    let mean = problem.members(&first) as f64 / first.len().max(1) as f64;
    let grown = mean > MAX_MEAN_GROWTH * problem.min_size() as f64;
    let uneven = late * RECORDS_PER_LATE_RECORD > problem.rows() || grown;
    if !thorough || !uneven || large < 2 * small {
        return Ok(first);
    }
    let (second, _) = attempt(problem, surrogate, large, progress)?;
    Ok(if problem.loss(&second) < problem.loss(&first) { second } else { first })
}

/// The clusters, and the number of records that joined late.
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

/// The state of one attempt.
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
    /// Clusters a part of the table. The numbers of the parts select their random streams.
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
        if residue.len() <= MAX_GROWING_RESIDUES.max(self.neighbourhood) {
            let (grown, rest) = self.grow(&residue, number)?;
            clusters.extend(grown);
            residue = rest;
        }
        if size >= MIN_PART_TO_JOIN {
            residue = self.join(&mut clusters, residue)?;
        }
        Ok((clusters, residue))
    }

    fn grow(&self, rows: &[u32], number: u64) -> Result<Part> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.problem.seed);
        rng.set_stream(number);
        grow(self.problem, self.surrogate, rows, &mut rng, self.progress)
    }

    /// Adds each record of the residue to the cluster where it costs least, among those that satisfy the
    /// constraints with it. Returns the records without such a cluster.
    fn join(&self, clusters: &mut [Vec<u32>], mut residue: Vec<u32>) -> Result<Vec<u32>> {
        let Neighbourhoods { problem, surrogate, progress, .. } = *self;
        let all = residue.len();
        residue.sort_unstable_by_key(|row| (problem.secret(*row), *row));
        let mut open = Open::new(problem, surrogate, clusters);
        let mut left = Vec::new();
        for alike in residue.chunk_by(|a, b| problem.secret(*a) == problem.secret(*b)) {
            progress.advance(0)?;
            // To ask every cluster pays for many records. A few ask those where they would cost least.
            let few = alike.len() <= MAX_FEW_ALIKE;
            if !few {
                open.prepare(problem, alike[0]);
            }
            for (place, row) in alike.iter().enumerate() {
                let cheapest = if few { open.first(problem, surrogate, *row) } else { open.cheapest(surrogate, *row) };
                match cheapest {
                    Some(cluster) => {
                        open.add(problem, surrogate, cluster, *row);
                        clusters[cluster].push(*row);
                        if let Some(next) = alike.get(place + 1).filter(|_| !few) {
                            open.ask(problem, cluster, *next);
                        }
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
    /// The spans of the clusters, column by column.
    spans: Vec<Vec<Span>>,
    /// What each record of a cluster pays.
    each: Vec<f32>,
    /// Whether a cluster satisfies the constraints with one more record of the values that
    /// [`prepare`](Self::prepare) was called for.
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

    /// Finds the clusters that satisfy the constraints with one more record of the sensitive values of
    /// `row`.
    fn prepare(&mut self, problem: &Problem, row: u32) {
        (0..self.states.len()).for_each(|cluster| self.ask(problem, cluster, row));
    }

    /// Finds out whether a cluster satisfies the constraints with one more record, which it does not have yet.
    fn ask(&mut self, problem: &Problem, cluster: usize, row: u32) {
        self.accept[cluster] = problem.lack_with(&mut self.states[cluster], row) <= 0.0;
    }

    /// What each cluster would pay more with a record.
    fn costs(&mut self, surrogate: &Surrogate, row: u32) -> impl Iterator<Item = (f32, usize)> {
        self.sums.clear();
        self.sums.resize(self.states.len(), 0.0);
        for (column, code) in surrogate.encoded().row(row).iter().enumerate() {
            surrogate.add_joined(column, &self.spans[column], *code, &mut self.sums);
        }
        let Open { states, each, sums, .. } = self;
        sums.iter().zip(states).zip(each).enumerate().map(|(cluster, ((sum, state), each))| {
            let size = state.size() as f32;
            ((size + 1.0) * *sum - size * *each, cluster)
        })
    }

    /// The cluster where a record costs least, among those that [`prepare`](Self::prepare) found.
    fn cheapest(&mut self, surrogate: &Surrogate, row: u32) -> Option<usize> {
        let accept = std::mem::take(&mut self.accept);
        let costs = self.costs(surrogate, row).filter(|(_, cluster)| accept[*cluster]);
        let best = costs.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.accept = accept;
        best.map(|(_, cluster)| cluster)
    }

    /// The cluster where a record costs least, among those that satisfy the constraints with it.
    fn first(&mut self, problem: &Problem, surrogate: &Surrogate, row: u32) -> Option<usize> {
        let mut costs: Vec<(f32, usize)> = self.costs(surrogate, row).collect();
        let mut asked = 0;
        let mut next = FIRST_ASKED;
        while asked < costs.len() {
            let end = (asked + next).min(costs.len());
            let rest = &mut costs[asked..];
            if end < asked + rest.len() {
                rest.select_nth_unstable_by(end - asked, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            }
            let tried = &mut rest[..end - asked];
            tried.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let holds = |(_, cluster): &&(f32, usize)| problem.lack_with(&mut self.states[*cluster], row) <= 0.0;
            if let Some((_, cluster)) = tried.iter().find(holds) {
                return Some(*cluster);
            }
            (asked, next) = (end, next * 8);
        }
        None
    }

    fn add(&mut self, problem: &Problem, surrogate: &Surrogate, cluster: usize, row: u32) {
        let state = &mut self.states[cluster];
        problem.add(state, row);
        self.each[cluster] = surrogate.closure(state.closure());
        for (spans, span) in self.spans.iter_mut().zip(state.closure()) {
            spans[cluster] = *span;
        }
    }
}
