//! Patterns: of all closures that enough free records share, take the cheapest first.
//!
//! # Idea
//! A *pattern* names a node of every column: a value, a node of the taxonomy, a range, a set, everything. The patterns that at
//! least k free records match are found by depth-first search, column by column, and the cheapest opens a cluster with all free
//! records that match it. To find them all at once would take too long and most would be useless, so the search goes
//! in stages of rising cost: a stage looks only for patterns up to its cost, among the records that are still free.
//!
//! # Choices
//! - A *ladder* gives the nodes of a column: those of its taxonomy; values and everything for suppressed columns; for ranges and
//!   sets random binary trees, drawn anew in each stage, over the values in their order or in a random one.
//! - Only closed patterns are followed, those whose matching records lie in no lower node of a column, so that every set of records
//!   comes up once.
//! - Ranges and sets cost what the matching records span, not what the node does.
//! - Columns in the order of how well they tell records apart: the search dies sooner. Columns in which no value has k records come
//!   first, because what they cost is the same for all.
//! - Equal records stay together, as long as constraints do not care.
//! - Of equally cheap patterns the one with fewer records opens first.
//! - A cluster opens when the free records that match hold all constraints; if need be without those of the sensitive values that
//!   are too frequent among them. The records that stay free must be able to hold, too.
//! - Where many columns make too many patterns the search stops, and [top-down](super::top_down) splits the records that are left.
//! - Records that are left in the end join the cluster where they cost least.
//!
//! # Complexity
//! By the number of patterns that at least k records share: about n log n with few columns, exponential in their number, with a limit
//! of some hundred steps per record and stage.
//!
//! # Paper
//! Ours. Closed patterns are those of Pasquier, Bastide, Taouil, Lakhal: Discovering frequent closed itemsets for association
//! rules. ICDT 1999.

mod grid;
mod walk;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use self::grid::{Codes, Grid};
use self::walk::Found;
use super::joining::Clusters;
use super::{Build, Partitioner, settling, top_down};
use crate::encode::Span;
use crate::error::Result;
use crate::problem::{Cluster, Partition, Problem};
use crate::progress::Progress;
use crate::refine::Guide;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "patterns",
    about: "opens the cheapest closure that k free records share, again and again; time about n log n with few columns",
    paper: "ours; the start of the engine",
    params: &[],
    build: |_| Box::new(Patterns),
};

/// The first stage of positive cost goes up to this share of what suppressing everything costs.
const FIRST: f32 = 0.005;
/// Each stage goes up to so many times the cost of the last.
const RISE: f32 = 1.15;
/// A thread compares so many clusters at least.
const SHARED: usize = 2000;
/// So many records may be looked at in one stage, for each record that is free.
const STEPS: usize = 4000;

struct Patterns;

impl Partitioner for Patterns {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        let guide = Guide::new(problem)?;
        start(problem, &guide, progress)
    }
}

/// The clusters of the staged search.
pub(super) fn start(problem: &Problem, guide: &Guide, progress: Progress) -> Result<Partition> {
    progress.begin("partitioning", problem.rows() as u64)?;
    let encoded = &problem.encoded;
    let mut rng = ChaCha8Rng::seed_from_u64(problem.seed);
    let codes = Codes::new(encoded);
    let mut free = Free::new(problem);
    let mut clusters: Vec<Vec<u32>> = Vec::new();
    let most: f32 = encoded.domains().iter().enumerate().map(|(c, d)| guide.cost(c, d.everything())).sum();
    let mut cap = 0.0;
    loop {
        let weights = free.tuples.iter().map(|t| free.weights[*t as usize]).collect();
        let grid = Grid::new(guide, &codes, &free.tuples, weights, problem.min_size() as u32, &mut rng);
        let steps = STEPS * (free.tuples.len() + 1000);
        let Found { mut patterns, members, next, complete } = walk::search(&grid, cap, steps, progress)?;
        // Of equally cheap ones the smaller first: the larger may still find enough records.
        patterns.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.members.len().cmp(&b.members.len())));
        for pattern in &patterns {
            let matching = members[pattern.members.clone()].iter().map(|item| grid.tuple(*item));
            if let Some(rows) = free.open(problem, matching) {
                progress.advance(rows.len() as u64)?;
                clusters.push(rows);
            }
        }
        free.tuples.retain(|t| free.weights[*t as usize] > 0);
        let left: usize = free.tuples.iter().map(|t| free.weights[*t as usize] as usize).sum();
        if !complete || left < problem.min_size() || cap >= most {
            break;
        }
        cap = (cap * RISE).max(most * FIRST).max(next * (1.0 + f32::EPSILON)).min(most);
    }
    let rest: Vec<u32> = free.tuples.iter().flat_map(|t| free.rows_of(problem, *t)).collect();
    let (held, loose): (Vec<_>, Vec<_>) =
        top_down::split(problem, guide, rest, 0, progress)?.into_iter().partition(|rows| problem.hold(rows));
    clusters.extend(held);
    let left = loose.concat();
    if left.is_empty() {
        return Partition::new(problem.rows(), clusters);
    }
    if guide.exact() && !problem.guarded() && !clusters.is_empty() {
        join(guide, &mut clusters, &left);
        return Partition::new(problem.rows(), clusters);
    }
    let mut states = Clusters::default();
    for rows in clusters {
        if let Some(cluster) = problem.cluster(&rows) {
            states.push(cluster, rows);
        }
    }
    states.place(problem, left);
    settling::settle(problem, states.finish(problem)?, progress)
}

/// Puts each of the rows that are left into the cluster where it costs least by the guide.
fn join(guide: &Guide, clusters: &mut [Vec<u32>], left: &[u32]) {
    let encoded = guide.encoded();
    let joined = |column: usize, span: Span, row: u32| {
        let domain = guide.domain(column);
        domain.join(span, domain.span(encoded.row(row)[column]))
    };
    let closure = |rows: &Vec<u32>| -> Vec<Span> {
        let first = |c: usize| guide.domain(c).span(encoded.row(rows[0])[c]);
        (0..guide.columns()).map(|c| rows.iter().fold(first(c), |span, row| joined(c, span, *row))).collect()
    };
    let mut closures: Vec<Vec<Span>> = clusters.iter().map(closure).collect();
    let mut each: Vec<f32> = closures.iter().map(|spans| guide.closure(spans)).collect();
    for row in left {
        let more = |cluster: usize| {
            let spans = closures[cluster].iter().enumerate();
            let with: f32 = spans.map(|(c, span)| guide.joined(c, *span, encoded.row(*row)[c])).sum();
            let size = clusters[cluster].len() as f32;
            (with * (size + 1.0) - each[cluster] * size, cluster)
        };
        let nearest = (0..clusters.len()).into_par_iter().with_min_len(SHARED).map(more);
        let nearest = nearest.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let Some((_, nearest)) = nearest else { return };
        clusters[nearest].push(*row);
        closures[nearest].iter_mut().enumerate().for_each(|(c, span)| *span = joined(c, *span, *row));
        each[nearest] = guide.closure(&closures[nearest]);
    }
}

/// The records that are in no cluster yet.
struct Free {
    /// The distinct tuples that had free rows at the beginning of the stage.
    tuples: Vec<u32>,
    /// How many rows of each distinct tuple are free.
    weights: Vec<u32>,
    /// Whether each row is in a cluster, where constraints may part equal ones.
    taken: Vec<bool>,
    /// All of them, as far as constraints care.
    state: Cluster,
}

impl Free {
    fn new(problem: &Problem) -> Self {
        let tuples = 0..problem.encoded.tuples() as u32;
        let all: Vec<u32> = (0..problem.rows() as u32).collect();
        Free {
            weights: tuples.clone().map(|t| problem.encoded.rows_of(t).len() as u32).collect(),
            tuples: tuples.collect(),
            taken: vec![false; problem.rows()],
            state: problem.outline(if problem.guarded() { &all } else { &[] }),
        }
    }

    fn rows_of(&self, problem: &Problem, tuple: u32) -> impl Iterator<Item = u32> {
        problem.encoded.rows_of(tuple).iter().copied().filter(|row| !self.taken[*row as usize])
    }

    /// Takes the free rows of these tuples, or a part of them, that make a cluster which holds; unless the rows that are
    /// left could no longer hold.
    fn open(&mut self, problem: &Problem, tuples: impl Iterator<Item = u32> + Clone) -> Option<Vec<u32>> {
        let size: usize = tuples.clone().map(|t| self.weights[t as usize] as usize).sum();
        if size < problem.min_size() {
            return None;
        }
        if !problem.guarded() {
            // Equal records stay together, so all rows of a tuple are free or none.
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
            (rows, _) = settling::trim(problem, &rows);
        }
        if rows.is_empty() {
            return None;
        }
        rows.iter().for_each(|row| problem.discount(&mut self.state, *row));
        if self.state.size() > 0 && problem.secret_lack(&self.state) > 0.0 {
            rows.iter().for_each(|row| problem.count(&mut self.state, *row));
            return None;
        }
        for row in &rows {
            self.taken[*row as usize] = true;
            self.weights[problem.encoded.tuple_of(*row) as usize] -= 1;
        }
        Some(rows)
    }
}
