//! The depth-first search for the patterns that enough records match.

use std::ops::Range;

use rayon::prelude::*;

use super::grid::{Column, Grid, Node};
use crate::error::Result;
use crate::progress::Progress;

/// The search is shared out among the threads after so many columns.
const SHARED: usize = 2;

/// What a search found.
pub(super) struct Found {
    pub(super) patterns: Vec<Pattern>,
    /// The items that match the patterns, one pattern after the other.
    pub(super) members: Vec<u32>,
    /// The least cost above the cap that was met.
    pub(super) next: f32,
    /// False when the search ran out of steps.
    pub(super) complete: bool,
}

/// A closed pattern.
pub(super) struct Pattern {
    /// What each record pays.
    pub(super) cost: f32,
    /// Where its items are.
    pub(super) members: Range<usize>,
}

/// All closed patterns up to this cost, in at most so many steps.
pub(super) fn search(grid: &Grid, cap: f32, steps: usize, progress: Progress) -> Result<Found> {
    let mut first = Walk::new(grid, cap, steps / 4, SHARED.min(grid.columns.len()));
    first.column(0, 0..grid.items() as u32, 0.0);
    progress.advance(0)?;
    let branches = std::mem::take(&mut first.branches);
    let all: usize = branches.iter().map(|branch| branch.items.len()).sum();
    let walks: Vec<Walk> = branches
        .into_par_iter()
        .map(|branch| {
            progress.advance(0)?;
            let share = (steps as f64 * branch.items.len() as f64 / all as f64) as usize;
            let mut walk = Walk::new(grid, cap, share + 1000, usize::MAX);
            walk.chosen = branch.chosen;
            walk.column(walk.chosen.len(), branch.items.into_iter(), branch.cost);
            Ok(walk)
        })
        .collect::<Result<_>>()?;
    let mut found = first.found;
    for walk in walks {
        let shift = found.members.len();
        let moved = |p: Pattern| Pattern { members: p.members.start + shift..p.members.end + shift, ..p };
        found.patterns.extend(walk.found.patterns.into_iter().map(moved));
        found.members.extend(walk.found.members);
        found.next = found.next.min(walk.found.next);
        found.complete &= walk.found.complete;
    }
    Ok(found)
}

/// A search that goes on elsewhere.
struct Branch {
    items: Vec<u32>,
    chosen: Vec<u32>,
    cost: f32,
}

struct Walk<'a> {
    grid: &'a Grid<'a>,
    cap: f32,
    /// How many records may still be looked at.
    steps: usize,
    /// The column before which branches are left to others.
    until: usize,
    /// The nodes of the columns gone through.
    chosen: Vec<u32>,
    found: Found,
    branches: Vec<Branch>,
    /// Lists that are in use no more.
    spare: Vec<Vec<Item>>,
    counts: Vec<u32>,
}

/// An item behind its place in the column that is looked at, in 64 bits, which sort faster than a pair.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Item(u64);

impl Item {
    fn new(place: u32, item: u32) -> Self {
        Item(u64::from(place) << 32 | u64::from(item))
    }

    fn place(self) -> u32 {
        (self.0 >> 32) as u32
    }

    fn number(self) -> usize {
        self.0 as u32 as usize
    }
}

impl<'a> Walk<'a> {
    fn new(grid: &'a Grid, cap: f32, steps: usize, until: usize) -> Self {
        let found = Found { patterns: Vec::new(), members: Vec::new(), next: f32::INFINITY, complete: true };
        Walk {
            grid,
            cap,
            steps,
            until,
            chosen: Vec::new(),
            found,
            branches: Vec::new(),
            spare: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// Goes through the nodes of the column at this place of the order.
    fn column(&mut self, at: usize, items: impl Iterator<Item = u32>, cost: f32) {
        if at == self.until {
            self.branches.push(Branch { items: items.collect(), chosen: self.chosen.clone(), cost });
            return;
        }
        let grid = self.grid;
        let Some(column) = grid.columns.get(at) else {
            let start = self.found.members.len();
            self.found.members.extend(items);
            let members = start..self.found.members.len();
            let cost = self.exact(&members);
            self.found.patterns.push(Pattern { cost, members });
            return;
        };
        let mut list = self.spare.pop().unwrap_or_default();
        list.clear();
        list.extend(items.map(|item| Item::new(column.places[item as usize], item)));
        if self.steps < list.len() {
            self.found.complete = false;
        } else {
            self.steps -= list.len();
            self.sort(&mut list, column);
            self.node(at, 0, &list, cost);
        }
        self.spare.push(list);
    }

    /// Sorts by place, and equal places by item, which is how they come; by counting where the list is long enough for that.
    fn sort(&mut self, list: &mut Vec<Item>, column: &Column) {
        let places = column.nodes[0].to as usize;
        if column.nodes[0].children.is_empty() {
            // Nothing is looked up below the root: the ends are enough.
            let Some(end) = list.len().checked_sub(1) else { return };
            let lowest = (0..=end).min_by_key(|at| list[*at].place()).unwrap_or(0);
            list.swap(0, lowest);
            let highest = (0..=end).max_by_key(|at| list[*at].place()).unwrap_or(end);
            list.swap(end, highest);
        } else if list.len() < 64 || list.len() < places {
            list.sort_unstable();
        } else {
            self.counts.clear();
            self.counts.resize(places + 1, 0);
            list.iter().for_each(|item| self.counts[item.place() as usize + 1] += 1);
            (0..places).for_each(|place| self.counts[place + 1] += self.counts[place]);
            let mut sorted = self.spare.pop().unwrap_or_default();
            sorted.clear();
            sorted.resize(list.len(), Item::default());
            for item in list.iter() {
                let next = &mut self.counts[item.place() as usize];
                sorted[*next as usize] = *item;
                *next += 1;
            }
            self.spare.push(std::mem::replace(list, sorted));
        }
    }

    /// Chooses a node that all items are below, and then every lower one.
    fn node(&mut self, at: usize, above: u32, items: &[Item], cost: f32) {
        let grid = self.grid;
        let column = &grid.columns[at];
        let (first, last) = (items[0].place(), items[items.len() - 1].place());
        let node = column.tight(above, first, last);
        let with = cost + grid.cost(column, items.iter().map(|item| item.place()), (first, last));
        if with <= self.cap {
            self.chosen.push(node);
            self.column(at + 1, items.iter().map(|item| item.number() as u32), with);
            self.chosen.pop();
        } else {
            self.found.next = self.found.next.min(with);
        }
        let mut rest = if column.nodes[node as usize].children.is_empty() { &[] } else { items };
        while let Some(place) = rest.first().map(|item| item.place()) {
            let Some(child) = column.child(node, place) else {
                // Too few records are below the child of this place: on to the next.
                let children = &column.nodes[node as usize].children;
                let next = children.iter().map(|c| column.nodes[*c as usize].from).find(|from| *from > place);
                let Some(next) = next else { break };
                rest = &rest[rest.partition_point(|item| item.place() < next)..];
                continue;
            };
            let to = column.nodes[child as usize].to;
            let (below, behind) = rest.split_at(rest.partition_point(|item| item.place() < to));
            rest = behind;
            let weight: u32 = below.iter().map(|item| grid.weights[item.number()]).sum();
            if weight >= grid.least && self.closed(at, below) {
                self.node(at, child, below, cost);
            }
        }
    }

    /// True when no lower node of an earlier column has all of the items.
    fn closed(&self, at: usize, items: &[Item]) -> bool {
        self.chosen.iter().zip(&self.grid.columns[..at]).all(|(node, column)| {
            if column.nodes[*node as usize].children.is_empty() {
                return true;
            }
            // Most often the second item already is elsewhere.
            let place = |item: &Item| column.places[item.number()];
            column.child(*node, place(&items[0])).is_none_or(|child| {
                let Node { from, to, .. } = column.nodes[child as usize];
                items.iter().any(|item| !(from..to).contains(&place(item)))
            })
        })
    }

    /// What each of the members pays, by what they span.
    fn exact(&self, members: &Range<usize>) -> f32 {
        let items = &self.found.members[members.clone()];
        let cost = |column: &Column| {
            let places = items.iter().map(|item| column.places[*item as usize]);
            let ends = places.clone().fold((u32::MAX, 0), |(lo, hi), place| (lo.min(place), hi.max(place)));
            self.grid.cost(column, places, ends)
        };
        self.grid.columns.iter().map(cost).sum()
    }
}
