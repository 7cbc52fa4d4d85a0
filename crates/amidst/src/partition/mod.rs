//! Algorithms that form clusters of records.
//!
//! Each algorithm has a file with a page about it: idea, choices, complexity, paper, and an example. All of
//! them return a [`Partition`], work with every measure and every privacy model, and can be asked for by
//! name: `--partitioner 'mondrian(relaxed)'` on the command line, `partitioner = "mondrian(relaxed)"` in a
//! plan. [`build`] wraps each of them so that clusters that break a constraint are mended.

pub mod agglomerative;
pub mod aip;
pub mod anatomy;
pub mod arp;
pub mod c_means;
pub mod cb;
pub mod dbkc;
pub mod engine;
pub mod full_domain;
pub mod greedy;
pub mod hilbert;
pub mod k_means;
pub mod k_member;
pub mod mdav;
pub mod microaggregation;
pub mod mondrian;
pub mod oka;
pub mod patterns;
pub mod sequential;
pub mod top_down;
pub mod top_down_xu;

use crate::cluster::mending;
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{self, Entry, Params, Spec};

/// An algorithm that forms clusters of records.
///
/// With [`build`], every cluster of the result satisfies every constraint, whatever the problem. The result
/// depends on the problem and its seed alone, not on the number of threads.
pub trait Partitioner: Send + Sync {
    /// Clusters the records. The algorithm begins a stage of `progress` and advances it often, so that it
    /// can be stopped soon.
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition>;

    /// Whether the algorithm leaves out records in its own way, if the plan allows any.
    fn suppresses(&self) -> bool {
        false
    }

    /// Whether the algorithm was asked to leave out records, so that it needs a plan that allows some.
    fn needs_suppression(&self) -> bool {
        self.suppresses()
    }

    /// Whether it publishes each column at one [level](Partition::levels). Nothing may move records between its clusters then.
    fn recodes(&self) -> bool {
        false
    }

    /// Clusters all records except at most `most` of them, which the algorithm leaves out in its own way.
    /// Constraints that compare clusters with the table see the whole table here, so call [`mended`] with
    /// the problem of the records that are left.
    fn suppressing(&self, problem: &Problem, most: usize, progress: Progress) -> Result<Partition> {
        let _ = most;
        self.partition(problem, progress)
    }
}

/// Builds a partitioner from its parameters.
pub type Build = fn(&Params) -> Box<dyn Partitioner>;

/// All partitioners.
pub const ALL: &[Entry<Build>] = &[
    mondrian::ENTRY,
    hilbert::ENTRY,
    k_member::ENTRY,
    oka::ENTRY,
    k_means::ENTRY,
    c_means::ENTRY,
    dbkc::ENTRY,
    greedy::ENTRY,
    cb::ENTRY,
    sequential::ENTRY,
    agglomerative::ENTRY,
    aip::ENTRY,
    arp::ENTRY,
    anatomy::ENTRY,
    patterns::ENTRY,
    top_down::ENTRY,
    top_down_xu::ENTRY,
    full_domain::ENTRY,
    mdav::ENTRY,
    microaggregation::ENTRY,
    engine::ENTRY,
];

/// Builds the partitioner that `spec` names.
pub fn build(spec: &Spec) -> Result<Box<dyn Partitioner>> {
    let (entry, params) = registry::find(ALL, "partitioner", spec)?;
    Ok(Box::new(Mended((entry.build)(&params))))
}

/// A partition of these clusters in which those that break a constraint are united with others.
pub fn united(problem: &Problem, clusters: Vec<Vec<u32>>, progress: Progress) -> Result<Partition> {
    mending::unite_broken(problem, clusters, progress)
}

/// The partition with the clusters that break a constraint mended.
pub fn mended(problem: &Problem, partition: Partition, progress: Progress) -> Result<Partition> {
    mending::mend(problem, partition, progress)
}

/// A partitioner that mends the clusters that break a constraint.
struct Mended(Box<dyn Partitioner>);

impl Partitioner for Mended {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        mended(problem, self.0.partition(problem, progress)?, progress)
    }

    fn suppresses(&self) -> bool {
        self.0.suppresses()
    }

    fn needs_suppression(&self) -> bool {
        self.0.needs_suppression()
    }

    fn recodes(&self) -> bool {
        self.0.recodes()
    }

    fn suppressing(&self, problem: &Problem, most: usize, progress: Progress) -> Result<Partition> {
        self.0.suppressing(problem, most, progress)
    }
}
