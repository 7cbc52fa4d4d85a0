//! Forms in which a partition is published.

pub mod anatomy;
mod cells;
pub mod centres;
pub mod generalization;
pub mod randomization;
pub mod ring;
pub mod slicing;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, RecordBatch, UInt32Array};
use arrow_schema::Field;
use arrow_select::take::take;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use sha2::{Digest, Sha256};

use crate::error::{Error, Remedy, Result, Setting};
use crate::notation::{BOUNDS, COUNT, GROUP};
use crate::plan::{Plan, ReleaseForm, Role, RowOrder, Show};
use crate::problem::{Partition, Problem};
use crate::read::{Table, texts};
use crate::registry::Spec;
use crate::schema::Schema;

pub use crate::plan::form::FORMS as ALL;

/// Turns clusters into tables that may be published.
pub trait Publisher: Send + Sync {
    /// Refuses plans under which this form would not protect anybody, or that ask for what it cannot do.
    fn admits(&self, _plan: &Plan) -> Result<()> {
        Ok(())
    }

    /// What the parameters mean under a plan, where they leave that open to it.
    fn resolve(&self, _plan: &Plan) -> Result<Option<Spec>> {
        Ok(None)
    }

    /// For each cluster its class: clusters that a reader of the release cannot tell apart have the same. Most forms number
    /// their clusters, so nobody takes one for another.
    fn classes(&self, _schema: &Schema, _problem: &Problem, partition: &Partition) -> Result<Vec<u32>> {
        Ok((0..partition.len() as u32).collect())
    }

    /// The release of `original`, whose records `problem` holds and `partition` clusters.
    fn publish(&self, original: &Original, problem: &Problem, partition: &Partition) -> Result<Release>;
}

/// The table behind a problem, and the order in which its rows are published.
#[derive(Debug, Clone, Copy)]
pub struct Original<'a> {
    /// The table, without its identifiers.
    pub table: &'a Table,
    /// The roles of its columns.
    pub schema: &'a Schema,
    /// The row of `table` that each published row comes from.
    pub order: &'a [u32],
}

impl<'a> Original<'a> {
    /// The source of random choices for a purpose; see [`secret_choice`].
    fn secret_choice(&self, purpose: &str, seed: u64) -> Result<ChaCha12Rng> {
        secret_choice(self.table, self.schema, purpose, seed)
    }

    /// The columns that are published, in the order of the table.
    fn published(&self) -> impl Iterator<Item = &'a str> {
        let Original { table, schema, .. } = *self;
        table.names().filter(|name| schema.personal.iter().all(|column| column.name != *name))
    }

    /// A column as it is, in the published order.
    fn column(&self, column: &str) -> Result<ArrayRef> {
        if self.order.len() == self.table.rows() && self.order.iter().zip(0..).all(|(row, place)| *row == place) {
            return self.table.column(column).cloned();
        }
        let indices = UInt32Array::from(self.order.to_vec());
        take(self.table.column(column)?, &indices, None).map_err(|e| Error::column(column, &e))
    }

    /// The texts of a column, in the published order.
    fn texts(&self, column: &str) -> Result<Texts> {
        texts(&self.column(column)?).map(Texts).map_err(|e| Error::column(column, &e))
    }
}

/// The texts of a column.
struct Texts(DictionaryArray<Int32Type>);

impl Texts {
    /// The text in a published row; nulls are empty.
    fn of(&self, row: usize) -> &str {
        self.0.key(row).map_or("", |key| self.0.values().as_string::<i32>().value(key))
    }
}

/// What is published: one table, or several that belong together.
#[derive(Debug)]
pub struct Release {
    /// The tables.
    pub tables: Vec<Part>,
    /// The form with what was chosen on the way, where readers must know that or it takes that to make the release again.
    pub maker: Option<Spec>,
}

impl Release {
    fn of(tables: Vec<Part>) -> Self {
        Release { tables, maker: None }
    }
}

/// A table of a release.
#[derive(Debug)]
pub struct Part {
    /// Which of the [parts](crate::plan::ReleaseForm::parts) it is; none for the one that bears the name of the release.
    pub name: Option<&'static str>,
    /// The table.
    pub table: RecordBatch,
}

/// Where a part of a release goes: that of `release.csv.gz` named `sensitive` to `release.sensitive.csv.gz`.
pub fn path(release: &Path, part: &str) -> PathBuf {
    let (mut name, extensions) = split(release);
    for piece in [OsStr::new(part)].into_iter().chain(extensions.iter().map(OsString::as_os_str)) {
        name.push(".");
        name.push(piece);
    }
    release.with_file_name(name)
}

/// Where something that belongs to a release goes: the `plan.toml` of `release.csv.gz` to `release.plan.toml`.
pub fn beside(release: &Path, what: &str) -> PathBuf {
    let (mut name, _) = split(release);
    name.push(".");
    name.push(what);
    release.with_file_name(name)
}

/// The name of a file without the extensions that say how it is stored, and those.
fn split(file: &Path) -> (OsString, Vec<OsString>) {
    let mut stem = file.to_owned();
    let mut extensions = Vec::new();
    while let Some(extension) = stem.extension().map(OsStr::to_owned)
        && matches!(extension.to_str(), Some("gz" | "zst" | "csv" | "tsv" | "parquet" | "pq"))
    {
        extensions.insert(0, extension);
        stem.set_extension("");
    }
    (stem.file_name().unwrap_or_default().to_owned(), extensions)
}

/// Refuses tables that have a column of the name that bounds need.
fn check_bounds(plan: &Plan) -> Result<()> {
    let shown = plan.columns.iter().filter(|(_, column)| column.show == Some(Show::Bounds));
    for name in shown.flat_map(|(name, _)| BOUNDS.iter().map(move |end| format!("{name}{end}"))) {
        if plan.columns.contains_key(&name) {
            let message =
                "the release needs that name for the bounds of another column; rename the column of the table";
            return Err(Error::column(&name, message));
        }
    }
    Ok(())
}

/// A table of these columns.
fn batch(columns: Vec<(String, ArrayRef)>) -> Result<RecordBatch> {
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(name, array.data_type().clone(), true)).collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(arrow_schema::Schema::new(fields)), arrays)
        .map_err(|e| Error::Internal(format!("the columns of a release do not make a table: {e}")))
}

/// The cluster of each published row.
fn cluster_of(original: &Original, partition: &Partition) -> Vec<u32> {
    let mut cluster_of = vec![0; original.table.rows()];
    for (rows, cluster) in partition.clusters().zip(0..) {
        rows.iter().for_each(|row| cluster_of[*row as usize] = cluster);
    }
    original.order.iter().map(|row| cluster_of[*row as usize]).collect()
}

/// The group of each published row. They are numbered from 1 as they come up, so the numbers tell nothing.
fn groups(original: &Original, partition: &Partition) -> Vec<u32> {
    let mut numbers = vec![0; partition.len()];
    let mut next = 1;
    let number = |cluster: u32| {
        let number = &mut numbers[cluster as usize];
        if *number == 0 {
            *number = next;
            next += 1;
        }
        *number
    };
    cluster_of(original, partition).into_iter().map(number).collect()
}

/// Refuses plans that ask nothing of some sensitive column, or have none: for forms in which only that protects. Also refuses
/// tables that have a column of the form's own.
fn need_models(plan: &Plan, form: &str) -> Result<()> {
    let fail = |message: String| Err(Error::parameter(form, message));
    if let Some((name, _)) = plan.columns.iter().find(|(_, column)| column.show.is_some()) {
        return fail(format!(
            "quasi-identifiers are published as they are, so there is no other way to show `{name}`; drop its `show`"
        ));
    }
    if let Some(name) = [GROUP, COUNT].iter().find(|name| plan.columns.contains_key(**name)) {
        return fail(format!("the release needs the column name `{name}` for itself; rename the column of the table"));
    }
    if plan.columns_with(Role::Sensitive).next().is_none() {
        let message = "quasi-identifiers are published as they are, so without a sensitive column nobody is protected";
        return Err(Error::parameter(form, message).or([
            Remedy::by("name one", Setting::Sensitive),
            Remedy::by("choose another form", Setting::Publish("generalization")),
        ]));
    }
    let mut unasked = None;
    for column in plan.columns_with(Role::Sensitive) {
        if plan.models_of(column)?.is_empty() {
            unasked = unasked.or(Some(column));
        }
    }
    match unasked {
        Some(column) => {
            let message = format!(
                "quasi-identifiers are published as they are, so only a privacy model protects column `{column}`, and the \
                 plan asks for none"
            );
            Err(Error::parameter(form, message).or([Remedy::by("ask for one, such as l = 2", Setting::L)]))
        }
        None => Ok(()),
    }
}

/// Refuses plans by which people want a diversity of their own, for forms that do not keep to it because `reason`.
fn no_wishes(plan: &Plan, form: &str, reason: &str) -> Result<()> {
    match plan.columns_with(Role::PersonalL).next() {
        None => Ok(()),
        Some(column) => {
            let message = format!("the wishes in column `{column}` cannot be met: {reason}");
            Err(Error::parameter(form, message).or([
                Remedy::by("ask for the same l for everybody", Setting::L),
                Remedy::by("choose another form", Setting::Publish("anatomy")),
            ]))
        }
    }
}

/// The publisher that `spec` asks for.
pub fn build(spec: &Spec) -> Result<Box<dyn Publisher>> {
    Ok(match ReleaseForm::parse(spec)? {
        ReleaseForm::Generalization { nested } => Box::new(generalization::Generalization { nested }),
        ReleaseForm::Centres { numbers } => Box::new(centres::Centres { numbers }),
        ReleaseForm::Ring { order } => Box::new(ring::Rings { order }),
        ReleaseForm::Anatomy => Box::new(anatomy::Anatomy),
        ReleaseForm::Slicing { sets } => Box::new(slicing::Slicing { sets }),
        ReleaseForm::Randomization { p, l } => Box::new(randomization::Randomization { p, l }),
    })
}

/// The row that each published row comes from.
pub fn row_order(table: &Table, schema: &Schema, order: RowOrder, seed: u64) -> Result<Vec<u32>> {
    let mut rows: Vec<u32> = (0..table.rows() as u32).collect();
    if order == RowOrder::Shuffle {
        rows.shuffle(&mut secret_choice(table, schema, "row order", seed)?);
    }
    Ok(rows)
}

/// The source of random choices for a purpose of which nobody may know the outcome.
///
/// It depends on the seed *and* on the records: on the texts of all quasi-identifiers, then of all sensitive columns, then of those that say
/// what people want, each text behind its length (4 bytes, little-endian; missing values are empty). If the seed alone decided,
/// whoever has it could undo the choice; so it takes all of the original, too. The verification derives the order of the rows by itself.
fn secret_choice(table: &Table, schema: &Schema, purpose: &str, seed: u64) -> Result<ChaCha12Rng> {
    let mut digest = Sha256::new();
    digest.update(format!("amidst {purpose}"));
    digest.update(seed.to_le_bytes());
    let sensitive = schema.sensitive.iter().map(|column| column.name.as_str());
    let personal = schema.personal.iter().map(|column| column.name.as_str());
    for name in schema.quasi_names().chain(sensitive).chain(personal) {
        let texts = texts(table.column(name)?).map(Texts).map_err(|e| Error::column(name, &e))?;
        let mut bytes = Vec::new();
        for row in 0..table.rows() {
            let text = texts.of(row);
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
            if bytes.len() > 1 << 16 {
                digest.update(&bytes);
                bytes.clear();
            }
        }
        digest.update(&bytes);
    }
    Ok(ChaCha12Rng::from_seed(digest.finalize().into()))
}
