//! The values of a column, counted.

use arrow_array::Array;
use arrow_array::cast::AsArray;

use crate::error::{Error, Result};
use crate::read::{Table, texts};

/// The distinct values of a column with their counts, without missing ones.
#[derive(Debug, Clone, Default)]
pub struct Contents {
    /// Each value with the number of its rows.
    pub values: Vec<(String, usize)>,
    /// The number of rows that have a value.
    pub present: usize,
    /// The number of rows.
    pub rows: usize,
}

impl Contents {
    /// Counts the values of a column. `missing` are the texts that stand for no value; the empty text always does.
    pub fn new(table: &Table, column: &str, missing: &[String]) -> Result<Self> {
        let texts = texts(table.column(column)?).map_err(|e| Error::column(column, &e))?;
        let dictionary = texts.values().as_string::<i32>();
        let mut counts = vec![0_usize; dictionary.len()];
        texts.keys().iter().flatten().for_each(|key| counts[key as usize] += 1);
        let filled = |(text, count): (Option<&str>, usize)| {
            let text = text?;
            let is_value = count > 0 && !text.trim().is_empty() && !missing.iter().any(|marker| marker == text);
            is_value.then(|| (text.trim().to_owned(), count))
        };
        let values: Vec<_> = dictionary.iter().zip(counts).filter_map(filled).collect();
        let present = values.iter().map(|(_, count)| count).sum();
        Ok(Contents { values, present, rows: table.rows() })
    }

    /// The number of distinct values.
    pub fn distinct(&self) -> usize {
        self.values.len()
    }

    /// The texts of the distinct values.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|(text, _)| text.as_str())
    }

    /// The share of the records with a value whose value passes a test.
    pub fn share(&self, test: impl Fn(&str) -> bool) -> f64 {
        let passed: usize = self.values.iter().filter(|(text, _)| test(text)).map(|(_, count)| count).sum();
        passed as f64 / self.present.max(1) as f64
    }

    /// The share of all rows that have a value that no other row has.
    pub fn alone(&self) -> f64 {
        self.values.iter().filter(|(_, count)| *count == 1).count() as f64 / self.rows.max(1) as f64
    }

    /// Whether it has about as many values as records, as identifiers do.
    pub fn is_many(&self) -> bool {
        self.distinct() * 2 > self.present && self.present >= 2
    }

    /// Whether most of its values are numbers.
    pub fn is_number(&self) -> bool {
        self.share(|text| text.parse::<f64>().is_ok()) > 0.5
    }

    /// Whether all of its values are whole numbers.
    pub fn is_whole(&self) -> bool {
        self.texts().all(|text| text.parse::<i64>().is_ok())
    }

    /// Whether these are whole numbers without a gap.
    pub fn is_running(&self) -> bool {
        let numbers = || self.texts().filter_map(|text| text.parse::<i64>().ok());
        let (low, high) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
        self.is_whole() && high.checked_sub(low) == Some(self.distinct() as i64 - 1)
    }
}
