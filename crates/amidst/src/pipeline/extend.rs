//! New rows into the classes of a release that exists.

use std::str::FromStr;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray, UInt32Array};
use arrow_schema::{Field, Schema as ArrowSchema, SchemaRef};
use arrow_select::take::take;
use rustc_hash::FxHashMap;

use super::beside::check_unmixed;
use super::dataset::Loaded;
use super::published::release_files;
use super::remarks::spelled;
use super::unverified;
use crate::constraint;
use crate::error::{Error, Result};
use crate::notation::BOUNDS;
use crate::plan::{MissingPerson, MissingRows, Plan, ReleaseForm, Role, RowOrder, Show};
use crate::progress::Progress;
use crate::read::{self, Frame, Source, Table, texts};
use crate::schema::Schema;
use crate::verify::{self, Audit, Failure, Files, LeftOut, Newcomer, Published};
use crate::write::shaped;

/// New rows for a release.
#[derive(Debug)]
pub struct ExtendJob {
    /// The release.
    pub release: Source,
    /// The plan it was made by.
    pub plan: Plan,
    /// The new rows, with the columns of the table that the release was made from.
    pub rows: Source,
    /// What becomes of the new rows.
    pub purpose: Purpose,
    /// What becomes of a row that no class covers.
    pub unmatched: Unmatched,
    /// For each row, the row of the release that is made of it, if it is no new row; empty where all are new.
    pub own: Vec<Option<u32>>,
    /// What the columns shall be like.
    pub like: SchemaRef,
}

/// What becomes of new rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A model learns from them or judges them. They are not published, so nothing is asked of them, and nothing is promised.
    Modelling,
    /// They are published on their own, so they must reach by themselves what the plan asks for.
    Alone,
    /// They are published together with the release, in any order, and both together must reach it.
    Joined,
}

impl FromStr for Purpose {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "modelling" => Ok(Purpose::Modelling),
            "alone" => Ok(Purpose::Alone),
            "joined" => Ok(Purpose::Joined),
            other => Err(Error::unknown_name("purpose of new rows", other, &["modelling", "alone", "joined"])),
        }
    }
}

/// What becomes of a new row that no class covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmatched {
    /// It gets the cells of the nearest class, although they do not cover it. Only for modelling: such a row is not true.
    Nearest,
    /// All its quasi-identifiers are suppressed.
    Star,
    /// It is refused.
    Error,
}

impl FromStr for Unmatched {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "nearest" => Ok(Unmatched::Nearest),
            "star" => Ok(Unmatched::Star),
            "error" => Ok(Unmatched::Error),
            other => Err(Error::unknown_name("way with unmatched rows", other, &["nearest", "star", "error"])),
        }
    }
}

/// Gives each new row the cells of a class of the release, in the order of the rows. What is to be published is verified.
pub fn extend(job: &ExtendJob, progress: Progress) -> Result<RecordBatch> {
    // Every row that comes in goes out.
    let mut plan = job.plan.clone();
    plan.input.missing_rows = MissingRows::Keep;
    plan.input.missing_person = MissingPerson::Own;
    plan.input.rows_per_person = None;
    check(&plan, job)?;
    constraint::check_models(&plan)?;
    let strange = |Failure(message)| Error::Format { file: job.release.name(), message };
    check_unmixed(&job.release, &plan)?;
    let new_rows = job.rows.held(progress)?;
    let files = release_files(&job.release, &mut plan, progress)?;
    let published = verify::published(&files, &plan)?.map_err(strange)?;
    let Loaded { mut table, .. } = Loaded::read(&new_rows, &mut plan, progress)?;
    if plan.input.fold {
        table = spelled(table, &plan, Some(&published.table))?.0;
    }
    let schema = Schema::new(&plan, &table)?;
    let rows = verify::original(&new_rows, &plan, Some(&published.table), progress)?;
    let mut found = verify::newcomers(&rows, &plan, &published, progress)?;
    for (newcomer, own) in found.iter_mut().zip(&job.own) {
        let class = own.and_then(|row| published.classes.of_row.get(row as usize).copied());
        *newcomer = class.map_or(*newcomer, |class| Newcomer { class, covered: true });
    }
    let classes = joined(job, &table, &found)?;
    // With the types that it has; the verification reads texts.
    let main =
        job.release.read(&read::Options { delimiter: plan.input.separator(), ..read::Options::default() }, progress)?;
    let batch = shaped(&with_cells(&table, &schema, &main, &published, &classes)?, &job.like)?;
    verify::spare_values(&batch).map_err(unverified)?;
    if job.purpose == Purpose::Modelling {
        return Ok(batch);
    }
    let handed = Frame::new("new rows", batch.schema(), [Ok(batch.clone())], progress)?;
    let files = Files { main: verify::release(&handed.into(), &plan.input, progress)?, beside: FxHashMap::default() };
    let new = verify::published(&files, &plan)?.map_err(unverified)?;
    verify::compare(&rows, &plan, &new, RowOrder::Keep, LeftOut::These(&[]))?.map_err(unverified)?;
    let alone = job.purpose == Purpose::Alone;
    let judged = if alone { new } else { together(&published, &new, &plan)?.map_err(unverified)? };
    let audit = Audit::new(&judged, &plan)?;
    if let Some(Failure(failure)) = audit.failures(&plan)?.first() {
        let what = if alone { "on their own" } else { "together with the release" };
        return Err(Error::Infeasible(format!(
            "the new rows cannot be published {what}: {failure}; wait for more rows, or make a new release of all rows"
        )));
    }
    Ok(batch)
}

/// The class of each row; none for a row that is suppressed. Refuses rows that no class covers where the job does, and where they would be
/// published with cells that are not true.
fn joined(job: &ExtendJob, table: &Table, found: &[Newcomer]) -> Result<Vec<Option<u32>>> {
    let nearest = job.unmatched == Unmatched::Nearest;
    let lost = found.iter().filter(|newcomer| !newcomer.covered).count();
    if lost > 0 && (job.unmatched == Unmatched::Error || nearest && job.purpose != Purpose::Modelling) {
        let first = found.iter().position(|newcomer| !newcomer.covered).map_or(0, |row| table.number(row));
        let untrue = if nearest { ", and the cells of the nearest class would not be true" } else { "" };
        return Err(Error::Infeasible(format!(
            "{lost} of {} new rows fit no class of the release, first row {first}{untrue}; leave them out, or make a new release of all rows",
            table.rows()
        )));
    }
    Ok(found.iter().map(|newcomer| (newcomer.covered || nearest).then_some(newcomer.class)).collect())
}

/// Refuses forms whose classes cannot be joined, because what is published of them depends on their records.
fn check(plan: &Plan, job: &ExtendJob) -> Result<()> {
    let form = &plan.method.publish;
    let shown = |shown: fn(Show) -> bool| plan.columns.values().any(|column| column.show.is_some_and(shown));
    let personal = [Role::PersonalK, Role::PersonalL].iter().any(|role| plan.columns_with(*role).next().is_some());
    let counts_households = !plan.household_sizes()?.is_empty();
    let publishes = job.purpose != Purpose::Modelling;
    let message = match () {
        () if plan.method.form()? != (ReleaseForm::Generalization { nested: false }) => {
            "new rows can only join the classes of a generalization with cells of text"
        }
        () if plan.columns.values().any(|column| column.publish.is_some()) => {
            "new rows cannot join where columns are replaced by pseudonyms, moved dates or days of study; make a new release of all rows"
        }
        () if job.unmatched != Unmatched::Nearest && shown(Show::is_centre) => {
            "a class that is shown by its middle, mean, median or mode does not say what it covers, so a row can only join the nearest"
        }
        () if publishes && shown(|show| show != Show::Cell) => {
            "new rows can only join classes that are shown by their cells"
        }
        () if publishes && plan.columns_with(Role::Person).next().is_some() => {
            "new rows cannot join where classes count persons: a row may be of somebody who is in the release; make a new release of all rows"
        }
        () if publishes && counts_households => {
            "new rows cannot join where classes count households: a row may be of a household that is in the release; make a new release of all rows"
        }
        () if publishes && personal => "new rows cannot join where people have wishes of their own",
        () => return Ok(()),
    };
    Err(Error::parameter(form.name(), message))
}

/// The rows with the cells of these classes, and the columns of the release.
fn with_cells(
    table: &Table,
    schema: &Schema,
    main: &Table,
    release: &Published,
    classes: &[Option<u32>],
) -> Result<RecordBatch> {
    let first: UInt32Array =
        classes.iter().map(|class| class.map(|class| release.classes.first[class as usize] as u32)).collect();
    let shows = |name: &str| {
        let ends = |quasi: &str| BOUNDS.iter().any(|end| name.strip_suffix(end) == Some(quasi));
        schema.quasi.iter().find(|quasi| match quasi.show {
            Some(Show::Bounds) => ends(&quasi.name),
            _ => quasi.name == name,
        })
    };
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    for name in main.names() {
        let column = match shows(name) {
            None => table.column(name)?.clone(),
            Some(quasi) if quasi.show.is_none_or(|show| show == Show::Cell) => {
                starred(name, &texts(main.column(name)?).map_err(|e| Error::column(name, &e))?, &first)?
            }
            Some(_) => take(main.column(name)?, &first, None).map_err(|e| Error::internal(name, &e))?,
        };
        fields.push(Field::new(name, column.data_type().clone(), true));
        columns.push(column);
    }
    RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), columns)
        .map_err(|e| Error::Internal(format!("the columns of the new rows do not make a table: {e}")))
}

/// The cells of these rows, and `*` where there is none.
fn starred(name: &str, cells: &DictionaryArray<Int32Type>, rows: &UInt32Array) -> Result<ArrayRef> {
    let (values, keys) = (cells.values().as_string::<i32>(), cells.keys());
    let star = values.len() as i32;
    let key = |row: Option<u32>| match row {
        Some(row) => keys.is_valid(row as usize).then(|| keys.value(row as usize)),
        None => Some(star),
    };
    let keys: Int32Array = rows.iter().map(key).collect();
    let values: StringArray = values.iter().chain([Some("*")]).collect();
    let column = DictionaryArray::try_new(keys, Arc::new(values)).map_err(|e| Error::internal(name, &e))?;
    Ok(Arc::new(column))
}

/// The release and the new rows as one, as far as privacy looks at them.
fn together(release: &Published, new: &Published, plan: &Plan) -> Result<Result<Published, Failure>> {
    let seen = |table: &Table| {
        let mut columns: Vec<(String, ArrayRef)> = Vec::new();
        for name in plan.columns_with(Role::Quasi).chain(plan.columns_with(Role::Sensitive)) {
            let texts = texts(table.column(name)?).map_err(|e| Error::column(name, &e))?;
            columns.push((name.to_owned(), Arc::new(texts)));
        }
        Table::new(table.name(), columns)
    };
    let (old, new) = (seen(&release.table)?, seen(&new.table)?);
    let batches = [&old, &new].map(|table| Ok(table.batch().clone()));
    let main = Table::from_batches("both", &old.schema(), batches, Progress::silent())?;
    verify::published(&Files { main, beside: FxHashMap::default() }, plan)
}
