//! Improving the clusters of a pool by whole slices. This is the way for large clusters, whose closures no single record
//! can narrow.
//!
//! A slice is the part of a cluster that has the lowest or the highest values of a column, or its rarest ones. To *peel*
//! a cluster, its slice goes to the other clusters, each record to the one whose loss it raises least. That pays
//! if the narrower closure gains more than it costs. A cluster that then lacks records takes some that it covers
//! anyway. Records also move to cheaper clusters that cover them, as long as theirs has more than it needs.
//!
//! Friedman and Fisher: Bump hunting in high-dimensional data. Statistics and Computing 1999.

use super::pool::{Group, Pool};
use crate::cluster::Surrogate;
use crate::encode::{Code, Span};
use crate::problem::Problem;

/// The shares of a cluster that are peeled at either end of a column, besides the records of the outermost value.
const SLICE_SHARES: [f64; 3] = [1.0 / 64.0, 1.0 / 16.0, 1.0 / 4.0];
/// The number of rare values of a set that are peeled one by one, and together.
const RARE_VALUES: usize = 4;
/// The number of slices of a cluster that are tried in a pass: those that could gain most.
const MAX_TRIED_SLICES: usize = 8;
/// The largest number of passes over the clusters.
const MAX_PASSES: usize = 6;
/// The share of the loss that a step must gain, because smaller gains may be rounding.
const MIN_GAIN: f64 = 1e-5;

/// A cluster while it is peeled.
struct Body {
    size: u32,
    /// The number of its rows of each item.
    times: Vec<u32>,
    /// For each column that tells records apart, the number of rows with each value.
    counts: Vec<Vec<u32>>,
    closure: Closure,
}

/// What a cluster spans in the columns that tell records apart, and what each record pays for that.
#[derive(Clone)]
struct Closure {
    spans: Vec<Span>,
    parts: Vec<f32>,
    each: f32,
}

/// What would be left of a column without a slice.
struct Slice {
    place: usize,
    kept: Span,
    /// At most this can be gained.
    bound: f64,
}

/// So many rows of an item that change their cluster.
struct Shift {
    item: usize,
    from: usize,
    to: usize,
    times: u32,
}

/// The clusters of a pool while they are peeled.
pub(super) struct Peeling<'a> {
    problem: &'a Problem,
    surrogate: &'a Surrogate<'a>,
    pool: &'a Pool,
    bodies: Vec<Body>,
    /// The work so far, in about nanoseconds.
    work: u64,
}

impl<'a> Peeling<'a> {
    /// These clusters, whose records are the pool.
    pub(super) fn new(problem: &'a Problem, surrogate: &'a Surrogate, pool: &'a Pool, clusters: &[&[u32]]) -> Self {
        let mut item_of: Vec<(u32, u32)> =
            (0..pool.items()).flat_map(|item| pool.rows_of(item).iter().map(move |row| (*row, item as u32))).collect();
        item_of.sort_unstable();
        let empty = || Body {
            size: 0,
            times: vec![0; pool.items()],
            counts: surrogate.varying().iter().map(|column| vec![0; pool.values[*column].len()]).collect(),
            closure: Closure { spans: Vec::new(), parts: Vec::new(), each: 0.0 },
        };
        let mut peeling = Peeling { problem, surrogate, pool, bodies: Vec::new(), work: 0 };
        for rows in clusters {
            let mut body = empty();
            for row in *rows {
                let place = item_of.partition_point(|(other, _)| other < row);
                body.put(surrogate, pool, item_of[place].1 as usize, 1);
            }
            body.closure = peeling.closure(&body);
            peeling.bodies.push(body);
        }
        peeling.work = u64::from(pool.size()) * (surrogate.varying().len() as u64 * 8 + 80);
        peeling
    }

    /// Peels the clusters until nothing gains. Returns those that are left and the work in about nanoseconds.
    pub(super) fn regroup(mut self) -> (Vec<Group>, u64) {
        for _ in 0..MAX_PASSES {
            let before = self.loss();
            self.absorb();
            (0..self.bodies.len()).for_each(|body| self.peel(body));
            if before - self.loss() <= MIN_GAIN * before {
                break;
            }
        }
        let group = |body: &Body| Group {
            taken: (0..)
                .zip(&body.times)
                .filter(|(_, times)| **times > 0)
                .map(|(item, times)| (item, *times))
                .collect(),
            size: body.size,
            cost: body.closure.each,
            ..Group::default()
        };
        (self.bodies.iter().map(group).collect(), self.work)
    }

    fn loss(&self) -> f64 {
        self.bodies.iter().map(Body::loss).sum()
    }

    /// The number of rows that a cluster can give away.
    fn surplus(&self, body: usize) -> u32 {
        self.bodies[body].size.saturating_sub(self.problem.min_size() as u32)
    }

    /// Moves records to cheaper clusters that cover them.
    fn absorb(&mut self) {
        let mut cheapest: Vec<usize> = (0..self.bodies.len()).collect();
        cheapest.sort_by(|a, b| self.bodies[*a].closure.each.total_cmp(&self.bodies[*b].closure.each));
        self.work += (self.pool.items() * self.surrogate.varying().len() * 4) as u64;
        let mut shifts = Vec::new();
        let mut surplus: Vec<u32> = (0..self.bodies.len()).map(|body| self.surplus(body)).collect();
        for item in 0..self.pool.items() {
            let Some(at) = cheapest.iter().position(|body| self.covers(&self.bodies[*body].closure, item)) else {
                continue;
            };
            for from in cheapest[at + 1..].iter().copied() {
                let times = self.bodies[from].times[item].min(surplus[from]);
                if times > 0 {
                    surplus[from] -= times;
                    shifts.push(Shift { item, from, to: cheapest[at], times });
                }
            }
        }
        self.take(&shifts);
    }

    /// Peels a cluster, as long as one of its slices gains.
    fn peel(&mut self, body: usize) {
        loop {
            let mut slices = self.slices(body);
            slices.sort_by(|a, b| b.bound.total_cmp(&a.bound));
            slices.truncate(MAX_TRIED_SLICES);
            if !slices.into_iter().any(|slice| self.attempt(body, &slice)) {
                return;
            }
        }
    }

    /// The slices of a cluster that may gain something.
    fn slices(&mut self, body: usize) -> Vec<Slice> {
        let least = MIN_GAIN * self.loss();
        let others = self.bodies.iter().enumerate().filter(|(other, _)| *other != body);
        let cheapest = others.map(|(_, other)| other.closure.each).fold(f32::INFINITY, f32::min);
        let Body { size, counts, closure, .. } = &self.bodies[body];
        let mut slices = Vec::new();
        for (place, column) in self.surrogate.varying().iter().enumerate() {
            let span = closure.spans[place];
            self.work += counts[place].len() as u64;
            for kept in self.kept(*column, span, &counts[place], *size) {
                let left: u32 = self.pool.values[*column]
                    .iter()
                    .zip(&counts[place])
                    .filter(|(code, _)| self.surrogate.has(*column, kept, **code))
                    .map(|(_, times)| times)
                    .sum();
                let each = closure.each - closure.parts[place] + self.surrogate.cost(*column, kept);
                let after = f64::from(each) * f64::from(left) + f64::from(cheapest) * f64::from(size - left);
                let bound = f64::from(closure.each) * f64::from(*size) - after;
                if left > 0 && left < *size && bound > least {
                    slices.push(Slice { place, kept, bound });
                }
            }
        }
        slices
    }

    /// What may be left of a column whose values occur this often.
    fn kept(&self, column: usize, span: Span, counts: &[u32], size: u32) -> Vec<Span> {
        let domain = self.surrogate.domain(column);
        let values = self.pool.values[column].iter().copied().zip(counts.iter().copied());
        let present: Vec<(Code, u32)> = values.filter(|(_, times)| *times > 0).collect();
        if present.len() < 2 {
            return Vec::new();
        }
        if domain.is_set() {
            return without_rare(present, span);
        }
        if domain.is_suppress() {
            return heaviest(present.into_iter().map(|(code, times)| (code, code, times))).into_iter().collect();
        }
        if let Some(tree) = domain.hierarchy() {
            let children = tree.children(span.lo(), span.hi());
            let child_of = |code: Code| children.partition_point(|start| *start <= code).saturating_sub(1);
            let below = present.chunk_by(|a, b| child_of(a.0) == child_of(b.0));
            let weighed = |part: &[(Code, u32)]| (part[0].0, part[part.len() - 1].0, part.iter().map(|(_, n)| n).sum());
            return heaviest(below.map(weighed)).into_iter().collect();
        }
        let lows = ends(present.iter().copied(), size).into_iter().map(|low| Span::range(low, span.hi()));
        let highs = ends(present.iter().rev().copied(), size).into_iter().map(|high| Span::range(span.lo(), high));
        lows.chain(highs).collect()
    }

    /// Takes a slice off a cluster, if that gains and all clusters satisfy the constraints.
    fn attempt(&mut self, body: usize, slice: &Slice) -> bool {
        let column = self.surrogate.varying()[slice.place];
        let before = self.loss();
        let gone = |item: &usize| !self.surrogate.has(column, slice.kept, self.pool.code(column, *item));
        let removed: Vec<(usize, u32)> = (0..self.pool.items())
            .filter(|item| self.bodies[body].times[*item] > 0)
            .filter(gone)
            .map(|item| (item, self.bodies[body].times[item]))
            .collect();
        let columns = self.surrogate.varying().len();
        self.work += (self.pool.items() + removed.len() * columns * self.bodies.len() * 4) as u64;
        let peeled = &mut self.bodies[body];
        removed.iter().for_each(|(item, times)| peeled.drop(self.surrogate, self.pool, *item, *times));
        let closure = self.closure(&self.bodies[body]);
        let shifts = self.filled(body, &closure).and_then(|mut shifts| {
            let loss = self.dealt(body, &closure, &removed, &mut shifts);
            (before - loss > MIN_GAIN * before).then_some(shifts)
        });
        let peeled = &mut self.bodies[body];
        removed.iter().for_each(|(item, times)| peeled.put(self.surrogate, self.pool, *item, *times));
        shifts.is_some_and(|shifts| self.take(&shifts))
    }

    /// What a peeled cluster takes of the others, so that it is large enough; `None` if it cannot be.
    fn filled(&mut self, body: usize, closure: &Closure) -> Option<Vec<Shift>> {
        let mut lack = (self.problem.min_size() as u32).saturating_sub(self.bodies[body].size);
        let mut shifts = Vec::new();
        if lack == 0 {
            return Some(shifts);
        }
        let mut donors: Vec<usize> = (0..self.bodies.len()).filter(|other| *other != body).collect();
        donors.sort_by(|a, b| self.bodies[*b].closure.each.total_cmp(&self.bodies[*a].closure.each));
        for from in donors {
            let mut surplus = self.surplus(from);
            self.work += self.pool.items() as u64 * 2;
            for item in 0..self.pool.items() {
                if lack == 0 || surplus == 0 {
                    break;
                }
                let times = self.bodies[from].times[item].min(surplus).min(lack);
                if times > 0 && self.covers(closure, item) {
                    (surplus, lack) = (surplus - times, lack - times);
                    shifts.push(Shift { item, from, to: body, times });
                }
            }
        }
        (lack == 0).then_some(shifts)
    }

    /// Deals the records of a slice to the other clusters. Returns the loss of all clusters after all shifts.
    fn dealt(&self, body: usize, closure: &Closure, removed: &[(usize, u32)], shifts: &mut Vec<Shift>) -> f64 {
        let mut sizes: Vec<u32> = self.bodies.iter().map(|body| body.size).collect();
        for Shift { from, to, times, .. } in shifts.iter() {
            sizes[*from] -= times;
            sizes[*to] += times;
        }
        let mut closures: Vec<Closure> = self.bodies.iter().map(|body| body.closure.clone()).collect();
        closures[body] = closure.clone();
        for (item, times) in removed {
            let more = |other: usize| {
                let (size, closure) = (f64::from(sizes[other]), &closures[other]);
                let joined = f64::from(self.joined(closure, *item));
                joined * (size + f64::from(*times)) - f64::from(closure.each) * size
            };
            let others = (0..self.bodies.len()).filter(|other| *other != body);
            let costs = others.map(|other| (more(other), other));
            let Some((_, to)) = costs.reduce(|a, b| if b.0 < a.0 { b } else { a }) else { return f64::INFINITY };
            self.join(&mut closures[to], *item);
            sizes[to] += times;
            shifts.push(Shift { item: *item, from: body, to, times: *times });
        }
        closures.iter().zip(&sizes).map(|(closure, size)| f64::from(closure.each) * f64::from(*size)).sum()
    }

    /// Makes these changes, unless a cluster then breaks a constraint.
    fn take(&mut self, shifts: &[Shift]) -> bool {
        self.work += (shifts.len() * self.surrogate.varying().len() * 4) as u64;
        let (surrogate, pool) = (self.surrogate, self.pool);
        for Shift { item, from, to, times } in shifts {
            self.bodies[*from].drop(surrogate, pool, *item, *times);
            self.bodies[*to].put(surrogate, pool, *item, *times);
        }
        if self.problem.guarded() && !self.hold() {
            for Shift { item, from, to, times } in shifts {
                self.bodies[*to].drop(surrogate, pool, *item, *times);
                self.bodies[*from].put(surrogate, pool, *item, *times);
            }
            return false;
        }
        let closures: Vec<Closure> = self.bodies.iter().map(|body| self.closure(body)).collect();
        self.bodies.iter_mut().zip(closures).for_each(|(body, closure)| body.closure = closure);
        true
    }

    /// Whether all clusters satisfy the constraints.
    fn hold(&mut self) -> bool {
        self.work += u64::from(self.pool.size()) * 20;
        let taken = |body: &Body| -> Vec<(u32, u32)> {
            (0..).zip(&body.times).filter(|(_, times)| **times > 0).map(|(item, times)| (item, *times)).collect()
        };
        self.bodies.iter().all(|body| self.pool.holds(self.problem, &taken(body), body.size))
    }

    fn closure(&self, body: &Body) -> Closure {
        let span = |(column, counts): (&usize, &Vec<u32>)| {
            let values = &self.pool.values[*column];
            let domain = self.surrogate.domain(*column);
            let present = |place: &usize| counts[*place] > 0;
            if domain.is_set() {
                let bits = (0..values.len()).filter(present).fold(0, |bits, place| bits | 1 << values[place]);
                return Span::mask(bits);
            }
            let low = (0..values.len()).find(present).unwrap_or_default();
            let high = (0..values.len()).rev().find(present).unwrap_or_default();
            Span::range(values[low], values[high])
        };
        let spans: Vec<Span> = self.surrogate.varying().iter().zip(&body.counts).map(span).collect();
        let parts: Vec<f32> = self
            .surrogate
            .varying()
            .iter()
            .zip(&spans)
            .map(|(column, span)| self.surrogate.cost(*column, *span))
            .collect();
        Closure { each: parts.iter().sum(), spans, parts }
    }

    fn covers(&self, closure: &Closure, item: usize) -> bool {
        let mut columns = self.surrogate.varying().iter().zip(&closure.spans);
        columns.all(|(column, span)| self.surrogate.has(*column, *span, self.pool.code(*column, item)))
    }

    /// What each record would pay if an item joined.
    fn joined(&self, closure: &Closure, item: usize) -> f32 {
        let columns = self.surrogate.varying().iter().zip(&closure.spans).zip(&closure.parts);
        columns
            .map(|((column, span), part)| {
                let code = self.pool.code(*column, item);
                // Most values already lie in the closure.
                if self.surrogate.has(*column, *span, code) {
                    *part
                } else {
                    self.surrogate.joined(*column, *span, code)
                }
            })
            .sum()
    }

    fn join(&self, closure: &mut Closure, item: usize) {
        for (place, column) in self.surrogate.varying().iter().enumerate() {
            let (span, code) = (&mut closure.spans[place], self.pool.code(*column, item));
            if !self.surrogate.has(*column, *span, code) {
                let domain = self.surrogate.domain(*column);
                *span = domain.join(*span, domain.span(code));
                closure.parts[place] = self.surrogate.cost(*column, *span);
                closure.each = closure.parts.iter().sum();
            }
        }
    }
}

/// A set without each of its rarest values, without several of them, and with its most frequent value alone.
fn without_rare(mut present: Vec<(Code, u32)>, span: Span) -> Vec<Span> {
    present.sort_unstable_by_key(|(code, times)| (*times, *code));
    let all = span.bits();
    let rare = present.iter().take(RARE_VALUES.min(present.len() - 1)).map(|(code, _)| 1_u64 << code);
    let mut masks: Vec<u64> = rare.clone().map(|bit| all & !bit).collect();
    masks.extend(rare.scan(all, |left, bit| {
        *left &= !bit;
        Some(*left)
    }));
    masks.extend(present.last().map(|(code, _)| 1 << code));
    masks.sort_unstable();
    masks.dedup();
    masks.into_iter().map(Span::mask).collect()
}

/// The range that most records have, the first of equally frequent ones.
fn heaviest(ranges: impl Iterator<Item = (Code, Code, u32)>) -> Option<Span> {
    let most = ranges.reduce(|a, b| if b.2 > a.2 { b } else { a });
    most.map(|(low, high, _)| Span::range(low, high))
}

/// Where a range may end after its outermost records are gone: first those with the outermost value, then shares of them all.
fn ends(present: impl Iterator<Item = (Code, u32)>, size: u32) -> Vec<Code> {
    let (mut ends, mut gone, mut shares) = (Vec::new(), 0, SLICE_SHARES.iter().peekable());
    for (place, (code, times)) in present.enumerate() {
        let enough = |share: &&f64| f64::from(gone) >= **share * f64::from(size);
        let next = shares.next_if(enough).is_some();
        if place == 1 || next {
            ends.push(code);
        }
        while shares.next_if(enough).is_some() {}
        gone += times;
    }
    ends
}

impl Body {
    fn loss(&self) -> f64 {
        f64::from(self.closure.each) * f64::from(self.size)
    }

    fn put(&mut self, surrogate: &Surrogate, pool: &Pool, item: usize, times: u32) {
        self.size += times;
        self.times[item] += times;
        for (counts, column) in self.counts.iter_mut().zip(surrogate.varying()) {
            counts[pool.numbers[*column][item] as usize] += times;
        }
    }

    fn drop(&mut self, surrogate: &Surrogate, pool: &Pool, item: usize, times: u32) {
        self.size -= times;
        self.times[item] -= times;
        for (counts, column) in self.counts.iter_mut().zip(surrogate.varying()) {
            counts[pool.numbers[*column][item] as usize] -= times;
        }
    }
}
