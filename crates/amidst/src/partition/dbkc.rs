//! DBKC, density-based k-anonymity clustering: grow clusters where records lie densest.
//!
//! # Idea
//! The density of a record is the inverse of its mean distance to its k nearest records. The densest record
//! is the first centre. A cluster grows from its centre by the record that raises its loss least, one at a
//! time, until the constraints are satisfied. The next centre is the densest remaining record that is not
//! among the k nearest of the last centre, or simply the densest remaining one if there is no such record.
//! The last few records go where they cost least.
//!
//! # Choices
//! - The distance of two records is the loss of a cluster of the two.
//! - Records with k others at distance 0 are infinitely dense. Among them, those with more equal records
//!   come first, then those whose nearest different record is nearer.
//! - Every record that is not farther than the k-th nearest counts as one of the k nearest, so equal
//!   records are treated alike.
//!
//! # Complexity
//! O(d² · columns) for the densities of d distinct records and O(n · d · columns) for the growth, in
//! parallel. Memory O(n).
//!
//! # Paper
//! Zhu and Ye: Achieving k-anonymity via a density-based clustering method. APWeb/WAIM 2007.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner dbkc
//! ```

use rayon::prelude::*;

use super::{Build, Partitioner};
use crate::cluster::joining::{ClusterGrowth, Joining, Kinds};
use crate::cost::Costs;
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "dbkc",
    about: "grows clusters by the least loss around the densest records; time n^2",
    paper: "Zhu and Ye, APWeb/WAIM 2007",
    params: &[],
    build: |_| Box::new(Dbkc),
};

struct Dbkc;

impl Partitioner for Dbkc {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        let costs = Costs::new(problem);
        let mut growing = ClusterGrowth::new(&costs, progress);
        progress.begin("partitioning", (growing.kinds.len() + problem.rows()) as u64)?;
        let by_density = by_density(&costs, &growing.kinds, progress)?;
        let mut last: Option<Neighbours> = None;
        // The first kind that may still be free; all kinds before it are taken.
        let mut from = 0;
        while growing.free.rows() >= problem.min_size() {
            let ClusterGrowth { kinds, free, .. } = &growing;
            while by_density.get(from).is_some_and(|kind| !free.has(*kind)) {
                from += 1;
            }
            let mut densest = by_density[from..].iter().copied().filter(|kind| free.has(*kind));
            let Some(first) = densest.clone().next() else { break };
            let apart = densest.find(|kind| last.as_ref().is_none_or(|centre| !centre.has(kinds.row(*kind))));
            let centre = apart.unwrap_or(first);
            last = Some(Neighbours::new(&costs, kinds, centre));
            growing.grow(centre)?;
        }
        growing.finish()
    }
}

/// The kinds of records, densest first.
fn by_density(costs: &Costs, kinds: &Kinds, progress: Progress) -> Result<Vec<u32>> {
    let densities: Vec<(Density, u32)> = (0..kinds.len() as u32)
        .into_par_iter()
        .map(|kind| {
            progress.advance(1)?;
            Ok((Density::of(costs, kinds, kind), kind))
        })
        .collect::<Result<_>>()?;
    let mut order = densities;
    order.sort_by(|(a, i), (b, j)| a.order(b).then(i.cmp(j)));
    Ok(order.into_iter().map(|(_, kind)| kind).collect())
}

/// How dense the neighbourhood of a kind is.
struct Density {
    /// The mean distance to the k nearest records.
    distance: f64,
    /// The distance to the nearest record of another kind.
    next: f64,
    multiplicity: usize,
}

impl Density {
    fn of(costs: &Costs, kinds: &Kinds, kind: u32) -> Self {
        let wanted = costs.problem().min_size();
        let near = distances(costs, kinds, kind);
        let next = near.iter().filter(|(_, other)| *other != kind).map(|(d, _)| *d).fold(f64::INFINITY, f64::min);
        let (sum, found) = nearest(near, kinds, kind, wanted)
            .into_iter()
            .fold((0.0, 0), |(sum, found), (distance, n)| (sum + distance * n as f64, found + n));
        Density { distance: sum / found.max(1) as f64, next, multiplicity: kinds.rows(kind).len() }
    }

    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let ties = || {
            let both_infinite = self.distance <= 0.0 && other.distance <= 0.0;
            let multiplicity = other.multiplicity.cmp(&self.multiplicity);
            if both_infinite { multiplicity.then(self.next.total_cmp(&other.next)) } else { std::cmp::Ordering::Equal }
        };
        self.distance.total_cmp(&other.distance).then_with(ties)
    }
}

/// The distances of a kind to every kind, including itself.
fn distances(costs: &Costs, kinds: &Kinds, kind: u32) -> Vec<(f64, u32)> {
    let problem = costs.problem();
    let row = kinds.row(kind);
    let Some(alone) = problem.cluster(&[row]) else { return Vec::new() };
    let joining = Joining::new(costs, &alone);
    let own = problem.measure.record(row);
    (0..kinds.len() as u32).map(|other| (joining.cost(kinds.row(other)) - own, other)).collect()
}

/// The distances of the `wanted` records nearest to a record of `kind`, nearest first, with the number of
/// records at each.
fn nearest(mut near: Vec<(f64, u32)>, kinds: &Kinds, kind: u32, wanted: usize) -> Vec<(f64, usize)> {
    // Every kind has at least one record, so the nearest `wanted` + 1 kinds are enough (one may be the kind
    // itself).
    if near.len() > wanted + 1 {
        near.select_nth_unstable_by(wanted, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near.truncate(wanted + 1);
    }
    near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut left = wanted;
    let mut found = Vec::new();
    for (distance, other) in near {
        let records = (kinds.rows(other).len() - usize::from(other == kind)).min(left);
        left -= records;
        if records > 0 {
            found.push((distance, records));
        }
    }
    found
}

/// The records that are not farther from a centre than its k-th nearest record.
struct Neighbours<'a> {
    joining: Option<Joining<'a>>,
    own: f64,
    furthest: f64,
}

impl<'a> Neighbours<'a> {
    fn new(costs: &'a Costs<'a>, kinds: &Kinds, kind: u32) -> Self {
        let problem = costs.problem();
        let near = nearest(distances(costs, kinds, kind), kinds, kind, problem.min_size());
        let row = kinds.row(kind);
        Neighbours {
            joining: problem.cluster(&[row]).map(|alone| Joining::new(costs, &alone)),
            own: problem.measure.record(row),
            furthest: near.last().map_or(0.0, |(distance, _)| *distance),
        }
    }

    fn has(&self, row: u32) -> bool {
        self.joining.as_ref().is_some_and(|joining| joining.cost(row) - self.own <= self.furthest)
    }
}
