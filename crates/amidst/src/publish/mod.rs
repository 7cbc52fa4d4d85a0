//! The forms in which a partition is published.
//!
//! Each form has a file with a page about it: idea, what protects people, complexity, paper, and an
//! example. A form is asked for by name: `--publish anatomy` on the command line, `publish = "anatomy"` in
//! a plan.

pub mod anatomy;
mod cells;
pub mod centres;
pub mod generalization;
pub mod randomization;
mod replaced;
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
use crate::plan::{Column, Plan, ReleaseForm, Role, RowOrder, Show};
use crate::problem::{Partition, Problem};
use crate::read::{Table, texts};
use crate::registry::Spec;
use crate::schema::Schema;

pub use crate::plan::form::FORMS as ALL;
pub(crate) use replaced::{Names, append, keyed};
pub use replaced::{Replaced, replaced};

/// Turns clusters into tables that may be published.
pub trait Publisher: Send + Sync {
    /// Refuses plans under which this form would protect nobody, or that ask for something it cannot do.
    fn admits(&self, _plan: &Plan) -> Result<()> {
        Ok(())
    }

    /// The form with the parameters that the plan decides, if the user left any open.
    fn resolve(&self, _plan: &Plan) -> Result<Option<Spec>> {
        Ok(None)
    }

    /// The class of each cluster. Clusters that a reader of the release cannot tell apart have the same
    /// class. Most forms number their clusters, so every cluster is a class of its own.
    fn classes(&self, _schema: &Schema, _problem: &Problem, partition: &Partition) -> Result<Vec<u32>> {
        Ok((0..partition.len() as u32).collect())
    }

    /// Publishes `original`. `problem` holds its records, and `partition` its clusters.
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
    /// The columns that are published instead of those of the same name.
    pub replaced: &'a Replaced,
}

impl<'a> Original<'a> {
    /// The random generator for a purpose; see [`secret_choice`].
    fn secret_choice(&self, purpose: &str, seed: u64) -> Result<ChaCha12Rng> {
        secret_choice(self.table, self.schema, purpose, seed)
    }

    /// The names of the published columns, in the order of the table.
    fn published(&self) -> impl Iterator<Item = &'a str> {
        let Original { table, schema, .. } = *self;
        table.names().filter(|name| schema.publishes(name))
    }

    /// A column with its own values, in the published order.
    fn column(&self, column: &str) -> Result<ArrayRef> {
        let own = match self.replaced.get(column) {
            Some(own) => own,
            None => self.table.column(column)?,
        };
        if self.order.len() == self.table.rows() && self.order.iter().zip(0..).all(|(row, place)| *row == place) {
            return Ok(own.clone());
        }
        let indices = UInt32Array::from(self.order.to_vec());
        take(own, &indices, None).map_err(|e| Error::internal(column, &e))
    }

    /// The texts of a column, in the published order.
    fn texts(&self, column: &str) -> Result<Texts> {
        texts(&self.column(column)?).map(Texts).map_err(|e| Error::column(column, &e))
    }
}

/// The texts of a column.
struct Texts(DictionaryArray<Int32Type>);

impl Texts {
    /// The text in a published row. Nulls are empty.
    fn of(&self, row: usize) -> &str {
        self.0.key(row).map_or("", |key| self.0.values().as_string::<i32>().value(key))
    }
}

/// What is published: one table, or several that belong together.
#[derive(Debug)]
pub struct Release {
    /// The tables.
    pub tables: Vec<Part>,
    /// The form with the parameters that were chosen on the way, if readers need them or the release cannot
    /// be made again without them.
    pub maker: Option<Spec>,
}

impl Release {
    fn of(tables: Vec<Part>) -> Self {
        Release { tables, maker: None }
    }
}

/// A table of a release.
#[derive(Debug, Clone)]
pub struct Part {
    /// Which of the [parts](crate::plan::ReleaseForm::parts) this is; none for the part that has the name
    /// of the release.
    pub name: Option<String>,
    /// The table.
    pub table: RecordBatch,
}

/// The path of a part of a release. The part `sensitive` of `release.csv.gz` goes to
/// `release.sensitive.csv.gz`.
pub fn path(release: &Path, part: &str) -> PathBuf {
    let (mut name, extensions) = split(release);
    for piece in [OsStr::new(part)].into_iter().chain(extensions.iter().map(OsString::as_os_str)) {
        name.push(".");
        name.push(piece);
    }
    release.with_file_name(name)
}

/// The path of a file that belongs to a release. The `plan.toml` of `release.csv.gz` goes to
/// `release.plan.toml`.
pub fn beside(release: &Path, what: &str) -> PathBuf {
    let (mut name, _) = split(release);
    name.push(".");
    name.push(what);
    release.with_file_name(name)
}

/// The name of a file without the extensions that say how it is stored, and those extensions.
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

/// Refuses tables with a column whose name is needed for bounds.
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

/// The group number of each published row. Groups are numbered from 1 in the order in which they come up,
/// so that the numbers say nothing.
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

/// For forms that publish quasi-identifiers as they are, so that only privacy models protect people.
/// Refuses plans without a sensitive column or without a model for one of them, and tables with a column
/// name that the form needs.
fn need_models(plan: &Plan, form: &str) -> Result<()> {
    let fail = |message: String| Err(Error::parameter(form, message));
    no_coding(plan, form, "it publishes quasi-identifiers as they are")?;
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
        return Err(Error::parameter(form, message)
            .or([Remedy::by("name one", Setting::Sensitive), Remedy::other_form(&["generalization"])]));
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

/// Refuses plans that code numbers before they are generalized, for forms that cannot publish them because of `reason`.
fn no_coding(plan: &Plan, form: &str, reason: &str) -> Result<()> {
    let hides = |column: &Column| column.role == Role::Quasi && column.hides_values();
    let Some((name, _)) = plan.columns.iter().find(|(_, column)| hides(column)) else { return Ok(()) };
    let message = format!("`{name}` has top or bottom coding, bins, rounding or age bands, and {reason}");
    Err(Error::parameter(form, message).or([Remedy::other_form(&["generalization", "ring"])]))
}

/// Refuses plans with personal wishes for diversity, for forms that cannot guarantee them because of
/// `reason`.
fn no_wishes(plan: &Plan, form: &str, reason: &str) -> Result<()> {
    match plan.columns_with(Role::PersonalL).next() {
        None => Ok(()),
        Some(column) => {
            let message = format!("the wishes in column `{column}` cannot be met: {reason}");
            Err(Error::parameter(form, message)
                .or([Remedy::by("ask for the same l for everybody", Setting::L), Remedy::other_form(&["anatomy"])]))
        }
    }
}

/// Refuses plans that count persons, for forms that cannot because of `reason`.
fn no_persons(plan: &Plan, form: &str, reason: &str) -> Result<()> {
    match plan.columns_with(Role::Person).next() {
        None => Ok(()),
        Some(column) => {
            let message = format!("it cannot count the persons in column `{column}`: {reason}");
            Err(Error::parameter(form, message).or([Remedy::other_form(&["generalization", "anatomy"])]))
        }
    }
}

/// Refuses plans that ask for a number of households, for forms that cannot promise one because of `reason`.
fn no_households(plan: &Plan, form: &str, reason: &str) -> Result<()> {
    if plan.household_sizes()?.is_empty() {
        return Ok(());
    }
    let message = format!("it cannot promise household-k: {reason}");
    Err(Error::parameter(form, message).or([Remedy::other_form(&["generalization", "anatomy"])]))
}

/// Why forms that publish quasi-identifiers as they are do not hide linked rows.
const EXACT: &str =
    "all rows of a person must have the same cells then, but this form publishes quasi-identifiers as they are";

/// Refuses plans under which the rows of a person can be linked, for forms that cannot hide them then because of `reason`.
fn no_links(plan: &Plan, form: &str, reason: &str) -> Result<()> {
    match plan.linked() {
        None => Ok(()),
        Some(column) => {
            let message = format!("the pseudonyms in column `{column}` link the rows of a person, and {reason}");
            Err(Error::parameter(form, message).or([Remedy::other_form(&["generalization", "centres"])]))
        }
    }
}

/// Builds the publisher that `spec` names.
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

/// The original row of each published row.
pub fn row_order(table: &Table, schema: &Schema, order: RowOrder, seed: u64) -> Result<Vec<u32>> {
    let mut rows: Vec<u32> = (0..table.rows() as u32).collect();
    if order == RowOrder::Shuffle {
        rows.shuffle(&mut secret_choice(table, schema, "row order", seed)?);
    }
    Ok(rows)
}

/// A random generator for choices whose outcome nobody may know.
///
/// It depends on the seed *and* on the records. If the seed alone decided, whoever has it could undo the
/// choice. The generator is seeded by SHA-256 over the purpose, the seed, and the texts of all
/// quasi-identifiers, then of all sensitive columns, then of the columns with personal wishes, then of
/// those that say whose a row is. Each text comes after its length (4 bytes, little-endian); missing values
/// are empty. The verification derives the order of the rows with code of its own.
fn secret_choice(table: &Table, schema: &Schema, purpose: &str, seed: u64) -> Result<ChaCha12Rng> {
    let mut digest = Sha256::new();
    digest.update(format!("amidst {purpose}"));
    digest.update(seed.to_le_bytes());
    let sensitive = schema.sensitive.iter().map(|column| column.name.as_str());
    let personal = schema.personal.iter().map(|column| column.name.as_str());
    let person = schema.person.iter().map(String::as_str);
    for name in schema.quasi_names().chain(sensitive).chain(personal).chain(person) {
        let texts = texts(table.column(name)?).map_err(|e| Error::column(name, &e))?;
        let values = texts.values().as_string::<i32>();
        let mut bytes = Vec::new();
        for row in 0..table.rows() {
            let text = texts.key(row).map_or("", |key| values.value(key));
            bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
            if bytes.len() > 1 << 16 {
                digest.update(&bytes);
                bytes.clear();
            }
        }
        digest.update(&bytes);
    }
    Ok(ChaCha12Rng::from_seed(digest.finalize().into()))
}
