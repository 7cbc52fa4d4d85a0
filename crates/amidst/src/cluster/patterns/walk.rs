//! The depth-first search for the patterns that enough records match.

use std::ops::Range;

use rayon::prelude::*;

use super::grid::{Grid, Ladder, Node};
use crate::error::Result;
use crate::progress::Progress;

/// The search is shared out among the threads after each of so many columns.
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
    let mut found = Found { patterns: Vec::new(), members: Vec::new(), next: f32::INFINITY, complete: true };
    let mut branches = vec![Branch { items: (0..grid.items() as u32).collect(), chosen: Vec::new(), cost: 0.0 }];
    let shared = SHARED.min(grid.columns.len());
    for until in (1..=shared).chain([usize::MAX]) {
        let all: usize = branches.iter().map(|branch| branch.items.len()).sum();
        // Branches differ in work: a thread that is done takes some of another's.
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
    spare: Vec<Vec<u32>>,
    counts: Vec<u32>,
    /// Of the list that was sorted last.
    ends: (u32, u32),
    keyed: Vec<u64>,
    /// True when the columns that are left may cost nothing more.
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

    /// Chooses a node that all items are below, which are sorted by place, and then every lower one.
    fn node(&mut self, at: usize, above: u32, items: &[u32], cost: f32) {
        let column = &self.grid.columns[at];
        let place = |item: &u32| column.places[*item as usize];
        let ends = (place(&items[0]), place(&items[items.len() - 1]));
        let node = column.tight(above, ends.0, ends.1);
        self.choose(at, node, items, ends, cost);
        let mut rest = if column.nodes[node as usize].children.is_empty() { &[] } else { items };
        while let Some(first) = rest.first().map(place) {
            let Some(child) = column.child(node, first) else {
                // Too few records are below the child of this place: on to the next.
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

    /// The same for a flat column, where the items may come in any order.
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

    /// The items by rising place; those of places with fewer items than asked for may be left out. Notes the first and the last place.
    fn sorted(&mut self, items: &[u32], column: &Ladder, fewest: u32) -> Vec<u32> {
        let place = |item: &u32| column.places[*item as usize] as usize;
        let mut sorted = self.spare.pop().unwrap_or_default();
        sorted.clear();
        if items.len() < 8 + column.places() / 4 {
            // A pair in 64 bits sorts fastest.
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
        // Where the next item of each place goes; nowhere if there are too few.
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
            // Nothing may be paid any more, though there are columns where it could.
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

    /// The items that have the same values as enough others from a column on, and perhaps some more.
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

    /// True when the items stand for as many records as a pattern needs.
    fn enough(&self, items: &[u32]) -> bool {
        let Grid { least, heaviest, weights, .. } = self.grid;
        let count = items.len() as u64;
        count >= u64::from(*least)
            || count * u64::from(*heaviest) >= u64::from(*least)
                && items.iter().map(|item| weights[*item as usize]).sum::<u32>() >= *least
    }

    /// True when no lower node of an earlier column has all of the items.
    fn closed(&self, at: usize, items: &[u32]) -> bool {
        self.chosen.iter().zip(&self.grid.columns[..at]).all(|(node, column)| {
            if column.nodes[*node as usize].children.is_empty() {
                return true;
            }
            // Most often the second item already is elsewhere.
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
