//! Privacy models: what every cluster must satisfy.

mod k_anonymity;

use crate::error::Result;
use crate::plan::Privacy;
use crate::problem::Cluster;
use crate::registry::{self, Entry, Params, Spec};

/// What every cluster must satisfy, judged from its size and its histograms of sensitive values alone.
pub trait Constraint: Send + Sync {
    /// True when the cluster satisfies it.
    fn holds(&self, cluster: &Cluster) -> bool;

    /// True when two clusters that hold always hold together.
    fn monotone(&self) -> bool;

    /// The size below which no cluster can hold.
    fn min_size(&self) -> usize;

    /// Refuses what not even the whole table in one cluster satisfies, and says what can be had.
    fn feasible(&self, whole: &Cluster) -> Result<()>;
}

/// How constraints are built.
pub type Build = fn(&Params) -> Box<dyn Constraint>;

/// All constraints.
pub const ALL: &[Entry<Build>] = &[k_anonymity::ENTRY];

/// The constraint that `spec` asks for.
pub fn build(spec: &Spec) -> Result<Box<dyn Constraint>> {
    let (entry, params) = registry::find(ALL, "constraint", spec)?;
    Ok((entry.build)(&params))
}

/// Everything that `privacy` asks for.
pub fn all(privacy: &Privacy) -> Result<Vec<Box<dyn Constraint>>> {
    Ok(vec![build(&Spec::new(format!("k-anonymity(k={})", privacy.k)))?])
}
