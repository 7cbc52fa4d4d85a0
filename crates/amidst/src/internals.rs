//! The stages themselves, for the tests, the benchmarks and the trials of this project. They may change in any version.

macro_rules! stages {
    ($($stage:ident),* $(,)?) => { $(
        #[allow(missing_docs)]
        pub mod $stage {
            pub use crate::$stage::*;
        }
    )* };
}

stages![
    attack, bound, constraint, cost, encode, hierarchy, measure, notation, partition, problem, publish, read, refine,
    registry, risk, schema, suppress, usage, verify, write,
];

#[cfg(feature = "report")]
#[allow(missing_docs)]
pub mod chart {
    pub use crate::report::chart::*;
}

#[allow(missing_docs)]
pub mod report {
    use crate::report::Outcome;
    pub use crate::report::details::*;

    /// The details of a report, which users have as a page, as a text or as JSON.
    pub fn details(outcome: &Outcome) -> Option<&Details> {
        outcome.details.as_ref()
    }
}
