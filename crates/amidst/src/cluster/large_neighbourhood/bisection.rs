//! Clustering a pool anew by halving it again and again, as in [cb](crate::partition). This is the way for large
//! clusters, whose closures no single record can change, and it takes a whole table as well.
//!
//! A *try* halves the records. The first try takes the cut that gains most among those along one column. The others
//! begin with two random records as centres and let two sides grow from them: every record goes to the side
//! whose loss it raises less. Then the centres move to the means of the sides, and the sides grow once more. A side
//! that lacks records takes those that cost it least from the other one. The best try is kept, if both sides
//! satisfy the constraints and lose less than the whole.
//!
//! Equal records go the same way. So the work depends on the number of different records, of which large
//! clusters have few.

use std::cmp::Ordering;

use rand::RngExt;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::pool::{Group, Pool};
use crate::cluster::{Surrogate, top_down};
use crate::encode::{Code, Span};
use crate::error::Result;
use crate::problem::{Problem, mixed};
use crate::progress::Progress;

/// The number of tries that halve a part of a small pool.
pub(super) const FEW_TRIES: u64 = 2;
/// The fewest and the most tries that halve a part of the table, and the number of tries at all depths together.
const TABLE_TRIES: (u64, u64, f64) = (2, 16, 64.0);
/// With more columns than this there are fewer tries, because each takes longer and rounds of the search gain more.
const COLUMNS_OF_TRIES: usize = 8;
/// How often the sides of a try grow.
const PASSES: usize = 2;
/// The number of records among which the second centre is the one farthest from the first.
const FAR_CANDIDATES: usize = 4;
/// The largest number of different records on which centres are tried.
const MAX_TRY_ITEMS: usize = 32_768;
/// Groups with at least this many different records run their tries, and their halves, in parallel.
const MIN_PARALLEL_ITEMS: usize = 2048;
/// The largest number of records that decide which cut along a column is tried.
const MAX_SAMPLE_ITEMS: usize = 512;
/// A side that lacks records takes at least this share of them at a time.
const BORROWED_SHARE: u32 = 8;

/// Seeds of the sides of a group differ from those of its tries.
const SIDES: u64 = 1 << 32;

/// Items of a pool, with the number of rows of each.
type Taken = Vec<(u32, u32)>;

/// The records of a pool in compact form.
pub(super) struct Bisection<'a> {
    problem: &'a Problem,
    surrogate: &'a Surrogate<'a>,
    pool: &'a Pool,
    /// The codes of the columns that tell records apart, item by item.
    codes: Vec<Code>,
    /// The number of tries with random centres.
    tries: u64,
    progress: Progress<'a>,
}

/// Sides that grew from two centres, and what they lose together.
struct Grown {
    loss: f64,
    centres: [Vec<Code>; 2],
    sides: [Taken; 2],
}

/// The two halves of a group and what they lose together.
struct Halves {
    loss: f64,
    sides: [Taken; 2],
}

impl<'a> Bisection<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        surrogate: &'a Surrogate<'a>,
        pool: &'a Pool,
        tries: u64,
        progress: Progress<'a>,
    ) -> Self {
        let varying = surrogate.varying();
        let mut codes = Vec::with_capacity(pool.items() * varying.len());
        for item in 0..pool.items() {
            let record = surrogate.encoded().row(pool.rows_of(item)[0]);
            codes.extend(varying.iter().map(|column| record[*column]));
        }
        Bisection { problem, surrogate, pool, codes, tries, progress }
    }

    /// Halves all records until no half gains. Also returns the work in about nanoseconds.
    pub(super) fn regroup(&self, seed: u64) -> Result<(Vec<Group>, u64)> {
        let all: Taken = (0..self.pool.items()).map(|item| (item as u32, self.pool.weight(item))).collect();
        let loss = self.loss(&all);
        let (parts, work) = self.split(all, loss, seed)?;
        let group = |taken: Taken| {
            let cost = self.side(&taken).map_or(0.0, |side| side.each);
            Group { size: size(&taken), taken, cost, ..Group::default() }
        };
        Ok((parts.into_iter().map(group).collect(), work))
    }

    fn split(&self, group: Taken, loss: f64, seed: u64) -> Result<(Vec<Taken>, u64)> {
        let items = group.len();
        if size(&group) < 2 * self.problem.min_size() as u32 || items < 2 || loss <= 0.0 {
            self.progress.advance(u64::from(size(&group)))?;
            return Ok((vec![group], 0));
        }
        self.progress.advance(0)?;
        let mut work = (items.min(MAX_TRY_ITEMS) as u64 * self.tries * 4 + items as u64 * 4)
            * self.surrogate.varying().len() as u64
            * 12;
        let parallel = items >= MIN_PARALLEL_ITEMS;
        let (grow, cut) =
            (|| self.halves(self.best_grown(&group, seed)), || self.cut(&group).and_then(|sides| self.halves(sides)));
        let (grown, cut) = if parallel { rayon::join(grow, cut) } else { (grow(), cut()) };
        let best = grown.into_iter().chain(cut).reduce(|a, b| if b.loss < a.loss { b } else { a });
        let Some(Halves { sides: [low, high], .. }) = best.filter(|best| best.loss < loss * (1.0 - 1e-6)) else {
            self.progress.advance(u64::from(size(&group)))?;
            return Ok((vec![group], work));
        };
        drop(group);
        let go = |side: Taken, number| {
            let loss = self.loss(&side);
            self.split(side, loss, mixed(seed, number + SIDES))
        };
        let (low, high) = if parallel { rayon::join(|| go(low, 1), || go(high, 2)) } else { (go(low, 1), go(high, 2)) };
        let ((mut parts, below), (others, above)) = (low?, high?);
        parts.extend(others);
        work += below + above;
        Ok((parts, work))
    }

    /// The sides after each got enough records; `None` if they do not satisfy the constraints.
    fn halves(&self, mut sides: [Taken; 2]) -> Option<Halves> {
        let least = self.problem.min_size() as u32;
        for side in 0..2 {
            let (low, high) = sides.split_at_mut(1);
            let (few, many) = if side == 0 { (&mut low[0], &mut high[0]) } else { (&mut high[0], &mut low[0]) };
            self.borrow(few, many, least);
        }
        let holds = |side: &Taken| self.pool.holds(self.problem, side, size(side));
        let loss = self.loss(&sides[0]) + self.loss(&sides[1]);
        sides.iter().all(holds).then_some(Halves { loss, sides })
    }

    /// The sides of the cut along a column that gains most, by a sample of the records.
    fn cut(&self, group: &Taken) -> Option<[Taken; 2]> {
        let every = group.len().div_ceil(MAX_SAMPLE_ITEMS).max(1);
        let row = |(item, _): &(u32, u32)| self.pool.rows_of(*item as usize)[0];
        let sample: Vec<u32> = group.iter().step_by(every).map(row).collect();
        let cut = top_down::best_cut(self.surrogate, &sample)?;
        let inside = |taken: &(u32, u32)| cut.has(self.surrogate.encoded().row(row(taken)));
        let (low, high): (Taken, Taken) = group.iter().copied().partition(inside);
        Some([low, high])
    }

    /// The centres of the sides that grow from two random records.
    fn grown(&self, order: &[(u32, u32)], number: u64, rng: &mut impl Rng) -> Grown {
        // Far centres often are odd records, so every second try takes any.
        let mut centres = self.centres(order, if number.is_multiple_of(2) { FAR_CANDIDATES } else { 1 }, rng);
        let mut sides = self.dealt(order, &centres);
        for _ in 1..PASSES {
            let means = [0, 1].map(|side| self.mean(&sides[side]));
            let [Some(low), Some(high)] = means else { break };
            centres = [low, high];
            sides = self.dealt(order, &centres);
        }
        Grown { loss: self.loss(&sides[0]) + self.loss(&sides[1]), centres, sides }
    }

    /// The sides of the best of several tries with random centres. Large groups try them on a sample, and are dealt to the
    /// centres of the best one.
    fn best_grown(&self, group: &Taken, seed: u64) -> [Taken; 2] {
        let mut order = group.clone();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let sample = &order[..order.len().min(MAX_TRY_ITEMS)];
        let attempt = |number| self.grown(sample, number, &mut ChaCha8Rng::seed_from_u64(mixed(seed, number)));
        let tries = 1..=self.tries;
        let grown: Vec<Grown> = if sample.len() >= MIN_PARALLEL_ITEMS {
            tries.into_par_iter().map(attempt).collect()
        } else {
            tries.map(attempt).collect()
        };
        let Some(best) = grown.into_iter().reduce(|a, b| if b.loss < a.loss { b } else { a }) else {
            return [order, Taken::new()];
        };
        if sample.len() == order.len() { best.sides } else { self.dealt(&order, &best.centres) }
    }

    /// A random record, and the one of a few that is farthest from it.
    fn centres(&self, order: &[(u32, u32)], candidates: usize, rng: &mut impl Rng) -> [Vec<Code>; 2] {
        let first = self.codes(order[0].0);
        let side = Side::at(self, first);
        let drawn = (0..candidates).map(|_| order[rng.random_range(0..order.len())].0);
        let far = drawn.map(|item| (side.joined(self, self.codes(item)), item));
        let far = far.reduce(|a, b| if b.0 > a.0 { b } else { a }).map_or(order[order.len() - 1].0, |(_, item)| item);
        [first.to_vec(), self.codes(far).to_vec()]
    }

    /// Every record on the side whose loss it raises less.
    fn dealt(&self, order: &[(u32, u32)], centres: &[Vec<Code>; 2]) -> [Taken; 2] {
        let mut growing = centres.each_ref().map(|centre| Side::at(self, centre));
        let mut sides = [Taken::new(), Taken::new()];
        for (item, times) in order {
            let codes = self.codes(*item);
            let joined = growing.each_ref().map(|side| side.joined(self, codes));
            let more = [0, 1].map(|side| growing[side].more(joined[side], *times));
            let side = match more[0].total_cmp(&more[1]) {
                Ordering::Less => 0,
                Ordering::Greater => 1,
                Ordering::Equal => usize::from(growing[1].size < growing[0].size),
            };
            growing[side].add(self, codes, *times);
            sides[side].push((*item, *times));
        }
        sides
    }

    /// The mean of a side as a record: the mean code where codes have an order, otherwise that of a frequent value.
    fn mean(&self, side: &Taken) -> Option<Vec<Code>> {
        let all = f64::from(size(side).max(1));
        let mut centre = self.codes(side.first()?.0).to_vec();
        let mut counts: Vec<(Code, u32)> = Vec::new();
        for (place, column) in self.surrogate.varying().iter().enumerate() {
            let domain = self.surrogate.domain(*column);
            let code = |item: u32| self.codes(item)[place];
            if !domain.is_set() && !domain.is_suppress() && domain.hierarchy().is_none() {
                let sum: f64 = side.iter().map(|(item, times)| f64::from(code(*item)) * f64::from(*times)).sum();
                centre[place] = (sum / all).round() as Code;
                continue;
            }
            // Many values cannot be counted quickly, and a frequent one of a sample is as good a centre.
            let every = side.len().div_ceil(MAX_SAMPLE_ITEMS).max(1);
            counts.clear();
            counts.extend(side.iter().step_by(every).map(|(item, times)| (code(*item), *times)));
            counts.sort_unstable();
            let alike = counts.chunk_by(|a, b| a.0 == b.0);
            let weighed = alike.map(|alike| (alike.iter().map(|(_, times)| times).sum::<u32>(), alike[0].0));
            let most = weighed.reduce(|a, b| if b.0 > a.0 { b } else { a });
            centre[place] = most.map_or(centre[place], |(_, code)| code);
        }
        Some(centre)
    }

    /// Fills a side that has too few records with those of the other side that cost it least.
    fn borrow(&self, few: &mut Taken, many: &mut Taken, least: u32) {
        while size(few) < least && size(many) > least {
            let Some(mut side) =
                self.side(few).or_else(|| many.first().map(|(item, _)| Side::at(self, self.codes(*item))))
            else {
                return;
            };
            let lack = least - size(few);
            let mut wanted = lack.div_ceil(BORROWED_SHARE).max(1).min(size(many) - least);
            let mut costs: Vec<(f32, usize)> = many
                .iter()
                .enumerate()
                .map(|(place, (item, _))| (side.joined(self, self.codes(*item)), place))
                .collect();
            let enough = (wanted as usize).min(costs.len());
            if enough < costs.len() {
                costs.select_nth_unstable_by(enough, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            }
            costs.truncate(enough);
            costs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (_, place) in costs {
                let (item, times) = &mut many[place];
                let taken = wanted.min(*times);
                if taken == 0 {
                    break;
                }
                side.add(self, self.codes(*item), taken);
                few.push((*item, taken));
                *times -= taken;
                wanted -= taken;
            }
            many.retain(|(_, times)| *times > 0);
        }
    }

    fn codes(&self, item: u32) -> &[Code] {
        let columns = self.surrogate.varying().len();
        &self.codes[item as usize * columns..][..columns]
    }

    fn side(&self, taken: &Taken) -> Option<Side> {
        let ((first, times), rest) = taken.split_first()?;
        let mut side = Side { size: *times, ..Side::at(self, self.codes(*first)) };
        rest.iter().for_each(|(item, times)| side.add(self, self.codes(*item), *times));
        Some(side)
    }

    fn loss(&self, taken: &Taken) -> f64 {
        self.side(taken).map_or(0.0, |side| f64::from(side.each) * f64::from(side.size))
    }
}

/// The number of tries for a whole table: the more, the fewer times it is halved.
pub(super) fn table_tries(problem: &Problem, surrogate: &Surrogate) -> u64 {
    let depth = (problem.rows() as f64 / problem.min_size() as f64).max(2.0).log2();
    let share = (COLUMNS_OF_TRIES as f64 / surrogate.varying().len() as f64).min(1.0);
    ((TABLE_TRIES.2 * share / depth) as u64).clamp(TABLE_TRIES.0, TABLE_TRIES.1)
}

fn size(taken: &Taken) -> u32 {
    taken.iter().map(|(_, times)| times).sum()
}

/// A side while it grows.
struct Side {
    size: u32,
    spans: Vec<Span>,
    /// What each record pays, column by column.
    parts: Vec<f32>,
    /// What each record pays.
    each: f32,
}

impl Side {
    /// A side that begins with a centre, which counts as a record.
    fn at(bisection: &Bisection, codes: &[Code]) -> Self {
        let surrogate = bisection.surrogate;
        let columns = surrogate.varying().iter().zip(codes);
        let spans: Vec<Span> = columns.map(|(column, code)| surrogate.domain(*column).span(*code)).collect();
        let parts: Vec<f32> =
            surrogate.varying().iter().zip(&spans).map(|(column, span)| surrogate.cost(*column, *span)).collect();
        Side { size: 1, spans, each: parts.iter().sum(), parts }
    }

    /// What each record would pay with a further record.
    fn joined(&self, bisection: &Bisection, codes: &[Code]) -> f32 {
        let surrogate = bisection.surrogate;
        let columns = surrogate.varying().iter().zip(&self.spans).zip(&self.parts).zip(codes);
        columns
            .map(|(((column, span), part), code)| {
                // Most values already lie in the closure.
                if surrogate.has(*column, *span, *code) { *part } else { surrogate.joined(*column, *span, *code) }
            })
            .sum()
    }

    /// How much the loss rises if each record pays this much with these further records.
    fn more(&self, joined: f32, times: u32) -> f64 {
        f64::from(joined) * f64::from(self.size + times) - f64::from(self.each) * f64::from(self.size)
    }

    fn add(&mut self, bisection: &Bisection, codes: &[Code], times: u32) {
        let surrogate = bisection.surrogate;
        self.size += times;
        for (place, column) in surrogate.varying().iter().enumerate() {
            if surrogate.has(*column, self.spans[place], codes[place]) {
                continue;
            }
            let domain = surrogate.domain(*column);
            self.spans[place] = domain.join(self.spans[place], domain.span(codes[place]));
            self.parts[place] = surrogate.cost(*column, self.spans[place]);
            self.each = self.parts.iter().sum();
        }
    }
}
