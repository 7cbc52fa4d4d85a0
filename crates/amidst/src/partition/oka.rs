//! OKA, the one-pass k-means algorithm: all clusters grow at once, then they trade records until each has
//! enough.
//!
//! # Idea
//! Clustering stage: ⌊n/k⌋ random records are the seeds. The other records go, one after the other, to the
//! nearest cluster. The distance of a cluster is its size times the distance to its centroid, so large
//! clusters are farther away. The centroid is updated at once. Adjustment stage: clusters with more than k
//! records give up those farthest from their centroid. These records, in random order, go to the nearest
//! cluster that lacks records while there is one, then to the nearest of all.
//!
//! # Choices
//! - `order=sorted` sorts the records by their quasi-identifiers first, as in the paper: by the first
//!   column of the plan, then the next, equal records by row. Then the *order of the columns* decides much
//!   of the result. While the first column has one value, only the clusters near it grow, until their size
//!   drives the rest to clusters far away. Records in random order (the default) lose less, and the order
//!   of the columns hardly matters.
//! - Seeds are distinct rows, but may have equal values.
//! - In the adjustment stage, too, the distance of a cluster is its size times the distance to its
//!   centroid, as the paper defines it. Records are ranked once within their cluster, as in figure 2 of the
//!   paper. Of equally distant records the last to come goes. The records that are left make the new
//!   centroid.
//! - `iterations` repeats the clustering stage, the first improvement that the paper's conclusions name.
//!   Each iteration takes the record nearest to each centroid as a seed. The centroid itself would not do:
//!   closures never shrink, so clusters would grow wider from one iteration to the next.
//! - `small=suppress` is the second improvement: leave out some of the small clusters, if that loses less
//!   than adding records to them. The paper does not say which. Here the smallest come first. None, a
//!   fifth, a half, and all of the records that the plan allows to leave out are tried, and the best result
//!   is kept.
//! - "Enough records" is read as "all constraints are satisfied". If moving single records cannot achieve
//!   that, clusters are merged with the nearest one. If constraints look at sensitive values, it is read as
//!   the least size, and clusters that break a constraint are mended, as after every algorithm.
//!
//! # Complexity
//! O(n² / k · columns).
//!
//! # Paper
//! Lin and Wei: An efficient clustering method for k-anonymization. PAIS 2008.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner 'oka(iterations=3)'
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner 'oka(small=suppress)' --suppress 2%
//! ```

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use super::{Build, Partitioner};
use crate::cluster::centroids::seeds;
use crate::cluster::groups::Groups;
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "oka",
    about: "one-pass k-means: records go to the nearest centroid in one pass, then clusters trade records; time n^2/k",
    paper: "Lin and Wei, PAIS 2008",
    params: &[
        Param {
            name: "iterations",
            about: "how often the clustering stage runs, each time from the centres of the last run",
            range: Range::Integer(1, 1000),
            default: Some(Value::Integer(1)),
        },
        Param {
            name: "order",
            about: "how records come: in random order, or sorted by the first quasi-identifier, then the next, as in the paper",
            range: Range::Choice(&["random", "sorted"]),
            default: Some(Value::Word("random")),
        },
        Param {
            name: "small",
            about: "adjust gives small clusters more records; suppress leaves them out if that loses less",
            range: Range::Choice(&["adjust", "suppress"]),
            default: Some(Value::Word("adjust")),
        },
    ],
    build: |params| {
        let (sorted, suppresses) = (params.word("order") == "sorted", params.word("small") == "suppress");
        Box::new(Oka { iterations: params.integer("iterations"), sorted, suppresses })
    },
};

/// The number of records between two reports of progress.
const RECORDS_PER_REPORT: usize = 256;

/// The shares of the allowed suppression that are tried.
const SUPPRESSION_SHARES: [f64; 3] = [1.0, 0.5, 0.2];

struct Oka {
    iterations: u64,
    sorted: bool,
    suppresses: bool,
}

impl Partitioner for Oka {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        if problem.rows() == 0 {
            return Partition::new(0, [[]; 0]);
        }
        let (groups, rng) = self.cluster(problem, 1, progress)?;
        adjusted(problem, groups, Vec::new(), rng, progress)
    }

    fn suppresses(&self) -> bool {
        self.suppresses
    }

    fn suppressing(&self, problem: &Problem, most: usize, progress: Progress) -> Result<Partition> {
        if problem.rows() == 0 {
            return Partition::new(0, [[]; 0]);
        }
        let (groups, rng) = self.cluster(problem, 1 + SUPPRESSION_SHARES.len() as u64, progress)?;
        let small: Vec<usize> = groups.small().into_iter().map(|(_, cluster)| cluster).collect();
        let rows = groups.into_rows();
        let adjusted = |suppressed: &[usize]| {
            let left_out = suppressed.iter().flat_map(|cluster| &rows[*cluster]).copied().collect();
            let kept = rows.iter().enumerate().filter(|(cluster, _)| !suppressed.contains(cluster));
            let kept: Vec<Vec<u32>> = kept.map(|(_, rows)| rows.clone()).collect();
            adjusted(problem, Groups::new(problem, kept), left_out, rng.clone(), progress)
        };
        let mut best = adjusted(&[])?;
        let mut tried = 0;
        for share in SUPPRESSION_SHARES {
            // The smallest clusters cost the fewest records, and would need the most additional ones.
            let mut left = ((share * most as f64) as usize).min(problem.rows().saturating_sub(problem.min_size()));
            let fits = |cluster: &&usize| {
                let size = rows[**cluster].len();
                let fits = size <= left;
                left = left.saturating_sub(size);
                fits
            };
            let count = small.iter().take_while(fits).count();
            if count > 0 && count != tried {
                tried = count;
                let less = adjusted(&small[..count])?;
                if problem.loss(&less) < problem.loss(&best) {
                    best = less;
                }
            }
        }
        Ok(best)
    }
}

impl Oka {
    /// All iterations of the clustering stage. `times` says how many times as long as one iteration the
    /// work after it takes, for the progress bar.
    fn cluster<'a>(&self, problem: &'a Problem, times: u64, progress: Progress) -> Result<(Groups<'a>, ChaCha12Rng)> {
        progress.begin("partitioning", problem.rows() as u64 * (self.iterations + times))?;
        let (mut seeds, mut rng) = seeds(problem);
        let mut order: Vec<u32> = (0..problem.rows() as u32).collect();
        if self.sorted {
            order.sort_by_key(|row| problem.encoded.row(*row));
        } else {
            order.shuffle(&mut rng);
        }
        let mut groups = cluster(problem, &order, seeds, progress)?;
        for _ in 1..self.iterations {
            seeds = (0..groups.len()).filter_map(|cluster| by_distance(&groups, cluster).first().copied()).collect();
            groups = cluster(problem, &order, seeds, progress)?;
        }
        Ok((groups, rng))
    }
}

/// The partition that the adjustment stage makes of these clusters, without the rows that are left out.
fn adjusted(
    problem: &Problem,
    mut groups: Groups,
    left_out: Vec<u32>,
    mut rng: ChaCha12Rng,
    progress: Progress,
) -> Result<Partition> {
    adjust(problem, &mut groups, &mut rng, progress)?;
    groups.merge(progress)?;
    groups.finish_without(left_out)
}

/// One iteration of the clustering stage.
fn cluster<'a>(problem: &'a Problem, order: &[u32], seeds: Vec<u32>, progress: Progress) -> Result<Groups<'a>> {
    let mut is_seed = vec![false; order.len()];
    seeds.iter().for_each(|row| is_seed[*row as usize] = true);
    let mut groups = Groups::new(problem, seeds.into_iter().map(|row| vec![row]).collect());
    for batch in order.chunks(RECORDS_PER_REPORT) {
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

/// The number of first rows that form a cluster with enough records.
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
