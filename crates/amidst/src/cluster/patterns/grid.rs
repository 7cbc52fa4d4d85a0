//! The free records, and the nodes that their values belong to.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::cluster::Surrogate;
use crate::encode::{Code, Domain, Encoded, Span};

/// The distinct free records, called *items*, column by column.
pub(super) struct Grid<'a> {
    pub(super) surrogate: &'a Surrogate<'a>,
    /// The least number of rows that a pattern needs.
    pub(super) least: u32,
    /// The columns in the order of the search.
    pub(super) columns: Vec<Ladder>,
    /// The number of rows that are equal to each item.
    pub(super) weights: Vec<u32>,
    /// The largest of these numbers.
    pub(super) heaviest: u32,
    /// For each place in the order of the columns: a mark that items share if they agree from there on, and
    /// the least that records pay if they do not agree.
    pub(super) marks: Vec<(Vec<u32>, f32)>,
    /// The distinct tuple of each item.
    tuples: Vec<u32>,
}

/// A column and its ladder.
pub(super) struct Ladder {
    /// The number of the column in the table.
    pub(super) number: usize,
    /// The place of each item along the ladder.
    pub(super) places: Vec<u32>,
    /// The code at each place.
    codes: Vec<Code>,
    /// The nodes; the first is the root.
    pub(super) nodes: Vec<Node>,
    /// Whether there is nothing between single values and everything.
    pub(super) flat: bool,
    /// Whether the column is published as sets.
    set: bool,
    /// The probability that two random records have the same value.
    sameness: f64,
}

/// A range of places. Children with too few records are left out.
pub(super) struct Node {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) children: Vec<u32>,
}

/// The codes of the distinct tuples, column by column, as grids read them.
pub(super) struct Codes(Vec<Vec<Code>>);

impl Codes {
    pub(super) fn new(encoded: &Encoded) -> Self {
        let column = |c: usize| (0..encoded.tuples() as u32).map(|tuple| encoded.tuple(tuple)[c]).collect();
        Codes((0..encoded.domains().len()).into_par_iter().map(column).collect())
    }
}

impl<'a> Grid<'a> {
    /// The grid of these distinct tuples. `weights` are their numbers of free rows, and a pattern needs at
    /// least `least` rows.
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

    /// The marks of all places. Before ranges and sets there are none, because these can always cost a
    /// little more.
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

    /// The distinct tuple of an item.
    pub(super) fn tuple(&self, item: u32) -> u32 {
        self.tuples[item as usize]
    }

    /// The least cost of a node above a single value.
    fn above(&self, column: &Ladder) -> f32 {
        let above = column.nodes.iter().filter(|node| node.to - node.from > 1);
        above.map(|node| self.cost(column, node.from..node.to, (node.from, node.to - 1))).fold(f32::INFINITY, f32::min)
    }

    /// Like `above`, but infinite for a column without nodes below the root.
    fn step(&self, column: &Ladder) -> f32 {
        if column.nodes[0].children.is_empty() { f32::INFINITY } else { self.above(column) }
    }

    /// What each record pays in a column for items at these places. `ends` are the first and the last
    /// place.
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

    /// The number of places.
    pub(super) fn places(&self) -> usize {
        self.codes.len()
    }

    /// The lowest node below `node` that has all places from `first` to `last`.
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

/// A ladder while it is built.
struct LadderBuilder<'a> {
    domain: &'a Domain,
    /// For each place, the number of records with a value before it.
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
