//! Whom an attack is about: the persons of a plan that says whose the rows are, or the records where none does.
//!
//! The release does not say whose its rows are. So persons can be counted only if it is known which record each published row comes from.

use super::{Scene, Unit};
use crate::encode::{Code, Persons};

/// Said where the plan counts persons and the attack cannot.
pub(super) const ROWS_ONLY: &str = "the plan counts persons, but it is not known which published row comes from which record, so records \
    are counted here and not persons";

/// The records or persons that an attack counts.
pub(super) struct Counted<'a> {
    persons: Option<People<'a>>,
    /// Whether the plan asks for persons, and they cannot be counted.
    pub rows_only: bool,
}

/// The persons of a release.
pub(super) struct People<'a> {
    whose: &'a Persons,
    /// The persons with a record in each published piece, sorted.
    pub of_piece: Vec<Vec<u32>>,
    /// The persons with a record in each published class, sorted.
    pub of_class: Vec<Vec<u32>>,
    /// The published records of each published class.
    records: Vec<Vec<u32>>,
    /// How much each record weighs, if the records of a person weigh one together.
    weights: Vec<f64>,
}

/// The values of a class by persons.
pub(super) struct Held {
    /// For each value, the share of the class that has it, if each person is split evenly over the person's rows in the class.
    pub shares: Vec<(Code, f64)>,
    /// For each value, the share of the persons who have it at all.
    pub bearers: Vec<(Code, f64)>,
}

impl<'a> Counted<'a> {
    pub fn new(scene: &'a Scene) -> Self {
        let encoded = scene.encoded();
        let Some(whose) = encoded.persons() else { return Counted { persons: None, rows_only: false } };
        let Some(piece_of) = &scene.view.piece_of else { return Counted { persons: None, rows_only: true } };
        let mut of_piece = vec![Vec::new(); scene.pieces().len()];
        let mut of_class = vec![Vec::new(); scene.classes().len()];
        let mut records = vec![Vec::new(); scene.classes().len()];
        let mut times = vec![0_u32; encoded.rows()];
        for row in 0..encoded.rows() as u32 {
            times[whose.person(row) as usize] += 1;
            let piece = piece_of[row as usize] as usize;
            // Records that were left out are in a piece after all others.
            if piece < of_piece.len() {
                of_piece[piece].push(whose.person(row));
                let class = scene.view.pieces[piece].class as usize;
                of_class[class].push(whose.person(row));
                records[class].push(row);
            }
        }
        for persons in of_piece.iter_mut().chain(&mut of_class) {
            persons.sort_unstable();
            persons.dedup();
        }
        let weight = |row: u32| 1.0 / f64::from(times[whose.person(row) as usize]);
        let weights = (0..encoded.rows() as u32).map(weight).collect();
        Counted { persons: Some(People { whose, of_piece, of_class, records, weights }), rows_only: false }
    }

    pub fn people(&self) -> Option<&People<'a>> {
        self.persons.as_ref()
    }

    pub fn unit(&self) -> Unit {
        if self.persons.is_some() { Unit::Persons } else { Unit::Records }
    }

    /// How much a record weighs.
    pub fn weight(&self, row: u32) -> f64 {
        self.persons.as_ref().map_or(1.0, |people| people.weights[row as usize])
    }

    /// The number of these records, or of the persons whose they are. No record may be there twice.
    pub fn number(&self, records: impl Iterator<Item = u32>) -> usize {
        match &self.persons {
            None => records.count(),
            Some(people) => distinct(records.map(|record| people.whose.person(record)).collect()),
        }
    }

    /// The number of records in some of the classes, or of persons with a record there. `sizes` has what each class counts for, and is 0 for
    /// classes that do not count.
    pub fn in_classes(&self, sizes: &[usize]) -> usize {
        match &self.persons {
            None => sizes.iter().sum(),
            Some(people) => {
                let counted = people.of_class.iter().zip(sizes).filter(|(_, size)| **size > 0);
                distinct(counted.flat_map(|(persons, _)| persons.iter().copied()).collect())
            }
        }
    }
}

impl People<'_> {
    /// Whose a record is.
    pub fn person(&self, record: u32) -> u32 {
        self.whose.person(record)
    }

    /// What the persons of a class have of a sensitive column.
    pub fn held(&self, class: usize, value: impl Fn(u32) -> Code) -> Held {
        held(self.records[class].iter().map(|row| (self.person(*row), value(*row))).collect())
    }

    /// What the persons of the whole release have of a sensitive column.
    pub fn held_by_all(&self, value: impl Fn(u32) -> Code) -> Held {
        held(self.records.iter().flatten().map(|row| (self.person(*row), value(*row))).collect())
    }
}

/// The shares of the values of some rows, each with its person.
fn held(mut rows: Vec<(u32, Code)>) -> Held {
    rows.sort_unstable();
    let mut values: Vec<(Code, f64, f64)> = Vec::new();
    let mut persons = 0.0;
    for of_person in rows.chunk_by(|a, b| a.0 == b.0) {
        persons += 1.0;
        for alike in of_person.chunk_by(|a, b| a.1 == b.1) {
            let (code, share) = (alike[0].1, alike.len() as f64 / of_person.len() as f64);
            match values.binary_search_by_key(&code, |(code, ..)| *code) {
                Ok(place) => (values[place].1, values[place].2) = (values[place].1 + share, values[place].2 + 1.0),
                Err(place) => values.insert(place, (code, share, 1.0)),
            }
        }
    }
    let of_all = |part: f64| part / f64::max(persons, 1.0);
    Held {
        shares: values.iter().map(|(code, share, _)| (*code, of_all(*share))).collect(),
        bearers: values.iter().map(|(code, _, bearers)| (*code, of_all(*bearers))).collect(),
    }
}

fn distinct(mut persons: Vec<u32>) -> usize {
    persons.sort_unstable();
    persons.dedup();
    persons.len()
}
