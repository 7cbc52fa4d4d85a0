//! The data dictionary beside a release: the role of each column, and how to read its cells.
//!
//! The dictionary is made from the files as they were read back. It names no value that the files do not show, because a list of all values
//! of a column would show which rare values the table has. The only exception are values below a node of a hierarchy that the user wrote.

use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use indexmap::IndexMap;
use serde::Serialize;

use crate::encode::Domain;
use crate::error::Result;
use crate::notation::{BOUNDS, COLUMN, COUNT, GROUP, PLACE, SLICE, WINDOW};
use crate::plan::form::FORMS;
use crate::plan::{Column, Decimal, InlineTree, Kind, Plan, ReleaseForm, Role, Show, Threshold, Treatment, Tree};
use crate::read::{Table, texts};
use crate::registry;

/// The most values that are listed for a column or a label.
const MAX_VALUES_LISTED: usize = 100;

/// What the files of a release hold.
#[derive(Debug, Clone, Serialize)]
pub struct Dictionary {
    /// The version of amidst that made the release.
    pub amidst: &'static str,
    /// The form of the release.
    pub form: String,
    /// A line about the form.
    pub about: &'static str,
    /// The requirements: k, and the privacy models.
    pub privacy: Vec<String>,
    /// The files.
    pub(crate) files: Vec<DescribedFile>,
}

/// A file of the release.
#[derive(Debug, Clone, Serialize)]
pub struct DescribedFile {
    /// The name of the file.
    pub file: String,
    /// The number of rows.
    pub rows: usize,
    /// The columns.
    pub columns: Vec<Described>,
}

/// A column of a file.
#[derive(Debug, Clone, Serialize)]
pub struct Described {
    /// The name of the column.
    pub name: String,
    /// The role of the column; none if the original has no such column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// How the column is generalized.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The type of its cells.
    #[serde(rename = "type")]
    pub stored: &'static str,
    /// How to read its cells.
    pub about: String,
    /// The number of different cells.
    pub distinct: usize,
    /// The different values; only if cells are values and there are not too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
    /// The order of the values, from low to high.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<String>>,
    /// The labels of the hierarchy that occur. A label has the values below it if the user listed them.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub labels: IndexMap<String, Vec<String>>,
}

impl Dictionary {
    /// Describes the files of a release.
    pub(crate) fn new<'a>(
        plan: &Plan,
        domains: &[Domain],
        files: impl IntoIterator<Item = (String, &'a Table)>,
    ) -> Result<Self> {
        let form = &plan.method.publish;
        let about = registry::entry(FORMS, form).map_or("", |entry| entry.about);
        let of_columns = plan
            .columns
            .iter()
            .flat_map(|(name, column)| column.require.iter().map(move |model| format!("{name}: {model}")));
        let privacy = [format!("k = {}", plan.privacy.k)].into_iter();
        let privacy = privacy.chain(plan.privacy.require.iter().map(ToString::to_string)).chain(of_columns).collect();
        let amidst = env!("CARGO_PKG_VERSION");
        let mut dictionary = Dictionary { amidst, form: form.to_string(), about, privacy, files: Vec::new() };
        for (file, table) in files {
            dictionary.add(plan, domains, file, table)?;
        }
        Ok(dictionary)
    }

    /// Describes one more file, by a plan for it.
    pub(crate) fn add(&mut self, plan: &Plan, domains: &[Domain], file: String, table: &Table) -> Result<()> {
        let columns = table.names().map(|name| describe(plan, domains, table, name)).collect::<Result<_>>()?;
        self.files.push(DescribedFile { file, rows: table.rows(), columns });
        Ok(())
    }
}

fn describe(plan: &Plan, domains: &[Domain], table: &Table, name: &str) -> Result<Described> {
    let form = plan.method.form()?;
    let array = table.column(name)?;
    // A column shown by its bounds becomes two columns, which the original does not have.
    let of_bounds = || {
        let (end, of) = BOUNDS.iter().find_map(|end| Some((*end, name.strip_suffix(end)?)))?;
        plan.columns.get_key_value(of).filter(|(_, c)| c.show == Some(Show::Bounds)).map(|(_, c)| (c, Some(end)))
    };
    let known = plan.columns.get(name).map(|column| (column, None)).or_else(of_bounds);
    let cells = texts(array).ok();
    let cells = cells.as_ref().map(|cells| cells.values().as_string::<i32>());
    let distinct = cells.map_or(0, |cells| cells.iter().flatten().collect::<std::collections::BTreeSet<_>>().len());
    let mut described = Described {
        name: name.to_owned(),
        role: known.map(|(column, _)| column.role),
        kind: known.and_then(|(column, _)| column.kind),
        stored: stored(array.data_type()),
        about: match known {
            Some((column, end)) => about(column, end, form),
            None => own(name).to_owned(),
        },
        distinct,
        values: None,
        order: known.and_then(|(column, _)| column.order.clone()),
        labels: IndexMap::new(),
    };
    let Some((column, None)) = known else { return Ok(described) };
    let Some(cells) = cells else { return Ok(described) };
    let mut all: Vec<&str> = cells.iter().flatten().collect();
    all.sort_unstable();
    all.dedup();
    if column.role != Role::Quasi && column.publish.is_none() && all.len() <= MAX_VALUES_LISTED {
        described.values = Some(all.iter().map(|text| (*text).to_owned()).collect());
    }
    if let Some(tree) = domains.iter().find(|d| d.name() == name).and_then(Domain::hierarchy) {
        let listed = matches!(
            &column.hierarchy,
            Some(Tree::File(_) | Tree::Inline(InlineTree::Lines(_) | InlineTree::Nested(_)))
        );
        for node in all.iter().filter_map(|text| tree.node(text)).filter(|node| node.level > 0) {
            let below = (node.lo..=node.hi).map(|leaf| tree.leaf(leaf).text.clone());
            described
                .labels
                .insert(node.text.clone(), below.take(if listed { MAX_VALUES_LISTED } else { 0 }).collect());
        }
    }
    Ok(described)
}

fn stored(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Struct(_) => "struct",
        DataType::List(_) => "list",
        DataType::Float16 | DataType::Float32 | DataType::Float64 => "number",
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => "date",
        DataType::Boolean => "boolean",
        other if other.is_integer() => "integer",
        _ => "text",
    }
}

/// A line about a column that the form adds to the release.
fn own(name: &str) -> &'static str {
    match name {
        GROUP => "the number of the group of records that hide among each other; it has no other meaning",
        COUNT => "the number of records of the group with these values",
        PLACE => "the place of the row in the ring of its group",
        WINDOW => "the number of rows of the ring that fit each record",
        COLUMN => "a column of the release",
        SLICE => {
            "columns with the same number belong together within a row; columns with different numbers only within a group"
        }
        _ => "added by the form of the release; see its documentation",
    }
}

/// A line about a column that is replaced.
fn replaced(treatment: Treatment, role: Role) -> String {
    match treatment {
        Treatment::Pseudonym if role == Role::Person => {
            "a pseudonym of the person; rows with the same pseudonym are of the same person".to_owned()
        }
        Treatment::Pseudonym => "a pseudonym of the value; equal values have equal pseudonyms".to_owned(),
        Treatment::Shift { days, weekday } => {
            let kept = if weekday { "; the day of the week is that of the original" } else { "" };
            format!(
                "a date moved by a secret number of days, at most {days} to either side, which is the same for all dates of a person; \
                 intervals within a person are exact{kept}"
            )
        }
        Treatment::StudyDay => "the number of days since the first date of the person".to_owned(),
    }
}

/// A line about how to read the cells of a column.
fn about(column: &Column, end: Option<&str>, form: ReleaseForm) -> String {
    let unchanged = "as in the original";
    if let Some(treatment) = column.publish {
        return replaced(treatment, column.role);
    }
    if column.role != Role::Quasi {
        return format!("{unchanged}{}", coded(column));
    }
    if let Some(end) = end {
        let which = if end == BOUNDS[0] { "smallest" } else { "largest" };
        return format!("the {which} value of the record's class; empty if the value is suppressed");
    }
    let centre = |show: Show| match show {
        Show::Middle => "the middle between the smallest and the largest value of the record's class",
        Show::Mean => "the mean of the record's class",
        Show::Median => "the median of the record's class; the lower one if there are two",
        _ => "the most frequent value of the record's class",
    };
    if let Some(show) = column.show.filter(|show| show.is_centre()) {
        return format!("{}{}", centre(show), written(column));
    }
    let told = match form {
        ReleaseForm::Centres { numbers } => match column.kind {
            Some(Kind::Range) => centre(numbers),
            Some(Kind::Ordered) => centre(Show::Median),
            Some(Kind::Taxonomy | Kind::Set | Kind::Suppress) | None => centre(Show::Mode),
        },
        ReleaseForm::Anatomy | ReleaseForm::Slicing { .. } | ReleaseForm::Randomization { .. } => unchanged,
        ReleaseForm::Generalization { .. } | ReleaseForm::Ring { .. } => match column.kind {
            Some(Kind::Range) => {
                "a value, or a range with both its bounds, such as `[25-30]`; `*` means any value or a missing one"
            }
            Some(Kind::Ordered) => {
                "a value, or a range with both its bounds, such as `[low - high]`; `*` means any value"
            }
            Some(Kind::Taxonomy) => "a value, or a label of the hierarchy, which means any value below it",
            Some(Kind::Set) => "a value, or one of several, such as `{a, b}`; `*` means any value",
            Some(Kind::Suppress) | None => "a value, or `*` for any value",
        },
    };
    format!("{told}{}{}", coded(column), written(column))
}

/// How numbers were coded before they were generalized.
fn coded(column: &Column) -> String {
    let Column { top, bottom, bins, round, .. } = column;
    let mut told = String::new();
    if let Some(round) = round {
        told += &format!("; numbers are rounded to multiples of {round}");
    }
    if let Some(top) = top {
        told += &format!("; `>={top}` is any number from {top} on");
    }
    if let Some(bottom) = bottom {
        told += &format!("; `<={bottom}` is any number up to {bottom}");
    }
    if !bins.is_empty() {
        let edges: Vec<&str> = bins.iter().map(Threshold::text).collect();
        let ranges = match column.role {
            Role::Quasi => "ranges are unions of bins, which",
            _ => "each number is shown by its bin; bins",
        };
        told += &format!("; {ranges} begin at {} and end before the next", edges.join(", "));
    }
    told
}

/// How dates and numbers are written, where that is not what everybody expects.
fn written(column: &Column) -> String {
    match (&column.format, column.decimal) {
        (Some(format), _) => format!("; dates and times are written as {format}"),
        (None, Some(Decimal::Comma)) => "; numbers have a decimal comma".to_owned(),
        _ => String::new(),
    }
}
