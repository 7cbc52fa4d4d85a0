//! How much a cell of a release would lose more if it had to cover another value, too.
//!
//! # Definition
//! A cell loses what LM says ([`cost::lm`](crate::cost::lm)), by what the release and the plan tell of the column: a range its share of the range of the whole
//! release, a set its share of the members of all sets, a node of a written tree its share of the leaves. For masks it is the share of the
//! levels. The growth of a cell is the loss of the smallest cell that covers both, minus its own loss.
//!
//! # Choices
//! - The original has values that no cell shows. They do not count, because nobody but the publisher knows them.
//! - Trees that are built from numbers or dates are read as ranges, because which values are below a node is not published, either.
//! - A value beyond the range of the release costs more by its distance, but at most a whole column. All ranges pay that alike.
//! - A value that no cell can cover but `*` costs what suppressing the cell costs: a missing value beside known ones, a word in a column of
//!   numbers, a value that a written tree lacks.

use arrow_array::cast::AsArray;
use chrono::{Days, Months, NaiveDate, NaiveTime};
use rustc_hash::{FxHashMap, FxHashSet};

use super::builtin;
use super::cell::{Point, date_format};
use super::coding::Grid;
use super::moment::step;
use super::reading::{Texts, texts};
use super::tree::{Branches, mask};
use super::{Cell, CellReader, Meaning};
use crate::error::Result;
use crate::plan::{BuiltinTree, Column, InlineTree, Kind, Number, Plan, Tree};
use crate::read::Table;

/// The least growth of a cell that does not cover a value. So only what is covered costs nothing.
const LEAST: f64 = 1e-12;

/// A quasi-identifier of a release, and its values in a table.
pub(super) struct Growth {
    before: Texts,
    after: Texts,
    /// The distinct values of the table, followed by null.
    values: Vec<Value>,
    /// The distinct cells of the release, followed by null.
    cells: Vec<Shown>,
    losses: Vec<f64>,
    ground: Ground,
    weight: f64,
}

/// A value of the table.
enum Value {
    Missing,
    /// A value that only `*` covers.
    Strange,
    /// A position on a line.
    At(f64),
    /// A word.
    Word(u32),
    /// The place of a leaf of a tree.
    Leaf(u32),
    /// The value at each level of a mask, from itself up.
    Masks(Vec<u32>),
    /// The value and the labels above it in a built-in tree.
    Labels(Vec<u32>),
}

/// A cell of the release.
enum Shown {
    Everything,
    Missing,
    /// All positions from one to the other.
    Line(f64, f64),
    /// One of these words, sorted; whether it may be missing.
    Words(Vec<u32>, bool),
    /// A node of a tree.
    Node(usize),
    /// The cell at each level of a mask, and its own level.
    Masks(Vec<u32>, usize),
    /// The cell and the labels above it in a built-in tree.
    Labels(Vec<u32>),
}

/// What all cells of a column are parts of.
enum Ground {
    /// Positions, and the first and the last that the release shows.
    Line(f64, f64),
    /// So many words.
    Words(usize),
    /// Words of which no two are in one cell.
    Single,
    /// A tree that somebody wrote.
    Tree(Branches),
    /// So many levels of a mask below `*`.
    Masks(usize),
    /// So many levels of a built-in tree below `*`.
    Labels(usize),
}

/// What the cells of a column lose, one by one.
pub struct Widths {
    after: Texts,
    losses: Vec<f64>,
}

impl Widths {
    /// The losses of the cells of a quasi-identifier, by what the release and the plan tell.
    pub fn new(release: &Table, plan: &Plan, name: &str) -> Result<Self> {
        let after = texts(release, name)?;
        // Nothing is known of the values of the original, so no cell is taken for one of them.
        let before: Texts = std::iter::empty::<Option<&str>>().collect();
        let mut reader = Reader::new(name, &plan.columns[name], &plan.input.missing, &before)?;
        let mut cells: Vec<Shown> =
            after.values().as_string::<i32>().iter().map(|text| reader.cell(text.unwrap_or_default())).collect();
        cells.push(Shown::Missing);
        let ground = reader.ground(&cells);
        let losses = cells.iter().map(|cell| ground.loss(cell)).collect();
        Ok(Widths { after, losses })
    }

    /// What the cell of a row loses by LM: from 0 (one value) to 1 (any value).
    pub fn of(&self, row: usize) -> f64 {
        self.losses[self.after.key(row).unwrap_or(self.losses.len() - 1)]
    }
}

impl Growth {
    pub(super) fn new(rows: &Table, release: &Table, plan: &Plan, name: &str) -> Result<Self> {
        let (before, after) = (texts(rows, name)?, texts(release, name)?);
        let column = &plan.columns[name];
        let mut reader = Reader::new(name, column, &plan.input.missing, &before)?;
        let texts_of = |texts: &Texts| texts.values().as_string::<i32>().iter().flatten().map(str::to_owned).collect();
        let (own, published): (Vec<String>, Vec<String>) = (texts_of(&before), texts_of(&after));
        let mut cells: Vec<Shown> = published.iter().map(|text| reader.cell(text)).collect();
        cells.push(Shown::Missing);
        let mut values: Vec<Value> = own.iter().map(|text| reader.value(text)).collect();
        values.push(Value::Missing);
        let ground = reader.ground(&cells);
        let losses = cells.iter().map(|cell| ground.loss(cell)).collect();
        Ok(Growth { before, after, values, cells, losses, ground, weight: column.weight.unwrap_or(1.0) })
    }

    /// How many different cells there are.
    pub(super) fn cells(&self) -> usize {
        self.cells.len()
    }

    /// The cell of a row of the release.
    pub(super) fn cell(&self, row: usize) -> usize {
        self.after.key(row).unwrap_or(self.cells.len() - 1)
    }

    /// What a cell loses.
    pub(super) fn loss(&self, cell: usize) -> f64 {
        self.weight * self.losses[cell]
    }

    /// What a cell would lose more if it covered the value of a row, too; 0 only if it does.
    pub(super) fn growth(&self, cell: usize, row: usize) -> f64 {
        let value = &self.values[self.before.key(row).unwrap_or(self.values.len() - 1)];
        let (shown, loss) = (&self.cells[cell], self.losses[cell]);
        match self.ground.growth(shown, loss, value) {
            Some(growth) => (self.weight * growth).max(LEAST),
            None => 0.0,
        }
    }
}

impl Ground {
    fn loss(&self, cell: &Shown) -> f64 {
        match (cell, self) {
            (Shown::Everything, _) => 1.0,
            // Open ends reach as far as the release shows.
            (Shown::Line(lo, hi), Ground::Line(first, last)) => share(hi.min(*last) - lo.max(*first), last - first),
            (Shown::Words(words, _), Ground::Words(all)) => share(words.len() as f64 - 1.0, *all as f64 - 1.0),
            (Shown::Node(node), Ground::Tree(tree)) => leaves(tree, *node),
            (Shown::Masks(_, level), Ground::Masks(levels)) => share(*level as f64, *levels as f64),
            (Shown::Labels(labels), Ground::Labels(levels)) => 1.0 - share(labels.len() as f64, *levels as f64),
            _ => 0.0,
        }
    }

    /// `None` if the cell covers the value.
    fn growth(&self, cell: &Shown, loss: f64, value: &Value) -> Option<f64> {
        match (cell, value, self) {
            (Shown::Everything, ..) | (Shown::Missing | Shown::Words(_, true), Value::Missing, _) => None,
            (Shown::Line(lo, hi), Value::At(at), Ground::Line(first, last)) => {
                let within = at.clamp(*first, *last);
                let beyond = share((at - within).abs(), last - first).min(1.0);
                let covers = lo <= at && at <= hi;
                (!covers).then(|| share((lo - within).max(within - hi).max(0.0), last - first) + beyond)
            }
            (Shown::Words(words, _), Value::Word(word), ground) => {
                let covers = words.binary_search(word).is_ok();
                (!covers).then(|| match ground {
                    Ground::Words(all) => share(1.0, *all as f64 - 1.0),
                    _ => 1.0,
                })
            }
            (Shown::Node(node), Value::Leaf(leaf), Ground::Tree(tree)) => {
                let above = tree.above(*node, *leaf);
                (above != *node).then(|| leaves(tree, above) - loss)
            }
            (Shown::Masks(cell, level), Value::Masks(value), Ground::Masks(levels)) => {
                let both = (*level..cell.len()).find(|level| cell[*level] == value[*level]);
                (both != Some(*level)).then(|| share(both.map_or(*levels, |both| both) as f64, *levels as f64) - loss)
            }
            (Shown::Labels(cell), Value::Labels(value), Ground::Labels(levels)) => {
                let both = cell.iter().position(|label| value.contains(label));
                (both != Some(0)).then(|| {
                    let left = both.map_or(0, |both| cell.len() - both);
                    1.0 - share(left as f64, *levels as f64) - loss
                })
            }
            // Nothing but `*` covers both.
            _ => Some(1.0 - loss),
        }
    }
}

/// The share of a whole; where the whole has no extent, any part is all of it.
fn share(part: f64, whole: f64) -> f64 {
    match () {
        () if part <= 0.0 => 0.0,
        () if whole <= 0.0 => 1.0,
        () => part / whole,
    }
}

/// The share of the leaves of a tree that are below a node, by LM.
fn leaves(tree: &Branches, node: usize) -> f64 {
    let below = |node: usize| f64::from(tree.nodes[node].leaves.1 - tree.nodes[node].leaves.0);
    share(below(node), below(0))
}

/// How the texts of a column are read.
struct Reader<'a> {
    way: Way<'a>,
    missing: &'a [String],
    words: FxHashMap<String, u32>,
}

enum Way<'a> {
    /// Numbers, dates and ranks, and whether the middle of two whole numbers may be among them.
    Line(CellReader<'a>, bool, Grid),
    /// Ranges of numbers or units of the calendar, which a tree was built of; for dates and times, the seconds between neighbouring ones.
    Built(CellReader<'a>, Option<f64>),
    /// Sets of words.
    Words(CellReader<'a>),
    /// Words, each on its own, and a text for all of them.
    Single(Option<&'a str>),
    Tree(Branches),
    Mask(&'a [u32]),
    Builtin(BuiltinTree),
}

impl<'a> Reader<'a> {
    fn new(name: &str, column: &'a Column, missing: &'a [String], before: &'a Texts) -> Result<Self> {
        let occurring = || before.values().as_string::<i32>().iter().flatten();
        let format = date_format(column);
        let tree = column.hierarchy.as_ref().filter(|_| column.kind == Some(Kind::Taxonomy));
        let mark = column.decimal.unwrap_or_default();
        let built = |number| {
            let meaning = Meaning::Range(Some(number), format.to_owned(), mark);
            Way::Built(CellReader::new(meaning, [].into_iter()), (number == Number::Date).then(|| step(format)))
        };
        let way = match (tree, column.kind) {
            (Some(Tree::Inline(InlineTree::Widths(_))), _) => built(Number::Decimal),
            (Some(Tree::Inline(InlineTree::Dates(_))), _) => built(Number::Date),
            (Some(Tree::Inline(InlineTree::Mask(counts))), _) => Way::Mask(counts),
            (Some(Tree::Inline(InlineTree::Flat(root))), _) => Way::Single(Some(root)),
            (Some(Tree::Inline(InlineTree::Builtin(tree))), _) => Way::Builtin(*tree),
            (Some(tree), _) => Way::Tree(Branches::new(tree, &[], None, format)?),
            (None, Some(kind @ (Kind::Range | Kind::Ordered))) => {
                let halves = kind == Kind::Range && matches!(column.number, None | Some(Number::Integer));
                let reader = CellReader::new(Meaning::of(column), occurring());
                let grid = Grid::new(name, column, &reader)?;
                Way::Line(reader, halves && !column.is_coded(), grid)
            }
            (None, Some(Kind::Set)) => Way::Words(CellReader::new(Meaning::of(column), occurring())),
            (None, _) => Way::Single(None),
        };
        Ok(Reader { way, missing, words: FxHashMap::default() })
    }

    fn word(&mut self, text: &str) -> u32 {
        let next = self.words.len() as u32;
        *self.words.entry(text.to_owned()).or_insert(next)
    }

    fn is_missing(&self, text: &str) -> bool {
        text.is_empty() || self.missing.iter().any(|missing| missing == text)
    }

    fn value(&mut self, text: &str) -> Value {
        if let Way::Tree(tree) = &self.way
            && let Some(leaf) = tree.leaf(text)
        {
            return Value::Leaf(leaf); // also where a tree names the text that stands for a missing value
        }
        if self.is_missing(text) {
            return Value::Missing;
        }
        match &self.way {
            Way::Line(reader, halves, _) => position(reader, *halves, text).map_or(Value::Strange, Value::At),
            Way::Built(reader, _) => position(reader, false, text).map_or(Value::Strange, Value::At),
            Way::Words(_) | Way::Single(_) => Value::Word(self.word(text)),
            Way::Tree(_) => Value::Strange,
            Way::Mask(counts) => {
                let counts = *counts;
                Value::Masks(self.masks(counts, text))
            }
            Way::Builtin(tree) => {
                let line = builtin::line(*tree, text);
                line.map_or(Value::Strange, |line| Value::Labels(line.iter().map(|label| self.word(label)).collect()))
            }
        }
    }

    fn cell(&mut self, text: &str) -> Shown {
        if text == "*" {
            return Shown::Everything;
        }
        if let Way::Tree(tree) = &self.way
            && let Some(node) = tree.labelled(text)
        {
            return if node == 0 { Shown::Everything } else { Shown::Node(node) };
        }
        if self.is_missing(text) {
            return Shown::Missing;
        }
        let nothing = Shown::Words(Vec::new(), false);
        let read = match &self.way {
            Way::Line(reader, halves, grid) => {
                let cell = reader.read(text);
                return line(reader, *halves, &cell)
                    .or_else(|| stretch(reader, grid, &cell))
                    .map_or(nothing, |shown| widened(shown, grid));
            }
            Way::Built(reader, step) => {
                // A day is a unit, too: among times, it is not only its midnight.
                let unit = step.and_then(|step| unit(text, step));
                let line = || line(reader, false, &reader.read(text));
                return unit.or_else(line).or_else(|| half_open(text)).unwrap_or(nothing);
            }
            Way::Tree(_) => return nothing,
            Way::Builtin(tree) => {
                let line = builtin::line(*tree, text);
                return line.map_or(nothing, |line| Shown::Labels(line.iter().map(|label| self.word(label)).collect()));
            }
            Way::Single(Some(root)) if text == *root => Cell::Everything,
            Way::Single(_) => Cell::One(text.to_owned()),
            Way::Words(reader) => reader.read(text),
            Way::Mask(counts) => {
                let counts = *counts;
                let masks = self.masks(counts, text);
                let level = masks.iter().rposition(|mask| *mask == masks[0]).unwrap_or(0);
                return Shown::Masks(masks, level);
            }
        };
        match read {
            Cell::Everything => Shown::Everything,
            Cell::One(text) => Shown::Words(vec![self.word(&text)], false),
            Cell::Between(..) | Cell::Beyond(..) => nothing,
            Cell::OneOf(texts) => {
                let (missing, known): (Vec<String>, Vec<String>) =
                    texts.into_iter().partition(|text| self.is_missing(text));
                let mut words: Vec<u32> = known.iter().map(|text| self.word(text)).collect();
                words.sort_unstable();
                Shown::Words(words, !missing.is_empty())
            }
        }
    }

    /// The text at each level of a mask.
    fn masks(&mut self, counts: &[u32], text: &str) -> Vec<u32> {
        let levels = [0].iter().chain(counts).map(|count| mask(text, *count));
        levels.collect::<Vec<_>>().iter().map(|text| self.word(text)).collect()
    }

    /// What the cells are parts of.
    fn ground(self, cells: &[Shown]) -> Ground {
        match self.way {
            Way::Line(..) | Way::Built(..) => {
                let ends = cells.iter().flat_map(|cell| match cell {
                    Shown::Line(lo, hi) => vec![*lo, *hi],
                    _ => Vec::new(),
                });
                let ends = || ends.clone().filter(|end| end.is_finite());
                let (first, last) = (ends().reduce(f64::min), ends().reduce(f64::max));
                Ground::Line(first.unwrap_or(0.0), last.unwrap_or(0.0))
            }
            Way::Words(_) => {
                let words = cells.iter().filter_map(|cell| match cell {
                    Shown::Words(words, _) => Some(words),
                    _ => None,
                });
                Ground::Words(words.flatten().collect::<FxHashSet<_>>().len())
            }
            Way::Single(_) => Ground::Single,
            Way::Tree(tree) => Ground::Tree(tree),
            Way::Mask(counts) => Ground::Masks(counts.len() + 1),
            Way::Builtin(tree) => Ground::Labels(builtin::depth(tree) + 1),
        }
    }
}

/// The position of a value. The middle or the mean of whole numbers need not be whole.
fn position(reader: &CellReader, halves: bool, text: &str) -> Option<f64> {
    let number = || text.trim().parse::<f64>().ok().filter(|_| halves);
    reader.point(text).map(Point::position).or_else(number).filter(|at| at.is_finite())
}

/// A cell of numbers, dates or ranks.
fn line(reader: &CellReader, halves: bool, cell: &Cell) -> Option<Shown> {
    let (lo, hi) = match cell {
        Cell::One(text) => (text, text),
        Cell::Between(lo, hi) => (lo, hi),
        Cell::Everything | Cell::Beyond(..) | Cell::OneOf(_) => return None,
    };
    Some(Shown::Line(position(reader, halves, lo)?, position(reader, halves, hi)?))
}

/// A cell of numbers without an end, or without its upper bound.
fn stretch(reader: &CellReader, grid: &Grid, cell: &Cell) -> Option<Shown> {
    let (lo, hi) = grid.stretch(reader, cell)?.ends();
    Some(Shown::Line(lo, hi))
}

/// A cell of rounded numbers covers half a step to either side.
fn widened(shown: Shown, grid: &Grid) -> Shown {
    match shown {
        Shown::Line(lo, hi) => Shown::Line(lo - grid.half(), hi + grid.half()),
        other => other,
    }
}

/// A range of decimal numbers that a tree was built of: `[0.5, 1)`.
fn half_open(text: &str) -> Option<Shown> {
    let (lo, hi) = text.strip_prefix('[')?.strip_suffix(')')?.split_once(", ")?;
    let (lo, hi) = (lo.parse::<f64>().ok()?, hi.parse::<f64>().ok()?);
    Some(Shown::Line(lo, hi.next_down()))
}

/// A unit of the calendar: `2024-03-07`, `2024-03`, `2024-Q1`, `2024`, `2020s`. Its last date or time is one step before the next unit.
fn unit(text: &str, step: f64) -> Option<Shown> {
    let year = |text: &str| text.parse::<i32>().ok();
    let after = |first: NaiveDate, months: u32| Some((first, first.checked_add_months(Months::new(months))?));
    let (first, next) = if let Some(decade) = text.strip_suffix('s') {
        after(NaiveDate::from_ymd_opt(year(decade)?, 1, 1)?, 120)?
    } else if let Some((of, quarter)) = text.rsplit_once("-Q") {
        let quarter = quarter.parse::<u32>().ok().filter(|quarter| (1..=4).contains(quarter))?;
        after(NaiveDate::from_ymd_opt(year(of)?, 3 * quarter - 2, 1)?, 3)?
    } else if let Some(first) = year(text).and_then(|year| NaiveDate::from_ymd_opt(year, 1, 1)) {
        after(first, 12)?
    } else if let Ok(day) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        (day, day.checked_add_days(Days::new(1))?)
    } else {
        let (of, month) = text.rsplit_once('-')?;
        after(NaiveDate::from_ymd_opt(year(of)?, month.parse().ok()?, 1)?, 1)?
    };
    let [first, next] = [first, next].map(|day| Point::Time(day.and_time(NaiveTime::MIN)).position());
    Some(Shown::Line(first, next - step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_the_calendar_are_where_their_dates_and_times_are() {
        let at = |text: &str, format: &str| {
            let meaning = Meaning::Range(Some(Number::Date), format.to_owned(), crate::plan::Decimal::default());
            position(&CellReader::new(meaning, [].into_iter()), false, text).unwrap()
        };
        for (label, format, first, last) in [
            ("2020-01", "%Y-%m-%d", "2020-01-01", "2020-01-31"),
            ("2020-Q1", "%d.%m.%Y", "01.01.2020", "31.03.2020"),
            ("2020s", "%Y-%m-%d", "2020-01-01", "2029-12-31"),
            ("2020-03-07", "%Y-%m-%d %H:%M", "2020-03-07 00:00", "2020-03-07 23:59"),
            ("2020", "%Y-%m-%d %H:%M", "2020-01-01 00:00", "2020-12-31 23:59"),
        ] {
            let Some(Shown::Line(lo, hi)) = unit(label, step(format)) else { panic!("{label}") };
            assert_eq!((lo, hi), (at(first, format), at(last, format)), "{label}");
        }
        assert!(unit("nothing", 86_400.0).is_none() && unit("2020-13", 86_400.0).is_none());
    }
}
