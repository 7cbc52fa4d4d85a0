//! The persons of a cluster in which some may have several records.

use std::collections::BTreeSet;

use crate::encode::{Code, Persons, Sensitive};

/// Who is in a cluster, and how the persons are spread over the sensitive values.
///
/// A person who has a single record in the whole table is only counted. The records of the others are kept, so that adding and removing
/// one costs no more than a look at the other records of the same person.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Crowd {
    persons: usize,
    /// Person and record, of those who have several records in the table.
    records: BTreeSet<(u32, u32)>,
    /// For each watched column, its values in the cluster, by rising code.
    values: Vec<Vec<Borne>>,
}

/// A value, and who has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Borne {
    /// The value.
    pub code: Code,
    /// The number of persons with a record that has it.
    pub bearers: u32,
    /// The sum, over all persons, of the share of the person's rows that have it.
    pub weight: f64,
}

impl Crowd {
    /// Nobody, with so many watched columns.
    pub(super) fn nobody(columns: usize) -> Self {
        Crowd { persons: 0, records: BTreeSet::new(), values: vec![Vec::new(); columns] }
    }

    /// The number of different persons.
    pub fn persons(&self) -> usize {
        self.persons
    }

    /// The same values, of this many persons.
    pub(super) fn of_some(&self, persons: usize) -> Self {
        Crowd { persons, records: BTreeSet::new(), values: self.values.clone() }
    }

    /// The values of a watched column, by rising code.
    pub(super) fn values(&self, column: usize) -> &[Borne] {
        &self.values[column]
    }

    /// Adds a record.
    pub(super) fn add(&mut self, persons: &Persons, watched: &[Sensitive], record: u32) {
        if !persons.has_several(record) {
            self.persons += 1;
            self.change_lone(watched, record, 1);
            return;
        }
        let others = self.others(persons, record);
        self.persons += usize::from(others.is_empty());
        self.records.insert((persons.person(record), record));
        if watched.is_empty() {
            return;
        }
        let rows: u32 = others.iter().map(|other| persons.weight(*other)).sum();
        let own = persons.weight(record);
        let (before, after) = (f64::from(rows), f64::from(rows + own));
        for (values, column) in self.values.iter_mut().zip(watched) {
            let code = column.row(record);
            for other in &others {
                let weight = f64::from(persons.weight(*other));
                change(values, column.row(*other), 0, weight / after - weight / before);
            }
            let new = !others.iter().any(|other| column.row(*other) == code);
            change(values, code, i32::from(new), f64::from(own) / after);
        }
    }

    /// Removes a record that is there.
    pub(super) fn remove(&mut self, persons: &Persons, watched: &[Sensitive], record: u32) {
        if !persons.has_several(record) {
            self.persons -= 1;
            self.change_lone(watched, record, -1);
            return;
        }
        self.records.remove(&(persons.person(record), record));
        let others = self.others(persons, record);
        self.persons -= usize::from(others.is_empty());
        if watched.is_empty() {
            return;
        }
        let rows: u32 = others.iter().map(|other| persons.weight(*other)).sum();
        let own = persons.weight(record);
        let (before, after) = (f64::from(rows + own), f64::from(rows));
        for (values, column) in self.values.iter_mut().zip(watched) {
            let code = column.row(record);
            let gone = !others.iter().any(|other| column.row(*other) == code);
            change(values, code, -i32::from(gone), -f64::from(own) / before);
            for other in &others {
                let weight = f64::from(persons.weight(*other));
                change(values, column.row(*other), 0, weight / after - weight / before);
            }
        }
    }

    /// Adds or removes the values of a person with a single record.
    fn change_lone(&mut self, watched: &[Sensitive], record: u32, sign: i32) {
        for (values, column) in self.values.iter_mut().zip(watched) {
            column.parts(record).for_each(|(code, share)| change(values, code, sign, f64::from(sign) * share));
        }
    }

    /// Adds everybody of another cluster, which has none of these records.
    pub(super) fn join(&mut self, persons: &Persons, watched: &[Sensitive], other: &Crowd) {
        let several = |crowd: &Crowd| {
            let mut people: Vec<u32> = crowd.records.iter().map(|(person, _)| *person).collect();
            people.dedup();
            people.len()
        };
        // Those who are only counted, and what they have: what is left without the others.
        let mut lone = other.clone();
        other.records.iter().for_each(|(_, record)| lone.remove(persons, watched, *record));
        debug_assert_eq!(lone.persons, other.persons - several(other));
        self.persons += lone.persons;
        for (values, more) in self.values.iter_mut().zip(&lone.values) {
            more.iter().for_each(|borne| change(values, borne.code, borne.bearers as i32, borne.weight));
        }
        other.records.iter().for_each(|(_, record)| self.add(persons, watched, *record));
    }

    /// The other records of the same person.
    fn others(&self, persons: &Persons, record: u32) -> Vec<u32> {
        let person = persons.person(record);
        let own = self.records.range((person, 0)..=(person, u32::MAX));
        own.map(|(_, other)| *other).filter(|other| *other != record).collect()
    }
}

/// Changes who has a value. Values that nobody has any more are dropped.
fn change(values: &mut Vec<Borne>, code: Code, bearers: i32, weight: f64) {
    match values.binary_search_by_key(&code, |borne| borne.code) {
        Ok(place) => {
            let borne = &mut values[place];
            borne.bearers = borne.bearers.saturating_add_signed(bearers);
            borne.weight += weight;
            if borne.bearers == 0 {
                values.remove(place);
            }
        }
        Err(_) if bearers <= 0 => {}
        Err(place) => values.insert(place, Borne { code, bearers: bearers as u32, weight }),
    }
}
