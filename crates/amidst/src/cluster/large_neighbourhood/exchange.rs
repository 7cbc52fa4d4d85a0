//! Improving two clusters by single records: one moves over, or two change places, while that pays.
//!
//! The cost of a cluster without one of its records is known without looking at the others. For that, every
//! column keeps, besides its span, the span that would be left without its outermost records.

use crate::cluster::Surrogate;
use crate::encode::{Code, Domain, Span};
use crate::problem::{Cluster, Problem};

/// The number of records of either cluster that are tried in pairs: those that would gain most by moving.
const PAIRED_RECORDS: usize = 6;

/// The largest number of records that all steps look at together. Each step looks at all records of both clusters.
const MAX_STEP_RECORDS: usize = 400_000;
/// The number of steps that large clusters may have in any case.
const MIN_STEPS: usize = 16;

/// The span of a column, and what tells the span without any one record.
#[derive(Clone, Copy)]
struct Support {
    span: Span,
    /// For a range, the second lowest and the second highest code; for a set, the values that occur once.
    inner: Span,
}

impl Support {
    fn one(domain: &Domain, code: Code) -> Self {
        let span = domain.span(code);
        Support { span, inner: if domain.is_set() { span } else { Span::range(Code::MAX, 0) } }
    }

    fn add(&mut self, domain: &Domain, code: Code) {
        let Support { span, inner } = *self;
        self.span = domain.join(span, domain.span(code));
        self.inner = if domain.is_set() {
            let bit = 1 << code;
            Span::mask(if span.bits() & bit == 0 { inner.bits() | bit } else { inner.bits() & !bit })
        } else {
            let low = if code < span.lo() { span.lo() } else { inner.lo().min(code) };
            let high = if code > span.hi() { span.hi() } else { inner.hi().max(code) };
            Span::range(low, high)
        };
    }

    /// The span without one record of this code.
    #[inline]
    fn without(&self, domain: &Domain, code: Code) -> Span {
        if domain.is_set() {
            return Span::mask(self.span.bits() & !(self.inner.bits() & 1 << code));
        }
        let low = if code == self.span.lo() { self.inner.lo() } else { self.span.lo() };
        let high = if code == self.span.hi() { self.inner.hi() } else { self.span.hi() };
        Span::range(low, high)
    }
}

/// One of the two clusters.
struct Side<'a> {
    surrogate: &'a Surrogate<'a>,
    rows: Vec<u32>,
    supports: Vec<Support>,
    /// What each record pays.
    each: f32,
}

impl<'a> Side<'a> {
    fn new(surrogate: &'a Surrogate<'a>, rows: Vec<u32>) -> Self {
        let mut side = Side { surrogate, rows, supports: Vec::with_capacity(surrogate.columns()), each: 0.0 };
        side.close();
        side
    }

    fn close(&mut self) {
        let encoded = self.surrogate.encoded();
        self.supports.clear();
        for (place, row) in self.rows.iter().enumerate() {
            for (column, code) in encoded.row(*row).iter().enumerate() {
                let domain = self.surrogate.domain(column);
                if place == 0 {
                    self.supports.push(Support::one(domain, *code));
                } else {
                    self.supports[column].add(domain, *code);
                }
            }
        }
        self.each = self.sum(|_, support| support.span);
    }

    #[inline]
    fn sum(&self, span: impl Fn(usize, &Support) -> Span) -> f32 {
        self.supports.iter().enumerate().map(|(column, s)| self.surrogate.cost(column, span(column, s))).sum()
    }

    fn size(&self) -> f32 {
        self.rows.len() as f32
    }

    fn cost(&self) -> f32 {
        self.size() * self.each
    }

    fn codes(&self, place: usize) -> &'a [Code] {
        self.surrogate.encoded().row(self.rows[place])
    }

    /// The cost of the cluster without one of its records.
    fn without(&self, codes: &[Code]) -> f32 {
        (self.size() - 1.0) * self.sum(|column, s| s.without(self.surrogate.domain(column), codes[column]))
    }

    /// The cost of the cluster with one more record.
    fn with(&self, codes: &[Code]) -> f32 {
        let joined = |column: usize, s: &Support| {
            let domain = self.surrogate.domain(column);
            domain.join(s.span, domain.span(codes[column]))
        };
        (self.size() + 1.0) * self.sum(joined)
    }

    /// The cost of the cluster if one record leaves and another joins.
    fn swapped(&self, gone: &[Code], come: &[Code]) -> f32 {
        let span = |column: usize, s: &Support| {
            let domain = self.surrogate.domain(column);
            domain.join(s.without(domain, gone[column]), domain.span(come[column]))
        };
        self.size() * self.sum(span)
    }

    /// The records that gain most by moving to the other side, and how much they gain.
    fn movers(&self, other: &Side) -> Vec<(f32, usize)> {
        let gain = |place: usize| {
            let codes = self.codes(place);
            self.cost() + other.cost() - self.without(codes) - other.with(codes)
        };
        let mut movers: Vec<(f32, usize)> = (0..self.rows.len()).map(|place| (gain(place), place)).collect();
        if movers.len() > PAIRED_RECORDS {
            movers.select_nth_unstable_by(PAIRED_RECORDS, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            movers.truncate(PAIRED_RECORDS);
        }
        movers.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        movers
    }
}

/// The gain of a step, and the places of the record that leaves the first cluster and of the one that joins
/// it; at least one of them.
type Step = (f32, Option<usize>, Option<usize>);

/// Moves a record from one state to the other.
fn carry(problem: &Problem, row: u32, from: &mut Cluster, to: &mut Cluster) {
    problem.discount(from, row);
    problem.count(to, row);
}

/// The two clusters while their records are exchanged.
struct Exchange<'a> {
    problem: &'a Problem,
    sides: [Side<'a>; 2],
    /// The sizes and the sensitive values of both, if constraints look at the latter; otherwise empty.
    states: Vec<Cluster>,
}

impl Exchange<'_> {
    /// Whether both clusters satisfy the constraints after a step.
    fn allows(&mut self, (_, from_a, from_b): &Step) -> bool {
        let Exchange { problem, sides: [a, b], states } = self;
        let [left, right] = &mut states[..] else { return true };
        let rows = (from_a.map(|place| a.rows[place]), from_b.map(|place| b.rows[place]));
        if let (Some(out), Some(come)) = rows
            && problem.secret(out) == problem.secret(come)
        {
            return true;
        }
        // Both go there and back again, which costs less than copies of the states.
        rows.0.iter().for_each(|row| carry(problem, *row, left, right));
        rows.1.iter().for_each(|row| carry(problem, *row, right, left));
        let holds = problem.holds(left) && problem.holds(right);
        rows.0.iter().for_each(|row| carry(problem, *row, right, left));
        rows.1.iter().for_each(|row| carry(problem, *row, left, right));
        holds
    }

    /// The allowed step that gains most; `None` if none gains more than rounding.
    fn best_step(&mut self) -> Option<Step> {
        let [a, b] = &self.sides;
        let now = a.cost() + b.cost();
        let least = self.problem.min_size();
        let movers = [a.movers(b), b.movers(a)];
        let mut best: Step = (1e-5 * now, None, None);
        for (side, movers) in movers.iter().enumerate() {
            for (gain, place) in movers {
                let step = if side == 0 { (*gain, Some(*place), None) } else { (*gain, None, Some(*place)) };
                if self.sides[side].rows.len() > least && *gain > best.0 && self.allows(&step) {
                    best = step;
                }
            }
        }
        for (_, i) in &movers[0] {
            for (_, j) in &movers[1] {
                let [a, b] = &self.sides;
                let (out, come) = (a.codes(*i), b.codes(*j));
                let step = (now - a.swapped(out, come) - b.swapped(come, out), Some(*i), Some(*j));
                if step.0 > best.0 && self.allows(&step) {
                    best = step;
                }
            }
        }
        Some(best).filter(|(_, from_a, from_b)| from_a.is_some() || from_b.is_some())
    }

    fn take(&mut self, (_, from_a, from_b): Step) {
        let [a, b] = &mut self.sides;
        if let [left, right] = &mut self.states[..] {
            from_a.iter().for_each(|place| carry(self.problem, a.rows[*place], left, right));
            from_b.iter().for_each(|place| carry(self.problem, b.rows[*place], right, left));
        }
        let gone = [from_a.map(|place| a.rows.swap_remove(place)), from_b.map(|place| b.rows.swap_remove(place))];
        a.rows.extend(gone[1]);
        b.rows.extend(gone[0]);
        a.close();
        b.close();
    }
}

/// The two clusters after all moves and swaps that paid, or `None` if none did; and the work in about nanoseconds.
pub(super) fn exchange(problem: &Problem, surrogate: &Surrogate, rows: [&[u32]; 2]) -> (Option<[Vec<u32>; 2]>, u64) {
    let mut states: Vec<Cluster> = Vec::new();
    if problem.guarded() {
        states.extend(rows.iter().map(|rows| problem.outline(rows)));
    }
    let sides = rows.map(|rows| Side::new(surrogate, rows.to_vec()));
    let mut exchange = Exchange { problem, sides, states };
    let records: usize = rows.iter().map(|rows| rows.len()).sum();
    let columns = surrogate.varying().len();
    let mut work = 0;
    let mut better = false;
    for _ in 0..(MAX_STEP_RECORDS / records.max(1)).max(MIN_STEPS) {
        work += (records * columns * 4 + PAIRED_RECORDS * PAIRED_RECORDS * columns * 3) as u64;
        let Some(step) = exchange.best_step() else { break };
        exchange.take(step);
        better = true;
    }
    (better.then(|| exchange.sides.map(|side| side.rows)), work)
}
