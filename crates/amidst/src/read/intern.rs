//! Text columns as dictionaries: every distinct text once, and its number in every row.

use std::hash::BuildHasher;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// Gives every distinct text a number, in the order of first sight.
pub struct Interner {
    numbers: HashTable<u32>,
    hasher: FxBuildHasher,
    /// All distinct texts, one after the other.
    bytes: Vec<u8>,
    /// Where each begins; the last is where the next will.
    offsets: Vec<i32>,
    keys: Vec<i32>,
    nulls: Vec<usize>,
}

impl Default for Interner {
    fn default() -> Self {
        Interner {
            numbers: HashTable::new(),
            hasher: FxBuildHasher,
            bytes: Vec::new(),
            offsets: vec![0],
            keys: Vec::new(),
            nulls: Vec::new(),
        }
    }
}

/// What [`Interner::push`] can refuse.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The bytes are not UTF-8.
    InvalidUtf8,
    /// The distinct texts of a column exceed 2 GiB.
    TooLarge,
}

impl Interner {
    /// Appends a row. The text is checked the first time it is seen.
    pub fn push(&mut self, text: &[u8]) -> Result<(), Refusal> {
        let Interner { numbers, hasher, bytes, offsets, .. } = self;
        let hash = hasher.hash_one(text);
        let known = numbers.find(hash, |n| *slice(bytes, offsets, *n) == *text).copied();
        let number = if let Some(number) = known {
            number
        } else {
            std::str::from_utf8(text).map_err(|_| Refusal::InvalidUtf8)?;
            let end = i32::try_from(bytes.len() + text.len()).map_err(|_| Refusal::TooLarge)?;
            let number = offsets.len() as u32 - 1;
            bytes.extend_from_slice(text);
            offsets.push(end);
            numbers.insert_unique(hash, number, |n| hasher.hash_one(slice(bytes, offsets, *n)));
            number
        };
        self.keys.push(number as i32);
        Ok(())
    }

    /// Appends a row without a value.
    pub fn push_null(&mut self) {
        self.nulls.push(self.keys.len());
        self.keys.push(0);
    }

    /// The column.
    pub fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        let nulls = (!self.nulls.is_empty()).then(|| {
            let mut valid = vec![true; self.keys.len()];
            self.nulls.iter().for_each(|row| valid[*row] = false);
            NullBuffer::from(valid)
        });
        if self.offsets.len() == 1 {
            self.offsets.push(0); // a column of nulls still needs a value that its keys can name
        }
        let offsets = OffsetBuffer::new(self.offsets.into());
        let values = StringArray::try_new(offsets, Buffer::from_vec(self.bytes), None)?;
        let keys = Int32Array::new(ScalarBuffer::from(self.keys), nulls);
        Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::new(values))?))
    }
}

fn slice<'a>(bytes: &'a [u8], offsets: &[i32], number: u32) -> &'a [u8] {
    &bytes[offsets[number as usize] as usize..offsets[number as usize + 1] as usize]
}

/// True for the types that hold text, in any of Arrow's forms.
pub(super) fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, value) => is_text(value),
        _ => false,
    }
}

/// Appends every row of a text array to `interner`.
pub(super) fn push_all(interner: &mut Interner, array: &ArrayRef) -> Result<(), String> {
    let plain = cast(array, &DataType::LargeUtf8).map_err(|e| e.to_string())?;
    for text in plain.as_string::<i64>() {
        match text {
            Some(text) => interner.push(text.as_bytes()).map_err(|_| "over 2 GiB of distinct text".to_owned())?,
            None => interner.push_null(),
        }
    }
    Ok(())
}

/// Any column as text: a dictionary of distinct texts. Numbers and dates are written as Arrow displays them.
pub fn texts(array: &ArrayRef) -> Result<DictionaryArray<Int32Type>, String> {
    if let Some(ready) = array.as_any_dictionary_opt()
        && *array.data_type() == DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
    {
        return Ok(ready.as_any().downcast_ref().cloned().unwrap_or_else(|| unreachable!("it is of that type")));
    }
    let mut interner = Interner::default();
    push_all(&mut interner, array)?;
    let column = interner.finish().map_err(|e| e.to_string())?;
    Ok(column.as_dictionary::<Int32Type>().clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_once() {
        let mut interner = Interner::default();
        for text in ["b", "", "a", "b", ""] {
            interner.push(text.as_bytes()).unwrap();
        }
        interner.push_null();
        assert_eq!(interner.push(&[0xff]), Err(Refusal::InvalidUtf8));
        let column = interner.finish().unwrap();
        let column = column.as_dictionary::<Int32Type>();
        assert_eq!(column.values().as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["b", "", "a"]);
        assert_eq!(column.keys().iter().collect::<Vec<_>>(), [Some(0), Some(1), Some(2), Some(0), Some(1), None]);
    }
}
