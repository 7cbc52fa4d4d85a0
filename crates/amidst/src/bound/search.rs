//! All closures that at least k records share, by depth-first search.
//!
//! Column by column, the search chooses a node of the column's [family](super::closures), and the tuples
//! that it does not cover drop out. A branch ends if fewer than k records are left, if the visitor has no
//! interest in anything below, or if a chosen node is larger than the closure of the tuples that matter to
//! the visitor (these have a smaller closure, which another branch finds). What remains are the *closed*
//! patterns, each found once.
//!
//! *Every cluster is found.* A cluster C of at least k records has the closure P = P₁ × … × P_r, where P_j
//! is the node that its cells span in column j. P covers all of C, so no branch to P has too few records.
//! And since the cells of C span each P_j, no smaller node covers the remaining tuples.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::closures::{Cost, Family, Node, Tree};
use super::hull::Hull;
use super::index::Space;
use super::watch::Watch;
use crate::error::Result;

/// Records as the search sees them: distinct tuples of cells, in an order that the visitor defines.
pub(super) struct Records<'a> {
    pub(super) families: &'a [Family],
    /// The cell of each tuple, column by column.
    pub(super) cells: Vec<Vec<u32>>,
    /// The number of records of each tuple.
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

    /// Merges equal tuples. The figure of the merged tuple is the least of their figures.
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

    /// The sum of the k highest prices of these tuples, which are sorted by falling price, and the number
    /// of records missing to k.
    pub(super) fn dearest(&self, prices: &[Cost], tuples: &[(Cost, u32)]) -> (i64, u64) {
        let (mut lacking, mut sum) = (self.k, 0);
        for (_, t) in tuples {
            let taken = lacking.min(u64::from(self.weights[*t as usize]));
            sum += prices[*t as usize] * taken as i64;
            lacking -= taken;
            if lacking == 0 {
                break;
            }
        }
        (sum, lacking)
    }

    /// The sum of a figure over all records.
    pub(super) fn total(&self, figures: &[Cost]) -> i64 {
        figures.iter().zip(&self.weights).map(|(figure, weight)| figure * i64::from(*weight)).sum()
    }
}

impl Space for Records<'_> {
    fn tuples(&self) -> usize {
        self.weights.len()
    }

    fn columns(&self) -> usize {
        self.families.len()
    }

    fn values(&self, column: usize) -> usize {
        self.families[column].cells()
    }

    fn is_set(&self, column: usize) -> bool {
        matches!(self.families[column], Family::Sets(_))
    }

    fn value(&self, tuple: u32, column: usize) -> u32 {
        self.cells[column][tuple as usize]
    }

    fn weight(&self, tuple: u32) -> u32 {
        self.weights[tuple as usize]
    }

    fn pair(&self, column: usize, a: u32, b: u32) -> Cost {
        Hull::new(&self.families[column], a).join(b).cost()
    }
}

/// Receives the closures of a search.
pub(super) trait Visitor: Send {
    /// Whether no closure of some of these tuples that costs `cost` or more is of interest.
    fn prune(&self, tuples: &[u32], cost: Cost) -> bool;

    /// The number of first tuples that can matter to closures that cost `cost` or more.
    fn matter(&self, tuples: &[u32], _cost: Cost) -> usize {
        tuples.len()
    }

    /// Receives a closure of interest: the tuples that it covers, its cost, and its nodes.
    fn visit(&mut self, tuples: &[u32], cost: Cost, nodes: &[Node]);
}

/// The work that a search may do. It counts tuples that are looked at, so without a clock, whether it suffices does not
/// depend on the threads.
pub(super) struct Budget<'a> {
    limit: u64,
    spent: AtomicU64,
    pub(super) watch: Watch<'a>,
}

impl<'a> Budget<'a> {
    pub(super) fn new(limit: u64, watch: Watch<'a>) -> Self {
        Budget { limit, spent: AtomicU64::new(0), watch }
    }

    /// Counts work. Returns false if the search must stop.
    pub(super) fn spend(&self, work: u64) -> bool {
        self.spent.fetch_add(work, Ordering::Relaxed) + work <= self.limit && !self.watch.ends()
    }

    /// The work that was done.
    pub(super) fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// The work that is left; none when the time is up.
    pub(super) fn left(&self) -> u64 {
        if self.watch.is_over() { 0 } else { self.limit.saturating_sub(self.spent()) }
    }

    /// Whether nothing was left out. Time that is up stays up, so a search that it stopped never suffices.
    fn suffices(&self) -> bool {
        self.spent() <= self.limit && !self.watch.is_over()
    }
}

/// A part of the search: the tuples that the chosen nodes of the first columns cover.
struct Task {
    tuples: Vec<u32>,
    nodes: Vec<Node>,
    cost: Cost,
}

/// A visitor that collects tasks.
struct Split(Vec<Task>);

impl Visitor for Split {
    fn prune(&self, _tuples: &[u32], _cost: Cost) -> bool {
        false
    }

    fn visit(&mut self, tuples: &[u32], cost: Cost, nodes: &[Node]) {
        self.0.push(Task { tuples: tuples.to_vec(), nodes: nodes.to_vec(), cost });
    }
}

/// A finished part of the search.
pub(super) struct Part<V> {
    /// The tuples that the visitor saw, in the order of its numbers.
    pub(super) tuples: Vec<u32>,
    pub(super) visitor: V,
}

/// The number of tasks that keeps all threads busy.
const MIN_TASKS: usize = 48;

/// Searches in independent parts, so that the result is the same for any number of threads. The visitor of
/// a part is made for its tuples and sees them numbered from 0. `None` if the budget does not suffice, or
/// if a column is not a tree.
pub(super) fn search<V: Visitor>(
    records: &Records,
    budget: &Budget,
    visitor: impl Fn(&[u32]) -> V + Sync,
) -> Result<Option<Vec<Part<V>>>> {
    let trees = records.families.iter().map(|family| match family {
        Family::Tree(tree) => Some(tree),
        Family::Ranges(_) | Family::Sets(_) => None,
    });
    let Some(trees) = trees.collect::<Option<Vec<&Tree>>>() else { return Ok(None) };
    let all: Vec<u32> = (0..records.weights.len() as u32).collect();
    let mut tasks = vec![Task { tuples: all, nodes: Vec::new(), cost: 0 }];
    for columns in 1..=records.families.len().min(3) {
        if tasks.len() >= MIN_TASKS {
            break;
        }
        let mut finer = ClosureSearch::new(records, &trees, budget, columns, Split(Vec::new()));
        tasks.iter().for_each(|task| finer.run(&task.tuples, task));
        tasks = finer.visitor.0;
    }
    let parts = tasks
        .into_par_iter()
        .map(|task| {
            let part = records.pick(&task.tuples);
            let tuples: Vec<u32> = (0..task.tuples.len() as u32).collect();
            let mut search = ClosureSearch::new(&part, &trees, budget, trees.len(), visitor(&task.tuples));
            search.run(&tuples, &task);
            budget.spend(search.work);
            Part { tuples: task.tuples, visitor: search.visitor }
        })
        .collect();
    budget.watch.advance(0)?;
    Ok(budget.suffices().then_some(parts))
}

/// A running search.
struct ClosureSearch<'a, V> {
    records: &'a Records<'a>,
    /// The trees of the columns.
    trees: &'a [&'a Tree],
    budget: &'a Budget<'a>,
    /// The column at which closures are handed to the visitor.
    end: usize,
    visitor: V,
    /// The nodes chosen so far.
    nodes: Vec<Node>,
    /// The tuples on the way from the start to here, those of each step after those of the previous step.
    tuples: Vec<u32>,
    /// The number of records of each node or cell; zero between uses.
    counts: Vec<u64>,
    /// Work that was not reported to the budget yet.
    work: u64,
    stopped: bool,
}

impl<'a, V: Visitor> ClosureSearch<'a, V> {
    fn new(records: &'a Records<'a>, trees: &'a [&'a Tree], budget: &'a Budget<'a>, end: usize, visitor: V) -> Self {
        let counts = vec![0; trees.iter().map(|tree| tree.costs.len()).max().unwrap_or(0)];
        let (nodes, tuples) = (Vec::new(), Vec::new());
        ClosureSearch { records, trees, budget, end, visitor, nodes, tuples, counts, work: 0, stopped: false }
    }

    fn run(&mut self, tuples: &[u32], task: &Task) {
        self.nodes.clone_from(&task.nodes);
        self.tuples = tuples.to_vec();
        self.column(0, task.cost);
    }

    /// Continues with the next column, for the tuples from `start` on.
    fn column(&mut self, start: usize, cost: Cost) {
        if self.stopped || self.visitor.prune(&self.tuples[start..], cost) {
            return;
        }
        let number = self.nodes.len();
        if number == self.end {
            return self.visitor.visit(&self.tuples[start..], cost, &self.nodes);
        }
        self.tree(self.trees[number], 0, start, cost);
    }

    /// Visits the node of the tuples at `depth` below the root of the column's tree, and all nodes below
    /// it.
    fn tree(&mut self, tree: &Tree, depth: usize, start: usize, cost: Cost) {
        let records = self.records;
        let cells = &records.cells[self.nodes.len()];
        let node = tree.path[depth][cells[self.tuples[start] as usize] as usize];
        let Some(below) = tree.path.get(depth + 1) else {
            return self.choose(Node::from(node), start, cost + tree.costs[node as usize]);
        };
        let child_of = |t: u32| below[cells[t as usize] as usize];
        let first = child_of(self.tuples[start]);
        if self.tuples[start..].iter().all(|t| child_of(*t) == first) {
            // The closure lies further below.
            return self.tree(tree, depth + 1, start, cost);
        }
        let mut children = Vec::new();
        for t in &self.tuples[start..] {
            let count = &mut self.counts[child_of(*t) as usize];
            if *count == 0 {
                children.push(child_of(*t));
            }
            *count += u64::from(records.weights[*t as usize]);
        }
        children.retain(|child| std::mem::take(&mut self.counts[*child as usize]) >= records.k);
        let end = self.tuples.len();
        for child in children {
            self.keep(start, end, |t| child_of(t) == child);
            if !self.stopped && !self.visitor.prune(&self.tuples[end..], cost) {
                self.tree(tree, depth + 1, end, cost);
            }
            self.tuples.truncate(end);
        }
        self.choose(Node::from(node), start, cost + tree.costs[node as usize]);
    }

    /// Copies the wanted tuples between `start` and `end` to the end.
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

    /// Continues with a node for this column, unless the chosen nodes are larger than the closure of the
    /// tuples that matter.
    fn choose(&mut self, node: Node, start: usize, cost: Cost) {
        if self.stopped || self.visitor.prune(&self.tuples[start..], cost) {
            return;
        }
        let matter = self.visitor.matter(&self.tuples[start..], cost);
        let tuples = &self.tuples[start..start + matter];
        self.nodes.push(node);
        let mut columns = self.nodes.iter().zip(self.trees).zip(&self.records.cells);
        if columns.all(|((node, tree), cells)| is_tight(tree, *node, cells, tuples)) {
            self.column(start, cost);
        }
        self.nodes.pop();
    }
}

/// Whether no smaller node covers the tuples.
fn is_tight(tree: &Tree, node: Node, cells: &[u32], tuples: &[u32]) -> bool {
    let mut cells = tuples.iter().map(|t| cells[*t as usize]);
    let Some(first) = cells.next() else { return false };
    let depth = tree.path.iter().rposition(|nodes| Node::from(nodes[first as usize]) == node);
    match depth.and_then(|depth| tree.path.get(depth + 1)) {
        Some(below) => cells.any(|cell| below[cell as usize] != below[first as usize]),
        None => true,
    }
}
