//! Hints about columns that the HIPAA Safe Harbor rule requires to remove: 45 CFR 164.514(b)(2)(i), A to R.
//!
//! A column is recognized by its name, by what its values look like, or by both if one alone would give false alarms. For example, five digits
//! are a ZIP code only if the name of the column says so. A column without a hint may still hold identifiers. The rule also requires that the
//! publisher knows of no way to identify the remaining people, which no program can check. A hint never contains a value of the table.
//!
//! # Example
//!
//! ```text
//! amidst risk adult.csv.gz
//! ```

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Result;
use crate::progress::Progress;
use crate::read::Table;
use crate::schema::recognize::{Recognized, recognize};

pub use crate::schema::recognize::Rule;

/// A column that the rule may require to remove.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Hint {
    /// The column.
    pub column: String,
    /// The kind of identifier that it seems to hold.
    pub rule: Rule,
    /// The letter of 45 CFR 164.514(b)(2)(i).
    pub letter: char,
    /// The reason: the name of the column, or the share of its values that look like such identifiers.
    pub why: String,
    /// What to do about it.
    pub remedy: &'static str,
}

impl Hint {
    /// What the rule says about a column, if it looks like an identifier.
    pub(crate) fn of(table: &Table, column: &str, missing: &[String]) -> Result<Option<Self>> {
        let Recognized { rule, why, .. } = recognize(table, column, missing)?;
        let hint =
            |rule: Rule| Hint { column: column.to_owned(), rule, letter: rule.title().0, why, remedy: rule.remedy() };
        Ok(rule.map(hint))
    }
}

/// Finds the columns of a table that the rule may require to remove. `missing` are the texts that stand for no value.
pub fn hints(table: &Table, missing: &[String], progress: Progress) -> Result<Vec<Hint>> {
    let names: Vec<&str> = table.names().collect();
    progress.begin("looking", names.len() as u64)?;
    let mut hints = Vec::new();
    for name in names {
        hints.extend(Hint::of(table, name, missing)?);
        progress.advance(1)?;
    }
    hints.sort_by_key(|hint| hint.rule);
    Ok(hints)
}
