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
    fn of(domain: &Domain, codes: &[Code]) -> Self {
        if domain.is_set() {
            let (mut once, mut more) = (0_u64, 0_u64);
            for code in codes {
                let bit = 1 << code;
                more |= once & bit;
                once |= bit;
            }
            return Support { span: Span::mask(once), inner: Span::mask(once & !more) };
        }
        let (mut lows, mut highs) = ([Code::MAX; 2], [0; 2]);
        for code in codes {
            lows = [lows[0].min(*code), lows[1].min(lows[0].max(*code))];
            highs = [highs[0].max(*code), highs[1].max(highs[0].min(*code))];
        }
        Support { span: Span::range(lows[0], highs[0]), inner: Span::range(lows[1], highs[1]) }
    }

    /// Whether the span may be another one without a record of this code.
    #[inline]
    fn needs(&self, set: bool, code: Code) -> bool {
        if set { self.inner.bits() & 1 << code != 0 } else { code == self.span.lo() || code == self.span.hi() }
    }

    /// The span without one record of this code.
    #[inline]
    fn without(&self, set: bool, code: Code) -> Span {
        if set {
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
    /// For each column that tells records apart, their codes.
    codes: Vec<Vec<Code>>,
    supports: Vec<Support>,
    /// What each record pays in each of these columns.
    parts: Vec<f32>,
    /// What each record pays.
    each: f32,
}

impl<'a> Side<'a> {
    fn new(surrogate: &'a Surrogate<'a>, rows: &[u32]) -> Self {
        let encoded = surrogate.encoded();
        let codes = |column: &usize| rows.iter().map(|row| encoded.row(*row)[*column]).collect();
        let codes = surrogate.varying().iter().map(codes).collect();
        let (supports, parts) = (Vec::new(), Vec::new());
        let mut side = Side { surrogate, rows: rows.to_vec(), codes, supports, parts, each: 0.0 };
        side.close();
        side
    }

    fn close(&mut self) {
        let varying = self.surrogate.varying().iter();
        self.supports.clear();
        self.supports
            .extend(varying.clone().zip(&self.codes).map(|(c, codes)| Support::of(self.surrogate.domain(*c), codes)));
        self.parts.clear();
        self.parts.extend(varying.zip(&self.supports).map(|(column, s)| self.surrogate.cost(*column, s.span)));
        self.each = self.parts.iter().sum();
    }

    fn size(&self) -> f32 {
        self.rows.len() as f32
    }

    fn cost(&self) -> f32 {
        self.size() * self.each
    }

    /// For each record, what the others pay without it.
    fn without(&self) -> Vec<f32> {
        let mut left = vec![self.each; self.rows.len()];
        for (place, column) in self.surrogate.varying().iter().enumerate() {
            let (support, part) = (self.supports[place], self.parts[place]);
            let set = self.surrogate.domain(*column).is_set();
            for (left, code) in left.iter_mut().zip(&self.codes[place]) {
                if support.needs(set, *code) {
                    *left += self.surrogate.cost(*column, support.without(set, *code)) - part;
                }
            }
        }
        left
    }

    /// For each record of the other side, what everybody pays with it.
    fn with(&self, other: &Side) -> Vec<f32> {
        let mut joined = vec![self.each; other.rows.len()];
        for (place, column) in self.surrogate.varying().iter().enumerate() {
            let (span, part) = (self.supports[place].span, self.parts[place]);
            for (joined, code) in joined.iter_mut().zip(&other.codes[place]) {
                if !self.surrogate.has(*column, span, *code) {
                    *joined += self.surrogate.joined(*column, span, *code) - part;
                }
            }
        }
        joined
    }

    /// The cost of the cluster if its record at one place leaves and that of the other side joins.
    fn swapped(&self, gone: usize, other: &Side, come: usize) -> f32 {
        let part = |(place, column): (usize, &usize)| {
            let domain = self.surrogate.domain(*column);
            let left = self.supports[place].without(domain.is_set(), self.codes[place][gone]);
            self.surrogate.cost(*column, domain.join(left, domain.span(other.codes[place][come])))
        };
        self.size() * self.surrogate.varying().iter().enumerate().map(part).sum::<f32>()
    }

    /// The records that gain most by moving to the other side, and how much they gain.
    fn movers(&self, other: &Side) -> Vec<(f32, usize)> {
        let now = self.cost() + other.cost();
        let gains = self.without().into_iter().zip(other.with(self)).enumerate();
        let mut movers: Vec<(f32, usize)> = gains
            .map(|(place, (left, joined))| (now - left * (self.size() - 1.0) - joined * (other.size() + 1.0), place))
            .collect();
        if movers.len() > PAIRED_RECORDS {
            movers.select_nth_unstable_by(PAIRED_RECORDS, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            movers.truncate(PAIRED_RECORDS);
        }
        movers.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        movers
    }

    /// Takes the record at a place out.
    fn remove(&mut self, place: usize) -> (u32, Vec<Code>) {
        let codes = self.codes.iter_mut().map(|codes| codes.swap_remove(place)).collect();
        (self.rows.swap_remove(place), codes)
    }

    fn push(&mut self, (row, codes): (u32, Vec<Code>)) {
        self.rows.push(row);
        self.codes.iter_mut().zip(codes).for_each(|(column, code)| column.push(code));
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
                let step = (now - a.swapped(*i, b, *j) - b.swapped(*j, a, *i), Some(*i), Some(*j));
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
        let gone = [from_a.map(|place| a.remove(place)), from_b.map(|place| b.remove(place))];
        let [out, come] = gone;
        come.into_iter().for_each(|record| a.push(record));
        out.into_iter().for_each(|record| b.push(record));
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
    let sides = rows.map(|rows| Side::new(surrogate, rows));
    let mut exchange = Exchange { problem, sides, states };
    let records: usize = rows.iter().map(|rows| rows.len()).sum();
    let columns = surrogate.varying().len();
    let mut work = 0;
    let mut better = false;
    for _ in 0..(MAX_STEP_RECORDS / records.max(1)).max(MIN_STEPS) {
        work += (records * (columns * 5 + 10) + PAIRED_RECORDS * PAIRED_RECORDS * columns * 4) as u64;
        let Some(step) = exchange.best_step() else { break };
        exchange.take(step);
        better = true;
    }
    (better.then(|| exchange.sides.map(|side| side.rows)), work)
}
