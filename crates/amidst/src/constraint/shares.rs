//! Limits on the share of a cluster that a sensitive value may have. Frequency ℓ, (α, k) and β-likeness are
//! built on them.

use crate::encode::Code;
use crate::problem::{Borne, Cluster};

/// Relative tolerance: shares that differ by less are equal. They are rounded quotients of the same whole
/// numbers.
pub(super) const ROUNDING: f64 = 1e-9;

/// How many more persons a cluster needs until no value exceeds its share, which `most` names for each code. `held` says how much of the
/// cluster a value has.
pub(super) fn excess(cluster: &Cluster, place: usize, held: impl Fn(&Borne) -> f64, most: impl Fn(Code) -> f64) -> f64 {
    let persons = cluster.persons() as f64;
    let needed = cluster.values(place).map(|value| held(&value) / most(value.code)).fold(0.0, f64::max);
    positive(needed - persons, persons)
}

/// The number of persons who have a value at all.
pub(super) fn bearers(value: &Borne) -> f64 {
    f64::from(value.bearers)
}

/// The weight of a value if each person counts as one, split evenly over the person's records.
pub(super) fn weight(value: &Borne) -> f64 {
    value.weight
}

/// The share of the persons of a cluster who have its most frequent value.
pub(super) fn largest(cluster: &Cluster, place: usize) -> f64 {
    cluster.values(place).map(|value| bearers(&value)).fold(0.0, f64::max) / cluster.persons().max(1) as f64
}

/// The smallest cluster in which a single record has at most this share.
pub(super) fn size_of(share: f64) -> usize {
    if share > 0.0 { ((1.0 - ROUNDING) / share).ceil().max(1.0) as usize } else { 1 }
}

/// The number, or 0 where it is within rounding of 0 compared with `scale`.
pub(super) fn positive(number: f64, scale: f64) -> f64 {
    if number <= ROUNDING * scale { 0.0 } else { number }
}
