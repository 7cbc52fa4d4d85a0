//! Prices to start from, for tables with too many closures to search them all.
//!
//! Nothing here is proven, and it need not be: [settling](super::prices) makes a bound of any prices. Good
//! prices are close to the largest that no cluster exceeds. They are found in rounds, like the
//! [multipliers](super::lagrangian) over all closures. A round grows closures whose prices exceed their
//! cost, and then prices step towards the largest that exceed the cost of none of those found.
//!
//! A closure grows cell by cell. The next cell is the one that gains most for its cost. A tuple counts less
//! the more it costs with the closure.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::closures::{Cost, Family};
use super::hull::Hull;
use super::index::{Index, Query};
use super::lagrangian::{Choice, Closure, Goal, climb};
use super::search::{Budget, Records};
use super::watch::Watch;
use crate::error::Result;

/// The largest number of rounds. The search also ends when prices hardly fall any more.
const MAX_ROUNDS: u32 = 10;

/// The number of closures of a round that may cover a tuple before it no longer grows its own.
const MAX_COVERING_CLOSURES: u8 = 2;

/// The number of tuples whose closures grow at the same time.
const TUPLES_PER_BATCH: usize = 64;

/// The work of one look at a tuple of a closure, which reads all columns several times.
const WORK_PER_LOOK: u64 = 4;

/// A closure grows among this many of the nearest tuples, or among 5k of them if that is more.
const NEAREST_TUPLES: usize = 200;

/// The largest price of a tuple, as a multiple of what it costs at least.
const MAX_PRICE_FACTOR: Cost = 6;

/// Prices, and the closures that they come from.
pub(super) struct InitialPrices<'a> {
    index: &'a Index<'a, Records<'a>>,
    limits: Vec<Cost>,
    pool: Vec<Closure>,
    pub(super) prices: Vec<Cost>,
    /// The sum of the prices minus the excesses of the closures.
    best: i64,
}

impl<'a> InitialPrices<'a> {
    /// Grows closures until prices hardly fall any more. `near` is what each tuple costs at least.
    pub(super) fn new(index: &'a Index<'a, Records<'a>>, near: &[Cost], budget: &Budget) -> Result<Self> {
        let records = index.space();
        budget.watch.begin(0)?;
        let limits: Vec<Cost> = near.iter().map(|near| near * MAX_PRICE_FACTOR).collect();
        let (prices, best) = (limits.clone(), records.total(&limits) / 2);
        let mut start = InitialPrices { index, limits, pool: Vec::new(), prices, best };
        for _ in 0..MAX_ROUNDS {
            let before = records.total(&start.prices);
            let found = exceeded(index, &start.prices, budget)?;
            start.learn(found, budget.watch)?;
            if before - records.total(&start.prices) < before / 200 || budget.left() == 0 {
                break;
            }
        }
        Ok(start)
    }

    /// Steps to prices that exceed the costs of these closures less.
    pub(super) fn learn(&mut self, closures: Vec<Closure>, watch: Watch) -> Result<()> {
        self.pool.extend(closures);
        let goal = Goal { best: self.best, aim: 0.03 };
        let records = self.index.space();
        (self.prices, self.best) = climb(records, &mut self.pool, &self.prices, &self.limits, goal, watch)?;
        self.pool.retain_mut(|closure| {
            closure.idle += 1;
            closure.idle <= 3
        });
        Ok(())
    }
}

/// Closures whose prices exceed their cost.
fn exceeded(index: &Index<Records>, prices: &[Cost], budget: &Budget) -> Result<Vec<Closure>> {
    let mut order: Vec<u32> = (0..prices.len() as u32).collect();
    order.sort_by_key(|t| (Reverse(prices[*t as usize]), *t));
    let mut rank = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, t)| rank[*t as usize] = place);
    let mut covered = vec![0_u8; prices.len()];
    let mut closures = Vec::new();
    for from in (0..order.len()).step_by(TUPLES_PER_BATCH) {
        budget.watch.advance(0)?;
        let mut batch = order[from..order.len().min(from + TUPLES_PER_BATCH)].to_vec();
        batch.retain(|t| covered[*t as usize] < MAX_COVERING_CLOSURES);
        let grown = |query: &mut Query, t: &u32| {
            let upper = prices[order[from] as usize];
            let nearest = NEAREST_TUPLES.max(5 * index.space().k as usize);
            let mut tuples = index.nearer(*t, upper, nearest, |t| rank[t as usize] >= from, query);
            tuples.sort_unstable_by_key(|(_, t)| rank[*t as usize]);
            let mut growth = Growth::new(index.space(), *t, tuples, prices);
            let closure = growth.best();
            (closure, query.work + growth.work)
        };
        let found: Vec<_> = batch.par_iter().map_init(Query::default, grown).collect();
        for (closure, work) in found {
            budget.spend(work);
            let Some(closure) = closure else { continue };
            closure.tuples.iter().for_each(|t| covered[*t as usize] = covered[*t as usize].saturating_add(1));
            closures.push(closure);
        }
        if budget.left() == 0 {
            break;
        }
    }
    Ok(closures)
}

/// A growing closure.
struct Growth<'a> {
    records: &'a Records<'a>,
    hulls: Vec<Hull<'a>>,
    cost: Cost,
    /// The tuples that it may come to cover, by falling price, with their costs together with it.
    tuples: Vec<(Cost, u32)>,
    /// The largest cost that it may reach.
    upper: Cost,
    prices: &'a [Cost],
    /// The number of looks at tuples.
    work: u64,
}

impl<'a> Growth<'a> {
    /// A closure around a tuple, among these tuples, as far as their prices pay for it.
    fn new(records: &'a Records<'a>, tuple: u32, tuples: Vec<(Cost, u32)>, prices: &'a [Cost]) -> Self {
        let own = |cells: &Vec<u32>| cells[tuple as usize];
        let hulls: Vec<Hull> =
            records.families.iter().zip(&records.cells).map(|(family, cells)| Hull::new(family, own(cells))).collect();
        let cost = hulls.iter().map(|hull| hull.cost()).sum();
        let mut growth = Growth { records, hulls, cost, tuples, upper: Cost::MAX, prices, work: 0 };
        for _ in 0..3 {
            growth.upper = records.dearest(prices, &growth.tuples).0 / records.k as i64;
            growth.tuples.retain(|(cost, _)| *cost < growth.upper);
        }
        growth
    }

    /// The tuples that it covers, or could cover at no more cost.
    fn covered(&self) -> Vec<u32> {
        self.tuples.iter().filter(|(cost, _)| *cost <= self.cost).map(|(_, t)| *t).collect()
    }

    /// Of all closures that it grows to, the one with the largest excess.
    fn best(&mut self) -> Option<Closure> {
        let (records, prices) = (self.records, self.prices);
        let mut best: Option<(i64, Closure)> = None;
        while self.cost < self.upper {
            let mut tuples = self.covered();
            let choice = Choice::new(&records.weights, records.k, prices, &tuples, self.cost);
            if choice.excess > best.as_ref().map_or(0, |(excess, _)| *excess) {
                let mut size = 0;
                let likely = tuples.iter().take_while(|t| {
                    let few = size < 4 * records.k;
                    size += u64::from(records.weights[**t as usize]);
                    few
                });
                tuples.truncate(likely.count());
                best = Some((choice.excess, Closure { cost: self.cost, tuples, idle: 0 }));
            }
            if !self.grow() {
                break;
            }
        }
        best.map(|(_, closure)| closure)
    }

    /// Adds the cell that gains most for its cost. Returns false if there is none.
    fn grow(&mut self) -> bool {
        let records = self.records;
        let upper = self.upper;
        self.tuples.retain(|(cost, _)| *cost < upper);
        self.work += WORK_PER_LOOK * self.tuples.len() as u64;
        let room = (upper - self.cost).max(1) as f64;
        let mut values: Vec<Vec<f64>> = records.families.iter().map(|family| vec![0.0; family.cells()]).collect();
        for (cost, t) in self.tuples.iter().filter(|(cost, _)| *cost > self.cost) {
            let near = (upper - cost) as f64 / room;
            let price = (self.prices[*t as usize] - self.cost).max(0) as f64;
            let value = f64::from(records.weights[*t as usize]) * near * near * near * near * price;
            for (values, cells) in values.iter_mut().zip(&records.cells) {
                values[cells[*t as usize] as usize] += value;
            }
        }
        let mut next: Option<(f64, usize, u32)> = None;
        for (number, (hull, values)) in self.hulls.iter().zip(&values).enumerate() {
            for (cell, value) in brought(*hull, values) {
                let extra = (hull.join(cell).cost() - hull.cost()).max(1) as f64;
                if next.is_none_or(|(best, ..)| value / extra > best) {
                    next = Some((value / extra, number, cell));
                }
            }
        }
        let Some((_, number, cell)) = next else { return false };
        self.take(number, cell);
        true
    }

    /// Adds a cell.
    fn take(&mut self, number: usize, cell: u32) {
        let old = self.hulls[number];
        let new = old.join(cell);
        let family = old.family;
        let change: Vec<Cost> =
            (0..family.cells() as u32).map(|cell| new.join(cell).cost() - old.join(cell).cost()).collect();
        let cells = &self.records.cells[number];
        self.tuples.iter_mut().for_each(|(cost, t)| *cost += change[cells[*t as usize] as usize]);
        self.cost += new.cost() - old.cost();
        self.hulls[number] = new;
    }
}

/// The cells that may come next, and what they gain. For a set: every cell by itself. For a range: the
/// nearest cell on either side; for a tree: the nearest cell. These count for everything that lies behind
/// them.
fn brought(hull: Hull, values: &[f64]) -> Vec<(u32, f64)> {
    let outside = || (0..values.len() as u32).filter(|cell| values[*cell as usize] > 0.0 && !hull.covers(*cell));
    let value = |cell: u32| values[cell as usize];
    if let Family::Sets(_) = hull.family {
        return outside().map(|cell| (cell, value(cell))).collect();
    }
    let Some((lo, hi)) = hull.window() else {
        let nearest = outside().min_by_key(|cell| hull.join(*cell).cost());
        return nearest.map(|cell| (cell, outside().map(value).sum())).into_iter().collect();
    };
    let below = outside().rfind(|cell| *cell < lo);
    let above = outside().find(|cell| *cell > hi);
    let below = below.map(|cell| (cell, outside().filter(|cell| *cell < lo).map(value).sum::<f64>() / 2.0));
    let above = above.map(|cell| (cell, outside().filter(|cell| *cell > hi).map(value).sum::<f64>() / 2.0));
    below.into_iter().chain(above).collect()
}
