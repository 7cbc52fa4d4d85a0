//! OKA, the one-pass k-means algorithm: all clusters grow at once, then trade records until each has enough.
//!
//! # Idea
//! Clustering stage: ⌊n/k⌋ random records are the seeds. The others, sorted by their quasi-identifiers, go one after the
//! other to the nearest cluster, where a cluster is the further away the larger it is: size × distance to its centroid.
//! The [centroid](super::centroid) follows at once. Adjustment stage: clusters above k give up the records furthest from
//! their centroid; these, in random order, go to the nearest cluster that lacks records while there is one, and to the
//! nearest of all after that.
//!
//! # Choices
//! - Records are sorted by their codes, column by column, equal ones by row. Seeds are distinct rows, but may be equal.
//! - In the adjustment stage, too, the distance to a cluster is size × distance to its centroid, as the paper defines it.
//!   Records are ranked once within their cluster, as in its figure 2; of equally distant ones those go that came last.
//!   What a cluster has left makes its new centroid.
//! - More `iterations` of the clustering stage are the first improvement that the paper's conclusions name. Each begins with
//!   the record nearest to each centroid as the cluster's seed, not with the centroid itself: closures never shrink, so
//!   clusters would get wider from one iteration to the next. The second, to suppress small clusters where that costs
//!   less, is what [`suppress`](crate::suppress) does after any partitioner that is given a budget.
//! - "Enough records" is read as "all constraints hold"; where that cannot be had by moving single records, clusters
//!   are merged with the nearest. Where sensitive values matter it is the least size, and what breaks a constraint then is
//!   [mended](super::settling) as after every algorithm.
//!
//! # Complexity
//! O(n² / k · columns).
//!
//! # Paper
//! Lin, Wei: An efficient clustering method for k-anonymization. PAIS 2008.

use rand::RngExt;
use rand_chacha::ChaCha12Rng;

use super::centroid::seeds;
use super::groups::Groups;
use super::{Build, Partitioner};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "oka",
    about: "one-pass k-means: records go to the nearest centroid in one pass, then clusters trade records; time n^2/k",
    paper: "Lin and Wei, PAIS 2008",
    params: &[Param {
        name: "iterations",
        about: "how often the clustering stage runs, each time from the centres of the last",
        range: Range::Integer(1, 1000),
        default: Some(Value::Integer(1)),
    }],
    build: |params| Box::new(Oka { iterations: params.integer("iterations") }),
};

/// Records between two reports of progress.
const STEP: usize = 256;

struct Oka {
    iterations: u64,
}

impl Partitioner for Oka {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        let rows = problem.rows() as u32;
        progress.begin("partitioning", u64::from(rows) * (self.iterations + 1))?;
        if rows == 0 {
            return Partition::new(0, [[]; 0]);
        }
        let (seeds, mut rng) = seeds(problem);
        let mut sorted: Vec<u32> = (0..rows).collect();
        sorted.sort_by_key(|row| problem.encoded.row(*row));
        let mut groups = cluster(problem, &sorted, seeds, progress)?;
        for _ in 1..self.iterations {
            let seeds =
                (0..groups.len()).filter_map(|cluster| by_distance(&groups, cluster).first().copied()).collect();
            groups = cluster(problem, &sorted, seeds, progress)?;
        }
        adjust(problem, &mut groups, &mut rng, progress)?;
        groups.merge(progress)?;
        groups.finish()
    }
}

/// The clustering stage.
fn cluster<'a>(problem: &'a Problem, sorted: &[u32], seeds: Vec<u32>, progress: Progress) -> Result<Groups<'a>> {
    let mut is_seed = vec![false; sorted.len()];
    seeds.iter().for_each(|row| is_seed[*row as usize] = true);
    let mut groups = Groups::new(problem, seeds.into_iter().map(|row| vec![row]).collect());
    for batch in sorted.chunks(STEP) {
        progress.advance(batch.len() as u64)?;
        for row in batch.iter().filter(|row| !is_seed[**row as usize]) {
            let scaled = |cluster: usize, distance: f64| groups.rows(cluster).len() as f64 * distance;
            if let Some(nearest) = groups.centroids.nearest(problem.encoded.row(*row), scaled) {
                groups.add(nearest, *row);
            }
        }
    }
    Ok(groups)
}

/// The rows of a cluster, those nearest to its centroid first.
fn by_distance(groups: &Groups, cluster: usize) -> Vec<u32> {
    let distance = |row: &u32| groups.centroids.distance(cluster, *row);
    let mut rows: Vec<(f64, u32)> = groups.rows(cluster).iter().map(|row| (distance(row), *row)).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The adjustment stage.
fn adjust(problem: &Problem, groups: &mut Groups, rng: &mut ChaCha12Rng, progress: Progress) -> Result<()> {
    let mut free = Vec::new();
    for cluster in 0..groups.len() {
        if groups.rows(cluster).len() > problem.min_size() && groups.holds(cluster) {
            let mut rows = by_distance(groups, cluster);
            let enough = enough(problem, &rows);
            free.extend(rows.drain(enough..).rev());
            groups.set(cluster, rows);
        }
    }
    progress.advance((problem.rows() - free.len()) as u64)?;

    let mut lacks: Vec<bool> = (0..groups.len()).map(|cluster| !groups.holds(cluster)).collect();
    let mut lacking = lacks.iter().filter(|lacks| **lacks).count();
    while !free.is_empty() {
        let row = free.swap_remove(rng.random_range(0..free.len()));
        let scaled = |cluster: usize, distance: f64| {
            let open = lacking == 0 || lacks[cluster];
            if open { groups.rows(cluster).len() as f64 * distance } else { f64::INFINITY }
        };
        if let Some(nearest) = groups.centroids.nearest(problem.encoded.row(row), scaled) {
            groups.add(nearest, row);
            if lacks[nearest] && groups.holds(nearest) {
                lacks[nearest] = false;
                lacking -= 1;
            }
        }
        progress.advance(1)?;
    }
    Ok(())
}

/// How many of the first rows make a cluster that holds.
fn enough(problem: &Problem, rows: &[u32]) -> usize {
    let Some(mut cluster) = problem.cluster(&rows[..1]) else { return rows.len() };
    for row in &rows[1..] {
        if problem.holds(&cluster) {
            break;
        }
        problem.add(&mut cluster, *row);
    }
    cluster.size()
}
