//! Quasi-identifiers as codes, with equal records stored once.
//!
//! A [`Domain`] says what the codes of a column mean, and a [`Span`] is a closure of codes. Partitioners
//! see nothing else, so they know neither files nor texts.

mod coded;
mod correlation;
mod domain;
mod households;
mod labels;
mod number;
mod persons;
mod recoded;
mod sensitive;
mod span;
mod tuples;
mod values;
mod whole;

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::read::{Table, texts};
use crate::schema::{Level, Schema};

pub use correlation::{Contingency, Order};
pub use domain::Domain;
pub use households::named_together;
pub use number::Numbers;
pub(crate) use number::gcd;
pub use persons::{Merged, Persons};
pub use recoded::recoded;
pub use sensitive::{Scale, Sensitive};
pub use span::Span;
use tuples::Tuples;
pub use whole::Beside;

/// The number of a value within the domain of its column.
pub type Code = u32;

/// The quasi-identifiers and the sensitive columns of a table.
///
/// Codes are stored once for each *distinct* tuple, row-major, with the tuple of every row and the rows of
/// every tuple. That takes at most 12 bytes for each row, whatever the number of columns.
#[derive(Debug)]
pub struct Encoded {
    domains: Vec<Domain>,
    /// The codes of the distinct tuples, one tuple after the other.
    codes: Vec<Code>,
    /// The tuple of each row.
    tuple_of: Vec<u32>,
    /// The rows, sorted by tuple.
    rows: Vec<u32>,
    /// Where the rows of each tuple begin in `rows`.
    starts: Vec<u32>,
    /// The sensitive columns, followed by the columns with personal wishes, the households where they are counted, and the columns of other
    /// tables.
    watched: Vec<Sensitive>,
    /// The number of sensitive columns.
    sensitive: usize,
    /// The watched columns of other tables, behind all others.
    tables: Vec<Range<usize>>,
    personal: Vec<Personal>,
    /// The place of the households among the watched columns, where they are counted.
    households: Option<usize>,
    persons: Option<Persons>,
    /// The rows, if the records are persons.
    whole: Option<Arc<whole::Whole>>,
}

/// A column with personal wishes.
#[derive(Debug, Clone)]
pub struct Personal {
    /// What people wish for.
    pub level: Level,
    /// The index of the column among the [watched](Encoded::watched) ones.
    pub column: usize,
    /// The level that each code of the column stands for.
    pub levels: Vec<f64>,
}

impl Encoded {
    /// Encodes the quasi-identifiers of `table`. Texts in `missing` stand for missing values.
    pub fn new(table: &Table, schema: &Schema, missing: &[String], progress: Progress) -> Result<Self> {
        let mut domains = Vec::new();
        let mut columns = Vec::new();
        for quasi in &schema.quasi {
            let texts = texts(table.column(&quasi.name)?).map_err(|e| Error::column(&quasi.name, &e))?;
            let (domain, codes) = Domain::new(quasi, table, &texts, missing)?;
            domains.push(domain);
            columns.push((texts, codes));
        }

        progress.begin("encoding", table.rows() as u64)?;
        let Tuples { codes, of_row: tuple_of, count } = Tuples::new(&columns, table.rows(), progress)?;
        drop(columns);
        let (rows, starts) = by_tuple(&tuple_of, count);
        let Watched { columns: watched, personal, households } = Watched::new(table, schema, missing)?;
        let persons = Persons::new(table, &schema.person, missing)?;
        let (sensitive, tables) = (schema.sensitive.len(), Vec::new());
        Ok(Encoded {
            domains,
            codes,
            tuple_of,
            rows,
            starts,
            watched,
            sensitive,
            tables,
            personal,
            households,
            persons,
            whole: None,
        })
    }

    /// The same table with only these rows. The domains stay the same.
    #[must_use]
    pub fn select(&self, rows: &[u32]) -> Self {
        if let Some(persons) = self.select_persons(rows) {
            return persons;
        }
        let mut number: Vec<Option<u32>> = vec![None; self.tuples()];
        let mut codes = Vec::new();
        let mut tuples = 0;
        let mut tuple_of = Vec::with_capacity(rows.len());
        for row in rows {
            let old = self.tuple_of(*row);
            let new = *number[old as usize].get_or_insert_with(|| {
                codes.extend_from_slice(self.tuple(old));
                tuples += 1;
                tuples - 1
            });
            tuple_of.push(new);
        }
        let watched: Vec<Sensitive> = self.watched.iter().map(|column| column.select(rows)).collect();
        let levels = |personal: &Personal| {
            let (old, new) = (&self.watched[personal.column], &watched[personal.column]);
            let mut levels = vec![0.0; new.values().len()];
            rows.iter()
                .zip(0..)
                .for_each(|(row, now)| levels[new.row(now) as usize] = personal.levels[old.row(*row) as usize]);
            Personal { level: personal.level, column: personal.column, levels }
        };
        let personal = self.personal.iter().map(levels).collect();
        let (sorted, starts) = by_tuple(&tuple_of, tuples as usize);
        let persons = self.persons.as_ref().map(|persons| persons.select(rows));
        Encoded {
            domains: self.domains.clone(),
            codes,
            tuple_of,
            rows: sorted,
            starts,
            watched,
            sensitive: self.sensitive,
            tables: Vec::new(),
            personal,
            households: self.households,
            persons,
            whole: None,
        }
    }

    /// The persons, if the table says whose its rows are.
    pub fn persons(&self) -> Option<&Persons> {
        self.persons.as_ref()
    }

    /// The number of rows that a record stands for.
    pub fn weight(&self, record: u32) -> u32 {
        self.persons.as_ref().map_or(1, |persons| persons.weight(record))
    }

    /// The share of the table that has each value of a watched column. If the table says whose its rows are, each person counts as one,
    /// split evenly over the person's rows.
    pub fn shares(&self, watched: usize) -> Vec<f64> {
        let column = &self.watched[watched];
        let counts = match &self.persons {
            Some(_) if column.has_profiles() => {
                let mut shares = vec![0.0; column.plain().values().len()];
                let parts = (0..self.rows() as u32).flat_map(|record| column.parts(record));
                parts.for_each(|(code, share)| shares[code as usize] += share);
                // Not everybody has rows in another table.
                let all = shares.iter().sum::<f64>().max(1.0);
                return shares.into_iter().map(|share| share / all).collect();
            }
            // A record that is a person has one value here, however many rows it stands for.
            Some(persons) => persons.weighed(|record| column.row(record), column.values().len()),
            None => column.counts().iter().map(|count| f64::from(*count)).collect(),
        };
        let all = self.persons.as_ref().map_or(self.rows(), Persons::count);
        counts.into_iter().map(|count| count / all.max(1) as f64).collect()
    }

    /// Whether each record is a person with all rows, so that the columns need not be those of the table.
    pub fn is_whole(&self) -> bool {
        self.whole.is_some()
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.tuple_of.len()
    }

    /// The domain of each column.
    pub fn domains(&self) -> &[Domain] {
        &self.domains
    }

    /// The sensitive columns.
    pub fn sensitive(&self) -> &[Sensitive] {
        &self.watched[..self.sensitive]
    }

    /// The place of the households among the [watched](Encoded::watched) columns, if they are counted.
    pub fn households(&self) -> Option<usize> {
        self.households
    }

    /// The sensitive columns, followed by the columns with personal wishes, the households where they are counted, and the columns of other
    /// tables.
    pub fn watched(&self) -> &[Sensitive] {
        &self.watched
    }

    /// The columns with personal wishes.
    pub fn personal(&self) -> &[Personal] {
        &self.personal
    }

    /// The codes of a row.
    pub fn row(&self, row: u32) -> &[Code] {
        self.tuple(self.tuple_of[row as usize])
    }

    /// The number of distinct tuples.
    pub fn tuples(&self) -> usize {
        self.starts.len() - 1
    }

    /// The codes of a distinct tuple.
    pub fn tuple(&self, tuple: u32) -> &[Code] {
        let width = self.domains.len();
        &self.codes[tuple as usize * width..][..width]
    }

    /// The distinct tuple of a row.
    pub fn tuple_of(&self, row: u32) -> u32 {
        self.tuple_of[row as usize]
    }

    /// The rows with this distinct tuple.
    pub fn rows_of(&self, tuple: u32) -> &[u32] {
        let tuple = tuple as usize;
        &self.rows[self.starts[tuple] as usize..self.starts[tuple + 1] as usize]
    }
}

/// The columns that clusters may count, and which of them are what.
struct Watched {
    columns: Vec<Sensitive>,
    personal: Vec<Personal>,
    households: Option<usize>,
}

impl Watched {
    fn new(table: &Table, schema: &Schema, missing: &[String]) -> Result<Self> {
        let sensitive = schema.sensitive.iter().map(|column| Sensitive::new(table, column, missing));
        let mut watched = sensitive.collect::<Result<Vec<_>>>()?;
        let mut personal = Vec::new();
        for column in &schema.personal {
            let (sensitive, levels) = Sensitive::levels(table, column, missing)?;
            personal.push(Personal { level: column.level, column: watched.len(), levels });
            watched.push(sensitive);
        }
        let counted = schema.counts_households && !schema.household.is_empty();
        let households = counted.then_some(watched.len());
        if counted {
            watched.push(households::households(table, &schema.household, missing)?);
        }
        Ok(Watched { columns: watched, personal, households })
    }
}

/// The rows sorted by tuple, and where the rows of each tuple begin. A counting sort.
fn by_tuple(tuple_of: &[u32], tuples: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; tuples + 1];
    for t in tuple_of {
        starts[*t as usize + 1] += 1;
    }
    for t in 1..starts.len() {
        starts[t] += starts[t - 1];
    }
    let mut next = starts.clone();
    let mut sorted = vec![0; tuple_of.len()];
    for (row, t) in tuple_of.iter().enumerate() {
        let place = &mut next[*t as usize];
        sorted[*place as usize] = row as u32;
        *place += 1;
    }
    (sorted, starts)
}
