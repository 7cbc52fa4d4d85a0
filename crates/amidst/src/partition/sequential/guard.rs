//! What constraints on sensitive values allow clusters to do.

use crate::constraint::Constraint;
use crate::problem::{Cluster, Problem};

/// The constraints that look at sensitive values. Small clusters may satisfy them long before they have k
/// records.
pub(super) struct Guard<'a> {
    problem: &'a Problem,
    constraints: Vec<&'a dyn Constraint>,
}

impl<'a> Guard<'a> {
    /// `None` if no constraint looks at sensitive values.
    pub(super) fn new(problem: &'a Problem) -> Option<Self> {
        let constraints = problem.constraints.iter().map(|c| &**c).filter(|c| c.uses_sensitive()).collect();
        problem.guarded().then_some(Guard { problem, constraints })
    }

    pub(super) fn problem(&self) -> &'a Problem {
        self.problem
    }

    pub(super) fn holds(&self, cluster: &Cluster) -> bool {
        self.constraints.iter().all(|c| c.holds(cluster))
    }

    /// About how many records the cluster lacks.
    pub(super) fn lack(&self, cluster: &Cluster) -> f64 {
        self.constraints.iter().map(|c| c.lack(cluster)).fold(0.0, f64::max)
    }

    pub(super) fn holds_with(&self, cluster: &mut Cluster, row: u32) -> bool {
        self.problem.count(cluster, row);
        let holds = self.holds(cluster);
        self.problem.discount(cluster, row);
        holds
    }

    pub(super) fn holds_without(&self, cluster: &mut Cluster, row: u32) -> bool {
        self.problem.discount(cluster, row);
        let holds = self.holds(cluster);
        self.problem.count(cluster, row);
        holds
    }
}

/// Remembers which clusters refuse records of a sensitive value, because one more would break a constraint.
#[derive(Default)]
pub(super) struct Refusals {
    /// For each value, one bit per cluster. Missing bits are 0.
    clusters: Vec<Vec<u16>>,
    /// The values that each cluster refuses.
    values: Vec<Vec<u32>>,
}

impl Refusals {
    /// The clusters that refuse a value, in blocks of 16.
    pub(super) fn of(&self, value: u32) -> &[u16] {
        self.clusters.get(value as usize).map_or(&[], Vec::as_slice)
    }

    pub(super) fn note(&mut self, value: u32, cluster: usize) {
        let bits = at(&mut self.clusters, value as usize);
        let block = at(bits, cluster / 16);
        if *block >> (cluster % 16) & 1 == 0 {
            *block |= 1 << (cluster % 16);
            at(&mut self.values, cluster).push(value);
        }
    }

    /// Forgets the refusals of a cluster that has changed.
    pub(super) fn forget(&mut self, cluster: usize) {
        for value in self.values.get_mut(cluster).map(std::mem::take).unwrap_or_default() {
            self.clusters[value as usize][cluster / 16] &= !(1 << (cluster % 16));
        }
    }
}

/// The entry at a place, which is created if needed.
fn at<T: Default>(list: &mut Vec<T>, place: usize) -> &mut T {
    if list.len() <= place {
        list.resize_with(place + 1, T::default);
    }
    &mut list[place]
}
