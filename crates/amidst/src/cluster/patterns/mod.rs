//! The staged search for patterns, for the algorithm patterns in [`partition`](crate::partition).

mod grid;
mod walk;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use self::grid::{Codes, Grid};
use self::walk::Found;
use super::joining::Clusters;
use super::{Surrogate, mending, top_down};
use crate::encode::Span;
use crate::error::Result;
use crate::problem::{Cluster, Partition, Problem};
use crate::progress::Progress;

/// The cap of the first stage above zero, as a share of the cost of suppressing everything.
const FIRST_CAP_SHARE: f32 = 0.005;
/// The factor between the caps of two stages.
const CAP_GROWTH: f32 = 1.15;
/// The least number of clusters that a thread compares.
const MIN_CLUSTERS_PER_THREAD: usize = 2000;
/// The largest number of records, for each record of the table, that a quick start looks at to drop some of them.
const MAX_TRIMMED_PER_RECORD: usize = 50;
/// The largest number of steps in a stage for each free record. A step looks at one record.
const MAX_STEPS_PER_RECORD: usize = 4000;

/// The clusters of the staged search.
pub(crate) fn start(problem: &Problem, surrogate: &Surrogate, progress: Progress) -> Result<Partition> {
    let clusters = search(problem, surrogate, usize::MAX, progress)?;
    clusters.map_or_else(|| Partition::new(problem.rows(), [[]; 0]), Ok)
}

/// The same, unless constraints on sensitive values make so much work that another start is better.
pub(crate) fn quick_start(problem: &Problem, surrogate: &Surrogate, progress: Progress) -> Result<Option<Partition>> {
    search(problem, surrogate, MAX_TRIMMED_PER_RECORD * problem.rows(), progress)
}

/// The clusters of the staged search; `None` if it had to drop records from patterns more than `most` times.
fn search(
    problem: &Problem,
    surrogate: &Surrogate,
    most_trimmed: usize,
    progress: Progress,
) -> Result<Option<Partition>> {
    progress.begin("partitioning", problem.rows() as u64)?;
    let encoded = &problem.encoded;
    let mut rng = ChaCha8Rng::seed_from_u64(problem.seed);
    let codes = Codes::new(encoded);
    let mut free = Free::new(problem);
    let mut clusters: Vec<Vec<u32>> = Vec::new();
    let most: f32 = encoded.domains().iter().enumerate().map(|(c, d)| surrogate.cost(c, d.everything())).sum();
    let mut cap = 0.0;
    loop {
        let weights = free.tuples.iter().map(|t| free.weights[*t as usize]).collect();
        let grid = Grid::new(surrogate, &codes, &free.tuples, weights, problem.min_size() as u32, &mut rng);
        let steps = MAX_STEPS_PER_RECORD * (free.tuples.len() + 1000);
        let Found { mut patterns, members, next, complete } = walk::search(&grid, cap, steps, progress)?;
        // Of equally cheap patterns the smaller comes first, because the larger may still find enough
        // records.
        patterns.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.members.len().cmp(&b.members.len())));
        for pattern in &patterns {
            let matching = members[pattern.members.clone()].iter().map(|item| grid.tuple(*item));
            if let Some(rows) = free.open(problem, matching) {
                progress.advance(rows.len() as u64)?;
                clusters.push(rows);
            }
        }
        if free.trimmed > most_trimmed {
            return Ok(None);
        }
        free.tuples.retain(|t| free.weights[*t as usize] > 0);
        let left: usize = free.tuples.iter().map(|t| free.weights[*t as usize] as usize).sum();
        if !complete || left < problem.min_size() || cap >= most {
            break;
        }
        cap = (cap * CAP_GROWTH).max(most * FIRST_CAP_SHARE).max(next * (1.0 + f32::EPSILON)).min(most);
    }
    let rest: Vec<u32> = free.tuples.iter().flat_map(|t| free.rows_of(problem, *t)).collect();
    let (held, loose): (Vec<_>, Vec<_>) =
        top_down::split(problem, surrogate, rest, 0, progress)?.into_iter().partition(|rows| problem.hold(rows));
    clusters.extend(held);
    let left = loose.concat();
    if left.is_empty() {
        return Partition::new(problem.rows(), clusters).map(Some);
    }
    if surrogate.exact() && !problem.values_count() && !clusters.is_empty() {
        join(surrogate, &mut clusters, &left);
        return Partition::new(problem.rows(), clusters).map(Some);
    }
    let mut states = Clusters::default();
    for rows in clusters {
        if let Some(cluster) = problem.cluster(&rows) {
            states.push(cluster, rows);
        }
    }
    states.place(problem, left);
    mending::mend(problem, states.finish(problem)?, progress).map(Some)
}

/// Puts each remaining row into the cluster where it costs least by the surrogate.
fn join(surrogate: &Surrogate, clusters: &mut [Vec<u32>], left: &[u32]) {
    let encoded = surrogate.encoded();
    let joined = |column: usize, span: Span, row: u32| {
        let domain = surrogate.domain(column);
        domain.join(span, domain.span(encoded.row(row)[column]))
    };
    let closure = |rows: &Vec<u32>| -> Vec<Span> {
        let first = |c: usize| surrogate.domain(c).span(encoded.row(rows[0])[c]);
        (0..surrogate.columns()).map(|c| rows.iter().fold(first(c), |span, row| joined(c, span, *row))).collect()
    };
    let mut closures: Vec<Vec<Span>> = clusters.iter().map(closure).collect();
    let mut each: Vec<f32> = closures.iter().map(|spans| surrogate.closure(spans)).collect();
    for row in left {
        let more = |cluster: usize| {
            let spans = closures[cluster].iter().enumerate();
            let with: f32 = spans.map(|(c, span)| surrogate.joined(c, *span, encoded.row(*row)[c])).sum();
            let size = clusters[cluster].len() as f32;
            (with * (size + 1.0) - each[cluster] * size, cluster)
        };
        let nearest = (0..clusters.len()).into_par_iter().with_min_len(MIN_CLUSTERS_PER_THREAD).map(more);
        let nearest = nearest.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let Some((_, nearest)) = nearest else { return };
        clusters[nearest].push(*row);
        closures[nearest].iter_mut().enumerate().for_each(|(c, span)| *span = joined(c, *span, *row));
        each[nearest] = surrogate.closure(&closures[nearest]);
    }
}

/// The records that are in no cluster yet.
struct Free {
    /// The distinct tuples that had free rows at the beginning of the stage.
    tuples: Vec<u32>,
    /// The number of free rows of each distinct tuple.
    weights: Vec<u32>,
    /// Whether each row is in a cluster. Used if constraints may separate equal rows.
    taken: Vec<bool>,
    /// The size and the sensitive values of all free rows, if constraints look at sensitive values.
    state: Cluster,
    /// The number of records of all patterns that did not satisfy the constraints as they were.
    trimmed: usize,
}

impl Free {
    fn new(problem: &Problem) -> Self {
        let tuples = 0..problem.encoded.tuples() as u32;
        let all: Vec<u32> = (0..problem.rows() as u32).collect();
        Free {
            weights: tuples.clone().map(|t| problem.encoded.rows_of(t).len() as u32).collect(),
            tuples: tuples.collect(),
            taken: vec![false; problem.rows()],
            trimmed: 0,
            state: problem.outline(if problem.values_count() { &all } else { &[] }),
        }
    }

    fn rows_of(&self, problem: &Problem, tuple: u32) -> impl Iterator<Item = u32> {
        problem.encoded.rows_of(tuple).iter().copied().filter(|row| !self.taken[*row as usize])
    }

    /// Takes the free rows of these tuples, or a part of them, as a cluster that satisfies the constraints.
    /// `None` if there is none, or if the remaining rows could no longer satisfy them.
    fn open(&mut self, problem: &Problem, tuples: impl Iterator<Item = u32> + Clone) -> Option<Vec<u32>> {
        let size: usize = tuples.clone().map(|t| self.weights[t as usize] as usize).sum();
        if size < problem.min_size() {
            return None;
        }
        if !problem.guarded() {
            // Equal records stay together, so either all rows of a tuple are free or none.
            let mut rows = Vec::with_capacity(size);
            for t in tuples {
                if std::mem::take(&mut self.weights[t as usize]) > 0 {
                    rows.extend_from_slice(problem.encoded.rows_of(t));
                }
            }
            return Some(rows);
        }
        let mut rows: Vec<u32> = tuples.flat_map(|t| self.rows_of(problem, t)).collect();
        if !problem.hold(&rows) {
            if !problem.values_count() {
                return None; // there are too few persons, and dropping records makes them no more
            }
            self.trimmed += rows.len();
            (rows, _) = mending::trim(problem, &rows);
        }
        if rows.is_empty() {
            return None;
        }
        if problem.values_count() {
            rows.iter().for_each(|row| problem.discount(&mut self.state, *row));
            if self.state.size() > 0 && problem.secret_lack(&self.state) > 0.0 {
                rows.iter().for_each(|row| problem.count(&mut self.state, *row));
                return None;
            }
        }
        for row in &rows {
            self.taken[*row as usize] = true;
            self.weights[problem.encoded.tuple_of(*row) as usize] -= 1;
        }
        Some(rows)
    }
}
