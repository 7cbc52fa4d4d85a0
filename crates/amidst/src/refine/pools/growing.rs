//! A pool clustered anew by growing: k-member on some tens of records.
//!
//! The first seed is random, every next one the record furthest from the last; each cluster takes the record that costs it least until
//! it holds. What every item would cost is kept up to date: when a record joins, only the columns change whose span it widens.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::Guide;
use super::pool::{Group, Pool};
use crate::encode::Span;
use crate::problem::Problem;

/// What growing needs; kept from pool to pool to save allocations.
#[derive(Default)]
pub(super) struct Growing {
    /// How many rows of each item are free.
    free: Vec<u32>,
    /// What each record would pay if the item joined.
    costs: Vec<f32>,
    /// Column by column, the same by the item's value.
    tables: Vec<Vec<f32>>,
    changes: Vec<f32>,
    /// How far each item is from the last seed.
    far: Vec<f32>,
    spans: Vec<Span>,
    /// About how many nanoseconds it took.
    pub(super) work: u64,
}

impl Growing {
    /// Clusters the pool.
    pub(super) fn regroup(
        &mut self,
        problem: &Problem,
        guide: &Guide,
        pool: &Pool,
        rng: &mut ChaCha8Rng,
    ) -> Vec<Group> {
        let least = problem.min_size() as u32;
        self.work = 0;
        self.free.clear();
        self.free.extend((0..pool.items()).map(|item| pool.weight(item)));
        self.tables.resize(guide.columns(), Vec::new());
        let mut left = pool.size();
        let mut groups = Vec::new();
        let mut seed = rng.random_range(0..pool.items());
        while left >= least {
            let mut group = Group::default();
            self.begin(guide, pool, seed);
            self.far.clone_from(&self.costs);
            self.take(&mut group, seed, u32::MAX);
            while group.size < least || !pool.holds(problem, &group.taken, group.size) {
                let Some(nearest) = self.cheapest() else { break };
                self.join(guide, pool, nearest);
                let needed = least.saturating_sub(group.size).max(1);
                self.take(&mut group, nearest, needed);
            }
            left -= group.size;
            group.spans.extend_from_slice(&self.spans);
            group.cost = guide.closure(&group.spans);
            groups.push(group);
            let Some(next) = self.furthest() else { break };
            seed = next;
        }
        let rest = self.free.iter().enumerate().flat_map(|(item, free)| (0..*free).map(move |_| (item as u32, 1)));
        pool.place(guide, &mut groups, rest);
        groups
    }

    /// Takes rows of an item: all of them, or so many at most.
    fn take(&mut self, group: &mut Group, item: usize, most: u32) {
        let times = self.free[item].min(most);
        self.free[item] -= times;
        group.size += times;
        group.taken.push((item as u32, times));
    }

    /// A cluster of one item.
    fn begin(&mut self, guide: &Guide, pool: &Pool, seed: usize) {
        self.spans.clear();
        self.costs.clear();
        self.costs.resize(pool.items(), 0.0);
        for column in 0..guide.columns() {
            let span = guide.domain(column).span(pool.code(column, seed));
            self.spans.push(span);
            let table = &mut self.tables[column];
            guide.joined_each(column, span, &pool.values[column], table);
            let costs = self.costs.iter_mut().zip(&pool.numbers[column]);
            costs.for_each(|(cost, number)| *cost += table[*number as usize]);
            self.work += (pool.items() + 3 * table.len()) as u64;
        }
    }

    /// One item more.
    fn join(&mut self, guide: &Guide, pool: &Pool, item: usize) {
        for (column, span) in self.spans.iter_mut().enumerate() {
            let domain = guide.domain(column);
            let joined = domain.join(*span, domain.span(pool.code(column, item)));
            if joined == *span {
                continue;
            }
            *span = joined;
            guide.joined_each(column, joined, &pool.values[column], &mut self.changes);
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

    /// The free item that is furthest from the last seed.
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
