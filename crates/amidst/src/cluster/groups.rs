//! Growing clusters with their centroids.

use std::collections::BTreeSet;

use super::centroids::Centroids;
use super::joining::{Clusters, least};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;

/// Growing clusters and their centroids. A cluster whose rows have all been taken is empty.
pub(crate) struct Groups<'a> {
    problem: &'a Problem,
    pub(crate) centroids: Centroids<'a>,
    clusters: Clusters,
}

impl<'a> Groups<'a> {
    /// Clusters of these rows, none of which is empty.
    pub(crate) fn new(problem: &'a Problem, rows: Vec<Vec<u32>>) -> Self {
        let centroids = Centroids::new(problem, &rows);
        let states = rows.iter().filter_map(|rows| problem.cluster(rows)).collect();
        Groups { problem, centroids, clusters: Clusters { states, rows } }
    }

    pub(crate) fn len(&self) -> usize {
        self.clusters.rows.len()
    }

    pub(crate) fn rows(&self, cluster: usize) -> &[u32] {
        &self.clusters.rows[cluster]
    }

    /// Whether a cluster has rows, and [enough](Problem::enough) of them.
    pub(crate) fn holds(&self, cluster: usize) -> bool {
        !self.rows(cluster).is_empty() && self.problem.enough(&self.clusters.states[cluster])
    }

    pub(crate) fn add(&mut self, cluster: usize, row: u32) {
        self.clusters.add(self.problem, cluster, row);
        self.centroids.add(cluster, row);
    }

    /// Replaces the rows of a cluster. Without rows it is empty.
    pub(crate) fn set(&mut self, cluster: usize, rows: Vec<u32>) {
        if let Some(state) = self.problem.cluster(&rows) {
            self.clusters.states[cluster] = state;
            self.centroids.set(cluster, &rows);
        }
        self.clusters.rows[cluster] = rows;
    }

    /// Takes all rows of a cluster.
    pub(crate) fn take(&mut self, cluster: usize) -> Vec<u32> {
        std::mem::take(&mut self.clusters.rows[cluster])
    }

    /// The sizes and numbers of the clusters that have rows but not enough, the smallest first.
    pub(crate) fn small(&self) -> BTreeSet<(usize, usize)> {
        let sizes = (0..self.len()).map(|cluster| (self.rows(cluster).len(), cluster));
        sizes.filter(|(size, cluster)| *size > 0 && !self.holds(*cluster)).collect()
    }

    /// Merges the smallest cluster without enough rows with the cluster whose centroid is nearest, until
    /// all have enough.
    pub(crate) fn merge(&mut self, progress: Progress) -> Result<()> {
        let mut small = self.small();
        let mut others: Vec<u32> = (0..self.len() as u32).filter(|c| !self.rows(*c as usize).is_empty()).collect();
        while let Some((_, cluster)) = small.pop_first() {
            progress.advance(0)?;
            others.retain(|other| *other as usize != cluster);
            let Some(nearest) = least(&others, |other| self.centroids.between(cluster, other as usize)) else { break };
            let nearest = nearest as usize;
            small.remove(&(self.rows(nearest).len(), nearest));
            let mut rows = self.take(nearest);
            rows.extend(self.take(cluster));
            self.set(nearest, rows);
            if !self.holds(nearest) {
                small.insert((self.rows(nearest).len(), nearest));
            }
        }
        Ok(())
    }

    /// The partition of these clusters.
    pub(crate) fn finish(self) -> Result<Partition> {
        self.finish_without(Vec::new())
    }

    /// The partition of these clusters, with the other rows suppressed.
    pub(crate) fn finish_without(mut self, left_out: Vec<u32>) -> Result<Partition> {
        self.clusters.rows.retain(|rows| !rows.is_empty());
        self.clusters.finish_without(self.problem, left_out)
    }

    /// The rows of all clusters.
    pub(crate) fn into_rows(self) -> Vec<Vec<u32>> {
        self.clusters.rows
    }
}
