//! The data dictionary beside a release: what each column is and how its cells are read.
//!
//! It is made from the files as they were read back and names no value that they do not show, except those below a node of a hierarchy that
//! somebody wrote: a list of all values of a column would tell which rare ones the table has.

use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use indexmap::IndexMap;
use serde::Serialize;

use crate::encode::Domain;
use crate::error::Result;
use crate::notation::{BOUNDS, COLUMN, COUNT, GROUP, PLACE, SLICE, WINDOW};
use crate::plan::form::FORMS;
use crate::plan::{Column, InlineTree, Kind, Plan, ReleaseForm, Role, Show, Tree};
use crate::read::{Table, texts};

/// No more values than this are listed.
const LISTED: usize = 100;

/// What the files of a release hold.
#[derive(Debug, Serialize)]
pub struct Dictionary {
    /// The version that made the release.
    pub amidst: &'static str,
    /// The form of the release.
    pub form: String,
    /// What that is.
    pub about: &'static str,
    /// How many records at least hide amidst each other, and what holds of their sensitive values.
    pub privacy: Vec<String>,
    /// The files.
    pub files: Vec<File>,
}

/// What a file holds.
#[derive(Debug, Serialize)]
pub struct File {
    /// Its name.
    pub file: String,
    /// How many rows it has.
    pub rows: usize,
    /// Its columns.
    pub columns: Vec<Described>,
}

/// What a column is.
#[derive(Debug, Serialize)]
pub struct Described {
    /// Its name.
    pub name: String,
    /// What it is to privacy; none where it is not a column of the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// How it is generalized.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// How its cells are stored.
    #[serde(rename = "type")]
    pub stored: &'static str,
    /// How they are read.
    pub about: String,
    /// How many different cells it has.
    pub distinct: usize,
    /// The cells, where these are values and not too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
    /// The values from low to high.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<String>>,
    /// The labels of a hierarchy that occur, each with the values below it where somebody listed them.
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
        let about = FORMS.iter().find(|e| e.name == form.name()).map_or("", |e| e.about);
        let of_columns = plan
            .columns
            .iter()
            .flat_map(|(name, column)| column.require.iter().map(move |model| format!("{name}: {model}")));
        let privacy = [format!("k = {}", plan.privacy.k)].into_iter();
        let privacy = privacy.chain(plan.privacy.require.iter().map(ToString::to_string)).chain(of_columns).collect();
        let mut described = Vec::new();
        for (file, table) in files {
            let columns = table.names().map(|name| describe(plan, domains, table, name)).collect::<Result<_>>()?;
            described.push(File { file, rows: table.rows(), columns });
        }
        Ok(Dictionary { amidst: env!("CARGO_PKG_VERSION"), form: form.to_string(), about, privacy, files: described })
    }
}

fn describe(plan: &Plan, domains: &[Domain], table: &Table, name: &str) -> Result<Described> {
    let form = plan.method.form()?;
    let array = table.column(name)?;
    // Bounds stand in two columns that the original does not have.
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
    if column.role != Role::Quasi && all.len() <= LISTED {
        described.values = Some(all.iter().map(|text| (*text).to_owned()).collect());
    }
    if let Some(tree) = domains.iter().find(|d| d.name() == name).and_then(Domain::hierarchy) {
        let listed = matches!(
            &column.hierarchy,
            Some(Tree::File(_) | Tree::Inline(InlineTree::Lines(_) | InlineTree::Nested(_)))
        );
        for node in all.iter().filter_map(|text| tree.node(text)).filter(|node| node.level > 0) {
            let below = (node.lo..=node.hi).map(|leaf| tree.leaf(leaf).text.clone());
            described.labels.insert(node.text.clone(), below.take(if listed { LISTED } else { 0 }).collect());
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

/// What a column of a form's own is.
fn own(name: &str) -> &'static str {
    match name {
        GROUP => "the number of the group of records that hide amidst each other; it carries nothing else",
        COUNT => "how many records of the group have these values",
        PLACE => "the place of the row in the ring of its group",
        WINDOW => "how many rows of the ring, this one and those before it, cover each record",
        COLUMN => "a column of the release",
        SLICE => "columns with the same number belong together in a row; those of different numbers only in a group",
        _ => "belongs to the form of the release; see its documentation",
    }
}

/// How the cells of a column are read.
fn about(column: &Column, end: Option<&str>, form: ReleaseForm) -> String {
    let as_it_is = "as in the original";
    if column.role != Role::Quasi {
        return as_it_is.to_owned();
    }
    if let Some(end) = end {
        let which = if end == BOUNDS[0] { "least" } else { "greatest" };
        return format!("the {which} value of the record's class; empty where nothing is told");
    }
    let centre = |show: Show| match show {
        Show::Middle => "the middle between the least and the greatest value of the record's class",
        Show::Mean => "the mean of the record's class",
        Show::Median => "the median of the record's class, the lower of two",
        _ => "the most frequent value of the record's class",
    };
    if let Some(show) = column.show.filter(|show| show.is_centre()) {
        return centre(show).to_owned();
    }
    let told = match form {
        ReleaseForm::Centres { numbers } => match column.kind {
            Some(Kind::Range) => centre(numbers),
            Some(Kind::Ordered) => centre(Show::Median),
            Some(Kind::Taxonomy | Kind::Set | Kind::Suppress) | None => centre(Show::Mode),
        },
        ReleaseForm::Anatomy | ReleaseForm::Slicing { .. } | ReleaseForm::Randomization { .. } => as_it_is,
        ReleaseForm::Generalization { .. } | ReleaseForm::Ring { .. } => match column.kind {
            Some(Kind::Range) => "a value, or all from the first to the second: `[25-30]`; `*` is any, or none",
            Some(Kind::Ordered) => "a value, or all from the first to the second: `[low - high]`; `*` is any",
            Some(Kind::Taxonomy) => "a value, or a label of the hierarchy, which stands for all values below it",
            Some(Kind::Set) => "a value, or one of several: `{a, b}`; `*` is any",
            Some(Kind::Suppress) | None => "a value, or `*`, which is any",
        },
    };
    told.to_owned()
}
