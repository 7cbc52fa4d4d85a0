//! Two clusters made better by single records: one moves over, or two change places, while that pays.
//!
//! What a cluster costs without one of its records is known without a look at the others: beside its span, every
//! column keeps the span that would be left if its outermost records went.

use crate::cluster::Surrogate;
use crate::encode::{Code, Domain, Span};
use crate::problem::{Cluster, Problem};

/// So many records of either cluster are tried in pairs: those that would gain most by moving.
const PAIRS: usize = 6;

/// The span of a column, and what is left of it without any one record.
#[derive(Clone, Copy)]
struct Support {
    span: Span,
    /// Of a range the second lowest and the second highest code; of a set the values that occur once.
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

    /// What all its records cost without one of them.
    fn without(&self, codes: &[Code]) -> f32 {
        (self.size() - 1.0) * self.sum(|column, s| s.without(self.surrogate.domain(column), codes[column]))
    }

    /// What all its records cost with one more.
    fn with(&self, codes: &[Code]) -> f32 {
        let joined = |column: usize, s: &Support| {
            let domain = self.surrogate.domain(column);
            domain.join(s.span, domain.span(codes[column]))
        };
        (self.size() + 1.0) * self.sum(joined)
    }

    /// What all its records cost when one goes and another comes.
    fn swapped(&self, gone: &[Code], come: &[Code]) -> f32 {
        let span = |column: usize, s: &Support| {
            let domain = self.surrogate.domain(column);
            domain.join(s.without(domain, gone[column]), domain.span(come[column]))
        };
        self.size() * self.sum(span)
    }

    /// The records that gain most by moving to the other side, and how much.
    fn movers(&self, other: &Side) -> Vec<(f32, usize)> {
        let gain = |place: usize| {
            let codes = self.codes(place);
            self.cost() + other.cost() - self.without(codes) - other.with(codes)
        };
        let mut movers: Vec<(f32, usize)> = (0..self.rows.len()).map(|place| (gain(place), place)).collect();
        if movers.len() > PAIRS {
            movers.select_nth_unstable_by(PAIRS, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            movers.truncate(PAIRS);
        }
        movers.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        movers
    }
}

/// What is gained by a record of the first cluster that goes to the second, one that comes from there, or both.
type Step = (f32, Option<usize>, Option<usize>);

/// Carries a record over.
fn carry(problem: &Problem, row: u32, from: &mut Cluster, to: &mut Cluster) {
    problem.discount(from, row);
    problem.count(to, row);
}

/// The two clusters after all moves and swaps that paid, and about how many nanoseconds it took; `None` where none did.
pub(super) fn exchange(problem: &Problem, surrogate: &Surrogate, rows: [&[u32]; 2]) -> (Option<[Vec<u32>; 2]>, u64) {
    let least = problem.min_size();
    let mut sides = rows.map(|rows| Side::new(surrogate, rows.to_vec()));
    // As far as constraints care, if they do.
    let mut states: Vec<Cluster> = Vec::new();
    if problem.guarded() {
        states.extend(rows.iter().map(|rows| problem.outline(rows)));
    }
    let mut work = 0;
    let mut better = false;
    loop {
        let records = sides[0].rows.len() + sides[1].rows.len();
        let columns = surrogate.varying().len();
        work += (records * columns * 4 + PAIRS * PAIRS * columns * 3) as u64;
        let [a, b] = &sides;
        let now = a.cost() + b.cost();
        let allowed = |(_, from_a, from_b): &Step| {
            let [left, right] = &states[..] else { return true };
            let rows = (from_a.map(|place| a.rows[place]), from_b.map(|place| b.rows[place]));
            if let (Some(out), Some(come)) = rows
                && problem.secret(out) == problem.secret(come)
            {
                return true;
            }
            let (mut left, mut right) = (left.clone(), right.clone());
            rows.0.iter().for_each(|row| carry(problem, *row, &mut left, &mut right));
            rows.1.iter().for_each(|row| carry(problem, *row, &mut right, &mut left));
            problem.holds(&left) && problem.holds(&right)
        };
        let movers = [a.movers(b), b.movers(a)];
        // What is gained must be more than rounding.
        let mut best = (1e-5 * now, None, None);
        for (side, movers) in movers.iter().enumerate() {
            for (gain, place) in movers {
                let step = if side == 0 { (*gain, Some(*place), None) } else { (*gain, None, Some(*place)) };
                if sides[side].rows.len() > least && *gain > best.0 && allowed(&step) {
                    best = step;
                }
            }
        }
        for (_, i) in &movers[0] {
            for (_, j) in &movers[1] {
                let (out, come) = (a.codes(*i), b.codes(*j));
                let step = (now - a.swapped(out, come) - b.swapped(come, out), Some(*i), Some(*j));
                if step.0 > best.0 && allowed(&step) {
                    best = step;
                }
            }
        }
        let (_, from_a, from_b) = best;
        if from_a.is_none() && from_b.is_none() {
            break;
        }
        better = true;
        if let [a, b] = &mut states[..] {
            from_a.iter().for_each(|place| carry(problem, sides[0].rows[*place], a, b));
            from_b.iter().for_each(|place| carry(problem, sides[1].rows[*place], b, a));
        }
        let [a, b] = &mut sides;
        let gone = [from_a.map(|place| a.rows.swap_remove(place)), from_b.map(|place| b.rows.swap_remove(place))];
        a.rows.extend(gone[1]);
        b.rows.extend(gone[0]);
        a.close();
        b.close();
    }
    (better.then(|| sides.map(|side| side.rows)), work)
}
