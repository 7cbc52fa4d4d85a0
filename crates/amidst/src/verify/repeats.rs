//! Columns that are not published and may say whose a row is.
//!
//! If a person has several rows, and nobody has said which column tells whose they are, everything counts rows. A class of five rows may then
//! be the five visits of one person. So identifiers are looked at: how often a value repeats, and how many classes have rows of fewer than k
//! values.
//!
//! Complexity: O(n log n) for n rows.

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, UInt64Array};
use rustc_hash::FxHashMap;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::Classes;
use super::persons::Members;
use super::reading::{print, text, texts};
use crate::error::Result;
use crate::plan::Input;
use crate::read::Table;

/// How the values of columns that are not published repeat.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Repeats {
    /// The columns. If there are several, their values count together.
    pub columns: Vec<String>,
    /// The number of different values. A row without a value counts as one of its own.
    pub values: usize,
    /// The number of rows that a value has, on average.
    pub rows_per_value: f64,
    /// The number of values that a class should have.
    pub k: usize,
    /// The number of classes.
    pub classes: usize,
    /// The number of classes with rows of fewer than `k` values.
    pub small_classes: usize,
    /// The number of classes with rows of a single value.
    pub single_classes: usize,
    /// The number of classes with fewer than `k` values that also have fewer values than rows.
    #[serde(skip)]
    pub misjudged: usize,
    /// The share of the rows with another row of their class that has the same value, of all rows whose value some other row has.
    #[serde(skip)]
    pub together: f64,
}

impl Repeats {
    /// Counts the values of the classes. `values` has a number for the value of each row.
    pub(crate) fn new(columns: &[String], values: &[u64], classes: &Classes, k: usize) -> Self {
        let mut times: FxHashMap<u64, usize> = FxHashMap::default();
        values.iter().for_each(|value| *times.entry(*value).or_default() += 1);
        let different = times.len();
        let repeated = values.len() - times.values().filter(|times| **times == 1).count();
        let mut together = 0;
        let mut repeats = Repeats {
            columns: columns.to_vec(),
            values: different,
            rows_per_value: values.len() as f64 / different.max(1) as f64,
            k,
            classes: classes.sizes.len(),
            small_classes: 0,
            single_classes: 0,
            misjudged: 0,
            together: 0.0,
        };
        let mut of_class = Vec::new();
        for rows in Members::new(classes).each() {
            of_class.clear();
            of_class.extend(rows.iter().map(|row| values[*row as usize]));
            of_class.sort_unstable();
            together +=
                of_class.chunk_by(|a, b| a == b).map(|same| if same.len() > 1 { same.len() } else { 0 }).sum::<usize>();
            of_class.dedup();
            repeats.small_classes += usize::from(of_class.len() < k);
            repeats.single_classes += usize::from(of_class.len() == 1);
            repeats.misjudged += usize::from(of_class.len() < k && of_class.len() < rows.len());
        }
        repeats.together = together as f64 / repeated.max(1) as f64;
        repeats
    }
}

/// A number for what these columns say together in each of these rows. Equal values have equal numbers; a row without a value has one of its
/// own. Also returns how many rows have none.
pub fn numbers(table: &Table, columns: &[String], rows: &[u32], input: &Input) -> Result<(Vec<u64>, usize)> {
    let mut numbers: Vec<Option<u64>> = vec![Some(0); rows.len()];
    let missing: Vec<Option<u64>> = input.missing.iter().map(|text| print(text.as_bytes())).collect();
    for name in columns {
        let column = match table.column(name)?.as_primitive_opt::<UInt64Type>() {
            Some(known) => known.clone(),
            None => prints(table, name)?,
        };
        for (number, row) in numbers.iter_mut().zip(rows) {
            let value = column.is_valid(*row as usize).then(|| column.value(*row as usize));
            let value = value.filter(|value| !missing.contains(&Some(*value)));
            // The product of an odd number spreads what was there before over all bits.
            *number = number.zip(value).map(|(before, value)| before.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ value);
        }
    }
    let without = numbers.iter().filter(|number| number.is_none()).count();
    let own = |row: usize| u64::MAX - row as u64;
    let numbers = numbers.into_iter().enumerate().map(|(row, number)| number.unwrap_or_else(|| own(row))).collect();
    Ok((numbers, without))
}

/// The numbers of the texts of a column.
fn prints(table: &Table, name: &str) -> Result<UInt64Array> {
    let texts = texts(table, name)?;
    Ok((0..table.rows()).map(|row| text(&texts, row).and_then(|text| print(text.as_bytes()))).collect())
}
