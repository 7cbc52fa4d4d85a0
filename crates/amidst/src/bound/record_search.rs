//! Decides whether a closure around a tuple has an excess, that is, prices that exceed its cost.
//!
//! The search keeps a *hull*: a node in every column that covers the tuple and everything else that was
//! decided to be covered. It also keeps the tuples that a closure may still cover. In each column, the
//! cheapest node around the hull with k records gives the *floor*: the least that a closure costs more than
//! the hull. A branch ends if fewer than k records are left, if the k dearest of them do not exceed what
//! the k nearest cost (each column at least at its floor), or if the [nested choices](super::nested) leave
//! no excess. Otherwise the search picks a cell outside of the hull. Either closures cover it, and the hull
//! grows; or they do not, and all tuples drop out whose hull would cover it. If this takes too many steps,
//! the answer is that there may be an excess.
//!
//! *Nothing is missed.* A cluster that contains the tuple and has an excess has a closure around the hull,
//! or one without the cell. Its tuples are covered at no less than their cost with the hull. It has k
//! records, so no column costs less than its floor among the remaining tuples. And it costs less than the
//! mean of the k dearest of them. So no tuple of the cluster drops out. If it has no tuple in some cell of
//! a set that the hull covers, its closure does not cover the hull.

use std::cmp::Reverse;

use super::closures::{Cost, Family};
use super::hull::Hull;
use super::nested::{Nested, Open, Question};
use super::search::Records;

/// A column as seen from the hull: its cells by their cost with it.
#[derive(Clone)]
pub(super) struct Layer<'a> {
    pub(super) hull: Hull<'a>,
    /// The cost of the hull.
    cost: Cost,
    /// The code of each cell: 0 if it adds no cost, otherwise from 1 on. Codes rise with the cost in trees,
    /// and with the cell elsewhere.
    codes: Vec<u32>,
    /// The cell of each code.
    cells: Vec<u32>,
    /// How much more than the hull each code costs.
    extras: Vec<Cost>,
    /// For a range, the number of codes of cells below the hull.
    below: u32,
    /// The position of the code in the key of a tuple, and its number of bits.
    shift: u32,
    bits: u32,
}

impl<'a> Layer<'a> {
    fn new(hull: Hull<'a>, shift: u32, bits: u32) -> Self {
        let cost = hull.cost();
        let count = hull.family.cells();
        let extra_of = |cell: u32| if hull.covers(cell) { 0 } else { hull.join(cell).cost() - cost };
        let mut outside: Vec<(Cost, u32)> =
            (0..count as u32).map(|cell| (extra_of(cell), cell)).filter(|(extra, _)| *extra > 0).collect();
        let window = hull.window();
        if window.is_none() && !matches!(hull.family, Family::Sets(_)) {
            outside.sort_unstable();
        }
        let below = window.map_or(0, |(lo, _)| outside.partition_point(|(_, cell)| *cell < lo)) as u32;
        let mut codes = vec![0; count];
        outside.iter().zip(1..).for_each(|((_, cell), code)| codes[*cell as usize] = code);
        let cells = std::iter::once(0).chain(outside.iter().map(|(_, cell)| *cell)).collect();
        let extras = std::iter::once(0).chain(outside.iter().map(|(extra, _)| *extra)).collect();
        Layer { hull, cost, codes, cells, extras, below, shift, bits }
    }

    /// The layer with one more cell in the hull.
    fn grown(&self, code: u32) -> Self {
        Layer::new(self.hull.join(self.cells[code as usize]), self.shift, self.bits)
    }

    /// The code of this column in the key of a tuple.
    pub(super) fn code_in(&self, key: u128) -> u32 {
        (key >> self.shift) as u32 & (u32::MAX >> (32 - self.bits))
    }

    /// How much more than the hull a code costs.
    pub(super) fn extra_of(&self, code: u32) -> Cost {
        self.extras[code as usize]
    }

    /// How much more than the hull a set with `more` more cells costs at least.
    pub(super) fn extra_of_size(&self, more: usize) -> Cost {
        match self.hull.family {
            Family::Sets(sets) => (sets.least(self.hull.size() + more) - self.cost).max(0),
            _ => 0,
        }
    }

    /// How much more than the hull a window costs that goes down to the cell of one code and up to that of
    /// another. A code of 0 stands for the end of the hull.
    pub(super) fn extra_of_window(&self, lo: u32, hi: u32) -> Cost {
        let with = |hull: Hull<'a>, code: u32| if code == 0 { hull } else { hull.join(self.cells[code as usize]) };
        with(with(self.hull, lo), hi).cost() - self.cost
    }

    /// The number of codes, including that of the hull.
    pub(super) fn codes(&self) -> u32 {
        self.extras.len() as u32
    }

    /// For a range, the number of codes below the hull, which begin at 1; `None` for other columns.
    pub(super) fn below(&self) -> Option<u32> {
        self.hull.window().map(|_| self.below)
    }

    /// Whether a hull that covers a tuple of code `other` also covers the cell of `code`.
    fn needs(&self, other: u32, code: u32) -> bool {
        other == code || other > 0 && self.hull.join(self.cells[other as usize]).covers(self.cells[code as usize])
    }

    /// How much more than the hull a closure around it with k records costs at least. `weights` are the
    /// numbers of records of each code. `None` if there are fewer than k records.
    fn floor(&self, weights: &[u64], k: u64) -> Option<Cost> {
        let mut size = weights[0];
        if size >= k {
            return Some(0);
        }
        if let Family::Sets(_) = self.hull.family {
            let mut outside = weights[1..].to_vec();
            outside.sort_unstable_by_key(|weight| Reverse(*weight));
            let more = outside.iter().position(|weight| {
                size += weight;
                size >= k
            });
            return more.map(|more| self.extra_of_size(more + 1));
        }
        if self.hull.window().is_none() {
            let code = weights[1..].iter().position(|weight| {
                size += weight;
                size >= k
            });
            return code.map(|code| self.extras[code + 1]);
        }
        // Start with the widest window that ends at the hull. Extend it upwards one cell at a time, and
        // shorten it below as far as k records allow.
        let below = self.below as usize;
        size += weights[1..=below].iter().sum::<u64>();
        let mut lo = 1;
        let mut least: Option<Cost> = None;
        for hi in below..weights.len() {
            if hi > below {
                size += weights[hi];
            }
            while lo <= below && size - weights[lo] >= k {
                size -= weights[lo];
                lo += 1;
            }
            if size >= k {
                let end = |code: usize, outside: bool| if outside { code as u32 } else { 0 };
                let extra = self.extra_of_window(end(lo, lo <= below), end(hi, hi > below));
                least = Some(least.map_or(extra, |least| least.min(extra)));
            }
        }
        least
    }

    /// The cell outside of the hull that decides most, as the product of its extra cost and the records
    /// that drop out without it.
    fn pivot(&self, weights: &[u64]) -> Option<(u128, u32)> {
        let mut heavy = weights.to_vec();
        if !matches!(self.hull.family, Family::Sets(_)) {
            let below = self.below as usize;
            (2..=below).for_each(|code| heavy[code] += heavy[code - 1]);
            (below + 1..heavy.len().saturating_sub(1)).rev().for_each(|code| heavy[code] += heavy[code + 1]);
        }
        let worth = |code: usize| (u128::from(heavy[code]) * self.extras[code] as u128, code as u32);
        (1..heavy.len()).filter(|code| weights[*code] > 0).map(worth).max()
    }
}

/// The number of bits for the codes of a column.
pub(super) fn bits(family: &Family) -> u32 {
    (usize::BITS - family.cells().leading_zeros()).max(1)
}

/// The number of bits of a key. Columns whose codes need more bits together do not fit.
pub(super) const KEY_BITS: u32 = 128;

/// The largest number of decisions that lead to a hull. Each of them takes some of the stack.
const MAX_DEPTH: u32 = 250;

/// The result of a search.
#[derive(Clone, Copy)]
pub(super) enum Verdict {
    /// No closure has an excess.
    None,
    /// There may be an excess of at most `excess`, by closures that cost at least `cost`.
    Perhaps { cost: Cost, excess: i64 },
}

/// The closures around a hull that may have an excess.
struct Near {
    /// A lower bound on their costs.
    least: Cost,
    /// What all of them cost less than.
    upper: Cost,
    /// The keys and the numbers of the tuples.
    keys: Vec<(u128, u32)>,
    /// How much more than the hull each column costs at least.
    floors: Vec<Cost>,
}

/// The first of the tuples, with the others that can share a closure with it, by falling price.
pub(super) struct RecordSearch<'a> {
    records: Records<'a>,
    prices: Vec<Cost>,
    /// The largest number of steps.
    steps: u32,
    taken: u32,
    /// The number of tuples and cells that were looked at, besides those of the nested choices.
    seen: u64,
    /// Whether some branch was given up.
    failed: bool,
    /// A closure whose prices exceed its cost, if the search came upon one: its cost, and its tuples by
    /// falling price.
    pub(super) found: Option<(Cost, Vec<u32>)>,
    nested: Nested,
}

impl<'a> RecordSearch<'a> {
    pub(super) fn new(records: Records<'a>, prices: Vec<Cost>, steps: u32) -> Self {
        RecordSearch {
            records,
            prices,
            steps,
            taken: 0,
            seen: 0,
            failed: false,
            found: None,
            nested: Nested::default(),
        }
    }

    /// The work that the search took, in tuples looked at.
    pub(super) fn work(&self) -> u64 {
        const SLICE: u64 = 80;
        self.nested.slices * SLICE + self.seen
    }

    /// Whether closures that cover these cells, one in each column, have an excess.
    pub(super) fn run(&mut self, own: &[u32]) -> Verdict {
        let mut shift = self.records.families.iter().map(bits).sum::<u32>();
        let layers = self.records.families.iter().zip(own).map(|(family, own)| {
            shift -= bits(family);
            Layer::new(Hull::new(family, *own), shift, bits(family))
        });
        let layers: Vec<Layer> = layers.collect();
        let tuples = (0..self.prices.len() as u32).collect();
        match self.step(tuples, &layers, 0) {
            Some(open) if self.failed => {
                let cost = open.iter().map(|open| open.cost).min().unwrap_or(0);
                let excess = open.iter().map(|open| open.excess).max().unwrap_or(0);
                Verdict::Perhaps { cost, excess }
            }
            _ => Verdict::None,
        }
    }

    /// The closures around the hull that may have an excess, before a look at the branches.
    fn step(&mut self, mut tuples: Vec<u32>, layers: &[Layer<'a>], depth: u32) -> Option<Vec<Open>> {
        if self.failed {
            return None;
        }
        self.taken += 1;
        self.seen += tuples.len() as u64 + layers.iter().map(|layer| u64::from(layer.codes())).sum::<u64>();
        let base: Cost = layers.iter().map(|layer| layer.cost).sum();
        let Near { least, upper, mut keys, floors } = self.near(&mut tuples, layers, base)?;
        let tight = layers.iter().zip(&self.records.cells).all(|(layer, cells)| is_tight(layer, cells, &tuples));
        if !tight {
            return None;
        }
        let inside = keys.iter().all(|(key, _)| *key == 0);
        let open = if inside {
            let over =
                |t: &u32| (self.prices[*t as usize] - base).max(0) * i64::from(self.records.weights[*t as usize]);
            vec![Open { cost: base, excess: tuples.iter().map(over).sum() }]
        } else {
            keys.sort_unstable();
            self.nested.open(&Question {
                layers,
                tuples: &keys,
                weights: &self.records.weights,
                prices: &self.prices,
                k: self.records.k,
                floors: &floors,
                base: base + floors.iter().sum::<Cost>(),
                upper,
                least,
            })
        };
        if open.iter().all(|open| open.excess <= 0) {
            return None;
        }
        if inside {
            self.failed = true;
            self.found = Some((base, tuples));
        } else if self.taken >= self.steps || depth >= MAX_DEPTH {
            self.failed = true;
        } else {
            self.branch(tuples, &keys, layers, depth + 1);
        }
        Some(open)
    }

    /// Branches on a cell: first closures that do not cover it, then those that do.
    fn branch(&mut self, tuples: Vec<u32>, keys: &[(u128, u32)], layers: &[Layer<'a>], depth: u32) {
        let pivots = layers.iter().enumerate().filter_map(|(number, layer)| {
            let mut weights = vec![0; layer.extras.len()];
            for (key, t) in keys {
                weights[layer.code_in(*key) as usize] += u64::from(self.records.weights[*t as usize]);
            }
            layer.pivot(&weights).map(|(worth, code)| (worth, number, code))
        });
        let Some((_, number, code)) = pivots.max() else {
            self.failed = true;
            return;
        };
        let (layer, cells) = (&layers[number], &self.records.cells[number]);
        let needs: Vec<bool> = (0..layer.extras.len() as u32).map(|other| layer.needs(other, code)).collect();
        let without = |t: &u32| !needs[layer.codes[cells[*t as usize] as usize] as usize];
        let others: Vec<u32> = tuples.iter().copied().filter(without).collect();
        let mut grown = layers.to_vec();
        grown[number] = layer.grown(code);
        self.step(others, layers, depth);
        self.step(tuples, &grown, depth);
    }

    /// Drops the tuples that no closure with an excess covers. `None` if there is no such closure.
    fn near(&self, tuples: &mut Vec<u32>, layers: &[Layer], base: Cost) -> Option<Near> {
        let records = &self.records;
        let mut keys = vec![(0_u128, 0_u32); tuples.len()];
        let mut codes: Vec<Vec<u32>> = Vec::with_capacity(layers.len());
        for (layer, cells) in layers.iter().zip(&records.cells) {
            let of_layer: Vec<u32> = tuples.iter().map(|t| layer.codes[cells[*t as usize] as usize]).collect();
            keys.iter_mut().zip(&of_layer).for_each(|(key, code)| key.0 |= u128::from(*code) << layer.shift);
            codes.push(of_layer);
        }
        let k = records.k as i64;
        let mut floors = vec![0; layers.len()];
        let mut costs: Vec<Cost> = Vec::new();
        let upper = loop {
            let upper = (self.top(tuples)? + k - 1) / k;
            costs.clear();
            costs.resize(tuples.len(), base);
            for ((layer, codes), floor) in layers.iter().zip(&codes).zip(&mut floors) {
                if codes.iter().any(|code| *code > 0) {
                    let mut weights = vec![0; layer.extras.len()];
                    for (code, t) in codes.iter().zip(&*tuples) {
                        weights[*code as usize] += u64::from(records.weights[*t as usize]);
                    }
                    *floor = layer.floor(&weights, records.k)?;
                }
                let floor = *floor;
                costs.iter_mut().zip(codes).for_each(|(cost, code)| *cost += layer.extras[*code as usize].max(floor));
            }
            let before = tuples.len();
            let mut kept = 0;
            for place in 0..before {
                if costs[place] < upper {
                    (tuples[kept], costs[kept], keys[kept].0) = (tuples[place], costs[place], keys[place].0);
                    codes.iter_mut().for_each(|codes| codes[kept] = codes[place]);
                    kept += 1;
                }
            }
            if kept == before {
                break upper;
            }
            tuples.truncate(kept);
            codes.iter_mut().for_each(|codes| codes.truncate(kept));
        };
        keys.truncate(tuples.len());
        keys.iter_mut().zip(&*tuples).for_each(|(key, t)| key.1 = *t);
        let mut near: Vec<(Cost, u32)> =
            costs.into_iter().zip(tuples.iter().map(|t| records.weights[*t as usize])).collect();
        let most = (records.k as usize).min(near.len());
        near.select_nth_unstable(most - 1);
        near[..most].sort_unstable();
        let mut size = 0;
        let last = near.iter().find(|(_, weight)| {
            size += u64::from(*weight);
            size >= records.k
        });
        last.map(|(least, _)| Near { least: *least, upper, keys, floors }).filter(|near| near.least < near.upper)
    }

    /// The sum of the k highest prices; `None` if there are fewer records.
    fn top(&self, tuples: &[u32]) -> Option<i64> {
        let (mut left, mut sum) = (self.records.k, 0);
        for t in tuples {
            let taken = left.min(u64::from(self.records.weights[*t as usize]));
            sum += self.prices[*t as usize] * taken as i64;
            left -= taken;
            if left == 0 {
                return Some(sum);
            }
        }
        None
    }
}

/// Whether every cell of a set that the hull covers has a tuple.
fn is_tight(layer: &Layer, cells: &[u32], tuples: &[u32]) -> bool {
    let Family::Sets(_) = layer.hull.family else { return true };
    let mut missing = layer.hull.size();
    let mut seen = 0_u64;
    for t in tuples {
        let cell = cells[*t as usize];
        missing -= usize::from(seen >> cell & 1 == 0 && layer.hull.covers(cell));
        seen |= 1 << cell;
        if missing == 0 {
            return true;
        }
    }
    false
}
