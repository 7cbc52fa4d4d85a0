//! The distinct tuples of a table, in the order in which they first occur.
//!
//! The codes of most tables fit 64 bits together. Such a tuple is one number, which is compared without looking at the codes of another tuple
//! somewhere else in memory.

use std::hash::BuildHasher;
use std::ops::Range;

use arrow_array::types::Int32Type;
use arrow_array::{Array, DictionaryArray};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

use super::Code;
use super::domain::DictionaryCodes;
use crate::error::Result;
use crate::progress::Progress;

/// The number of rows that are encoded at a time.
const BLOCK_ROWS: usize = 1 << 14;

/// The texts of a column, and the codes of its dictionary.
pub(super) type Column = (DictionaryArray<Int32Type>, DictionaryCodes);

/// The distinct tuples of a table.
#[derive(Debug, Default)]
pub(super) struct Tuples {
    /// The codes, one tuple after the other.
    pub codes: Vec<Code>,
    /// The tuple of each row.
    pub of_row: Vec<u32>,
    /// The number of distinct tuples.
    pub count: usize,
}

impl Tuples {
    /// The distinct tuples of the first `rows` rows of these columns.
    pub fn new(columns: &[Column], rows: usize, progress: Progress) -> Result<Self> {
        let bits: Vec<u32> = columns.iter().map(|(_, codes)| codes.bits()).collect();
        let mut tuples = Tuples { of_row: Vec::with_capacity(rows), ..Tuples::default() };
        if bits.iter().sum::<u32>() <= u64::BITS {
            tuples.pack(columns, &bits, rows, progress)?;
        } else {
            tuples.compare(columns, rows, progress)?;
        }
        tuples.codes.shrink_to_fit();
        Ok(tuples)
    }

    /// Finds tuples whose codes fit 64 bits together. `bits` are those that each column needs.
    fn pack(&mut self, columns: &[Column], bits: &[u32], rows: usize, progress: Progress) -> Result<()> {
        let shifts: Vec<u32> = bits.iter().scan(0, |sum, bits| Some(std::mem::replace(sum, *sum + bits))).collect();
        let places: Vec<(u32, u32)> = shifts.into_iter().zip(bits.iter().copied()).collect();
        let mut known: HashTable<(u64, u32)> = HashTable::new();
        let hash = |packed: u64| FxBuildHasher.hash_one(packed);
        let mut block = Vec::with_capacity(BLOCK_ROWS);
        for begin in (0..rows).step_by(BLOCK_ROWS) {
            let range = begin..rows.min(begin + BLOCK_ROWS);
            block.clear();
            block.resize(range.len(), 0_u64);
            for ((column, codes), (shift, bits)) in columns.iter().zip(&places) {
                if *bits > 0 {
                    codes.each(column, range.clone(), |place, code| block[place] |= u64::from(code) << shift);
                }
            }
            for packed in &block {
                let place = known.entry(hash(*packed), |(other, _)| other == packed, |(other, _)| hash(*other));
                self.of_row.push(match place {
                    Entry::Occupied(place) => place.get().1,
                    Entry::Vacant(place) => {
                        let number = self.count as u32;
                        place.insert((*packed, number));
                        let code = |(shift, bits): &(u32, u32)| match bits {
                            0 => 0,
                            bits => (packed >> shift & (u64::MAX >> (u64::BITS - bits))) as Code,
                        };
                        self.codes.extend(places.iter().map(code));
                        self.count += 1;
                        number
                    }
                });
            }
            progress.advance(range.len() as u64)?;
        }
        Ok(())
    }

    /// Finds tuples of any width.
    fn compare(&mut self, columns: &[Column], rows: usize, progress: Progress) -> Result<()> {
        let width = columns.len();
        let mut known: HashTable<u32> = HashTable::new();
        let hash = |codes: &[Code]| FxBuildHasher.hash_one(codes);
        let mut block = Vec::with_capacity(BLOCK_ROWS * width);
        for begin in (0..rows).step_by(BLOCK_ROWS) {
            let range = begin..rows.min(begin + BLOCK_ROWS);
            block.clear();
            block.resize(range.len() * width, 0);
            for (at, (column, codes)) in columns.iter().enumerate() {
                codes.each(column, range.clone(), |place, code| block[place * width + at] = code);
            }
            for tuple in block.chunks_exact(width) {
                let of = |other: &u32| &self.codes[*other as usize * width..][..width];
                let place = known.entry(hash(tuple), |other| of(other) == tuple, |other| hash(of(other)));
                self.of_row.push(match place {
                    Entry::Occupied(place) => *place.get(),
                    Entry::Vacant(place) => {
                        let number = self.count as u32;
                        place.insert(number);
                        self.codes.extend_from_slice(tuple);
                        self.count += 1;
                        number
                    }
                });
            }
            progress.advance(range.len() as u64)?;
        }
        Ok(())
    }
}

impl DictionaryCodes {
    /// The number of bits that the codes need.
    fn bits(&self) -> u32 {
        let most = self.value.iter().copied().fold(self.null, Code::max);
        Code::BITS - most.leading_zeros()
    }

    /// Passes the code of each of these rows to `take`, with the place of the row among them.
    fn each(&self, column: &DictionaryArray<Int32Type>, rows: Range<usize>, mut take: impl FnMut(usize, Code)) {
        let keys = &column.keys().values()[rows.clone()];
        if column.null_count() == 0 {
            keys.iter().enumerate().for_each(|(place, key)| take(place, self.value[*key as usize]));
            return;
        }
        for (place, (row, key)) in rows.zip(keys).enumerate() {
            take(place, if column.is_null(row) { self.null } else { self.value[*key as usize] });
        }
    }
}
