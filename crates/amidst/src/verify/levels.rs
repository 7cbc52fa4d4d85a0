//! The levels of privacy that a published table reaches in its sensitive columns, computed from the definitions.
//!
//! This code is independent of the [constraints](crate::constraint) that made the release. Each level follows by its formula from the counts of
//! the values in each class and in the table.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use rustc_hash::FxHashMap;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::cell::ISO_DATE;
use super::reading::texts;
use super::tree::Branches;
use super::{Crowds, Published};
use crate::error::{Error, Result};
use crate::plan::{self, Distance, Plan, Tree, ValueModel};
use crate::read::Table;

/// The levels that a sensitive column reaches. Each is that of the worst class; for rings, of the worst window.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Levels {
    /// Distinct ℓ: the smallest number of different values in a class.
    pub distinct_l: usize,
    /// Frequency ℓ: no value has more than the share 1/ℓ of a class.
    pub l: f64,
    /// Entropy ℓ: the exponential of the smallest entropy of a class.
    pub entropy_l: f64,
    /// α of (α, k)-anonymity: the largest share of a value in a class.
    pub alpha: f64,
    /// For each ℓ, the value above which every c satisfies recursive (c, ℓ)-diversity.
    pub recursive_c: BTreeMap<usize, f64>,
    /// t-closeness with equal distances.
    pub t: f64,
    /// t-closeness by the order of the values, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_ordered: Option<f64>,
    /// t-closeness by the hierarchy of the values, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_hierarchical: Option<f64>,
    /// Basic β-likeness.
    pub beta: f64,
    /// Enhanced β-likeness; none if no β is enough, because the frequency of a value grows by more than −ln of its share in the table.
    pub enhanced_beta: Option<f64>,
    /// δ-disclosure, by the values that occur in a class.
    pub delta: f64,
    /// The highest probability of a value that an adversary can reach, in forms where it can exceed the shares of the class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posterior: Option<f64>,
}

/// The relative tolerance in comparisons of levels with requirements. Both are quotients of the same whole numbers.
pub(super) const ROUNDING: f64 = 1e-9;

/// The levels of a sensitive column of `table`.
pub fn levels(table: &Table, crowds: &Crowds, column: &str, plan: &Plan) -> Result<Levels> {
    let values = Values::new(table, column, plan)?;
    let mut whole = vec![0.0; values.count];
    values.of_row.iter().for_each(|value| whole[*value] += 1.0);
    whole.iter_mut().for_each(|count| *count /= table.rows().max(1) as f64);
    let mut levels = Levels {
        distinct_l: usize::MAX,
        l: f64::INFINITY,
        entropy_l: f64::INFINITY,
        alpha: 0.0,
        recursive_c: BTreeMap::new(),
        t: 0.0,
        t_ordered: values.ordered.then_some(0.0),
        t_hierarchical: values.tree.as_ref().map(|_| 0.0),
        beta: 0.0,
        enhanced_beta: Some(0.0),
        delta: 0.0,
        posterior: None,
    };
    let sums = Sums::new(&whole);
    let below = values.tree.as_ref().map(|(nodes, leaves)| Below::new(nodes, leaves, &whole));
    crowds.each(&values.of_row, |counts, size| levels.count(counts, size as f64, &whole, &sums, below.as_ref()));
    if table.rows() == 0 {
        (levels.distinct_l, levels.l, levels.entropy_l) = (0, 0.0, 0.0);
    }
    Ok(levels)
}

impl Levels {
    /// Takes a class into account.
    fn count(&mut self, class: &BTreeMap<usize, usize>, size: f64, whole: &[f64], sums: &Sums, below: Option<&Below>) {
        let class: BTreeMap<usize, f64> = class.iter().map(|(value, count)| (*value, *count as f64)).collect();
        let most = class.values().copied().fold(0.0, f64::max);
        self.distinct_l = self.distinct_l.min(class.len());
        self.l = self.l.min(size / most);
        self.alpha = self.alpha.max(most / size);
        let entropy: f64 = class.values().map(|count| -(count / size) * (count / size).ln()).sum();
        self.entropy_l = self.entropy_l.min(entropy.exp());

        let mut sorted: Vec<f64> = class.values().copied().collect();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let mut rare: f64 = sorted.iter().sum();
        self.recursive_c.retain(|l, _| *l <= sorted.len());
        for l in 2..=self.distinct_l {
            rare -= sorted[l - 2];
            let c = self.recursive_c.entry(l).or_default();
            *c = c.max(most / rare);
        }

        // What some values have too much, the others lack. So half of all differences are the positive ones.
        self.t = self.t.max(class.iter().map(|(v, count)| (count / size - whole[*v]).max(0.0)).sum());
        if let Some(t) = &mut self.t_ordered {
            *t = t.max(sums.ordered(&class, size));
        }
        if let (Some(t), Some(below)) = (&mut self.t_hierarchical, below) {
            *t = t.max(below.hierarchical(&class, size));
        }
        for (value, count) in &class {
            let (share, usual) = (count / size, whole[*value]);
            let gain = (share - usual) / usual;
            self.beta = self.beta.max(gain);
            self.enhanced_beta = self.enhanced_beta.filter(|_| gain <= -usual.ln() * (1.0 + ROUNDING) + ROUNDING);
            self.delta = self.delta.max((share / usual).ln().abs());
        }
        self.enhanced_beta = self.enhanced_beta.map(|_| self.beta);
    }

    /// What a column reaches of a required model, and whether that is enough.
    pub fn judged(&self, model: ValueModel, column: &str) -> Result<(String, bool)> {
        let at_least = |name: &str, level: f64, asked: f64| {
            (format!("{name} = {level:.4}"), level >= asked - ROUNDING * asked.abs().max(1.0))
        };
        let at_most = |name: &str, level: f64, asked: f64| {
            (format!("{name} = {level:.4}"), level <= asked + ROUNDING * asked.abs().max(1.0))
        };
        Ok(match model {
            ValueModel::DistinctL { l } => (format!("l = {}", self.distinct_l), self.distinct_l >= l),
            ValueModel::FrequencyL { l } => at_least("l", self.l, l),
            ValueModel::EntropyL { l } => at_least("l", self.entropy_l, l),
            ValueModel::RecursiveL { c: asked, l } => match self.recursive_c.get(&l) {
                Some(c) => (format!("every c above {c:.4} for l = {l}"), *c < asked),
                None => (format!("only l = {}", self.distinct_l), false),
            },
            ValueModel::AlphaK { alpha } => at_most("alpha", self.alpha, alpha),
            ValueModel::TCloseness { t, distance } => {
                let (name, level, needed) = match distance {
                    Distance::Equal => ("t", Some(self.t), ""),
                    Distance::Ordered => ("t by order", self.t_ordered, "numbers, or the order of the values"),
                    Distance::Hierarchical => {
                        ("t by hierarchy", self.t_hierarchical, "a hierarchy of the sensitive values")
                    }
                };
                let level = level.ok_or_else(|| Error::column(column, &format!("{name} needs {needed}")))?;
                at_most(name, level, t)
            }
            ValueModel::BasicBeta { beta } => at_most("beta", self.beta, beta),
            ValueModel::EnhancedBeta { beta } => match self.enhanced_beta {
                Some(level) => at_most("beta", level, beta),
                None => ("no beta".to_owned(), false),
            },
            ValueModel::DeltaDisclosure { delta } => (format!("delta = {:.4}", self.delta), self.delta < delta),
        })
    }
}

/// The highest probability of a value that an adversary can reach if rows keep the value of their record with probability `p`.
pub(super) fn posterior(release: &Published, column: &str, plan: &Plan, p: f64) -> Result<f64> {
    let levels = of_crowds(&release.table, &release.crowds(), column, plan)?;
    let surest = |(l, size): (f64, &usize)| {
        let kept = super::kept(p, *size);
        kept + (1.0 - kept) / l
    };
    Ok(levels.into_iter().zip(&release.classes.sizes).map(surest).fold(0.0, f64::max))
}

/// The frequency ℓ of each crowd.
pub(super) fn of_crowds(table: &Table, crowds: &Crowds, column: &str, plan: &Plan) -> Result<Vec<f64>> {
    let values = Values::new(table, column, plan)?;
    let mut levels = Vec::new();
    crowds.each(&values.of_row, |counts, size| {
        levels.push(size as f64 / counts.values().max().copied().unwrap_or(1) as f64);
    });
    Ok(levels)
}

/// Prefix sums of the shares of ordered values in the table. With them, comparing a class with the table takes only the values of the class,
/// which matters if a column has as many values as there are classes.
struct Sums {
    /// The share of all values up to each value.
    shares: Vec<f64>,
    /// The sum of `shares` before each value.
    before: Vec<f64>,
}

impl Sums {
    fn new(whole: &[f64]) -> Self {
        let mut sums = Sums { shares: Vec::with_capacity(whole.len()), before: vec![0.0] };
        let (mut share, mut before) = (0.0, 0.0);
        for more in whole {
            share += more;
            before += share;
            sums.shares.push(share);
            sums.before.push(before);
        }
        sums
    }

    /// The result of [`ordered`] for a class of `size` records.
    fn ordered(&self, class: &BTreeMap<usize, f64>, size: f64) -> f64 {
        let count = self.shares.len();
        let (mut from, mut held, mut work) = (0, 0.0, 0.0);
        for (value, records) in class.iter().map(|(value, records)| (*value, *records)).chain([(count, 0.0)]) {
            // Between two values of the class, the share of the class is constant and that of the table grows.
            let less = from + self.shares[from..value].partition_point(|share| *share <= held);
            work += held * (less - from) as f64 - (self.before[less] - self.before[from]);
            work += self.before[value] - self.before[less] - held * (value - less) as f64;
            held += records / size;
            from = value;
        }
        work / (count.max(2) - 1) as f64
    }
}

/// The earth mover's distance of ordered values: the surplus up to each value must be moved to the next.
pub(crate) fn ordered(differences: &[f64]) -> f64 {
    let mut carried = 0.0;
    let mut work = 0.0;
    for difference in differences {
        carried += difference;
        work += f64::abs(carried);
    }
    work / (differences.len().max(2) - 1) as f64
}

/// A node of a tree: its parent, and its level.
type TreeNode = (Option<usize>, u32);

/// The shares of the table below the nodes of a tree. With them, comparing a class with the table takes only the nodes above the values of
/// the class, which matters if a tree has as many nodes as there are classes.
struct Below<'a> {
    nodes: &'a [TreeNode],
    leaves: &'a [usize],
    /// The share below each node, itself included.
    shares: Vec<f64>,
    /// The share below the children of each node.
    children: Vec<f64>,
}

impl<'a> Below<'a> {
    fn new(nodes: &'a [TreeNode], leaves: &'a [usize], whole: &[f64]) -> Self {
        let (mut shares, mut children) = (vec![0.0; nodes.len()], vec![0.0; nodes.len()]);
        leaves.iter().zip(whole).for_each(|(leaf, share)| shares[*leaf] += share);
        // Nodes come after their parents.
        for place in (0..nodes.len()).rev() {
            if let Some(parent) = nodes[place].0 {
                shares[parent] += shares[place];
                children[parent] += shares[place];
            }
        }
        Below { nodes, leaves, shares, children }
    }

    /// The result of [`hierarchical`] for a class of `size` records. Nodes without a value of the class below them have no surplus.
    fn hierarchical(&self, class: &BTreeMap<usize, f64>, size: f64) -> f64 {
        /// The share of the class below a node, the part of it below its children, and the surplus of those children that have one.
        #[derive(Default)]
        struct Held {
            all: f64,
            children: f64,
            more: f64,
        }
        let mut held: BTreeMap<usize, Held> = BTreeMap::new();
        class.iter().for_each(|(value, records)| held.entry(self.leaves[*value]).or_default().all += records / size);
        let height = self.nodes.first().map_or(0.0, |(_, level)| f64::from(*level));
        let mut work = 0.0;
        while let Some((place, Held { all, children, more })) = held.pop_last() {
            let (parent, level) = self.nodes[place];
            let less = more - (children - self.children[place]);
            work += f64::from(level) / height * f64::min(more, less);
            if let Some(parent) = parent {
                let above = held.entry(parent).or_default();
                above.all += all;
                above.children += all;
                above.more += (all - self.shares[place]).max(0.0);
            }
        }
        work
    }
}

/// The earth mover's distance of values in a tree: below each node, the surplus of some children is moved to others. Each node has its parent
/// and its level, and comes after its parent. `leaves` are the nodes of the values.
pub(crate) fn hierarchical(nodes: &[TreeNode], leaves: &[usize], differences: &[f64]) -> f64 {
    let mut extra = vec![0.0; nodes.len()];
    for (leaf, difference) in leaves.iter().zip(differences) {
        let mut above = Some(*leaf);
        while let Some(place) = above {
            extra[place] += difference;
            above = nodes[place].0;
        }
    }
    let mut sides = vec![(0.0, 0.0); nodes.len()];
    for ((parent, _), extra) in nodes.iter().zip(&extra) {
        if let Some(parent) = parent {
            let (more, less) = &mut sides[*parent];
            if *extra > 0.0 { *more += extra } else { *less -= extra }
        }
    }
    let height = nodes.first().map_or(0.0, |(_, level)| f64::from(*level));
    nodes.iter().zip(sides).map(|((_, level), (more, less))| f64::from(*level) / height * f64::min(more, less)).sum()
}

/// The values of a sensitive column as numbers. Values of one group are one number. Numbers follow the order of the values if it is known.
struct Values {
    of_row: Vec<usize>,
    count: usize,
    ordered: bool,
    /// The nodes of the tree, and the node of each value.
    tree: Option<(Vec<TreeNode>, Vec<usize>)>,
}

impl Values {
    fn new(table: &Table, name: &str, plan: &Plan) -> Result<Self> {
        let none = plan::Column::with_role(plan::Role::Sensitive);
        let (column, missing) = (plan.columns.get(name).unwrap_or(&none), &plan.input.missing);
        let texts = texts(table, name)?;
        let dictionary = texts.values().as_string::<i32>();
        let is_missing = |text: &str| text.is_empty() || missing.iter().any(|m| m == text);
        let mut all: Vec<&str> = texts.keys().iter().flatten().map(|key| dictionary.value(key as usize)).collect();
        all.sort_unstable();
        all.dedup();
        let present: Vec<&str> = all.iter().copied().filter(|text| !is_missing(text)).collect();
        // From low to high.
        let number = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite());
        let numbers = present.iter().all(|text| number(text).is_some());
        let mut sorted = present.clone();
        if numbers {
            sorted.sort_by(|a, b| number(a).partial_cmp(&number(b)).unwrap_or(std::cmp::Ordering::Equal));
        }
        // Missing may have its own leaf. Otherwise it is directly below the root.
        let missing = missing.iter().map(String::as_str).find(|m| all.binary_search(m).is_ok()).unwrap_or_default();
        let tree = |tree: &Tree| Branches::new(tree, &present, Some(missing), ISO_DATE);

        // Texts of the same rank are one value. Missing ranks below all others.
        let unknown = |text: &str| Error::column(name, &format!("`{text}` is not in its order or tree"));
        let (ranks, ordered, branches): (Vec<i64>, bool, Option<Branches>) = match column {
            plan::Column { groups: Some(groups), .. } => {
                let tree = tree(groups)?;
                let mut ranks: FxHashMap<usize, i64> = FxHashMap::default();
                let mut rank: FxHashMap<&str, i64> = FxHashMap::default();
                for text in &sorted {
                    let group = tree.group(tree.leaf(text).ok_or_else(|| unknown(text))?);
                    let next = ranks.len() as i64;
                    rank.insert(text, *ranks.entry(group).or_insert(next));
                }
                (present.iter().map(|text| rank[text]).collect(), numbers, None)
            }
            plan::Column { hierarchy: Some(hierarchy), .. } => {
                let tree = tree(hierarchy)?;
                let rank = |text: &&str| tree.leaf(text).map(i64::from).ok_or_else(|| unknown(text));
                (present.iter().map(rank).collect::<Result<_>>()?, false, Some(tree))
            }
            plan::Column { order: Some(order), .. } => {
                let ranks: FxHashMap<&str, i64> = order.iter().map(String::as_str).zip(0..).collect();
                let rank = |text: &&str| ranks.get(text).copied().ok_or_else(|| unknown(text));
                (present.iter().map(rank).collect::<Result<_>>()?, true, None)
            }
            _ => {
                let rank: FxHashMap<&str, i64> = sorted.into_iter().zip(0..).collect();
                (present.iter().map(|text| rank[text]).collect(), numbers, None)
            }
        };
        let rank_of: FxHashMap<&str, i64> = present.iter().copied().zip(ranks).collect();
        let rank = |text: &str| if is_missing(text) { -1 } else { rank_of.get(text).copied().unwrap_or(-1) };
        let by_key: Vec<i64> = dictionary.iter().map(|text| text.map_or(-1, rank)).collect();
        let row_ranks: Vec<i64> = texts.keys().iter().map(|key| key.map_or(-1, |key| by_key[key as usize])).collect();
        let mut used = row_ranks.clone();
        used.sort_unstable();
        used.dedup();
        let of_row = row_ranks.iter().map(|rank| used.binary_search(rank).unwrap_or_default()).collect();
        let tree = branches.map(|tree| {
            let missing = tree.leaf(missing).unwrap_or_default();
            let leaves = used.iter().map(|rank| tree.node(u32::try_from(*rank).unwrap_or(missing))).collect();
            (tree.nodes.iter().map(|node| (node.parent, node.level)).collect(), leaves)
        });
        Ok(Values { of_row, count: used.len(), ordered, tree })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A class and its size, the shares in the table, and how far those in the class are from them; from how often each value occurs
    /// in the class and elsewhere.
    fn compared(counts: &[(usize, usize)]) -> (BTreeMap<usize, f64>, f64, Vec<f64>, Vec<f64>) {
        let size = counts.iter().map(|(class, _)| class).sum::<usize>() as f64;
        let all = counts.iter().map(|(class, others)| class + others).sum::<usize>() as f64;
        let whole: Vec<f64> = counts.iter().map(|(class, others)| (class + others) as f64 / all).collect();
        let differences = counts.iter().zip(&whole).map(|((class, _), share)| *class as f64 / size - share).collect();
        let class =
            counts.iter().map(|(class, _)| *class as f64).enumerate().filter(|(_, count)| *count > 0.0).collect();
        (class, size, whole, differences)
    }

    proptest! {
        #[test]
        fn a_class_by_the_nodes_above_its_own_values(
            counts in prop::collection::vec((0_usize..4, 0_usize..4), 2..30), widths in (2_usize..4, 2_usize..4),
        ) {
            // A tree of three levels: leaves below groups, groups below tops, and all below the root.
            let (leaves, groups) = (counts.len(), counts.len().div_ceil(widths.0));
            let tops = groups.div_ceil(widths.1);
            let mut nodes: Vec<TreeNode> = vec![(None, 3)];
            nodes.extend((0..tops).map(|_| (Some(0), 2)));
            nodes.extend((0..groups).map(|group| (Some(1 + group / widths.1), 1)));
            nodes.extend((0..leaves).map(|leaf| (Some(1 + tops + leaf / widths.0), 0)));
            let leaves: Vec<usize> = (0..leaves).map(|leaf| 1 + tops + groups + leaf).collect();
            prop_assume!(counts.iter().any(|(class, _)| *class > 0));
            let (class, size, whole, differences) = compared(&counts);
            let expected = hierarchical(&nodes, &leaves, &differences);
            prop_assert!((Below::new(&nodes, &leaves, &whole).hierarchical(&class, size) - expected).abs() < 1e-12);
        }

        #[test]
        fn a_class_by_its_own_values(counts in prop::collection::vec((0_usize..4, 0_usize..4), 1..30)) {
            prop_assume!(counts.iter().any(|(class, _)| *class > 0));
            let (class, size, whole, differences) = compared(&counts);
            prop_assert!((Sums::new(&whole).ordered(&class, size) - ordered(&differences)).abs() < 1e-12);
        }
    }
}
