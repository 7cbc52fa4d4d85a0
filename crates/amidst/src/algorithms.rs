//! A page for every algorithm, measure, privacy model, form of release and adversary: idea, complexity, paper and an example.
//!
//! There is nothing to call here. A [`Plan`](crate::Plan) names what it wants, as do the functions of [`pipeline`](crate::pipeline).
//! [`pipeline::list`](crate::pipeline::list) has the names, parameters and defaults.

/// Algorithms that form clusters.
pub mod partitioners {
    pub use crate::partition::{
        agglomerative, aip, anatomy, arp, c_means, cb, dbkc, engine, full_domain, greedy, hilbert, k_means, k_member,
        mdav, microaggregation, mondrian, oka, patterns, sequential, top_down, top_down_xu,
    };
}

/// Algorithms that improve clusters.
pub mod refiners {
    pub use crate::refine::{anatomy, arp, large_neighbourhood};
}

/// Measures of loss that algorithms keep low.
pub mod objectives {
    pub use crate::cost::{am, byun, cm, dm, entropy, height, lm, mi, ncp, pmi, weighted_levels, wmi};
}

/// Measures that score a finished release.
pub mod scores {
    #[cfg(feature = "classification")]
    pub use crate::measure::classification;
    pub use crate::measure::{c_avg, glp, kl, phi2, pmi_norms, query, re, sse};
}

/// Privacy models: what a class of records must satisfy.
pub mod models {
    pub use crate::constraint::{
        alpha_k, basic_beta, delta_disclosure, distinct_l, enhanced_beta, entropy_l, frequency_l, household_k,
        k_anonymity, personal, recursive_l, t_closeness,
    };
}

/// Forms in which a release is published.
pub mod forms {
    pub use crate::publish::{anatomy, centres, generalization, randomization, ring, slicing};
}

/// Attacks that a release is tried with.
pub mod adversaries {
    pub use crate::attack::{downcoding, homogeneity, linking, order, rerun, skewness};
}
