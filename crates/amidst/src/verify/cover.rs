//! Does a release say nothing false about its original?

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, DictionaryArray, UInt32Array};
use arrow_select::take::take;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cell::Point;
use super::centre::centres;
use super::forms::plausible;
use super::{Cell, CellReader, Failure, Published, Shape, turning};
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::read::{Table, texts};
use crate::schema::{Quasi, Schema};

/// Compares a release with its original, where published rows come from the rows of `order`, in that order: the same columns, every
/// quasi-identifier covered by its cell, every other column as it was; and in rings everybody fits as many rows as they claim. So many of the rows at most may have been left out.
/// Gives the row that each published row comes from; of rows that could be left out those that come last.
pub fn compare<'a>(
    original: &Table,
    schema: &'a Schema,
    encoded: &Encoded,
    missing: &[String],
    published: &Published,
    order: &[u32],
    left_out: usize,
) -> Result<Result<Vec<u32>, Failure>> {
    let release = &published.table;
    let is_mixed = |name: &str| {
        let centres = published.centres.iter().map(|(column, _)| column);
        published.mixed.iter().flatten().chain(centres).any(|column| column == name)
    };
    let expected = order.len().saturating_sub(left_out)..=order.len();
    if !expected.contains(&release.rows()) {
        let found = release.rows();
        let least = if left_out > 0 { format!("at least {} of ", expected.start()) } else { String::new() };
        return Ok(Err(Failure(format!("the release has {found} rows where {least}{} were expected", order.len()))));
    }
    let personal = |name: &str| schema.personal.iter().any(|column| column.name == name);
    if let Some(extra) = release.names().find(|name| original.column(name).is_err() || personal(name)) {
        return Ok(Err(Failure(format!("the release has a column `{extra}` that it should not have"))));
    }
    let cover = |quasi: &'a Quasi| -> Result<(&'a str, Box<dyn Fits>)> {
        Ok((&quasi.name, Box::new(Cover::of(original, encoded, release, missing, quasi)?)))
    };
    let covered = schema.quasi.par_iter().filter(|quasi| !is_mixed(&quasi.name));
    let mut columns = covered.map(cover).collect::<Result<Vec<_>>>()?;
    let quasi = columns.len();
    let mut nested = Vec::new();
    let rest = schema.sensitive.iter().map(|column| &column.name).chain(&schema.other);
    for name in rest.filter(|name| !is_mixed(name)) {
        match Unchanged::new(original, release, name)? {
            Some(unchanged) => columns.push((name, Box::new(unchanged))),
            None => nested.push(name.as_str()),
        }
    }
    let rows = match align(&columns, original, release.rows(), order) {
        Ok(rows) => rows,
        Err(failure) => return Ok(Err(failure)),
    };
    for name in nested {
        // Nested types have no text; they can only come back as they were.
        let (before, after) = (original.column(name)?, release.column(name)?);
        let expected = take(before, &UInt32Array::from(rows.clone()), None).map_err(|e| Error::column(name, &e))?;
        if &expected != after {
            return Ok(Err(Failure(format!("column `{name}` is not what it was"))));
        }
    }
    if let Shape::Ring(rings) = &published.shape
        && let Err(failure) = turning::fit(&columns[..quasi], published, rings, &rows)
    {
        return Ok(Err(failure));
    }
    for set in &published.mixed {
        if let Err(failure) = same_in_classes(original, published, set, &rows)? {
            return Ok(Err(failure));
        }
        // Of records that were left out it is not certain which of several that look the same they are.
        if let Some(p) = published.retention.filter(|_| rows.len() == original.rows()) {
            let (before, after) = numbers(original, published, set, &rows)?;
            if let Err(failure) = plausible(p, &published.classes, &before, &after) {
                return Ok(Err(failure));
            }
        }
    }
    centres(original, schema, missing, published, &rows).map(|right| right.map(|()| rows))
}

/// A number for the texts of these columns in the record of each published row, and in the row itself: equal where those are.
fn numbers(original: &Table, published: &Published, columns: &[String], rows: &[u32]) -> Result<(Vec<u32>, Vec<u32>)> {
    let load = |table: &Table, name: &String| texts(table.column(name)?).map_err(|e| Error::column(name, &e));
    let before = columns.iter().map(|name| load(original, name)).collect::<Result<Vec<_>>>()?;
    let after = columns.iter().map(|name| load(&published.table, name)).collect::<Result<Vec<_>>>()?;
    let mut known: FxHashMap<Vec<&str>, u32> = FxHashMap::default();
    let mut number = |texts| {
        let next = known.len() as u32;
        *known.entry(texts).or_insert(next)
    };
    let of_records = rows.iter().map(|row| number(cells(&before, *row as usize))).collect();
    Ok((of_records, (0..rows.len()).map(|row| number(cells(&after, row))).collect()))
}

/// Whether every class has the values of these columns that its records had, each as often. Where records were left out it is not
/// certain which of several that look the same are published, so then only the table as a whole is looked at.
fn same_in_classes(
    original: &Table,
    published: &Published,
    columns: &[String],
    rows: &[u32],
) -> Result<Result<(), Failure>> {
    let whole = rows.len() < original.rows();
    let class = |row: usize| if whole { 0 } else { published.classes.of_row[row] };
    let load = |table: &Table, name: &String| texts(table.column(name)?).map_err(|e| Error::column(name, &e));
    let before = columns.iter().map(|name| load(original, name)).collect::<Result<Vec<_>>>()?;
    let after = columns.iter().map(|name| load(&published.table, name)).collect::<Result<Vec<_>>>()?;
    let mut missing: FxHashMap<(u32, Vec<&str>), i64> = FxHashMap::default();
    for row in 0..published.table.rows() {
        *missing.entry((class(row), cells(&after, row))).or_default() -= 1;
    }
    if whole {
        (0..original.rows()).for_each(|row| *missing.entry((0, cells(&before, row))).or_default() += 1);
    } else {
        for (row, from) in rows.iter().enumerate() {
            *missing.entry((class(row), cells(&before, *from as usize))).or_default() += 1;
        }
    }
    let wrong = missing.values().any(|count| *count < 0 || *count > 0 && !whole);
    let named = || columns.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    Ok(if wrong {
        Err(Failure(format!("{}: a class has values that its records did not have", named())))
    } else {
        Ok(())
    })
}

/// The texts of a row; nulls are empty.
fn cells(columns: &[Texts], row: usize) -> Vec<&str> {
    columns
        .iter()
        .map(|column| column.key(row).map_or("", |key| column.values().as_string::<i32>().value(key)))
        .collect()
}

/// Whether a cell of the release may come from a row of the original.
pub(super) trait Fits: Send + Sync {
    fn fits(&self, row: usize, from: usize) -> bool;

    /// The same for cells that say the same.
    fn look(&self, row: usize) -> usize;

    /// Why it may not.
    fn reason(&self) -> &'static str;
}

/// The row that each published row comes from: the first that fits, in the order given. Where any rows fit in that order, these
/// do, so it does not matter that others may have been meant.
fn align(columns: &[(&str, Box<dyn Fits>)], original: &Table, rows: usize, order: &[u32]) -> Result<Vec<u32>, Failure> {
    // Most often all rows are there and right.
    let fits = |(row, from): (usize, &u32)| columns.iter().all(|(_, column)| column.fits(row, *from as usize));
    if rows == order.len() && order.par_iter().enumerate().all(fits) {
        return Ok(order.to_vec());
    }
    let mut found = Vec::with_capacity(rows);
    let mut next = 0;
    for row in 0..rows {
        loop {
            let from = order[next] as usize;
            let unfit = columns.iter().find(|(_, column)| !column.fits(row, from));
            let Some((name, column)) = unfit else { break };
            next += 1;
            if order.len() - next < rows - row {
                let number = original.number(from);
                let reason = column.reason();
                return Err(Failure(format!(
                    "row {}, column `{name}`: {reason} of row {number} of the original",
                    row + 1
                )));
            }
        }
        found.push(order[next]);
        next += 1;
    }
    Ok(found)
}

/// The cells of a quasi-identifier.
pub(super) struct Cover {
    before: Texts,
    after: Texts,
    /// What the texts of the release claim, and null behind them.
    claims: Vec<Claim>,
    /// The texts of the original, and null behind them.
    values: Vec<Value>,
}

type Texts = DictionaryArray<Int32Type>;

/// A distinct value of the original, ready to be compared.
struct Value {
    text: String,
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
    /// How much it leaves open, by a scale of its own for each kind of column.
    fn breadth(&self) -> f64 {
        match self {
            Claim::Everything => f64::INFINITY,
            Claim::Missing | Claim::Text(..) => 0.0,
            Claim::Points(lo, hi) => hi.position() - lo.position(),
            Claim::Leaves(lo, hi) => f64::from(hi - lo),
            Claim::OneOf(texts) => texts.len() as f64,
        }
    }

    fn covers(&self, value: &Value) -> bool {
        match self {
            Claim::Everything => true,
            Claim::Missing => value.missing || value.text.is_empty(), // null and the empty text look the same
            Claim::Text(text, point) => {
                *text == value.text || point.is_some() && *point == value.point && !value.missing
            }
            Claim::Points(lo, hi) => !value.missing && value.point.is_some_and(|p| *lo <= p && p <= *hi),
            Claim::Leaves(lo, hi) => value.leaf.is_some_and(|leaf| (*lo..=*hi).contains(&leaf)),
            Claim::OneOf(texts) => texts.contains(&value.text),
        }
    }
}

impl Cover {
    /// The cells of a quasi-identifier of a release, and the values of a table.
    pub(super) fn of(
        original: &Table,
        encoded: &Encoded,
        release: &Table,
        missing: &[String],
        quasi: &Quasi,
    ) -> Result<Self> {
        let tree = encoded.domains().iter().find(|d| d.name() == quasi.name).and_then(|d| d.hierarchy());
        let values = texts(original.column(&quasi.name)?).map_err(|e| Error::column(&quasi.name, &e))?;
        let values = values.values().as_string::<i32>();
        let reader = CellReader::new(quasi, values.iter().flatten());
        Cover::new(original, release, missing, &quasi.name, &reader, tree)
    }

    /// How much each cell of the release leaves open, as a share of what the one does that leaves open most.
    pub(super) fn breadths(&self) -> Vec<f64> {
        let own: Vec<f64> = self.claims.iter().map(Claim::breadth).collect();
        let most = own.iter().copied().filter(|breadth| breadth.is_finite()).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        let of = |row| {
            let breadth = own[self.look(row)];
            if breadth.is_finite() { breadth / most } else { 2.0 }
        };
        (0..self.after.len()).map(of).collect()
    }

    fn new(
        original: &Table,
        release: &Table,
        declared: &[String],
        column: &str,
        reader: &CellReader,
        tree: Option<&Hierarchy>,
    ) -> Result<Self> {
        let load = |table: &Table| texts(table.column(column)?).map_err(|e| Error::column(column, &e));
        let (before, after) = (load(original)?, load(release)?);
        let dictionary = before.values().as_string::<i32>();
        let occurs = |text: &str| dictionary.iter().flatten().any(|t| t == text);
        let is_declared = |text: &str| declared.iter().any(|m| m == text);
        // Empty means missing, unless the original has empty texts as values and no nulls to confuse them with.
        let nulls = before.null_count() > 0;
        let empty_is_missing = nulls || is_declared("") || !occurs("");
        let is_missing = |text: &str| is_declared(text) || empty_is_missing && text.is_empty();
        // Every missing value is published as null where there are nulls, else as the first text that means missing.
        let marker = if nulls { Some("") } else { declared.iter().map(String::as_str).find(|m| occurs(m)) };
        let value = |text: &str| {
            let missing = is_missing(text);
            let leaf = tree.and_then(|t| t.code(if missing { marker.unwrap_or(text) } else { text }));
            Value { text: text.to_owned(), point: reader.point(text), leaf, missing }
        };
        let mut values: Vec<Value> = dictionary.iter().flatten().map(value).collect();
        values.push(Value { text: String::new(), point: None, leaf: tree.and_then(|t| t.code("")), missing: true });

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
                let more = declared.iter().cloned().chain([String::new()]).filter(|_| missing);
                Claim::OneOf(texts.iter().cloned().chain(more).collect())
            }
        };
        let mut claims: Vec<Claim> = after.values().as_string::<i32>().iter().flatten().map(claim).collect();
        claims.push(Claim::Missing);
        Ok(Cover { before, after, claims, values })
    }
}

impl Fits for Cover {
    fn fits(&self, row: usize, from: usize) -> bool {
        let value = self.before.key(from).unwrap_or(self.values.len() - 1);
        let claim = self.after.key(row).unwrap_or(self.claims.len() - 1);
        self.claims[claim].covers(&self.values[value])
    }

    fn look(&self, row: usize) -> usize {
        self.after.key(row).unwrap_or(self.claims.len() - 1)
    }

    fn reason(&self) -> &'static str {
        "the cell does not cover the value"
    }
}

/// The cells of a column that is published as it is.
struct Unchanged {
    before: Texts,
    after: Texts,
    /// The text of the original that each text of the release is.
    same: Vec<Option<usize>>,
}

impl Unchanged {
    /// `None` for types that have no text.
    fn new(original: &Table, release: &Table, column: &str) -> Result<Option<Self>> {
        let (Ok(before), Ok(after)) = (texts(original.column(column)?), texts(release.column(column)?)) else {
            return Ok(None);
        };
        let known: FxHashMap<&str, usize> = before.values().as_string::<i32>().iter().flatten().zip(0..).collect();
        let same = after.values().as_string::<i32>().iter().map(|t| t.and_then(|t| known.get(t).copied())).collect();
        Ok(Some(Unchanged { before, after, same }))
    }
}

impl Fits for Unchanged {
    fn fits(&self, row: usize, from: usize) -> bool {
        let is_empty = |texts: &Texts, row: usize| {
            texts.key(row).is_none_or(|key| texts.values().as_string::<i32>().value(key).is_empty())
        };
        if is_empty(&self.before, from) {
            return is_empty(&self.after, row);
        }
        self.after.key(row).is_some_and(|key| self.same[key].is_some() && self.same[key] == self.before.key(from))
    }

    fn look(&self, row: usize) -> usize {
        self.after.key(row).unwrap_or(self.same.len())
    }

    fn reason(&self) -> &'static str {
        "the value is not that"
    }
}
