//! The columns that are published as something else: pseudonyms, shifted dates, study days.
//!
//! With the key, each cell must be the one that follows from it. Without the key, equal values must have equal pseudonyms and others must
//! not, all dates of a person must be moved by the same days, and no farther than the plan says. Study days need no key.

use chrono::{Datelike, NaiveDate, NaiveTime};
use rustc_hash::FxHashMap;

use super::cover::Fits;
use super::keyed::{self, Names, pseudonym};
use super::moment::{Said, said, written};
use super::order::Alignment;
use super::persons::persons;
use super::reading::{Texts, text, texts};
use super::{Failure, Published};
use crate::error::{Error, Result};
use crate::plan::{Column, Plan, Role, Treatment};
use crate::read::Table;

/// The cells of a column that follow from the original, and from the key if there is one.
pub(super) struct Expected {
    after: Texts,
    /// What each row of the original is published as.
    cells: Vec<Option<Wanted>>,
}

/// What a cell must be.
enum Wanted {
    Text(String),
    Moment(Moment),
}

/// A date: the number of its day, and what is written beside that.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Moment {
    day: i64,
    rest: Rest,
}

/// What is written beside a day.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Rest {
    /// The text behind an ISO date.
    Behind(String),
    /// The time of a format, the seconds that its zone is ahead, and whether only the day is written.
    Clock(NaiveTime, Option<i32>, bool),
}

impl Expected {
    /// The columns whose cells are known.
    pub(super) fn all<'a>(original: &Table, release: &Table, plan: &'a Plan) -> Result<Vec<(&'a str, Self)>> {
        let mut known = Vec::new();
        for (name, column, treatment) in plan.treated() {
            if treatment.needs_key() && plan.key.is_none() {
                continue;
            }
            let cells = cells(original, plan, name, column, treatment)?;
            known.push((name, Expected { after: texts(release, name)?, cells }));
        }
        Ok(known)
    }
}

impl Fits for Expected {
    fn fits(&self, row: usize, from: usize) -> bool {
        let cell = text(&self.after, row).filter(|text| !text.is_empty());
        match &self.cells[from] {
            None => cell.is_none(),
            Some(Wanted::Text(wanted)) => cell == Some(wanted.as_str()),
            Some(Wanted::Moment(wanted)) => cell.and_then(|cell| moment(cell, None)).as_ref() == Some(wanted),
        }
    }

    fn look(&self, row: usize) -> usize {
        self.after.key(row).map_or(0, |key| key + 1)
    }

    fn reason(&self) -> &'static str {
        "the cell does not follow from that"
    }
}

fn cells(
    original: &Table,
    plan: &Plan,
    name: &str,
    column: &Column,
    treatment: Treatment,
) -> Result<Vec<Option<Wanted>>> {
    let (own, names) = (texts(original, name)?, Names::new(original, plan)?);
    let rows = 0..original.rows();
    let value =
        |row: usize| text(&own, row).filter(|text| !text.is_empty() && !plan.input.missing.iter().any(|m| m == text));
    match treatment {
        Treatment::Pseudonym if column.role == Role::Person => rows
            .map(|row| Ok(Some(Wanted::Text(pseudonym(keyed::digest(plan, "amidst person", names.of(row))?)))))
            .collect(),
        Treatment::Pseudonym => rows
            .map(|row| {
                let Some(value) = value(row) else { return Ok(None) };
                let digest = keyed::digest(plan, "amidst identifier", [name, value].into_iter())?;
                Ok(Some(Wanted::Text(pseudonym(digest))))
            })
            .collect(),
        Treatment::Shift { days, weekday } => rows
            .map(|row| match value(row) {
                None => Ok(text(&own, row).filter(|text| !text.is_empty()).map(|text| Wanted::Text(text.to_owned()))),
                Some(value) => {
                    let Moment { day, rest } = read(name, column, value)?;
                    let day = day + keyed::offset(plan, names.of(row), days, weekday)?;
                    Ok(Some(expected(column, Moment { day, rest })))
                }
            })
            .collect(),
        Treatment::StudyDay => {
            let (first, of) = (first_days(original, plan)?, persons(original, plan)?.unwrap_or_default());
            rows.map(|row| {
                let Some(value) = value(row) else { return Ok(None) };
                let since = read(name, column, value)?.day - first[&of[row]];
                Ok(Some(Wanted::Text(since.to_string())))
            })
            .collect()
        }
    }
}

/// A moved date as it must be read. Dates of a format of their own are compared as texts, because others could be read in two ways.
fn expected(column: &Column, wanted: Moment) -> Wanted {
    let (Some(format), Rest::Clock(time, ahead, day_only)) = (&column.format, &wanted.rest) else {
        return Wanted::Moment(wanted);
    };
    let day = NaiveDate::from_num_days_from_ce_opt(wanted.day as i32).unwrap_or_default();
    let said = Said { shown: day.and_time(*time), ahead: *ahead, day_only: *day_only };
    Wanted::Text(written(&said, format).unwrap_or_default())
}

fn read(name: &str, column: &Column, text: &str) -> Result<Moment> {
    moment(text, column.format.as_deref())
        .ok_or_else(|| Error::column(name, &format!("`{text}` is not a date of the form that the plan says")))
}

/// The date that a text says: an ISO date with anything behind it, or a date of this format.
fn moment(text: &str, format: Option<&str>) -> Option<Moment> {
    let number = |day: NaiveDate| i64::from(day.num_days_from_ce());
    match format {
        None => {
            let day = NaiveDate::parse_from_str(text.get(..10)?, "%Y-%m-%d").ok()?;
            Some(Moment { day: number(day), rest: Rest::Behind(text[10..].to_owned()) })
        }
        Some(format) => {
            let Said { shown, ahead, day_only } = said(text, format)?;
            Some(Moment { day: number(shown.date()), rest: Rest::Clock(shown.time(), ahead, day_only) })
        }
    }
}

/// The first day of each person in the columns of study days.
fn first_days(original: &Table, plan: &Plan) -> Result<FxHashMap<u32, i64>> {
    let of = persons(original, plan)?.unwrap_or_default();
    let mut first: FxHashMap<u32, i64> = FxHashMap::default();
    for (name, column, treatment) in plan.treated() {
        if treatment != Treatment::StudyDay {
            continue;
        }
        let own = texts(original, name)?;
        for (row, person) in of.iter().enumerate() {
            let Some(value) = text(&own, row).filter(|text| !text.is_empty()) else { continue };
            if plan.input.missing.iter().any(|missing| missing == value) {
                continue;
            }
            let day = read(name, column, value)?.day;
            first.entry(*person).and_modify(|first| *first = day.min(*first)).or_insert(day);
        }
    }
    Ok(first)
}

/// Whether pseudonyms and shifted dates are consistent, which needs no key. Rows whose record is not certain are passed over.
pub fn consistent(
    original: &Table,
    plan: &Plan,
    published: &Published,
    rows: &Alignment,
) -> Result<Result<(), Failure>> {
    let Some(of) = persons(original, plan)? else { return Ok(Ok(())) };
    let certain: Vec<(usize, usize)> =
        (0..published.table.rows()).filter_map(|row| Some((row, rows.of(row).ok()? as usize))).collect();
    for (name, column, treatment) in plan.treated() {
        let (before, after) = (texts(original, name)?, texts(&published.table, name)?);
        let found = match treatment {
            Treatment::Pseudonym => {
                let mut known: FxHashMap<&str, u32> = FxHashMap::default();
                let mut value = |from: usize| {
                    let next = known.len() as u32;
                    *known.entry(text(&before, from).unwrap_or_default()).or_insert(next)
                };
                let of_person = column.role == Role::Person;
                let shown = |(row, from): &&(usize, usize)| {
                    text(&before, *from).is_some_and(|value| !value.is_empty() && text(&after, *row) == Some(value))
                };
                if let Some((row, _)) = certain.iter().find(shown) {
                    let message = format!("column `{name}`, row {}: the value itself is published", row + 1);
                    return Ok(Err(Failure(message)));
                }
                let values = certain.iter().map(|(_, from)| if of_person { of[*from] } else { value(*from) }).collect();
                one_to_one(name, values, &certain, &after)
            }
            Treatment::Shift { days, weekday } => {
                let moved = Moved { name, column, days: i64::from(days), step: if weekday { 7 } else { 1 } };
                moved.alike(&of, &certain, [&before, &after])
            }
            Treatment::StudyDay => Ok(()),
        };
        if found.is_err() {
            return Ok(found);
        }
    }
    Ok(Ok(()))
}

/// Whether equal values have equal pseudonyms and different values different ones.
fn one_to_one(name: &str, values: Vec<u32>, certain: &[(usize, usize)], after: &Texts) -> Result<(), Failure> {
    let (mut pseudonyms, mut owners) = (FxHashMap::default(), FxHashMap::default());
    for (value, (row, _)) in values.into_iter().zip(certain) {
        let pseudonym = text(after, *row).unwrap_or_default();
        if *pseudonyms.entry(value).or_insert(pseudonym) != pseudonym {
            return Err(Failure(format!("column `{name}`, row {}: a value has two pseudonyms", row + 1)));
        }
        if *owners.entry(pseudonym).or_insert(value) != value {
            return Err(Failure(format!("column `{name}`, row {}: two values have the same pseudonym", row + 1)));
        }
    }
    Ok(())
}

/// How a column of dates may be moved.
struct Moved<'a> {
    name: &'a str,
    column: &'a Column,
    days: i64,
    step: i64,
}

impl Moved<'_> {
    fn alike(&self, of: &[u32], certain: &[(usize, usize)], [before, after]: [&Texts; 2]) -> Result<(), Failure> {
        let failure = |row: usize, what: &str| Failure(format!("column `{}`, row {}: {what}", self.name, row + 1));
        let mut offsets: FxHashMap<u32, i64> = FxHashMap::default();
        for (row, from) in certain {
            let format = self.column.format.as_deref();
            let read =
                |texts, row| text(texts, row).and_then(|text| moment(text, format).or_else(|| moment(text, None)));
            let (Some(old), Some(new)) = (read(before, *from), read(after, *row)) else {
                if text(before, *from).unwrap_or_default() != text(after, *row).unwrap_or_default() {
                    return Err(failure(*row, "what is no date is not as in the original"));
                }
                continue;
            };
            let offset = new.day - old.day;
            if old.rest != new.rest || offset.abs() > self.days || offset % self.step != 0 {
                return Err(failure(*row, "the date is not moved as the plan says"));
            }
            if *offsets.entry(of[*from]).or_insert(offset) != offset {
                return Err(failure(*row, "the dates of a person are moved by different days"));
            }
        }
        Ok(())
    }
}
