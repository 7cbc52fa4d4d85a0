//! MDAV: the usual algorithm of microaggregation (maximum distance to the average vector).
//!
//! # Idea
//! Take the record farthest from the mean of all records that are left, and the record farthest from that one. Each of the two forms a cluster
//! with the k − 1 nearest records. Repeat while 3k records are left. Of the rest, the record farthest from the mean forms one more
//! cluster if 2k are left, and what is left then is the last one.
//!
//! # Choices
//! - Records are points: numbers are standardized, other columns have an axis for each value. So it keeps the squared error of
//!   [centres](crate::algorithms::forms::centres) low, whatever the measure of the plan.
//! - Of several records at the same distance, the first one is taken.
//! - Where a constraint looks at sensitive values, clusters that break it are mended afterwards.
//!
//! # Complexity
//! O(n²/k · columns).
//!
//! # Paper
//! Domingo-Ferrer and Torra: Ordinal, continuous and heterogeneous k-anonymity through microaggregation. DMKD 2005.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --publish centres --partitioner mdav
//! ```

use super::{Build, Partitioner};
use crate::cluster::points::{Cloud, Points, squared};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "mdav",
    about: "clusters around the records farthest from the mean, for a low squared error of centres; time n^2/k",
    paper: "Domingo-Ferrer and Torra, DMKD 2005",
    params: &[],
    build: |_| Box::new(Mdav),
};

struct Mdav;

impl Partitioner for Mdav {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let rows: Vec<u32> = (0..problem.rows() as u32).collect();
        let cloud = Points::new(&problem.encoded).cloud(&rows);
        Partition::new(problem.rows(), clusters(&cloud, problem.min_size(), progress)?)
    }
}

/// Clusters of at least `least` points each, or one cluster if there are fewer.
pub(super) fn clusters(cloud: &Cloud, least: usize, progress: Progress) -> Result<Vec<Vec<u32>>> {
    let least = least.max(1);
    let mut left: Vec<u32> = (0..cloud.len() as u32).collect();
    let mut done = Vec::new();
    let mut by_distance = Vec::new();
    while left.len() >= 2 * least {
        let mean = cloud.mean(&left);
        let Some(first) = farthest(cloud, &left, &mean) else { break };
        let second = farthest(cloud, &left, cloud.at(first));
        let two = left.len() >= 3 * least;
        done.push(take(cloud, &mut left, first, least, &mut by_distance));
        if let Some(second) = second.filter(|second| two && left.contains(second)) {
            done.push(take(cloud, &mut left, second, least, &mut by_distance));
        }
        progress.advance(if two { 2 * least as u64 } else { least as u64 })?;
    }
    if !left.is_empty() {
        progress.advance(left.len() as u64)?;
        done.push(left);
    }
    Ok(done)
}

/// The first of the points farthest from a place.
fn farthest(cloud: &Cloud, left: &[u32], place: &[f64]) -> Option<u32> {
    let mut most: Option<(f64, u32)> = None;
    for point in left {
        let distance = squared(cloud.at(*point), place);
        if most.is_none_or(|(farthest, _)| distance > farthest) {
            most = Some((distance, *point));
        }
    }
    most.map(|(_, point)| point)
}

/// Takes the `least` points nearest to a point, with itself. The others keep their order.
fn take(cloud: &Cloud, left: &mut Vec<u32>, point: u32, least: usize, by_distance: &mut Vec<(f64, u32)>) -> Vec<u32> {
    by_distance.clear();
    // The point itself comes before its equals.
    let distance = |other: u32| if other == point { -1.0 } else { squared(cloud.at(other), cloud.at(point)) };
    by_distance.extend(left.iter().map(|other| (distance(*other), *other)));
    let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if least < by_distance.len() {
        by_distance.select_nth_unstable_by(least - 1, order);
    }
    let mut cluster: Vec<u32> = by_distance.iter().take(least).map(|(_, point)| *point).collect();
    cluster.sort_unstable();
    left.retain(|point| cluster.binary_search(point).is_err());
    cluster
}
