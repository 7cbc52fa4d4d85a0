//! Clustering a pool anew by patterns: closures that enough of its records share are opened, the most
//! worthwhile first.
//!
//! This is the search of the algorithm patterns in [`partition`](crate::partition), on a few hundred
//! records. A set of items is a row of bits, so restricting it to a node is one `and` per word. Every
//! record has a price: what it pays now. A pattern is more worthwhile the less it costs and the more its
//! records pay now, so records that are hard to place are served first. Several weights of the two are
//! tried.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::pool::{Group, Pool, total};
use crate::cluster::Surrogate;
use crate::encode::{Code, Span};
use crate::problem::Problem;

/// The largest number of patterns that a search finds.
const MAX_PATTERNS: usize = 3000;
/// The weights of the prices, one for each try.
const PRICE_WEIGHTS: [f32; 4] = [0.0, 1.0, 0.5, 0.75];

/// The state of the search, kept from pool to pool to save allocations.
#[derive(Default)]
pub(super) struct Opening {
    /// The number of 64-bit words in a set of items.
    words: usize,
    least: u32,
    cap: f32,
    /// The weights of the items: for each binary digit, the set of the items that have it.
    digits: Vec<u64>,
    nodes: Vec<Node>,
    /// The set of items below each node.
    below: Vec<u64>,
    /// The root of each column, in the order of the search.
    roots: Vec<u32>,
    chosen: Vec<u32>,
    /// The sets from the whole pool down to the current one.
    stack: Vec<u64>,
    costs: Vec<f32>,
    /// The set of items of each pattern.
    sets: Vec<u64>,
    visited: usize,
    /// The work of the last pool, in about nanoseconds.
    pub(super) work: u64,
}

/// A node of a column, with those children that have enough records.
struct Node {
    cost: f32,
    children: Vec<u32>,
}

impl Opening {
    /// Clusters the pool. `prices` are what the records of each item pay now. `None` if no pattern opens.
    pub(super) fn regroup(
        &mut self,
        problem: &Problem,
        surrogate: &Surrogate,
        pool: &Pool,
        prices: &[f32],
        rng: &mut ChaCha8Rng,
    ) -> Option<Vec<Group>> {
        self.words = pool.items().div_ceil(64);
        self.least = problem.min_size() as u32;
        self.cap = prices.iter().copied().fold(0.0, f32::max);
        self.weigh(pool);
        self.ladders(surrogate, pool, rng);
        self.search();
        let means = self.means(pool, prices);
        self.work = (self.visited * (50 + 16 * self.words) + self.costs.len() * 90) as u64;
        let mut best: Option<(f64, Vec<Group>)> = None;
        for share in PRICE_WEIGHTS {
            self.work += (self.costs.len() * (15 + 2 * self.words)) as u64;
            let groups = self.open(problem, surrogate, pool, |pattern| self.costs[pattern] - share * means[pattern]);
            let Some(groups) = groups else { continue };
            let cost = total(&groups);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, groups));
            }
        }
        best.map(|(_, groups)| groups)
    }

    fn weigh(&mut self, pool: &Pool) {
        let most = (0..pool.items()).map(|item| pool.weight(item)).max().unwrap_or(1);
        let digits = u32::BITS - most.leading_zeros();
        self.digits.clear();
        self.digits.resize(digits as usize * self.words, 0);
        for item in 0..pool.items() {
            for digit in (0..digits).filter(|digit| pool.weight(item) >> digit & 1 == 1) {
                self.digits[digit as usize * self.words + item / 64] |= 1 << (item % 64);
            }
        }
    }

    /// The number of records in a set.
    fn weight(&self, set: &[u64]) -> u32 {
        let mut weight = 0;
        for (place, digit) in self.digits.chunks_exact(set.len()).enumerate() {
            let mut count = 0;
            for (word, digit) in set.iter().zip(digit) {
                count += (word & digit).count_ones();
            }
            weight += count << place;
        }
        weight
    }

    fn ladders(&mut self, surrogate: &Surrogate, pool: &Pool, rng: &mut ChaCha8Rng) {
        self.nodes.clear();
        self.below.clear();
        self.roots.clear();
        for column in surrogate.varying().iter().copied() {
            let values = &pool.values[column];
            let mut order: Vec<u32> = (0..values.len() as u32).collect();
            if surrogate.domain(column).is_set() {
                order.shuffle(rng);
            }
            let mut place_of = vec![0; order.len()];
            order.iter().zip(0..).for_each(|(number, place)| place_of[*number as usize] = place);
            let places: Vec<u32> = pool.numbers[column].iter().map(|number| place_of[*number as usize]).collect();
            let mut counts = vec![0; values.len()];
            places.iter().enumerate().for_each(|(item, place)| counts[*place as usize] += pool.weight(item));
            let codes: Vec<Code> = order.iter().map(|number| values[*number as usize]).collect();
            let ladder = Ladder { surrogate, column, codes: &codes, places: &places, counts: &counts };
            let root = self.node(&ladder, 0, codes.len(), rng);
            self.roots.push(root);
        }
        // Columns that cost much come first, so that the search ends sooner.
        let cost = |root: &u32| self.nodes[*root as usize].cost;
        self.roots.sort_by(|a, b| cost(b).total_cmp(&cost(a)));
    }

    fn node(&mut self, ladder: &Ladder, from: usize, to: usize, rng: &mut ChaCha8Rng) -> u32 {
        let number = self.nodes.len();
        self.nodes.push(Node { cost: ladder.cost(from, to), children: Vec::new() });
        let start = self.below.len();
        self.below.resize(start + self.words, 0);
        for (item, place) in ladder.places.iter().enumerate() {
            self.below[start + item / 64] |= u64::from((from..to).contains(&(*place as usize))) << (item % 64);
        }
        let mut children = Vec::new();
        let mut first = from;
        for cut in ladder.cuts(from, to, rng) {
            if ladder.counts[first..cut].iter().sum::<u32>() >= self.least {
                children.push(self.node(ladder, first, cut, rng));
            }
            first = cut;
        }
        self.nodes[number].children = children;
        number as u32
    }

    /// Finds the closed patterns up to the cap.
    fn search(&mut self) {
        self.costs.clear();
        self.sets.clear();
        self.chosen.clear();
        self.visited = 0;
        self.stack.clear();
        self.stack.extend_from_slice(&self.below[self.roots[0] as usize * self.words..][..self.words]);
        self.column(0.0);
    }

    fn below(&self, node: u32) -> &[u64] {
        &self.below[node as usize * self.words..][..self.words]
    }

    fn children(&self, node: u32) -> &[u32] {
        &self.nodes[node as usize].children
    }

    /// The current set.
    fn set(&self) -> &[u64] {
        &self.stack[self.stack.len() - self.words..]
    }

    /// Whether all items of the set are below the node.
    #[inline]
    fn is_below(&self, node: u32) -> bool {
        self.set().iter().zip(self.below(node)).all(|(set, below)| set & !below == 0)
    }

    /// The lowest node below `node` that has all items of the set.
    fn tight(&self, mut node: u32) -> u32 {
        while let Some(child) = self.children(node).iter().find(|child| self.is_below(**child)) {
            node = *child;
        }
        node
    }

    fn column(&mut self, cost: f32) {
        let Some(root) = self.roots.get(self.chosen.len()) else {
            self.sets.extend_from_slice(&self.stack[self.stack.len() - self.words..]);
            self.costs.push(cost);
            return;
        };
        let node = self.tight(*root);
        self.choose(node, cost);
    }

    /// Chooses a node for a column, then every lower node.
    fn choose(&mut self, node: u32, cost: f32) {
        self.visited += 1;
        if self.costs.len() >= MAX_PATTERNS || self.visited > 8 * MAX_PATTERNS {
            return;
        }
        let with = cost + self.nodes[node as usize].cost;
        if with <= self.cap {
            self.chosen.push(node);
            self.column(with);
            self.chosen.pop();
        }
        for place in 0..self.children(node).len() {
            let child = self.children(node)[place];
            let (set, below) = (self.stack.len() - self.words, child as usize * self.words);
            for word in 0..self.words {
                self.stack.push(self.stack[set + word] & self.below[below + word]);
            }
            let closed =
                |s: &Self| s.chosen.iter().all(|node| s.children(*node).iter().all(|child| !s.is_below(*child)));
            if self.weight(self.set()) >= self.least && closed(self) {
                let node = self.tight(child);
                self.choose(node, cost);
            }
            self.stack.truncate(set + self.words);
        }
    }

    /// The mean of what the records of each pattern pay now.
    fn means(&self, pool: &Pool, prices: &[f32]) -> Vec<f32> {
        let mean = |set: &[u64]| {
            let weighted = items(set.iter().copied()).map(|item| (pool.weight(item) as f32, prices[item]));
            let (sum, weight) =
                weighted.fold((0.0, 0.0), |(sum, all), (weight, price)| (sum + weight * price, all + weight));
            sum / weight
        };
        self.sets.chunks_exact(self.words).map(mean).collect()
    }

    /// Opens patterns by rising key. Each gets all matching free records, or as many of them as satisfy the
    /// constraints. The remaining records join these clusters. `None` if one of them cannot.
    fn open(
        &self,
        problem: &Problem,
        surrogate: &Surrogate,
        pool: &Pool,
        key: impl Fn(usize) -> f32,
    ) -> Option<Vec<Group>> {
        let mut free = self.below(self.roots[0]).to_vec();
        let mut order: Vec<(f32, u32)> = (0..self.costs.len()).map(|p| (key(p), p as u32)).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut groups = Vec::new();
        let mut matching = Vec::new();
        for (_, pattern) in order {
            let set = &self.sets[pattern as usize * self.words..][..self.words];
            matching.clear();
            matching.extend(set.iter().zip(&free).map(|(set, free)| set & free));
            let size = self.weight(&matching);
            if size < self.least {
                continue;
            }
            let mut taken: Vec<(u32, u32)> =
                items(matching.iter().copied()).map(|item| (item as u32, pool.weight(item))).collect();
            if problem.guarded() && !pool.holds(problem, &taken, size) {
                let units: Vec<(u32, u32)> =
                    taken.iter().map(|(item, times)| (pool.rows_of(*item as usize)[0], *times)).collect();
                let Some(kept) = problem.trim(&units) else { continue };
                let mut kept = kept.into_iter();
                taken.retain(|_| kept.next().unwrap_or(false));
            }
            let size = taken.iter().map(|(_, times)| times).sum();
            taken.iter().for_each(|(item, _)| free[*item as usize / 64] &= !(1 << (item % 64)));
            let mut group = Group { taken, size, ..Group::default() };
            pool.close(surrogate, &mut group);
            groups.push(group);
        }
        let rest = items(free.into_iter()).map(|item| (item as u32, pool.weight(item)));
        pool.place(problem, surrogate, &mut groups, rest).is_empty().then_some(groups)
    }
}

/// The items of a set.
fn items(set: impl Iterator<Item = u64>) -> impl Iterator<Item = usize> {
    set.enumerate().flat_map(|(place, mut word)| {
        std::iter::from_fn(move || {
            (word != 0).then(|| {
                let bit = word.trailing_zeros() as usize;
                word &= word - 1;
                place * 64 + bit
            })
        })
    })
}

/// The values of a column in the order of its ladder.
struct Ladder<'a> {
    surrogate: &'a Surrogate<'a>,
    column: usize,
    codes: &'a [Code],
    /// The place of each item.
    places: &'a [u32],
    /// The number of records at each place.
    counts: &'a [u32],
}

impl Ladder<'_> {
    fn cost(&self, from: usize, to: usize) -> f32 {
        let codes = &self.codes[from..to];
        let span = if self.surrogate.domain(self.column).is_set() {
            Span::mask(codes.iter().fold(0, |mask, code| mask | 1 << code))
        } else {
            Span::range(codes[0], codes[codes.len() - 1])
        };
        self.surrogate.cost(self.column, span)
    }

    /// The ends of the children of a node.
    fn cuts(&self, from: usize, to: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
        if to - from < 2 {
            return Vec::new();
        }
        let domain = self.surrogate.domain(self.column);
        let mut cuts: Vec<usize> = if let Some(tree) = domain.hierarchy() {
            let starts = tree.children(self.codes[from], self.codes[to - 1]);
            let child = |place: usize| starts.partition_point(|start| *start <= self.codes[place]);
            (from + 1..to).filter(|place| child(*place) != child(place - 1)).collect()
        } else if domain.is_suppress() {
            (from + 1..to).collect()
        } else {
            vec![rng.random_range(from + 1..to)]
        };
        cuts.push(to);
        cuts
    }
}
