//! A pool: the records of a few clusters, to be clustered anew.

use crate::encode::{Code, Span};
use crate::problem::{Cluster, Histogram, Problem};

use crate::cluster::Surrogate;

/// Columns with more codes than this for each item number them by sorting, and others by a table.
const CODES_PER_ITEM: usize = 4;

/// The records in compact form: equal records are one *item*, and in each column values are numbered from
/// 0.
#[derive(Default)]
pub(super) struct Pool {
    /// The rows, item by item.
    rows: Vec<u32>,
    /// The start of each item's rows.
    starts: Vec<u32>,
    /// For each column, the number of each item's value.
    pub(super) numbers: Vec<Vec<u32>>,
    /// For each column, the sorted codes of the values.
    pub(super) values: Vec<Vec<Code>>,
    /// The rows with their tuples.
    keyed: Vec<(u32, u32)>,
    sorted: Vec<(Code, u32)>,
    /// The number of each code of a column.
    number_of: Vec<u32>,
}

/// A cluster while it is formed.
#[derive(Default, Clone)]
pub(super) struct Group {
    /// Items, and the number of rows of each.
    pub(super) taken: Vec<(u32, u32)>,
    pub(super) size: u32,
    pub(super) spans: Vec<Span>,
    /// What each record pays.
    pub(super) cost: f32,
}

impl Pool {
    /// Replaces the records by those of these clusters, and numbers their values.
    pub(super) fn fill<'r>(&mut self, problem: &Problem, clusters: impl Iterator<Item = &'r [u32]>) {
        self.group(problem, clusters);
        self.number(problem);
    }

    /// Replaces the records by those of these clusters. Their values have no numbers yet.
    pub(super) fn group<'r>(&mut self, problem: &Problem, clusters: impl Iterator<Item = &'r [u32]>) {
        let (encoded, watched) = (&problem.encoded, problem.watched());
        self.rows.clear();
        clusters.for_each(|rows| self.rows.extend_from_slice(rows));
        let seen = |row: u32| watched.iter().map(move |s| s.row(row));
        // The tuple is looked up once for each row.
        self.keyed.clear();
        self.keyed.extend(self.rows.iter().map(|row| (encoded.tuple_of(*row), *row)));
        if problem.guarded() || !watched.is_empty() {
            self.keyed.sort_unstable_by(|(tuple, a), (other, b)| {
                tuple
                    .cmp(other)
                    .then_with(|| seen(*a).cmp(seen(*b)))
                    .then_with(|| problem.own(*a).cmp(&problem.own(*b)))
                    .then(a.cmp(b))
            });
        } else {
            self.keyed.sort_unstable();
        }
        self.rows.clear();
        self.rows.extend(self.keyed.iter().map(|(_, row)| *row));
        self.starts.clear();
        for (place, row) in (0..).zip(&self.rows) {
            let same = |other: u32| {
                encoded.tuple_of(*row) == encoded.tuple_of(other)
                    && seen(*row).eq(seen(other))
                    && problem.own(*row) == problem.own(other)
            };
            if place == 0 || !same(self.rows[place - 1]) {
                self.starts.push(place as u32);
            }
        }
        self.starts.push(self.rows.len() as u32);
    }

    /// Numbers the values.
    pub(super) fn number(&mut self, problem: &Problem) {
        let (encoded, items) = (&problem.encoded, self.items());
        let columns = encoded.domains().len();
        self.numbers.resize(columns, Vec::new());
        self.values.resize(columns, Vec::new());
        for column in 0..columns {
            let (numbers, values) = (&mut self.numbers[column], &mut self.values[column]);
            let code = |item: usize| encoded.row(self.rows[self.starts[item] as usize])[column];
            let codes = encoded.domains()[column].len();
            if codes <= CODES_PER_ITEM * items {
                self.number_of.clear();
                self.number_of.resize(codes, 0);
                numbers.clear();
                numbers.extend((0..items).map(code));
                numbers.iter().for_each(|code| self.number_of[*code as usize] = 1);
                values.clear();
                for (code, number) in (0..).zip(&mut self.number_of).filter(|(_, number)| **number > 0) {
                    *number = values.len() as u32;
                    values.push(code);
                }
                numbers.iter_mut().for_each(|number| *number = self.number_of[*number as usize]);
                continue;
            }
            self.sorted.clear();
            self.sorted.extend((0..items).map(|item| (code(item), item as u32)));
            self.sorted.sort_unstable();
            values.clear();
            numbers.clear();
            numbers.resize(items, 0);
            for (code, item) in &self.sorted {
                if values.last() != Some(code) {
                    values.push(*code);
                }
                numbers[*item as usize] = (values.len() - 1) as u32;
            }
        }
    }

    /// The number of different records.
    pub(super) fn items(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of records.
    pub(super) fn size(&self) -> u32 {
        self.rows.len() as u32
    }

    /// The records.
    pub(super) fn all(&self) -> &[u32] {
        &self.rows
    }

    /// The number of rows of an item.
    pub(super) fn weight(&self, item: usize) -> u32 {
        self.starts[item + 1] - self.starts[item]
    }

    /// The rows of an item.
    pub(super) fn rows_of(&self, item: usize) -> &[u32] {
        &self.rows[self.starts[item] as usize..self.starts[item + 1] as usize]
    }

    /// The code of an item in a column.
    #[inline]
    pub(super) fn code(&self, column: usize, item: usize) -> Code {
        self.values[column][self.numbers[column][item] as usize]
    }

    /// The size and the sensitive values of these items, with the number of rows of each.
    fn outline(&self, problem: &Problem, taken: &[(u32, u32)]) -> Cluster {
        let mut histograms = vec![Histogram::default(); problem.watched().len()];
        for (histogram, sensitive) in histograms.iter_mut().zip(problem.watched()) {
            for (item, times) in taken {
                histogram.add(sensitive.row(self.rows_of(*item as usize)[0]), *times);
            }
        }
        let size: u32 = taken.iter().map(|(_, times)| times).sum();
        let rows = taken.iter().flat_map(|(item, times)| &self.rows_of(*item as usize)[..*times as usize]);
        Cluster::new(size as usize, Vec::new(), histograms).among(problem.crowd_of(rows))
    }

    /// Whether these items, with the number of rows of each, together satisfy all constraints.
    pub(super) fn holds(&self, problem: &Problem, taken: &[(u32, u32)], size: u32) -> bool {
        size as usize >= problem.min_size() && (!problem.guarded() || problem.holds(&self.outline(problem, taken)))
    }

    /// Computes what a group spans and costs.
    pub(super) fn close(&self, surrogate: &Surrogate, group: &mut Group) {
        group.spans.clear();
        let Some(((first, _), rest)) = group.taken.split_first() else { return };
        for column in 0..surrogate.columns() {
            let domain = surrogate.domain(column);
            let span = |item: u32| domain.span(self.code(column, item as usize));
            group.spans.push(rest.iter().fold(span(*first), |joined, (item, _)| domain.join(joined, span(*item))));
        }
        group.cost = surrogate.closure(&group.spans);
    }

    /// Puts items, with the number of rows of each, into the group where they cost least, among those that
    /// still satisfy the constraints with them. Returns the items without such a group.
    pub(super) fn place(
        &self,
        problem: &Problem,
        surrogate: &Surrogate,
        groups: &mut [Group],
        left: impl Iterator<Item = (u32, u32)>,
    ) -> Vec<(u32, u32)> {
        let mut unplaced = Vec::new();
        let mut states: Vec<Cluster> = Vec::new();
        if problem.guarded() {
            states.extend(groups.iter().map(|group| self.outline(problem, &group.taken)));
        }
        for (item, times) in left {
            let with = |group: &Group| {
                let spans = group.spans.iter().enumerate();
                let cost: f32 = spans.map(|(c, span)| surrogate.joined(c, *span, self.code(c, item as usize))).sum();
                cost * (group.size + times) as f32 - group.cost * group.size as f32
            };
            let costs = groups.iter().map(with).enumerate();
            let nearest = if problem.guarded() {
                let row = self.rows_of(item as usize)[0];
                let mut costs: Vec<(usize, f32)> = costs.collect();
                costs.sort_by(|a, b| a.1.total_cmp(&b.1));
                let joined = costs.into_iter().find(|(group, _)| {
                    let state = &mut states[*group];
                    (0..times).for_each(|_| problem.count(state, row));
                    let holds = problem.holds(state);
                    if !holds {
                        (0..times).for_each(|_| problem.discount(state, row));
                    }
                    holds
                });
                joined.map(|(group, _)| group)
            } else {
                costs.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(group, _)| group)
            };
            let Some(nearest) = nearest else {
                unplaced.push((item, times));
                continue;
            };
            let group = &mut groups[nearest];
            for (column, span) in group.spans.iter_mut().enumerate() {
                let domain = surrogate.domain(column);
                *span = domain.join(*span, domain.span(self.code(column, item as usize)));
            }
            group.cost = surrogate.closure(&group.spans);
            group.size += times;
            group.taken.push((item, times));
        }
        unplaced
    }

    /// The rows of each group.
    pub(super) fn rows(&self, groups: &[Group]) -> Vec<Vec<u32>> {
        let mut next = self.starts.clone();
        let mut rows = |group: &Group| {
            let mut rows = Vec::with_capacity(group.size as usize);
            for (item, times) in &group.taken {
                let start = &mut next[*item as usize];
                rows.extend_from_slice(&self.rows[*start as usize..(*start + times) as usize]);
                *start += times;
            }
            rows
        };
        groups.iter().map(&mut rows).collect()
    }
}

/// The cost of all groups together.
pub(super) fn total(groups: &[Group]) -> f64 {
    groups.iter().map(|group| f64::from(group.cost) * f64::from(group.size)).sum()
}
