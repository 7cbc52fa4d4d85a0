//! Clustering a pool anew by growing: k-member on some tens of records.
//!
//! The first seed is random, and every next one is the record farthest from the last. Each cluster grows by
//! the record that costs it least, among those that bring it closer to satisfying the constraints, until it
//! does. The cost of every item is kept up to date: when a record joins, only the columns change whose span
//! it widens.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

use super::pool::{Group, Pool};
use crate::cluster::Surrogate;
use crate::encode::Span;
use crate::error::Result;
use crate::problem::{Cluster, Problem};
use crate::progress::Progress;

/// The state of the growth, kept from pool to pool to save allocations.
#[derive(Default)]
pub(super) struct PoolGrowth {
    /// The number of free rows of each item.
    free: Vec<u32>,
    /// What each record would pay if the item joined.
    costs: Vec<f32>,
    /// For each column, its part of that, by the item's value.
    tables: Vec<Vec<f32>>,
    changes: Vec<f32>,
    /// The distance of each item from the last seed.
    far: Vec<f32>,
    spans: Vec<Span>,
    /// The number of each item's combination of sensitive values within the pool, if constraints look at
    /// them.
    secrets: Vec<u32>,
    /// The number of different combinations.
    kinds: usize,
    /// For each combination, the free item that costs least. The cheapest is taken first.
    cheapest: BinaryHeap<Reverse<Cheapest>>,
    /// The work of the last pool, in about nanoseconds.
    pub(super) work: u64,
}

/// A free item and what a record would pay if it joined.
#[derive(Clone, Copy, PartialEq)]
struct Cheapest {
    cost: f32,
    item: u32,
}

impl Eq for Cheapest {}

impl Ord for Cheapest {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.item.cmp(&other.item))
    }
}

impl PartialOrd for Cheapest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Clusters; and items that are in none, with the number of rows of each.
type Grown = (Vec<Group>, Vec<(u32, u32)>);

impl PoolGrowth {
    /// Clusters the pool. Also returns the records that no cluster can take, as items with the number of
    /// rows of each.
    pub(super) fn regroup(
        &mut self,
        problem: &Problem,
        surrogate: &Surrogate,
        pool: &Pool,
        rng: &mut ChaCha8Rng,
        progress: Progress,
    ) -> Result<Grown> {
        let least = problem.min_size() as u32;
        self.work = 0;
        self.free.clear();
        self.free.extend((0..pool.items()).map(|item| pool.weight(item)));
        self.tables.resize(surrogate.columns(), Vec::new());
        let mut left = pool.size();
        let mut rest = problem.outline(if problem.values_count() { pool.all() } else { &[] });
        if problem.guarded() {
            self.number_secrets(problem, pool);
        }
        let mut groups = Vec::new();
        let mut loose = Vec::new();
        let mut seed = rng.random_range(0..pool.items());
        while left >= least {
            progress.advance(0)?;
            let mut group = Group { taken: Vec::with_capacity(least as usize), ..Group::default() };
            self.begin(surrogate, pool, seed);
            self.far.clone_from(&self.costs);
            if problem.guarded() {
                self.grow_guarded(problem, surrogate, pool, seed, &mut group, &mut rest);
            } else {
                self.take(&mut group, seed, u32::MAX);
                while group.size < least {
                    let Some(nearest) = self.cheapest() else { break };
                    self.join(surrogate, pool, nearest);
                    let needed = least - group.size;
                    self.take(&mut group, nearest, needed);
                }
            }
            left -= group.size;
            if group.size < least || problem.guarded() && !pool.holds(problem, &group.taken, group.size) {
                // Records of a cluster that breaks a constraint are handed to the others at the end.
                loose.extend(group.taken);
                let Some(next) = self.furthest() else { break };
                seed = next;
                continue;
            }
            group.spans.extend_from_slice(&self.spans);
            group.cost = surrogate.closure(&group.spans);
            groups.push(group);
            let Some(next) = self.furthest() else { break };
            seed = next;
        }
        loose.extend(self.free.iter().enumerate().map(|(item, free)| (item as u32, *free)));
        let rest = loose.into_iter().flat_map(|(item, times)| (0..times).map(move |_| (item, 1)));
        let unplaced = pool.place(problem, surrogate, &mut groups, rest);
        Ok((groups, unplaced))
    }

    /// Grows a cluster by one record at a time that brings it closer to satisfying the constraints. The
    /// remaining free records should be able to satisfy them, too. So if a value is almost too frequent
    /// among them, its records go first.
    fn grow_guarded(
        &mut self,
        problem: &Problem,
        surrogate: &Surrogate,
        pool: &Pool,
        seed: usize,
        group: &mut Group,
        rest: &mut Cluster,
    ) {
        let row = |item: usize| pool.rows_of(item)[0];
        let mut state = problem.outline(&[row(seed)]);
        let mut lack = problem.lack(&state);
        if problem.values_count() {
            problem.discount(rest, row(seed));
        }
        self.take(group, seed, 1);
        while lack > 0.0 {
            let short = problem.secret_lack(rest);
            self.find_cheapest();
            self.work += (pool.items() + 15 * self.cheapest.len() + 300) as u64;
            let mut first = None;
            let caring = std::iter::from_fn(|| self.cheapest.pop()).map(|Reverse(Cheapest { item, .. })| item as usize);
            let caring = caring.filter(|item| problem.lack_with(&mut state, row(*item)) < lack).find(|item| {
                first.get_or_insert(*item);
                !problem.values_count() || spares(problem, rest, row(*item), short)
            });
            let Some(next) = caring.or(first) else { return };
            // Persons with equal records come together.
            let times = if problem.values_count() { 1 } else { self.free[next].min(lack as u32) };
            (0..times).for_each(|_| problem.count(&mut state, row(next)));
            lack = problem.lack(&state);
            if problem.values_count() {
                problem.discount(rest, row(next));
            }
            self.join(surrogate, pool, next);
            self.take(group, next, times);
        }
    }

    /// Numbers the combinations of sensitive values in the pool.
    fn number_secrets(&mut self, problem: &Problem, pool: &Pool) {
        let mut known: FxHashMap<u32, u32> = FxHashMap::default();
        self.secrets.clear();
        for item in 0..pool.items() {
            let next = known.len() as u32;
            self.secrets.push(*known.entry(problem.secret(pool.rows_of(item)[0])).or_insert(next));
        }
        self.kinds = known.len();
    }

    /// Finds the cheapest free item of each combination of sensitive values.
    fn find_cheapest(&mut self) {
        let mut cheapest = std::mem::take(&mut self.cheapest).into_vec();
        cheapest.clear();
        cheapest.resize(self.kinds, Reverse(Cheapest { cost: f32::INFINITY, item: u32::MAX }));
        for (item, ((cost, free), secret)) in self.costs.iter().zip(&self.free).zip(&self.secrets).enumerate() {
            let Reverse(best) = &mut cheapest[*secret as usize];
            if *free > 0 && *cost < best.cost {
                *best = Cheapest { cost: *cost, item: item as u32 };
            }
        }
        cheapest.retain(|Reverse(item)| item.cost < f32::INFINITY);
        self.cheapest = cheapest.into();
    }

    /// Takes all rows of an item, or at most `most`.
    fn take(&mut self, group: &mut Group, item: usize, most: u32) {
        let times = self.free[item].min(most);
        self.free[item] -= times;
        group.size += times;
        group.taken.push((item as u32, times));
    }

    /// Begins a cluster with one item.
    fn begin(&mut self, surrogate: &Surrogate, pool: &Pool, seed: usize) {
        self.spans.clear();
        self.costs.clear();
        self.costs.resize(pool.items(), 0.0);
        for column in 0..surrogate.columns() {
            let span = surrogate.domain(column).span(pool.code(column, seed));
            self.spans.push(span);
            let table = &mut self.tables[column];
            surrogate.joined_each(column, span, &pool.values[column], table);
            let costs = self.costs.iter_mut().zip(&pool.numbers[column]);
            costs.for_each(|(cost, number)| *cost += table[*number as usize]);
            if surrogate.domain(column).len() > 1 {
                self.work += (pool.items() + 3 * table.len()) as u64;
            }
        }
    }

    /// Adds an item to the cluster.
    fn join(&mut self, surrogate: &Surrogate, pool: &Pool, item: usize) {
        for (column, span) in self.spans.iter_mut().enumerate() {
            let domain = surrogate.domain(column);
            let joined = domain.join(*span, domain.span(pool.code(column, item)));
            if joined == *span {
                continue;
            }
            *span = joined;
            surrogate.joined_each(column, joined, &pool.values[column], &mut self.changes);
            for (cost, change) in self.tables[column].iter_mut().zip(&mut self.changes) {
                *change -= *cost;
                *cost += *change;
            }
            let costs = self.costs.iter_mut().zip(&pool.numbers[column]);
            costs.for_each(|(cost, number)| *cost += self.changes[*number as usize]);
            self.work += (pool.items() + 3 * self.changes.len()) as u64;
        }
        self.work += pool.items() as u64;
    }

    /// The free item that costs least.
    fn cheapest(&self) -> Option<usize> {
        let mut best = (f32::INFINITY, None);
        for (item, (cost, free)) in self.costs.iter().zip(&self.free).enumerate() {
            if *free > 0 && *cost < best.0 {
                best = (*cost, Some(item));
            }
        }
        best.1
    }

    /// The free item farthest from the last seed.
    fn furthest(&self) -> Option<usize> {
        let mut best = (f32::NEG_INFINITY, None);
        for (item, (far, free)) in self.far.iter().zip(&self.free).enumerate() {
            if *free > 0 && *far > best.0 {
                best = (*far, Some(item));
            }
        }
        best.1
    }
}

/// Whether the remaining free records are no farther from satisfying the constraints without this one.
fn spares(problem: &Problem, rest: &mut Cluster, row: u32, short: f64) -> bool {
    problem.discount(rest, row);
    let then = problem.secret_lack(rest);
    problem.count(rest, row);
    then <= short
}
