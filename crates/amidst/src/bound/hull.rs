//! The smallest node of a column around a cell and everything else that a closure has to cover.

use super::closures::{Cost, Family, Node};

/// A node that covers the cell `own`.
#[derive(Clone, Copy)]
pub(super) struct Hull<'a> {
    pub(super) family: &'a Family,
    own: u32,
    /// For a tree, the depth below the root; otherwise as in the family.
    node: Node,
}

impl<'a> Hull<'a> {
    /// The hull of a single cell.
    pub(super) fn new(family: &'a Family, own: u32) -> Self {
        let node = match family {
            Family::Tree(tree) => tree.path.len() as Node - 1,
            Family::Ranges(_) => range(own, own),
            Family::Sets(_) => 1 << own,
        };
        Hull { family, own, node }
    }

    /// The hull with one more cell.
    pub(super) fn join(self, cell: u32) -> Self {
        let node = match self.family {
            Family::Tree(tree) => {
                let same = |depth: &usize| tree.path[*depth][self.own as usize] == tree.path[*depth][cell as usize];
                (0..=self.node as usize).rev().find(same).unwrap_or(0) as Node
            }
            Family::Ranges(ranges) => {
                let (lo, hi) = bounds(self.node);
                let (lo, hi) = (lo.min(cell), hi.max(cell));
                let everything = ranges.missing && lo == 0 && hi > 0;
                if everything { range(0, ranges.cells as u32 - 1) } else { range(lo, hi) }
            }
            Family::Sets(_) => self.node | 1 << cell,
        };
        Hull { node, ..self }
    }

    pub(super) fn cost(self) -> Cost {
        match self.family {
            Family::Tree(tree) => tree.costs[tree.path[self.node as usize][self.own as usize] as usize],
            Family::Ranges(ranges) => {
                let (lo, hi) = bounds(self.node);
                ranges.cost(lo, hi)
            }
            Family::Sets(sets) => sets.cost(self.node),
        }
    }

    pub(super) fn covers(self, cell: u32) -> bool {
        match self.family {
            Family::Tree(tree) => {
                let nodes = &tree.path[self.node as usize];
                nodes[self.own as usize] == nodes[cell as usize]
            }
            Family::Ranges(_) => {
                let (lo, hi) = bounds(self.node);
                (lo..=hi).contains(&cell)
            }
            Family::Sets(_) => self.node >> cell & 1 == 1,
        }
    }

    /// The bounds of a range; `None` if closures are not windows of cells.
    pub(super) fn window(self) -> Option<(u32, u32)> {
        match self.family {
            Family::Ranges(ranges) if !ranges.missing => Some(bounds(self.node)),
            _ => None,
        }
    }

    /// The number of cells of a set.
    pub(super) fn size(self) -> usize {
        self.node.count_ones() as usize
    }
}

fn range(lo: u32, hi: u32) -> Node {
    u64::from(hi) << 32 | u64::from(lo)
}

fn bounds(node: Node) -> (u32, u32) {
    (node as u32, (node >> 32) as u32)
}
