//! Generalization: every quasi-identifier is published as the closure of its cluster, all other columns as
//! they are.
//!
//! # Idea
//! The closure of a cluster is the smallest cell that covers all its values: a range, a node of a taxonomy,
//! a set, or `*`. All rows of a cluster get the same cells.
//!
//! # What protects
//! Rows with the same cells form a class of at least k rows, and the privacy models hold in every class. So
//! nobody who knows the quasi-identifiers of a person can tell which row of the class is theirs.
//!
//! # Complexity
//! O(n · columns).
//!
//! # Paper
//! Samarati and Sweeney: Protecting privacy when disclosing information: k-anonymity and its enforcement
//! through generalization and suppression. 1998.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5
//! amidst anonymize patients.csv -o release.parquet --quasi age,zip --others drop --k 5 --publish 'generalization(nested)'
//! ```

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::cells::Shown;
use super::{Original, Part, Publisher, Release, Texts, batch, check_bounds, cluster_of};
use crate::error::{Error, Result};
use crate::plan::{Plan, Show};
use crate::problem::{Partition, Problem};
use crate::read::texts;
use crate::schema::{Quasi, Schema};

pub(super) struct Generalization {
    pub nested: bool,
}

impl Publisher for Generalization {
    fn admits(&self, plan: &Plan) -> Result<()> {
        check_bounds(plan)
    }

    fn classes(&self, schema: &Schema, problem: &Problem, partition: &Partition) -> Result<Vec<u32>> {
        classes(schema, problem, partition, shown)
    }

    fn publish(&self, original: &Original, problem: &Problem, partition: &Partition) -> Result<Release> {
        table(original, problem, partition, self.nested, shown)
    }
}

fn shown(quasi: &Quasi) -> Show {
    quasi.show.unwrap_or_default()
}

/// One table in which every quasi-identifier is shown as `show` says.
pub(super) fn table(
    original: &Original,
    problem: &Problem,
    partition: &Partition,
    nested: bool,
    show: impl Fn(&Quasi) -> Show + Sync,
) -> Result<Release> {
    let published = cluster_of(original, partition);
    let shown = Shown::new(problem, partition, published);
    let of_class = |name: &str| original.schema.quasi.iter().position(|quasi| quasi.name == name);
    let columns = |name: &&str| match of_class(name).filter(|_| !original.replaced.contains_key(*name)) {
        Some(place) => shown.columns(place, show(&original.schema.quasi[place]), nested),
        None => Ok(vec![((*name).to_owned(), original.column(name)?)]),
    };
    let names: Vec<&str> = original.published().collect();
    let columns = names.par_iter().map(columns).collect::<Result<Vec<_>>>()?;
    Ok(Release::of(vec![Part { name: None, table: batch(columns.concat())? }]))
}

/// The class of each cluster in such a [table](table()). Clusters with equal cells have the same class.
pub(super) fn classes(
    schema: &Schema,
    problem: &Problem,
    partition: &Partition,
    show: impl Fn(&Quasi) -> Show,
) -> Result<Vec<u32>> {
    let published = (0..partition.len() as u32).collect();
    let each = Shown::new(problem, partition, published);
    let mut classes = vec![0; partition.len()];
    for (place, quasi) in schema.quasi.iter().enumerate() {
        for (name, cells) in each.columns(place, show(quasi), false)? {
            let cells = Texts(texts(&cells).map_err(|e| Error::column(&name, &e))?);
            let mut numbers = FxHashMap::default();
            for (cluster, class) in classes.iter_mut().enumerate() {
                let next = numbers.len() as u32;
                *class = *numbers.entry((*class, cells.of(cluster))).or_insert(next);
            }
        }
    }
    Ok(classes)
}
