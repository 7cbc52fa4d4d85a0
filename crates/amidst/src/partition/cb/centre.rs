//! The centres of the two sides.

use crate::encode::Code;
use crate::problem::{Cluster, Histogram, Problem};

/// A made-up record in the middle of a side.
#[derive(PartialEq)]
pub(super) struct Centre {
    codes: Vec<Code>,
    /// Its value in each sensitive column that the measure or a constraint looks at.
    sensitive: Vec<Code>,
}

/// The centres of both sides.
#[derive(PartialEq)]
pub(super) struct Centres(pub(super) [Centre; 2]);

impl Centres {
    /// Two rows as centres.
    pub(super) fn at(problem: &Problem, rows: [u32; 2]) -> Self {
        Centres(rows.map(|row| Centre {
            codes: problem.encoded.row(row).to_vec(),
            sensitive: problem.watched().iter().map(|s| s.row(row)).collect(),
        }))
    }

    /// The means of two sides; `None` if one is empty.
    pub(super) fn of(problem: &Problem, sides: &[Vec<u32>; 2]) -> Option<Self> {
        let [a, b] = sides.each_ref().map(|rows| Centre::of(problem, rows));
        Some(Centres([a?, b?]))
    }
}

impl Centre {
    fn of(problem: &Problem, rows: &[u32]) -> Option<Self> {
        if rows.is_empty() {
            return None;
        }
        let domains = problem.encoded.domains();
        let has_mean: Vec<bool> = domains.iter().map(|d| d.extent(d.span(0)).is_some() && !d.is_set()).collect();
        let mut sums = vec![0_u64; domains.len()];
        let mut counts: Vec<Vec<u32>> =
            domains.iter().zip(&has_mean).map(|(d, mean)| vec![0; if *mean { 0 } else { d.len() }]).collect();
        for row in rows {
            for (column, code) in problem.encoded.row(*row).iter().enumerate() {
                if has_mean[column] {
                    sums[column] += u64::from(*code);
                } else {
                    counts[column][*code as usize] += 1;
                }
            }
        }
        let size = rows.len() as u64;
        let code = |column: usize| {
            if has_mean[column] { ((2 * sums[column] + size) / (2 * size)) as Code } else { most(&counts[column]) }
        };
        let codes = (0..domains.len()).map(code).collect();
        let sensitive = problem.watched().iter().map(|sensitive| {
            let mut counts = vec![0; sensitive.values().len()];
            rows.iter().for_each(|row| counts[sensitive.row(*row) as usize] += 1);
            most(&counts)
        });
        Some(Centre { codes, sensitive: sensitive.collect() })
    }

    /// The cluster that holds only this record.
    pub(super) fn cluster(&self, problem: &Problem) -> Cluster {
        let spans = problem.encoded.domains().iter().zip(&self.codes).map(|(d, code)| d.span(*code));
        let histograms = self.sensitive.iter().map(|value| {
            let mut histogram = Histogram::default();
            histogram.add(*value, 1);
            histogram
        });
        Cluster::new(1, spans.collect(), histograms.collect())
    }
}

/// The first of the most frequent codes.
fn most(counts: &[u32]) -> Code {
    let first = |a: (usize, u32), b: (usize, u32)| if b.1 > a.1 { b } else { a };
    counts.iter().copied().enumerate().reduce(first).map_or(0, |(code, _)| code as Code)
}
