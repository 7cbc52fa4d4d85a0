//! All combinations of levels.

use crate::cost::{Costs, Payers};
use crate::encode::{Code, Domain, Span};
use crate::problem::Problem;

/// A combination of levels: for each [column](Lattice::columns), the place of its level in the list.
pub(super) type Node = Vec<u8>;

/// The levels of the columns that have several.
pub(super) struct Lattice {
    pub columns: Vec<Column>,
    /// What the columns that have a single level cost all records.
    fixed: f64,
}

/// A column and its levels, from its values to everything.
pub(super) struct Column {
    /// The number of the column.
    pub place: usize,
    pub levels: Vec<Level>,
}

/// A level of a column.
pub(super) struct Level {
    /// The number of the level in the column's domain.
    pub number: u32,
    /// For each code, the smallest code below its node. It stands for the node.
    pub nodes: Vec<Code>,
    /// The closure of each code.
    pub spans: Vec<Span>,
    /// What all records together pay for the column at this level, if costs are sums over columns and records.
    pub cost: f64,
}

impl Lattice {
    /// The lattice of a problem. Columns with many different values come first.
    pub fn new(problem: &Problem, costs: &Costs) -> Self {
        let domains = problem.encoded.domains();
        let mut columns: Vec<(usize, Column)> = Vec::new();
        let mut fixed = 0.0;
        for (place, domain) in domains.iter().enumerate() {
            let mut seen = vec![false; domain.len()];
            (0..problem.encoded.tuples() as u32).for_each(|t| seen[problem.encoded.tuple(t)[place] as usize] = true);
            let levels = levels(problem, costs, place, domain);
            if levels.len() > 1 {
                columns.push((seen.iter().filter(|seen| **seen).count(), Column { place, levels }));
            } else {
                fixed += levels.iter().map(|level| level.cost).sum::<f64>();
            }
        }
        columns.sort_by_key(|(values, _)| std::cmp::Reverse(*values));
        Lattice { columns: columns.into_iter().map(|(_, column)| column).collect(), fixed }
    }

    /// The number of nodes; `None` if it is astronomical.
    pub fn nodes(&self) -> Option<usize> {
        self.columns.iter().try_fold(1_usize, |nodes, column| nodes.checked_mul(column.levels.len()))
    }

    /// The node with everything suppressed.
    pub fn top(&self) -> Node {
        self.columns.iter().map(|column| column.levels.len() as u8 - 1).collect()
    }

    /// What a node costs if no record is left out, if costs are sums over columns and records.
    pub fn cost(&self, node: &[u8]) -> f64 {
        self.fixed + self.at(node).map(|(_, level)| level.cost).sum::<f64>()
    }

    /// The columns with their levels at a node.
    pub fn at<'a>(&'a self, node: &'a [u8]) -> impl Iterator<Item = (&'a Column, &'a Level)> {
        self.columns.iter().zip(node).map(|(column, level)| (column, &column.levels[*level as usize]))
    }

    /// How far apart the numbers of two nodes are that differ by one level of each column.
    pub fn strides(&self) -> Vec<usize> {
        let next = |stride: &mut usize, column: &Column| {
            let own = *stride;
            *stride *= column.levels.len();
            Some(own)
        };
        self.columns.iter().scan(1, next).collect()
    }

    /// The node with this number.
    pub fn node(&self, mut number: usize) -> Node {
        let digit = |column: &Column| {
            let level = number % column.levels.len();
            number /= column.levels.len();
            level as u8
        };
        self.columns.iter().map(digit).collect()
    }

    /// The level of each column of the problem in its domain.
    pub fn levels(&self, node: &[u8], columns: usize) -> Vec<u32> {
        let mut levels = vec![0; columns];
        self.at(node).for_each(|(column, level)| levels[column.place] = level.number);
        levels
    }
}

/// The levels of a column without those that put the same values together as a finer one.
fn levels(problem: &Problem, costs: &Costs, place: usize, domain: &Domain) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    for number in 0..domain.levels().min(u32::from(u8::MAX)) {
        let codes = 0..domain.len() as Code;
        let spans: Vec<Span> = codes.map(|code| domain.at_level(domain.span(code), number)).collect();
        let mut first = rustc_hash::FxHashMap::default();
        let nodes: Vec<Code> = spans.iter().zip(0..).map(|(span, code)| *first.entry(*span).or_insert(code)).collect();
        if levels.last().is_none_or(|finer| finer.nodes != nodes) {
            let cost = cost(problem, costs, place, &spans);
            levels.push(Level { number, nodes, spans, cost });
        }
    }
    levels
}

/// What all records pay for a column that is published as these closures.
fn cost(problem: &Problem, costs: &Costs, place: usize, spans: &[Span]) -> f64 {
    if costs.kind() == Payers::Together {
        return 0.0;
    }
    let encoded = &problem.encoded;
    let tuples = (0..encoded.tuples() as u32).map(|tuple| {
        let (span, rows) = (spans[encoded.tuple(tuple)[place] as usize], encoded.rows_of(tuple));
        match costs.kind() {
            Payers::Alike => rows.len() as f64 * costs.part(place, span, 0),
            _ => rows.iter().flat_map(|row| costs.payers_of(*row)).map(|payer| costs.part(place, span, payer)).sum(),
        }
    });
    tuples.sum()
}
