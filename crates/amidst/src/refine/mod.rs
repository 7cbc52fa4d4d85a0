//! Algorithms that improve a partition, whichever algorithm made it.

pub mod anatomy;
pub mod arp;
pub mod pools;

use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{self, Entry, Params, Spec};

/// Improves a partition.
///
/// The result satisfies every constraint that the given partition satisfies, and costs no more.
pub trait Refiner: Send + Sync {
    /// Improves `partition`.
    fn refine(&self, problem: &Problem, partition: Partition, progress: Progress) -> Result<Partition>;
}

/// How refiners are built.
pub type Build = fn(&Params) -> Box<dyn Refiner>;

/// All refiners.
pub const ALL: &[Entry<Build>] = &[pools::ENTRY, arp::ENTRY, anatomy::ENTRY];

/// The refiner that `spec` asks for.
pub fn build(spec: &Spec) -> Result<Box<dyn Refiner>> {
    let (entry, params) = registry::find(ALL, "refiner", spec)?;
    Ok((entry.build)(&params))
}
