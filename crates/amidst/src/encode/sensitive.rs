//! Sensitive columns as codes.

use arrow_array::Array;
use arrow_array::cast::AsArray;

use super::Code;
use crate::error::{Error, Result};
use crate::read::{Table, texts};

/// A sensitive column: its distinct values, and the value of every row. Missing is a value like any other.
#[derive(Debug, Clone)]
pub struct Sensitive {
    name: String,
    values: Vec<String>,
    codes: Vec<Code>,
}

impl Sensitive {
    pub(super) fn new(table: &Table, name: &str) -> Result<Self> {
        let texts = texts(table.column(name)?).map_err(|e| Error::column(name, &e))?;
        let dictionary = texts.values().as_string::<i32>();
        let mut used = vec![false; dictionary.len()];
        texts.keys().iter().flatten().for_each(|key| used[key as usize] = true);
        // The empty text stands for null, as it does in CSV.
        let mut values: Vec<String> =
            (0..used.len()).filter(|id| used[*id]).map(|id| dictionary.value(id).to_owned()).collect();
        if texts.null_count() > 0 && !values.iter().any(String::is_empty) {
            values.push(String::new());
        }
        values.sort_unstable();
        let code = |text: &str| values.binary_search_by(|v| v.as_str().cmp(text)).unwrap_or_default() as Code;
        let by_id: Vec<Code> = dictionary.iter().flatten().map(code).collect();
        let null = code("");
        let codes = texts.keys().iter().map(|key| key.map_or(null, |key| by_id[key as usize])).collect();
        Ok(Sensitive { name: name.to_owned(), values, codes })
    }

    /// The column.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The distinct values; codes are their places.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// The code of a value; null is the empty text.
    pub fn code(&self, text: &str) -> Option<Code> {
        self.values.binary_search_by(|v| v.as_str().cmp(text)).ok().map(|place| place as Code)
    }

    /// The value of a row.
    pub fn row(&self, row: u32) -> Code {
        self.codes[row as usize]
    }
}
