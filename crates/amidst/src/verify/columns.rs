//! A check of the column names in the files of a release, against those that the plan publishes.
//!
//! The check needs neither the rows nor the original, so a column that the plan does not publish is always noticed.

use rustc_hash::FxHashSet;

use super::names::{BOUNDS, COLUMN, COUNT, GROUP, PLACE, SENSITIVE, SLICE, SLICES, WINDOW};
use super::{Failure, Files};
use crate::error::Result;
use crate::plan::{Plan, ReleaseForm, Role, Show};
use crate::read::Table;

/// The differences between the columns of a release and those of its plan.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Columns that the plan does not publish but the release has.
    pub forbidden: Vec<Failure>,
    /// Columns that the plan does not name. Each has the name of its file (none for the main file) and its own name.
    pub unnamed: Vec<(Option<String>, String)>,
    /// Columns that the plan publishes but the release lacks.
    pub missing: Vec<Failure>,
}

impl Columns {
    /// Compares the files of a release with a plan.
    pub fn new(files: &Files, plan: &Plan) -> Result<Self> {
        let mut found = Columns::default();
        found.look(&files.main, None, &main(plan, plan.method.form()?), plan);
        for (part, table) in &files.beside {
            found.look(table, Some(table.name()), &beside(part, plan), plan);
        }
        Ok(found)
    }

    fn look(&mut self, table: &Table, file: Option<&str>, expected: &[String], plan: &Plan) {
        let known: FxHashSet<&str> = expected.iter().map(String::as_str).collect();
        for name in table.names().filter(|name| !known.contains(name)) {
            match plan.columns.get(name).map(|column| column.role) {
                Some(Role::Identifier) => {
                    self.forbidden.push(Failure(format!("the identifier `{name}` is published")));
                }
                Some(Role::Person) => {
                    let message = format!("column `{name}`, which says whose a row is, is published");
                    self.forbidden.push(Failure(message));
                }
                Some(Role::Household) => {
                    let message = format!("column `{name}`, which says whose household a row belongs to, is published");
                    self.forbidden.push(Failure(message));
                }
                Some(Role::PersonalK | Role::PersonalL) => self
                    .forbidden
                    .push(Failure(format!("column `{name}`, which says what each person wants, is published"))),
                // A sensitive column in the wrong file is reported by the reader of the form.
                Some(Role::Sensitive) if file.is_none() => {}
                _ => self.unnamed.push((file.map(str::to_owned), name.to_owned())),
            }
        }
        let there: FxHashSet<&str> = table.names().collect();
        let lacks = |name: &&String| !there.contains(name.as_str());
        let failure = |name: &String| match file {
            None => Failure(format!("the release lacks the column `{name}`, which the plan publishes")),
            Some(file) => Failure(format!("`{file}` lacks the column `{name}`")),
        };
        self.missing.extend(expected.iter().filter(lacks).map(failure));
    }

    /// All failures, if the plan names every column that the release may have.
    pub fn failures(self) -> Vec<Failure> {
        let unnamed = self.unnamed.into_iter().map(|(file, name)| {
            let file = file.map_or_else(|| "the release".to_owned(), |file| format!("`{file}`"));
            Failure(format!(
                "{file} has a column `{name}` that the plan does not publish; remove it, or give it a role in the plan"
            ))
        });
        self.forbidden.into_iter().chain(unnamed).chain(self.missing).collect()
    }
}

/// The columns of the main file.
fn main(plan: &Plan, form: ReleaseForm) -> Vec<String> {
    let own: &[&str] = match form {
        ReleaseForm::Generalization { .. } | ReleaseForm::Centres { .. } => &[],
        ReleaseForm::Ring { .. } => &[GROUP, PLACE, WINDOW],
        ReleaseForm::Anatomy | ReleaseForm::Slicing { .. } | ReleaseForm::Randomization { .. } => &[GROUP],
    };
    let mut names: Vec<String> = own.iter().map(|name| (*name).to_owned()).collect();
    for (name, column) in &plan.columns {
        match column.role {
            Role::Quasi if column.show == Some(Show::Bounds) => {
                names.extend(BOUNDS.iter().map(|end| format!("{name}{end}")));
            }
            Role::Sensitive if form == ReleaseForm::Anatomy => {}
            _ if column.is_published() => names.push(name.clone()),
            _ => {}
        }
    }
    names
}

/// The columns of a part beside the main file.
fn beside(part: &str, plan: &Plan) -> Vec<String> {
    let sensitive = plan.columns_with(Role::Sensitive);
    let names: Vec<&str> = match part {
        SENSITIVE => [GROUP].into_iter().chain(sensitive).chain([COUNT]).collect(),
        SLICES => vec![COLUMN, SLICE],
        _ => Vec::new(),
    };
    names.into_iter().map(str::to_owned).collect()
}
