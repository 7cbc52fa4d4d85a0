//! Weighted-feature C-means: k-means that learns how much each column counts.
//!
//! # Idea
//! ⌊n/k⌋ random records are the centres. Each record goes to the nearest centre, of these records the one nearest to their
//! [centroid](super::centroid) is the next centre, and columns in which clusters are tight come to weigh more than those in which they spread
//! anyway; until no record moves. Clusters that are too small are merged with the one whose centroid is nearest.
//!
//! # Choices
//! The weights are those of W-k-means: with D(j) the distances of all records to their centres in column j,
//! w(j) = 1 / Σ over t of (D(j) / D(t))^(1 / (β − 1)), which sum up to 1, and distances count w(j)^β. For given
//! clusters no other weights make Σ w(j)^β D(j) less, so assignment, centres and weights lower the same sum in turn,
//! which is all that is known of the original's rule: weights that minimize the loss. A column without dispersion has
//! no weight there; here it has that of the least dispersed one, or the clusters would forget a column as soon as they
//! agree on it. The weights of the plan multiply the distances but do not enter D: a column that counts twice would come
//! out as one that spreads twice as much, and count less.
//!
//! Centres are records for the reason that [k-means](super::k_means) gives. The smallest clusters are merged first. The weights of the last round measure the distances of centroids.
//!
//! # Complexity
//! O(iterations · n · d / k · columns) for d distinct records, in parallel over them. It stops early when no record moves.
//!
//! # Paper
//! Chiu, Tsai: A k-anonymity clustering method for effective data privacy preservation. ADMA 2007. The weights: Huang, Ng,
//! Rong, Li: Automated variable weighting in k-means type clustering. TPAMI 2005.

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
            about: "how often records are assigned to centres at most",
            range: Range::Integer(1, 1000),
            default: Some(Value::Integer(10)),
        },
        Param {
            name: "beta",
            about: "how even the weights are: near 1 the tightest column counts alone",
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
            // A column of one value has no distances, and takes no weight from the others.
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
    /// The weights of columns of such dispersions; all the same where there is none.
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
        // β = 2: in inverse proportion. β = 3: to its square root. A column without dispersion counts as the tightest.
        check(2.0, &[1.0, 3.0], &[0.75, 0.25]);
        check(3.0, &[1.0, 4.0], &[2.0 / 3.0, 1.0 / 3.0]);
        check(2.0, &[0.0, 2.0, 2.0, 6.0], &[0.3, 0.3, 0.3, 0.1]);
        check(2.0, &[0.0, 0.0], &[0.5, 0.5]);
    }
}
