//! Prices that no cluster exceeds, proven record by record.
//!
//! **Bound.** Let every record i have a price uᵢ ≥ 0 such that no cluster of at least k records has prices
//! with a sum above its loss. The clusters of a partition contain every record once. So no partition loses
//! less than Σ uᵢ.
//!
//! **Settling.** Records are settled one after the other. A record may be settled at a price if no cluster
//! of it and of records that are not settled yet exceeds its loss, at the prices of that moment. Prices
//! only fall later. So for any cluster, the record that was settled first proves that its final prices do
//! not exceed its loss. ∎
//!
//! **Falling back.** Let other prices pᵢ be proven already. Then records that are never settled may keep min(uᵢ, pᵢ), at the prices uᵢ of
//! the end. A cluster without a settled record does not exceed its loss at the prices pᵢ. In any other, these prices are no
//! higher than when its first record was settled. ∎ So the work may end at any time, and a record whose price has fallen to pᵢ *rests*. At first,
//! pᵢ is what the nearest neighbours prove.
//!
//! The dearest records are looked at first, and each is [searched](super::record_search) separately. If
//! there may be an excess, the record pays for it, if it keeps at least what the cheapest such closure
//! costs: every cluster in question contains the record, so if no such cluster exceeds its loss by more
//! than V, none does once the price is V lower. Otherwise its price falls by a share, and it waits until it
//! is among the dearest again, when fewer others are left. A record that is the dearest of all and whose
//! price is no more than its nearest neighbours prove is settled without a search: no cluster with it costs
//! less than that, and nobody in it has a higher price.
//!
//! Several records are looked at at the same time, each as if none of the others were settled, so that the
//! result does not depend on the threads.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use rayon::prelude::*;

use super::closures::Cost;
use super::index::{Index, Query};
use super::initial_prices::InitialPrices;
use super::lagrangian::Closure;
use super::record_search::{RecordSearch, Verdict};
use super::search::{Budget, Records};
use crate::error::Result;

/// The number of records that are looked at at the same time.
const RECORDS_PER_BATCH: usize = 64;

/// The largest number of steps of a search.
const MAX_SEARCH_STEPS: u32 = 2000;

/// The least and the largest fall of a price, in percent.
const PRICE_FALL_PERCENT: (i64, i64) = (1, 20);

/// The share of the starting prices that is tried, in percent. These come from closures that were found, so they are higher
/// than what can be proven.
const START_PRICE_PERCENT: i64 = 75;

/// The largest prices to try, in tenths of what a tuple costs at least. Higher prices make more work.
const MAX_PRICE_TENTHS: [i64; 10] = [15, 20, 25, 30, 35, 40, 45, 50, 55, 60];

/// The number of tuples that are looked at to choose the first of these.
const SAMPLE_TUPLES: usize = 512;

/// The number of further tries without a better bound, if they take little work.
const MAX_TRIES_WITHOUT_GAIN: u32 = 4;

/// A bound as a sum over all records. `near` is what each tuple costs at least.
///
/// A sample of the tuples estimates for which prices the work and the time suffice. Passes settle these and then higher ones, and each of
/// them falls back on what the passes before it have proven. So the bound never falls, wherever the work or the time ends. Closures that
/// were found on the way make better prices.
pub(super) fn bound(index: &Index<Records>, start: &mut InitialPrices, near: &[Cost], budget: &Budget) -> Result<i64> {
    let records = index.space();
    let mut proven = near.to_vec();
    let mut tried: Vec<Cost> = Vec::new();
    for times in &MAX_PRICE_TENTHS[first(index, &start.prices, near, budget)..] {
        let prices = limited(&start.prices, near, *times);
        if budget.left() == 0 || prices == tried {
            break;
        }
        let found = settle(index, &prices, near, &mut proven, budget)?;
        start.learn(found, budget.watch)?;
        tried = prices;
    }
    let mut idle = 0;
    while idle < MAX_TRIES_WITHOUT_GAIN && budget.left() > 0 {
        let before = records.total(&proven);
        let found = settle(index, &start.prices, near, &mut proven, budget)?;
        idle = if records.total(&proven) > before { 0 } else { idle + 1 };
        if found.is_empty() {
            break;
        }
        start.learn(found, budget.watch)?;
    }
    Ok(records.total(&proven))
}

/// A share of the starting prices, but no more than so many tenths of what the tuples cost at least, and no less than that.
fn limited(prices: &[Cost], near: &[Cost], tenths: i64) -> Vec<Cost> {
    let limit = |(price, near): (&Cost, &Cost)| (price * START_PRICE_PERCENT / 100).min(near * tenths / 10).max(*near);
    prices.iter().zip(near).map(limit).collect()
}

/// The place of the limit for the first pass: of those for which the budget seems to suffice, that with the largest sum.
fn first(index: &Index<Records>, prices: &[Cost], near: &[Cost], budget: &Budget) -> usize {
    let whole = (near.len() / SAMPLE_TUPLES).max(1) as u64;
    let (mut best, mut most) = (0, 0);
    for (place, times) in MAX_PRICE_TENTHS.into_iter().enumerate() {
        let begun = Instant::now();
        let (sum, work) = sample(index, &limited(prices, near, times), near, budget);
        let too_long = budget.watch.left().is_some_and(|left| begun.elapsed() * whole as u32 > left / 3 * 2);
        if too_long {
            budget.watch.limit();
        }
        if too_long || work * whole > budget.left() / 3 * 2 {
            break;
        }
        if sum > most {
            (best, most) = (place, sum);
        }
    }
    best
}

/// Estimates the sum of the settled prices of some tuples, and the work to settle them. Those that wait
/// lose about a third.
fn sample(index: &Index<Records>, prices: &[Cost], near: &[Cost], budget: &Budget) -> (i64, u64) {
    let mut order: Vec<u32> = (0..prices.len() as u32).collect();
    order.sort_by_key(|t| (Reverse(prices[*t as usize]), *t));
    let mut rank = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, t)| rank[*t as usize] = place);
    let places: Vec<usize> = (0..order.len()).step_by((order.len() / SAMPLE_TUPLES).max(1)).collect();
    let looks = places.par_iter().map_init(Query::default, |query, place| {
        let t = order[*place];
        if budget.watch.ends() {
            return (0, 0);
        }
        let waits = |t: u32| rank[t as usize] >= *place;
        let left = Left { index, prices, near, waits, highest: prices[t as usize] };
        let look = left.look(t, near[t as usize], query);
        budget.spend(look.work);
        let price = if look.settled { look.price } else { look.price * 2 / 3 };
        (price * i64::from(index.space().weights[t as usize]), look.work)
    });
    looks.reduce(|| (0, 0), |(sum, work), (more, also)| (sum + more, work + also))
}

/// Raises proven prices by settling records at these prices, as far as the budget suffices. Returns closures whose prices exceeded their
/// cost.
fn settle(
    index: &Index<Records>,
    wanted: &[Cost],
    near: &[Cost],
    proven: &mut [Cost],
    budget: &Budget,
) -> Result<Vec<Closure>> {
    let records = index.space();
    let mut prices: Vec<Cost> = wanted.iter().zip(&*proven).map(|(price, proven)| *price.max(proven)).collect();
    let mut is_left = vec![true; prices.len()];
    let mut left: BinaryHeap<(Cost, Reverse<u32>)> = BinaryHeap::new();
    // The highest price of those who need not be settled, because it is proven.
    let mut resting = 0;
    for (t, (price, proven)) in (0..).zip(prices.iter().zip(&*proven)) {
        if price > proven { left.push((*price, Reverse(t))) } else { resting = resting.max(*price) }
    }
    let (mut found, mut sum) = (Vec::new(), records.total(proven));
    budget.watch.begin(left.len() as u64)?;
    while budget.left() > 0 {
        let Some((dearest, _)) = left.peek() else { break };
        let highest = resting.max(*dearest);
        let dearest = std::iter::from_fn(|| left.pop());
        let batch: Vec<u32> = dearest.take(RECORDS_PER_BATCH).map(|(_, Reverse(t))| t).collect();
        let now = Left { index, prices: &prices, near, waits: |t: u32| is_left[t as usize], highest };
        let looks: Vec<Look> =
            batch.par_iter().map_init(Query::default, |query, t| now.look(*t, proven[*t as usize], query)).collect();
        let mut done = 0;
        for (look, t) in looks.into_iter().zip(batch) {
            budget.spend(look.work);
            prices[t as usize] = look.price;
            found.extend(look.found);
            let known = &mut proven[t as usize];
            if look.settled {
                is_left[t as usize] = false;
                sum += (look.price - *known) * i64::from(records.weights[t as usize]);
                *known = look.price;
            } else if look.price > *known {
                left.push((look.price, Reverse(t)));
                continue;
            } else {
                resting = resting.max(look.price);
            }
            done += 1;
        }
        budget.watch.advance(done)?;
        budget.watch.raised(sum);
    }
    Ok(found)
}

/// The result of a look at a tuple.
struct Look {
    /// The new price.
    price: Cost,
    /// Whether it is settled; otherwise it waits.
    settled: bool,
    /// A closure whose prices exceed its cost.
    found: Option<Closure>,
    work: u64,
}

/// The tuples that are not settled yet, and the prices of all tuples.
struct Left<'a, F> {
    index: &'a Index<'a, Records<'a>>,
    prices: &'a [Cost],
    near: &'a [Cost],
    /// Whether a tuple is not settled yet.
    waits: F,
    /// None of these has a higher price.
    highest: Cost,
}

impl<F: Fn(u32) -> bool> Left<'_, F> {
    /// Looks at one of the tuples, whose price falls no further than what is proven.
    fn look(&self, tuple: u32, proven: Cost, query: &mut Query) -> Look {
        let records = self.index.space();
        let (price, least) = (self.prices[tuple as usize], self.near[tuple as usize]);
        let mut look = Look { price, settled: true, found: None, work: 1 };
        if price >= self.highest && price <= least {
            return look;
        }
        let tuples = self.reachable(tuple, query);
        look.work = query.work;
        if tuples.is_empty() {
            return look;
        }
        let own: Vec<u32> = records.cells.iter().map(|cells| cells[tuple as usize]).collect();
        let prices_of = tuples.iter().map(|t| self.prices[*t as usize]).collect();
        let mut search = RecordSearch::new(records.pick(&tuples), prices_of, MAX_SEARCH_STEPS);
        if let Verdict::Perhaps { cost, excess } = search.run(&own) {
            if price - excess >= cost.max(least).max(proven) {
                look.price = price - excess;
            } else {
                let whole = records.k as i64 * cost.max(1);
                let share = (100 * excess.min(whole) / (whole + excess.min(whole)))
                    .clamp(PRICE_FALL_PERCENT.0, PRICE_FALL_PERCENT.1);
                look.price = (price * (100 - share) / 100).max(proven);
                look.settled = false;
            }
            look.found = search.found.take().map(|(cost, places)| {
                let tuples = places.iter().map(|place| tuples[*place as usize]).collect();
                Closure { cost, tuples, idle: 0 }
            });
        }
        look.work += search.work();
        look
    }

    /// The tuples that can share with this one a closure that costs less than the mean price of the k
    /// dearest of them, by falling price. None if there are fewer than k records.
    fn reachable(&self, tuple: u32, query: &mut Query) -> Vec<u32> {
        let records = self.index.space();
        let mut tuples = self.index.nearer(tuple, self.highest, usize::MAX, &self.waits, query);
        tuples.sort_unstable_by_key(|(_, t)| (Reverse(self.prices[*t as usize]), *t));
        loop {
            let (sum, lacking) = records.dearest(self.prices, &tuples);
            if lacking > 0 {
                return Vec::new();
            }
            let before = tuples.len();
            tuples.retain(|(cost, _)| *cost * (records.k as i64) < sum);
            if tuples.len() == before {
                return tuples.into_iter().map(|(_, t)| t).collect();
            }
        }
    }
}
