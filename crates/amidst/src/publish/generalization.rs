//! Generalization: every quasi-identifier is published as the closure of its cluster, all other columns as they are.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use rustc_hash::FxHashMap;

use super::{Build, Original, Part, Publisher, Release, batch};
use crate::encode::{Domain, Span};
use crate::error::{Error, Result};
use crate::problem::{Partition, Problem};
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "generalization",
    about: "one table; quasi-identifiers as ranges, nodes, sets or stars, everything else as it is",
    paper: "Samarati and Sweeney, 1998",
    params: &[],
    build: |_| Box::new(Generalization),
};

struct Generalization;

impl Publisher for Generalization {
    fn publish(&self, original: &Original, problem: &Problem, partition: &Partition) -> Result<Release> {
        let mut cluster_of = vec![0_u32; problem.rows()];
        let mut clusters = Vec::with_capacity(partition.len());
        for rows in partition.clusters() {
            rows.iter().for_each(|row| cluster_of[*row as usize] = clusters.len() as u32);
            clusters.extend(problem.cluster(rows));
        }
        let published: Vec<u32> = original.order.iter().map(|row| cluster_of[*row as usize]).collect();

        let domains = problem.encoded.domains();
        let mut columns = Vec::new();
        for name in original.published() {
            let column = match domains.iter().position(|d| d.name() == name) {
                Some(i) => closures(&domains[i], clusters.iter().map(|cluster| cluster.closure()[i]), &published)?,
                None => original.column(name)?,
            };
            columns.push((name.to_owned(), column));
        }
        Ok(Release { tables: vec![Part { name: None, table: batch(columns)? }] })
    }
}

/// The texts of these closures of a column, in the order of the published rows, each of which says which one it has.
pub(super) fn closures(domain: &Domain, spans: impl Iterator<Item = Span>, published: &[u32]) -> Result<ArrayRef> {
    let mut texts: Vec<Option<String>> = Vec::new();
    let mut known: FxHashMap<Span, i32> = FxHashMap::default();
    let keys: Vec<i32> = spans
        .map(|span| {
            let span = domain.close(span);
            *known.entry(span).or_insert_with(|| {
                texts.push(domain.text(span));
                texts.len() as i32 - 1
            })
        })
        .collect();
    let keys = published.iter().map(|which| {
        let key = keys[*which as usize];
        texts[key as usize].is_some().then_some(key)
    });
    let keys: Int32Array = keys.collect();
    let values: StringArray = texts.iter().map(|t| Some(t.as_deref().unwrap_or_default())).collect();
    let column = DictionaryArray::<Int32Type>::try_new(keys, Arc::new(values));
    Ok(Arc::new(column.map_err(|e| Error::column(domain.name(), &e))?))
}
