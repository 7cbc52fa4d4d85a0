//! The persons of a cluster in which some may have several records.

mod records;

use self::records::Records;
use crate::encode::{Code, Persons, Sensitive};

/// Who is in a cluster, and how the persons are spread over the sensitive values.
///
/// A person who has a single record in the whole table is only counted. The records of the others are kept, so that adding and removing
/// one costs no more than a look at the other records of the same person.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Crowd {
    persons: usize,
    /// Person and record, of those who have several records in the table.
    records: Records,
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
    /// The persons of these records.
    pub(super) fn of<'a>(persons: &Persons, watched: &[Sensitive], records: impl IntoIterator<Item = &'a u32>) -> Self {
        let mut crowd = Crowd { values: vec![Vec::new(); watched.len()], ..Crowd::default() };
        let mut several: Vec<(u32, u32)> = Vec::new();
        for record in records {
            if persons.has_several(*record) {
                several.push((persons.person(*record), *record));
                continue;
            }
            // A record may stand for others like it, so each time is another person.
            crowd.persons += 1;
            for (values, column) in crowd.values.iter_mut().zip(watched) {
                values.extend(column.parts(*record).map(|(code, weight)| Borne { code, bearers: 1, weight }));
            }
        }
        several.sort_unstable();
        for own in several.chunk_by(|a, b| a.0 == b.0) {
            crowd.persons += 1;
            for (values, column) in crowd.values.iter_mut().zip(watched) {
                values.extend(spread(persons, column, own));
            }
        }
        crowd.values.iter_mut().for_each(merge);
        crowd.records = several.into();
        crowd
    }

    /// The number of different persons.
    pub fn persons(&self) -> usize {
        self.persons
    }

    /// The same values, of this many persons.
    pub(super) fn of_some(&self, persons: usize) -> Self {
        Crowd { persons, records: Records::default(), values: self.values.clone() }
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
        let person = persons.person(record);
        if watched.is_empty() {
            self.persons += usize::from(self.records.of(person).is_empty());
            self.records.insert((person, record));
            return;
        }
        let others = self.records.of(person);
        self.persons += usize::from(others.is_empty());
        let rows: u32 = others.iter().map(|(_, other)| persons.weight(*other)).sum();
        let own = persons.weight(record);
        let (before, after) = (f64::from(rows), f64::from(rows + own));
        for (values, column) in self.values.iter_mut().zip(watched) {
            let code = column.row(record);
            let mut new = true;
            for (_, other) in &*others {
                let weight = f64::from(persons.weight(*other));
                change(values, column.row(*other), 0, weight / after - weight / before);
                new &= column.row(*other) != code;
            }
            change(values, code, i32::from(new), f64::from(own) / after);
        }
        drop(others);
        self.records.insert((person, record));
    }

    /// Removes a record that is there.
    pub(super) fn remove(&mut self, persons: &Persons, watched: &[Sensitive], record: u32) {
        if !persons.has_several(record) {
            self.persons -= 1;
            self.change_lone(watched, record, -1);
            return;
        }
        let person = persons.person(record);
        self.records.remove((person, record));
        let others = self.records.of(person);
        self.persons -= usize::from(others.is_empty());
        if watched.is_empty() {
            return;
        }
        let rows: u32 = others.iter().map(|(_, other)| persons.weight(*other)).sum();
        let own = persons.weight(record);
        let (before, after) = (f64::from(rows + own), f64::from(rows));
        for (values, column) in self.values.iter_mut().zip(watched) {
            let code = column.row(record);
            let gone = others.iter().all(|(_, other)| column.row(*other) != code);
            change(values, code, -i32::from(gone), -f64::from(own) / before);
            for (_, other) in &*others {
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
        self.persons += other.persons;
        for (values, more) in self.values.iter_mut().zip(&other.values) {
            more.iter().for_each(|borne| change(values, borne.code, borne.bearers as i32, borne.weight));
        }
        let theirs: Vec<(u32, u32)> = other.records.iter().collect();
        for more in theirs.chunk_by(|a, b| a.0 == b.0) {
            let own = self.records.of(more[0].0).into_owned();
            if !own.is_empty() {
                // Somebody of both was counted twice.
                self.persons -= 1;
                let all = [&own, more].concat();
                for (values, column) in self.values.iter_mut().zip(watched) {
                    let changes = [(&all[..], 1), (&own, -1), (more, -1)];
                    for (records, sign) in changes {
                        let spread = spread(persons, column, records);
                        spread.iter().for_each(|b| change(values, b.code, sign, f64::from(sign) * b.weight));
                    }
                }
            }
            more.iter().for_each(|pair| self.records.insert(*pair));
        }
    }
}

/// What a person with these records has.
fn spread(persons: &Persons, column: &Sensitive, records: &[(u32, u32)]) -> Vec<Borne> {
    let rows: u32 = records.iter().map(|(_, record)| persons.weight(*record)).sum();
    let mut values = Vec::with_capacity(records.len());
    for (_, record) in records {
        let weight = f64::from(persons.weight(*record)) / f64::from(rows);
        let parts = column.parts(*record);
        values.extend(parts.map(|(code, share)| Borne { code, bearers: 1, weight: weight * share }));
    }
    merge(&mut values);
    values.iter_mut().for_each(|borne| borne.bearers = 1);
    values
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

/// Makes one of all entries of a value.
fn merge(values: &mut Vec<Borne>) {
    values.sort_unstable_by_key(|borne| borne.code);
    values.dedup_by(|next, kept| {
        let same = next.code == kept.code;
        if same {
            kept.bearers += next.bearers;
            kept.weight += next.weight;
        }
        same
    });
}
