//! What parts are counted in, so that costs that are equal by definition are equal numbers.
//!
//! A share of 1/14 has no exact double, and neither has 2/3 of a column. Sums of such numbers depend on their order in the
//! last bit, and that bit would decide between clusters that cost the same. So nothing is divided until the [end](Units::mean):
//!
//! - A column counts by its weight, not by its share of all weights. A column of one value adds zeros, and changes no cost.
//! - Where the cells of a column are multiples of 1/d (the values or leaves of a column, the years of its extent, the levels of its
//!   tree), their unit is the d-th part or less: all parts are multiplied by the least common multiple D of the columns' d,
//!   and are whole numbers then. A weight of few decimals counts as a fraction, too. Columns whose d would make D larger than 2²⁰ stay
//!   aside, the largest d first.
//! - Every other part (logarithms, such columns) is rounded to a multiple of 2⁻³⁶ of the whole column with the largest weight.
//!
//! Sums, differences, and products with numbers of records are exact from there on, as long as a cluster has fewer than
//! 2¹⁷ cells (records times weights), and whole parts far beyond that. So costs made of the same parts are equal in whatever order
//! they are added up, and where all parts are whole, costs are equal exactly if they are so by definition.
//! What is rounded is off by 2⁻³⁷ ≈ 7 · 10⁻¹² of a column at most. So two different costs are made equal only if they differ by less than
//! that in each of their cells on average. The logarithms of two counts below 2³² differ by more than 2⁻³², so no two single parts of MI are.

use crate::encode::{Domain, Encoded, gcd};

/// The common denominator is at most so large: the rounding that algorithms allow for, 10⁻¹² of a cost, is less than one unit then
/// in all clusters of less than 10⁶ cells.
const LARGEST: u64 = 1 << 20;

/// Parts are multiples of 2 to the power of minus this, as a share of the column with the largest weight.
const GRID: f64 = 36.0;

/// Weights are fractions of such denominators.
const WEIGHTS: u64 = 1000;

/// How the columns' parts are counted.
pub(super) struct Units {
    /// What a whole column of each number counts.
    columns: Vec<f64>,
    /// What all columns count together.
    all: f64,
    /// What a column of weight 1 counts.
    common: f64,
    /// One over the grid.
    fine: f64,
}

impl Units {
    /// For cells that are multiples of one over `denominator`, where that is known.
    pub(super) fn new(encoded: &Encoded, denominator: impl Fn(&Domain) -> Option<u64>) -> Self {
        // Columns of one value cost nothing, whatever the unit.
        let paid = || encoded.domains().iter().filter(|domain| domain.weight() > 0.0 && domain.len() > 1);
        let of = |domain| Some(denominator(domain)?.checked_mul(fraction(domain.weight())?)?.max(1));
        let mut denominators: Vec<u64> = paid().filter_map(of).collect();
        denominators.sort_unstable();
        let join = |a: u64, b: u64| (a / gcd(a, b)).checked_mul(b).filter(|joined| *joined <= LARGEST).unwrap_or(a);
        let common = denominators.into_iter().fold(1, join);
        let columns: Vec<f64> = encoded.domains().iter().map(|d| d.weight().max(0.0) * common as f64).collect();
        let all: f64 = columns.iter().sum();
        let largest = paid().map(Domain::weight).fold(0.0, f64::max) * common as f64;
        Units {
            columns,
            all: if all > 0.0 { all } else { 1.0 },
            common: common as f64,
            fine: f64::exp2(if largest > 0.0 { GRID - largest.log2().floor() } else { GRID }),
        }
    }

    /// What a cell that costs so much counts.
    #[inline]
    pub(super) fn part(&self, column: usize, cell: f64) -> f64 {
        self.exact(self.columns[column] * cell)
    }

    /// The nearest multiple of the grid. Whole numbers are their own.
    #[inline]
    pub(super) fn exact(&self, part: f64) -> f64 {
        (part * self.fine).round() / self.fine
    }

    /// The sum over the columns of what their cells count.
    pub(super) fn sum(&self, cell: impl Fn(usize) -> f64) -> f64 {
        (0..self.columns.len()).filter(|column| self.columns[*column] > 0.0).map(|c| self.part(c, cell(c))).sum()
    }

    /// A sum of parts as the mean over columns and rows.
    pub(super) fn mean(&self, sum: f64, rows: usize) -> f64 {
        sum / self.all / rows as f64
    }

    /// A sum of parts as the sum over columns and rows.
    pub(super) fn total(&self, sum: f64) -> f64 {
        sum / self.common
    }
}

/// The denominator of a weight; `None` where it has a large one.
fn fraction(weight: f64) -> Option<u64> {
    (1..=WEIGHTS).find(|denominator| {
        let times = weight * *denominator as f64;
        (times - times.round()).abs() <= 1e-9 * times.abs()
    })
}
