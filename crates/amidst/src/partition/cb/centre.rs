//! The centres of the two sides, and what sides cost as they grow from there.

use crate::cost::{Payer, Payers};
use crate::encode::{Code, Domain, Span};
use crate::problem::{Cluster, Histogram, Problem};

/// Columns of more values have no table of all ranges.
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

/// What every range of a column costs, for all columns.
///
/// By most measures a cluster costs its size times a sum over the columns ([`part`](crate::cost::Measure::part)), and a
/// range is told by its two bounds, so a table has them all. Sets are asked for, but only where they grow.
pub(super) struct Parts<'a> {
    problem: &'a Problem,
    /// `None` for measures that are no such sum.
    columns: Option<Vec<Column<'a>>>,
}

struct Column<'a> {
    problem: &'a Problem,
    number: usize,
    domain: &'a Domain,
    /// By the two bounds; empty for sets and for columns of very many values.
    table: Vec<f64>,
}

impl<'a> Column<'a> {
    fn new(problem: &'a Problem, number: usize) -> Self {
        let domain = &problem.encoded.domains()[number];
        let (part, codes) = (|span| problem.measure.part(number, span, Payer::default()), 0..domain.len() as Code);
        let ranges = |lo: Code| codes.clone().map(move |hi| Span::range(lo.min(hi), lo.max(hi)));
        let tabled = !domain.is_set() && domain.len() <= TABLED;
        let table = if tabled { codes.clone().flat_map(ranges).map(part).collect() } else { Vec::new() };
        Column { problem, number, domain, table }
    }

    fn part(&self, span: Span) -> f64 {
        if self.table.is_empty() {
            return self.problem.measure.part(self.number, span, Payer::default());
        }
        self.table[span.lo() as usize * self.domain.len() + span.hi() as usize]
    }
}

impl<'a> Parts<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let columns = || (0..problem.encoded.domains().len()).map(|number| Column::new(problem, number)).collect();
        Parts { problem, columns: (problem.measure.payers() == Payers::Alike).then(columns) }
    }

    /// A side that begins with a made-up record.
    pub(super) fn grown_from(&'a self, centre: &Centre) -> Side<'a> {
        let spans = self.problem.encoded.domains().iter().zip(&centre.codes).map(|(d, code)| d.span(*code));
        let histograms = centre.sensitive.iter().map(|value| {
            let mut histogram = Histogram::default();
            histogram.add(*value, 1);
            histogram
        });
        self.side(Cluster::new(1, spans.collect(), histograms.collect()))
    }

    /// A side that begins with a cluster.
    pub(super) fn side(&'a self, cluster: Cluster) -> Side<'a> {
        let part = |(column, span): (&'a Column<'a>, &Span)| (column, *span, column.part(*span));
        let columns = self.columns.as_ref().map(|columns| columns.iter().zip(cluster.closure()).map(part).collect());
        let cost = self.problem.measure.cluster(&cluster);
        Side { problem: self.problem, cluster, columns, cost }
    }
}

/// A side as it grows.
pub(super) struct Side<'a> {
    problem: &'a Problem,
    cluster: Cluster,
    /// The closure and the part of each column, where the measure has parts.
    columns: Option<Vec<(&'a Column<'a>, Span, f64)>>,
    cost: f64,
}

impl Side<'_> {
    /// What it would cost with one row more.
    fn cost_with(&self, row: u32) -> f64 {
        if let Some(columns) = &self.columns {
            let parts = columns.iter().zip(self.problem.encoded.row(row)).map(|((column, span, part), code)| {
                // Most values lie in the closure already.
                let joined = column.domain.join(*span, column.domain.span(*code));
                if joined == *span { *part } else { column.part(joined) }
            });
            return (self.cluster.size() as f64 + 1.0) * parts.sum::<f64>();
        }
        let mut with = self.cluster.clone();
        self.problem.add(&mut with, row);
        self.problem.measure.cluster(&with)
    }

    /// What one row more would add to its cost.
    pub(super) fn growth(&self, row: u32) -> f64 {
        self.cost_with(row) - self.cost
    }

    pub(super) fn add(&mut self, row: u32) {
        self.cost = self.cost_with(row);
        self.problem.add(&mut self.cluster, row);
        for ((column, span, part), joined) in self.columns.iter_mut().flatten().zip(self.cluster.closure()) {
            if span != joined {
                *span = *joined;
                *part = column.part(*joined);
            }
        }
    }

    /// The place of the first of the rows that cost least.
    pub(super) fn cheapest(&self, rows: &[u32]) -> usize {
        let cost = |row: &u32| self.cost_with(*row) - self.problem.measure.record(*row);
        let first = |a: (usize, f64), b: (usize, f64)| if b.1 < a.1 { b } else { a };
        rows.iter().map(cost).enumerate().reduce(first).map_or(0, |(place, _)| place)
    }
}
