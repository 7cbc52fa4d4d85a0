//! Weighted-feature C-means: k-means that learns how much each column counts.
//!
//! # Idea
//! ⌊n/k⌋ random records are the centres. Each record goes to the nearest centre. The next centre of a
//! cluster is the record nearest to its centroid. Columns in which clusters are tight get a higher weight
//! than columns in which they spread anyway. This is repeated until no record moves. Clusters that are too
//! small are merged with the cluster whose centroid is nearest.
//!
//! # Choices
//! - The weights are those of W-k-means. With D(j) the sum of the distances of all records from their
//!   centres in column j, w(j) = 1 / Σ_t (D(j) / D(t))^(1 / (β − 1)). The weights sum to 1, and distances
//!   count w(j)^β. For given clusters no other weights make Σ w(j)^β D(j) smaller. So assignment, centres
//!   and weights all lower the same sum. About the rule of the original paper we know only that its weights
//!   minimize the loss.
//! - By that formula a column without dispersion has no weight. Here it gets the weight of the least
//!   dispersed column; otherwise the clusters would forget a column as soon as they agree on it.
//! - The weights of the plan multiply the distances but do not enter D. Otherwise a column that counts
//!   twice would look as if it spreads twice as much, and count less.
//! - Centres are records, as in `k-means`. The smallest clusters are merged first. The weights of the last
//!   round measure the distances between centroids.
//!
//! # Complexity
//! O(iterations · n · d / k · columns) for d distinct records, in parallel over them. It stops early when
//! no record moves.
//!
//! # Paper
//! Chiu and Tsai: A k-anonymity clustering method for effective data privacy preservation. ADMA 2007. The
//! weights: Huang, Ng, Rong and Li: Automated variable weighting in k-means type clustering. TPAMI 2005.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner 'c-means(iterations=20, beta=3)'
//! ```

use super::{Build, Partitioner};
use crate::cluster::centroids::{Centroids, seeds};
use crate::cluster::groups::Groups;
use crate::encode::Domain;
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "c-means",
    about: "k-means with learned column weights; clusters that are too small are merged; time iterations n^2/k",
    paper: "Chiu and Tsai, ADMA 2007; Huang, Ng, Rong and Li, TPAMI 2005",
    params: &[
        Param {
            name: "iterations",
            about: "the largest number of rounds that assign records to centres",
            range: Range::Integer(1, 1000),
            default: Some(Value::Integer(10)),
        },
        Param {
            name: "beta",
            about: "how even the weights are: near 1 only the tightest column counts",
            range: Range::Number(1.1, 10.0),
            default: Some(Value::Number(2.0)),
        },
    ],
    build: |params| Box::new(CMeans { iterations: params.integer("iterations"), beta: params.number("beta") }),
};

struct CMeans {
    iterations: u64,
    beta: f64,
}

impl Partitioner for CMeans {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64 * self.iterations)?;
        if problem.rows() == 0 {
            return Partition::new(0, [[]; 0]);
        }
        let (seeds, _) = seeds(problem);
        let seeds: Vec<Vec<u32>> = seeds.into_iter().map(|row| vec![row]).collect();
        let mut centroids = Centroids::new(problem, &seeds);
        let members = centroids.rounds(self.iterations, progress, |centroids, members| {
            let domains = || problem.encoded.domains().iter();
            let dispersion = centroids.dispersion(members);
            // A column with a single value has no distances and takes no weight from the others.
            let varying: Vec<f64> =
                domains().zip(dispersion).filter(|(domain, _)| domain.len() > 1).map(|(_, spread)| spread).collect();
            let mut learned = self.weights(&varying).into_iter();
            let mut weight = |d: &Domain| if d.len() > 1 { learned.next().unwrap_or(0.0) } else { 0.0 };
            centroids.weigh(domains().map(|domain| domain.weight() * weight(domain).powf(self.beta)).collect());
        })?;
        let mut groups = Groups::new(problem, members);
        groups.centroids.weigh(centroids.weights().to_vec());
        groups.merge(progress)?;
        groups.finish()
    }
}

impl CMeans {
    /// The weights of columns with these dispersions; all equal if there is none.
    fn weights(&self, dispersion: &[f64]) -> Vec<f64> {
        let least = dispersion.iter().copied().filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min);
        let share = |d: f64| if d > least { (least / d).powf(1.0 / (self.beta - 1.0)) } else { 1.0 };
        let sum: f64 = dispersion.iter().map(|d| share(*d)).sum();
        dispersion.iter().map(|d| share(*d) / sum).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(beta: f64, dispersion: &[f64], expected: &[f64]) {
        let weights = CMeans { iterations: 1, beta }.weights(dispersion);
        assert!(weights.iter().zip(expected).all(|(w, e)| (w - e).abs() < 1e-12), "{weights:?} is not {expected:?}");
    }

    #[test]
    fn weights_fall_with_the_dispersion() {
        // β = 2: in inverse proportion. β = 3: in inverse proportion to the square root. A column without
        // dispersion counts like the tightest one.
        check(2.0, &[1.0, 3.0], &[0.75, 0.25]);
        check(3.0, &[1.0, 4.0], &[2.0 / 3.0, 1.0 / 3.0]);
        check(2.0, &[0.0, 2.0, 2.0, 6.0], &[0.3, 0.3, 0.3, 0.1]);
        check(2.0, &[0.0, 0.0], &[0.5, 0.5]);
    }
}
