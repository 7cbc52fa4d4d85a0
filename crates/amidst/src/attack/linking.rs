//! Linking: finding the row of a person by the person's quasi-identifiers.
//!
//! A row could be a person's if its cells cover the person's quasi-identifiers. All such rows count, not only those of the record's own class,
//! because the adversary does not know the class. The other way round, an adversary who knows everybody counts the persons that each row could
//! belong to. k-anonymity requires both numbers to be at least k. Forms that publish quasi-identifiers unchanged promise nothing here. A class
//! of fewer than k rows breaks the requirement even if other classes cover its records, because the adversary may know the class.
//!
//! Complexity: O(t m p / 64) for t distinct records, m columns and p pieces; O(n) if quasi-identifiers are published unchanged.
//!
//! Samarati and Sweeney, "Protecting privacy when disclosing information", 1998. Sweeney, "k-anonymity: a model for protecting privacy",
//! IJUFKS 2002.
//!
//! # Example
//!
//! ```text
//! amidst attack adult.csv.gz release.csv --plan release.plan.toml --attacks linking
//! ```

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::{Attack, Build, Finding, Scene, percent};
use crate::error::Result;
use crate::measure::Cover;
use crate::notation::grouped;
use crate::progress::Progress;
use crate::registry::Entry;
use crate::schema::Level;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "linking",
    about: "knows everybody's quasi-identifiers and counts the published rows that could be each person's",
    paper: "Samarati and Sweeney, 1998; Sweeney, IJUFKS 2002",
    params: &[],
    build: |_| Box::new(Linking),
};

struct Linking;

impl Attack for Linking {
    fn knows(&self) -> &'static str {
        "everybody's quasi-identifiers"
    }

    fn attack(&self, scene: &Scene, progress: Progress) -> Result<Finding> {
        if let Some(why) = scene.unlinkable() {
            return Ok(Finding::not_tried(why));
        }
        let (encoded, k) = (scene.encoded(), scene.k()?);
        let wishes = scene.hides_rows() && scene.wishes(Level::K);
        let needed = |row: u32| if wishes { k.max(scene.wish(Level::K, row) as usize) } else { k };
        let links = Links::count(scene, progress)?;
        let mut tally = Tally::new(scene, &links.candidates, needed);
        tally.count_rows(scene, &links.persons, k);

        let mut promised = Vec::new();
        if k > 1 {
            promised.push(format!("at least {k} rows that could be a person's"));
        }
        if wishes {
            promised.push("the personal k of each record".to_owned());
        }
        let mut finding = Finding::judged(promised, tally.below.max(tally.few_persons).max(tally.small));
        tally.figures(&mut finding, encoded.rows());
        tally.sentences(&mut finding, scene);
        Ok(finding)
    }
}

/// What was learned by linking.
#[derive(Default)]
struct Tally {
    /// The fewest rows that could be those of a record.
    fewest: usize,
    /// The mean number of such rows.
    mean: f64,
    /// The records that some row could belong to.
    found: usize,
    /// The records with exactly one such row.
    one: usize,
    /// The records with fewer such rows than required.
    below: usize,
    /// The fewest persons that a row could belong to.
    fewest_persons: usize,
    /// The rows that could belong to exactly one person.
    one_person: usize,
    /// The rows that could belong to fewer than k persons.
    few_persons: usize,
    /// The rows in classes of fewer than k rows.
    small: usize,
}

impl Tally {
    /// Counts the records. `candidates` has the number of rows for each distinct tuple.
    fn new(scene: &Scene, candidates: &[usize], needed: impl Fn(u32) -> usize) -> Self {
        let (mut tally, mut sum) = (Tally { fewest: usize::MAX, ..Tally::default() }, 0);
        for (tuple, candidates) in (0..).zip(candidates).filter(|(_, candidates)| **candidates > 0) {
            let rows = scene.encoded().rows_of(tuple);
            tally.fewest = tally.fewest.min(*candidates);
            sum += candidates * rows.len();
            tally.found += rows.len();
            tally.one += if *candidates == 1 { rows.len() } else { 0 };
            tally.below += rows.iter().filter(|row| *candidates < needed(**row)).count();
        }
        tally.fewest = if tally.found == 0 { 0 } else { tally.fewest };
        tally.mean = sum as f64 / tally.found.max(1) as f64;
        tally
    }

    /// Counts the rows. `persons` has the number of persons for each piece.
    fn count_rows(&mut self, scene: &Scene, persons: &[usize], k: usize) {
        let rows_with = |wanted: &dyn Fn(usize) -> bool| -> usize {
            let pieces = scene.pieces().iter().zip(persons);
            pieces.filter(|(_, persons)| wanted(**persons)).map(|(piece, _)| piece.size).sum()
        };
        self.fewest_persons = persons.iter().min().copied().unwrap_or(0);
        self.one_person = rows_with(&|persons| persons == 1);
        self.few_persons = rows_with(&|persons| persons < k);
        self.small = scene.crowds().iter().filter(|(crowd, _)| *crowd < k).map(|(_, rows)| rows).sum();
    }

    fn figures(&self, finding: &mut Finding, records: usize) {
        finding.figure("records", records as f64);
        finding.figure("fewest_candidates", self.fewest as f64);
        finding.figure("mean_candidates", self.mean);
        finding.figure("one_candidate", self.one as f64);
        finding.figure("below_promise", self.below as f64);
        finding.figure("fewest_persons", self.fewest_persons as f64);
        finding.figure("rows_of_one_person", self.one_person as f64);
        finding.figure("rows_of_too_few_persons", self.few_persons as f64);
        finding.figure("rows_of_small_classes", self.small as f64);
        finding.figure("no_candidate", (records - self.found) as f64);
    }

    fn sentences(&self, finding: &mut Finding, scene: &Scene) {
        let (all, fewest, mean) = (scene.encoded().rows(), grouped(self.fewest), self.mean);
        finding.say(format!("for each record, at least {fewest} rows could be the person's, {mean:.1} on average"));
        finding.say(format!(
            "{} of {} records ({}) have exactly one such row",
            grouped(self.one),
            grouped(all),
            percent(self.one as f64 / all as f64)
        ));
        finding.say(format!(
            "each row could belong to at least {} persons; {} rows could belong to exactly one",
            grouped(self.fewest_persons),
            grouped(self.one_person)
        ));
        if self.below + self.few_persons + self.small > 0 {
            finding.say(format!(
                "fewer than required: rows for {} records, persons for {} rows; {} rows are in classes that are too small",
                grouped(self.below),
                grouped(self.few_persons),
                grouped(self.small)
            ));
        }
        if self.found < all {
            let why = if scene.left_out() { "they were left out" } else { "the release is not true for them" };
            finding.say(format!("{} records have no such row: {why}", grouped(all - self.found)));
        }
    }
}

/// The possible links between records and rows.
struct Links {
    /// For each distinct tuple, the number of published rows that could be its records.
    candidates: Vec<usize>,
    /// For each piece, the number of persons that each of its rows could belong to.
    persons: Vec<usize>,
}

impl Links {
    fn count(scene: &Scene, progress: Progress) -> Result<Self> {
        let (encoded, pieces) = (scene.encoded(), scene.pieces());
        progress.begin("linking", encoded.tuples() as u64)?;
        let cover = Cover::new(encoded, pieces);
        let persons: Vec<AtomicUsize> = pieces.iter().map(|_| AtomicUsize::new(0)).collect();
        let count = |tuple: u32| {
            progress.advance(1)?;
            let (mut rows, own) = (0, encoded.rows_of(tuple).len());
            cover.covering(encoded.tuple(tuple), |place| {
                rows += pieces[place].size;
                persons[place].fetch_add(own, Ordering::Relaxed);
            });
            Ok(rows)
        };
        let candidates = (0..encoded.tuples() as u32).into_par_iter().map(count).collect::<Result<_>>()?;
        Ok(Links { candidates, persons: persons.into_iter().map(AtomicUsize::into_inner).collect() })
    }
}
