//! The free records and the nodes that their values belong to.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::cluster::Surrogate;
use crate::encode::{Code, Domain, Encoded, Span};

/// The distinct free records, column by column.
pub(super) struct Grid<'a> {
    pub(super) surrogate: &'a Surrogate<'a>,
    /// The least weight that a pattern needs.
    pub(super) least: u32,
    /// In the order in which the search goes through them.
    pub(super) columns: Vec<Ladder>,
    /// How many rows are equal to each item.
    pub(super) weights: Vec<u32>,
    /// The most rows that are equal to an item.
    pub(super) heaviest: u32,
    /// By the place of a column in the order: a mark that items which agree from there on share, and the least that records pay which do not.
    pub(super) marks: Vec<(Vec<u32>, f32)>,
    tuples: Vec<u32>,
}

/// A column and its ladder.
pub(super) struct Ladder {
    /// Its number in the table.
    pub(super) number: usize,
    /// Where each item stands along the ladder.
    pub(super) places: Vec<u32>,
    /// The code at each place.
    codes: Vec<Code>,
    /// The first is the root.
    pub(super) nodes: Vec<Node>,
    /// True when there is nothing between single values and everything.
    pub(super) flat: bool,
    set: bool,
    /// The chance that two random records have the same value.
    sameness: f64,
}

/// A stretch of places. Children that too few records are below are left out.
pub(super) struct Node {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) children: Vec<u32>,
}

/// The codes of the distinct tuples column by column, which is how grids read them.
pub(super) struct Codes(Vec<Vec<Code>>);

impl Codes {
    pub(super) fn new(encoded: &Encoded) -> Self {
        let column = |c: usize| (0..encoded.tuples() as u32).map(|tuple| encoded.tuple(tuple)[c]).collect();
        Codes((0..encoded.domains().len()).into_par_iter().map(column).collect())
    }
}

impl<'a> Grid<'a> {
    /// Of these distinct tuples, of which so many rows are free; with at least so many a pattern may be opened.
    pub(super) fn new(
        surrogate: &'a Surrogate<'a>,
        codes: &Codes,
        tuples: &[u32],
        weights: Vec<u32>,
        least: u32,
        rng: &mut ChaCha8Rng,
    ) -> Self {
        let heaviest = weights.iter().copied().max().unwrap_or(1).max(1);
        let mut grid = Grid {
            surrogate,
            least,
            columns: Vec::new(),
            weights,
            heaviest,
            marks: Vec::new(),
            tuples: tuples.to_vec(),
        };
        let seeds: Vec<(usize, u64)> = surrogate.varying().iter().map(|column| (*column, rng.random())).collect();
        let column = |&(number, seed): &(usize, u64)| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let codes = tuples.iter().map(|tuple| codes.0[number][*tuple as usize]);
            let column = Ladder::new(surrogate.domain(number), number, codes, &grid.weights, least, &mut rng);
            (grid.step(&column), column)
        };
        let mut keyed: Vec<(f32, Ladder)> = seeds.par_iter().map(column).collect();
        keyed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.sameness.total_cmp(&b.1.sameness)));
        grid.columns = keyed.into_iter().map(|(_, column)| column).collect();
        grid.marks = grid.marks();
        grid
    }

    /// Ranges and sets can always cost a little more, so that there is no use in marks before them.
    fn marks(&self) -> Vec<(Vec<u32>, f32)> {
        let mut marks = vec![(vec![0; self.items()], f32::INFINITY)];
        for column in self.columns.iter().rev() {
            let (behind, least) = &marks[marks.len() - 1];
            let domain = self.surrogate.domain(column.number);
            let tree = domain.hierarchy().is_some() || domain.is_suppress();
            let least = if tree { least.min(self.above(column)) } else { 0.0 };
            let mark = |(mark, place): (&u32, &u32)| (mark ^ place).wrapping_mul(0x9E37_79B1).rotate_left(15);
            let next = if least > 0.0 { behind.iter().zip(&column.places).map(mark).collect() } else { Vec::new() };
            marks.push((next, least));
        }
        marks.reverse();
        marks
    }

    /// The number of distinct free records.
    pub(super) fn items(&self) -> usize {
        self.tuples.len()
    }

    /// The distinct tuple that an item is.
    pub(super) fn tuple(&self, item: u32) -> u32 {
        self.tuples[item as usize]
    }

    /// The least that a node above a single value costs.
    fn above(&self, column: &Ladder) -> f32 {
        let above = column.nodes.iter().filter(|node| node.to - node.from > 1);
        above.map(|node| self.cost(column, node.from..node.to, (node.from, node.to - 1))).fold(f32::INFINITY, f32::min)
    }

    /// The same; without limit in columns that have no node below the root.
    fn step(&self, column: &Ladder) -> f32 {
        if column.nodes[0].children.is_empty() { f32::INFINITY } else { self.above(column) }
    }

    /// What each record pays in a column for items at these places, which rise.
    pub(super) fn cost(&self, column: &Ladder, places: impl Iterator<Item = u32> + Clone, ends: (u32, u32)) -> f32 {
        let span = if column.set {
            Span::mask(places.fold(0, |mask, place| mask | 1 << column.codes[place as usize]))
        } else {
            Span::range(ends.0, ends.1)
        };
        self.surrogate.cost(column.number, span)
    }
}

impl Ladder {
    fn new(
        domain: &Domain,
        number: usize,
        items: impl Iterator<Item = Code>,
        weights: &[u32],
        least: u32,
        rng: &mut ChaCha8Rng,
    ) -> Self {
        let mut codes: Vec<Code> = (0..domain.len() as Code).collect();
        if domain.is_set() {
            codes.shuffle(rng);
        }
        let mut place_of = vec![0; codes.len()];
        codes.iter().zip(0..).for_each(|(code, place)| place_of[*code as usize] = place);
        let places: Vec<u32> = items.map(|code| place_of[code as usize]).collect();
        let mut before = vec![0_u32; codes.len() + 1];
        places.iter().zip(weights).for_each(|(place, weight)| before[*place as usize + 1] += weight);
        let all: f64 = before.iter().map(|count| f64::from(*count)).sum();
        let sameness = before.iter().map(|count| (f64::from(*count) / all).powi(2)).sum();
        (0..codes.len()).for_each(|place| before[place + 1] += before[place]);
        let mut growing = LadderBuilder { domain, before: &before, least, nodes: Vec::new() };
        growing.node(0, codes.len(), rng);
        let nodes = growing.nodes;
        let flat = nodes[1..].iter().all(|node| node.to - node.from == 1);
        Ladder { number, places, nodes, flat, set: domain.is_set(), codes, sameness }
    }

    /// How many places there are.
    pub(super) fn places(&self) -> usize {
        self.codes.len()
    }

    /// The lowest node below `node` that has all of these places.
    pub(super) fn tight(&self, mut node: u32, first: u32, last: u32) -> u32 {
        while let Some(child) = self.child(node, first).filter(|child| last < self.nodes[*child as usize].to) {
            node = child;
        }
        node
    }

    /// The child of `node` that has this place.
    pub(super) fn child(&self, node: u32, place: u32) -> Option<u32> {
        let children = &self.nodes[node as usize].children;
        let at = children.partition_point(|child| self.nodes[*child as usize].to <= place);
        children.get(at).copied().filter(|child| self.nodes[*child as usize].from <= place)
    }
}

/// A ladder in the making.
struct LadderBuilder<'a> {
    domain: &'a Domain,
    /// How many records have a value before each place.
    before: &'a [u32],
    least: u32,
    nodes: Vec<Node>,
}

impl LadderBuilder<'_> {
    fn node(&mut self, from: usize, to: usize, rng: &mut ChaCha8Rng) -> u32 {
        let number = self.nodes.len();
        self.nodes.push(Node { from: from as u32, to: to as u32, children: Vec::new() });
        if to - from < 2 {
            return number as u32;
        }
        let mut cuts = if let Some(tree) = self.domain.hierarchy() {
            tree.children(from as Code, to as Code - 1).iter().map(|s| *s as usize).filter(|s| *s > from).collect()
        } else if self.domain.is_suppress() {
            (from + 1..to).collect()
        } else {
            // A random cut that leaves a quarter of the records on either side, as far as the values allow.
            let (low, high) = (f64::from(self.before[from]), f64::from(self.before[to]));
            let weight = low + (high - low) * rng.random_range(0.25..0.75);
            let cut = from + self.before[from..=to].partition_point(|before| f64::from(*before) <= weight);
            vec![cut.clamp(from + 1, to - 1)]
        };
        cuts.push(to);
        let mut children = Vec::new();
        let mut start = from;
        for cut in cuts {
            if self.before[cut] - self.before[start] >= self.least {
                children.push(self.node(start, cut, rng));
            }
            start = cut;
        }
        self.nodes[number].children = children;
        number as u32
    }
}
