//! All closures that at least k records share, depth first.
//!
//! Column by column a node of its [family](super::family) is chosen, and the tuples that it does not cover drop out. A
//! branch ends where fewer than k records are left, where a node chosen before is larger than the closure of the tuples
//! left that matter to the visitor (those have a smaller closure, which another branch finds), or where the visitor has no
//! interest in anything below. What is left are the *closed* patterns, each met once.
//!
//! *Every cluster is met.* A cluster C of at least k records has the closure P = P₁ × … × P_r, where P_j is the node that
//! its cells span in column j. P covers all of C, so no branch to P has too few records; and as the cells of C span each
//! P_j, no smaller node covers the tuples left.
//!
//! Ranges and sets have so many closures that the whole table is too much to start from. [`search_around`] looks for those that cover one
//! tuple and cost less than a limit. Both a tuple's distance from that one and the cheapest nodes with k records in the columns
//! not chosen yet say early what a closure will cost.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::family::{Cost, Family, Node, Ranges, Sets, Tree};
use crate::error::Result;
use crate::progress::Progress;

/// Records as the search sees them: distinct tuples of cells, in an order that the visitor gives meaning to.
pub(super) struct Records<'a> {
    pub(super) families: &'a [Family],
    /// The cell of each tuple, column by column.
    pub(super) cells: Vec<Vec<u32>>,
    /// How many records each tuple stands for.
    pub(super) weights: Vec<u32>,
    /// The size of the smallest cluster.
    pub(super) k: u64,
}

impl Records<'_> {
    /// Some of the tuples, in this order.
    pub(super) fn pick(&self, tuples: &[u32]) -> Self {
        let cells = self.cells.iter().map(|cells| tuples.iter().map(|t| cells[*t as usize]).collect()).collect();
        let weights = tuples.iter().map(|t| self.weights[*t as usize]).collect();
        Records { families: self.families, cells, weights, k: self.k }
    }

    /// Every combination of cells once, with the least of the figures of its tuples.
    pub(super) fn distinct(mut self, figures: &mut Vec<Cost>) -> Self {
        let mut order: Vec<u32> = (0..self.weights.len() as u32).collect();
        let key = |t: u32| self.cells.iter().map(move |cells| cells[t as usize]);
        order.sort_unstable_by(|a, b| key(*a).cmp(key(*b)).then(a.cmp(b)));
        let mut first: Vec<u32> = Vec::new();
        let mut merged: Vec<(u32, Cost)> = Vec::new();
        for t in order {
            let (weight, figure) = (self.weights[t as usize], figures[t as usize]);
            match (first.last(), merged.last_mut()) {
                (Some(last), Some(all)) if key(*last).eq(key(t)) => *all = (all.0 + weight, all.1.min(figure)),
                _ => {
                    first.push(t);
                    merged.push((weight, figure));
                }
            }
        }
        self = self.pick(&first);
        (self.weights, *figures) = merged.into_iter().unzip();
        self
    }

    /// True when there are many closures, of few cells.
    pub(super) fn is_wide(&self) -> bool {
        let trees = self.families.iter().all(|family| matches!(family, Family::Tree(_)));
        !trees && self.families.iter().all(|family| family.cells() <= 1024)
    }

    /// The sum of a figure over all records.
    pub(super) fn total(&self, figures: &[Cost]) -> i64 {
        figures.iter().zip(&self.weights).map(|(figure, weight)| figure * i64::from(*weight)).sum()
    }
}

/// Who looks at the closures.
pub(super) trait Visitor: Send {
    /// True when no closure of some of these tuples that costs `cost` or more is of interest.
    fn prune(&self, tuples: &[u32], cost: Cost) -> bool;

    /// How many of the tuples, from the first on, can matter to closures that cost `cost` or more.
    fn matter(&self, tuples: &[u32], _cost: Cost) -> usize {
        tuples.len()
    }

    /// True when it has seen something of interest.
    fn found(&self) -> bool {
        true
    }

    /// A closure that is of interest: the tuples that it covers, and what it costs.
    fn visit(&mut self, tuples: &[u32], cost: Cost, nodes: &[Node]);
}

/// How much work a search may be. It counts tuples looked at, so whether it suffices does not depend on the threads.
pub(super) struct Budget<'a> {
    limit: u64,
    spent: AtomicU64,
    progress: Progress<'a>,
}

impl<'a> Budget<'a> {
    pub(super) fn new(limit: u64, progress: Progress<'a>) -> Self {
        Budget { limit, spent: AtomicU64::new(0), progress }
    }

    /// False when the search shall stop.
    fn spend(&self, work: u64) -> bool {
        self.spent.fetch_add(work, Ordering::Relaxed) + work <= self.limit && !self.progress.interrupted()
    }

    /// What is left of it.
    pub(super) fn left(&self) -> u64 {
        self.limit.saturating_sub(self.spent.load(Ordering::Relaxed))
    }

    fn suffices(&self) -> bool {
        self.spent.load(Ordering::Relaxed) <= self.limit
    }
}

/// A part of the search: the tuples that nodes of the first columns cover.
struct Task {
    tuples: Vec<u32>,
    nodes: Vec<Node>,
    cost: Cost,
}

struct Split(Vec<Task>);

impl Visitor for Split {
    fn prune(&self, _tuples: &[u32], _cost: Cost) -> bool {
        false
    }

    fn visit(&mut self, tuples: &[u32], cost: Cost, nodes: &[Node]) {
        self.0.push(Task { tuples: tuples.to_vec(), nodes: nodes.to_vec(), cost });
    }
}

/// A part of the search that is done.
pub(super) struct Part<V> {
    /// The tuples that the visitor saw, in the order of their numbers.
    pub(super) tuples: Vec<u32>,
    pub(super) visitor: V,
}

/// So many parts keep all threads busy.
const TASKS: usize = 48;

/// Searches in parts that do not depend on each other, so that the result is the same for any number of threads. A part's
/// visitor is made for its tuples and sees them numbered from 0. `None` where the budget
/// does not suffice.
pub(super) fn search<V: Visitor>(
    records: &Records,
    budget: &Budget,
    visitor: impl Fn(&[u32]) -> V + Sync,
) -> Result<Option<Vec<Part<V>>>> {
    let all: Vec<u32> = (0..records.weights.len() as u32).collect();
    let mut tasks = vec![Task { tuples: all, nodes: Vec::new(), cost: 0 }];
    for columns in 1..=records.families.len().min(3) {
        if tasks.len() >= TASKS {
            break;
        }
        let mut finer = Search::new(records, budget, columns, Split(Vec::new()));
        tasks.iter().for_each(|task| finer.run(&task.tuples, task));
        tasks = finer.visitor.0;
    }
    let parts = tasks
        .into_par_iter()
        .map(|task| {
            let part = records.pick(&task.tuples);
            let tuples: Vec<u32> = (0..task.tuples.len() as u32).collect();
            let mut search = Search::new(&part, budget, records.families.len(), visitor(&task.tuples));
            search.run(&tuples, &task);
            budget.spend(search.work);
            Part { tuples: task.tuples, visitor: search.visitor }
        })
        .collect();
    budget.progress.advance(0)?;
    Ok(budget.suffices().then_some(parts))
}

/// Searches around each tuple by itself: closures that cover it, none of the tuples before it, and cost less than `reach` says.
/// Tuples further from it than that cannot be in such a closure, so each search has few of them.
pub(super) fn search_around<V: Visitor>(
    records: &Records,
    reach: &[Cost],
    budget: &Budget,
    visitor: impl Fn(&[u32]) -> V + Sync,
) -> Result<Option<Vec<Part<V>>>> {
    let pairs: Vec<Vec<Cost>> = records.families.iter().map(Family::pairs).collect();
    let parts = (0..records.weights.len())
        .into_par_iter()
        .filter_map(|seed| {
            if !budget.suffices() {
                return None;
            }
            let mut from = vec![0; records.weights.len() - seed];
            for ((family, pairs), cells) in records.families.iter().zip(&pairs).zip(&records.cells) {
                let row = &pairs[cells[seed] as usize * family.cells()..][..family.cells()];
                from.iter_mut().zip(&cells[seed..]).for_each(|(sum, cell)| *sum += row[*cell as usize]);
            }
            let near = from.iter().enumerate().skip(1).filter(|(_, distance)| **distance < reach[seed]);
            let tuples: Vec<u32> =
                std::iter::once(seed as u32).chain(near.map(|(place, _)| (seed + place) as u32)).collect();
            let size: u64 = tuples.iter().map(|t| u64::from(records.weights[*t as usize])).sum();
            if size < records.k {
                return None;
            }
            let part = records.pick(&tuples);
            let all: Vec<u32> = (0..tuples.len() as u32).collect();
            let mut search = Search::new(&part, budget, records.families.len(), visitor(&tuples));
            search.around = Some(Around::new(&part, &pairs, reach[seed]));
            search.run(&all, &Task { tuples: Vec::new(), nodes: Vec::new(), cost: 0 });
            budget.spend(search.work);
            search.visitor.found().then(|| Part { tuples, visitor: search.visitor })
        })
        .collect();
    budget.progress.advance(0)?;
    Ok(budget.suffices().then_some(parts))
}

/// A search under way.
struct Search<'a, V> {
    records: &'a Records<'a>,
    budget: &'a Budget<'a>,
    /// The column at which closures are handed to the visitor.
    end: usize,
    visitor: V,
    /// The nodes chosen so far.
    nodes: Vec<Node>,
    /// The tuples on the way from the start to here, those of each step behind those of the step before.
    tuples: Vec<u32>,
    /// How many records there are of each node or cell; zero between uses.
    counts: Vec<u64>,
    /// What the budget has not been told of yet.
    work: u64,
    stopped: bool,
    /// What closures have to cover, where that is asked.
    around: Option<Around>,
}

/// A search for closures that cover tuple 0 and cost less than `reach`.
struct Around {
    reach: Cost,
    /// What tuple 0 and each tuple cost together in the columns from one on.
    ahead: Vec<Vec<Cost>>,
}

impl Around {
    fn new(part: &Records, pairs: &[Vec<Cost>], reach: Cost) -> Self {
        let mut ahead = vec![vec![0; part.weights.len()]; part.families.len() + 1];
        for column in (0..part.families.len()).rev() {
            let (cells, wide) = (&part.cells[column], part.families[column].cells());
            let row = &pairs[column][cells[0] as usize * wide..][..wide];
            for (t, cell) in cells.iter().enumerate() {
                ahead[column][t] = ahead[column + 1][t] + row[*cell as usize];
            }
        }
        Around { reach, ahead }
    }
}

impl<'a, V: Visitor> Search<'a, V> {
    fn new(records: &'a Records<'a>, budget: &'a Budget<'a>, end: usize, visitor: V) -> Self {
        let counts = vec![0; records.families.iter().map(Family::len).max().unwrap_or(0)];
        Search {
            records,
            budget,
            end,
            visitor,
            nodes: Vec::new(),
            tuples: Vec::new(),
            counts,
            work: 0,
            stopped: false,
            around: None,
        }
    }

    fn run(&mut self, tuples: &[u32], task: &Task) {
        self.nodes.clone_from(&task.nodes);
        self.tuples = tuples.to_vec();
        self.column(0, task.cost);
    }

    /// Goes on with the next column, for the tuples from `start` on.
    fn column(&mut self, start: usize, cost: Cost) {
        if self.stopped || self.visitor.prune(&self.tuples[start..], cost) {
            return;
        }
        let number = self.nodes.len();
        if number == self.end {
            return self.visitor.visit(&self.tuples[start..], cost, &self.nodes);
        }
        let rest = if self.around.is_some() { self.ahead(start, cost) } else { Some(0) };
        let Some(rest) = rest else { return };
        match &self.records.families[number] {
            Family::Tree(tree) => self.tree(tree, 0, start, cost, rest),
            Family::Ranges(ranges) => self.ranges(ranges, start, cost, rest),
            Family::Sets(sets) => self.sets(sets, start, cost, rest),
        }
    }

    /// Leaves out the tuples from `start` on that cannot be in a closure within reach.
    fn trim(&mut self, start: usize, cost: Cost) {
        if let Some(Around { reach, ahead }) = &self.around {
            let ahead = &ahead[self.nodes.len() + 1];
            let mut kept = start;
            for place in start..self.tuples.len() {
                let t = self.tuples[place];
                if cost + ahead[t as usize] < *reach {
                    self.tuples[kept] = t;
                    kept += 1;
                }
            }
            self.tuples.truncate(kept);
        }
    }

    /// What k of the tuples cost at least together with tuple 0.
    fn within(&self, tuples: &[u32], cost: Cost) -> Cost {
        let Some(Around { ahead, .. }) = &self.around else { return 0 };
        let ahead = &ahead[self.nodes.len()];
        let mut near: Vec<(Cost, u32)> =
            tuples.iter().map(|t| (ahead[*t as usize], self.records.weights[*t as usize])).collect();
        near.sort_unstable();
        let mut size = 0;
        let last = near.iter().find(|(_, weight)| {
            size += u64::from(*weight);
            size >= self.records.k
        });
        last.map_or(Cost::MAX / 4, |(distance, _)| cost + distance)
    }

    /// What the columns after the next cost at least; `None` when nothing of interest can come.
    fn ahead(&mut self, start: usize, cost: Cost) -> Option<Cost> {
        let records = self.records;
        let mut matter = self.visitor.matter(&self.tuples[start..], cost);
        let mut rest = 0;
        // Fewer tuples matter where the columns ahead cost more, and those few cost more again.
        for _ in 0..4 {
            let mut whole = cost;
            rest = 0;
            for column in self.nodes.len()..records.families.len() {
                let (family, cells) = (&records.families[column], &records.cells[column]);
                let tuples = &self.tuples[start..start + matter];
                for t in tuples {
                    self.counts[cells[*t as usize] as usize] += u64::from(records.weights[*t as usize]);
                }
                let least = family.least(records.k, &self.counts);
                tuples.iter().for_each(|t| self.counts[cells[*t as usize] as usize] = 0);
                let least = least?;
                whole += least;
                if column > self.nodes.len() {
                    rest += least;
                }
            }
            self.work += (matter * (records.families.len() - self.nodes.len())) as u64;
            let tuples = &self.tuples[start..start + matter];
            whole = whole.max(self.within(tuples, cost));
            if self.visitor.prune(tuples, whole) {
                return None;
            }
            let fewer = self.visitor.matter(tuples, whole);
            if fewer == matter {
                break;
            }
            matter = fewer;
        }
        Some(rest)
    }

    /// The node of the tuples `depth` below the root of the column's tree, and all below it.
    fn tree(&mut self, tree: &Tree, depth: usize, start: usize, cost: Cost, rest: Cost) {
        let records = self.records;
        let cells = &records.cells[self.nodes.len()];
        let node = tree.path[depth][cells[self.tuples[start] as usize] as usize];
        let Some(below) = tree.path.get(depth + 1) else {
            return self.choose(Node::from(node), start, cost + tree.costs[node as usize], rest);
        };
        let child_of = |t: u32| below[cells[t as usize] as usize];
        let first = child_of(self.tuples[start]);
        if self.tuples[start..].iter().all(|t| child_of(*t) == first) {
            // The closure lies further below.
            return self.tree(tree, depth + 1, start, cost, rest);
        }
        let mut children = Vec::new();
        for t in &self.tuples[start..] {
            let count = &mut self.counts[child_of(*t) as usize];
            if *count == 0 {
                children.push(child_of(*t));
            }
            *count += u64::from(records.weights[*t as usize]);
        }
        let seeded = self.around.is_some();
        children.retain(|child| {
            std::mem::take(&mut self.counts[*child as usize]) >= records.k && (!seeded || *child == first)
        });
        let end = self.tuples.len();
        for child in children {
            self.keep(start, end, |t| child_of(t) == child);
            if !self.stopped && !self.visitor.prune(&self.tuples[end..], cost + rest) {
                self.tree(tree, depth + 1, end, cost, rest);
            }
            self.tuples.truncate(end);
        }
        self.choose(Node::from(node), start, cost + tree.costs[node as usize], rest);
    }

    fn ranges(&mut self, ranges: &Ranges, start: usize, cost: Cost, rest: Cost) {
        let records = self.records;
        let cells = &records.cells[self.nodes.len()];
        let end = self.tuples.len();
        let present = self.present(start);
        let (latest, earliest) = if self.around.is_some() { (cells[0], cells[0]) } else { (u32::MAX, 0) };
        for (place, (lo, _)) in present.iter().enumerate() {
            if *lo > latest {
                break;
            }
            let mut count = 0;
            for (hi, more) in &present[place..] {
                count += more;
                let cost = cost + ranges.cost(*lo, *hi);
                if self.visitor.prune(&self.tuples[start..end], cost + rest) {
                    break;
                }
                if ranges.missing && *lo == 0 && *hi > 0 {
                    self.choose(range(0, ranges.cells as u32 - 1), start, cost, rest);
                    break;
                }
                if count >= records.k && *hi >= earliest {
                    self.keep(start, end, |t| (*lo..=*hi).contains(&cells[t as usize]));
                    self.trim(end, cost);
                    self.choose(range(*lo, *hi), end, cost, rest);
                    self.tuples.truncate(end);
                }
            }
        }
    }

    fn sets(&mut self, sets: &Sets, start: usize, cost: Cost, rest: Cost) {
        let records = self.records;
        let cells = &records.cells[self.nodes.len()];
        let end = self.tuples.len();
        let present = self.present(start);
        // Sets grow by cells of higher numbers.
        let mut grown: Vec<(u64, u64, usize)> = vec![(0, 0, 0)];
        while let Some((mask, count, from)) = grown.pop() {
            for (place, (cell, more)) in present.iter().enumerate().skip(from) {
                let (mask, count) = (mask | 1 << cell, count + more);
                let cost = cost + sets.cost(mask);
                if self.visitor.prune(&self.tuples[start..end], cost + rest) {
                    continue;
                }
                if count >= records.k && (self.around.is_none() || mask >> cells[0] & 1 == 1) {
                    self.keep(start, end, |t| mask >> cells[t as usize] & 1 == 1);
                    self.trim(end, cost);
                    self.choose(mask, end, cost, rest);
                    self.tuples.truncate(end);
                }
                if mask.count_ones() < sets.most {
                    grown.push((mask, count, place + 1));
                }
            }
        }
        if present.len() > sets.most as usize {
            self.choose(sets.everything(), start, cost + sets.larger, rest);
        }
    }

    /// The cells of the tuples from `start` on, rising, and how many records are in each.
    fn present(&mut self, start: usize) -> Vec<(u32, u64)> {
        let number = self.nodes.len();
        for t in &self.tuples[start..] {
            let cell = self.records.cells[number][*t as usize];
            self.counts[cell as usize] += u64::from(self.records.weights[*t as usize]);
        }
        let cells = 0..self.records.families[number].len();
        cells.map(|cell| (cell as u32, std::mem::take(&mut self.counts[cell]))).filter(|(_, n)| *n > 0).collect()
    }

    /// Copies those tuples between `start` and `end` to the end that are wanted.
    fn keep(&mut self, start: usize, end: usize, wanted: impl Fn(u32) -> bool) {
        for place in start..end {
            let t = self.tuples[place];
            if wanted(t) {
                self.tuples.push(t);
            }
        }
        self.work += (end - start) as u64;
        if self.work > 1 << 20 {
            self.stopped |= !self.budget.spend(std::mem::take(&mut self.work));
        }
    }

    /// Goes on with a node for this column, unless the nodes are larger than the closure of the tuples that matter.
    fn choose(&mut self, node: Node, start: usize, cost: Cost, rest: Cost) {
        if self.stopped || self.visitor.prune(&self.tuples[start..], cost + rest) {
            return;
        }
        let matter = self.visitor.matter(&self.tuples[start..], cost + rest);
        let tuples = &self.tuples[start..start + matter];
        let Records { families, cells, .. } = self.records;
        self.nodes.push(node);
        if self.nodes.iter().enumerate().all(|(c, node)| is_tight(&families[c], *node, &cells[c], tuples)) {
            self.column(start, cost);
        }
        self.nodes.pop();
    }
}

/// The node of a range.
fn range(lo: u32, hi: u32) -> Node {
    u64::from(hi) << 32 | u64::from(lo)
}

/// True when no smaller node covers the tuples.
fn is_tight(family: &Family, node: Node, cells: &[u32], tuples: &[u32]) -> bool {
    let mut cells = tuples.iter().map(|t| cells[*t as usize]);
    match family {
        Family::Tree(tree) => {
            let Some(first) = cells.next() else { return false };
            let depth = tree.path.iter().rposition(|nodes| Node::from(nodes[first as usize]) == node);
            match depth.and_then(|depth| tree.path.get(depth + 1)) {
                Some(below) => cells.any(|cell| below[cell as usize] != below[first as usize]),
                None => true,
            }
        }
        Family::Ranges(ranges) => {
            let (lo, hi) = (node as u32, (node >> 32) as u32);
            let everything = ranges.missing && lo == 0 && hi > 0;
            let (mut low, mut high) = (false, false);
            cells.any(|cell| {
                low |= cell == lo;
                high |= cell == hi || everything && cell > 0;
                low && high
            })
        }
        Family::Sets(sets) => {
            let everything = sets.cells > sets.most as usize && node == sets.everything();
            let mut seen = 0_u64;
            cells.any(|cell| {
                seen |= 1 << cell;
                if everything { seen.count_ones() > sets.most } else { seen == node }
            })
        }
    }
}
