//! A tree over tuples that finds the neighbours of a tuple without looking at all others.
//!
//! The distance of two tuples is the cost of the closure of both. A node of the tree has some tuples, and
//! knows what they span in each column. Costs do not fall when closures grow. So if a value lies outside
//! the range of a node, no tuple of the node is nearer than the end of the range; if a set lacks the value,
//! none is nearer than the nearest other value. The sum over the columns is a lower bound on the distance
//! of the node.
//!
//! Nodes are halved by the column in which their tuples span most (Friedman, Bentley and Finkel: An
//! algorithm for finding best matches in logarithmic expected time. ACM Transactions on Mathematical
//! Software 1977).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::closures::Cost;
use crate::encode::Span;

/// The largest number of tuples in a leaf.
const MAX_LEAF_TUPLES: usize = 16;

/// The largest number of values of a column whose pairs are tabulated.
const MAX_TABLED_VALUES: usize = 512;

/// Tuples of values, which are numbered from 0 in each column.
pub(super) trait Space: Sync {
    fn tuples(&self) -> usize;

    fn columns(&self) -> usize;

    /// The number of values of a column.
    fn values(&self, column: usize) -> usize;

    /// Whether closures are sets, so that the order of the values means nothing. A set column has at most
    /// 64 values.
    fn is_set(&self, column: usize) -> bool;

    fn value(&self, tuple: u32, column: usize) -> u32;

    /// The number of records of a tuple.
    fn weight(&self, tuple: u32) -> u32;

    /// The cost of two values of a column together. Unless the column has sets, it does not fall when they
    /// are farther apart.
    fn pair(&self, column: usize, a: u32, b: u32) -> Cost;
}

/// The tree over the tuples of a space.
pub(super) struct Index<'a, S> {
    space: &'a S,
    columns: Vec<IndexColumn>,
    /// The tuples in the order of the leaves.
    tuples: Vec<u32>,
    /// The values of these tuples, one tuple after the other.
    values: Vec<u32>,
    weights: Vec<u32>,
    nodes: Vec<Node>,
    /// What the tuples of each node span, node by node.
    spans: Vec<Span>,
}

/// The costs of the values of a column.
struct IndexColumn {
    values: usize,
    set: bool,
    /// The cost of any two values together, row by row. Empty if there are too many.
    pairs: Vec<Cost>,
    /// For each value of a set, its least cost together with another value.
    others: Vec<Cost>,
}

/// A node, by the places of its tuples.
struct Node {
    from: usize,
    to: usize,
    /// The second child; the first child is the next node. `None` for a leaf.
    second: Option<usize>,
}

/// The state of a search, kept from tuple to tuple to save allocations.
#[derive(Default)]
pub(super) struct Query {
    own: Vec<u32>,
    /// Nodes, with lower bounds on their distances.
    nodes: BinaryHeap<Reverse<(Cost, usize)>>,
    /// The nearest tuples so far with their numbers of records, the farthest on top: just enough tuples for
    /// k records.
    near: BinaryHeap<(Cost, u32)>,
    /// The number of tuples and nodes that were looked at.
    pub(super) work: u64,
}

impl<'a, S: Space> Index<'a, S> {
    pub(super) fn new(space: &'a S) -> Self {
        let column = |column: usize| {
            let (values, set) = (space.values(column), space.is_set(column));
            let all = 0..values as u32;
            let kept = if values <= MAX_TABLED_VALUES { all.clone() } else { 0..0 };
            let row = |a: u32| all.clone().map(move |b| space.pair(column, a, b));
            let other = |a: u32| all.clone().filter(|b| *b != a).map(|b| space.pair(column, a, b)).min().unwrap_or(0);
            let others = if set { all.clone().map(other).collect() } else { Vec::new() };
            IndexColumn { values, set, pairs: kept.flat_map(row).collect(), others }
        };
        let mut index = Index {
            space,
            columns: (0..space.columns()).map(column).collect(),
            tuples: Vec::new(),
            values: Vec::new(),
            weights: Vec::new(),
            nodes: Vec::new(),
            spans: Vec::new(),
        };
        let mut tuples: Vec<u32> = (0..space.tuples() as u32).collect();
        index.grow(&mut tuples, 0);
        index.values = tuples.iter().flat_map(|t| (0..space.columns()).map(|c| space.value(*t, c))).collect();
        index.weights = tuples.iter().map(|t| space.weight(*t)).collect();
        index.tuples = tuples;
        index
    }

    pub(super) fn space(&self) -> &'a S {
        self.space
    }

    /// The tuples, with neighbours next to each other.
    pub(super) fn tuples(&self) -> &[u32] {
        &self.tuples
    }

    /// Makes a node of these tuples, the first of which is at place `from`, and all nodes below it.
    fn grow(&mut self, tuples: &mut [u32], from: usize) {
        let space = self.space;
        let span = |number: usize| {
            let values = tuples.iter().map(|t| space.value(*t, number));
            if self.columns[number].set {
                return Span::mask(values.fold(0, |mask, value| mask | 1 << value));
            }
            let (lo, hi) = values.fold((u32::MAX, 0), |(lo, hi), value| (lo.min(value), hi.max(value)));
            Span::range(lo, hi)
        };
        let spans: Vec<Span> = (0..self.columns.len()).map(span).collect();
        let width = |number: &usize| {
            let (column, span) = (&self.columns[*number], spans[*number]);
            if column.set {
                let steps = i64::from(span.bits().count_ones()) - 1;
                return steps * column.others.iter().min().copied().unwrap_or(0);
            }
            self.pair(*number, span.lo(), span.hi())
        };
        let widest = (0..spans.len()).filter(|_| tuples.len() > MAX_LEAF_TUPLES).max_by_key(width);
        let number = self.nodes.len();
        self.nodes.push(Node { from, to: from + tuples.len(), second: None });
        self.spans.extend(spans);
        let Some(column) = widest else { return };
        let middle = tuples.len() / 2;
        tuples.select_nth_unstable_by_key(middle, |t| (space.value(*t, column), *t));
        let (low, high) = tuples.split_at_mut(middle);
        self.grow(low, from);
        self.nodes[number].second = Some(self.nodes.len());
        self.grow(high, from + middle);
    }

    #[inline]
    fn pair(&self, column: usize, a: u32, b: u32) -> Cost {
        let IndexColumn { values, pairs, .. } = &self.columns[column];
        if pairs.is_empty() { self.space.pair(column, a, b) } else { pairs[a as usize * values + b as usize] }
    }

    /// A lower bound on the distances of the tuples of a node.
    fn least(&self, own: &[u32], node: usize) -> Cost {
        let spans = &self.spans[node * own.len()..][..own.len()];
        let part = |(number, (own, span)): (usize, (&u32, &Span))| {
            let column = &self.columns[number];
            if column.set && span.bits() >> own & 1 == 0 {
                return column.others[*own as usize];
            }
            self.pair(number, *own, if column.set { *own } else { (*own).clamp(span.lo(), span.hi()) })
        };
        own.iter().zip(spans).enumerate().map(part).sum()
    }

    /// The distance of the tuple at a place.
    fn distance(&self, own: &[u32], place: usize) -> Cost {
        let values = &self.values[place * own.len()..][..own.len()];
        own.iter().zip(values).enumerate().map(|(column, (a, b))| self.pair(column, *a, *b)).sum()
    }

    /// Begins a search around a tuple.
    fn begin(&self, tuple: u32, query: &mut Query) {
        query.own.clear();
        query.own.extend((0..self.columns.len()).map(|column| self.space.value(tuple, column)));
        query.nodes.clear();
        query.nodes.push(Reverse((self.least(&query.own, 0), 0)));
        query.work = 1;
    }

    /// Opens a node. Returns the places of its tuples if it is a leaf; otherwise adds its children to the
    /// nodes.
    fn open(&self, node: usize, query: &mut Query) -> std::ops::Range<usize> {
        let Node { from, to, second } = self.nodes[node];
        let Some(second) = second else {
            query.work += (to - from) as u64;
            return from..to;
        };
        query.work += 2;
        query.nodes.extend([node + 1, second].map(|child| Reverse((self.least(&query.own, child), child))));
        0..0
    }

    /// The distance within which a tuple has k records, including itself; or less, if that would take more
    /// than `most` work.
    ///
    /// The nearest node comes first. So at any time, nothing that was not looked at is nearer than the next
    /// node.
    pub(super) fn within(&self, tuple: u32, k: u64, most: u64, query: &mut Query) -> Cost {
        self.begin(tuple, query);
        query.near.clear();
        let mut size = 0;
        while let Some(Reverse((least, node))) = query.nodes.pop() {
            let farthest = query.near.peek().filter(|_| size >= k).map_or(Cost::MAX, |(farthest, _)| *farthest);
            if least >= farthest || query.work > most {
                return least.min(farthest);
            }
            for place in self.open(node, query) {
                let distance = self.distance(&query.own, place);
                if size >= k && query.near.peek().is_some_and(|(farthest, _)| distance >= *farthest) {
                    continue;
                }
                query.near.push((distance, self.weights[place]));
                size += u64::from(self.weights[place]);
                while let Some((_, weight)) = query.near.peek()
                    && size - u64::from(*weight) >= k
                {
                    size -= u64::from(*weight);
                    query.near.pop();
                }
            }
        }
        query.near.peek().map_or(0, |(farthest, _)| *farthest)
    }

    /// The wanted tuples that are nearer than `limit`, with their distances. If there are more than `most`,
    /// at least the `most` nearest of them.
    pub(super) fn nearer(
        &self,
        tuple: u32,
        mut limit: Cost,
        most: usize,
        wanted: impl Fn(u32) -> bool,
        query: &mut Query,
    ) -> Vec<(Cost, u32)> {
        self.begin(tuple, query);
        let mut found = Vec::new();
        while let Some(Reverse((least, node))) = query.nodes.pop() {
            if least >= limit {
                break;
            }
            for place in self.open(node, query) {
                let distance = self.distance(&query.own, place);
                if distance < limit && wanted(self.tuples[place]) {
                    found.push((distance, self.tuples[place]));
                }
            }
            if found.len() / 2 > most {
                found.select_nth_unstable(most);
                limit = found[most].0;
                found.truncate(most);
            }
        }
        found
    }
}
