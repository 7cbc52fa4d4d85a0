//! Downcoding: closures that are as small as possible say more than their cells.
//!
//! The adversary knows nothing about anybody, only that the closures are minimal. Then some record of the class takes either bound of a range, some record each member of
//! a set, and records below both children of a node that has two. So a class can be split into a finer table that is surely true, up to exchanging rows of
//! the class that look the same. This counts the cells of which so much more can be told, one column at a time, and holds the claims against the
//! original. No model here promises anything against it. O(n · columns).

use rustc_hash::FxHashSet;

use super::{Attack, Build, Finding, Scene, Verdict, percent};
use crate::encode::{Code, Domain, Span};
use crate::error::Result;
use crate::notation::grouped;
use crate::progress::Progress;
use crate::registry::Entry;
use crate::verify::Shape;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "downcoding",
    about: "knows only that closures are as small as possible, and tells more of the quasi-identifiers than is published",
    paper: "Cohen, USENIX Security 2022",
    params: &[],
    build: |_| Box::new(Downcoding),
};

struct Downcoding;

#[derive(Default)]
struct Tally {
    /// Cells that are not a single value.
    generalized: usize,
    /// Those of which more can be told.
    told: usize,
    /// Those whose very value can be told.
    exactly: usize,
    /// Classes that can be split, and their rows.
    classes: usize,
    rows: usize,
    /// Claims that could be checked, and those that are true.
    claims: usize,
    checked: usize,
    sound: usize,
}

impl Attack for Downcoding {
    fn knows(&self) -> &'static str {
        "that closures are as small as possible, and nothing about anybody"
    }

    fn attack(&self, scene: &Scene, progress: Progress) -> Result<Finding> {
        if scene.release.shape != Shape::Closures || scene.unlinkable().is_some() {
            return Ok(Finding::not_tried(format!(
                "a release by {} has no closures",
                scene.plan.method.publish.name()
            )));
        }
        let (domains, pieces) = (scene.encoded().domains(), scene.pieces());
        progress.begin("downcoding", pieces.len() as u64)?;
        let members = members(scene);
        let mut tally = Tally::default();
        for (place, piece) in pieces.iter().enumerate() {
            progress.advance(1)?;
            let mut split = false;
            for (column, (domain, span)) in domains.iter().zip(&piece.closure).enumerate() {
                let span = domain.close(*span);
                if domain.count(span) == 1 {
                    continue;
                }
                tally.generalized += piece.size;
                let claims = claims(domain, span);
                let told = claims.len().min(piece.size);
                let exact = claims.iter().filter(|(lo, hi)| lo == hi).count();
                (tally.told, tally.exactly) = (tally.told + told, tally.exactly + exact.min(piece.size));
                tally.claims += claims.len();
                split |= told > 0;
                if let Some(members) = &members {
                    let values: FxHashSet<Code> =
                        members[place].iter().map(|row| scene.encoded().row(*row)[column]).collect();
                    tally.checked += claims.len();
                    tally.sound +=
                        claims.iter().filter(|(lo, hi)| values.iter().any(|code| lo <= code && code <= hi)).count();
                }
            }
            tally.classes += usize::from(split);
            tally.rows += if split { piece.size } else { 0 };
        }
        Ok(tally.finding(pieces.len()))
    }
}

impl Tally {
    fn finding(&self, classes: usize) -> Finding {
        let mut finding = Finding::new(Verdict::Unpromised, Vec::new(), None);
        for (name, value) in [
            ("generalized_cells", self.generalized),
            ("cells_told_more", self.told),
            ("cells_told_exactly", self.exactly),
            ("classes_split", self.classes),
            ("rows_of_classes_split", self.rows),
            ("claims", self.claims),
            ("claims_checked", self.checked),
            ("claims_true", self.sound),
        ] {
            finding.figure(name, value as f64);
        }
        let share = |part: usize, whole: usize| percent(part as f64 / whole.max(1) as f64);
        finding.say(format!(
            "of {} of {} generalized cells ({}) more can be told, of {} the very value, up to exchanging rows of a class",
            grouped(self.told),
            grouped(self.generalized),
            share(self.told, self.generalized),
            grouped(self.exactly)
        ));
        finding.say(format!(
            "{} of {} classes ({}), with {} rows, can be split into a finer table",
            grouped(self.classes),
            grouped(classes),
            share(self.classes, classes),
            grouped(self.rows)
        ));
        finding.say(match self.checked {
            0 if self.claims > 0 => {
                "whether that is true cannot be checked: it is not known which row comes from which record".to_owned()
            }
            checked => format!("{} of {} such claims are true of the original", grouped(self.sound), grouped(checked)),
        });
        finding
    }
}

/// The records of each piece, where it is known who is in which.
fn members(scene: &Scene) -> Option<Vec<Vec<u32>>> {
    let mut members = vec![Vec::new(); scene.view.pieces.len()];
    scene.view.piece_of.as_ref()?.iter().zip(0..).for_each(|(piece, row)| members[*piece as usize].push(row));
    Some(members)
}

/// Ranges of codes, apart from each other, of which each has a record of the class. Empty where the closure says no more than its cell.
fn claims(domain: &Domain, span: Span) -> Vec<(Code, Code)> {
    if domain.is_set() {
        return domain.codes(span).map(|code| (code, code)).collect();
    }
    let (lo, hi) = (span.lo(), span.hi());
    if let Some(tree) = domain.hierarchy() {
        return match tree.children(lo, hi).as_slice() {
            [_, second] => vec![(lo, second - 1), (*second, hi)],
            _ => Vec::new(),
        };
    }
    match (domain.is_suppress(), domain.has_missing() && lo == 0) {
        (true, _) if domain.len() > 2 => Vec::new(),
        (true, _) | (false, false) => vec![(lo, lo), (hi, hi)],
        // A missing value, and others that no range goes with.
        (false, true) => vec![(0, 0), (1, hi)],
    }
}
