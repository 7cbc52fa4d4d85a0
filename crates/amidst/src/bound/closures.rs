//! The possible closures of a column, and lower bounds on their costs.
//!
//! A [`Family`] is a column as the bounds see it. Its values are put into *cells*, and its closures are
//! nodes of a tree over the cells, ranges of cells, or sets of cells. A family is exact (one value in each
//! cell) or relaxed (several values in a cell). Every closure of the column lies in a node of the family
//! that costs no more: the node that the cells of its values span. That is all that the proofs need.
//!
//! Costs are whole numbers, rounded down, so that every sum of them is exact.

use crate::cost::{Measure, Payer, Payers};
use crate::encode::{Code, Domain, Encoded, Span};

use rustc_hash::FxHashMap;

/// The loss of a record, in whole units.
pub(super) type Cost = i64;

/// The units that everything suppressed costs. With this scale, sums over 2³² records stay below 2⁶³.
pub(super) const UNITS: f64 = 1_073_741_824.0;

/// A closure of a column: the number of a tree's node, the bounds of a range, or the mask of a set.
pub(super) type Node = u64;

/// The closures of a column over its cells.
pub(super) enum Family {
    Tree(Tree),
    Ranges(Ranges),
    Sets(Sets),
}

/// Nodes of a tree, for suppressed columns and taxonomies.
pub(super) struct Tree {
    /// The cost of each node.
    pub(super) costs: Vec<Cost>,
    /// For each depth, the node above each cell, beginning with the root. Below its leaf, a cell repeats
    /// the leaf.
    pub(super) path: Vec<Vec<u32>>,
}

/// Ranges of cells, for numbers, dates and ordered categories.
pub(super) struct Ranges {
    pub(super) cells: usize,
    /// The cost of the range from one cell to another, row by row.
    costs: Vec<Cost>,
    /// Whether cell 0 holds missing values, which no range includes except the range of everything.
    pub(super) missing: bool,
}

/// Sets of cells.
pub(super) struct Sets {
    cells: usize,
    /// The costs of sets by their mask, if the measure tells values apart.
    costs: FxHashMap<u64, Cost>,
    /// The cost of the cheapest set of one, two … cells. The last one also holds for larger sets.
    by_size: Vec<Cost>,
}

impl Ranges {
    pub(super) fn cost(&self, lo: u32, hi: u32) -> Cost {
        self.costs[lo as usize * self.cells + hi as usize]
    }
}

impl Sets {
    pub(super) fn cost(&self, mask: u64) -> Cost {
        self.costs.get(&mask).copied().unwrap_or_else(|| self.least(mask.count_ones() as usize))
    }

    /// The least cost of a set of `size` cells.
    pub(super) fn least(&self, size: usize) -> Cost {
        self.by_size.get(size.max(1) - 1).or(self.by_size.last()).copied().unwrap_or(0)
    }
}

/// The largest number of cells of a range column.
const MAX_RANGE_CELLS: usize = 128;

/// The largest number of cells of a set whose cost is tabulated, if the measure tells values apart.
const MAX_TABLED_SET_SIZE: u32 = 5;

/// The largest number of cells of a set column, if the measure tells values apart. The rarest values share one.
const MAX_SET_CELLS: usize = 16;

/// Whether the closures of a column are the nodes of a tree.
pub(super) fn is_tree(domain: &Domain) -> bool {
    !domain.is_set() && domain.extent(domain.everything()).is_none()
}

/// Converts costs to whole units.
pub(super) struct Units<'a> {
    measure: &'a dyn Measure,
    scale: f64,
}

impl<'a> Units<'a> {
    /// `None` for measures that are no sum over the columns, or that can fall when closures grow.
    pub(super) fn new(measure: &'a dyn Measure, encoded: &Encoded) -> Option<Self> {
        if !measure.monotone() || measure.payers() != Payers::Alike {
            return None;
        }
        let domains = encoded.domains().iter().enumerate();
        let most: f64 = domains.map(|(column, d)| measure.part(column, d.everything(), Payer::default())).sum();
        let scale = if most > 0.0 { UNITS / most } else { 1.0 };
        (scale.is_finite()).then_some(Units { measure, scale })
    }

    /// The cost of a closure, rounded down by more than the rounding of floating point.
    pub(super) fn part(&self, column: usize, span: Span) -> Cost {
        let part = self.measure.part(column, span, Payer::default()) * self.scale;
        (part - 1e-3).floor().max(0.0) as Cost
    }

    /// Whether every closure has its own node.
    pub(super) fn is_exact(&self, domain: &Domain) -> bool {
        let most = match domain.is_set() {
            true if self.measure.counts_values() => usize::MAX,
            true => MAX_TABLED_SET_SIZE as usize + 1,
            false => MAX_RANGE_CELLS,
        };
        is_tree(domain) || domain.len() <= most
    }

    /// Converts units to a loss.
    pub(super) fn loss(&self, units: i64) -> f64 {
        units as f64 / self.scale
    }
}

impl Family {
    /// The family of a column, and the cell of each distinct tuple.
    pub(super) fn new(units: &Units, encoded: &Encoded, column: usize) -> (Self, Vec<u32>) {
        let domain = &encoded.domains()[column];
        let codes: Vec<Code> = (0..encoded.tuples() as u32).map(|t| encoded.tuple(t)[column]).collect();
        let mut weights = vec![0_u64; domain.len()];
        for (tuple, code) in codes.iter().enumerate() {
            weights[*code as usize] += encoded.rows_of(tuple as u32).len() as u64;
        }
        let present: Vec<Code> = (0..domain.len() as Code).filter(|c| weights[*c as usize] > 0).collect();
        let values = Values { units, domain, column, present, weights };
        let (cell_of, family) = if domain.is_set() {
            values.sets()
        } else if is_tree(domain) {
            values.tree()
        } else {
            values.ranges()
        };
        (family, codes.iter().map(|code| cell_of[*code as usize]).collect())
    }

    /// The cost of the cheapest closure of more than one cell.
    pub(super) fn first_step(&self) -> Cost {
        let least = match self {
            Family::Tree(tree) => {
                let mut inner = vec![true; tree.costs.len()];
                tree.path.last().into_iter().flatten().for_each(|leaf| inner[*leaf as usize] = false);
                tree.costs.iter().zip(inner).filter_map(|(cost, inner)| inner.then_some(*cost)).min()
            }
            Family::Ranges(ranges) => (1..ranges.cells as u32).map(|hi| ranges.cost(hi - 1, hi)).min(),
            Family::Sets(sets) => (sets.cells > 1).then(|| sets.least(2)),
        };
        least.unwrap_or(0)
    }

    /// The number of cells.
    pub(super) fn cells(&self) -> usize {
        match self {
            Family::Tree(tree) => tree.path.last().map_or(0, Vec::len),
            Family::Ranges(ranges) => ranges.cells,
            Family::Sets(sets) => sets.cells,
        }
    }
}

/// The values of a column that occur, and the number of records with each code.
struct Values<'a> {
    units: &'a Units<'a>,
    domain: &'a Domain,
    column: usize,
    present: Vec<Code>,
    weights: Vec<u64>,
}

impl Values<'_> {
    fn cost(&self, span: Span) -> Cost {
        self.units.part(self.column, span)
    }

    /// A tree with one cell for each value that occurs. [`Domain::close`] determines the nodes.
    fn tree(&self) -> (Vec<u32>, Family) {
        let Values { domain, present, .. } = self;
        let last = domain.len() as Code - 1;
        let above = |span: Span| {
            let right = (span.hi() < last).then(|| domain.close(Span::range(span.lo(), span.hi() + 1)));
            let left = (span.lo() > 0).then(|| domain.close(Span::range(span.lo() - 1, span.hi())));
            right.into_iter().chain(left).min_by_key(|s| domain.count(*s))
        };
        let mut cell_of = vec![0; domain.len()];
        let mut numbers: FxHashMap<Span, u32> = FxHashMap::default();
        let mut costs = Vec::new();
        let mut ways: Vec<Vec<u32>> = Vec::with_capacity(present.len());
        for (cell, code) in present.iter().enumerate() {
            cell_of[*code as usize] = cell as u32;
            let mut way: Vec<u32> = std::iter::successors(Some(domain.span(*code)), |span| above(*span))
                .map(|span| {
                    *numbers.entry(span).or_insert_with(|| {
                        costs.push(self.cost(span));
                        costs.len() as u32 - 1
                    })
                })
                .collect();
            way.reverse();
            ways.push(way);
        }
        let depth = ways.iter().map(Vec::len).max().unwrap_or(0);
        let node = |way: &Vec<u32>, at: usize| way[at.min(way.len() - 1)];
        let path = (0..depth).map(|at| ways.iter().map(|way| node(way, at)).collect()).collect();
        (cell_of, Family::Tree(Tree { costs, path }))
    }

    /// Ranges over runs of neighbouring values. The range from one cell to another costs what lies strictly
    /// between them, with one value at either end.
    fn ranges(&self) -> (Vec<u32>, Family) {
        let Values { domain, present, weights, .. } = self;
        let missing = domain.has_missing() && weights[0] > 0;
        let whole: u64 = weights.iter().sum();
        let mut runs: Vec<(Code, Code)> = Vec::new();
        if present.len() <= MAX_RANGE_CELLS {
            runs.extend(present.iter().map(|code| (*code, *code)));
        } else {
            let mut seen = 0;
            let mut run = usize::MAX;
            for code in present {
                let next = (seen * MAX_RANGE_CELLS as u64 / whole.max(1)) as usize;
                seen += weights[*code as usize];
                match runs.last_mut() {
                    Some(last) if next == run && !(missing && last.0 == 0) => last.1 = *code,
                    _ => runs.push((*code, *code)),
                }
                run = next;
            }
        }
        let mut cell_of = vec![0; domain.len()];
        for (cell, (lo, hi)) in runs.iter().enumerate() {
            (*lo..=*hi).for_each(|code| cell_of[code as usize] = cell as u32);
        }
        let cells = runs.len();
        let mut costs = vec![0; cells * cells];
        for (i, (lo, hi)) in runs.iter().enumerate() {
            let least = (*lo..=*hi).filter(|c| weights[*c as usize] > 0).map(|c| self.cost(domain.span(c))).min();
            costs[i * cells + i] = least.unwrap_or(0);
            for (j, (first, _)) in runs.iter().enumerate().skip(i + 1) {
                costs[i * cells + j] = self.cost(Span::range(*hi, *first));
            }
        }
        (cell_of, Family::Ranges(Ranges { cells, costs, missing }))
    }

    fn sets(&self) -> (Vec<u32>, Family) {
        if self.units.measure.counts_values() { self.counted_sets() } else { self.told_sets() }
    }

    /// Sets with one cell for each value, if sets of equally many values cost the same.
    fn counted_sets(&self) -> (Vec<u32>, Family) {
        let mut cell_of = vec![0; self.domain.len()];
        let mut by_size = Vec::with_capacity(self.present.len());
        let mut mask = 0;
        for (cell, code) in self.present.iter().enumerate() {
            cell_of[*code as usize] = cell as u32;
            mask |= 1 << code;
            by_size.push(self.cost(Span::mask(mask)));
        }
        (cell_of, Family::Sets(Sets { cells: self.present.len(), costs: FxHashMap::default(), by_size }))
    }

    /// Sets in which the rarest values share the last cell. A set of several cells costs as much as the
    /// cheapest set with one value from each.
    fn told_sets(&self) -> (Vec<u32>, Family) {
        let Values { domain, present, weights, .. } = self;
        let mut order = present.clone();
        order.sort_by_key(|code| (std::cmp::Reverse(weights[*code as usize]), *code));
        let cells = order.len().min(MAX_SET_CELLS);
        let mut cell_of = vec![0; domain.len()];
        let mut members: Vec<Vec<Code>> = vec![Vec::new(); cells];
        for (place, code) in order.iter().enumerate() {
            let cell = place.min(cells - 1);
            cell_of[*code as usize] = cell as u32;
            members[cell].push(*code);
        }
        // Every set of a few cells is extended by cells with higher numbers. `larger` is the least cost of
        // the sets with one cell too many.
        let mut costs = FxHashMap::default();
        let mut larger = Cost::MAX;
        let mut grown: Vec<(u64, usize, Vec<u64>)> = vec![(0, 0, vec![0])];
        while let Some((mask, from, choices)) = grown.pop() {
            for (cell, codes) in members.iter().enumerate().skip(from) {
                let with = mask | 1 << cell;
                let choices: Vec<u64> =
                    choices.iter().flat_map(|bits| codes.iter().map(move |c| bits | 1 << c)).collect();
                let cost = choices.iter().map(|bits| self.cost(Span::mask(*bits))).min().unwrap_or(0);
                if with.count_ones() > MAX_TABLED_SET_SIZE {
                    larger = larger.min(cost);
                } else {
                    costs.insert(with, cost);
                    grown.push((with, cell + 1, choices));
                }
            }
        }
        let mut by_size = vec![larger; cells.min(MAX_TABLED_SET_SIZE as usize + 1)];
        for (mask, cost) in &costs {
            let least: &mut Cost = &mut by_size[mask.count_ones() as usize - 1];
            *least = (*least).min(*cost);
        }
        (cell_of, Family::Sets(Sets { cells, costs, by_size }))
    }
}
