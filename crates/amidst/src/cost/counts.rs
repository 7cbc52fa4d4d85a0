//! Counts of the records that have a value in a closure, c(R̄), for the entropy measures.

use crate::encode::{Code, Domain, Encoded, Span};

/// Running sums over the codes of a column. They give the sum over a range of codes in constant time.
pub(super) struct Sums {
    /// The value of each code.
    each: Vec<f64>,
    /// For each code, the sum over all codes before it.
    before: Vec<f64>,
}

impl Sums {
    pub(super) fn new(each: Vec<f64>) -> Self {
        let mut sum = 0.0;
        let mut before = vec![0.0];
        before.extend(each.iter().map(|value| {
            sum += value;
            sum
        }));
        Sums { each, before }
    }

    /// The sum over the codes of a closed span.
    pub(super) fn over(&self, domain: &Domain, span: Span) -> f64 {
        if domain.is_set() {
            domain.codes(span).map(|code| self.each[code as usize]).sum()
        } else {
            self.before[span.hi() as usize + 1] - self.before[span.lo() as usize]
        }
    }

    /// The sum over all codes.
    pub(super) fn total(&self) -> f64 {
        self.before[self.each.len()]
    }

    /// The value of one code.
    pub(super) fn at(&self, code: Code) -> f64 {
        self.each[code as usize]
    }
}

/// For each column, how often each code occurs.
pub(super) fn occurrences(encoded: &Encoded) -> Vec<Vec<f64>> {
    let mut counts: Vec<Vec<f64>> = encoded.domains().iter().map(|d| vec![0.0; d.len()]).collect();
    for tuple in 0..encoded.tuples() as u32 {
        let times = encoded.rows_of(tuple).len() as f64;
        for (column, code) in counts.iter_mut().zip(encoded.tuple(tuple)) {
            column[*code as usize] += times;
        }
    }
    counts
}

/// x · log₂ x, continued by 0 at 0.
pub(super) fn xlog2(x: f64) -> f64 {
    if x > 0.0 { x * x.log2() } else { 0.0 }
}
