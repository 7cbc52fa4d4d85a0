//! Linking: who knows somebody's quasi-identifiers looks for their row.
//!
//! A row could be theirs when its cells cover the quasi-identifiers. All classes that do so count, not only the one that the record is in, because the
//! adversary does not know which that is. The other way round, somebody who knows everybody counts the persons that each row could belong to.
//! k-anonymity promises k of both; forms that publish quasi-identifiers as they are promise nothing. Classes of fewer than k rows break the
//! promise whatever else covers their records, because the adversary may be told the class.
//! O(distinct tuples · pieces / 64 · columns) for closures, O(n) for values.

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
    about: "knows everybody's quasi-identifiers and counts the published rows that could be theirs",
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
        let Links { candidates, persons } = Links::count(scene, progress)?;
        let (mut fewest, mut sum, mut found, mut one, mut below) = (usize::MAX, 0, 0_usize, 0, 0);
        for (tuple, candidates) in (0..).zip(&candidates).filter(|(_, candidates)| **candidates > 0) {
            let rows = encoded.rows_of(tuple);
            fewest = fewest.min(*candidates);
            sum += candidates * rows.len();
            found += rows.len();
            one += if *candidates == 1 { rows.len() } else { 0 };
            below += rows.iter().filter(|row| *candidates < needed(**row)).count();
        }
        let fewest = if found == 0 { 0 } else { fewest };
        let least_persons = persons.iter().min().copied().unwrap_or(0);
        let rows_with = |wanted: &dyn Fn(usize) -> bool| -> usize {
            scene
                .pieces()
                .iter()
                .zip(&persons)
                .filter(|(_, persons)| wanted(**persons))
                .map(|(piece, _)| piece.size)
                .sum()
        };
        let one_person = rows_with(&|persons| persons == 1);
        let few_persons = rows_with(&|persons| persons < k);
        let small: usize = scene.crowds().iter().filter(|(crowd, _)| *crowd < k).map(|(_, rows)| rows).sum();

        let mut promised = Vec::new();
        if k > 1 {
            promised.push(format!("at least {k} rows that could be theirs"));
        }
        if wishes {
            promised.push("as many as they want themselves".to_owned());
        }
        let (all, mean) = (encoded.rows(), sum as f64 / found.max(1) as f64);
        let mut finding = Finding::judged(promised, below.max(few_persons).max(small));
        finding.figure("records", all as f64);
        finding.figure("fewest_candidates", fewest as f64);
        finding.figure("mean_candidates", mean);
        finding.figure("one_candidate", one as f64);
        finding.figure("below_promise", below as f64);
        finding.figure("fewest_persons", least_persons as f64);
        finding.figure("rows_of_one_person", one_person as f64);
        finding.figure("rows_of_too_few_persons", few_persons as f64);
        finding.figure("rows_of_small_classes", small as f64);
        finding.figure("no_candidate", (all - found) as f64);
        finding
            .say(format!("everybody has at least {} rows that could be theirs, {mean:.1} on average", grouped(fewest)));
        finding.say(format!(
            "{} of {} records ({}) have exactly one",
            grouped(one),
            grouped(all),
            percent(one as f64 / all as f64)
        ));
        finding.say(format!(
            "every row could belong to {} persons at least; {} rows to exactly one",
            grouped(least_persons),
            grouped(one_person)
        ));
        if below + few_persons + small > 0 {
            finding.say(format!(
                "fewer than promised: rows for {} records, persons for {} rows, and {} rows are in classes that are too small",
                grouped(below),
                grouped(few_persons),
                grouped(small)
            ));
        }
        if found < all {
            let why = if scene.left_out() { "they were left out" } else { "the release is not true of them" };
            finding.say(format!("{} records have none: {why}", grouped(all - found)));
        }
        Ok(finding)
    }
}

/// Who could be who.
struct Links {
    /// How many published rows could be those of each distinct tuple.
    candidates: Vec<usize>,
    /// How many persons each row of a piece could belong to.
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
