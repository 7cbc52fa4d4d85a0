//! The columns that are published as something else: pseudonyms for persons and identifiers, shifted dates, study days.
//!
//! Everything secret about them follows from the key by HMAC-SHA-256 (RFC 2104), for each person separately. So the same key makes the same
//! pseudonyms and moves dates by the same days in the next release, and without the key nobody can test a guess. The message that is hashed
//! begins with what it is for. Then come the texts that name the person, each behind its length (4 bytes, little-endian). Pseudonyms are the
//! first 16 bytes in hexadecimal digits. An offset is the first 8 bytes as a little-endian number, modulo the number of possible offsets.
//!
//! The verification computes all of this with code of its own.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int64Array, StringArray};
use arrow_cast::cast;
use arrow_schema::DataType;
use chrono::{Datelike, Days, NaiveDate};
use hmac::{Hmac, KeyInit, Mac};
use rustc_hash::FxHashMap;
use sha2::Sha256;

use super::Texts;
use crate::encode::{Encoded, Persons};
use crate::error::{Error, Remedy, Result, Setting};
use crate::plan::{Column, Plan, Role, Treatment};
use crate::read::{Table, texts};
use crate::schema::ISO_DATE;
use crate::schema::dates::{DateFormat, Moment};

/// The columns that are published instead of those of the same name.
pub type Replaced = FxHashMap<String, ArrayRef>;

/// The columns that a plan replaces.
pub fn replaced(table: &Table, plan: &Plan, encoded: &Encoded) -> Result<Replaced> {
    let mut replaced = Replaced::default();
    let (Some(persons), Some(_)) = (encoded.persons(), plan.treated().next()) else { return Ok(replaced) };
    let names = Names::new(table, plan)?;
    for (name, column, treatment) in plan.treated() {
        let array = match treatment {
            Treatment::Pseudonym if column.role == Role::Person => pseudonyms(&names, plan)?,
            Treatment::Pseudonym => of_identifier(table, plan, name, persons)?,
            Treatment::Shift { days, weekday } => {
                let offset = |row| names.offset(plan, row, days, weekday);
                shifted(&Dates::new(table, plan, name, column)?, offset)?
            }
            Treatment::StudyDay => study_days(table, plan, name, column, persons)?,
        };
        replaced.insert(name.to_owned(), array);
    }
    Ok(replaced)
}

/// The texts that name the person of each row.
pub(crate) struct Names(Vec<Texts>);

impl Names {
    /// The texts of the person columns of a plan, in its order.
    pub(crate) fn new(table: &Table, plan: &Plan) -> Result<Self> {
        let load = |name| texts(table.column(name)?).map(Texts).map_err(|e| Error::column(name, &e));
        plan.columns_with(Role::Person).map(load).collect::<Result<_>>().map(Names)
    }

    /// The name of a row's person, as it is hashed.
    pub(crate) fn of(&self, row: usize) -> Vec<u8> {
        let mut message = Vec::new();
        self.0.iter().for_each(|column| append(&mut message, column.of(row)));
        message
    }

    /// The number of days that the dates of a row's person are moved by.
    fn offset(&self, plan: &Plan, row: usize, days: u32, weekday: bool) -> Result<i64> {
        let digest = keyed(plan, "amidst shift", &self.of(row))?;
        let number = u64::from_le_bytes(std::array::from_fn(|place| digest[place]));
        let (step, most) = if weekday { (7, i64::from(days / 7)) } else { (1, i64::from(days)) };
        Ok(step * ((number % (2 * most as u64 + 1)) as i64 - most))
    }
}

/// Appends a text behind its length.
pub(crate) fn append(message: &mut Vec<u8>, text: &str) {
    message.extend((text.len() as u32).to_le_bytes());
    message.extend(text.as_bytes());
}

/// HMAC-SHA-256 of a purpose and a message, with the key of a plan.
pub(crate) fn keyed(plan: &Plan, purpose: &str, message: &[u8]) -> Result<[u8; 32]> {
    let key = plan.key.as_ref().ok_or(Error::NoKey { column: None })?;
    let mut hmac = Hmac::<Sha256>::new_from_slice(key.bytes())
        .map_err(|e| Error::Internal(format!("a secret key was refused: {e}")))?;
    hmac.update(purpose.as_bytes());
    hmac.update(message);
    Ok(hmac.finalize().into_bytes().into())
}

fn pseudonym(plan: &Plan, purpose: &str, message: &[u8]) -> Result<String> {
    let mut digits = String::with_capacity(32);
    for byte in &keyed(plan, purpose, message)?[..16] {
        let _ = write!(digits, "{byte:02x}");
    }
    Ok(digits)
}

/// The pseudonym of each row's person.
fn pseudonyms(names: &Names, plan: &Plan) -> Result<ArrayRef> {
    let rows = names.0.first().map_or(0, |column| column.0.len());
    let mut known: FxHashMap<Vec<u8>, String> = FxHashMap::default();
    let mut all = Vec::with_capacity(rows);
    for row in 0..rows {
        let name = names.of(row);
        if let Some(same) = known.get(&name) {
            all.push(same.clone());
            continue;
        }
        let made = pseudonym(plan, "amidst person", &name)?;
        all.push(made.clone());
        known.insert(name, made);
    }
    Ok(Arc::new(all.iter().map(String::as_str).collect::<DictionaryArray<Int32Type>>()))
}

/// The pseudonym of each value of an identifier. Equal pseudonyms link rows, so rows that share a value must be linked anyway.
fn of_identifier(table: &Table, plan: &Plan, name: &str, persons: &Persons) -> Result<ArrayRef> {
    let own = Texts(texts(table.column(name)?).map_err(|e| Error::column(name, &e))?);
    let is_missing = |text: &str| text.is_empty() || plan.input.missing.iter().any(|missing| missing == text);
    let linked = plan.linked().is_some();
    let mut known: FxHashMap<&str, (usize, String)> = FxHashMap::default();
    let mut all: Vec<Option<String>> = Vec::with_capacity(table.rows());
    for row in 0..table.rows() {
        let text = own.of(row);
        if is_missing(text) {
            all.push(None);
            continue;
        }
        if let Some((first, same)) = known.get(text) {
            if !linked || persons.person(*first as u32) != persons.person(row as u32) {
                let rows = format!("rows {} and {} have the same value", table.number(*first), table.number(row));
                let (message, way) = if linked {
                    (
                        format!("{rows} and are of different persons, whom its pseudonym would link"),
                        "leave the column out",
                    )
                } else {
                    (
                        format!("{rows}, so its pseudonym would link them, and no pseudonym is published for persons"),
                        "leave the column out, or publish a pseudonym of the person column",
                    )
                };
                return Err(Error::column(name, &message).or([Remedy::just(way)]));
            }
            all.push(Some(same.clone()));
            continue;
        }
        let mut message = Vec::new();
        append(&mut message, name);
        append(&mut message, text);
        let made = pseudonym(plan, "amidst identifier", &message)?;
        all.push(Some(made.clone()));
        known.insert(text, (row, made));
    }
    Ok(Arc::new(all.iter().map(Option::as_deref).collect::<DictionaryArray<Int32Type>>()))
}

/// A column of dates.
struct Dates<'a> {
    table: &'a Table,
    name: &'a str,
    /// ISO dates with anything behind them if there is none.
    format: Option<DateFormat>,
    texts: Texts,
    /// For each row, its text unless it is missing.
    present: Vec<bool>,
}

/// A date as it is written.
#[derive(Clone)]
enum Date {
    /// An ISO date, and the text behind it.
    Iso(NaiveDate, String),
    /// A date or time in the format of the column.
    Of(Moment),
}

impl Date {
    fn day(&self) -> NaiveDate {
        match self {
            Date::Iso(day, _) => *day,
            Date::Of(moment) => moment.wall.date(),
        }
    }

    /// The same time on another day.
    fn on(&self, day: NaiveDate) -> Self {
        match self {
            Date::Iso(_, behind) => Date::Iso(day, behind.clone()),
            Date::Of(moment) => Date::Of(moment.on(day)),
        }
    }
}

impl<'a> Dates<'a> {
    fn new(table: &'a Table, plan: &Plan, name: &'a str, column: &'a Column) -> Result<Self> {
        let own = Texts(texts(table.column(name)?).map_err(|e| Error::column(name, &e))?);
        let is_missing = |text: &str| text.is_empty() || plan.input.missing.iter().any(|missing| missing == text);
        let present = (0..table.rows()).map(|row| !is_missing(own.of(row))).collect();
        let format = match column.format.as_deref() {
            None => None,
            Some(format) => Some(DateFormat::new(format).ok_or_else(|| {
                let message = format!("`{format}` is not a form of dates or times");
                Error::column(name, &message).or([way(name)])
            })?),
        };
        Ok(Dates { table, name, format, texts: own, present })
    }

    /// The date of a row; `None` if it is missing.
    fn of(&self, row: usize) -> Result<Option<Date>> {
        if !self.present[row] {
            return Ok(None);
        }
        let text = self.texts.of(row);
        self.parsed(text).map(Some).ok_or_else(|| {
            let format = self.format.as_ref().map_or(ISO_DATE, DateFormat::as_str);
            let number = self.table.number(row);
            let message = format!("`{}`, row {number}: `{text}` is not a date of the form {format}", self.table.name());
            Error::column(self.name, &message)
                .or([way(self.name), Remedy::by("declare it missing", Setting::Missing(text.to_owned()))])
        })
    }

    fn parsed(&self, text: &str) -> Option<Date> {
        if let Some(format) = &self.format {
            return format.read(text).map(Date::Of);
        }
        let (day, behind) = text.split_at_checked(10).unwrap_or((text, ""));
        if !matches!(behind.chars().next(), None | Some('T' | ' ')) {
            return None;
        }
        NaiveDate::parse_from_str(day, ISO_DATE).ok().map(|day| Date::Iso(day, behind.to_owned()))
    }

    /// A date as the column writes it.
    fn text(&self, date: &Date) -> Option<String> {
        match date {
            Date::Iso(day, behind) => Some(format!("{}{behind}", day.format(ISO_DATE))),
            Date::Of(moment) => self.format.as_ref()?.write(moment),
        }
    }
}

/// What to do about a date that cannot be read.
fn way(name: &str) -> Remedy {
    Remedy::by("say how its dates are written", Setting::Format(name.to_owned(), "%d.%m.%Y".to_owned()))
}

/// The dates, each moved by its offset.
fn shifted(dates: &Dates, offset: impl Fn(usize) -> Result<i64>) -> Result<ArrayRef> {
    let mut all: Vec<Option<String>> = Vec::with_capacity(dates.table.rows());
    for row in 0..dates.table.rows() {
        let Some(date) = dates.of(row)? else {
            all.push(Some(dates.texts.of(row).to_owned()).filter(|text| !text.is_empty()));
            continue;
        };
        let offset = offset(row)?;
        let days = Days::new(offset.unsigned_abs());
        let day = if offset < 0 { date.day().checked_sub_days(days) } else { date.day().checked_add_days(days) };
        let day = day.filter(|day| (1..=9999).contains(&day.year()));
        let text = day.and_then(|day| dates.text(&date.on(day)));
        let Some(text) = text else {
            let message = format!(
                "`{}`, row {}: the date would leave the years from 1 to 9999 when it is moved; correct it, or leave the column out",
                dates.table.name(),
                dates.table.number(row)
            );
            return Err(Error::column(dates.name, &message));
        };
        all.push(Some(text));
    }
    like(dates, all)
}

/// Texts of dates, as the column had them: dates of Arrow stay dates.
fn like(dates: &Dates, texts: Vec<Option<String>>) -> Result<ArrayRef> {
    let came = dates.table.column(dates.name)?.data_type();
    if came.is_temporal() {
        // Times of a named zone are in universal time as texts.
        let read = match came {
            DataType::Timestamp(unit, Some(_)) => &DataType::Timestamp(*unit, Some("+00:00".into())),
            other => other,
        };
        let times = cast(&StringArray::from(texts), read).and_then(|times| cast(&times, came));
        return times.map_err(|e| Error::column(dates.name, &e));
    }
    Ok(Arc::new(texts.iter().map(Option::as_deref).collect::<DictionaryArray<Int32Type>>()))
}

/// The days since the first date that the person has in any column of study days.
fn study_days(table: &Table, plan: &Plan, name: &str, column: &Column, persons: &Persons) -> Result<ArrayRef> {
    let mut first: FxHashMap<u32, NaiveDate> = FxHashMap::default();
    for (other, column, _) in plan.treated().filter(|(_, _, treatment)| *treatment == Treatment::StudyDay) {
        let dates = Dates::new(table, plan, other, column)?;
        for row in 0..table.rows() {
            if let Some(date) = dates.of(row)? {
                let day = date.day();
                first.entry(persons.person(row as u32)).and_modify(|first| *first = day.min(*first)).or_insert(day);
            }
        }
    }
    let dates = Dates::new(table, plan, name, column)?;
    let day = |row: usize| {
        let date = dates.of(row)?;
        Ok(date.and_then(|date| Some((date.day() - *first.get(&persons.person(row as u32))?).num_days())))
    };
    let days = (0..table.rows()).map(day).collect::<Result<Vec<Option<i64>>>>()?;
    Ok(Arc::new(Int64Array::from(days)))
}
