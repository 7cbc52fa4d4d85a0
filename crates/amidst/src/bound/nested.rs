//! An upper bound on the worth of a closure around a hull, by nested choices.
//!
//! A closure takes a node in every column and pays for each of them once. A *nested* choice takes a node in
//! the first column. Then the tuples of each cell of that node take a node in the second column separately,
//! and so on: every slice of the table may choose anew, with what the previous columns have left of the
//! budget. A closure is a nested choice that is the same in all slices. So no closure of that cost is worth
//! more than the best nested choice, whatever worth of at least 0 each tuple has. The best nested choice is
//! easy to find, from the last column to the first: the worth of a slice for a budget is the worth of its
//! cells with the rest of the budget, for the best choice of cells. In a set these are the best cells, as
//! many as are paid for; in a range, the best window around the hull; in a tree, all cells below an
//! ancestor of it.
//!
//! **Worth.** Let a class have k or more records, the closure P and the price uᵢ for each record i. Its
//! *excess* Σ (uᵢ − c(P)) is at most Σ (uᵢ − λ)⁺ − k · (c(P) − λ) for any λ ≤ c(P), where the sum is over
//! all records that P covers. With (uᵢ − λ)⁺ as worth, for several λ, the nested choices bound the excess
//! of all closures of a cost. With a worth of 1 they say whether k records can be covered at all.
//!
//! No closure of k records costs less than the hull and the floor of each column. So budgets start there:
//! the cost of a column up to its floor is already paid. Budgets are divided into [`LEVELS`]. Costs are
//! rounded down to whole levels, worths are rounded up and stored in 16 bits. A worth that is too large for
//! 16 bits gives no bound.

use super::closures::{Cost, Family};
use super::record_search::Layer;

/// The number of budgets that are told apart.
pub(super) const LEVELS: usize = 64;

/// The number of kinds of worth: records, and prices above each λ.
const KINDS: usize = 8;

/// The values of λ, in percent of the largest cost of a closure of interest.
const LAMBDA_PERCENTS: [Cost; KINDS - 1] = [0, 25, 40, 55, 68, 79, 90];

/// The number of cells of a set that are chosen one by one. The rest is chosen together.
const SINGLE_CELLS: usize = 4;

/// The worth of k records at the highest price, in units.
const MAX_WORTH_UNITS: i64 = 32_000;

/// A worth of each kind.
type Kinds = [i16; KINDS];

/// The worth of a slice for each budget.
type Worth = [Kinds; LEVELS];

/// Converts costs of closures between `base` and `upper` to levels.
#[derive(Clone, Copy)]
struct Scale {
    base: Cost,
    upper: Cost,
    factor: i64,
}

impl Scale {
    fn new(base: Cost, upper: Cost) -> Self {
        Scale { base, upper, factor: ((LEVELS as i64) << 32) / (upper - base).max(1) }
    }

    /// The level of a cost above the base, rounded down.
    fn level(self, extra: Cost) -> usize {
        if extra >= self.upper - self.base { LEVELS } else { ((extra.max(0) * self.factor) >> 32) as usize }
    }

    /// The least cost of closures of a level.
    fn cost(self, level: usize) -> Cost {
        self.base + (((level as i64) << 32) + self.factor - 1) / self.factor.max(1)
    }
}

/// A level at which closures may have an excess: their least cost, and their largest excess.
#[derive(Clone, Copy)]
pub(super) struct Open {
    pub(super) cost: Cost,
    pub(super) excess: i64,
}

/// What the nested choices are asked.
pub(super) struct Question<'a> {
    pub(super) layers: &'a [Layer<'a>],
    /// The keys of the tuples, sorted, so that tuples with the same codes in the first layers stand
    /// together; and their numbers.
    pub(super) tuples: &'a [(u128, u32)],
    pub(super) weights: &'a [u32],
    pub(super) prices: &'a [Cost],
    pub(super) k: u64,
    /// How much more than the hull each column costs at least.
    pub(super) floors: &'a [Cost],
    /// The cost of the hull and the floors.
    pub(super) base: Cost,
    /// Closures with an excess cost less than this.
    pub(super) upper: Cost,
    /// Closures of k records cost at least this.
    pub(super) least: Cost,
}

/// Memory for the answers.
#[derive(Default)]
pub(super) struct Nested {
    #[expect(clippy::vec_box, reason = "handed out one by one")]
    free: Vec<Box<Worth>>,
    /// The number of slices that were looked at.
    pub(super) slices: u64,
}

impl Nested {
    /// The levels of cost at which a closure may have an excess.
    pub(super) fn open(&mut self, question: &Question) -> Vec<Open> {
        let Question { layers, tuples, weights, prices, base, upper, least, .. } = *question;
        let k = question.k as i64;
        let shift = ((k * upper / MAX_WORTH_UNITS).max(0) as u64 + 1).next_power_of_two().trailing_zeros();
        let unit = 1_i64 << shift;
        let lambdas = LAMBDA_PERCENTS.map(|share| upper * share / 100);
        let worths: Vec<Kinds> = tuples
            .iter()
            .map(|(_, t)| {
                let (weight, price) = (i64::from(weights[*t as usize]), prices[*t as usize]);
                let mut worth = [narrow(weight); KINDS];
                for (worth, lambda) in worth[1..].iter_mut().zip(lambdas) {
                    *worth = narrow(((price - lambda).max(0) * weight + unit - 1) >> shift);
                }
                worth
            })
            .collect();
        let scale = Scale::new(base, upper);
        let steps = layers.iter().zip(question.floors).map(|(layer, floor)| Steps::new(layer, *floor, scale)).collect();
        let mut slices =
            Slices { question, steps, scale, worths: &worths, memory: self, near: Vec::new(), far: Vec::new() };
        let mut most = slices.zero();
        slices.add(0, 0, tuples.len(), &mut most);
        let open = (0..LEVELS).filter_map(|level| {
            let most = &most[level];
            if scale.cost(level + 1) <= least || i64::from(most[0]) < k && most[0] < i16::MAX {
                return None;
            }
            let cost = scale.cost(level).max(least);
            let bound = |(worth, lambda): (&i16, Cost)| {
                (*worth < i16::MAX && lambda <= cost).then(|| i64::from(*worth) * unit - k * (cost - lambda))
            };
            let excess = most[1..].iter().zip(lambdas).filter_map(bound).min().unwrap_or(i64::MAX / 4);
            (excess > 0).then_some(Open { cost, excess })
        });
        let open = open.collect();
        self.free.push(most);
        open
    }
}

fn narrow(worth: i64) -> i16 {
    i16::try_from(worth).unwrap_or(i16::MAX)
}

fn sum(to: &mut [Kinds], from: &[Kinds]) {
    to.as_flattened_mut().iter_mut().zip(from.as_flattened()).for_each(|(to, from)| *to = to.saturating_add(*from));
}

/// Moves the larger of both to the first.
fn order(first: &mut [Kinds], second: &mut [Kinds]) {
    for (first, second) in first.as_flattened_mut().iter_mut().zip(second.as_flattened_mut()) {
        (*first, *second) = ((*first).max(*second), (*first).min(*second));
    }
}

/// Raises `best` to a worth that costs `offset` levels more.
fn lift(best: &mut [Kinds], worth: &[Kinds], offset: usize) {
    if let Some(best) = best.get_mut(offset..) {
        best.as_flattened_mut()
            .iter_mut()
            .zip(worth.as_flattened())
            .for_each(|(best, worth)| *best = (*best).max(*worth));
    }
}

/// How much more than the hull the nodes of a column around it cost, in levels.
struct Steps {
    /// By code.
    by_code: Vec<u8>,
    /// For sets, by the number of additional cells. More cells cost as much as the last number.
    by_size: [u8; SINGLE_CELLS + 1],
    /// For windows, by the code of the lowest cell (0 for that of the hull), then by the number of the
    /// highest cell above the hull.
    by_ends: Vec<u8>,
    /// The number of codes below the hull.
    below: usize,
    /// The number of upper ends, including that of the hull.
    above: usize,
}

impl Steps {
    fn new(layer: &Layer, floor: Cost, scale: Scale) -> Self {
        let level = |extra: Cost| scale.level(extra - floor) as u8;
        let codes = layer.codes();
        let by_code = (0..codes).map(|code| level(layer.extra_of(code))).collect();
        let by_size = std::array::from_fn(|more| level(layer.extra_of_size(more + 1)));
        let mut steps = Steps { by_code, by_size, by_ends: Vec::new(), below: 0, above: 0 };
        if let Some(below) = layer.below() {
            steps.below = below as usize;
            steps.above = (codes - below) as usize;
            for lo in 0..=below {
                let ends = (0..codes - below).map(|hi| if hi == 0 { 0 } else { below + hi });
                steps.by_ends.extend(ends.map(|hi| level(layer.extra_of_window(lo, hi))));
            }
        }
        steps
    }

    /// The level of a window by the codes of its ends; 0 stands for an end of the hull.
    fn window(&self, lo: u32, hi: u32) -> usize {
        let hi = (hi as usize).saturating_sub(self.below);
        usize::from(self.by_ends[lo as usize * self.above + hi])
    }
}

/// The dynamic program over slices.
struct Slices<'a> {
    question: &'a Question<'a>,
    steps: Vec<Steps>,
    scale: Scale,
    worths: &'a [Kinds],
    memory: &'a mut Nested,
    /// Memory for the cells of a slice of the last layer that lie below the hull of a range: their codes and worths.
    near: Vec<(u32, Kinds)>,
    /// Memory for the other cells of the slice.
    far: Vec<(u32, Kinds)>,
}

impl Slices<'_> {
    fn zero(&mut self) -> Box<Worth> {
        match self.memory.free.pop() {
            Some(mut worth) => {
                worth.as_flattened_mut().fill(0);
                worth
            }
            None => Box::new([[0; KINDS]; LEVELS]),
        }
    }

    fn copy(&mut self, worth: &Worth) -> Box<Worth> {
        match self.memory.free.pop() {
            Some(mut copy) => {
                *copy = *worth;
                copy
            }
            None => Box::new(*worth),
        }
    }

    fn free(&mut self, worths: impl IntoIterator<Item = Box<Worth>>) {
        self.memory.free.extend(worths);
    }

    /// The code of a tuple, by its place, in a layer.
    fn code(&self, layer: usize, place: usize) -> u32 {
        self.question.layers[layer].code_in(self.question.tuples[place].0)
    }

    /// Adds the worth of one tuple, which pays for the layers from `layer` on.
    fn add_tuple(&self, layer: usize, place: usize, to: &mut Worth) {
        let key = self.question.tuples[place].0;
        let layers = self.question.layers[layer..].iter().zip(&self.question.floors[layer..]);
        let extra = layers.map(|(layer, floor)| (layer.extra_of(layer.code_in(key)) - floor).max(0)).sum();
        let worth = &self.worths[place];
        to[self.scale.level(extra)..].iter_mut().for_each(|to| add(to, worth));
    }

    /// Adds the worth of the tuples between two places, which pay for the layers from `number` on.
    fn add(&mut self, number: usize, from: usize, to: usize, sum_to: &mut Worth) {
        self.memory.slices += 1;
        if to - from == 1 || number == self.question.layers.len() {
            (from..to).for_each(|place| self.add_tuple(number, place, sum_to));
            return;
        }
        if self.code(number, to - 1) == 0 {
            return self.add(number + 1, from, to, sum_to);
        }
        if number + 1 == self.question.layers.len() {
            return self.add_last(from, to, sum_to);
        }
        let mut inside = self.zero();
        let mut place = from;
        while place < to && self.code(number, place) == 0 {
            place += 1;
        }
        if place > from {
            self.add(number + 1, from, place, &mut inside);
        }
        let mut cells: Vec<(u32, Box<Worth>)> = Vec::new();
        while place < to {
            let (code, start) = (self.code(number, place), place);
            while place < to && self.code(number, place) == code {
                place += 1;
            }
            let mut worth = self.zero();
            self.add(number + 1, start, place, &mut worth);
            cells.push((code, worth));
        }
        let layer = &self.question.layers[number];
        let best = match layer.hull.family {
            Family::Sets(_) => self.set(number, &mut inside, cells),
            _ if layer.below().is_some() => self.window(number, &mut inside, cells),
            _ => self.chain(number, &mut inside, cells),
        };
        sum(&mut *sum_to, &*best);
        self.free([best, inside]);
    }

    /// Like [`add`](Self::add) for the last layer, where the worth of a cell does not depend on the budget.
    fn add_last(&mut self, from: usize, to: usize, sum_to: &mut Worth) {
        let number = self.question.layers.len() - 1;
        let (mut below, mut above) = (std::mem::take(&mut self.near), std::mem::take(&mut self.far));
        let inside = self.last_cells(from..to, &mut below, &mut above);
        let (layer, steps) = (&self.question.layers[number], &self.steps[number]);
        let mut best = [[0; KINDS]; LEVELS];
        best[0] = inside;
        if let Family::Sets(_) = layer.hull.family {
            reach_sets(steps, inside, &above, &mut best);
        } else if layer.below().is_some() {
            below.reverse();
            accumulate(&mut below);
            accumulate(&mut above);
            reach_windows(steps, &inside, &below, &above, &mut best);
        } else {
            reach_chain(steps, inside, &above, &mut best);
        }
        for level in 1..LEVELS {
            let (lower, higher) = best.split_at_mut(level);
            lift(higher, &lower[level - 1..], 0);
        }
        sum(&mut *sum_to, &best);
        (self.near, self.far) = (below, above);
    }

    /// Collects the cells outside of the hull in a slice of the last layer, with their worths: those below the hull of a range
    /// in `below`, all others in `above`. Returns the worth of the tuples that the hull covers.
    #[inline]
    fn last_cells(
        &self,
        places: std::ops::Range<usize>,
        below: &mut Vec<(u32, Kinds)>,
        above: &mut Vec<(u32, Kinds)>,
    ) -> Kinds {
        let number = self.question.layers.len() - 1;
        let window = self.question.layers[number].below();
        let (mut place, to) = (places.start, places.end);
        let mut inside = [0; KINDS];
        while self.code(number, place) == 0 {
            add(&mut inside, &self.worths[place]);
            place += 1;
        }
        below.clear();
        above.clear();
        while place < to {
            let code = self.code(number, place);
            let mut worth = [0; KINDS];
            while place < to && self.code(number, place) == code {
                add(&mut worth, &self.worths[place]);
                place += 1;
            }
            if window.is_some_and(|below| code <= below) { &mut *below } else { &mut *above }.push((code, worth));
        }
        inside
    }

    /// The best cells of a set, as many as are paid for.
    fn set(&mut self, number: usize, inside: &mut Worth, cells: Vec<(u32, Box<Worth>)>) -> Box<Worth> {
        let mut best = self.copy(inside);
        let mut chosen: Vec<Box<Worth>> = Vec::new();
        let mut rest: Option<Box<Worth>> = None;
        for (_, mut worth) in cells {
            chosen.iter_mut().for_each(|better| order(&mut **better, &mut *worth));
            if chosen.len() < SINGLE_CELLS {
                chosen.push(worth);
            } else if let Some(rest) = &mut rest {
                sum(&mut **rest, &*worth);
                self.free([worth]);
            } else {
                rest = Some(worth);
            }
        }
        chosen.extend(rest);
        for (worth, level) in chosen.iter().zip(self.steps[number].by_size) {
            sum(inside, &**worth);
            lift(&mut *best, inside, usize::from(level));
        }
        self.free(chosen);
        best
    }

    /// All cells up to some cost.
    fn chain(&mut self, number: usize, inside: &mut Worth, cells: Vec<(u32, Box<Worth>)>) -> Box<Worth> {
        let mut best = self.copy(inside);
        for (code, worth) in cells {
            sum(inside, &*worth);
            lift(&mut *best, inside, usize::from(self.steps[number].by_code[code as usize]));
            self.free([worth]);
        }
        best
    }

    /// The best window of a range. Cells below the hull have the lower codes, the farthest first.
    fn window(&mut self, number: usize, inside: &mut Worth, mut cells: Vec<(u32, Box<Worth>)>) -> Box<Worth> {
        let mut best = self.copy(inside);
        let steps = &self.steps[number];
        let above = cells.split_off(cells.partition_point(|(code, _)| *code as usize <= steps.below));
        let mut below = cells;
        below.reverse();
        for place in 1..below.len() {
            let (nearer, farther) = below.split_at_mut(place);
            sum(&mut *farther[0].1, &*nearer[place - 1].1);
        }
        let mut both = [[0; KINDS]; LEVELS];
        let mut with_below = |inside: &Worth, hi: u32, best: &mut Worth| {
            for (lo, worth) in &below {
                let level = steps.window(*lo, hi);
                if level >= LEVELS {
                    break;
                }
                both = *inside;
                sum(&mut both, &**worth);
                lift(best, &both, level);
            }
        };
        with_below(inside, 0, &mut best);
        for (hi, worth) in &above {
            let level = steps.window(0, *hi);
            if level >= LEVELS {
                break;
            }
            sum(inside, &**worth);
            lift(&mut *best, inside, level);
            with_below(inside, *hi, &mut best);
        }
        self.free(above.into_iter().chain(below).map(|(_, worth)| worth));
        best
    }
}

fn add(to: &mut Kinds, from: &Kinds) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = to.saturating_add(*from));
}

/// Adds to each cell the worth of all cells before it.
fn accumulate(cells: &mut [(u32, Kinds)]) {
    for place in 1..cells.len() {
        let (before, after) = cells.split_at_mut(place);
        add(&mut after[0].1, &before[place - 1].1);
    }
}

/// Raises the worth at one level.
fn reach(best: &mut Worth, worth: &Kinds, level: usize) {
    if let Some(best) = best.get_mut(level) {
        best.iter_mut().zip(worth).for_each(|(best, worth)| *best = (*best).max(*worth));
    }
}

/// Raises `best` by the best cells of a set in the last layer, as many as are paid for.
#[inline]
fn reach_sets(steps: &Steps, mut inside: Kinds, cells: &[(u32, Kinds)], best: &mut Worth) {
    let mut chosen = [[0; KINDS]; SINGLE_CELLS];
    let mut rest = [0; KINDS];
    for (_, mut worth) in cells.iter().copied() {
        chosen.iter_mut().for_each(|better| order(std::slice::from_mut(better), std::slice::from_mut(&mut worth)));
        add(&mut rest, &worth);
    }
    for (worth, level) in chosen.iter().chain([&rest]).zip(steps.by_size) {
        add(&mut inside, worth);
        reach(best, &inside, usize::from(level));
    }
}

/// Raises `best` by the windows of a range in the last layer. Each cell has the worth of those between it and the hull, too.
#[inline]
fn reach_windows(steps: &Steps, inside: &Kinds, below: &[(u32, Kinds)], above: &[(u32, Kinds)], best: &mut Worth) {
    for (lo, worth) in below {
        let mut worth = *worth;
        add(&mut worth, inside);
        reach(best, &worth, steps.window(*lo, 0));
    }
    for (hi, worth) in above {
        let mut with = *worth;
        add(&mut with, inside);
        reach(best, &with, steps.window(0, *hi));
        for (lo, worth) in below {
            let mut both = *worth;
            add(&mut both, &with);
            reach(best, &both, steps.window(*lo, *hi));
        }
    }
}

/// Raises `best` by the cells below each ancestor of the hull in a tree, in the last layer.
#[inline]
fn reach_chain(steps: &Steps, mut inside: Kinds, cells: &[(u32, Kinds)], best: &mut Worth) {
    for (code, worth) in cells {
        add(&mut inside, worth);
        reach(best, &inside, usize::from(steps.by_code[*code as usize]));
    }
}
