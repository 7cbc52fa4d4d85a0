//! Generalization: every quasi-identifier is published as the closure of its cluster, all other columns as they are.

use rayon::prelude::*;

use super::cells::Shown;
use super::{Build, Original, Part, Publisher, Release, batch, check_bounds, cluster_of};
use crate::error::Result;
use crate::plan::{Plan, Show};
use crate::problem::{Partition, Problem};
use crate::registry::{Entry, Param, Range, Value};
use crate::schema::Quasi;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "generalization",
    about: "one table; quasi-identifiers as ranges, nodes, sets or stars, everything else as it is",
    paper: "Samarati and Sweeney, 1998",
    params: &[Param {
        name: "cells",
        about: "text, or nested: structs of min and max, and lists, for Parquet",
        range: Range::Choice(&["text", "nested"]),
        default: Some(Value::Word("text")),
    }],
    build: |params| Box::new(Generalization { nested: params.word("cells") == "nested" }),
};

struct Generalization {
    nested: bool,
}

impl Publisher for Generalization {
    fn nested(&self) -> bool {
        self.nested
    }

    fn admits(&self, plan: &Plan) -> Result<()> {
        check_bounds(plan)
    }

    fn publish(&self, original: &Original, problem: &Problem, partition: &Partition) -> Result<Release> {
        table(original, problem, partition, self.nested, |quasi| quasi.show.unwrap_or_default())
    }
}

/// One table, with every quasi-identifier shown as `show` says.
pub(super) fn table(
    original: &Original,
    problem: &Problem,
    partition: &Partition,
    nested: bool,
    show: impl Fn(&Quasi) -> Show + Sync,
) -> Result<Release> {
    let shown = Shown { problem, clusters: partition.clusters().collect(), published: cluster_of(original, partition) };
    let columns = |name: &&str| match original.schema.quasi.iter().position(|quasi| quasi.name == *name) {
        Some(place) => shown.columns(place, show(&original.schema.quasi[place]), nested),
        None => Ok(vec![((*name).to_owned(), original.column(name)?)]),
    };
    let names: Vec<&str> = original.published().collect();
    let columns = names.par_iter().map(columns).collect::<Result<Vec<_>>>()?;
    Ok(Release::of(vec![Part { name: None, table: batch(columns.concat())? }]))
}
