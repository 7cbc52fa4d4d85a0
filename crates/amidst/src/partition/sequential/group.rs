//! A cluster that records can leave.

use super::guard::Guard;
use crate::cost::Costs;
use crate::encode::{Code, Domain, Span};
use crate::problem::{Cluster, Histogram, Problem};

/// How often each code occurs, sorted by code. Its ends give the closure without one record.
#[derive(Default)]
struct Counts(Vec<(Code, u32)>);

impl Counts {
    fn add(&mut self, code: Code) {
        match self.0.binary_search_by_key(&code, |(c, _)| *c) {
            Ok(place) => self.0[place].1 += 1,
            Err(place) => self.0.insert(place, (code, 1)),
        }
    }

    fn remove(&mut self, code: Code) {
        if let Ok(place) = self.0.binary_search_by_key(&code, |(c, _)| *c) {
            self.0[place].1 -= 1;
            if self.0[place].1 == 0 {
                self.0.remove(place);
            }
        }
    }

    /// The closure without one record of that code. `span` is the closure of all.
    fn span_without(&self, domain: &Domain, span: Span, code: Code) -> Span {
        let Ok(place) = self.0.binary_search_by_key(&code, |(c, _)| *c) else { return span };
        if self.0[place].1 > 1 || self.0.len() == 1 {
            return span;
        }
        if domain.is_set() {
            return Span::mask(span.bits() & !domain.span(code).bits());
        }
        let first = usize::from(place == 0);
        let last = self.0.len() - 1 - usize::from(place == self.0.len() - 1);
        Span::range(self.0[first].0, self.0[last].0)
    }
}

/// A cluster with the counts of its codes.
pub(super) struct Group {
    state: Cluster,
    cost: f64,
    columns: Vec<Counts>,
    watched: Vec<Counts>,
}

impl Group {
    /// The group of these rows; `None` if there are none.
    pub(super) fn new(problem: &Problem, costs: &Costs, rows: &[u32]) -> Option<Self> {
        let state = problem.cluster(rows)?;
        let mut group = Group {
            cost: costs.cluster(&state),
            columns: state.closure().iter().map(|_| Counts::default()).collect(),
            watched: problem.watched().iter().map(|_| Counts::default()).collect(),
            state,
        };
        rows.iter().for_each(|row| group.count(problem, *row));
        Some(group)
    }

    pub(super) fn state(&self) -> &Cluster {
        &self.state
    }

    /// Whether the constraints on sensitive values allow the group to take the record.
    pub(super) fn admits(&mut self, guard: Option<&Guard>, row: u32) -> bool {
        guard.is_none_or(|guard| guard.holds_with(&mut self.state, row))
    }

    /// Whether the constraints on sensitive values allow the group to lose one of its records.
    pub(super) fn releases(&mut self, guard: Option<&Guard>, row: u32) -> bool {
        guard.is_none_or(|guard| guard.holds_without(&mut self.state, row))
    }

    pub(super) fn into_state(self) -> Cluster {
        self.state
    }

    /// The cost of the group.
    pub(super) fn cost(&self) -> f64 {
        self.cost
    }

    /// The cost with one more record.
    pub(super) fn cost_with(&self, costs: &Costs, row: u32) -> f64 {
        costs.with(&self.state, row)
    }

    /// The cost without one of its records.
    pub(super) fn cost_without(&self, problem: &Problem, costs: &Costs, row: u32) -> f64 {
        if self.state.size() == 1 { 0.0 } else { costs.without(&self.state, row, self.spans_without(problem, row)) }
    }

    pub(super) fn add(&mut self, problem: &Problem, costs: &Costs, row: u32) {
        problem.add(&mut self.state, row);
        self.count(problem, row);
        self.cost = costs.cluster(&self.state);
    }

    /// Removes one of several records.
    pub(super) fn remove(&mut self, problem: &Problem, costs: &Costs, row: u32) {
        self.state = self.without(problem, row);
        for (counts, code) in self.columns.iter_mut().zip(problem.encoded.row(row)) {
            counts.remove(*code);
        }
        for (counts, sensitive) in self.watched.iter_mut().zip(problem.watched()) {
            counts.remove(sensitive.row(row));
        }
        self.cost = costs.cluster(&self.state);
    }

    fn count(&mut self, problem: &Problem, row: u32) {
        for (counts, code) in self.columns.iter_mut().zip(problem.encoded.row(row)) {
            counts.add(*code);
        }
        for (counts, sensitive) in self.watched.iter_mut().zip(problem.watched()) {
            counts.add(sensitive.row(row));
        }
    }

    fn spans_without(&self, problem: &Problem, row: u32) -> impl Iterator<Item = Span> {
        let columns = self.columns.iter().zip(problem.encoded.domains());
        columns
            .zip(self.state.closure().iter().zip(problem.encoded.row(row)))
            .map(|((counts, domain), (span, code))| counts.span_without(domain, *span, *code))
    }

    /// The state without one of several records.
    pub(super) fn without(&self, problem: &Problem, row: u32) -> Cluster {
        let histograms = self.watched.iter().zip(problem.watched()).map(|(counts, sensitive)| {
            let own = sensitive.row(row);
            let mut histogram = Histogram::default();
            for (code, times) in &counts.0 {
                let times = times - u32::from(*code == own);
                if times > 0 {
                    histogram.add(*code, times);
                }
            }
            histogram
        });
        Cluster::new(self.state.size() - 1, self.spans_without(problem, row).collect(), histograms.collect())
            .among(problem.crowd_without(&self.state, row))
    }
}
