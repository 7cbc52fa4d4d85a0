//! The sets of rows among which records hide.

use std::collections::BTreeMap;

use super::Classes;

/// The rings of a release. Each record of a ring fits as many neighbouring rows as the window says.
#[derive(Debug, Clone, PartialEq)]
pub struct Rings {
    /// The rows, class by class, in the order of their places.
    pub rows: Vec<u32>,
    /// The window of each class, in rows.
    pub windows: Vec<usize>,
}

/// Sets of rows of which nobody can tell which row is whose: the classes or, in rings, all windows.
#[derive(Debug)]
pub struct Crowds {
    /// The rows, class by class. The rows of a ring are in the order of their places.
    rows: Vec<u32>,
    /// For each class, its number of rows and the number of rows of a crowd in it.
    sizes: Vec<(usize, usize)>,
}

impl Crowds {
    /// The classes as crowds.
    pub fn new(classes: &Classes) -> Self {
        let mut next: Vec<usize> = starts(&classes.sizes);
        let mut rows = vec![0; classes.of_row.len()];
        for (row, class) in (0..).zip(&classes.of_row) {
            let place = &mut next[*class as usize];
            rows[*place] = row;
            *place += 1;
        }
        Crowds { rows, sizes: classes.sizes.iter().map(|size| (*size, *size)).collect() }
    }

    /// A single class, or the windows of a single ring.
    pub fn of_class(classes: &Classes, rings: Option<&Rings>, class: u32) -> Self {
        let of_class = |row: &u32| classes.of_row[*row as usize] == class;
        let in_order: Box<dyn Iterator<Item = u32> + '_> = match rings {
            Some(rings) => Box::new(rings.rows.iter().copied()),
            None => Box::new(0..classes.of_row.len() as u32),
        };
        let rows: Vec<u32> = in_order.filter(of_class).collect();
        let crowd = rings.map_or(rows.len(), |rings| rings.windows[class as usize]);
        Crowds { sizes: vec![(rows.len(), crowd)], rows }
    }

    /// The windows of these rings as crowds.
    pub fn windows(classes: &Classes, rings: &Rings) -> Self {
        Crowds { rows: rings.rows.clone(), sizes: classes.sizes.iter().copied().zip(rings.windows.clone()).collect() }
    }

    /// Counts the values of the rows in each crowd, and passes the counts and the size of the crowd to `show`. From one window to the next,
    /// only one value leaves the counts and one enters.
    pub fn each(&self, values: &[usize], mut show: impl FnMut(&BTreeMap<usize, usize>, usize)) {
        let mut begin = 0;
        for (size, crowd) in &self.sizes {
            let rows = &self.rows[begin..begin + size];
            begin += size;
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            rows[..*crowd].iter().for_each(|row| *counts.entry(values[*row as usize]).or_default() += 1);
            show(&counts, *crowd);
            if crowd == size {
                continue; // the window is the whole class
            }
            for start in 0..size - 1 {
                let (out, new) = (values[rows[start] as usize], values[rows[(start + crowd) % size] as usize]);
                *counts.entry(new).or_default() += 1;
                if let Some(count) = counts.get_mut(&out) {
                    *count -= 1;
                    if *count == 0 {
                        counts.remove(&out);
                    }
                }
                show(&counts, *crowd);
            }
        }
    }
}

/// The start of each class if the classes are stored one after another.
pub(super) fn starts(sizes: &[usize]) -> Vec<usize> {
    sizes.iter().scan(0, |end, size| Some(std::mem::replace(end, *end + size))).collect()
}
