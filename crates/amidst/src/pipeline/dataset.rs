//! A table with what a plan makes of it. Every command that looks at an original begins with one.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray};

use super::remarks;
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::plan::{Kind, MissingRows, Plan, Role, Seed};
use crate::problem::Problem;
use crate::progress::Progress;
use crate::read::{self, Source, Table, texts};
use crate::schema::{Schema, guess};

/// A table, the plan for it with all columns named, their roles, and the records as codes.
pub(super) struct Dataset {
    pub plan: Plan,
    pub table: Table,
    pub schema: Schema,
    pub encoded: Arc<Encoded>,
    /// How many rows were dropped because they miss a value.
    pub dropped_rows: usize,
    /// The columns that flags did not describe, and the kind that was taken for them.
    pub taken: Vec<(String, Kind)>,
    /// What to say about the values.
    pub remarks: Vec<String>,
}

impl Dataset {
    /// Reads a table for a plan and completes the plan where it came from flags.
    pub(super) fn load(source: &Source, mut plan: Plan, progress: Progress) -> Result<Self> {
        let Loaded { table, dropped_rows, taken, remarks } = Loaded::read(source, &mut plan, progress)?;
        let schema = Schema::new(&plan, &table)?;
        let encoded = encode(&table, &schema, &plan, progress)?;
        Ok(Dataset { plan, table, schema, encoded, dropped_rows, taken, remarks })
    }

    /// The same, had the table been another one with these columns.
    pub(super) fn instead(&self, table: Table, progress: Progress) -> Result<Self> {
        let (plan, schema) = (self.plan.clone(), self.schema.clone());
        let encoded = encode(&table, &schema, &plan, progress)?;
        Ok(Dataset { plan, table, schema, encoded, dropped_rows: 0, taken: Vec::new(), remarks: Vec::new() })
    }

    /// What a partitioner is asked. It may have no solution unless records are suppressed.
    pub(super) fn problem(&self, seed: Seed) -> Result<Problem> {
        Problem::of(&self.plan, self.encoded.clone(), seed.0)
    }
}

fn encode(table: &Table, schema: &Schema, plan: &Plan, progress: Progress) -> Result<Arc<Encoded>> {
    Ok(Arc::new(Encoded::new(table, schema, &plan.input.missing, progress)?))
}

/// A table as the plan wants it.
pub(super) struct Loaded {
    pub table: Table,
    pub dropped_rows: usize,
    pub taken: Vec<(String, Kind)>,
    pub remarks: Vec<String>,
}

impl Loaded {
    /// Reads a table for a plan, with one spelling of each sensitive value where it wants that, completes the plan where it came from
    /// flags, and drops the rows it does not want.
    pub(super) fn read(source: &Source, plan: &mut Plan, progress: Progress) -> Result<Self> {
        let options = read::Options {
            delimiter: plan.input.delimiter,
            trim: plan.input.trim,
            skip: plan.columns_with(Role::Identifier).map(str::to_owned).collect(),
        };
        let table = source.read(&options, progress)?;
        let taken = if plan.is_partial() { guess::complete(plan, &table)? } else { Vec::new() };
        let (table, remarks) = remarks::spelled(table, plan, None)?;
        let (table, dropped_rows) = without_missing(table, plan)?;
        Ok(Loaded { table, dropped_rows, taken, remarks })
    }
}

/// The table without the rows that miss a value where the plan wants that, and how many those are.
pub(super) fn without_missing(table: Table, plan: &Plan) -> Result<(Table, usize)> {
    if plan.input.missing_rows == MissingRows::Keep {
        return Ok((table, 0));
    }
    let mut keep = vec![true; table.rows()];
    for name in plan.columns_with(Role::Quasi).chain(plan.columns_with(Role::Sensitive)) {
        let texts = texts(table.column(name)?).map_err(|e| Error::column(name, &e))?;
        let values = texts.values().as_string::<i32>();
        let missing: Vec<bool> =
            values.iter().map(|v| plan.input.missing.iter().any(|m| Some(m.as_str()) == v)).collect();
        for (row, keep) in keep.iter_mut().enumerate() {
            *keep &= !texts.is_null(row) && !missing[texts.keys().value(row) as usize];
        }
    }
    let dropped_rows = keep.iter().filter(|keep| !**keep).count();
    if dropped_rows == table.rows() {
        return Err(Error::Infeasible(format!("every row of `{}` misses a value, so all were dropped", table.name())));
    }
    Ok((table.filter(&BooleanArray::from(keep))?, dropped_rows))
}
