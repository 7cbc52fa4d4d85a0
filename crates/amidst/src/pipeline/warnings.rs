//! What to say where rows are counted although persons may have several of them.
//!
//! Identifiers are columns that a table has because of persons, but not all of them say whose a row is: a number of the visit is different in
//! each row, a name may be that of two persons, and a column may be an identifier only because nobody wants to publish it. So a column is
//! named only if
//!
//! - its values repeat, and some class has fewer than k of them and fewer of them than rows;
//! - no other identifier that is named after persons is different in each row, because then each row is of somebody else;
//! - where its name does not tell what it identifies, the values look like persons: few rows have none, at least k of them, not too many rows
//!   for each, and gathered in classes, as the rows of a person are: of the rows whose value some other row has, a fifth and twice as many as
//!   by chance have such a row in their class.
//!
//! Columns about other people, such as the name of the doctor, never say whose a row is. Parts of a name count together. Of several columns,
//! the one whose name says most about persons is named, and among these the one with most values.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use crate::error::Result;
use crate::plan::{Input, Plan, Role};
use crate::read::Table;
use crate::report::Warning;
use crate::schema::recognize::{Subject, is_about_others, subject};
use crate::verify::{Classes, Repeats, numbers};

/// Something whose name does not say that it is a person, and that has more rows than this on average, is a place or a category.
const MOST_ROWS: f64 = 50.0;

/// A column whose name does not say that it is a person is none if more than one in this many rows have no value there. A person column says
/// whose nearly every row is; a column with many blanks is a detail, such as a second diagnosis.
const ROWS_PER_BLANK: usize = 5;

/// The least share of the rows of persons with several rows that have a row of the same person in their class. The weights of a survey are
/// alike for people who are alike, and have 12 % on Adult (`fnlwgt`, four quasi-identifiers, k = 10).
const LEAST_TOGETHER: f64 = 0.2;

/// Where rows are counted, and by which classes.
pub(super) struct Counted<'a> {
    /// The table with the identifiers: the original.
    pub table: &'a Table,
    /// The row of that table that each row of the classes comes from.
    pub rows: &'a [u32],
    pub classes: &'a Classes,
    /// The number of persons that a class should have.
    pub k: usize,
    pub input: &'a Input,
}

/// The identifiers of a plan that a table has and that are not published.
pub(super) fn identifiers(plan: &Plan, table: &Table) -> Vec<String> {
    let is_there = |name: &&str| table.column(name).is_ok() && plan.columns[*name].publish.is_none();
    let there = plan.columns_with(Role::Identifier).filter(is_there);
    there.map(str::to_owned).collect()
}

/// The warning about these columns, if one of them seems to say whose a row is. Empty if a plan says that.
pub(super) fn warnings(plan: &Plan, columns: &[String], counted: &Counted) -> Result<Vec<Warning>> {
    if plan.columns_with(Role::Person).next().is_some() || counted.k < 2 {
        return Ok(Vec::new());
    }
    let mut found: Vec<(Subject, Repeats)> = Vec::new();
    for (subject, columns) in candidates(columns) {
        let Counted { table, rows, classes, k, input } = *counted;
        let (values, without) = numbers(table, &columns, rows, input)?;
        let repeats = Repeats::new(&columns, &values, classes, k);
        if repeats.values == rows.len() && subject == Subject::Person {
            return Ok(Vec::new());
        }
        if repeats.values > 1
            && repeats.misjudged > 0
            && (subject != Subject::Unknown
                || without <= rows.len() / ROWS_PER_BLANK && gathers(&repeats, &values, classes))
        {
            found.push((subject, repeats));
        }
    }
    let best = found.into_iter().max_by_key(|(subject, repeats)| (*subject, repeats.values));
    Ok(best.into_iter().map(|(_, repeats)| Warning::new(repeats)).collect())
}

/// The columns to look at, those together that are parts of a name.
fn candidates(columns: &[String]) -> Vec<(Subject, Vec<String>)> {
    let is_of = |name: &str, wanted: Subject| subject(name) == wanted && !is_about_others(name);
    let of = |wanted: Subject| columns.iter().filter(move |name| is_of(name, wanted)).cloned();
    let alone = [Subject::Person, Subject::Numbered, Subject::Unknown];
    let mut candidates: Vec<(Subject, Vec<String>)> =
        alone.into_iter().flat_map(|subject| of(subject).map(move |name| (subject, vec![name]))).collect();
    let names: Vec<String> = of(Subject::Name).collect();
    if !names.is_empty() {
        candidates.push((Subject::Name, names));
    }
    candidates
}

/// Whether there are as many values as there may be persons, and they are gathered in classes more than by chance.
fn gathers(repeats: &Repeats, values: &[u64], classes: &Classes) -> bool {
    if repeats.values < repeats.k || repeats.rows_per_value > MOST_ROWS {
        return false;
    }
    let mut dealt = values.to_vec();
    dealt.shuffle(&mut ChaCha12Rng::seed_from_u64(0));
    let by_chance = Repeats::new(&repeats.columns, &dealt, classes, repeats.k).together;
    repeats.together >= f64::max(LEAST_TOGETHER, 2.0 * by_chance)
}
