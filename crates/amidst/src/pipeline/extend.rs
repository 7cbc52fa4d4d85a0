//! New rows into the classes of a release that exists.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::{Field, Schema as ArrowSchema, SchemaRef};
use arrow_select::take::take;
use rustc_hash::FxHashMap;

use super::beside::check_unmixed;
use super::dataset::Loaded;
use super::published::release;
use super::remarks::spelled;
use super::unverified;
use crate::constraint;
use crate::error::{Error, Result};
use crate::plan::{Plan, ReleaseForm, Role, RowOrder, Show};
use crate::progress::Progress;
use crate::read::{Frame, Source, Table, texts};
use crate::schema::Schema;
use crate::verify::{self, Audit, Failure, Files, LeftOut, Published};
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
    /// Whether the new rows are published on their own; then they must reach by themselves what the plan asks for. Otherwise they are
    /// published together with the release, in any order, and both together must reach it.
    pub alone: bool,
    /// What the columns shall be like.
    pub like: SchemaRef,
}

/// Publishes each new row with the cells of a class of the release that cover it, in the order of the rows, and verifies that.
pub fn extend(job: &ExtendJob, progress: Progress) -> Result<RecordBatch> {
    let mut plan = job.plan.clone();
    check(&plan)?;
    constraint::check_models(&plan)?;
    let strange = |Failure(message)| Error::Format { file: job.release.name(), message };
    check_unmixed(&job.release, &plan)?;
    let new_rows = job.rows.held(progress)?;
    let published = release(&job.release, &mut plan, progress)?.map_err(strange)?;
    let Loaded { mut table, .. } = Loaded::read(&new_rows, &mut plan, progress)?;
    if plan.input.fold {
        table = spelled(table, &plan, Some(&published.table))?.0;
    }
    let schema = Schema::new(&plan, &table)?;
    let rows = verify::original(&new_rows, &plan, Some(&published.table), progress)?;
    let classes = verify::newcomers(&rows, &plan, &published)?;
    let lost = classes.iter().filter(|class| class.is_none()).count();
    let Some(classes) = classes.iter().copied().collect::<Option<Vec<u32>>>() else {
        let first = classes.iter().position(Option::is_none).map_or(0, |row| table.number(row));
        return Err(Error::Infeasible(format!(
            "{lost} of {} new rows fit no class of the release, first row {first}; leave them out, or make a new release of all rows",
            table.rows()
        )));
    };
    let batch = shaped(&with_cells(&table, &schema, &published, &classes)?, &job.like)?;
    verify::spare_values(&batch).map_err(unverified)?;
    let handed = Frame::new("new rows", batch.schema(), [Ok(batch.clone())], progress)?;
    let files = Files { main: verify::release(&handed.into(), &plan.input, progress)?, beside: FxHashMap::default() };
    let new = verify::published(&files, &plan)?.map_err(unverified)?;
    verify::compare(&rows, &plan, &new, RowOrder::Keep, LeftOut::These(&[]))?.map_err(unverified)?;
    let judged = if job.alone { new } else { together(&published, &new, &plan)?.map_err(unverified)? };
    let audit = Audit::new(&judged, &plan)?;
    if let Some(Failure(failure)) = audit.failures(&plan)?.first() {
        let what = if job.alone { "on their own" } else { "together with the release" };
        return Err(Error::Infeasible(format!(
            "the new rows cannot be published {what}: {failure}; wait for more rows, or make a new release of all rows"
        )));
    }
    Ok(batch)
}

/// Refuses forms whose classes cannot be joined, because what is published of them depends on their records.
fn check(plan: &Plan) -> Result<()> {
    let form = &plan.method.publish;
    let cells = plan.columns.values().all(|column| column.show.is_none_or(|show| show == Show::Cell));
    let personal = [Role::PersonalK, Role::PersonalL].iter().any(|role| plan.columns_with(*role).next().is_some());
    let counts_households = !plan.household_sizes()?.is_empty();
    let message = match () {
        () if plan.method.form()? != (ReleaseForm::Generalization { nested: false }) => {
            "new rows can only join the classes of a generalization with cells of text"
        }
        () if !cells => "new rows can only join classes that are shown by their cells",
        () if plan.columns_with(Role::Person).next().is_some() => {
            "new rows cannot join where classes count persons: a row may be of somebody who is in the release; make a new release of all rows"
        }
        () if counts_households => {
            "new rows cannot join where classes count households: a row may be of a household that is in the release; make a new release of all rows"
        }
        () if personal => "new rows cannot join where people have wishes of their own",
        () => return Ok(()),
    };
    Err(Error::parameter(form.name(), message))
}

/// The rows with the cells of these classes.
fn with_cells(table: &Table, schema: &Schema, release: &Published, classes: &[u32]) -> Result<RecordBatch> {
    let first: UInt32Array = classes.iter().map(|class| release.classes.first[*class as usize] as u32).collect();
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    for name in table.names() {
        let column = if schema.quasi.iter().any(|quasi| quasi.name == name) {
            let cells = texts(release.table.column(name)?).map_err(|e| Error::column(name, &e))?;
            take(&cells, &first, None).map_err(|e| Error::internal(name, &e))?
        } else {
            table.column(name)?.clone()
        };
        fields.push(Field::new(name, column.data_type().clone(), true));
        columns.push(column);
    }
    RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), columns)
        .map_err(|e| Error::Internal(format!("the columns of the new rows do not make a table: {e}")))
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
