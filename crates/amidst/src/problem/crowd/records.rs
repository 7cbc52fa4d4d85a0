//! A set of records that finds those of one person.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// The most records that are kept in a sorted list. Most clusters have fewer, and a list of some hundred costs less than a tree.
const MOST_IN_LIST: usize = 256;

/// Pairs of a person and a record, by rising person.
#[derive(Debug, Clone)]
pub(super) enum Records {
    List(Vec<(u32, u32)>),
    Tree(BTreeSet<(u32, u32)>),
}

impl Default for Records {
    fn default() -> Self {
        Records::List(Vec::new())
    }
}

impl From<Vec<(u32, u32)>> for Records {
    /// The set of these pairs, which are sorted.
    fn from(pairs: Vec<(u32, u32)>) -> Self {
        if pairs.len() > MOST_IN_LIST { Records::Tree(pairs.into_iter().collect()) } else { Records::List(pairs) }
    }
}

impl PartialEq for Records {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Records {
    pub(super) fn insert(&mut self, pair: (u32, u32)) {
        match self {
            Records::Tree(tree) => drop(tree.insert(pair)),
            Records::List(list) if list.len() == MOST_IN_LIST => {
                let mut tree: BTreeSet<(u32, u32)> = std::mem::take(list).into_iter().collect();
                tree.insert(pair);
                *self = Records::Tree(tree);
            }
            Records::List(list) => {
                if let Err(place) = list.binary_search(&pair) {
                    list.insert(place, pair);
                }
            }
        }
    }

    pub(super) fn remove(&mut self, pair: (u32, u32)) {
        match self {
            Records::Tree(tree) => drop(tree.remove(&pair)),
            Records::List(list) => {
                if let Ok(place) = list.binary_search(&pair) {
                    list.remove(place);
                }
            }
        }
    }

    /// All pairs.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        let (list, tree) = match self {
            Records::List(list) => (list.as_slice(), None),
            Records::Tree(tree) => (&[][..], Some(tree)),
        };
        list.iter().chain(tree.into_iter().flatten()).copied()
    }

    /// The pairs of one person.
    pub(super) fn of(&self, person: u32) -> Cow<'_, [(u32, u32)]> {
        match self {
            Records::List(list) => {
                let start = list.partition_point(|(other, _)| *other < person);
                let own = list[start..].iter().take_while(|(other, _)| *other == person).count();
                Cow::Borrowed(&list[start..start + own])
            }
            Records::Tree(tree) => Cow::Owned(tree.range((person, 0)..=(person, u32::MAX)).copied().collect()),
        }
    }
}
