//! The nearest points of each point.

use super::blocks::Items;
use crate::cluster::points::{Cloud, squared};

/// The number of points up to which every point is compared with all others.
const MAX_COMPARED: usize = 2048;
/// With more points, a point is compared with those of the same leaf of a few trees.
const LEAF: usize = 96;
/// The shares of points before the first cut of these trees.
const TREES: [f64; 4] = [0.5, 0.33, 0.6, 0.42];

/// For each point, some near points, the nearest first.
pub(super) struct Near {
    points: Vec<u32>,
    /// Where the near points of each point end.
    ends: Vec<u32>,
}

impl Near {
    /// About `each` near points of each point.
    pub(super) fn new(cloud: &Cloud, each: usize) -> Self {
        let each = each.min(cloud.len().saturating_sub(1));
        let all: Vec<u32> = (0..cloud.len() as u32).collect();
        let leaves: Vec<Vec<Vec<u32>>> = if cloud.len() <= MAX_COMPARED {
            vec![vec![all]]
        } else {
            let items = Items { width: cloud.width(), size: &|_| 1, on: &|point, axis| cloud.at(point)[axis] };
            TREES.iter().map(|share| items.blocks(all.clone(), LEAF.max(2 * each), *share)).collect()
        };
        let leaf_of: Vec<Vec<u32>> = leaves.iter().map(|leaves| numbered(leaves, cloud.len())).collect();
        let (mut points, mut ends) = (Vec::with_capacity(cloud.len() * each), Vec::with_capacity(cloud.len()));
        let mut found: Vec<(f64, u32)> = Vec::new();
        for point in 0..cloud.len() as u32 {
            found.clear();
            for (leaves, leaf_of) in leaves.iter().zip(&leaf_of) {
                let others = leaves[leaf_of[point as usize] as usize].iter().filter(|other| **other != point);
                found.extend(others.map(|other| (squared(cloud.at(point), cloud.at(*other)), *other)));
            }
            if leaves.len() > 1 {
                found.sort_unstable_by_key(|(_, other)| *other);
                found.dedup_by_key(|(_, other)| *other);
            }
            let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            if each < found.len() {
                found.select_nth_unstable_by(each, order);
                found.truncate(each);
            }
            found.sort_unstable_by(order);
            points.extend(found.iter().map(|(_, other)| *other));
            ends.push(points.len() as u32);
        }
        Near { points, ends }
    }

    /// The near points of a point.
    pub(super) fn of(&self, point: u32) -> &[u32] {
        let from = if point == 0 { 0 } else { self.ends[point as usize - 1] };
        &self.points[from as usize..self.ends[point as usize] as usize]
    }
}

/// The number of the leaf that each point is in.
fn numbered(leaves: &[Vec<u32>], points: usize) -> Vec<u32> {
    let mut number = vec![0; points];
    for (leaf, points) in leaves.iter().enumerate() {
        points.iter().for_each(|point| number[*point as usize] = leaf as u32);
    }
    number
}
