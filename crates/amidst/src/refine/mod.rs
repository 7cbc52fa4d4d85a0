//! Algorithms that improve a partition, whichever algorithm made it.
//!
//! Each refiner has a file with a page about it. They are asked for by name: `--refine large-neighbourhood` on the
//! command line, `refine = ["large-neighbourhood"]` in a plan.

pub mod anatomy;
pub mod arp;
pub mod large_neighbourhood;

use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{self, Entry, Params, Spec};

/// An algorithm that improves a partition.
///
/// The result satisfies every constraint that the given partition satisfies, and costs no more.
pub trait Refiner: Send + Sync {
    /// Improves `partition`.
    fn refine(&self, problem: &Problem, partition: Partition, progress: Progress) -> Result<Partition>;
}

/// Builds a refiner from its parameters.
pub type Build = fn(&Params) -> Box<dyn Refiner>;

/// All refiners.
pub const ALL: &[Entry<Build>] = &[large_neighbourhood::ENTRY, arp::ENTRY, anatomy::ENTRY];

/// Builds the refiner that `spec` names.
pub fn build(spec: &Spec) -> Result<Box<dyn Refiner>> {
    let (entry, params) = registry::find(ALL, "refiner", spec)?;
    Ok((entry.build)(&params))
}
