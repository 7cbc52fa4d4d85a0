//! Limits on the share of a cluster that a sensitive value may have. Frequency ℓ, (α, k) and β-likeness are
//! built on them.

use crate::encode::Code;
use crate::problem::{Cluster, Histogram};

/// Relative tolerance: shares that differ by less are equal. They are rounded quotients of the same whole
/// numbers.
pub(super) const ROUNDING: f64 = 1e-9;

/// How many more records a cluster needs until no value exceeds its share, which `most` names for each
/// code.
pub(super) fn excess(cluster: &Cluster, histogram: &Histogram, most: impl Fn(Code) -> f64) -> f64 {
    let size = cluster.size() as f64;
    let needed = histogram.iter().map(|(code, times)| f64::from(times) / most(code)).fold(0.0, f64::max);
    positive(needed - size, size)
}

/// The smallest cluster in which a single record has at most this share.
pub(super) fn size_of(share: f64) -> usize {
    if share > 0.0 { ((1.0 - ROUNDING) / share).ceil().max(1.0) as usize } else { 1 }
}

/// The number, or 0 where it is within rounding of 0 compared with `scale`.
pub(super) fn positive(number: f64, scale: f64) -> f64 {
    if number <= ROUNDING * scale { 0.0 } else { number }
}
