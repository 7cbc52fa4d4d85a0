//! Whose row each row is.

use std::sync::Arc;

use super::{Encoded, named_together};
use crate::error::Result;
use crate::read::Table;

/// The persons of a table: whose record each record is, and for how many rows it stands.
#[derive(Debug, Clone)]
pub struct Persons {
    /// The person of each record, by number.
    of: Vec<u32>,
    /// The number of rows that each record stands for. Empty if each stands for one.
    weights: Vec<u32>,
    /// Whether each person has several records.
    several: Vec<bool>,
    /// Whether some person has.
    some: bool,
    /// The number of persons.
    count: usize,
}

impl Persons {
    /// The persons of a table whom these columns name together; `None` if there are no such columns. A row that lacks a value in one of
    /// them is a person of its own. Whether there may be such rows is checked before.
    pub(super) fn new(table: &Table, columns: &[String], missing: &[String]) -> Result<Option<Self>> {
        if columns.is_empty() {
            return Ok(None);
        }
        let known = named_together(table, columns, missing)?;
        let mut next = known.iter().flatten().max().map_or(0, |person| person + 1);
        let mut alone = || {
            next += 1;
            next - 1
        };
        let of = known.into_iter().map(|person| person.unwrap_or_else(&mut alone)).collect();
        Ok(Some(Persons::of(of, Vec::new())))
    }

    /// The persons of these records, and for how many rows each record stands.
    pub(super) fn of(of: Vec<u32>, weights: Vec<u32>) -> Self {
        let mut records = vec![0_u8; of.iter().max().map_or(0, |person| *person as usize + 1)];
        of.iter().for_each(|person| records[*person as usize] = records[*person as usize].saturating_add(1));
        let count = records.iter().filter(|records| **records > 0).count();
        let several: Vec<bool> = records.into_iter().map(|records| records > 1).collect();
        Persons { of, weights, some: several.contains(&true), several, count }
    }

    /// The persons of some of the records.
    pub(super) fn select(&self, records: &[u32]) -> Self {
        let weights =
            if self.weights.is_empty() { Vec::new() } else { records.iter().map(|r| self.weight(*r)).collect() };
        Persons::of(records.iter().map(|record| self.person(*record)).collect(), weights)
    }

    /// The number of records.
    pub(super) fn records(&self) -> u32 {
        self.of.len() as u32
    }

    /// Whose record it is.
    pub fn person(&self, record: u32) -> u32 {
        self.of[record as usize]
    }

    /// The number of rows that a record stands for.
    pub fn weight(&self, record: u32) -> u32 {
        self.weights.get(record as usize).copied().unwrap_or(1)
    }

    /// Whether the person of a record has other records.
    pub fn has_several(&self, record: u32) -> bool {
        self.several[self.person(record) as usize]
    }

    /// Whether some person has several records.
    pub fn some_have_several(&self) -> bool {
        self.some
    }

    /// The number of persons.
    pub fn count(&self) -> usize {
        self.count
    }

    /// For each code, the sum over all persons of the share of the person's rows that have it. A person counts as one, so the sums add up
    /// to the number of persons.
    pub fn weighed(&self, codes: impl Fn(u32) -> u32, values: usize) -> Vec<f64> {
        let mut rows = vec![0_u64; self.several.len()];
        (0..self.of.len() as u32).for_each(|r| rows[self.person(r) as usize] += u64::from(self.weight(r)));
        let mut sums = vec![0.0; values];
        for record in 0..self.of.len() as u32 {
            let share = f64::from(self.weight(record)) / rows[self.person(record) as usize] as f64;
            sums[codes(record) as usize] += share;
        }
        sums
    }
}

/// Records that each stand for the rows of a person that nothing tells apart.
#[derive(Debug)]
pub struct Merged {
    /// The records.
    pub encoded: Arc<Encoded>,
    /// The rows, record by record.
    pub(super) rows: Vec<u32>,
    /// Where the rows of each record begin.
    pub(super) starts: Vec<u32>,
}

impl Merged {
    /// Merges the rows of each person that have the same quasi-identifiers and, if `with_values`, the same watched values. `None` if the
    /// table does not say whose its rows are.
    ///
    /// A class that has one of these rows may have all of them: no loss and no privacy model changes. A person whose rows are all alike
    /// becomes a single record, and to count records is to count persons. Records are in the order of their first rows.
    pub fn new(encoded: &Encoded, with_values: bool) -> Option<Self> {
        let persons = encoded.persons()?;
        let watched = if with_values { encoded.watched() } else { &[] };
        let key = |row: u32| (persons.person(row), encoded.tuple_of(row));
        let values = |row: u32| watched.iter().map(move |column| column.row(row));
        let mut rows: Vec<u32> = (0..encoded.rows() as u32).collect();
        rows.sort_unstable_by(|a, b| key(*a).cmp(&key(*b)).then_with(|| values(*a).cmp(values(*b))).then(a.cmp(b)));
        let mut alike: Vec<&[u32]> = rows.chunk_by(|a, b| key(*a) == key(*b) && values(*a).eq(values(*b))).collect();
        alike.sort_unstable_by_key(|rows| rows[0]);
        let first: Vec<u32> = alike.iter().map(|rows| rows[0]).collect();
        let weights: Vec<u32> = alike.iter().map(|rows| rows.iter().map(|row| persons.weight(*row)).sum()).collect();
        let mut merged = encoded.select(&first);
        merged.persons = Some(Persons::of(first.iter().map(|row| persons.person(*row)).collect(), weights));
        let mut starts = vec![0];
        alike.iter().for_each(|rows| starts.push(starts[starts.len() - 1] + rows.len() as u32));
        let rows = alike.concat();
        Some(Merged { encoded: Arc::new(merged), rows, starts })
    }

    /// The rows that some records stand for.
    pub fn rows(&self, records: &[u32]) -> Vec<u32> {
        let of = |record: &u32| {
            &self.rows[self.starts[*record as usize] as usize..self.starts[*record as usize + 1] as usize]
        };
        records.iter().flat_map(of).copied().collect()
    }
}
