//! The measure that guides a search: fast costs of closures, for millions of requests.
//!
//! The search for better clusters follows a measure that is a sum over the columns, because then a record
//! that joins or leaves a cluster changes only a few numbers. If the objective is such a measure, and all
//! records pay alike by it ([`Measure::payers`]), the search follows it. Otherwise it follows the measure
//! that the objective [names](Measure::led_by). In either case the objective decides which changes are
//! kept. The costs of short columns are kept in tables.

use crate::cost::{self, Measure, Payer, Payers};
use crate::encode::{Code, Domain, Encoded, Span};
use crate::error::Result;
use crate::problem::Problem;
use crate::registry::Spec;

/// The largest number of values of a column that gets a table of all its ranges.
const MAX_RANGE_VALUES: usize = 512;
/// The largest number of values of a column that gets a table of all its sets.
const MAX_SET_VALUES: usize = 12;

/// The cost of every closure, column by column.
pub(crate) struct Surrogate<'a> {
    encoded: &'a Encoded,
    objective: &'a dyn Measure,
    /// The measure to follow, if it is not the objective.
    own: Option<Box<dyn Measure>>,
    tables: Vec<Table>,
    /// The columns with more than one value, or all columns if there are none.
    varying: Vec<usize>,
    /// Whether the objective itself is followed.
    exact: bool,
}

/// The costs of the closures of a column.
enum Table {
    /// The number of codes; then the costs by the lowest and the highest code.
    Ranges(usize, Vec<f32>),
    /// The costs by the number of values.
    Counts(Vec<f32>),
    /// The costs by the bits of the set.
    Sets(Vec<f32>),
    /// The costs of single values, and that of everything.
    Single(Vec<f32>, f32),
    /// No table: the measure is asked.
    Asked,
}

impl<'a> Surrogate<'a> {
    pub(crate) fn new(problem: &'a Problem) -> Result<Self> {
        let encoded = &*problem.encoded;
        let exact = problem.measure.payers() == Payers::Alike;
        let measure =
            if exact { None } else { Some(cost::build(&Spec::new(problem.measure.led_by()), &problem.encoded)?) };
        let mut varying: Vec<usize> =
            (0..encoded.domains().len()).filter(|column| encoded.domains()[*column].len() > 1).collect();
        if varying.is_empty() {
            varying.extend(0..encoded.domains().len());
        }
        let objective = &*problem.measure;
        let mut surrogate = Surrogate { encoded, own: measure, objective, tables: Vec::new(), varying, exact };
        surrogate.tables = (0..surrogate.columns()).map(|column| surrogate.table(column)).collect();
        Ok(surrogate)
    }

    /// The records.
    pub(crate) fn encoded(&self) -> &'a Encoded {
        self.encoded
    }

    /// The number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.encoded.domains().len()
    }

    /// The columns that tell records apart, or all columns if none does. Random choices and effort depend
    /// only on these, so that columns with a single value change nothing.
    pub(crate) fn varying(&self) -> &[usize] {
        &self.varying
    }

    /// The domain of a column.
    #[inline]
    pub(crate) fn domain(&self, column: usize) -> &'a Domain {
        &self.encoded.domains()[column]
    }

    /// Whether the objective itself is followed.
    pub(crate) fn exact(&self) -> bool {
        self.exact
    }

    fn measure(&self) -> &dyn Measure {
        self.own.as_deref().unwrap_or(self.objective)
    }

    fn asked(&self, column: usize, span: Span) -> f32 {
        self.measure().part(column, span, Payer::default()) as f32
    }

    fn table(&self, column: usize) -> Table {
        let domain = self.domain(column);
        let len = domain.len();
        if domain.is_set() && self.measure().counts_values() {
            let first = |count: usize| self.asked(column, Span::mask(u64::MAX >> (64 - count)));
            return Table::Counts((0..=len).map(|count| if count == 0 { 0.0 } else { first(count) }).collect());
        }
        if domain.is_set() && len <= MAX_SET_VALUES {
            let set = |bits: u64| if bits == 0 { 0.0 } else { self.asked(column, Span::mask(bits)) };
            return Table::Sets((0..1 << len).map(set).collect());
        }
        if domain.is_suppress() {
            let single = |code: usize| self.asked(column, Span::range(code as Code, code as Code));
            return Table::Single((0..len).map(single).collect(), self.asked(column, domain.everything()));
        }
        if domain.is_set() || len > MAX_RANGE_VALUES {
            return Table::Asked;
        }
        let mut table = vec![0.0; len * len];
        for lo in 0..len {
            for hi in lo..len {
                table[lo * len + hi] = self.asked(column, Span::range(lo as Code, hi as Code));
            }
        }
        Table::Ranges(len, table)
    }

    /// What each record pays in a column with this joined span.
    #[inline]
    pub(crate) fn cost(&self, column: usize, span: Span) -> f32 {
        match &self.tables[column] {
            Table::Ranges(len, table) => table[span.lo() as usize * len + span.hi() as usize],
            Table::Counts(table) => table[span.bits().count_ones() as usize],
            Table::Sets(table) => table[span.bits() as usize],
            Table::Single(table, everything) => {
                if span.lo() == span.hi() {
                    table[span.lo() as usize]
                } else {
                    *everything
                }
            }
            Table::Asked => self.asked(column, span),
        }
    }

    /// Whether a span has a value, so that nothing changes if it joins.
    #[inline]
    pub(crate) fn has(&self, column: usize, span: Span, code: Code) -> bool {
        match &self.tables[column] {
            Table::Counts(_) | Table::Sets(_) => span.bits() & 1 << code != 0,
            Table::Asked if self.domain(column).is_set() => span.bits() & 1 << code != 0,
            _ => span.lo() <= code && code <= span.hi(),
        }
    }

    /// For each of many spans, what each record pays if a value joins; added to `sums`.
    pub(crate) fn add_joined(&self, column: usize, spans: &[Span], code: Code, sums: &mut [f32]) {
        let each = sums.iter_mut().zip(spans);
        match &self.tables[column] {
            Table::Ranges(len, table) => each.for_each(|(sum, span)| {
                *sum += table[span.lo().min(code) as usize * len + span.hi().max(code) as usize];
            }),
            Table::Counts(table) => {
                each.for_each(|(sum, span)| *sum += table[(span.bits() | 1 << code).count_ones() as usize]);
            }
            Table::Sets(table) => each.for_each(|(sum, span)| *sum += table[(span.bits() | 1 << code) as usize]),
            Table::Single(table, everything) => {
                let single = Span::range(code, code);
                each.for_each(|(sum, span)| *sum += if *span == single { table[code as usize] } else { *everything });
            }
            Table::Asked => each.for_each(|(sum, span)| *sum += self.joined(column, *span, code)),
        }
    }

    /// What each record pays if a value joins.
    #[inline]
    pub(crate) fn joined(&self, column: usize, span: Span, code: Code) -> f32 {
        match &self.tables[column] {
            Table::Ranges(len, table) => {
                return table[span.lo().min(code) as usize * len + span.hi().max(code) as usize];
            }
            Table::Counts(table) => return table[(span.bits() | 1 << code).count_ones() as usize],
            Table::Sets(table) => return table[(span.bits() | 1 << code) as usize],
            Table::Single(..) | Table::Asked => {}
        }
        let domain = self.domain(column);
        self.cost(column, domain.join(span, domain.span(code)))
    }

    /// For each of many values, what each record pays if that value joins.
    pub(crate) fn joined_each(&self, column: usize, span: Span, codes: &[Code], costs: &mut Vec<f32>) {
        costs.clear();
        match &self.tables[column] {
            Table::Ranges(len, table) => costs.extend(
                codes.iter().map(|code| table[span.lo().min(*code) as usize * len + span.hi().max(*code) as usize]),
            ),
            Table::Counts(table) => {
                costs.extend(codes.iter().map(|code| table[(span.bits() | 1 << code).count_ones() as usize]));
            }
            _ => costs.extend(codes.iter().map(|code| self.joined(column, span, *code))),
        }
    }

    /// What each record pays in a cluster with this closure.
    pub(crate) fn closure(&self, spans: &[Span]) -> f32 {
        spans.iter().enumerate().map(|(column, span)| self.cost(column, *span)).sum()
    }
}
