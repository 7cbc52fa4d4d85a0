//! Building blocks of clustering algorithms. The algorithms themselves are in
//! [`partition`](crate::partition) and [`refine`](crate::refine).

pub(crate) mod buckets;
pub(crate) mod centroids;
pub(crate) mod dealing;
pub(crate) mod groups;
pub(crate) mod joining;
pub(crate) mod large_neighbourhood;
pub(crate) mod local_growth;
pub(crate) mod mending;
pub(crate) mod merging;
pub(crate) mod patterns;
pub(crate) mod points;
pub(crate) mod sides;
pub(crate) mod surrogate;
pub(crate) mod top_down;

pub(crate) use buckets::{Game, L, parts};
pub(crate) use dealing::{Dealing, PICK, order};
pub(crate) use large_neighbourhood::{Budget, bisect, halving_gains, improve};
pub(crate) use surrogate::Surrogate;
