//! The outcome of `explain`: why a row or a column of a release is as general as it is.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::Promise;
use crate::plan::Kind;

/// The outcome of `explain`. It prints as text and serializes as JSON.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Explanation {
    /// Who may read this, if it is not for recipients: with the original it tells values that the release hides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) audience: Option<&'static str>,
    /// The number of rows of the release.
    pub(crate) rows: usize,
    /// The number of its classes.
    pub(crate) classes: usize,
    /// The loss of the release by LM; none for forms that LM does not apply to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) loss: Option<f64>,
    /// The row, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) row: Option<RowExplained>,
    /// The column, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<ColumnExplained>,
    /// What the figures do not say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) remarks: Vec<String>,
}

impl Explanation {
    /// Whether it tells what only the original does, so that it is not for recipients.
    pub fn is_internal(&self) -> bool {
        self.audience.is_some()
    }
}

/// A row of a release, and its class.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub(crate) struct RowExplained {
    /// The row, counted from 1.
    pub row: usize,
    /// The rows of its class, which the row looks like, itself included.
    pub class_rows: usize,
    /// The persons of its class, if pseudonyms or the original show whose the rows are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class_persons: Option<usize>,
    /// What the plan requires of the class, and what the class reaches.
    pub promises: Vec<Promise>,
    /// The loss of the class by LM; none for forms that LM does not apply to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// The cells, the one that loses most first.
    pub cells: Vec<CellExplained>,
    /// What it would take for the class to be narrower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narrower: Option<Narrower>,
}

/// A cell of a row.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub(crate) struct CellExplained {
    /// The quasi-identifier.
    pub column: String,
    /// The published text.
    pub cell: String,
    /// The share of the column's domain that the cell covers, by LM: 0 is a single value, 1 is any value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
    /// The part of the class's loss that the column makes up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// The value that makes the cell so wide, if the original is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forced_by: Option<Forced>,
}

/// The value of a class without which its cell would be narrowest.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub(crate) struct Forced {
    /// The number of different values in the class.
    pub values: usize,
    /// The value.
    pub value: String,
    /// The rows of the class that have it.
    pub rows: usize,
    /// The cell that all other rows would have.
    pub without: String,
    /// The width of that.
    pub width_without: f64,
}

/// What it would take for a class to be narrower.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub(crate) struct Narrower {
    /// The largest k by which the rows of the class could be two classes.
    pub k: usize,
    /// The classes that a quick run found by that k among these rows alone; only if the original is known and a run found any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<usize>,
    /// What these lose by LM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
}

/// A quasi-identifier of a release.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub(crate) struct ColumnExplained {
    /// The name of the column.
    pub column: String,
    /// How it is generalized.
    pub kind: Option<Kind>,
    /// Its loss by LM: the mean width of its cells.
    pub loss: f64,
    /// The part of the whole loss that it makes up.
    pub share: f64,
    /// The number of quasi-identifiers.
    pub columns: usize,
    /// The rows whose cell stands for any value.
    pub everything: usize,
    /// The rows whose cell is a single value.
    pub single: usize,
    /// How many rows have a cell of which width.
    pub widths: Vec<WidthCount>,
    /// The cells that lose most, all their rows together. Each is that of at least k rows.
    pub widest: Vec<WideCell>,
    /// The values whose rows lose most, if the original is known. None with fewer than k rows is named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValueLoss>,
    /// What other choices would bring, if the original is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials: Option<Trials>,
}

/// The number of rows with cells of a similar width.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub(crate) struct WidthCount {
    /// The cells are wider than this.
    pub above: f64,
    /// They are not wider than this.
    pub to: f64,
    /// The number of rows.
    pub rows: usize,
}

/// A cell of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub(crate) struct WideCell {
    /// The published text.
    pub cell: String,
    /// The rows that have it.
    pub rows: usize,
    /// Its width by LM.
    pub width: f64,
}

/// How much the rows of a value lose.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub(crate) struct ValueLoss {
    /// The value, or a range with about a fifth of the rows.
    pub value: String,
    /// The rows of the original that have it.
    pub rows: usize,
    /// The mean width of their cells.
    pub width: f64,
}

/// Quick runs with other choices for a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub(crate) struct Trials {
    /// The number of rows that were tried.
    pub rows: usize,
    /// The number of rows of the table.
    pub of: usize,
    /// What was tried; the first is the column as it is.
    pub tried: Vec<Tried>,
}

/// A quick run with another choice for a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub(crate) struct Tried {
    /// The choice in words.
    pub choice: String,
    /// The loss of the column by LM; none where it is left out.
    pub column: Option<f64>,
    /// The loss of the other columns by LM; none where there are none.
    pub others: Option<f64>,
}
