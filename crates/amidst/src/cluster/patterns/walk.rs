//! The depth-first search for the patterns that enough records match.

use std::ops::Range;

use rayon::prelude::*;

use super::grid::{Grid, Ladder, Node};
use crate::error::Result;
use crate::progress::Progress;

/// The number of first columns after each of which the search is shared among the threads.
const SHARED_COLUMNS: usize = 2;

/// The result of a search.
pub(super) struct Found {
    pub(super) patterns: Vec<Pattern>,
    /// The items that match the patterns, one pattern after the other.
    pub(super) members: Vec<u32>,
    /// The least cost above the cap that was met.
    pub(super) next: f32,
    /// Whether the search did not run out of steps.
    pub(super) complete: bool,
}

/// A closed pattern.
pub(super) struct Pattern {
    /// What each record pays.
    pub(super) cost: f32,
    /// The range of its items in `members`.
    pub(super) members: Range<usize>,
}

/// Finds all closed patterns up to the cost `cap`, in at most `steps` steps.
pub(super) fn search(grid: &Grid, cap: f32, steps: usize, progress: Progress) -> Result<Found> {
    let mut found = Found { patterns: Vec::new(), members: Vec::new(), next: f32::INFINITY, complete: true };
    let mut branches = vec![Branch { items: (0..grid.items() as u32).collect(), chosen: Vec::new(), cost: 0.0 }];
    let shared = SHARED_COLUMNS.min(grid.columns.len());
    for until in (1..=shared).chain([usize::MAX]) {
        let all: usize = branches.iter().map(|branch| branch.items.len()).sum();
        // Branches differ in work, so a thread that is done takes some from another one.
        let most = branches.len().div_ceil(32 * rayon::current_num_threads());
        let walks: Vec<Walk> = branches
            .into_par_iter()
            .with_max_len(most)
            .map(|branch| {
                progress.advance(0)?;
                let share = (steps as f64 * branch.items.len() as f64 / all as f64) as usize;
                let steps = if until <= shared { steps / 4 } else { share + 1000 };
                let mut walk = Walk::new(grid, cap, steps, until);
                walk.chosen = branch.chosen;
                walk.column(walk.chosen.len(), &branch.items, branch.cost);
                Ok(walk)
            })
            .collect::<Result<_>>()?;
        branches = Vec::new();
        for walk in walks {
            branches.extend(walk.branches);
            found.extend(walk.found);
        }
    }
    Ok(found)
}

impl Found {
    fn extend(&mut self, other: Found) {
        let shift = self.members.len();
        let moved = |p: Pattern| Pattern { members: p.members.start + shift..p.members.end + shift, ..p };
        self.patterns.extend(other.patterns.into_iter().map(moved));
        self.members.extend(other.members);
        self.next = self.next.min(other.next);
        self.complete &= other.complete;
    }
}

/// A part of the search that another thread may continue.
struct Branch {
    items: Vec<u32>,
    chosen: Vec<u32>,
    cost: f32,
}

/// The state of the search in one branch.
struct Walk<'a> {
    grid: &'a Grid<'a>,
    cap: f32,
    /// The number of records that may still be looked at.
    steps: usize,
    /// The column before which branches are left to other threads.
    until: usize,
    /// The chosen nodes of the columns so far.
    chosen: Vec<u32>,
    found: Found,
    branches: Vec<Branch>,
    /// Lists to reuse.
    spare: Vec<Vec<u32>>,
    counts: Vec<u32>,
    /// The first and the last place of the list that was sorted last.
    ends: (u32, u32),
    keyed: Vec<u64>,
    /// Whether the remaining columns may cost nothing more.
    spent: bool,
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
            ends: (0, 0),
            keyed: Vec::new(),
            spent: false,
        }
    }

    /// Goes through the nodes of the column at this place of the order.
    fn column(&mut self, at: usize, items: &[u32], cost: f32) {
        if at == self.until {
            self.branches.push(Branch { items: items.to_vec(), chosen: self.chosen.clone(), cost });
            return;
        }
        let Some(column) = self.grid.columns.get(at) else {
            let start = self.found.members.len();
            self.found.members.extend_from_slice(items);
            let members = start..self.found.members.len();
            let cost = self.exact(&members);
            self.found.patterns.push(Pattern { cost, members });
            return;
        };
        if self.steps < items.len() {
            self.found.complete = false;
            return;
        }
        self.steps -= items.len();
        if column.flat {
            self.values(at, items, cost);
        } else {
            let sorted = self.sorted(items, column, 1);
            self.node(at, 0, &sorted, cost);
            self.spare.push(sorted);
        }
    }

    /// Chooses the lowest node above all items, which are sorted by place, and then every lower node.
    fn node(&mut self, at: usize, above: u32, items: &[u32], cost: f32) {
        let column = &self.grid.columns[at];
        let place = |item: &u32| column.places[*item as usize];
        let ends = (place(&items[0]), place(&items[items.len() - 1]));
        let node = column.tight(above, ends.0, ends.1);
        self.choose(at, node, items, ends, cost);
        let mut rest = if column.nodes[node as usize].children.is_empty() { &[] } else { items };
        while let Some(first) = rest.first().map(place) {
            let Some(child) = column.child(node, first) else {
                // Too few records are below the child of this place, so go on to the next child.
                let children = &column.nodes[node as usize].children;
                let next = children.iter().map(|c| column.nodes[*c as usize].from).find(|from| *from > first);
                let Some(next) = next else { break };
                rest = &rest[rest.partition_point(|item| place(item) < next)..];
                continue;
            };
            let to = column.nodes[child as usize].to;
            let (below, behind) = rest.split_at(rest.partition_point(|item| place(item) < to));
            rest = behind;
            if self.enough(below) && self.closed(at, below) {
                self.node(at, child, below, cost);
            }
        }
    }

    /// Like `node`, for a flat column, where the items may come in any order.
    fn values(&mut self, at: usize, items: &[u32], cost: f32) {
        let column = &self.grid.columns[at];
        let place = |item: &u32| column.places[*item as usize];
        if column.nodes[0].children.is_empty() {
            let ends = items.iter().map(place).fold((u32::MAX, 0), |(lo, hi), place| (lo.min(place), hi.max(place)));
            self.choose(at, 0, items, ends, cost);
            return;
        }
        let often = self.sorted(items, column, self.grid.least.div_ceil(self.grid.heaviest));
        let ends = self.ends;
        let root = column.tight(0, ends.0, ends.1);
        self.choose(at, root, items, ends, cost);
        for below in often.chunk_by(|a, b| place(a) == place(b)) {
            let place = place(&below[0]);
            if self.enough(below)
                && let Some(child) = column.child(root, place)
                && self.closed(at, below)
            {
                self.choose(at, child, below, (place, place), cost);
            }
        }
        self.spare.push(often);
    }

    /// The items sorted by place. Places with fewer than `fewest` items may be left out. Stores the first
    /// and the last place in `ends`.
    fn sorted(&mut self, items: &[u32], column: &Ladder, fewest: u32) -> Vec<u32> {
        let place = |item: &u32| column.places[*item as usize] as usize;
        let mut sorted = self.spare.pop().unwrap_or_default();
        sorted.clear();
        if items.len() < 8 + column.places() / 4 {
            // Pairs packed into 64 bits sort fastest.
            self.keyed.clear();
            self.keyed.extend(items.iter().map(|item| (place(item) as u64) << 32 | u64::from(*item)));
            self.keyed.sort_unstable();
            sorted.extend(self.keyed.iter().map(|key| *key as u32));
            let end = |key: Option<&u64>| key.map_or(0, |key| (*key >> 32) as u32);
            self.ends = (end(self.keyed.first()), end(self.keyed.last()));
            return sorted;
        }
        self.counts.clear();
        self.counts.resize(column.places(), 0);
        items.iter().for_each(|item| self.counts[place(item)] += 1);
        // The position of the next item of each place, or `u32::MAX` if the place has too few items.
        let mut all = 0;
        self.ends = (u32::MAX, 0);
        for (place, count) in (0..).zip(&mut self.counts) {
            if *count > 0 {
                self.ends = (self.ends.0.min(place), place);
            }
            let start = if *count < fewest { u32::MAX } else { all };
            all += if *count < fewest { 0 } else { *count };
            *count = start;
        }
        sorted.resize(all as usize, 0);
        for item in items {
            let next = &mut self.counts[place(item)];
            if *next < u32::MAX {
                sorted[*next as usize] = *item;
                *next += 1;
            }
        }
        sorted
    }

    /// Goes on to the next column with these items, unless their node costs too much.
    fn choose(&mut self, at: usize, node: u32, items: &[u32], ends: (u32, u32), cost: f32) {
        let column = &self.grid.columns[at];
        let with = cost + self.grid.cost(column, items.iter().map(|item| column.places[*item as usize]), ends);
        if with > self.cap {
            self.found.next = self.found.next.min(with);
            return;
        }
        let least = with + self.grid.marks[at + 1].1;
        self.chosen.push(node);
        if least > self.cap && least < f32::INFINITY && !self.spent {
            // Nothing more may be paid, although there are columns that could cost something.
            self.found.next = self.found.next.min(least);
            let alike = self.alike(at + 1, items);
            if self.enough(&alike) {
                self.spent = true;
                self.column(at + 1, &alike, with);
                self.spent = false;
            }
            self.spare.push(alike);
        } else {
            self.column(at + 1, items, with);
        }
        self.chosen.pop();
    }

    /// The items that agree with enough others from a column on, and possibly some more.
    fn alike(&mut self, at: usize, items: &[u32]) -> Vec<u32> {
        let marks = &self.grid.marks[at].0;
        let shift = (items.len() as u32 | 8).leading_zeros();
        let group = |item: &u32| (marks[*item as usize] >> shift) as usize;
        self.counts.clear();
        self.counts.resize(1 << (u32::BITS - shift), 0);
        items.iter().for_each(|item| self.counts[group(item)] += 1);
        let fewest = self.grid.least.div_ceil(self.grid.heaviest);
        let mut alike = self.spare.pop().unwrap_or_default();
        alike.clear();
        alike.extend(items.iter().filter(|item| self.counts[group(item)] >= fewest));
        alike
    }

    /// Whether the items stand for as many records as a pattern needs.
    fn enough(&self, items: &[u32]) -> bool {
        let Grid { least, heaviest, weights, .. } = self.grid;
        let count = items.len() as u64;
        count >= u64::from(*least)
            || count * u64::from(*heaviest) >= u64::from(*least)
                && items.iter().map(|item| weights[*item as usize]).sum::<u32>() >= *least
    }

    /// Whether no lower node of an earlier column has all of the items.
    fn closed(&self, at: usize, items: &[u32]) -> bool {
        self.chosen.iter().zip(&self.grid.columns[..at]).all(|(node, column)| {
            if column.nodes[*node as usize].children.is_empty() {
                return true;
            }
            // Usually the second item already lies elsewhere.
            let place = |item: &u32| column.places[*item as usize];
            let first = place(&items[0]);
            if column.flat {
                return items.iter().any(|item| place(item) != first) || column.child(*node, first).is_none();
            }
            column.child(*node, first).is_none_or(|child| {
                let Node { from, to, .. } = column.nodes[child as usize];
                items.iter().any(|item| !(from..to).contains(&place(item)))
            })
        })
    }

    /// What each of the members pays, by what they span.
    fn exact(&self, members: &Range<usize>) -> f32 {
        let items = &self.found.members[members.clone()];
        let cost = |column: &Ladder| {
            let places = items.iter().map(|item| column.places[*item as usize]);
            let ends = places.clone().fold((u32::MAX, 0), |(lo, hi), place| (lo.min(place), hi.max(place)));
            self.grid.cost(column, places, ends)
        };
        self.grid.columns.iter().map(cost).sum()
    }
}
