//! The outcome of a dry run: what a release would be, and what it would cost.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::text::{duration, number};
use super::warning::wrapped;
use crate::notation::{grouped, percent};
use crate::plan::{Kind, Role};

/// The outcome of a dry run. It prints as text and serializes as JSON.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DryRun {
    /// The number of rows of the table, without those that miss a value, if these are left out.
    pub(crate) rows: usize,
    /// The number of input rows that would be left out because a value is missing.
    pub(crate) dropped_rows: usize,
    /// The k that would be required.
    pub(crate) k: usize,
    /// The requirements of the sensitive columns, in words.
    pub(crate) models: Vec<String>,
    /// The form of the release.
    pub(crate) publish: String,
    /// The algorithm that would form the classes.
    pub(crate) partitioner: String,
    /// What would happen to each column, in the order of the table.
    pub(crate) columns: Vec<ColumnPlanned>,
    /// What the whole run would cost. It is estimated.
    pub(crate) estimate: Estimated,
    /// What a user should know about the values of the table.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) remarks: Vec<String>,
}

/// What would happen to a column.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub(crate) struct ColumnPlanned {
    /// The name of the column.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// How it would be generalized; for quasi-identifiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The number of its values; for quasi-identifiers and sensitive columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<usize>,
    /// What would be published.
    pub published: String,
    /// Who decided that.
    pub decided: Decided,
}

/// Who decided what happens to a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Decided {
    /// The plan or the arguments name the column.
    Named,
    /// They name it, but its kind was taken from the values.
    KindGuessed,
    /// They say what happens to the columns that they do not name.
    ByRule,
    /// Nobody: it would be published as it is.
    Nobody,
}

/// What a run would cost.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub(crate) struct Estimated {
    /// Wall-clock time on a machine that does nothing else, in seconds.
    pub seconds: f64,
    /// The peak memory of the process in bytes, if the system reports what was used so far.
    pub memory_bytes: Option<u64>,
    /// The loss by LM, if all rows were tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// The number of rows that were tried.
    pub rows: usize,
    /// How the figures were found.
    pub basis: String,
}

impl fmt::Display for DryRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DryRun { rows, dropped_rows, k, models, publish, partitioner, columns, estimate, remarks } = self;
        writeln!(f, "DRY RUN: nothing was written. The plan, its hierarchies and the table fit together.\n")?;
        write!(f, "rows       {}", grouped(*rows))?;
        match dropped_rows {
            0 => writeln!(f)?,
            dropped => writeln!(f, "; {} would be left out because a value is missing", grouped(*dropped))?,
        }
        writeln!(f, "privacy    k = {k}")?;
        models.iter().try_for_each(|model| wrapped(f, "          ", model))?;
        writeln!(f, "method     {partitioner}, published by {publish}")?;
        let width = |get: &dyn Fn(&ColumnPlanned) -> usize| columns.iter().map(get).max().unwrap_or(0);
        let names = width(&|column| column.name.chars().count()).max("column".len());
        let published = width(&|column| column.published.chars().count()).max("in the release".len());
        writeln!(f, "\n  {:names$}  {:10}  {:published$}  values", "column", "role", "in the release")?;
        for ColumnPlanned { name, role, published: shown, values, decided, .. } in columns {
            let values = values.map(grouped).unwrap_or_default();
            let decided = match decided {
                Decided::Named => "",
                Decided::KindGuessed => "  kind taken from the values",
                Decided::ByRule => "  not named",
                Decided::Nobody => "  nobody named it",
            };
            let line = format!("  {name:names$}  {:10}  {shown:published$}  {values:>6}{decided}", role.name());
            writeln!(f, "{}", line.trim_end())?;
        }
        writeln!(f)?;
        let memory = estimate.memory_bytes.map(|bytes| format!(", {} MiB", grouped((bytes >> 20) as usize)));
        let text = format!("about {}{} ({})", duration(estimate.seconds), memory.unwrap_or_default(), estimate.basis);
        wrapped(f, "estimate  ", &text)?;
        if let Some(loss) = estimate.loss {
            writeln!(f, "           the loss would be about {} by lm", number(loss))?;
        }
        remarks.iter().try_for_each(|remark| wrapped(f, "note      ", remark))
    }
}

/// The words of an estimate that some rows were tried for.
pub(crate) fn basis(rows: usize, of: usize) -> String {
    if rows == 0 {
        return "an estimate without the time to form classes, because no sample reaches what is asked for".to_owned();
    }
    if rows == of {
        return format!("an estimate: all {} rows were tried", grouped(of));
    }
    let share = percent(rows as f64 / of.max(1) as f64);
    format!("an estimate: {} rows, {share} of the table, were tried, and the time was scaled", grouped(rows))
}
