//! Rows with the same texts, found by numbers of the texts.

use std::hash::Hash;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use rustc_hash::FxHashMap;

use super::Classes;
use super::reading::{Texts, texts};
use crate::error::Result;
use crate::read::Table;

/// The number of rows that are looked at together.
const ROWS_AT_ONCE: usize = 4096;

/// A column with a number for each row. Equal texts have equal numbers; null and the empty text have the same.
pub(super) enum Numbered<'a> {
    /// The texts, the number of each distinct one, and the number of null, which is the highest.
    Texts(Texts, Vec<u32>, u32),
    /// Numbers that are known.
    Known(&'a [u32]),
}

impl Numbered<'_> {
    /// The numbers of a column.
    pub fn of(table: &Table, column: &str) -> Result<Self> {
        let texts = texts(table, column)?;
        let values = texts.values().as_string::<i32>();
        let null = values.len() as u32;
        let number = |(text, number): (Option<&str>, u32)| if text.is_none_or(str::is_empty) { null } else { number };
        let numbers = values.iter().zip(0..).map(number).collect();
        Ok(Numbered::Texts(texts, numbers, null))
    }

    /// The number of a row.
    pub fn at(&self, row: usize) -> u32 {
        match self {
            Numbered::Texts(texts, numbers, null) => texts.key(row).map_or(*null, |key| numbers[key]),
            Numbered::Known(numbers) => numbers[row],
        }
    }

    /// How many bits each number fits.
    fn bits(&self) -> u32 {
        let highest = match self {
            Numbered::Texts(_, _, null) => *null,
            Numbered::Known(numbers) => numbers.iter().copied().max().unwrap_or(0),
        };
        u32::BITS - highest.leading_zeros()
    }
}

/// The classes of rows with the same numbers in all of these columns.
pub(super) fn classes(rows: usize, columns: &[Numbered]) -> Classes {
    let bits: Vec<u32> = columns.iter().map(Numbered::bits).collect();
    let mut finder =
        Finder { rows, found: Classes { of_row: Vec::with_capacity(rows), sizes: Vec::new(), first: Vec::new() } };
    if bits.iter().sum::<u32>() <= u128::BITS {
        // The numbers of a row side by side are one number, which is compared faster.
        finder.find(|rows, keys: &mut Vec<u128>| {
            keys.resize(rows.len(), 0);
            for (column, bits) in columns.iter().zip(&bits) {
                for (key, row) in keys.iter_mut().zip(rows.clone()) {
                    *key = (*key << bits) | u128::from(column.at(row));
                }
            }
        });
    } else {
        finder.find(|rows, keys: &mut Vec<Box<[u32]>>| {
            keys.extend(rows.map(|row| columns.iter().map(|column| column.at(row)).collect::<Box<[u32]>>()));
        });
    }
    finder.found
}

/// Classes while they are found.
struct Finder {
    rows: usize,
    found: Classes,
}

impl Finder {
    /// Goes through the rows. `keys` fills in what rows of one class have in common.
    fn find<K: Hash + Eq>(&mut self, keys: impl Fn(std::ops::Range<usize>, &mut Vec<K>)) {
        let mut known: FxHashMap<K, u32> = FxHashMap::default();
        let mut some = Vec::new();
        let Classes { of_row, sizes, first } = &mut self.found;
        for start in (0..self.rows).step_by(ROWS_AT_ONCE) {
            let rows = start..self.rows.min(start + ROWS_AT_ONCE);
            keys(rows.clone(), &mut some);
            for (key, row) in some.drain(..).zip(rows) {
                let class = *known.entry(key).or_insert_with(|| {
                    sizes.push(0);
                    first.push(row);
                    sizes.len() as u32 - 1
                });
                sizes[class as usize] += 1;
                of_row.push(class);
            }
        }
    }
}
