//! Downcoding: minimal closures say more than their cells.
//!
//! The adversary knows nothing about anybody, except that closures are as small as possible. Then each bound of a range, each member of a set,
//! and both children of a binary node belong to some record of the class. So the adversary can split the class into a finer table that is
//! certainly true, up to exchanging rows of the class. The attack counts the cells that can be refined in this way, one column at a time, and
//! checks the claims against the original. No privacy model of this program covers the attack.
//!
//! Complexity: O(n m) for n records and m columns.
//!
//! Cohen, "Attacks on deidentification's defenses", USENIX Security 2022.
//!
//! # Example
//!
//! ```text
//! amidst attack adult.csv.gz release.csv --plan release.plan.toml --attacks downcoding
//! ```

use rustc_hash::FxHashSet;

use super::{Attack, Build, Finding, Scene, Verdict};
use crate::encode::{Code, Domain, Span};
use crate::error::Result;
use crate::notation::{grouped, percent};
use crate::progress::Progress;
use crate::registry::Entry;
use crate::verify::Shape;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "downcoding",
    about: "knows only that closures are as small as possible, and infers more about quasi-identifiers than is published",
    paper: "Cohen, USENIX Security 2022",
    params: &[],
    build: |_| Box::new(Downcoding),
};

struct Downcoding;

#[derive(Default)]
struct Tally {
    /// Cells that are not a single value.
    generalized: usize,
    /// Cells that can be refined.
    told: usize,
    /// Cells whose exact value can be inferred.
    exactly: usize,
    /// Classes that can be split.
    classes: usize,
    /// The rows of these classes.
    rows: usize,
    /// All claims.
    claims: usize,
    /// Claims that could be checked.
    checked: usize,
    /// Claims that are true.
    sound: usize,
}

impl Attack for Downcoding {
    fn knows(&self) -> &'static str {
        "only that closures are as small as possible, and nothing about anybody"
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
            "{} of {} generalized cells ({}) can be refined, {} of them to the exact value, up to exchanging rows of a class",
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
                "these claims cannot be checked, because it is not known which row comes from which record".to_owned()
            }
            checked => format!("{} of {} such claims are true in the original", grouped(self.sound), grouped(checked)),
        });
        finding
    }
}

/// The records of each piece, if they are known.
fn members(scene: &Scene) -> Option<Vec<Vec<u32>>> {
    let mut members = vec![Vec::new(); scene.view.pieces.len()];
    scene.view.piece_of.as_ref()?.iter().zip(0..).for_each(|(piece, row)| members[*piece as usize].push(row));
    Some(members)
}

/// Disjoint ranges of codes that each contain the value of some record of the class. Empty if the closure says no more than its cell.
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
        // Some record has a missing value, and some record has another one.
        (false, true) => vec![(0, 0), (1, hi)],
    }
}
