//! How well each column tells records apart.
//!
//! Two figures are those of Motwani and Xu ("Efficient algorithms for masking and finding quasi-identifiers", VLDB 2007), as in ARX.
//! *Distinction* is the number of different values divided by the number of records. *Separation* is the share of all pairs of records
//! that differ in the column. More important are the figures that count how many records become alone when the column is added to
//! [others](super::sets). If the table says whose its records are, those figures count persons. A person is alone with a value, or a
//! combination of values, if some record of the person has it and no record of anybody else. Distinction and separation stay with records.
//!
//! Complexity: O(m² n log n) for m columns and n records.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use rayon::prelude::*;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::grouping::{Grouping, Marks};
use super::sets::Sets;
use crate::error::{Error, Result};
use crate::plan::Role;
use crate::progress::Progress;
use crate::read::{Table, texts};

/// A column is a quasi-identifier if, together with at most two others, it makes at least this share of the records alone.
const MIN_SHARE_MADE_ALONE: f64 = 0.001;

/// A column as numbers. Equal texts have equal numbers.
#[derive(Debug)]
pub struct CodedColumn {
    /// The name of the column.
    pub name: String,
    /// The number of the text in each row, from 0 to `values` − 1.
    pub codes: Vec<u32>,
    /// The number of different texts. Null and the empty text count as one.
    pub values: usize,
}

impl CodedColumn {
    /// The column of that name.
    pub fn new(table: &Table, name: &str) -> Result<Self> {
        let texts = texts(table.column(name)?).map_err(|e| Error::column(name, &e))?;
        let dictionary = texts.values().as_string::<i32>();
        let null = dictionary.len();
        let mut numbers: Vec<Option<u32>> = vec![None; null + 1];
        let mut values = 0;
        let number = |key: Option<i32>| {
            let key = key.map_or(null, |key| key as usize);
            let key = if key < null && dictionary.value(key).is_empty() { null } else { key };
            *numbers[key].get_or_insert_with(|| {
                values += 1;
                values - 1
            })
        };
        let codes = texts.keys().iter().map(number).collect();
        Ok(CodedColumn { name: name.to_owned(), codes, values: values as usize })
    }
}

/// How well a column tells records apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ColumnRisk {
    /// The name of the column.
    pub column: String,
    /// The number of different values. Missing counts as a value.
    pub values: usize,
    /// The number of different values divided by the number of records.
    pub distinction: f64,
    /// The share of all pairs of records that differ in the column.
    pub separation: f64,
    /// The share of the records whose value no other record has, or of the persons with a value that nobody else has.
    pub uniques: f64,
    /// The share of the records or persons that are alone only because of this column: alone in all columns together, but not in all the
    /// others.
    pub adds: f64,
    /// The largest share of the records or persons that this column makes alone when it is added to none, one or two of the others. Only sets
    /// that were tried count.
    pub adds_to_few: f64,
    /// The suggested role, if the user did not choose one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
}

/// A suggested role for a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Advice {
    /// The suggested role.
    pub role: Role,
    /// The reason for the suggestion.
    pub reason: String,
}

impl Advice {
    /// Suggests a role, from a guess by the column's name and values, the reason `why` for that guess, and the share of the records, or of
    /// whatever `counted` names, that the column makes alone.
    pub fn new(guess: Role, why: &str, adds_to_few: f64, counted: &str) -> Self {
        let percent = adds_to_few * 100.0;
        let alone = format!("with at most two other columns, it makes up to {percent:.1} % of the {counted} alone");
        match guess {
            Role::Quasi if adds_to_few >= MIN_SHARE_MADE_ALONE => Advice { role: Role::Quasi, reason: alone },
            Role::Quasi => Advice { role: Role::Other, reason: "it hardly tells records apart".to_owned() },
            Role::Sensitive if adds_to_few >= MIN_SHARE_MADE_ALONE => {
                let reason = format!("{why}; make it a quasi-identifier if others may know it: {alone}");
                Advice { role: Role::Sensitive, reason }
            }
            role => Advice { role, reason: why.to_owned() },
        }
    }
}

/// The figures of every column. `persons` says whose each record is, if persons are counted.
pub fn columns(
    columns: &[CodedColumn],
    persons: Option<&[u32]>,
    sets: &Sets,
    progress: Progress,
) -> Result<Vec<ColumnRisk>> {
    let rows = columns.first().map_or(0, |column| column.codes.len());
    let share = |part: usize| part as f64 / sets.counted.max(1) as f64;
    let everything = Grouping::all(rows, persons);
    let without = without_each(columns, &everything, progress)?;
    let all = columns.iter().fold(everything.clone(), |groups, column| groups.with(column)).alone();
    let risk = |(place, column): (usize, &CodedColumn)| {
        let mut counts = vec![0_usize; column.values];
        column.codes.iter().for_each(|code| counts[*code as usize] += 1);
        let same: f64 = counts.iter().map(|n| *n as f64 * (*n as f64 - 1.0)).sum();
        let pairs = rows as f64 * (rows as f64 - 1.0);
        ColumnRisk {
            column: column.name.clone(),
            values: column.values,
            distinction: column.values as f64 / rows.max(1) as f64,
            separation: if pairs > 0.0 { 1.0 - same / pairs } else { 0.0 },
            uniques: share(everything.alone_with(column, &mut Marks::default())),
            adds: share(all.saturating_sub(without[place])),
            adds_to_few: share(sets.most_added(place)),
            advice: None,
        }
    };
    Ok(columns.par_iter().enumerate().map(|(place, column)| risk((place, column))).collect())
}

/// How many are alone in all columns but one, for each column. The groups by the columns before it are computed once.
fn without_each(columns: &[CodedColumn], everything: &Grouping, progress: Progress) -> Result<Vec<usize>> {
    progress.begin("leaving out", columns.len() as u64)?;
    // The columns with most values go first, because a record that is alone needs no further look.
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(columns[*place].values));
    let mut before = vec![everything.clone()];
    for place in &order {
        let next = before[before.len() - 1].with(&columns[*place]);
        before.push(next);
    }
    let alone = order.par_iter().enumerate().map(|(turn, place)| {
        let rest = &order[turn + 1..];
        let groups = rest.iter().fold(before[turn].clone(), |groups, other| groups.with(&columns[*other]));
        progress.advance(1)?;
        Ok((*place, groups.alone()))
    });
    let mut found = alone.collect::<Result<Vec<_>>>()?;
    found.sort_unstable();
    Ok(found.into_iter().map(|(_, alone)| alone).collect())
}
