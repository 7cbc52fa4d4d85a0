//! A column of texts while the verification reads it: each distinct text once, and its number in each row.

use std::hash::BuildHasher;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::reading::{Texts, in_universal_time};

/// The largest number of short texts that a column finds by their bytes.
const MAX_SHORT_TEXTS: usize = 1 << 14;

/// A column of texts that is being built.
#[derive(Default)]
pub(super) struct TextColumn {
    /// The numbers of the first texts that have at most eight bytes, by these bytes. Most cells are found here.
    short: FxHashMap<[u8; 8], i32>,
    /// The numbers of the texts of the first distinct whole numbers.
    whole: FxHashMap<i64, i32>,
    /// The other distinct texts, by their hash.
    long: HashTable<i32>,
    /// All distinct texts, one after another.
    texts: String,
    /// The end of each distinct text.
    ends: Vec<i32>,
    /// The number of the text of each row; -1 for null.
    rows: Vec<i32>,
}

impl TextColumn {
    /// Appends the bytes of a text.
    pub fn push(&mut self, text: &[u8]) -> Result<(), String> {
        let number = match eight(text) {
            Some(bytes) => match self.short.get(&bytes) {
                Some(number) => *number,
                None if self.short.len() < MAX_SHORT_TEXTS => {
                    let number = self.add(text)?;
                    self.short.insert(bytes, number);
                    number
                }
                None => self.number(text)?,
            },
            None => self.number(text)?,
        };
        self.rows.push(number);
        Ok(())
    }

    /// The number of a text that is not among the short ones.
    fn number(&mut self, text: &[u8]) -> Result<i32, String> {
        let hash = FxBuildHasher.hash_one(text);
        if let Some(number) = self.long.find(hash, |number| self.text(*number).as_bytes() == text) {
            return Ok(*number);
        }
        let number = self.add(text)?;
        let TextColumn { long, texts, ends, .. } = self;
        long.insert_unique(hash, number, |other| FxBuildHasher.hash_one(nth(texts, ends, *other).as_bytes()));
        Ok(number)
    }

    /// Adds a distinct text.
    fn add(&mut self, text: &[u8]) -> Result<i32, String> {
        self.texts.push_str(std::str::from_utf8(text).map_err(|e| e.to_string())?);
        let end = i32::try_from(self.texts.len()).map_err(|_| "the column holds over 2 GiB of distinct text")?;
        self.ends.push(end);
        Ok(self.ends.len() as i32 - 1)
    }

    fn text(&self, number: i32) -> &str {
        nth(&self.texts, &self.ends, number)
    }

    /// Appends the rows of an array.
    pub fn extend(&mut self, array: &ArrayRef) -> Result<(), ArrowError> {
        let array = match array.data_type() {
            DataType::Dictionary(_, value) => cast(array, value)?,
            _ => array.clone(),
        };
        let array = in_universal_time(array)?;
        if array.data_type().is_integer() && *array.data_type() != DataType::UInt64 {
            return self.extend_whole(&cast(&array, &DataType::Int64)?);
        }
        let is_float = array.data_type().is_floating();
        let is_time = matches!(array.data_type(), DataType::Timestamp(_, None) | DataType::Date64);
        let texts = cast(&array, &DataType::LargeUtf8)?;
        for text in texts.as_string::<i64>() {
            match text.filter(|text| !(is_float && *text == "NaN")) {
                None => self.rows.push(-1),
                Some(text) => {
                    let day = text.strip_suffix("T00:00:00").filter(|_| is_time);
                    self.push(day.unwrap_or(text).as_bytes()).map_err(ArrowError::ParseError)?;
                }
            }
        }
        Ok(())
    }

    /// Appends whole numbers. The first distinct ones are written as text once.
    fn extend_whole(&mut self, array: &ArrayRef) -> Result<(), ArrowError> {
        for whole in array.as_primitive::<Int64Type>() {
            match whole.map(|whole| (whole, self.whole.get(&whole).copied())) {
                None => self.rows.push(-1),
                Some((_, Some(number))) => self.rows.push(number),
                Some((whole, None)) => {
                    self.push(whole.to_string().as_bytes()).map_err(ArrowError::ParseError)?;
                    if self.whole.len() < MAX_SHORT_TEXTS {
                        self.whole.extend(self.rows.last().map(|number| (whole, *number)));
                    }
                }
            }
        }
        Ok(())
    }

    /// The size in bytes.
    pub fn size(&self) -> usize {
        let numbers = (self.rows.capacity() + self.ends.capacity()) * size_of::<i32>();
        let tables = self.short.capacity() * size_of::<([u8; 8], i32)>() + self.long.allocation_size();
        numbers + tables + self.texts.capacity()
    }

    /// The column.
    pub fn finish(self) -> Result<Texts, ArrowError> {
        let nulls = self.rows.contains(&-1).then(|| self.rows.iter().map(|number| *number >= 0).collect());
        let ends = std::iter::once(0).chain(self.ends).collect::<Vec<i32>>();
        let texts =
            StringArray::try_new(OffsetBuffer::new(ends.into()), Buffer::from_vec(self.texts.into_bytes()), None)?;
        let numbers = Int32Array::try_new(ScalarBuffer::from(self.rows), nulls)?;
        DictionaryArray::try_new(numbers, Arc::new(texts))
    }
}

/// The bytes of a text of at most eight bytes, with zeros behind it; `None` if it has a zero itself.
fn eight(text: &[u8]) -> Option<[u8; 8]> {
    let mut bytes = [0; 8];
    for (place, byte) in bytes.iter_mut().zip(text) {
        *place = *byte;
    }
    (text.len() <= 8 && !text.contains(&0)).then_some(bytes)
}

/// One of several texts that stand one after another, by their ends.
fn nth<'a>(texts: &'a str, ends: &[i32], number: i32) -> &'a str {
    let end = |number: usize| ends[number] as usize;
    let number = number as usize;
    &texts[number.checked_sub(1).map_or(0, end)..end(number)]
}
