//! Which columns tell people apart.
//!
//! Two figures of Motwani and Xu ("Efficient algorithms for masking and finding quasi-identifiers", VLDB 2007), as ARX shows them: *distinction*, the number
//! of different values as a share of the records, and *separation*, the share of all pairs of records that differ in the column. Then what
//! matters more: how many records the column makes [alone](super::sets) together with others.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::grouping::Grouping;
use super::sets::Sets;
use crate::error::{Error, Result};
use crate::plan::Role;
use crate::progress::Progress;
use crate::read::{Table, texts};

/// A column that makes this share of the records alone when it joins at most two others is a quasi-identifier.
const TELLING: f64 = 0.001;

/// A column as numbers, equal where its texts are.
#[derive(Debug)]
pub struct CodedColumn {
    /// Its name.
    pub name: String,
    /// The number of each row's text, below `values`.
    pub codes: Vec<u32>,
    /// How many different texts there are; null and the empty text are the same.
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

/// How well a column tells people apart.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct ColumnRisk {
    /// Its name.
    pub column: String,
    /// How many different values it has; a missing one counts as a value.
    pub values: usize,
    /// Values / records.
    pub distinction: f64,
    /// The share of all pairs of records that differ in it.
    pub separation: f64,
    /// The share of the records that are alone with their value.
    pub uniques: f64,
    /// The share of the records that are alone only because of it: alone in all columns that were looked at, and not in all the others.
    pub adds: f64,
    /// The largest share of the records that it makes alone when it joins none, one or two of the others, as far as those were tried.
    pub adds_to_few: f64,
    /// What to take it for, where nobody has said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
}

/// What to take a column for.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct Advice {
    /// The role.
    pub role: Role,
    /// Why.
    pub reason: String,
}

impl Advice {
    /// From what the name and the values of a column look like (a guess, and why) and whether it singles people out.
    pub fn new(guess: Role, why: &str, adds_to_few: f64) -> Self {
        let percent = adds_to_few * 100.0;
        let alone = format!("joining two others at most it leaves up to {percent:.1} % of the records alone");
        match guess {
            Role::Quasi if adds_to_few >= TELLING => Advice { role: Role::Quasi, reason: alone },
            Role::Quasi => Advice { role: Role::Other, reason: "it hardly tells anybody apart".to_owned() },
            Role::Sensitive if adds_to_few >= TELLING => {
                let reason = format!("{why}; a quasi-identifier if outsiders know it: {alone}");
                Advice { role: Role::Sensitive, reason }
            }
            role => Advice { role, reason: why.to_owned() },
        }
    }
}

/// Looks at every column, alone and beside the others.
pub fn columns(columns: &[CodedColumn], sets: &Sets, progress: Progress) -> Result<Vec<ColumnRisk>> {
    let rows = columns.first().map_or(0, |column| column.codes.len());
    let share = |part: usize| part as f64 / rows.max(1) as f64;
    let without = without_each(columns, rows, progress)?;
    let all = columns.iter().fold(Grouping::all(rows), |groups, column| groups.with(column)).alone();
    let risk = |(place, column): (usize, &CodedColumn)| {
        let mut counts = vec![0_usize; column.values];
        column.codes.iter().for_each(|code| counts[*code as usize] += 1);
        let same: f64 = counts.iter().map(|n| *n as f64 * (*n as f64 - 1.0)).sum();
        let pairs = rows as f64 * (rows as f64 - 1.0);
        ColumnRisk {
            column: column.name.clone(),
            values: column.values,
            distinction: share(column.values),
            separation: if pairs > 0.0 { 1.0 - same / pairs } else { 0.0 },
            uniques: share(counts.iter().filter(|n| **n == 1).count()),
            adds: share(all.saturating_sub(without[place])),
            adds_to_few: share(sets.most_added(place)),
            advice: None,
        }
    };
    Ok(columns.par_iter().enumerate().map(|(place, column)| risk((place, column))).collect())
}

/// How many records are alone without each column. The columns before it are grouped once for all.
fn without_each(columns: &[CodedColumn], rows: usize, progress: Progress) -> Result<Vec<usize>> {
    progress.begin("leaving out", columns.len() as u64)?;
    // Those that tell most apart go first, because whoever is alone needs no second look.
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(columns[*place].values));
    let mut before = vec![Grouping::all(rows)];
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
