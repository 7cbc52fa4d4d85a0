//! Limits on the share that a sensitive value may have of a cluster: what frequency ℓ, (α, k) and β-likeness come down to.

use crate::encode::Code;
use crate::problem::{Cluster, Histogram};

/// Shares that differ by less than this part of them are equal: they are quotients of the same whole numbers, rounded.
pub(super) const ROUNDING: f64 = 1e-9;

/// How many records more a cluster needs until no value has more than its share of it.
pub(super) fn excess(cluster: &Cluster, histogram: &Histogram, most: impl Fn(Code) -> f64) -> f64 {
    let size = cluster.size() as f64;
    let needed = histogram.iter().map(|(code, times)| f64::from(times) / most(code)).fold(0.0, f64::max);
    positive(needed - size, size)
}

/// The least size of a cluster in which one record has no more than this share.
pub(super) fn size_of(share: f64) -> usize {
    if share > 0.0 { ((1.0 - ROUNDING) / share).ceil().max(1.0) as usize } else { 1 }
}

/// A number that is 0 where it is no more than rounding, compared with `scale`.
pub(super) fn positive(number: f64, scale: f64) -> f64 {
    if number <= ROUNDING * scale { 0.0 } else { number }
}
