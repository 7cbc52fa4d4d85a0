//! Persons who have several rows: k and the models count them, whoever clusters the rows.
//!
//! Each test counts persons by itself, from the numbers that it gave them.

mod conformance;
mod models;
mod releases;
mod states;

use std::collections::BTreeSet;

use crate::tables::{Loaded, Sketch, load};

/// Who has which row of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owners {
    /// Two rows next to each other are one person's.
    Pairs,
    /// Every third row is one of the same few persons'.
    Frequent,
    /// One person has a third of the table.
    One,
    /// Rows far apart, up to five a person.
    Scattered,
}

pub const OWNERS: [Owners; 4] = [Owners::Pairs, Owners::Frequent, Owners::One, Owners::Scattered];

impl Owners {
    pub fn of(self, row: usize, rows: usize) -> usize {
        match self {
            Owners::Pairs => row / 2,
            Owners::Frequent if row.is_multiple_of(3) => row / 3 % 4,
            Owners::One if row.is_multiple_of(3) => 0,
            Owners::Frequent | Owners::One => 4 + row,
            Owners::Scattered => row * 7 % (rows / 3).max(1),
        }
    }

    /// The table in which these persons have the rows.
    pub fn load(self, sketch: &Sketch) -> Loaded {
        load(&self.csv(sketch), &sketch.plan(2).replace("id = { role = \"identifier\" }", "id = { role = \"person\" }"))
    }

    /// The table as text, with the persons as its first column.
    pub fn csv(self, sketch: &Sketch) -> String {
        let mut out = csv::Writer::from_writer(Vec::new());
        let text = sketch.csv();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        for (number, record) in reader.records().map(Result::unwrap).enumerate() {
            let person = number.checked_sub(1).map(|row| format!("person {}", self.of(row, sketch.rows())));
            let first = person.as_deref().unwrap_or(&record[0]);
            out.write_record(std::iter::once(first).chain(record.iter().skip(1))).unwrap();
        }
        String::from_utf8(out.into_inner().unwrap()).unwrap()
    }

    /// The number of different persons among these rows of a table.
    pub fn count(self, among: &[u32], rows: usize) -> usize {
        among.iter().map(|row| self.of(*row as usize, rows)).collect::<BTreeSet<_>>().len()
    }
}
