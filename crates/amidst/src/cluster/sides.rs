//! The cost of the sides of a split while they grow.

use std::cmp::Ordering;

use crate::cost::{Payer, Payers};
use crate::encode::{Code, Domain, Span};
use crate::problem::{Cluster, Problem};
use crate::registry::{Param, Params, Range, Value};

/// The largest number of values of a column that gets a table of all ranges.
const MAX_TABLED_VALUES: usize = 1024;

/// The rule by which a record goes to one of two sides.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compare {
    /// To the side whose loss it raises less.
    Increase,
    /// To the side that loses less with it.
    Penalty,
}

impl Compare {
    /// The parameter `compare`.
    pub(crate) const PARAM: Param = Param {
        name: "compare",
        about: "a record goes to the side whose loss it raises less (increase), or that loses less with it (penalty)",
        range: Range::Choice(&["increase", "penalty"]),
        default: Some(Value::Word("increase")),
    };

    pub(crate) fn of(params: &Params) -> Self {
        if params.word(Self::PARAM.name) == "penalty" { Compare::Penalty } else { Compare::Increase }
    }
}

/// Deals rows to two growing sides, each row to the better one. If both are equally good, it goes to the
/// side with fewer rows so far, and then to the first.
pub(crate) fn assign(
    growing: &mut [Side; 2],
    sides: &mut [Vec<u32>; 2],
    compare: Compare,
    rows: impl Iterator<Item = u32>,
) {
    for row in rows {
        let [first, second] = growing.each_ref().map(|side| match compare {
            Compare::Increase => side.cost_with(row) - side.cost,
            Compare::Penalty => side.cost_with(row),
        });
        // With PMI, a made-up record can have an infinite cost. Then there is no order, which counts as a
        // tie.
        let side = match first.partial_cmp(&second) {
            Some(Ordering::Less) => 0,
            Some(Ordering::Greater) => 1,
            _ => usize::from(sides[1].len() < sides[0].len()),
        };
        growing[side].add(row);
        sides[side].push(row);
    }
}

/// The costs of all ranges of all columns.
///
/// By most measures the cost of a cluster is its size times a sum over the columns
/// ([`part`](crate::cost::Measure::part)). Two bounds identify a range, so a table holds all of them. For
/// sets the measure is asked, but only when they grow.
pub(crate) struct Parts<'a> {
    problem: &'a Problem,
    /// `None` for measures that are no such sum.
    columns: Option<Vec<SideColumn<'a>>>,
}

/// The costs of a column.
struct SideColumn<'a> {
    problem: &'a Problem,
    number: usize,
    domain: &'a Domain,
    /// The costs by the two bounds. Empty for sets and for columns with very many values.
    table: Vec<f64>,
}

impl<'a> SideColumn<'a> {
    fn new(problem: &'a Problem, number: usize) -> Self {
        let domain = &problem.encoded.domains()[number];
        let (part, codes) = (|span| problem.measure.part(number, span, Payer::default()), 0..domain.len() as Code);
        let ranges = |lo: Code| codes.clone().map(move |hi| Span::range(lo.min(hi), lo.max(hi)));
        let tabled = !domain.is_set() && domain.len() <= MAX_TABLED_VALUES;
        let table = if tabled { codes.clone().flat_map(ranges).map(part).collect() } else { Vec::new() };
        SideColumn { problem, number, domain, table }
    }

    fn part(&self, span: Span) -> f64 {
        if self.table.is_empty() {
            return self.problem.measure.part(self.number, span, Payer::default());
        }
        self.table[span.lo() as usize * self.domain.len() + span.hi() as usize]
    }
}

impl<'a> Parts<'a> {
    pub(crate) fn new(problem: &'a Problem) -> Self {
        let columns = || (0..problem.encoded.domains().len()).map(|number| SideColumn::new(problem, number)).collect();
        Parts { problem, columns: (problem.measure.payers() == Payers::Alike).then(columns) }
    }

    /// A side that begins with a cluster.
    pub(crate) fn side(&'a self, cluster: Cluster) -> Side<'a> {
        let part = |(column, span): (&'a SideColumn<'a>, &Span)| (column, *span, column.part(*span));
        let columns = self.columns.as_ref().map(|columns| columns.iter().zip(cluster.closure()).map(part).collect());
        let cost = self.problem.measure.cluster(&cluster);
        Side { problem: self.problem, cluster, columns, cost }
    }
}

/// A growing side.
pub(crate) struct Side<'a> {
    problem: &'a Problem,
    cluster: Cluster,
    /// The closure and the cost of each column, if the measure has parts.
    columns: Option<Vec<(&'a SideColumn<'a>, Span, f64)>>,
    cost: f64,
}

impl Side<'_> {
    /// The cost with one more row.
    pub(crate) fn cost_with(&self, row: u32) -> f64 {
        if let Some(columns) = &self.columns {
            let parts = columns.iter().zip(self.problem.encoded.row(row)).map(|((column, span, part), code)| {
                // Most values already lie in the closure.
                let joined = column.domain.join(*span, column.domain.span(*code));
                if joined == *span { *part } else { column.part(joined) }
            });
            return (self.cluster.size() as f64 + 1.0) * parts.sum::<f64>();
        }
        let mut with = self.cluster.clone();
        self.problem.add(&mut with, row);
        self.problem.measure.cluster(&with)
    }

    /// The cost of the side.
    pub(crate) fn cost(&self) -> f64 {
        self.cost
    }

    pub(crate) fn add(&mut self, row: u32) {
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
    pub(crate) fn cheapest(&self, rows: &[u32]) -> usize {
        let first = |a: (usize, f64), b: (usize, f64)| if b.1 < a.1 { b } else { a };
        rows.iter().map(|row| self.net(*row)).enumerate().reduce(first).map_or(0, |(place, _)| place)
    }

    /// The cost with one more row, minus the constant of that row. Differences between rows are those of
    /// the losses.
    pub(crate) fn net(&self, row: u32) -> f64 {
        self.cost_with(row) - self.problem.measure.record(row)
    }
}
