//! The verification of published files, from their bytes alone.
//!
//! It is independent of the code that makes releases. It reads the original and the release anew, as texts ([`original`],
//! [`release`](fn@release)), and takes the plan that was written beside the release. Trees, the order of the rows and the formulas of the
//! privacy models are written a second time here. Classes are found by comparing texts, and published cells are read by a separate
//! parser ([`Cell`]). Three things are shared: the type that holds a table, the code that refuses damaged files, and the parser of plans.
//! The verification also works on releases of other tools.
//!
//! # Example
//!
//! ```text
//! amidst audit release.csv --plan release.plan.toml --original adult.csv.gz
//! ```

mod builtin;
mod cell;
mod centre;
mod coded;
mod coding;
mod columns;
mod cover;
mod crowds;
mod distance;
mod forms;
mod growth;
mod households;
mod keyed;
mod levels;
mod linked;
mod moment;
mod names;
mod newcomers;
mod numbered;
mod order;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
mod parquet;
mod personal;
mod persons;
mod reading;
mod recoded;
mod repeats;
mod replaced;
mod same;
mod spelling;
mod tables;
mod text_column;
mod tree;
mod turning;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use rustc_hash::FxHashSet;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Result;
use crate::plan::{Plan, Role};
use crate::read::Table;

pub use cell::{Cell, CellReader, Meaning};
pub use columns::Columns;
pub use cover::compare;
pub use crowds::{Crowds, Rings};
pub use forms::{Files, Published, Shape, kept, published};
pub use growth::Widths;
pub use levels::{Levels, levels};
pub use linked::{linked, pseudonyms};
pub use newcomers::{Newcomer, newcomers};
pub use order::{Alignment, LeftOut};
pub use personal::wishes;
pub use persons::{People, persons};
pub use reading::{original, release, spare_values};
pub use repeats::{Repeats, numbers};
pub use replaced::consistent;
pub use same::same;
pub use tables::{MadeFrom, Main, beside};
pub use turning::Turns;

use numbered::Numbered;

pub(crate) use distance::{hierarchical, ordered};

/// A reason why a release does not pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(transparent)]
pub struct Failure(pub String);

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The classes of a published table. A class has the rows with the same quasi-identifiers.
#[derive(Debug)]
pub struct Classes {
    /// The class of each row.
    pub of_row: Vec<u32>,
    /// The number of rows of each class.
    pub sizes: Vec<usize>,
    /// The first row of each class.
    pub first: Vec<usize>,
}

impl Classes {
    /// The classes by these columns. Rows are compared as texts; null and the empty text are the same.
    pub fn new<'a>(table: &Table, quasi: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let columns = quasi.into_iter().map(|name| Numbered::of(table, name)).collect::<Result<Vec<_>>>()?;
        Ok(numbered::classes(table.rows(), &columns))
    }

    /// Divides these classes further, by the texts of these columns.
    pub fn within<'a>(table: &Table, classes: &Classes, quasi: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut columns = quasi.into_iter().map(|name| Numbered::of(table, name)).collect::<Result<Vec<_>>>()?;
        columns.push(Numbered::Known(&classes.of_row));
        Ok(numbered::classes(table.rows(), &columns))
    }
}

/// What the verification found in a published table.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Audit {
    /// The number of rows.
    pub rows: usize,
    /// The number of classes: sets of rows with the same quasi-identifiers, groups, or rings.
    pub classes: usize,
    /// The privacy that is reached.
    pub achieved: Achieved,
    /// The number of classes of each size. If `people` is there, sizes are numbers of persons, otherwise of rows.
    pub class_sizes: BTreeMap<usize, usize>,
    /// The persons, if the plan says whose the rows are and the original was there to count them. Everything that is reached is then by
    /// persons, otherwise by rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<People>,
    /// The number of rings of each window. The window is the number of rows that fit each record of the ring, according to the release. Only a
    /// comparison with the original proves it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windows: Option<BTreeMap<usize, usize>>,
}

/// The privacy that a published table reaches.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Achieved {
    /// The size of the smallest class, in persons if they were counted, otherwise in rows; for rings, the smallest window.
    pub k: usize,
    /// The smallest number of different households in a class, if the plan says whose household a row belongs to and the original was
    /// there to count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub households: Option<usize>,
    /// The probability that a row keeps the sensitive values of its record, in forms that exchange values at random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention: Option<f64>,
    /// The levels that are reached in each sensitive column.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub sensitive: IndexMap<String, Levels>,
}

impl Audit {
    /// Audits a release. The plan says what its columns are.
    pub(crate) fn new(release: &Published, plan: &Plan) -> Result<Self> {
        let Published { table, classes, shape, retention, .. } = release;
        let count = |sizes: &[usize]| {
            let mut counts = BTreeMap::new();
            sizes.iter().for_each(|size| *counts.entry(*size).or_default() += 1);
            counts
        };
        let class_sizes = count(&classes.sizes);
        let windows = match shape {
            Shape::Ring(rings) => Some(count(&rings.windows)),
            _ => None,
        };
        let crowds = release.crowds();
        let levels = |column: &str| {
            let mut levels = levels(table, &crowds, column, plan)?;
            if let Some(p) = retention {
                levels.posterior = Some(levels::posterior(release, column, plan, *p)?);
            }
            Ok((column.to_owned(), levels))
        };
        Ok(Audit {
            rows: table.rows(),
            classes: classes.sizes.len(),
            achieved: Achieved {
                k: windows.as_ref().unwrap_or(&class_sizes).keys().next().copied().unwrap_or(0),
                households: None,
                retention: *retention,
                sensitive: plan.columns_with(Role::Sensitive).map(levels).collect::<Result<_>>()?,
            },
            class_sizes,
            people: None,
            windows,
        })
    }

    /// What one class of a release reaches: in persons if `whose` says whose each row is, otherwise in rows. The table that models compare it
    /// with is that of the whole release.
    pub(crate) fn of_class(release: &Published, plan: &Plan, class: u32, whose: Option<&[u32]>) -> Result<Self> {
        let Published { table, classes, shape, .. } = release;
        let rings = match shape {
            Shape::Ring(rings) => Some(rings),
            _ => None,
        };
        let rows: Vec<u32> =
            (0_u32..).zip(&classes.of_row).filter(|(_, of)| **of == class).map(|(row, _)| row).collect();
        let one = || Crowds::of_class(classes, rings, class);
        let of_rows = |column: &str| levels(table, &one(), column, plan);
        let of_persons =
            |column: &str, whose: &[u32]| levels::by_persons(table, whose, std::iter::once(&rows[..]), column, plan);
        let level = |column: &str| {
            let levels = whose.map_or_else(|| of_rows(column), |whose| of_persons(column, whose))?;
            Ok((column.to_owned(), levels))
        };
        let persons = whose.map(|whose| rows.iter().map(|row| whose[*row as usize]).collect::<FxHashSet<_>>().len());
        let window = rings.map(|rings| rings.windows[class as usize]);
        let k = persons.or(window).unwrap_or(rows.len());
        let people = persons.map(|persons| People {
            persons,
            k_of_rows: rows.len(),
            largest_share: 1.0 / persons.max(1) as f64,
            hidden: BTreeMap::new(),
            k_by_number_of_rows: None,
        });
        Ok(Audit {
            rows: rows.len(),
            classes: 1,
            achieved: Achieved {
                k,
                households: None,
                retention: None,
                sensitive: plan.columns_with(Role::Sensitive).map(level).collect::<Result<_>>()?,
            },
            class_sizes: BTreeMap::from([(k, 1)]),
            people,
            windows: window.map(|window| BTreeMap::from([(window, 1)])),
        })
    }

    /// The requirements of a plan that the release does not meet.
    pub fn failures(&self, asked: &Plan) -> Result<Vec<Failure>> {
        let mut failures = Vec::new();
        failures.extend(self.reaches(asked.privacy.k).err());
        for k in asked.sizes()? {
            failures.extend(self.reaches(k).err());
        }
        failures.extend(self.lacking_households(asked)?);
        for (column, levels) in &self.achieved.sensitive {
            for (spec, model) in asked.models_of(column)? {
                let (reached, enough) = levels.judged(model, column)?;
                if !enough {
                    failures.push(Failure(format!("{spec} was asked of column `{column}` but {reached} is reached")));
                }
            }
            failures.extend(forms::asked(levels.posterior, column, asked)?.err());
        }
        Ok(failures)
    }

    fn reaches(&self, k: usize) -> Result<(), Failure> {
        if self.achieved.k >= k {
            return Ok(());
        }
        if let Some(windows) = &self.windows {
            let small: usize = windows.range(..k).map(|(_, rings)| rings).sum();
            return Err(Failure(format!(
                "k = {k} was asked for but k = {} is reached: in {small} of {} rings, each record fits fewer rows",
                self.achieved.k, self.classes
            )));
        }
        if self.people.is_some() {
            let small: usize = self.class_sizes.range(..k).map(|(_, classes)| classes).sum();
            return Err(Failure(format!(
                "k = {k} was asked for but k = {} is reached: {small} of {} classes have fewer persons",
                self.achieved.k, self.classes
            )));
        }
        let small = self.class_sizes.range(..k);
        let (classes, rows) = small.fold((0, 0), |(c, r), (size, classes)| (c + classes, r + size * classes));
        Err(Failure(format!(
            "k = {k} was asked for but k = {} is reached: {classes} of {} classes, with {rows} of {} rows, are smaller",
            self.achieved.k, self.classes, self.rows
        )))
    }
}
