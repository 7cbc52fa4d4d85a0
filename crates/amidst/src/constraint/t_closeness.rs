//! t-closeness: the sensitive values of every class are distributed much as in the table; the earth mover's distance is at
//! most t.
//!
//! # Distances
//! - `equal`: all values are equally far apart; half the sum of the differences.
//! - `ordered`: values stand in a row, at equal steps of 1/(m − 1).
//! - `hierarchical`: two values are as far apart as their lowest common node is high, compared with the whole tree.
//!
//! Monotone: a distance to a fixed distribution is convex, so a union is no further from it than the further of its parts.
//! The table as a whole has t = 0.

use super::shares::positive;
use super::{Attribute, Constraint, infeasible};
use crate::encode::{Code, Scale};
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::plan::Distance;
use crate::problem::{Cluster, Histogram};

pub(super) struct TCloseness {
    t: f64,
    distance: Measured,
    /// How many values there are.
    values: f64,
    place: usize,
    name: String,
}

impl TCloseness {
    pub(super) fn new(t: f64, distance: Distance, attribute: &Attribute) -> Result<Self> {
        let Attribute { place, sensitive } = *attribute;
        let (values, name) = (sensitive.values().len() as f64, sensitive.name().to_owned());
        Ok(TCloseness { t, distance: Measured::new(distance, attribute)?, values, place, name })
    }
}

enum Measured {
    /// By the share of each value.
    Equal(Vec<f64>),
    Ordered {
        /// The share of all values up to each.
        upto: Vec<f64>,
        /// The sum of these over all values before each.
        before: Vec<f64>,
    },
    Hierarchical {
        /// For each node: its parent, how high it is compared with the tree, and its share.
        nodes: Vec<(Option<usize>, f64, f64)>,
        /// The node of each value.
        leaves: Vec<usize>,
    },
}

impl Measured {
    fn new(distance: Distance, attribute: &Attribute) -> Result<Self> {
        let (shares, column) = (attribute.shares(), attribute.sensitive.name());
        match (distance, attribute.sensitive.scale()) {
            (Distance::Equal, _) => Ok(Measured::Equal(shares)),
            (Distance::Ordered, Scale::Ordered) => {
                let sums = |values: &[f64]| {
                    let add = |sum: &mut f64, value: &f64| {
                        *sum += value;
                        Some(*sum)
                    };
                    values.iter().scan(0.0, add).collect::<Vec<f64>>()
                };
                let upto = sums(&shares);
                let before = std::iter::once(0.0).chain(sums(&upto)).collect();
                Ok(Measured::Ordered { upto, before })
            }
            (Distance::Hierarchical, Scale::Tree(tree, leaves)) => Ok(Measured::hierarchical(tree, leaves, &shares)),
            (Distance::Ordered, _) => Err(Error::column(
                column,
                "t-closeness by order needs numbers, or the order of the values (order = [\"low\", …, \"high\"])",
            )),
            (Distance::Hierarchical, _) => {
                Err(Error::column(column, "t-closeness by hierarchy needs a hierarchy of the sensitive values"))
            }
        }
    }

    fn hierarchical(tree: &Hierarchy, leaves: &[Code], shares: &[f64]) -> Self {
        let height = f64::from(tree.height().max(1));
        let mut nodes: Vec<(Option<usize>, f64, f64)> =
            tree.nodes().iter().map(|node| (node.parent, f64::from(node.level) / height, 0.0)).collect();
        let leaves: Vec<usize> = leaves.iter().map(|leaf| tree.place(*leaf)).collect();
        leaves.iter().zip(shares).for_each(|(leaf, share)| nodes[*leaf].2 += share);
        for place in (0..nodes.len()).rev() {
            if let (Some(parent), _, share) = nodes[place] {
                nodes[parent].2 += share;
            }
        }
        Measured::Hierarchical { nodes, leaves }
    }

    /// How far a histogram of so many records is from the table.
    fn of(&self, size: f64, histogram: &Histogram) -> f64 {
        let shares = histogram.iter().map(|(code, times)| (code as usize, f64::from(times) / size));
        match self {
            // What is too much in some values is too little in the others.
            Measured::Equal(table) => shares.map(|(code, share)| (share - table[code]).max(0.0)).sum(),
            Measured::Ordered { upto, before } => ordered(upto, before, shares),
            Measured::Hierarchical { nodes, leaves } => {
                let mut more: Vec<f64> = nodes.iter().map(|(_, _, share)| -share).collect();
                for (code, share) in shares {
                    let mut place = Some(leaves[code]);
                    while let Some(node) = place {
                        more[node] += share;
                        place = nodes[node].0;
                    }
                }
                // What the children of a node have too much goes to those that have too little, through the node.
                let mut too_much = vec![0.0; nodes.len()];
                let mut too_little = vec![0.0; nodes.len()];
                for (place, (parent, ..)) in nodes.iter().enumerate() {
                    if let Some(parent) = parent {
                        too_much[*parent] += more[place].max(0.0);
                        too_little[*parent] += (-more[place]).max(0.0);
                    }
                }
                let pairs = too_much.iter().zip(&too_little).zip(nodes);
                pairs.map(|((much, little), (_, height, _))| much.min(*little) * height).sum()
            }
        }
    }
}

/// The sum over all values of how much the shares up to it differ, in steps of 1/(m − 1). Between two values that occur
/// the class's share up to a value does not change and the table's rises, so the places where they cross are searched for.
fn ordered(upto: &[f64], before: &[f64], shares: impl Iterator<Item = (usize, f64)>) -> f64 {
    let last = upto.len().saturating_sub(1);
    let mut sum = 0.0;
    let mut stretch = |from: usize, to: usize, level: f64| {
        let cross = from + upto[from..to].partition_point(|share| *share < level);
        let below = before[cross] - before[from];
        let above = before[to] - before[cross];
        sum += (cross - from) as f64 * level - below + above - (to - cross) as f64 * level;
    };
    let (mut from, mut level) = (0, 0.0);
    for (code, share) in shares {
        stretch(from, code, level);
        (from, level) = (code, level + share);
    }
    stretch(from, upto.len(), level);
    sum / last.max(1) as f64
}

impl Constraint for TCloseness {
    /// About how many records would have to be others. A class of fewer records than there are values counts as one of so
    /// many: each value that it gets is more than its share, and still brings it nearer.
    fn lack(&self, cluster: &Cluster) -> f64 {
        let size = cluster.size() as f64;
        let distance = self.distance.of(size, &cluster.histograms()[self.place]);
        positive(distance - self.t, 1.0) * size.max(self.values)
    }

    fn min_size(&self) -> usize {
        1
    }

    fn refusal(&self, _whole: &Cluster) -> Error {
        infeasible(&format!("t = {}", self.t), "t = 0", &self.name)
    }
}
