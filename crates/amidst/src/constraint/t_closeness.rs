//! t-closeness: the sensitive values of every class are distributed almost as in the table.
//!
//! # Definition
//! The earth mover's distance between the distribution in the class and the distribution in the table is at
//! most t.
//!
//! # Choices
//! How far two values are apart:
//! - `equal` (the default): all values are equally far apart. The distance is half the sum of the absolute
//!   differences of the shares.
//! - `ordered`: the values stand in a row, with equal steps of 1/(m − 1) between neighbours.
//! - `hierarchical`: the height of the lowest common node of two values, divided by the height of the tree.
//!
//! # Properties
//! Monotone: a distance from a fixed distribution is convex, so a union is at most as far from it as the
//! farther of its parts. The table as a whole has t = 0, so every t can be reached.
//!
//! # Paper
//! Li, Li and Venkatasubramanian: t-closeness: privacy beyond k-anonymity and ℓ-diversity. ICDE 2007.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --require 't-closeness(t=0.3, distance=equal)'
//! ```

use super::shares::positive;
use super::{Attribute, Constraint, infeasible};
use crate::encode::{Code, Scale};
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::plan::Distance;
use crate::problem::{Cluster, Values};

pub(super) struct TCloseness {
    t: f64,
    distance: Measured,
    /// The number of different values in the table.
    values: f64,
    place: usize,
    name: String,
}

impl TCloseness {
    pub(super) fn new(t: f64, distance: Distance, attribute: &Attribute) -> Result<Self> {
        let Attribute { place, sensitive, .. } = *attribute;
        let (values, name) = (sensitive.values().len() as f64, sensitive.name().to_owned());
        Ok(TCloseness { t, distance: Measured::new(distance, attribute)?, values, place, name })
    }
}

/// The distance, with what it needs of the table.
enum Measured {
    /// The share of each value.
    Equal(Vec<f64>),
    Ordered {
        /// For each value, the share of all values up to it.
        upto: Vec<f64>,
        /// For each value, the sum of `upto` over all values before it.
        before: Vec<f64>,
    },
    Hierarchical {
        /// For each node: its parent, its height divided by that of the tree, and its share.
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

    /// The distance from the table of values that `persons` persons have.
    fn of(&self, persons: f64, values: Values) -> f64 {
        let shares = values.map(|value| (value.code as usize, value.weight / persons));
        match self {
            // Surplus and deficit are equal, so the surplus is half the sum of the differences.
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
                // The surplus of some children of a node goes to their siblings with a deficit, through the
                // node.
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

/// The sum over all values of the difference between the two cumulated shares, in steps of 1/(m − 1).
/// Between two values that occur in the class, its cumulated share is constant and that of the table rises.
/// So they cross at most once, and a binary search finds where.
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
    /// About how many records would have to change their value. The size counts as at least the number of
    /// values: in a smaller class every value has more than its share, and adding one still brings the
    /// class nearer.
    fn lack(&self, cluster: &Cluster) -> f64 {
        let size = cluster.persons() as f64;
        let distance = self.distance.of(size, cluster.values(self.place));
        positive(distance - self.t, 1.0) * size.max(self.values)
    }

    fn min_size(&self) -> usize {
        1
    }

    fn refusal(&self, _whole: &Cluster) -> Error {
        infeasible(&format!("t = {}", self.t), "t = 0", &self.name)
    }
}
