//! What the files of a release show, by the form in which it was published.
//!
//! One file a form, which checks whatever that form claims beyond its classes: see [`Published`].

mod anatomy;
mod generalization;
mod randomization;
mod ring;
mod slicing;

use rustc_hash::FxHashMap;

use super::{Classes, Crowds, Failure, Rings};
use crate::error::{Error, Result};
use crate::notation::GROUP;
use crate::plan::{Plan, ReleaseForm, Role, Show};
use crate::read::Table;

/// The files of a release, as they were read back.
#[derive(Debug)]
pub struct Files {
    /// The one that bears the name of the release.
    pub main: Table,
    /// Those beside it, by the [part](crate::publish::Part) they are.
    pub beside: FxHashMap<String, Table>,
}

impl Files {
    /// The file of a part that the form needs.
    fn part(&self, name: &str) -> Result<&Table> {
        self.beside.get(name).ok_or_else(|| Error::Format {
            file: self.main.name().to_owned(),
            message: format!("the release needs its part `{name}`, which was not read"),
        })
    }
}

/// What a release shows.
#[derive(Debug)]
pub struct Published {
    /// The rows. What is only known of a class as a whole stands beside its rows in any order.
    pub table: Table,
    /// The rows that hide amidst each other.
    pub classes: Classes,
    /// The columns whose values are only known of a class as a whole. Those of one set belong together.
    pub mixed: Vec<Vec<String>>,
    /// The quasi-identifiers of which one value stands for all rows of a class, and which.
    pub centres: Vec<(String, Show)>,
    /// How quasi-identifiers are published.
    pub shape: Shape,
    /// The probability that a row has the sensitive values of its record, where the others of its class change places at random.
    pub retention: Option<f64>,
}

impl Published {
    /// Rows in classes, and nothing more to say.
    fn new(table: Table, classes: Classes, shape: Shape) -> Self {
        Published { table, classes, mixed: Vec::new(), centres: Vec::new(), shape, retention: None }
    }

    /// The sets of rows of which nobody can tell which is whose.
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
    /// As closures, the same for all rows of a class.
    Closures,
    /// As values that stand for those of a class, some of them at least.
    Centres,
    /// As they are.
    Values,
    /// As they are, but only those of one of these sets are known to belong together.
    Slices(Vec<Vec<String>>),
    /// As closures, for each row one of its own.
    Ring(Rings),
}

pub use randomization::kept;
pub(super) use randomization::{asked, plausible};

/// Reads the files of a release that was published as `plan` says, and checks what its form claims.
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

/// The rows without the numbers of their groups, and the groups as classes: for forms of one table.
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

/// Refuses groups in which everybody has the same sensitive value, where nothing but the group hides it.
fn told_apart(published: &Published, plan: &Plan) -> Result<Result<(), Failure>> {
    for column in plan.columns_with(Role::Sensitive) {
        let ids = super::text_ids(&published.table, column)?;
        let mut several = vec![false; published.classes.sizes.len()];
        for (row, class) in published.classes.of_row.iter().enumerate() {
            several[*class as usize] |= ids[row] != ids[published.classes.first[*class as usize]];
        }
        let alike = several.iter().filter(|several| !**several).count();
        if alike > 0 {
            return Ok(Err(Failure(format!(
                "in {alike} of {} groups everybody has the same value of `{column}`",
                several.len()
            ))));
        }
    }
    Ok(Ok(()))
}
