//! The search for the node that loses least.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::counts::Counts;
use super::lattice::{Lattice, Node};
use crate::cost::{Costs, Payers};
use crate::encode::Domain;
use crate::error::Result;
use crate::notation;
use crate::problem::{Cluster, Problem};
use crate::progress::Progress;

/// The largest number of nodes that are kept in a list.
const MAX_LISTED_NODES: usize = 1 << 22;

/// How many classes of finer nodes are kept for rollups, as a multiple of the distinct tuples.
const KEPT_COUNTS: usize = 16;

/// Counts of finer nodes are kept for as many columns as have at most so many combinations of levels.
const MAX_FINER_NODES: usize = 256;

/// The best node that was found.
pub(super) struct Found {
    /// The level of each column of the problem.
    pub levels: Vec<u32>,
    pub clusters: Vec<Vec<u32>>,
    pub left_out: Vec<u32>,
    /// The number of nodes that were counted.
    pub counted: u64,
    /// The number of all nodes, in words, if the search ended before it was certain.
    pub unfinished: Option<String>,
}

/// What a node is like.
enum Judged {
    /// Too many records would be left out here and at all finer nodes.
    InvalidBelow,
    /// Too many records would be left out.
    Invalid,
    /// The node costs this much.
    Costs(f64),
}

pub(super) struct Search<'a> {
    problem: &'a Problem,
    costs: Costs<'a>,
    lattice: Lattice,
    /// The number of rows that may be left out.
    most: usize,
    /// The number of nodes that may be counted.
    limit: u64,
    counted: u64,
    tuples: Counts,
    /// Counts with the first columns at the levels of the key, and the others at their values.
    finer: FxHashMap<Node, Rc<Counts>>,
    /// The number of columns in these keys.
    first: usize,
    /// How many more classes may be kept for rollups.
    room: usize,
}

impl<'a> Search<'a> {
    pub fn new(problem: &'a Problem, most: usize, limit: u64) -> Self {
        let costs = Costs::new(problem);
        let lattice = Lattice::new(problem, &costs);
        let tuples = Counts::new(problem, &lattice);
        let mut combinations = 1;
        let mut few = |levels: usize| {
            combinations *= levels;
            combinations <= MAX_FINER_NODES
        };
        let first = lattice.columns.iter().map(|column| column.levels.len()).take_while(|levels| few(*levels)).count();
        let room = KEPT_COUNTS * tuples.len();
        Search { problem, costs, lattice, most, limit, counted: 0, tuples, finer: FxHashMap::default(), first, room }
    }

    /// The valid node that costs least. If not even the top is valid, the whole table as one cluster.
    pub fn best(&mut self, progress: Progress) -> Result<Found> {
        let top = self.lattice.top();
        let listed = self.lattice.nodes().filter(|nodes| *nodes <= MAX_LISTED_NODES);
        progress.begin("partitioning", listed.unwrap_or(0) as u64)?;
        let Judged::Costs(cost) = self.judge(&top) else { return Ok(self.found(&top, true, None)) };
        let first = self.descend(top, cost, progress)?;
        let (best, finished) = match listed {
            Some(nodes) => self.exhaust(nodes, first, progress)?,
            None => (first.0, false),
        };
        let all = match self.lattice.nodes() {
            Some(nodes) => notation::grouped(nodes),
            None => "more than 10^19".to_owned(),
        };
        Ok(self.found(&best, false, (!finished).then_some(all)))
    }

    /// Goes down from a valid node, each time to the finer node that costs least, while that is less.
    fn descend(&mut self, mut node: Node, mut cost: f64, progress: Progress) -> Result<(Node, f64)> {
        loop {
            let mut best: Option<Node> = None;
            for column in (0..node.len()).filter(|column| node[*column] > 0) {
                progress.advance(0)?;
                let mut finer = node.clone();
                finer[column] -= 1;
                if let Judged::Costs(less) = self.judge(&finer)
                    && less < cost
                {
                    (best, cost) = (Some(finer), less);
                }
            }
            match best {
                Some(finer) => node = finer,
                None => return Ok((node, cost)),
            }
        }
    }

    /// Looks at all nodes that may cost less than the best so far. Returns the best one, and whether that is certain.
    fn exhaust(&mut self, nodes: usize, first: (Node, f64), progress: Progress) -> Result<(Node, bool)> {
        let (mut best, mut cost) = first;
        let strides = self.lattice.strides();
        // Without a bound all nodes must be counted. Coarse ones come first, because they may exclude finer ones.
        let sums_up = self.costs.kind() != Payers::Together && self.problem.measure.monotone();
        let is_bounded = sums_up && (self.costs.kind() == Payers::Alike || self.most == 0);
        let of_node = |number: usize| {
            let node = self.lattice.node(number);
            if is_bounded { self.lattice.cost(&node) } else { node.iter().map(|level| f64::from(*level)).sum() }
        };
        let bounds: Vec<f64> = (0..nodes).map(of_node).collect();
        let mut order: Vec<u32> =
            (0..nodes as u32).filter(|node| !is_bounded || bounds[*node as usize] < cost).collect();
        order.sort_by(|a, b| bounds[*b as usize].total_cmp(&bounds[*a as usize]).then(b.cmp(a)));
        let mut is_invalid = vec![false; nodes];
        progress.advance((nodes - order.len()) as u64)?;
        for number in order {
            progress.advance(1)?;
            let number = number as usize;
            if is_invalid[number] || is_bounded && bounds[number] >= cost {
                continue;
            }
            if self.counted >= self.limit {
                return Ok((best, false));
            }
            let node = self.lattice.node(number);
            match self.judge(&node) {
                Judged::InvalidBelow => self.tag(number, &strides, &mut is_invalid),
                Judged::Costs(less) if less < cost => (best, cost) = (node, less),
                Judged::Invalid | Judged::Costs(_) => {}
            }
        }
        Ok((best, true))
    }

    /// Marks a node and all finer ones.
    fn tag(&self, number: usize, strides: &[usize], is_invalid: &mut [bool]) {
        let mut stack = vec![number];
        while let Some(number) = stack.pop() {
            if std::mem::replace(&mut is_invalid[number], true) {
                continue; // so are all below it
            }
            let node = self.lattice.node(number);
            stack.extend(node.iter().zip(strides).filter(|(level, _)| **level > 0).map(|(_, stride)| number - stride));
        }
    }

    /// Counts the classes of a node, and the finer counts that they were made from.
    fn count(&mut self, node: &[u8]) -> (Counts, Rc<Counts>) {
        let key = &node[..self.first];
        let finer = if let Some(known) = self.finer.get(key) {
            known.clone()
        } else {
            let mut values = vec![0; node.len()];
            values[..self.first].copy_from_slice(key);
            let finer = Rc::new(self.tuples.rolled_up(&self.lattice, &values));
            if finer.len() <= self.room {
                self.room -= finer.len();
                self.finer.insert(key.to_vec(), finer.clone());
            }
            finer
        };
        (finer.rolled_up(&self.lattice, node), finer)
    }

    fn judge(&mut self, node: &[u8]) -> Judged {
        self.counted += 1;
        let (counts, finer) = self.count(node);
        let least = self.problem.min_size();
        let is_small: Vec<bool> = counts.sizes.iter().map(|size| (*size as usize) < least).collect();
        let mut left_out: usize =
            counts.weights.iter().zip(&is_small).filter(|(_, small)| **small).map(|(weight, _)| *weight as usize).sum();
        if left_out > self.most {
            return Judged::InvalidBelow; // classes of finer nodes are no larger
        }
        let needs_records = self.problem.guarded() || left_out > 0 && self.costs.kind() != Payers::Alike;
        if !needs_records && self.costs.kind() == Payers::Alike {
            return Judged::Costs(self.lattice.cost(node) + self.left_out_alike(node, &counts, &is_small));
        }
        let records = counts.records(self.problem, &finer);
        let mut is_out = is_small;
        for class in 0..counts.len() {
            if self.problem.guarded() && !is_out[class] && !self.problem.hold(&records[class]) {
                is_out[class] = true;
                left_out += counts.weights[class] as usize;
                if left_out > self.most {
                    return if self.is_inherited() { Judged::InvalidBelow } else { Judged::Invalid };
                }
            }
        }
        Judged::Costs(match self.costs.kind() {
            Payers::Alike => self.lattice.cost(node) + self.left_out_alike(node, &counts, &is_out),
            Payers::ByValue => self.lattice.cost(node) + self.left_out_by_value(node, &records, &is_out),
            Payers::Together => self.together(node, &counts, &records, &is_out),
        })
    }

    /// Whether a node is invalid if a coarser one is.
    fn is_inherited(&self) -> bool {
        let grow = self.problem.constraints.iter().all(|constraint| constraint.only_grows());
        grow || self.most == 0 && self.problem.monotone()
    }

    /// What records pay more because they are left out.
    fn left_out_alike(&self, node: &[u8], counts: &Counts, is_out: &[bool]) -> f64 {
        let more = |class: usize| {
            let codes = self.lattice.at(node).zip(counts.class(class));
            let parts = codes.map(|((column, level), code)| {
                let everything = self.problem.encoded.domains()[column.place].everything();
                self.costs.part(column.place, everything, 0)
                    - self.costs.part(column.place, level.spans[*code as usize], 0)
            });
            f64::from(counts.sizes[class]) * parts.sum::<f64>()
        };
        (0..counts.len()).filter(|class| is_out[*class]).map(more).sum()
    }

    /// The same if records pay by their sensitive values.
    fn left_out_by_value(&self, node: &[u8], records: &[Vec<u32>], is_out: &[bool]) -> f64 {
        let more = |row: &u32| {
            let parts = self.lattice.at(node).map(|(column, level)| {
                let everything = self.problem.encoded.domains()[column.place].everything();
                let span = level.spans[self.problem.encoded.row(*row)[column.place] as usize];
                let part = |payer| {
                    self.costs.part(column.place, everything, payer) - self.costs.part(column.place, span, payer)
                };
                self.costs.payers_of(*row).map(part).sum::<f64>()
            });
            parts.sum::<f64>()
        };
        records.iter().zip(is_out).filter(|(_, out)| **out).flat_map(|(rows, _)| rows).map(more).sum()
    }

    /// The cost of all classes, if it is no sum over columns and records.
    fn together(&self, node: &[u8], counts: &Counts, records: &[Vec<u32>], is_out: &[bool]) -> f64 {
        let domains = self.problem.encoded.domains();
        let mut cost = 0.0;
        for class in (0..counts.len()).filter(|class| !is_out[*class]) {
            let mut closure: Vec<_> = domains.iter().map(Domain::everything).collect();
            for ((column, level), code) in self.lattice.at(node).zip(counts.class(class)) {
                closure[column.place] = level.spans[*code as usize];
            }
            let outline = self.problem.outline(&records[class]);
            let cluster = Cluster::new(outline.size(), closure, outline.histograms().to_vec());
            cost += self.problem.measure.cluster(&cluster);
        }
        let left_out: Vec<u32> = rows(records, is_out, true).concat();
        cost + self.problem.suppressed(&left_out).map_or(0.0, |cluster| self.problem.measure.cluster(&cluster))
    }

    /// The classes of a node. `whole` keeps all records, whatever their classes are like.
    fn found(&mut self, node: &[u8], whole: bool, unfinished: Option<String>) -> Found {
        let (counts, finer) = self.count(node);
        let records = counts.records(self.problem, &finer);
        let is_out: Vec<bool> = records.iter().map(|rows| !whole && !self.problem.hold(rows)).collect();
        Found {
            levels: self.lattice.levels(node, self.problem.encoded.domains().len()),
            clusters: rows(&records, &is_out, false),
            left_out: rows(&records, &is_out, true).concat(),
            counted: self.counted,
            unfinished,
        }
    }
}

/// The records of the classes that are left out, or of those that are not.
fn rows(records: &[Vec<u32>], is_out: &[bool], out: bool) -> Vec<Vec<u32>> {
    records.iter().zip(is_out).filter(|(_, is_out)| **is_out == out).map(|(rows, _)| rows.clone()).collect()
}
