//! k-means with a lower limit on the size of clusters.
//!
//! # Idea
//! ⌊n/k⌋ random records are the centres. Each record goes to the nearest centre. The next centre of a
//! cluster is the record nearest to its centroid. This is repeated a few times. Then clusters that are too
//! small are dissolved: their records go to the nearest cluster that satisfies the constraints.
//!
//! # Choices
//! - The paper uses this as its baseline and says no more about it than the name.
//! - Centres are records. The mean of categories would be their closure, which covers stray members as well
//!   as all others, so closures as centres lose more from round to round.
//! - Equal records go to the same centre, the first of the nearest ones. A centre without records stays
//!   where it is.
//! - The smallest clusters are dissolved first, and centroids follow at once. Only clusters that satisfy
//!   the constraints take records; while none does, the nearest of all takes them.
//!
//! # Complexity
//! O(iterations · n · d / k · columns) for d distinct records, in parallel over them. It stops early when
//! no record moves.
//!
//! # Paper
//! The baseline in Zhu and Ye: Achieving k-anonymity via a density-based clustering method. APWeb/WAIM
//! 2007.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner 'k-means(iterations=10)'
//! ```

use super::{Build, Partitioner};
use crate::cluster::centroids::{Centroids, seeds};
use crate::cluster::groups::Groups;
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "k-means",
    about: "k-means from random centres; clusters that are too small are dissolved; time iterations n^2/k",
    paper: "the baseline of Zhu and Ye, APWeb/WAIM 2007",
    params: &[Param {
        name: "iterations",
        about: "the largest number of rounds that assign records to centres",
        range: Range::Integer(1, 1000),
        default: Some(Value::Integer(5)),
    }],
    build: |params| Box::new(KMeans { iterations: params.integer("iterations") }),
};

struct KMeans {
    iterations: u64,
}

impl Partitioner for KMeans {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64 * (self.iterations + 1))?;
        if problem.rows() == 0 {
            return Partition::new(0, [[]; 0]);
        }
        let (seeds, _) = seeds(problem);
        let seeds: Vec<Vec<u32>> = seeds.into_iter().map(|row| vec![row]).collect();
        let members = Centroids::new(problem, &seeds).rounds(self.iterations, progress, |_, _| ())?;
        let mut groups = Groups::new(problem, members);
        dissolve(problem, &mut groups, progress)?;
        groups.merge(progress)?;
        groups.finish()
    }
}

/// Moves the records of clusters that break a constraint to those that do not.
fn dissolve(problem: &Problem, groups: &mut Groups, progress: Progress) -> Result<()> {
    let mut holds: Vec<bool> = (0..groups.len()).map(|cluster| groups.holds(cluster)).collect();
    let mut gone = vec![false; groups.len()];
    let mut small = groups.small();
    let mut left = problem.rows() as u64;
    while let Some((_, cluster)) = small.pop_first() {
        let any = holds.contains(&true);
        if !any && small.is_empty() {
            break;
        }
        gone[cluster] = true;
        for row in groups.take(cluster) {
            let open = |other: usize| if any { holds[other] } else { !gone[other] };
            let open = |other: usize, distance: f64| if open(other) { distance } else { f64::INFINITY };
            if let Some(nearest) = groups.centroids.nearest(problem.encoded.row(row), open) {
                groups.add(nearest, row);
            }
            left = left.saturating_sub(1);
            progress.advance(1)?;
        }
        if !any {
            small = groups.small();
            holds = (0..groups.len()).map(|cluster| groups.holds(cluster)).collect();
        }
    }
    progress.advance(left)
}
