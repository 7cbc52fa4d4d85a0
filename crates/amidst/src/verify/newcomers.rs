//! The class of a release for a new record: the narrowest that covers it, or else the nearest.
//!
//! # Idea
//! A class is near to a record if its cells need not grow much to cover the record, too. Where nothing needs to grow, the class covers
//! it. [`Growth`] says how much a column would lose more. So one search answers both questions. Everything is computed from the release
//! and the plan. The answer depends on the release and on the quasi-identifiers of the record, and on nothing else of the original or of
//! the other records.
//!
//! # Complexity
//! Equal records are looked up once. The classes are a tree with a level for each column, the column with the most different cells first.
//! A branch is left as soon as its columns alone cost more than the best class that was found. At most, a record costs a look at every
//! cell of every class.

use std::ops::Range;

use rayon::prelude::*;

use super::growth::Growth;
use super::{Classes, Published};
use crate::error::Result;
use crate::plan::{Plan, Role};
use crate::progress::Progress;
use crate::read::Table;

/// A class for a new record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Newcomer {
    /// The class of the release.
    pub class: u32,
    /// Whether the class covers the record.
    pub covered: bool,
}

/// The class of a release for each row of `rows`. Of several classes that cover a row, it is the one that loses least.
pub fn newcomers(rows: &Table, plan: &Plan, release: &Published, progress: Progress) -> Result<Vec<Newcomer>> {
    let quasi = || plan.columns_with(Role::Quasi);
    let growths = quasi().map(|name| Growth::new(rows, &release.table, plan, name)).collect::<Result<Vec<_>>>()?;
    let alike = Classes::new(rows, quasi())?;
    progress.begin("looking for classes", alike.first.len() as u64)?;
    let classes = Tree::new(growths, &release.classes);
    let find = |row: &usize| {
        progress.advance(1)?;
        Ok(classes.nearest(*row))
    };
    let found = alike.first.par_iter().map(find).collect::<Result<Vec<_>>>()?;
    Ok(alike.of_row.iter().map(|alike| found[*alike as usize]).collect())
}

/// All classes of a release by their cells, column by column.
struct Tree {
    /// The columns, in the order of the levels.
    columns: Vec<Growth>,
    /// The branches of each level. Those below the same branch stand together.
    levels: Vec<Vec<Branch>>,
}

/// The classes that have the same cells so far.
struct Branch {
    /// The cell that they share in the column of this level.
    cell: usize,
    /// The branches of the next level; below the last level, the class.
    below: Range<usize>,
    /// The least that one of them loses in the columns from this level on.
    loss: f64,
}

/// The best class so far.
#[derive(Clone, Copy)]
struct Best {
    growth: f64,
    loss: f64,
    class: usize,
}

impl Tree {
    fn new(mut columns: Vec<Growth>, classes: &Classes) -> Self {
        columns.sort_by_key(|column| std::cmp::Reverse(column.cells()));
        let cells_of = |first: &usize| columns.iter().map(|column| column.cell(*first)).collect::<Vec<_>>();
        let mut sorted: Vec<(Vec<usize>, usize)> = classes.first.iter().map(cells_of).zip(0..).collect();
        sorted.sort_unstable();
        let mut levels: Vec<Vec<Branch>> = columns.iter().map(|_| Vec::new()).collect();
        branch(&columns, &mut levels, &sorted, 0);
        Tree { columns, levels }
    }

    /// The nearest class for a row. Of those that are equally near it is the one that loses least, and then the first of the release.
    fn nearest(&self, row: usize) -> Newcomer {
        let mut best = Best { growth: f64::INFINITY, loss: f64::INFINITY, class: 0 };
        let roots = 0..self.levels.first().map_or(0, Vec::len);
        self.search(&Way { depth: 0, growth: 0.0, loss: 0.0 }, roots, row, &mut best);
        Newcomer { class: best.class as u32, covered: best.growth <= 0.0 }
    }

    fn search(&self, way: &Way, branches: Range<usize>, row: usize, best: &mut Best) {
        let column = &self.columns[way.depth];
        let branches = &self.levels[way.depth][branches];
        let growths = |branch: &Branch| way.growth + column.growth(branch.cell, row);
        if best.growth.is_infinite() {
            // A good class to begin with, so that most of the others are left early.
            if let Some(first) = branches.iter().min_by(|a, b| growths(a).total_cmp(&growths(b))) {
                self.follow(way, first, growths(first), row, best);
            }
        }
        for branch in branches {
            let growth = growths(branch);
            if growth < best.growth || growth <= best.growth && way.loss + branch.loss <= best.loss {
                self.follow(way, branch, growth, row, best);
            }
        }
    }

    fn follow(&self, way: &Way, branch: &Branch, growth: f64, row: usize, best: &mut Best) {
        if way.depth + 1 < self.levels.len() {
            let loss = way.loss + self.columns[way.depth].loss(branch.cell);
            self.search(&Way { depth: way.depth + 1, growth, loss }, branch.below.clone(), row, best);
            return;
        }
        let (loss, class) = (way.loss + branch.loss, branch.below.start);
        let order = growth.total_cmp(&best.growth).then(loss.total_cmp(&best.loss)).then(class.cmp(&best.class));
        if order.is_lt() {
            *best = Best { growth, loss, class };
        }
    }
}

/// The columns that were looked at on the way to a branch.
struct Way {
    depth: usize,
    /// What their cells would lose more.
    growth: f64,
    /// What their cells lose.
    loss: f64,
}

/// Adds the branches of these classes, which have the same cells above this level. Returns where they are, and the least loss of a class
/// in the columns from this level on.
fn branch(
    columns: &[Growth],
    levels: &mut [Vec<Branch>],
    classes: &[(Vec<usize>, usize)],
    depth: usize,
) -> (Range<usize>, f64) {
    let (start, mut least) = (levels[depth].len(), f64::INFINITY);
    for group in classes.chunk_by(|a, b| a.0[depth] == b.0[depth]) {
        let (cell, class) = (group[0].0[depth], group[0].1);
        let (below, rest) =
            if depth + 1 < levels.len() { branch(columns, levels, group, depth + 1) } else { (class..class + 1, 0.0) };
        let loss = columns[depth].loss(cell) + rest;
        least = least.min(loss);
        levels[depth].push(Branch { cell, below, loss });
    }
    (start..levels[depth].len(), least)
}
