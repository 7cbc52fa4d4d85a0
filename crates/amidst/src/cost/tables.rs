//! Fast costs of clusters, for algorithms that ask for millions of them.
//!
//! By most measures the cost of a cluster is the sum of its columns' [parts](super::Measure::part) over its
//! records. A column has few closures, so its parts fit into a table with one number for each closure and
//! payer. The cost of a cluster, alone, with one record more or less, or united with another cluster, is
//! then a few look-ups. For other measures, and for columns whose table would be too large, the measure is
//! asked.

use super::{Payer, Payers};
use crate::encode::{Code, Domain, Span};
use crate::problem::{Cluster, Problem};

/// The largest number of closures of a column that gets a table.
const MAX_SPANS: usize = 1 << 18;
/// The largest number of values of a set column that gets a table.
const MAX_SET_VALUES: usize = 14;
/// The largest table, in numbers.
const MAX_TABLE_NUMBERS: usize = 1 << 20;

/// The costs of the clusters of a problem.
pub(crate) struct Costs<'a> {
    problem: &'a Problem,
    kind: Payers,
    /// The payer number of the first value of each sensitive column.
    first: Vec<usize>,
    /// The number of payers; 1 if all records pay alike.
    payers: usize,
    tables: Vec<Table>,
}

/// The parts of a column, by closure and payer.
enum Table {
    /// The number of codes; then the parts by the smallest and the largest code of a range.
    Ranges(usize, Vec<f64>),
    /// The parts by the bits of a set.
    Masks(Vec<f64>),
    /// The number of codes; then the parts by code, and last those of the suppressed cell.
    Suppressed(usize, Vec<f64>),
    /// No table: the measure is asked.
    Asked,
}

impl<'a> Costs<'a> {
    pub(crate) fn new(problem: &'a Problem) -> Self {
        let kind = problem.measure.payers();
        let (mut first, mut payers) = (Vec::new(), usize::from(kind == Payers::Alike));
        if kind == Payers::ByValue {
            for sensitive in problem.encoded.sensitive() {
                first.push(payers);
                payers += sensitive.values().len();
            }
        }
        let mut costs = Costs { problem, kind, first, payers, tables: Vec::new() };
        costs.tables = problem.encoded.domains().iter().enumerate().map(|(c, d)| costs.table(c, d)).collect();
        costs
    }

    fn table(&self, column: usize, domain: &Domain) -> Table {
        let len = domain.len();
        let fits = |spans: usize| spans <= MAX_SPANS && spans * self.payers <= MAX_TABLE_NUMBERS && self.payers > 0;
        let parts = |span: Span| (0..self.payers).map(move |payer| self.asked(column, span, payer));
        if domain.is_set() && len <= MAX_SET_VALUES && fits(1 << len) {
            let all = (0..1_u64 << len).map(|bits| (bits > 0).then(|| parts(Span::mask(bits))));
            return Table::Masks(all.flat_map(|parts| self.or_nothing(parts)).collect());
        }
        if domain.is_suppress() && fits(len + 1) {
            let single = (0..len as Code).map(|code| domain.span(code));
            return Table::Suppressed(len, single.chain([domain.everything()]).flat_map(parts).collect());
        }
        if !domain.is_set() && len.checked_mul(len).is_some_and(fits) {
            let codes = 0..len as Code;
            let pairs = codes.clone().flat_map(|lo| codes.clone().map(move |hi| (lo, hi)));
            let all = pairs.map(|(lo, hi)| (lo <= hi).then(|| parts(Span::range(lo, hi))));
            return Table::Ranges(len, all.flat_map(|parts| self.or_nothing(parts)).collect());
        }
        Table::Asked
    }

    /// The parts of a closure, or a zero for each payer where there is no such closure.
    fn or_nothing(&self, parts: Option<impl Iterator<Item = f64>>) -> impl Iterator<Item = f64> {
        let none = if parts.is_none() { self.payers } else { 0 };
        parts.into_iter().flatten().chain(std::iter::repeat_n(0.0, none))
    }

    /// The payer with this number. The numbers go through the sensitive columns one after the other.
    fn payer(&self, number: usize) -> Payer {
        let sensitive = self.first.partition_point(|first| *first <= number).saturating_sub(1);
        let value = number - self.first.get(sensitive).copied().unwrap_or(0);
        Payer { sensitive, value: value as Code }
    }

    // Not inlined, so that the look-ups around it are.
    #[inline(never)]
    fn asked(&self, column: usize, span: Span, payer: usize) -> f64 {
        self.problem.measure.part(column, span, self.payer(payer))
    }

    /// The problem whose costs these are.
    pub(crate) fn problem(&self) -> &'a Problem {
        self.problem
    }

    /// How costs split into parts of records.
    pub(crate) fn kind(&self) -> Payers {
        self.kind
    }

    /// The number of different payers.
    pub(crate) fn payers(&self) -> usize {
        self.payers
    }

    /// The payer numbers of a record.
    pub(crate) fn payers_of(&self, row: u32) -> impl Iterator<Item = usize> {
        let alike = (self.kind == Payers::Alike).then_some(0);
        let sensitive = self.problem.encoded.sensitive();
        alike.into_iter().chain(self.first.iter().zip(sensitive).map(move |(first, s)| first + s.row(row) as usize))
    }

    /// How many records of a cluster have each payer number.
    pub(crate) fn times(&self, cluster: &Cluster) -> impl Iterator<Item = (usize, u32)> {
        let alike = (self.kind == Payers::Alike).then_some((0, cluster.size() as u32));
        let values = self.first.iter().zip(cluster.histograms());
        alike
            .into_iter()
            .chain(values.flat_map(|(first, h)| h.iter().map(move |(v, times)| (first + v as usize, times))))
    }

    /// The table of a column, and the place in it where the parts of a closure begin.
    #[inline]
    fn find(&self, column: usize, span: Span) -> Option<(&[f64], usize)> {
        let (table, place) = match &self.tables[column] {
            Table::Ranges(len, table) => (table, span.lo() as usize * len + span.hi() as usize),
            Table::Masks(table) => (table, span.bits() as usize),
            Table::Suppressed(len, table) => (table, if span.lo() == span.hi() { span.lo() as usize } else { *len }),
            Table::Asked => return None,
        };
        Some((table, place * self.payers))
    }

    /// What a payer pays for a column.
    #[inline]
    pub(crate) fn part(&self, column: usize, span: Span, payer: usize) -> f64 {
        match self.find(column, span) {
            Some((table, place)) => table[place + payer],
            None => self.asked(column, span, payer),
        }
    }

    /// What a payer pays for all columns.
    #[inline]
    pub(crate) fn sum(&self, closure: impl IntoIterator<Item = Span>, payer: usize) -> f64 {
        closure.into_iter().enumerate().map(|(column, span)| self.part(column, span, payer)).sum()
    }

    /// What these payers pay together for a column.
    #[inline]
    fn paid(&self, column: usize, span: Span, payers: &[(usize, f64)]) -> f64 {
        match self.find(column, span) {
            Some((table, place)) => payers.iter().map(|(payer, times)| times * table[place + payer]).sum(),
            None => payers.iter().map(|(payer, times)| times * self.asked(column, span, *payer)).sum(),
        }
    }

    /// What these payers pay together for a closure.
    #[inline]
    fn total(&self, closure: impl IntoIterator<Item = Span>, payers: &[(usize, f64)]) -> f64 {
        closure.into_iter().enumerate().map(|(column, span)| self.paid(column, span, payers)).sum()
    }

    /// The payers of a cluster with their numbers of records, sorted by payer number.
    fn paying(&self, cluster: &Cluster) -> Vec<(usize, f64)> {
        self.times(cluster).map(|(payer, times)| (payer, f64::from(times))).collect()
    }

    /// The cost of a cluster.
    pub(crate) fn cluster(&self, cluster: &Cluster) -> f64 {
        let closure = cluster.closure().iter().copied();
        match self.kind {
            Payers::Together => self.problem.measure.cluster(cluster),
            Payers::Alike => cluster.size() as f64 * self.sum(closure, 0),
            Payers::ByValue => self.total(closure, &self.paying(cluster)),
        }
    }

    /// The cost of a cluster with one more record.
    pub(crate) fn with(&self, cluster: &Cluster, row: u32) -> f64 {
        let columns = self.problem.encoded.domains().iter().zip(self.problem.encoded.row(row));
        let spans = cluster.closure().iter().zip(columns).map(|(span, (d, code))| d.join(*span, d.span(*code)));
        match self.kind {
            Payers::Together => {
                let mut with = cluster.clone();
                self.problem.add(&mut with, row);
                self.problem.measure.cluster(&with)
            }
            Payers::Alike => (cluster.size() + 1) as f64 * self.sum(spans, 0),
            Payers::ByValue => {
                let mut payers = self.paying(cluster);
                self.payers_of(row).for_each(|payer| pay(&mut payers, payer, 1.0));
                self.total(spans, &payers)
            }
        }
    }

    /// The cost of a cluster of several records without one of them. `closure` is that of the others.
    pub(crate) fn without(&self, cluster: &Cluster, row: u32, closure: impl Iterator<Item = Span>) -> f64 {
        match self.kind {
            Payers::Together => {
                let mut without = Cluster::new(cluster.size(), closure.collect(), cluster.histograms().to_vec());
                self.problem.discount(&mut without, row);
                self.problem.measure.cluster(&without)
            }
            Payers::Alike => (cluster.size() - 1) as f64 * self.sum(closure, 0),
            Payers::ByValue => {
                let mut payers = self.paying(cluster);
                self.payers_of(row).for_each(|payer| pay(&mut payers, payer, -1.0));
                self.total(closure, &payers)
            }
        }
    }

    /// The cost of the union of two clusters.
    pub(crate) fn united(&self, a: &Cluster, b: &Cluster) -> f64 {
        let spans = a.closure().iter().zip(b.closure()).zip(self.problem.encoded.domains());
        let spans = spans.map(|((a, b), domain)| domain.join(*a, *b));
        match self.kind {
            Payers::Together => {
                let mut united = a.clone();
                self.problem.join(&mut united, b);
                self.problem.measure.cluster(&united)
            }
            Payers::Alike => (a.size() + b.size()) as f64 * self.sum(spans, 0),
            Payers::ByValue => {
                let mut payers = self.paying(a);
                self.times(b).for_each(|(payer, times)| pay(&mut payers, payer, f64::from(times)));
                self.total(spans, &payers)
            }
        }
    }
}

/// Adds to the number of records of a payer. The list stays sorted, so sums have the same order and the
/// same value as for a cluster that was built at once.
fn pay(payers: &mut Vec<(usize, f64)>, payer: usize, more: f64) {
    match payers.binary_search_by_key(&payer, |(p, _)| *p) {
        Ok(place) => payers[place].1 += more,
        Err(place) => payers.insert(place, (payer, more)),
    }
}
