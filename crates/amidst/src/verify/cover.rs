//! A comparison of a release with its original: every cell must be true.

use arrow_array::cast::AsArray;
use arrow_array::{Array, UInt32Array};
use arrow_select::take::take;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cell::{Point, date_format};
use super::centre::centres;
use super::coding::{Grid, Stretch};
use super::forms::plausible;
use super::order::{Alignment, Candidates, LeftOut, row_order};
use super::reading::{Texts, distinct, text, texts};
use super::replaced::Expected;
use super::tree::Branches;
use super::{Cell, CellReader, Failure, Meaning, Published, Shape, turning};
use crate::error::{Error, Result};
use crate::plan::{Kind, Plan, Role, RowOrder};
use crate::read::Table;

/// Compares a release with its original and returns the record that each published row comes from.
///
/// The rows of the original are published in the given order, except those that are left out. The release must have the same columns. Every
/// quasi-identifier must be covered by its cell, and every other column must be unchanged. Every class must have the centres and the mixed
/// values of its records. In rings, every record must fit as many rows as the window says.
pub fn compare(
    original: &Table,
    plan: &Plan,
    published: &Published,
    order: RowOrder,
    left_out: LeftOut,
) -> Result<Result<Alignment, Failure>> {
    let release = &published.table;
    let is_mixed = |name: &str| {
        let centres = published.centres.iter().map(|(column, _)| column);
        published.mixed.iter().flatten().chain(centres).any(|column| column == name)
    };
    let personal = |name: &str| plan.columns.get(name).is_some_and(|column| !column.is_published());
    if let Some(extra) = release.names().find(|name| original.column(name).is_err() || personal(name)) {
        return Ok(Err(Failure(format!("the release has a column `{extra}` that it should not have"))));
    }
    let quasi: Vec<&str> = plan.columns_with(Role::Quasi).filter(|name| !is_mixed(name)).collect();
    // If values are published unchanged, another spelling of a number could mark a record.
    let exact = matches!(published.shape, Shape::Values | Shape::Slices(_));
    let cover =
        |name: &&str| -> Result<Box<dyn Fits>> { Ok(Box::new(Cover::of(original, release, plan, name, exact)?)) };
    let covers = quasi.par_iter().map(cover).collect::<Result<Vec<_>>>()?;
    let mut columns: Vec<(&str, Box<dyn Fits>)> = quasi.iter().copied().zip(covers).collect();
    let mut nested = Vec::new();
    let rest = plan.columns_with(Role::Sensitive).chain(plan.columns_with(Role::Other));
    let is_replaced = |name: &str| plan.columns[name].publish.is_some();
    for name in rest.filter(|name| !is_mixed(name) && !is_replaced(name)) {
        if [original, release].map(|table| table.column(name).is_ok_and(|c| c.data_type().is_nested())).contains(&true)
        {
            nested.push(name);
        } else {
            columns.push((name, Box::new(Unchanged::new(original, release, name)?)));
        }
    }
    for (name, expected) in Expected::all(original, release, plan)? {
        columns.push((name, Box::new(expected)));
    }
    let order = row_order(original, plan, order)?;
    let allowed = (plan.privacy.suppress * original.rows() as f64) as usize;
    let rows = match Alignment::new(&columns, original, release.rows(), order, left_out, allowed) {
        Ok(rows) => rows,
        Err(failure) => return Ok(Err(failure)),
    };
    for name in nested {
        // Nested types have no text, so they must be exactly the same.
        let (before, after) = (original.column(name)?, release.column(name)?);
        let from = UInt32Array::from(rows.rows().to_vec());
        let expected = take(before, &from, None).map_err(|e| Error::internal(name, &e))?;
        if &expected != after {
            return Ok(Err(Failure(format!("column `{name}` differs from the original"))));
        }
    }
    if let Shape::Ring(rings) = &published.shape
        && let Err(failure) = turning::fit(&columns[..quasi.len()], published, rings, &rows)
    {
        return Ok(Err(failure));
    }
    for set in &published.mixed {
        if let Err(failure) = mixed(original, published, set, &rows)? {
            return Ok(Err(failure));
        }
    }
    centres(original, plan, published, &rows).map(|right| right.map(|()| rows))
}

/// Checks columns that are known only for a class as a whole. They must have the values of its records, and must not have too many of them
/// beside their own records.
fn mixed(original: &Table, published: &Published, columns: &[String], rows: &Alignment) -> Result<Result<(), Failure>> {
    let load = |table: &Table| columns.iter().map(|name| texts(table, name)).collect::<Result<Vec<_>>>();
    let (before, after) = (load(original)?, load(&published.table)?);
    // Each row gets a number for its texts in these columns. Equal texts have equal numbers.
    let mut known: FxHashMap<Vec<&str>, u32> = FxHashMap::default();
    let before = numbers(&mut known, &before, original.rows());
    let after = numbers(&mut known, &after, published.table.rows());
    if let Err(failure) = same_in_classes(&before, &after, published, columns, rows) {
        return Ok(Err(failure));
    }
    let Some(p) = published.retention else { return Ok(Ok(())) };
    // A row whose record is not known for certain does not count as unchanged.
    let of_record = |row: usize| rows.of(row).ok().map(|from| before[from as usize]);
    let of_records: Vec<Option<u32>> = (0..after.len()).map(of_record).collect();
    Ok(plausible(p, &published.classes, &of_records, &after))
}

/// A number for the texts of each row. Equal texts have equal numbers, and null is the empty text.
fn numbers<'a>(known: &mut FxHashMap<Vec<&'a str>, u32>, columns: &'a [Texts], rows: usize) -> Vec<u32> {
    let number = |row: usize| {
        let next = known.len() as u32;
        let cells = columns.iter().map(|column| text(column, row).unwrap_or_default()).collect();
        *known.entry(cells).or_insert(next)
    };
    (0..rows).map(number).collect()
}

/// Checks that every class has exactly the values of its records in these columns, as far as its records are known.
fn same_in_classes(
    before: &[u32],
    after: &[u32],
    published: &Published,
    columns: &[String],
    rows: &Alignment,
) -> Result<(), Failure> {
    // For each class and value: how often the class has it beyond its known records, and how many other records may have it.
    let mut values: FxHashMap<(u32, u32), (i64, i64)> = FxHashMap::default();
    let mut anything: FxHashMap<u32, i64> = FxHashMap::default();
    for (row, class) in published.classes.of_row.iter().enumerate() {
        values.entry((*class, after[row])).or_default().0 += 1;
        match rows.of(row) {
            Ok(from) => values.entry((*class, before[from as usize])).or_default().0 -= 1,
            Err(Candidates::These(records)) => {
                let possible: FxHashSet<u32> = records.iter().map(|from| before[*from as usize]).collect();
                possible.into_iter().for_each(|value| values.entry((*class, value)).or_default().1 += 1);
            }
            Err(Candidates::Many) => *anything.entry(*class).or_default() += 1,
        }
    }
    let is_wrong = |((class, _), (more, possible)): (&(u32, u32), &(i64, i64))| {
        *more < 0 || *more > possible + anything.get(class).copied().unwrap_or(0)
    };
    if values.iter().any(is_wrong) {
        let named = columns.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        return Err(Failure(format!("{named}: a class has values that its records do not have")));
    }
    Ok(())
}

/// Whether a cell of the release may come from a row of the original.
pub(super) trait Fits: Send + Sync {
    fn fits(&self, row: usize, from: usize) -> bool;

    /// The first of the rows from `start` on that does not come from its row of the original.
    fn first_unfit(&self, start: usize, from: &[u32]) -> Option<usize> {
        from.iter().zip(start..).find(|(from, row)| !self.fits(*row, **from as usize)).map(|(_, row)| row)
    }

    /// A number for the cell of a row. Equal cells have equal numbers.
    fn look(&self, row: usize) -> usize;

    /// The reason if it may not.
    fn reason(&self) -> &'static str;
}

/// The cells of a quasi-identifier, with the values that they must cover.
pub(super) struct Cover {
    before: Texts,
    after: Texts,
    /// The meaning of each text of the release, followed by that of null.
    claims: Vec<Claim>,
    /// The texts of the original, followed by null.
    values: Vec<Value>,
    /// How the numbers of the column are coded.
    grid: Grid,
    /// Whether each claim covers each value, claim by claim, unless these are too many pairs.
    covered: Option<Vec<bool>>,
}

/// The largest number of pairs of a claim and a value that are compared before any row is looked at.
const MAX_PAIRS: usize = 1 << 22;

/// A distinct value of the original, prepared for comparison.
struct Value {
    text: String,
    point: Option<Point>,
    leaf: Option<u32>,
    missing: bool,
}

/// A distinct cell of the release, prepared for comparison.
enum Claim {
    Everything,
    Missing,
    Text(String, Option<Point>),
    Points(Point, Point),
    Stretch(Stretch),
    Leaves(u32, u32),
    OneOf(FxHashSet<String>),
}

impl Claim {
    /// What no value fits.
    fn nothing() -> Self {
        Claim::OneOf(FxHashSet::default())
    }

    fn covers(&self, value: &Value, grid: &Grid) -> bool {
        match self {
            Claim::Everything => true,
            Claim::Missing => value.missing || value.text.is_empty(), // null and the empty text look the same
            Claim::Text(text, point) => {
                *text == value.text || point.is_some() && *point == value.point && !value.missing
            }
            Claim::Points(lo, hi) => !value.missing && value.point.is_some_and(|p| *lo <= p && p <= *hi),
            Claim::Stretch(stretch) => {
                !value.missing && value.point.is_some_and(|point| grid.covers(*stretch, point.position()))
            }
            Claim::Leaves(lo, hi) => value.leaf.is_some_and(|leaf| (*lo..=*hi).contains(&leaf)),
            Claim::OneOf(texts) => texts.contains(&value.text),
        }
    }
}

impl Cover {
    /// The cells of a quasi-identifier of a release, and the values of a table. Unless `exact`, numbers and dates may be written differently.
    pub(super) fn of(original: &Table, release: &Table, plan: &Plan, name: &str, exact: bool) -> Result<Self> {
        let (before, after) = (texts(original, name)?, texts(release, name)?);
        let (column, declared) = (&plan.columns[name], &plan.input.missing);
        let occurring = distinct(&before);
        let occurs = |text: &str| occurring.iter().flatten().any(|t| *t == text);
        let is_declared = |text: &str| declared.iter().any(|m| m == text);
        // The empty text means missing, unless the original has empty texts as values and no nulls.
        let nulls = before.null_count() > 0;
        let empty_is_missing = nulls || is_declared("") || !occurs("");
        let is_missing = |text: &str| is_declared(text) || empty_is_missing && text.is_empty();
        // Missing values are published as null if the original has nulls, otherwise as the first text that means missing.
        let marker = if nulls { Some("") } else { declared.iter().map(String::as_str).find(|m| occurs(m)) };
        let present: Vec<&str> = occurring.iter().flatten().copied().filter(|text| !is_missing(text)).collect();
        let tree = match (&column.hierarchy, column.kind) {
            (Some(tree), Some(Kind::Taxonomy)) => Some(Branches::new(tree, &present, marker, date_format(column))?),
            _ => None,
        };
        let reader = CellReader::new(Meaning::of(column), occurring.iter().flatten().copied());
        let value = |text: Option<&str>| {
            let text = text.unwrap_or_default();
            let missing = is_missing(text);
            let leaf = tree.as_ref().and_then(|t| t.leaf(if missing { marker.unwrap_or(text) } else { text }));
            Value { text: text.to_owned(), point: reader.point(text), leaf, missing }
        };
        let mut values: Vec<Value> = occurring.iter().copied().map(value).collect();
        let leaf = tree.as_ref().and_then(|tree| tree.leaf(""));
        values.push(Value { text: String::new(), point: None, leaf, missing: true });

        let grid = Grid::new(name, column, &reader)?;
        let stretch = |cell: &Cell| grid.stretch(&reader, cell).map_or(Claim::nothing(), Claim::Stretch);
        let claim = |text: &str| match reader.read(text) {
            Cell::Everything => Claim::Everything,
            Cell::One(text) if is_missing(&text) => Claim::Missing,
            cell @ (Cell::One(_) | Cell::Between(..) | Cell::OneOf(_)) if column.is_coded() => stretch(&cell),
            cell @ Cell::Beyond(..) => stretch(&cell),
            Cell::One(text) if tree.as_ref().is_some_and(|tree| tree.hides(&text)) => Claim::nothing(),
            Cell::One(text) => match tree.as_ref().and_then(|tree| tree.below(&text)) {
                Some((first, last)) => Claim::Leaves(first, last),
                None => Claim::Text(text.clone(), reader.point(&text).filter(|_| !exact)),
            },
            Cell::Between(lo, hi) => match (reader.point(&lo), reader.point(&hi)) {
                (Some(lo), Some(hi)) => Claim::Points(lo, hi),
                _ => Claim::nothing(),
            },
            Cell::OneOf(texts) => {
                let missing = texts.iter().any(|t| is_missing(t));
                let more = declared.iter().cloned().chain([String::new()]).filter(|_| missing);
                Claim::OneOf(texts.iter().cloned().chain(more).collect())
            }
        };
        let mut claims: Vec<Claim> = after.values().as_string::<i32>().iter().flatten().map(claim).collect();
        claims.push(Claim::Missing);
        drop(occurring);
        let pairs = claims.len() * values.len();
        let covered = (pairs <= MAX_PAIRS && pairs <= release.rows()).then(|| {
            let of_claim = |claim: &Claim| values.iter().map(|value| claim.covers(value, &grid)).collect::<Vec<bool>>();
            claims.iter().flat_map(of_claim).collect()
        });
        Ok(Cover { before, after, claims, values, grid, covered })
    }
}

impl Fits for Cover {
    fn fits(&self, row: usize, from: usize) -> bool {
        let value = self.before.key(from).unwrap_or(self.values.len() - 1);
        let claim = self.after.key(row).unwrap_or(self.claims.len() - 1);
        match &self.covered {
            Some(covered) => covered[claim * self.values.len() + value],
            None => self.claims[claim].covers(&self.values[value], &self.grid),
        }
    }

    fn look(&self, row: usize) -> usize {
        self.after.key(row).unwrap_or(self.claims.len() - 1)
    }

    fn reason(&self) -> &'static str {
        self.grid.reason()
    }
}

/// The cells of a column that is published unchanged.
struct Unchanged {
    before: Texts,
    after: Texts,
    /// For each text of the release, the equal text of the original.
    same: Vec<Option<usize>>,
    /// The text of the original that is empty.
    empty: Option<usize>,
}

impl Unchanged {
    fn new(original: &Table, release: &Table, column: &str) -> Result<Self> {
        let (before, after) = (texts(original, column)?, texts(release, column)?);
        let known: FxHashMap<&str, usize> = before.values().as_string::<i32>().iter().flatten().zip(0..).collect();
        let same = after.values().as_string::<i32>().iter().map(|t| t.and_then(|t| known.get(t).copied())).collect();
        let empty = known.get("").copied();
        drop(known);
        Ok(Unchanged { before, after, same, empty })
    }
}

impl Fits for Unchanged {
    fn fits(&self, row: usize, from: usize) -> bool {
        match self.before.key(from) {
            Some(key) if Some(key) != self.empty => self.after.key(row).is_some_and(|own| self.same[own] == Some(key)),
            _ => text(&self.after, row).is_none_or(str::is_empty),
        }
    }

    fn look(&self, row: usize) -> usize {
        self.after.key(row).unwrap_or(self.same.len())
    }

    fn reason(&self) -> &'static str {
        "the value is not that"
    }
}
