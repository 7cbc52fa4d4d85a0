//! What would keep more of a table, measured on some of its rows.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::warning::wrapped;

/// A piece of advice about the loss of a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub(crate) struct LossAdvice {
    /// The column that loses most.
    pub column: String,
    /// Its part of the whole loss, from 0 to 1.
    pub share: f64,
    /// The loss of the other columns in this release, by LM.
    pub others: f64,
    /// What the other columns would lose without the column, by LM. It is estimated: the same share of their loss is lost as in the trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub others_without: Option<f64>,
    /// The number of rows that were tried.
    pub rows: usize,
    /// The advice in words.
    pub message: String,
}

/// Writes advice below a heading of its own.
pub(super) fn write(f: &mut fmt::Formatter<'_>, advice: &[LossAdvice]) -> fmt::Result {
    advice.iter().try_for_each(|hint| wrapped(f, "advice    ", &hint.message))
}
