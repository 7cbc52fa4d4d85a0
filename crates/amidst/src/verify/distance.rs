//! How far the values of a class are from those of the table: the earth mover's distances of t-closeness.

use std::collections::BTreeMap;

/// Prefix sums of the shares of ordered values in the table. With them, comparing a class with the table takes only the values of the class,
/// which matters if a column has as many values as there are classes.
pub(super) struct Sums {
    /// The share of all values up to each value.
    shares: Vec<f64>,
    /// The sum of `shares` before each value.
    before: Vec<f64>,
}

impl Sums {
    pub(super) fn new(whole: &[f64]) -> Self {
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
    pub(super) fn ordered(&self, class: &BTreeMap<usize, f64>, size: f64) -> f64 {
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
pub(super) type TreeNode = (Option<usize>, u32);

/// The shares of the table below the nodes of a tree. With them, comparing a class with the table takes only the nodes above the values of
/// the class, which matters if a tree has as many nodes as there are classes.
pub(super) struct Below<'a> {
    nodes: &'a [TreeNode],
    leaves: &'a [usize],
    /// The share below each node, itself included.
    shares: Vec<f64>,
    /// The share below the children of each node.
    children: Vec<f64>,
}

impl<'a> Below<'a> {
    pub(super) fn new(nodes: &'a [TreeNode], leaves: &'a [usize], whole: &[f64]) -> Self {
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
    pub(super) fn hierarchical(&self, class: &BTreeMap<usize, f64>, size: f64) -> f64 {
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
