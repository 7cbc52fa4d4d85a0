//! Units of costs. They make costs that are equal by definition equal as floating-point numbers.
//!
//! A share of 1/14 has no exact double, and neither has 2/3 of a column. The last bit of a sum of such
//! numbers depends on their order, and that bit would decide between clusters that cost the same. So
//! nothing is divided until the [end](Units::mean):
//!
//! - A column counts by its weight, not by its share of all weights. A column with a single value adds
//!   zeros and changes no cost.
//! - In many columns the cells are multiples of 1/d: d is the number of values or leaves, of years in the
//!   extent, or of levels of the tree. All parts are multiplied by D, the least common multiple of the d of
//!   the columns, and so become whole numbers. A weight with few decimals counts as a fraction, too.
//!   Columns whose d would raise D above 2²⁰ are left out, the largest d first.
//! - Every other part (logarithms, and the columns that were left out) is rounded to a multiple of 2⁻³⁶ of
//!   the column with the largest weight.
//!
//! From there on, sums, differences, and products with numbers of records are exact, as long as a cluster
//! has fewer than 2¹⁷ cells (records times weights); whole parts stay exact far beyond that. So costs of
//! the same parts are equal in whatever order they are added. If all parts are whole numbers, costs are
//! equal exactly if they are equal by definition. Rounding is off by at most 2⁻³⁷ ≈ 7 · 10⁻¹² of a column.
//! So two different costs become equal only if they differ by less than that in each cell on average. The
//! logarithms of two different counts below 2³² differ by more than 2⁻³², so no two different parts of MI
//! become equal.

use crate::encode::{Domain, Encoded, gcd};

/// The largest common denominator. Algorithms allow for rounding of 10⁻¹² of a cost; with this limit that is less than one
/// unit in all clusters of fewer than 10⁶ cells.
const MAX_COMMON_DENOMINATOR: u64 = 1 << 20;

/// Binary digits of a rounded part: parts are multiples of 2⁻³⁶ of the column with the largest weight.
const PART_BITS: f64 = 36.0;

/// The largest denominator of a weight that counts as a fraction.
const MAX_WEIGHT_DENOMINATOR: u64 = 1000;

/// The units of the columns of a table.
pub(super) struct Units {
    /// What a full cell of each column counts.
    columns: Vec<f64>,
    /// What full cells of all columns count together.
    all: f64,
    /// What a full cell of a column with weight 1 counts.
    common: f64,
    /// The reciprocal of the rounding step.
    fine: f64,
}

impl Units {
    /// Units for cells that are multiples of 1/d, where `denominator` returns d, or `None` if it is not
    /// known.
    pub(super) fn new(encoded: &Encoded, denominator: impl Fn(&Domain) -> Option<u64>) -> Self {
        // Columns of a single value cost nothing in any unit.
        let paid = || encoded.domains().iter().filter(|domain| domain.weight() > 0.0 && domain.len() > 1);
        let of = |domain| Some(denominator(domain)?.checked_mul(fraction(domain.weight())?)?.max(1));
        let mut denominators: Vec<u64> = paid().filter_map(of).collect();
        denominators.sort_unstable();
        let within_limit = |joined: &u64| *joined <= MAX_COMMON_DENOMINATOR;
        let join = |a: u64, b: u64| (a / gcd(a, b)).checked_mul(b).filter(within_limit).unwrap_or(a);
        let common = denominators.into_iter().fold(1, join);
        let columns: Vec<f64> = encoded.domains().iter().map(|d| d.weight().max(0.0) * common as f64).collect();
        let all: f64 = columns.iter().sum();
        let largest = paid().map(Domain::weight).fold(0.0, f64::max) * common as f64;
        Units {
            columns,
            all: if all > 0.0 { all } else { 1.0 },
            common: common as f64,
            fine: f64::exp2(if largest > 0.0 { PART_BITS - largest.log2().floor() } else { PART_BITS }),
        }
    }

    /// The part of a cell, from its cost between 0 and 1.
    #[inline]
    pub(super) fn part(&self, column: usize, cell: f64) -> f64 {
        self.exact(self.columns[column] * cell)
    }

    /// Rounds to the nearest multiple of the rounding step. Whole numbers stay as they are.
    #[inline]
    pub(super) fn exact(&self, part: f64) -> f64 {
        (part * self.fine).round() / self.fine
    }

    /// The sum of the parts of a row of cells.
    pub(super) fn sum(&self, cell: impl Fn(usize) -> f64) -> f64 {
        (0..self.columns.len()).filter(|column| self.columns[*column] > 0.0).map(|c| self.part(c, cell(c))).sum()
    }

    /// The mean over columns and rows, from a sum of parts.
    pub(super) fn mean(&self, sum: f64, rows: usize) -> f64 {
        sum / self.all / rows as f64
    }

    /// The sum over columns and rows, from a sum of parts.
    pub(super) fn total(&self, sum: f64) -> f64 {
        sum / self.common
    }
}

/// The denominator of a weight, or `None` if it is large.
fn fraction(weight: f64) -> Option<u64> {
    (1..=MAX_WEIGHT_DENOMINATOR).find(|denominator| {
        let times = weight * *denominator as f64;
        (times - times.round()).abs() <= 1e-9 * times.abs()
    })
}
