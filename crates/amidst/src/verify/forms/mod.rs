//! The readers of the forms of release.
//!
//! Each form has one file. It reads the files of the release as [`Published`] and checks what only this form claims.

mod anatomy;
mod generalization;
mod randomization;
mod ring;
mod slicing;

use rustc_hash::FxHashMap;

use super::{Classes, Crowds, Failure, Numbered, Rings};
use crate::error::{Error, Result};
use crate::plan::{Plan, ReleaseForm, Role, Show};
use crate::read::Table;
use crate::verify::names::GROUP;

/// The files of a release.
#[derive(Debug)]
pub struct Files {
    /// The main file, which has the name of the release.
    pub main: Table,
    /// The other files, by [part](crate::publish::Part).
    pub beside: FxHashMap<String, Table>,
}

impl Files {
    /// The file of a part.
    fn part(&self, name: &str) -> Result<&Table> {
        self.beside.get(name).ok_or_else(|| Error::Format {
            file: self.main.name().to_owned(),
            message: format!("the release needs its part `{name}`, which was not read"),
        })
    }
}

/// What a release shows, whatever its form.
#[derive(Debug)]
pub struct Published {
    /// The rows. Values that are known only for a class as a whole are in any order within the class.
    pub table: Table,
    /// The classes: sets of rows that hide among each other.
    pub classes: Classes,
    /// The columns whose values are known only for a class as a whole. The columns of one set belong together.
    pub mixed: Vec<Vec<String>>,
    /// The quasi-identifiers with one value for all rows of a class, and which value that is.
    pub centres: Vec<(String, Show)>,
    /// How quasi-identifiers are published.
    pub shape: Shape,
    /// The probability that a row keeps the sensitive values of its record, if the form exchanges values at random.
    pub retention: Option<f64>,
}

impl Published {
    /// A release of rows in classes, without mixed columns, centres or exchanged values.
    fn new(table: Table, classes: Classes, shape: Shape) -> Self {
        Published { table, classes, mixed: Vec::new(), centres: Vec::new(), shape, retention: None }
    }

    /// The sets of rows of which nobody can tell which row is whose.
    pub fn crowds(&self) -> Crowds {
        match &self.shape {
            Shape::Ring(rings) => Crowds::windows(&self.classes, rings),
            _ => Crowds::new(&self.classes),
        }
    }
}

/// How quasi-identifiers are published.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// As closures, equal for all rows of a class.
    Closures,
    /// Some of them, at least, as one value for all rows of a class.
    Centres,
    /// Unchanged.
    Values,
    /// Unchanged, but only columns of one of these sets are known to belong together.
    Slices(Vec<Vec<String>>),
    /// As closures that differ from row to row.
    Ring(Rings),
}

pub use randomization::kept;
pub(super) use randomization::{asked, plausible};

/// Reads the files of a release as the plan says, and checks what its form claims.
pub fn published(files: &Files, plan: &Plan) -> Result<Result<Published, Failure>> {
    let form = plan.method.form()?;
    if plan.columns_with(Role::Quasi).next().is_none() {
        return Err(Error::NoQuasi);
    }
    match form {
        ReleaseForm::Generalization { .. } => generalization::read(files, plan),
        ReleaseForm::Centres { numbers } => generalization::read_centres(files, plan, numbers),
        ReleaseForm::Ring { .. } => ring::read(files, plan),
        ReleaseForm::Anatomy => anatomy::read(files, plan),
        ReleaseForm::Slicing { .. } => slicing::read(files, plan),
        ReleaseForm::Randomization { p, .. } => randomization::read(files, plan, p),
    }
}

/// Reads a table of closures. Unlike [`published`], it need not have quasi-identifiers.
pub(super) fn closures(files: &Files, plan: &Plan) -> Result<Published> {
    generalization::read(files, plan)?
        .map_err(|Failure(message)| Error::Format { file: files.main.name().to_owned(), message })
}

/// For forms with one table and group numbers: the rows without the numbers, and the groups as classes.
fn grouped(rows: &Table, plan: &Plan) -> Result<Result<(Table, Classes), Failure>> {
    plan.columns_with(Role::Quasi).try_for_each(|column| rows.column(column).map(drop))?;
    let Some(groups) = anatomy::whole_numbers(rows, GROUP)? else {
        return Ok(Err(Failure(format!("a number in the column `{GROUP}` is not whole"))));
    };
    if let Err(failure) = anatomy::numbered(&groups) {
        return Ok(Err(failure));
    }
    let mut columns = Vec::new();
    for name in rows.names().filter(|name| *name != GROUP) {
        columns.push((name.to_owned(), rows.column(name)?.clone()));
    }
    Ok(Ok((Table::new(rows.name(), columns)?, Classes::new(rows, [GROUP])?)))
}

/// Refuses groups in which all records have the same sensitive value. In these forms only the group hides the value.
fn told_apart(published: &Published, plan: &Plan) -> Result<Result<(), Failure>> {
    for column in plan.columns_with(Role::Sensitive) {
        let numbers = Numbered::of(&published.table, column)?;
        let mut several = vec![false; published.classes.sizes.len()];
        for (row, class) in published.classes.of_row.iter().enumerate() {
            let first = published.classes.first[*class as usize];
            several[*class as usize] |= numbers.at(row) != numbers.at(first);
        }
        let alike = several.iter().filter(|several| !**several).count();
        if alike > 0 {
            return Ok(Err(Failure(format!(
                "in {alike} of {} groups, all records have the same value of `{column}`",
                several.len()
            ))));
        }
    }
    Ok(Ok(()))
}
