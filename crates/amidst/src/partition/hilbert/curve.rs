//! The Hilbert curve through the integer points of a cube of any dimension.
//!
//! The curve visits the 2ⁿ sub-cubes that halve the cube in every direction, one neighbour after the other,
//! and passes through each of them along a rotated and mirrored copy of itself. So the index of a point is
//! a sequence of digits, one for each bit of its coordinates. A digit says in which sub-cube the point
//! lies, in the order of a Gray code that starts where the curve enters (`entry`) and depends on the
//! direction in which it leaves (`turn`).
//!
//! Butz: Alternative algorithm for Hilbert's space-filling curve. IEEE Transactions on Computers, 1971; in
//! the form of Hamilton: Compact Hilbert indices. Dalhousie University, CS-2006-07. Several curves in more
//! than two dimensions are called Hilbert's. This is the one whose values Goldberger and Tassa print.

/// The curve through the points with `dimensions` coordinates of `bits` bits each.
pub(super) struct Curve {
    pub(super) dimensions: usize,
    pub(super) bits: u32,
}

impl Curve {
    /// The number of words in an index.
    pub(super) fn words(&self) -> usize {
        (self.dimensions * self.bits as usize).div_ceil(64)
    }

    /// Writes the index of a point on the curve into `words`, the most significant word first. So slices
    /// compare as the numbers do.
    pub(super) fn index(&self, point: &[u32], words: &mut [u64]) {
        let n = self.dimensions;
        words.fill(0);
        let unused = words.len() * 64 - n * self.bits as usize;
        let mut place = unused;
        let mut entry = vec![false; n];
        let mut digit = vec![false; n];
        let mut turn = 1 % n.max(1);
        for bit in (0..self.bits).rev() {
            // The rank in the Gray code, seen from the entry: each bit is the sum of all higher bits. Bit 0
            // is the lowest.
            let mut sum = false;
            for i in (0..n).rev() {
                let axis = (i + turn) % n;
                sum ^= (point[axis] >> bit & 1 == 1) ^ entry[axis];
                digit[i] = sum;
                words[place / 64] |= u64::from(sum) << (63 - place % 64);
                place += 1;
            }
            turn = (turn + enter(&mut digit, &mut entry, turn)) % n;
        }
    }
}

/// Moves `entry` into the sub-cube number `digit`, whose bits are overwritten. Returns how far the
/// direction turns.
fn enter(digit: &mut [bool], entry: &mut [bool], turn: usize) -> usize {
    let n = digit.len();
    let Some(lowest) = digit.iter().position(|bit| *bit) else { return 1 };
    let further = if lowest == 0 {
        digit[0] = false;
        digit[1..].iter().position(|bit| !bit).unwrap_or(n - 1) + 1
    } else {
        // The number minus one, without its last bit.
        digit[lowest] = false;
        digit[1..lowest].fill(true);
        lowest
    };
    for i in 0..n {
        let above = digit.get(i + 1).copied().unwrap_or(false);
        entry[(i + turn) % n] ^= digit[i] ^ above;
    }
    further + 1
}

#[cfg(test)]
mod tests {
    use hilbert_index::ToHilbertIndex;

    use super::*;

    fn index(point: &[u32], bits: u32) -> u64 {
        let curve = Curve { dimensions: point.len(), bits };
        let mut words = vec![0; curve.words()];
        curve.index(point, &mut words);
        assert_eq!(words.len(), 1);
        words[0]
    }

    /// All points of a cube.
    fn cube(dimensions: usize, bits: u32) -> impl Iterator<Item = Vec<u32>> {
        let mask = (1_u64 << bits) - 1;
        let axes = 0..dimensions as u32;
        (0..1_u64 << (dimensions as u32 * bits))
            .map(move |number| axes.clone().map(|axis| (number >> (axis * bits) & mask) as u32).collect())
    }

    /// The four records of table 1 in Goldberger and Tassa, before and after the first three attributes are stretched.
    #[test]
    fn the_values_that_the_paper_prints() {
        let values = |points: [[u32; 4]; 4]| points.map(|point| index(&point, 2));
        assert_eq!(values([[0, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 2], [1, 1, 1, 2]]), [0, 9, 118, 123]);
        assert_eq!(values([[0, 0, 0, 0], [2, 2, 2, 0], [0, 0, 0, 2], [2, 2, 2, 2]]), [0, 220, 118, 162]);
    }

    #[test]
    fn every_point_is_visited_once_by_steps_of_one() {
        for (dimensions, bits) in [(1, 6), (2, 1), (2, 5), (3, 4), (4, 3), (5, 2), (6, 2), (7, 2), (13, 1)] {
            let mut points: Vec<(u64, Vec<u32>)> = cube(dimensions, bits).map(|p| (index(&p, bits), p)).collect();
            points.sort();
            assert!(points.iter().enumerate().all(|(place, (index, _))| *index == place as u64));
            for pair in points.windows(2) {
                let steps: u32 = pair[0].1.iter().zip(&pair[1].1).map(|(a, b)| a.abs_diff(*b)).sum();
                assert_eq!(steps, 1, "{dimensions} dimensions, {bits} bits: {pair:?}");
            }
        }
    }

    fn against_another_program<const D: usize>(bits: u32) {
        for point in cube(D, bits) {
            let other: [usize; D] = std::array::from_fn(|axis| point[axis] as usize);
            assert_eq!(index(&point, bits), other.to_hilbert_index(bits as usize) as u64, "{point:?}, {bits} bits");
        }
    }

    #[test]
    fn another_program_gives_the_same_indices() {
        (1..=4).for_each(against_another_program::<2>);
        (1..=4).for_each(against_another_program::<3>);
        (1..=3).for_each(against_another_program::<4>);
        (1..=2).for_each(against_another_program::<5>);
        (1..=2).for_each(against_another_program::<8>);
    }

    #[test]
    fn indices_of_more_than_one_word_keep_their_order() {
        // A step in the lowest bit of one axis from one end of the curve to the next point: the index grows by one.
        let curve = Curve { dimensions: 70, bits: 3 };
        let index = |point: &[u32]| {
            let mut words = vec![0; curve.words()];
            curve.index(point, &mut words);
            words
        };
        let mut firsts: Vec<Vec<u64>> = (0..70)
            .map(|axis| {
                let mut point = [0; 70];
                point[axis] = 1;
                index(&point)
            })
            .collect();
        firsts.sort();
        assert_eq!(index(&[0; 70]), [0; 4]);
        assert_eq!(firsts[0], [0, 0, 0, 1]);
        firsts.dedup();
        assert_eq!(firsts.len(), 70);
    }
}
