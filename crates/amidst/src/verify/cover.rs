//! Does a release say nothing false about its original?

use arrow_array::cast::AsArray;
use arrow_array::{Array, UInt32Array};
use arrow_select::take::take;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cell::Point;
use super::{Cell, CellReader, Failure};
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::read::{Table, texts};
use crate::schema::Schema;

/// Compares a release with its original, where published row `i` comes from row `order[i]`: the same columns, every
/// quasi-identifier covered by its cell, every other column as it was.
pub fn compare(
    original: &Table,
    schema: &Schema,
    encoded: &Encoded,
    missing: &[String],
    release: &Table,
    order: &[u32],
) -> Result<Result<(), Failure>> {
    if release.rows() != order.len() {
        let (found, expected) = (release.rows(), order.len());
        return Ok(Err(Failure(format!("the release has {found} rows where {expected} were expected"))));
    }
    let personal = |name: &str| schema.personal.iter().any(|column| column.name == name);
    if let Some(extra) = release.names().find(|name| original.column(name).is_err() || personal(name)) {
        return Ok(Err(Failure(format!("the release has a column `{extra}` that it should not have"))));
    }
    for quasi in &schema.quasi {
        let tree = encoded.domains().iter().find(|d| d.name() == quasi.name).and_then(|d| d.hierarchy());
        let cover = Cover { original, release, order, missing, column: &quasi.name };
        let values = texts(original.column(&quasi.name)?).map_err(|e| Error::column(&quasi.name, &e))?;
        let values = values.values().as_string::<i32>();
        let reader = CellReader::new(quasi, values.iter().flatten());
        if let Err(failure) = cover.check(&reader, tree)? {
            return Ok(Err(failure));
        }
    }
    let sensitive = schema.sensitive.iter().map(|column| &column.name);
    for name in sensitive.chain(&schema.other) {
        if let Err(failure) = unchanged(original, release, order, name)? {
            return Ok(Err(failure));
        }
    }
    Ok(Ok(()))
}

struct Cover<'a> {
    original: &'a Table,
    release: &'a Table,
    order: &'a [u32],
    missing: &'a [String],
    column: &'a str,
}

/// A distinct value of the original, ready to be compared.
struct Value<'a> {
    text: &'a str,
    point: Option<Point>,
    leaf: Option<u32>,
    missing: bool,
}

/// A distinct cell of the release, ready to be compared.
enum Claim {
    Everything,
    Missing,
    Text(String, Option<Point>),
    Points(Point, Point),
    Leaves(u32, u32),
    OneOf(FxHashSet<String>),
}

impl Claim {
    fn covers(&self, value: &Value) -> bool {
        match self {
            Claim::Everything => true,
            Claim::Missing => value.missing || value.text.is_empty(), // null and the empty text look the same
            Claim::Text(text, point) => {
                text == value.text || point.is_some() && *point == value.point && !value.missing
            }
            Claim::Points(lo, hi) => !value.missing && value.point.is_some_and(|p| *lo <= p && p <= *hi),
            Claim::Leaves(lo, hi) => value.leaf.is_some_and(|leaf| (*lo..=*hi).contains(&leaf)),
            Claim::OneOf(texts) => texts.contains(value.text),
        }
    }
}

impl Cover<'_> {
    fn check(&self, reader: &CellReader, tree: Option<&Hierarchy>) -> Result<Result<(), Failure>> {
        let load = |table: &Table| texts(table.column(self.column)?).map_err(|e| Error::column(self.column, &e));
        let (before, after) = (load(self.original)?, load(self.release)?);
        let dictionary = before.values().as_string::<i32>();
        let occurs = |text: &str| dictionary.iter().flatten().any(|t| t == text);
        let declared = |text: &str| self.missing.iter().any(|m| m == text);
        // Empty means missing, unless the original has empty texts as values and no nulls to confuse them with.
        let nulls = before.null_count() > 0;
        let empty_is_missing = nulls || declared("") || !occurs("");
        let is_missing = |text: &str| declared(text) || empty_is_missing && text.is_empty();
        // Every missing value is published as null where there are nulls, else as the first text that means missing.
        let marker = if nulls { Some("") } else { self.missing.iter().map(String::as_str).find(|m| occurs(m)) };
        let value = |text| {
            let missing = is_missing(text);
            let leaf = tree.and_then(|t| t.code(if missing { marker.unwrap_or(text) } else { text }));
            Value { text, point: reader.point(text), leaf, missing }
        };
        let mut values: Vec<Value> = dictionary.iter().flatten().map(value).collect();
        let null = values.len();
        values.push(Value { text: "", point: None, leaf: tree.and_then(|t| t.code("")), missing: true });

        let claim = |text: &str| match reader.read(text) {
            Cell::Everything => Claim::Everything,
            Cell::One(text) if is_missing(&text) => Claim::Missing,
            Cell::One(text) => match tree.and_then(|t| t.node(&text)) {
                Some(node) => Claim::Leaves(node.lo, node.hi),
                None => Claim::Text(text.clone(), reader.point(&text)),
            },
            Cell::Between(lo, hi) => match (reader.point(&lo), reader.point(&hi)) {
                (Some(lo), Some(hi)) => Claim::Points(lo, hi),
                _ => Claim::OneOf(FxHashSet::default()),
            },
            Cell::OneOf(texts) => {
                let missing = texts.iter().any(|t| is_missing(t));
                let more = self.missing.iter().cloned().chain([String::new()]).filter(|_| missing);
                Claim::OneOf(texts.iter().cloned().chain(more).collect())
            }
        };
        let claims: Vec<Claim> = after.values().as_string::<i32>().iter().flatten().map(claim).collect();

        for (row, from) in self.order.iter().enumerate() {
            let from = *from as usize;
            let value = &values[if before.is_null(from) { null } else { before.keys().value(from) as usize }];
            let claim = if after.is_null(row) { &Claim::Missing } else { &claims[after.keys().value(row) as usize] };
            if !claim.covers(value) {
                return Ok(Err(Failure(format!(
                    "row {}, column `{}`: the cell does not cover the value of row {} of the original",
                    row + 1,
                    self.column,
                    self.original.number(from)
                ))));
            }
        }
        Ok(Ok(()))
    }
}

/// Every cell of a column that is published as it is must be what it was.
fn unchanged(original: &Table, release: &Table, order: &[u32], column: &str) -> Result<Result<(), Failure>> {
    let (before, after) = (original.column(column)?, release.column(column)?);
    let fail = |row: usize| {
        Failure(format!(
            "row {}, column `{column}`: the value is not that of row {} of the original",
            row + 1,
            original.number(order[row] as usize)
        ))
    };
    let (Ok(before_texts), Ok(after_texts)) = (texts(before), texts(after)) else {
        // Nested types have no text; they can only come back as they were.
        let expected = take(before, &UInt32Array::from(order.to_vec()), None).map_err(|e| Error::column(column, &e))?;
        return Ok(if &expected == after { Ok(()) } else { Err(fail(0)) });
    };
    let known: FxHashMap<&str, i32> = before_texts.values().as_string::<i32>().iter().flatten().zip(0..).collect();
    let same: Vec<Option<i32>> =
        after_texts.values().as_string::<i32>().iter().map(|t| t.and_then(|t| known.get(t).copied())).collect();
    let is_empty = |texts: &arrow_array::DictionaryArray<arrow_array::types::Int32Type>, row: usize| {
        texts.is_null(row) || texts.values().as_string::<i32>().value(texts.keys().value(row) as usize).is_empty()
    };
    for (row, from) in order.iter().enumerate() {
        let from = *from as usize;
        let equal = if is_empty(&before_texts, from) {
            is_empty(&after_texts, row)
        } else {
            !after_texts.is_null(row)
                && same[after_texts.keys().value(row) as usize] == Some(before_texts.keys().value(from))
        };
        if !equal {
            return Ok(Err(fail(row)));
        }
    }
    Ok(Ok(()))
}
