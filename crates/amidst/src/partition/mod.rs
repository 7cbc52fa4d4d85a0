//! Algorithms that form clusters.

mod agglomerative;
mod aip;
mod anatomy;
mod arp;
mod c_means;
mod cb;
mod centroid;
mod dbkc;
mod engine;
mod greedy;
mod groups;
mod hilbert;
mod joining;
mod k_means;
mod k_member;
mod merging;
mod mondrian;
mod oka;
mod patterns;
mod sequential;
mod settling;
mod sides;
mod top_down;
mod top_down_xu;

use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{self, Entry, Params, Spec};

/// Forms clusters of records.
///
/// Whatever the problem, every cluster of the result satisfies every constraint, and the result depends on the problem
/// (its seed included) alone, not on the number of threads.
pub trait Partitioner: Send + Sync {
    /// Clusters the records. Begins a stage of `progress`, and advances it often enough to be stopped soon.
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition>;
}

/// How partitioners are built.
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
    engine::ENTRY,
];

/// The partitioner that `spec` asks for.
pub fn build(spec: &Spec) -> Result<Box<dyn Partitioner>> {
    let (entry, params) = registry::find(ALL, "partitioner", spec)?;
    Ok(Box::new(Settled((entry.build)(&params))))
}

/// A partitioner whose clusters are mended where they break a constraint.
struct Settled(Box<dyn Partitioner>);

impl Partitioner for Settled {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        settling::settle(problem, self.0.partition(problem, progress)?, progress)
    }
}
