//! How strongly columns go together: φ², the mean-square contingency.
//!
//! φ² = 1 / (min(d₁, d) − 1) · Σ_ij (f_ij − f_i· f_·j)² / (f_i· f_·j). It is 0 if the two columns are
//! independent, and 1 if one determines the other. The sum equals Σ_ij f_ij² / (f_i· f_·j) − 1, so pairs of
//! values that do not occur need no work.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Encoded;

/// The largest number of values of a number column that is not grouped.
const MAX_UNGROUPED_VALUES: usize = 20;
/// The number of groups of a number column with more values.
const NUMBER_GROUPS: usize = 10;

/// The order in which columns are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// First the columns that go together most with the sensitive column.
    Falling,
    /// First the columns that go together least with it.
    Rising,
}

/// The mass of each pair of values of two columns.
#[derive(Debug, Default)]
pub struct Contingency {
    joint: FxHashMap<(usize, usize), f64>,
}

impl Contingency {
    /// Adds `mass` to a pair.
    pub fn add(&mut self, a: usize, b: usize, mass: f64) {
        *self.joint.entry((a, b)).or_default() += mass;
    }

    /// The mean-square contingency; 0 if a column has a single value.
    pub fn phi2(&self) -> f64 {
        let mut pairs: Vec<_> = self.joint.iter().filter(|(_, mass)| **mass > 0.0).collect();
        pairs.sort_unstable_by_key(|(pair, _)| **pair);
        let mut firsts: FxHashMap<usize, f64> = FxHashMap::default();
        let mut seconds: FxHashMap<usize, f64> = FxHashMap::default();
        for ((a, b), mass) in &pairs {
            *firsts.entry(*a).or_default() += **mass;
            *seconds.entry(*b).or_default() += **mass;
        }
        let least = firsts.len().min(seconds.len());
        if least < 2 {
            return 0.0;
        }
        let sum: f64 = pairs.iter().map(|((a, b), mass)| **mass * **mass / (firsts[a] * seconds[b])).sum();
        (sum - 1.0).max(0.0) / (least - 1) as f64
    }
}

impl Encoded {
    /// The group of each code of a column, for φ²: its own group, or, for numbers with many values, one of
    /// ten groups with about equally many records.
    pub fn groups(&self, column: usize) -> Vec<usize> {
        let domain = &self.domains[column];
        if domain.len() <= MAX_UNGROUPED_VALUES || domain.extent(domain.everything()).is_none() {
            return (0..domain.len()).collect();
        }
        let mut before = 0;
        let group = |count: usize| {
            let group = before * NUMBER_GROUPS / self.rows();
            before += count;
            group
        };
        self.counts(column).into_iter().map(group).collect()
    }

    /// The number of rows with each code of a column.
    fn counts(&self, column: usize) -> Vec<usize> {
        let mut counts = vec![0; self.domains[column].len()];
        for tuple in 0..self.tuples() as u32 {
            counts[self.tuple(tuple)[column] as usize] += self.rows_of(tuple).len();
        }
        counts
    }

    /// The columns by φ² with the first sensitive column, equal ones in the order of the plan. If no column
    /// is sensitive, the columns with the fewest values come first, whatever the order.
    pub fn by_correlation(&self, order: Order) -> Vec<usize> {
        let sign = if order == Order::Rising { 1.0 } else { -1.0 };
        let rank = |column: usize| match self.sensitive().first() {
            None => self.counts(column).iter().filter(|count| **count > 0).count() as f64,
            Some(sensitive) => {
                let groups = self.groups(column);
                let mut contingency = Contingency::default();
                for row in 0..self.rows() as u32 {
                    contingency.add(groups[self.row(row)[column] as usize], sensitive.row(row) as usize, 1.0);
                }
                sign * contingency.phi2()
            }
        };
        let mut ranks: Vec<(usize, f64)> = (0..self.domains.len()).into_par_iter().map(|c| (c, rank(c))).collect();
        ranks.sort_by(|a, b| a.1.total_cmp(&b.1));
        ranks.into_iter().map(|(column, _)| column).collect()
    }

    /// All rows in the lexicographic order of these columns, which must be all columns. Equal rows keep the
    /// order of the table.
    pub fn lexicographic(&self, columns: &[usize]) -> Vec<u32> {
        let codes = |tuple: u32| columns.iter().map(move |column| self.tuple(tuple)[*column]);
        let mut tuples: Vec<u32> = (0..self.tuples() as u32).collect();
        tuples.par_sort_unstable_by(|a, b| codes(*a).cmp(codes(*b)));
        tuples.into_iter().flat_map(|tuple| self.rows_of(tuple)).copied().collect()
    }
}
