//! Linking: finding the row of a person by the person's quasi-identifiers.
//!
//! A row could be a person's if its cells cover the person's quasi-identifiers. All such rows count, not only those of the record's own class,
//! because the adversary does not know the class. The other way round, an adversary who knows everybody counts the records that each row could
//! come from. If the plan says whose the rows are, the adversary counts the persons whose rows these are, and the persons that each row could
//! belong to; a person with several records is as exposed as the one with the fewest. k-anonymity requires both numbers to be at least k. Forms that publish quasi-identifiers unchanged promise nothing here. A class
//! of fewer than k rows breaks the requirement even if other classes cover its records, because the adversary may know the class.
//!
//! Complexity: O(t m p / 64) for t distinct records, m columns and p pieces; O(n) if quasi-identifiers are published unchanged. To count persons
//! takes in addition as long as all pairs of a distinct record and a person who could be it.
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
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::people::{Counted, People};
use super::{Attack, Build, Finding, Scene, Unit};
use crate::error::Result;
use crate::measure::Cover;
use crate::notation::{grouped, percent};
use crate::progress::Progress;
use crate::registry::Entry;
use crate::schema::Level;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "linking",
    about: "knows everybody's quasi-identifiers and counts the published rows, or persons, that each record could be",
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
        let counted = Counted::new(scene);
        let links = Links::count(scene, &counted, progress)?;
        let mut tally = Tally::new(scene, &counted, &links.candidates, needed);
        tally.count_rows(scene, &counted, &links.sources, k);

        let unit = counted.unit();
        let mut promised = Vec::new();
        if k > 1 {
            let what = if unit == Unit::Persons {
                "persons whose rows could be a record"
            } else {
                "rows that could be a record"
            };
            promised.push(format!("at least {k} {what}"));
        }
        if wishes {
            promised.push("the personal k of each record".to_owned());
        }
        let mut finding = Finding::judged(promised, tally.below.max(tally.few_sources).max(tally.small)).of(&counted);
        tally.figures(&mut finding, counted.number(0..encoded.rows() as u32));
        tally.sentences(&mut finding, counted.number(0..encoded.rows() as u32), scene);
        Ok(finding)
    }
}

/// What was learned by linking, of records or of persons.
#[derive(Default)]
struct Tally {
    /// The fewest rows, or persons with such rows, that could be a record.
    fewest: usize,
    /// The mean number of them; of a person, that of the record with the fewest.
    mean: f64,
    /// The records that some row could belong to, or the persons with such a record.
    found: usize,
    /// The records or persons with exactly one.
    one: usize,
    /// The records or persons with fewer than required.
    below: usize,
    /// The fewest records, or persons, that a row could belong to.
    fewest_sources: usize,
    /// The rows that could belong to exactly one.
    one_source: usize,
    /// The rows that could belong to fewer than k.
    few_sources: usize,
    /// The rows in classes of fewer than k rows, or the persons with rows in classes of fewer than k persons.
    small: usize,
}

impl Tally {
    /// Counts the records or persons. `candidates` has the number of rows, or of persons with such rows, for each distinct tuple.
    fn new(scene: &Scene, counted: &Counted, candidates: &[usize], needed: impl Fn(u32) -> usize) -> Self {
        let encoded = scene.encoded();
        let mut least: FxHashMap<u32, (usize, bool)> = FxHashMap::default();
        for (tuple, candidates) in (0..).zip(candidates).filter(|(_, candidates)| **candidates > 0) {
            for row in encoded.rows_of(tuple) {
                let whose = counted.people().map_or(*row, |people| people.person(*row));
                let (fewest, below) = least.entry(whose).or_insert((*candidates, false));
                *fewest = (*fewest).min(*candidates);
                *below |= *candidates < needed(*row);
            }
        }
        let of = |is: &dyn Fn(&(usize, bool)) -> bool| least.values().filter(|known| is(known)).count();
        Tally {
            fewest: least.values().map(|(fewest, _)| *fewest).min().unwrap_or(0),
            mean: least.values().map(|(fewest, _)| *fewest).sum::<usize>() as f64 / least.len().max(1) as f64,
            found: least.len(),
            one: of(&|(fewest, _)| *fewest == 1),
            below: of(&|(_, below)| *below),
            ..Tally::default()
        }
    }

    /// Counts the rows. `sources` has the number of records or persons that could be those of each piece.
    fn count_rows(&mut self, scene: &Scene, counted: &Counted, sources: &[usize], k: usize) {
        let rows_with = |wanted: &dyn Fn(usize) -> bool| -> usize {
            let pieces = scene.pieces().iter().zip(sources);
            pieces.filter(|(_, sources)| wanted(**sources)).map(|(piece, _)| piece.size).sum()
        };
        self.fewest_sources = sources.iter().min().copied().unwrap_or(0);
        self.one_source = rows_with(&|sources| sources == 1);
        self.few_sources = rows_with(&|sources| sources < k);
        self.small = match counted.people() {
            Some(people) => {
                let sizes: Vec<usize> = people.of_class.iter().map(Vec::len).collect();
                counted.in_classes(&sizes.into_iter().map(|size| if size < k { size } else { 0 }).collect::<Vec<_>>())
            }
            None => scene.crowds().iter().filter(|(crowd, _)| *crowd < k).map(|(_, rows)| rows).sum(),
        };
    }

    fn figures(&self, finding: &mut Finding, all: usize) {
        finding.figure(finding.counts.name(), all as f64);
        finding.figure("fewest_candidates", self.fewest as f64);
        finding.figure("mean_candidates", self.mean);
        finding.figure("one_candidate", self.one as f64);
        finding.figure("below_promise", self.below as f64);
        finding.figure("fewest_sources", self.fewest_sources as f64);
        finding.figure("rows_of_one_source", self.one_source as f64);
        finding.figure("rows_of_too_few_sources", self.few_sources as f64);
        finding.figure("in_small_classes", self.small as f64);
        finding.figure("no_candidate", (all - self.found) as f64);
    }

    fn sentences(&self, finding: &mut Finding, all: usize, scene: &Scene) {
        let (fewest, mean, unit) = (grouped(self.fewest), self.mean, finding.counts.name());
        let (one, such) = match finding.counts {
            Unit::Persons => {
                finding.say(format!(
                    "for each record of a person, rows of at least {fewest} persons could be it; of the record with the fewest, those of {mean:.1} \
                     persons on average"
                ));
                ("person", "a record that only one person's rows could be")
            }
            Unit::Records => {
                finding.say(format!("for each record, at least {fewest} rows could be it, {mean:.1} on average"));
                ("record", "exactly one such row")
            }
        };
        finding.say(format!(
            "{} of {} {unit} ({}) have {such}",
            grouped(self.one),
            grouped(all),
            percent(self.one as f64 / all as f64)
        ));
        finding.say(format!(
            "each row could belong to at least {} {unit}; {} rows could belong to exactly one {one}",
            grouped(self.fewest_sources),
            grouped(self.one_source)
        ));
        if self.below + self.few_sources + self.small > 0 {
            let rows = if finding.counts == Unit::Persons { "persons are" } else { "rows are" };
            finding.say(format!(
                "fewer than required: candidates for {} {unit}, {unit} for {} rows; {} {rows} in classes that are too small",
                grouped(self.below),
                grouped(self.few_sources),
                grouped(self.small)
            ));
        }
        if self.found < all {
            let why = if scene.left_out() { "they were left out" } else { "the release is not true for them" };
            finding.say(format!("{} {unit} have no such row: {why}", grouped(all - self.found)));
        }
    }
}

/// The possible links between records and rows.
struct Links {
    /// For each distinct tuple, the number of published rows that could be its records, or of persons who have such rows.
    candidates: Vec<usize>,
    /// For each piece, the number of records that each of its rows could come from, or of persons who have such records.
    sources: Vec<usize>,
}

impl Links {
    fn count(scene: &Scene, counted: &Counted, progress: Progress) -> Result<Self> {
        match counted.people() {
            Some(people) => Links::of_persons(scene, people, progress),
            None => Links::of_rows(scene, progress),
        }
    }

    fn of_rows(scene: &Scene, progress: Progress) -> Result<Self> {
        let (encoded, pieces) = (scene.encoded(), scene.pieces());
        progress.begin("linking", encoded.tuples() as u64)?;
        let cover = Cover::new(encoded, pieces);
        let sources: Vec<AtomicUsize> = pieces.iter().map(|_| AtomicUsize::new(0)).collect();
        let count = |tuple: u32| {
            progress.advance(1)?;
            let (mut rows, own) = (0, encoded.rows_of(tuple).len());
            cover.covering(encoded.tuple(tuple), |place| {
                rows += pieces[place].size;
                sources[place].fetch_add(own, Ordering::Relaxed);
            });
            Ok(rows)
        };
        let candidates = (0..encoded.tuples() as u32).into_par_iter().map(count).collect::<Result<_>>()?;
        Ok(Links { candidates, sources: sources.into_iter().map(AtomicUsize::into_inner).collect() })
    }

    fn of_persons(scene: &Scene, people: &People, progress: Progress) -> Result<Self> {
        let (encoded, pieces) = (scene.encoded(), scene.pieces());
        progress.begin("linking", encoded.tuples() as u64)?;
        let cover = Cover::new(encoded, pieces);
        let sources: Vec<Mutex<FxHashSet<u32>>> = pieces.iter().map(|_| Mutex::default()).collect();
        // For each person, the last tuple that the person was counted for.
        let seen = || vec![u32::MAX; encoded.rows()];
        let count = |seen: &mut Vec<u32>, tuple: u32| {
            progress.advance(1)?;
            let own: Vec<u32> = encoded.rows_of(tuple).iter().map(|row| people.person(*row)).collect();
            let mut persons = 0;
            cover.covering(encoded.tuple(tuple), |place| {
                for person in &people.of_piece[place] {
                    persons += usize::from(std::mem::replace(&mut seen[*person as usize], tuple) != tuple);
                }
                sources[place].lock().unwrap_or_else(PoisonError::into_inner).extend(&own);
            });
            Ok(persons)
        };
        let candidates = (0..encoded.tuples() as u32).into_par_iter().map_init(seen, count).collect::<Result<_>>()?;
        let size = |persons: Mutex<FxHashSet<u32>>| persons.into_inner().unwrap_or_else(PoisonError::into_inner).len();
        Ok(Links { candidates, sources: sources.into_iter().map(size).collect() })
    }
}
