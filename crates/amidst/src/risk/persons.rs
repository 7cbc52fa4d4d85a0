//! Whom the classes of a table hide, if it says whose its rows are.
//!
//! A class with rows of p persons is a crowd of p, however many rows it has. A person with rows in several classes can be looked for in each of
//! them, so the smallest of these crowds is what hides the person. With p persons in it, an adversary who knows that the person is in the
//! table, and who knows the quasi-identifiers of the right row, is right with probability 1/p.
//!
//! Complexity: O(n log n) for n rows.

use std::collections::BTreeMap;

/// The persons of a table, by the crowds that hide them.
#[derive(Debug, Clone, PartialEq)]
pub struct Crowded {
    /// The number of persons by the size, in persons, of the smallest class that they have a row in.
    pub hidden: BTreeMap<usize, usize>,
    /// The number of classes.
    pub classes: usize,
    /// Whether some person has rows in several classes.
    pub spread: bool,
    /// The largest share of a class that the rows of one person make up.
    pub largest_share: f64,
}

/// Who is in which class.
#[derive(Debug)]
pub struct Crowds {
    /// Each class with each person who has a row in it, sorted, and the number of these rows.
    members: Vec<(u32, u32, usize)>,
    /// The number of rows of each class.
    rows: Vec<usize>,
    /// The number of persons of each class.
    pub sizes: Vec<usize>,
}

impl Crowds {
    /// Counts the persons of each class. Both slices have an element for each row; classes are numbered from 0 to `classes` − 1.
    pub fn new(class_of: &[u32], persons: &[u32], classes: usize) -> Self {
        let mut pairs: Vec<(u32, u32)> = class_of.iter().copied().zip(persons.iter().copied()).collect();
        pairs.sort_unstable();
        let members = pairs.chunk_by(|a, b| a == b).map(|same| (same[0].0, same[0].1, same.len())).collect::<Vec<_>>();
        let (mut rows, mut sizes) = (vec![0; classes], vec![0; classes]);
        for (class, _, times) in &members {
            rows[*class as usize] += times;
            sizes[*class as usize] += 1;
        }
        Crowds { members, rows, sizes }
    }

    /// The persons by the smallest crowd that hides them.
    pub fn crowded(&self) -> Crowded {
        let share = |(class, _, times): &(u32, u32, usize)| *times as f64 / self.rows[*class as usize] as f64;
        let mut hidden = BTreeMap::new();
        let smallest = self.smallest(|class| self.sizes[class]);
        smallest.iter().for_each(|size| *hidden.entry(*size).or_default() += 1);
        Crowded {
            hidden,
            classes: self.sizes.len(),
            spread: smallest.len() < self.members.len(),
            largest_share: self.members.iter().map(share).fold(0.0, f64::max),
        }
    }

    /// For each person, the smallest of what `size` says of the classes with a row of the person.
    pub fn smallest(&self, size: impl Fn(usize) -> usize) -> Vec<usize> {
        let mut of_persons: Vec<(u32, usize)> =
            self.members.iter().map(|(class, person, _)| (*person, size(*class as usize))).collect();
        of_persons.sort_unstable();
        of_persons.dedup_by_key(|(person, _)| *person);
        of_persons.into_iter().map(|(_, size)| size).collect()
    }
}
