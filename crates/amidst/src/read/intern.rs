//! Text columns as dictionaries: each distinct text once, and its number in each row.

use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, LargeStringArray, StringArray, UInt32Array};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use arrow_select::take::take;
use hashbrown::HashTable;
use memchr::memchr;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::strict::FIELD_LIMIT;

/// The end of a time at midnight, as Arrow writes it.
const MIDNIGHT: &str = "T00:00:00";

/// The row after which a column remembers its short texts. Before that, the memory would cost more than it saves.
const FIRST_REMEMBERED_ROW: usize = 4096;
/// The number of rows of numbers that are looked at together.
const NUMBERS_AT_ONCE: usize = 1 << 16;
/// The number of short texts that a column remembers, as a power of two.
const REMEMBERED_BITS: u32 = 9;

/// A builder for a dictionary column. It numbers distinct texts in the order in which they first occur.
pub struct Interner {
    numbers: HashTable<u32>,
    /// Short texts that came up before, packed, with their numbers: found without looking at the texts themselves.
    recent: Vec<(u64, i32)>,
    hasher: FxBuildHasher,
    /// All distinct texts, one after another.
    bytes: Vec<u8>,
    /// The start of each distinct text in `bytes`, and the end of the last.
    offsets: Vec<i32>,
    keys: Vec<i32>,
    nulls: Vec<usize>,
}

impl Default for Interner {
    fn default() -> Self {
        Interner {
            numbers: HashTable::new(),
            recent: Vec::new(),
            hasher: FxBuildHasher,
            bytes: Vec::new(),
            offsets: vec![0],
            keys: Vec::new(),
            nulls: Vec::new(),
        }
    }
}

/// A reason why [`Interner::push`] refuses a text.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The bytes are not UTF-8.
    InvalidUtf8,
    /// The text contains a zero byte.
    Nul,
    /// The text is too long.
    TooLong,
    /// The distinct texts of a column exceed 2 GiB.
    TooLarge,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::InvalidUtf8 => "the text is not valid UTF-8",
            Refusal::Nul => "the text contains a zero byte (NUL); repair the file",
            Refusal::TooLong => "the text is longer than 16 MiB; shorten it, or leave the column out",
            Refusal::TooLarge => "the column holds over 2 GiB of distinct text; leave it out",
        })
    }
}

impl Interner {
    /// Appends a row. A text is checked when it first occurs.
    pub fn push(&mut self, text: &[u8]) -> Result<(), Refusal> {
        let number = match packed(text) {
            Some(packed) if self.keys.len() >= FIRST_REMEMBERED_ROW => self.remembered(packed, text)?,
            _ => self.number(text)?,
        };
        self.keys.push(number);
        Ok(())
    }

    /// The number of a short text.
    fn remembered(&mut self, packed: u64, text: &[u8]) -> Result<i32, Refusal> {
        if self.recent.is_empty() {
            self.recent.resize(1 << REMEMBERED_BITS, (0, 0)); // no text is packed as 0
        }
        let place = (packed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - REMEMBERED_BITS)) as usize;
        let (known, number) = self.recent[place];
        if known == packed {
            return Ok(number);
        }
        let number = self.number(text)?;
        self.recent[place] = (packed, number);
        Ok(number)
    }

    /// The number of a text. A new text gets a new number.
    fn number(&mut self, text: &[u8]) -> Result<i32, Refusal> {
        let Interner { numbers, hasher, bytes, offsets, .. } = self;
        let hash = hasher.hash_one(text);
        let known = numbers.find(hash, |n| *slice(bytes, offsets, *n) == *text).copied();
        let number = if let Some(number) = known {
            number
        } else {
            if text.len() > FIELD_LIMIT {
                return Err(Refusal::TooLong);
            }
            std::str::from_utf8(text).map_err(|_| Refusal::InvalidUtf8)?;
            if memchr(0, text).is_some() {
                return Err(Refusal::Nul);
            }
            let end = i32::try_from(bytes.len() + text.len()).map_err(|_| Refusal::TooLarge)?;
            let number = offsets.len() as u32 - 1;
            bytes.extend_from_slice(text);
            offsets.push(end);
            numbers.insert_unique(hash, number, |n| hasher.hash_one(slice(bytes, offsets, *n)));
            number
        };
        Ok(number as i32)
    }

    /// The size in bytes.
    pub fn size(&self) -> usize {
        let texts = self.numbers.allocation_size() + self.bytes.capacity() + self.offsets.capacity() * size_of::<i32>();
        let texts = texts + self.recent.capacity() * size_of::<(u64, i32)>();
        texts + self.keys.capacity() * size_of::<i32>() + self.nulls.capacity() * size_of::<usize>()
    }

    /// Appends a row without a value.
    pub fn push_null(&mut self) {
        self.nulls.push(self.keys.len());
        self.keys.push(0);
    }

    /// Finishes the column.
    pub fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        let nulls = (!self.nulls.is_empty()).then(|| {
            let mut valid = vec![true; self.keys.len()];
            self.nulls.iter().for_each(|row| valid[*row] = false);
            NullBuffer::from(valid)
        });
        if self.offsets.len() == 1 {
            self.offsets.push(0); // a column of nulls still needs a value for its keys
        }
        let offsets = OffsetBuffer::new(self.offsets.into());
        let values = StringArray::try_new(offsets, Buffer::from_vec(self.bytes), None)?;
        let keys = Int32Array::new(ScalarBuffer::from(self.keys), nulls);
        Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::new(values))?))
    }
}

/// A text of at most seven bytes and its length in one number, which is never 0.
fn packed(text: &[u8]) -> Option<u64> {
    let length = text.len() as u64 + 1;
    (text.len() < 8).then(|| text.iter().fold(length, |packed, byte| packed << 8 | u64::from(*byte)))
}

fn slice<'a>(bytes: &'a [u8], offsets: &[i32], number: u32) -> &'a [u8] {
    &bytes[offsets[number as usize] as usize..offsets[number as usize + 1] as usize]
}

/// Whether a type holds text, in any of Arrow's forms.
pub(super) fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, value) => is_text(value),
        _ => false,
    }
}

/// Appends the text of each row of an array to `interner`.
pub(super) fn push_all(interner: &mut Interner, array: &ArrayRef) -> Result<(), String> {
    let refused = |refusal: Refusal| refusal.to_string();
    if let Some(dictionary) = array.as_any_dictionary_opt()
        && !dictionary.values().is_empty()
    {
        // Each distinct text is looked up once, in the order of the rows.
        let values = plain(dictionary.values())?;
        let mut numbers: Vec<Option<i32>> = vec![None; values.len()];
        for (row, key) in dictionary.normalized_keys().into_iter().enumerate() {
            if dictionary.is_null(row) || values.is_null(key) {
                interner.push_null();
            } else if let Some(number) = numbers[key] {
                interner.keys.push(number);
            } else {
                let number = interner.number(values.value(key).as_bytes()).map_err(refused)?;
                numbers[key] = Some(number);
                interner.keys.push(number);
            }
        }
        return Ok(());
    }
    if bits(&array.slice(0, 0)).is_some() {
        return push_numbers(interner, array);
    }
    for text in &plain(array)? {
        match text {
            Some(text) => interner.push(text.as_bytes()).map_err(refused)?,
            None => interner.push_null(),
        }
    }
    Ok(())
}

/// Appends the text of each number or time of an array to `interner`. Numbers are compared by their bits, and each distinct number is written as
/// text once. A few rows at a time take little memory.
fn push_numbers(interner: &mut Interner, array: &ArrayRef) -> Result<(), String> {
    let mut known: FxHashMap<u64, u32> = FxHashMap::default();
    let mut numbers: Vec<Option<i32>> = Vec::new();
    for start in (0..array.len()).step_by(NUMBERS_AT_ONCE) {
        let part = array.slice(start, NUMBERS_AT_ONCE.min(array.len() - start));
        let mut first: Vec<u32> = Vec::new();
        let mut id = |(row, bits): (u32, u64)| {
            let new = || {
                first.push(row);
                (numbers.len() + first.len()) as u32 - 1
            };
            part.is_valid(row as usize).then(|| *known.entry(bits).or_insert_with(new))
        };
        let ids: Vec<Option<u32>> = (0_u32..).zip(bits(&part).into_iter().flatten()).map(&mut id).collect();
        let distinct = take(&part, &UInt32Array::from(first), None).map_err(|e| e.to_string())?;
        for text in &plain(&distinct)? {
            let number = text.map(|text| interner.number(text.as_bytes())).transpose();
            numbers.push(number.map_err(|refusal| refusal.to_string())?);
        }
        for id in ids {
            match id.and_then(|id| numbers[id as usize]) {
                Some(number) => interner.keys.push(number),
                None => interner.push_null(),
            }
        }
    }
    Ok(())
}

/// The bits of each number or time, including those under nulls; `None` if the array has no numbers.
fn bits(array: &ArrayRef) -> Option<Vec<u64>> {
    match array.data_type() {
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Timestamp(..) => {
            let numbers = cast(array, &DataType::Int64).ok()?;
            Some(numbers.as_primitive::<Int64Type>().values().iter().map(|number| *number as u64).collect())
        }
        DataType::Float64 => Some(array.as_primitive::<Float64Type>().values().iter().map(|n| n.to_bits()).collect()),
        _ => None,
    }
}

/// The texts of an array as Arrow displays them, except that NaN is missing, a time at midnight is a day, and times of a named zone are in
/// universal time: when clocks were changed in a zone is not known here.
fn plain(array: &ArrayRef) -> Result<LargeStringArray, String> {
    let array = &match array.data_type() {
        DataType::Timestamp(unit, Some(zone)) if !zone.starts_with(['+', '-']) => {
            let universal = DataType::Timestamp(*unit, Some("+00:00".into()));
            cast(array, &universal).map_err(|e| e.to_string())?
        }
        _ => array.clone(),
    };
    let texts = cast(array, &DataType::LargeUtf8).map_err(|e| e.to_string())?;
    let texts = texts.as_string::<i64>();
    Ok(match array.data_type() {
        DataType::Float16 | DataType::Float32 | DataType::Float64 => {
            texts.iter().map(|text| text.filter(|text| *text != "NaN")).collect()
        }
        DataType::Timestamp(_, None) | DataType::Date64 => {
            let day = |text| str::strip_suffix(text, MIDNIGHT).unwrap_or(text);
            texts.iter().map(|text| text.map(day)).collect()
        }
        _ => texts.clone(),
    })
}

/// Any column as text: a dictionary of distinct texts. Numbers and dates are written as Arrow displays them, except that NaN is missing, a
/// time at midnight is a day, and times of a named zone are in universal time.
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
    use arrow_array::{Float64Array, TimestampSecondArray};

    use super::*;

    #[test]
    fn dictionaries_by_their_values() {
        let keys = Int32Array::from(vec![Some(2), None, Some(0), Some(2), Some(1)]);
        let values = StringArray::from(vec![Some("a"), None, Some("b")]);
        let array: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::new(values)));
        let mut interner = Interner::default();
        push_all(&mut interner, &array).unwrap();
        push_all(&mut interner, &(Arc::new(StringArray::from(vec!["a", "c"])) as ArrayRef)).unwrap();
        let column = interner.finish().unwrap();
        let column = column.as_dictionary::<Int32Type>();
        assert_eq!(column.values().as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["b", "a", "c"]);
        let keys = [Some(0), None, Some(1), Some(0), None, Some(1), Some(2)];
        assert_eq!(column.keys().iter().collect::<Vec<_>>(), keys);
    }

    #[test]
    fn what_is_missing_and_what_is_a_day() {
        let cells = |array: ArrayRef| {
            let texts = texts(&array).unwrap();
            let values = texts.values().as_string::<i32>().clone();
            (0..texts.len()).map(|row| texts.key(row).map(|key| values.value(key).to_owned())).collect::<Vec<_>>()
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(cells(Arc::new(Float64Array::from(vec![1.5, f64::NAN, 2.0]))), [some("1.5"), None, some("2.0")]);
        let whole = arrow_array::Int32Array::from(vec![Some(7), None, Some(-7), Some(7), Some(0)]);
        assert_eq!(cells(Arc::new(whole)), [some("7"), None, some("-7"), some("7"), some("0")]);
        let days = arrow_array::Date32Array::from(vec![Some(0), Some(1), None]);
        assert_eq!(cells(Arc::new(days)), [some("1970-01-01"), some("1970-01-02"), None]);
        let noon = 43_200 + 86_400;
        let times = TimestampSecondArray::from(vec![Some(86_400), None, Some(noon)]);
        assert_eq!(cells(Arc::new(times)), [some("1970-01-02"), None, some("1970-01-02T12:00:00")]);
    }

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
