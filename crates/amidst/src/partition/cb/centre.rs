//! The centres of the two sides, and what records lose with them.

use crate::encode::{Code, Domain, Span};
use crate::problem::{Cluster, Histogram, Problem};

/// Columns of more values have no table of all pairs.
const TABLED: usize = 1024;

/// A made-up record in the middle of a side.
#[derive(PartialEq)]
pub(super) struct Centre {
    codes: Vec<Code>,
    /// Its value in each sensitive column that the measure looks at.
    sensitive: Vec<Code>,
}

#[derive(PartialEq)]
pub(super) struct Centres(pub(super) [Centre; 2]);

impl Centres {
    /// Two rows.
    pub(super) fn at(problem: &Problem, rows: [u32; 2]) -> Self {
        Centres(rows.map(|row| Centre {
            codes: problem.encoded.row(row).to_vec(),
            sensitive: problem.watched().iter().map(|s| s.row(row)).collect(),
        }))
    }

    /// The means of two sides; `None` where one is empty.
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
}

/// The first of the most frequent codes.
fn most(counts: &[u32]) -> Code {
    let first = |a: (usize, u32), b: (usize, u32)| if b.1 > a.1 { b } else { a };
    counts.iter().copied().enumerate().reduce(first).map_or(0, |(code, _)| code as Code)
}

/// What any two values of a column lose together, for all columns.
///
/// By most measures a cluster costs its size times a sum over the columns ([`part`](crate::cost::Measure::part)), and a
/// range has no more than two bounds. So a table of all pairs of codes has every range, and every set of two.
pub(super) struct Pairs<'a> {
    problem: &'a Problem,
    /// `None` for measures that are no such sum.
    columns: Option<Vec<Column<'a>>>,
}

pub(super) struct Column<'a> {
    number: usize,
    domain: &'a Domain,
    problem: &'a Problem,
    /// By the two codes; empty for columns of very many values.
    table: Vec<f64>,
}

impl Column<'_> {
    fn new<'a>(problem: &'a Problem, number: usize) -> Option<Column<'a>> {
        let domain = &problem.encoded.domains()[number];
        let (part, codes) = (|span| problem.measure.part(number, span), 0..domain.len() as Code);
        part(domain.span(0))?;
        let pairs = |a: Code| codes.clone().map(move |b| domain.join(domain.span(a), domain.span(b)));
        let few = domain.len() <= TABLED;
        let table = if few { codes.clone().flat_map(pairs).filter_map(part).collect() } else { Vec::new() };
        Some(Column { number, domain, problem, table })
    }

    fn part(&self, span: Span) -> f64 {
        if !self.table.is_empty() && !self.domain.is_set() {
            return self.table[span.lo() as usize * self.domain.len() + span.hi() as usize];
        }
        self.problem.measure.part(self.number, span).unwrap_or(0.0)
    }

    /// The part of the closure of two values.
    #[inline]
    fn pair(&self, a: Code, b: Code) -> f64 {
        if self.table.is_empty() {
            return self.part(self.domain.join(self.domain.span(a), self.domain.span(b)));
        }
        self.table[a as usize * self.domain.len() + b as usize]
    }
}

/// A centre, ready to be asked.
pub(super) enum Asked<'a> {
    Tabled { problem: &'a Problem, columns: Vec<(&'a Column<'a>, Code)> },
    Whole { problem: &'a Problem, centre: Cluster },
}

impl Asked<'_> {
    /// What the row and the centre lose together, up to a factor and the row's own part.
    #[inline]
    pub(super) fn cost(&self, row: u32) -> f64 {
        match self {
            Asked::Tabled { problem, columns } => {
                let codes = problem.encoded.row(row);
                columns.iter().zip(codes).map(|((column, centre), code)| column.pair(*centre, *code)).sum()
            }
            Asked::Whole { problem, centre } => {
                let mut both = centre.clone();
                problem.add(&mut both, row);
                problem.measure.cluster(&both)
            }
        }
    }
}

impl<'a> Pairs<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let columns = (0..problem.encoded.domains().len()).map(|number| Column::new(problem, number)).collect();
        Pairs { problem, columns }
    }

    pub(super) fn with(&'a self, centre: &Centre) -> Asked<'a> {
        let problem = self.problem;
        match &self.columns {
            Some(columns) => {
                Asked::Tabled { problem, columns: columns.iter().zip(centre.codes.iter().copied()).collect() }
            }
            None => {
                let spans = problem.encoded.domains().iter().zip(&centre.codes).map(|(d, code)| d.span(*code));
                let histograms = centre.sensitive.iter().map(|value| {
                    let mut histogram = Histogram::default();
                    histogram.add(*value, 1);
                    histogram
                });
                Asked::Whole { problem, centre: Cluster::new(1, spans.collect(), histograms.collect()) }
            }
        }
    }

    /// The place of the first of the rows that a cluster takes in at the least cost.
    pub(super) fn cheapest(&self, cluster: &Cluster, rows: &[u32]) -> usize {
        let problem = self.problem;
        let size = cluster.size() as f64 + 1.0;
        // Most values lie in the closure already.
        let inside: Option<Vec<(&Column, Span, f64)>> = self.columns.as_ref().map(|columns| {
            columns.iter().zip(cluster.closure()).map(|(column, span)| (column, *span, column.part(*span))).collect()
        });
        let cost = |row: u32| match &inside {
            Some(inside) => {
                let parts = inside.iter().zip(problem.encoded.row(row)).map(|((column, span, part), code)| {
                    let joined = column.domain.join(*span, column.domain.span(*code));
                    if joined == *span { *part } else { column.part(joined) }
                });
                size * parts.sum::<f64>() - problem.measure.record(row)
            }
            None => {
                let mut with = cluster.clone();
                problem.add(&mut with, row);
                problem.measure.cluster(&with) - problem.measure.record(row)
            }
        };
        let first = |a: (usize, f64), b: (usize, f64)| if b.1 < a.1 { b } else { a };
        rows.iter().map(|row| cost(*row)).enumerate().reduce(first).map_or(0, |(place, _)| place)
    }
}
