//! Prices that no cluster exceeds, record by record.
//!
//! **Bound.** Let every record i have a price uᵢ ≥ 0 so that no cluster of at least k records has prices that sum to more than it loses. As the
//! clusters of a partition have every record once, no partition loses less than Σ uᵢ.
//!
//! **Settling.** Records are settled in an order. A record is settled at a price when no cluster of it and of records that
//! are not settled yet exceeds its loss, at the prices of that moment. Prices only fall later. So of any cluster the record settled first proves in the end that
//! its prices do not exceed its loss. ∎
//!
//! The dearest are looked at first, and each is [searched](super::record_search) by itself. If there may be an excess, the record pays for it, if that leaves it what the
//! cheapest such closure costs: every cluster in question has the record, so if no such cluster exceeds its loss by more than V, none does once the price
//! is V lower. Else its price falls by a share, and it waits until it is among the dearest again, when there are fewer
//! others. A record that is the dearest of all and costs no more than its nearest neighbours prove is settled without a look: no cluster of it costs less than that, and
//! nobody in it has a higher price. That is also what all records are settled at when the work is used up.
//!
//! Several records are looked at at once, each as if none of the others were settled, so that the outcome does not depend on the threads.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::closures::Cost;
use super::index::{Index, Query};
use super::initial_prices::InitialPrices;
use super::lagrangian::Closure;
use super::record_search::{RecordSearch, Verdict};
use super::search::{Budget, Records};
use crate::error::Result;

/// How many records are looked at at once.
const BATCH: usize = 64;

/// The most steps of a search.
const STEPS: u32 = 2000;

/// By how many hundredths a price falls at least and at most.
const FALL: (i64, i64) = (1, 20);

/// What share of the starting prices is tried, in hundredths. They are those of closures that were found, and so above what can be proven.
const SHARE: i64 = 75;

/// How many times what a tuple costs at least its price may be, in tenths: the more, the more work.
const TIMES: [i64; 10] = [15, 20, 25, 30, 35, 40, 45, 50, 55, 60];

/// How many tuples are looked at to choose among them.
const SAMPLE: usize = 512;

/// How often prices are tried that do not help, where that is little work.
const PATIENCE: u32 = 4;

/// A bound as a sum over all records. `near` is what each tuple costs at least.
///
/// Of the prices that the work suffices for, as far as some tuples let expect, those of the largest sum are settled. Where that is little
/// work, closures that it comes upon make better prices.
pub(super) fn bound(index: &Index<Records>, start: &mut InitialPrices, near: &[Cost], budget: &Budget) -> Result<i64> {
    let records = index.space();
    let limited = |prices: &[Cost], times: i64| -> Vec<Cost> {
        let limit = |(price, near): (&Cost, &Cost)| (price * SHARE / 100).min(near * times / 10).max(*near);
        prices.iter().zip(near).map(limit).collect()
    };
    let (mut prices, mut most) = (near.to_vec(), 0);
    for times in TIMES {
        let higher = limited(&start.prices, times);
        let (sum, work) = sample(index, &higher, near);
        budget.spend(work);
        if work * (near.len() / SAMPLE).max(1) as u64 > budget.left() / 3 * 2 {
            break;
        }
        if sum > most {
            (prices, most) = (higher, sum);
        }
    }
    if most == 0 {
        return Ok(records.total(near));
    }
    let before = budget.left();
    let (mut best, found) = settle(index, prices, near, budget)?;
    start.learn(found);
    let mut idle = 0;
    while idle < PATIENCE && budget.left() > before / 8 * 7 {
        let prices = start.prices.iter().zip(near).map(|(price, near)| *price.max(near)).collect();
        let (sum, found) = settle(index, prices, near, budget)?;
        idle = if sum > best { 0 } else { idle + 1 };
        best = best.max(sum);
        if found.is_empty() {
            break;
        }
        start.learn(found);
    }
    Ok(best)
}

/// What the prices of some tuples may come to when they are settled, and how much work they are. Those that wait lose a third, about.
fn sample(index: &Index<Records>, prices: &[Cost], near: &[Cost]) -> (i64, u64) {
    let mut order: Vec<u32> = (0..prices.len() as u32).collect();
    order.sort_by_key(|t| (Reverse(prices[*t as usize]), *t));
    let mut rank = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, t)| rank[*t as usize] = place);
    let places: Vec<usize> = (0..order.len()).step_by((order.len() / SAMPLE).max(1)).collect();
    let looks = places.par_iter().map_init(Query::default, |query, place| {
        let t = order[*place];
        let left = Left { index, prices, near, waits: |t: u32| rank[t as usize] >= *place, dearest: t };
        let look = left.look(t, query);
        let price = if look.settled { look.price } else { look.price * 2 / 3 };
        (price * i64::from(index.space().weights[t as usize]), look.work)
    });
    looks.reduce(|| (0, 0), |(sum, work), (more, also)| (sum + more, work + also))
}

/// The sum of the prices that records are settled at, and closures that prices exceeded.
fn settle(
    index: &Index<Records>,
    mut prices: Vec<Cost>,
    near: &[Cost],
    budget: &Budget,
) -> Result<(i64, Vec<Closure>)> {
    let mut is_left = vec![true; prices.len()];
    let mut left: BinaryHeap<(Cost, Reverse<u32>)> =
        (0..).zip(&prices).map(|(t, price)| (*price, Reverse(t))).collect();
    let mut found = Vec::new();
    budget.progress.begin("bounding", left.len() as u64)?;
    while budget.left() > 0 {
        let dearest = std::iter::from_fn(|| left.pop());
        let batch: Vec<u32> = dearest.take(BATCH).map(|(_, Reverse(t))| t).collect();
        let Some(dearest) = batch.first() else { break };
        let now = Left { index, prices: &prices, near, waits: |t: u32| is_left[t as usize], dearest: *dearest };
        let looks: Vec<Look> = batch.par_iter().map_init(Query::default, |query, t| now.look(*t, query)).collect();
        let mut settled = 0;
        for (look, t) in looks.into_iter().zip(batch) {
            budget.spend(look.work);
            prices[t as usize] = look.price;
            found.extend(look.found);
            if look.settled {
                is_left[t as usize] = false;
                settled += 1;
            } else {
                left.push((look.price, Reverse(t)));
            }
        }
        budget.progress.advance(settled)?;
    }
    for (_, Reverse(t)) in left {
        prices[t as usize] = prices[t as usize].min(near[t as usize]);
    }
    Ok((index.space().total(&prices), found))
}

/// What a look at a tuple found out.
struct Look {
    /// What its price is now.
    price: Cost,
    /// Whether it is settled, or waits.
    settled: bool,
    /// A closure that prices exceed.
    found: Option<Closure>,
    work: u64,
}

/// The tuples that are not settled yet, and the prices of all.
struct Left<'a, F> {
    index: &'a Index<'a, Records<'a>>,
    prices: &'a [Cost],
    near: &'a [Cost],
    /// Whether a tuple is one of them.
    waits: F,
    dearest: u32,
}

impl<F: Fn(u32) -> bool> Left<'_, F> {
    /// Looks at one of them.
    fn look(&self, tuple: u32, query: &mut Query) -> Look {
        let records = self.index.space();
        let (price, least) = (self.prices[tuple as usize], self.near[tuple as usize]);
        let mut look = Look { price, settled: true, found: None, work: 1 };
        if tuple == self.dearest && price <= least {
            return look;
        }
        let tuples = self.reachable(tuple, query);
        look.work = query.work;
        if tuples.is_empty() {
            return look;
        }
        let own: Vec<u32> = records.cells.iter().map(|cells| cells[tuple as usize]).collect();
        let prices_of = tuples.iter().map(|t| self.prices[*t as usize]).collect();
        let mut search = RecordSearch::new(records.pick(&tuples), prices_of, STEPS);
        if let Verdict::Perhaps { cost, excess } = search.run(&own) {
            if price - excess >= cost.max(least) {
                look.price = price - excess;
            } else {
                let whole = records.k as i64 * cost.max(1);
                let share = (100 * excess.min(whole) / (whole + excess.min(whole))).clamp(FALL.0, FALL.1);
                look.price = (price * (100 - share) / 100).max(least.min(price));
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

    /// The tuples that can share a closure with this one that costs less than the k dearest of them, by falling price; none where there are not k.
    fn reachable(&self, tuple: u32, query: &mut Query) -> Vec<u32> {
        let records = self.index.space();
        // Nobody that is left pays more than the dearest.
        let limit = self.prices[self.dearest as usize];
        let mut tuples = self.index.nearer(tuple, limit, usize::MAX, &self.waits, query);
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
