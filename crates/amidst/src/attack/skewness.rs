//! Skewness: how much the rows that could be a person's say about the sensitive value, *beyond* the distribution of the whole table.
//!
//! It has two figures. One is the earth mover's distance of the belief from the distribution of the table, with equal distances
//! between values. The other is the largest relative gain of a single value. t-closeness, β-likeness and δ-disclosure limit them.
//!
//! If the plan says whose the rows are, persons are counted: a person weighs one, split evenly over the person's rows, and counts as learned if
//! one of the person's records does.
//!
//! Complexity: O(t p) for t distinct records and p pieces in the worst case; an index of the pieces excludes most of them.
//!
//! Li, Li and Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and ℓ-diversity", ICDE 2007. Cao and Karras, "Publishing microdata
//! with a robust privacy guarantee", PVLDB 2012.
//!
//! # Example
//!
//! ```text
//! amidst attack adult.csv.gz release.csv --plan release.plan.toml --attacks skewness
//! ```

use super::belief::{Belief, Beliefs};
use super::people::Counted;
use super::promise::{Promise, moved, promises};
use super::{Attack, Build, Finding, Scene};
use crate::error::Result;
use crate::measure::{Cover, Figure};
use crate::notation::grouped;
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "skewness",
    about: "compares the sensitive values of all rows that could be somebody's with those of the table",
    paper: "Li, Li and Venkatasubramanian, ICDE 2007; Cao and Karras, PVLDB 2012",
    params: &[],
    build: |_| Box::new(Skewness),
};

struct Skewness;

impl Attack for Skewness {
    fn knows(&self) -> &'static str {
        "everybody's quasi-identifiers, and how frequent each sensitive value is"
    }

    fn attack(&self, scene: &Scene, progress: Progress) -> Result<Finding> {
        if let Some(why) = scene.unguessable() {
            return Ok(Finding::not_tried(why));
        }
        let (cover, counted) = (Cover::new(scene.encoded(), scene.pieces()), Counted::new(scene));
        let (mut promised, mut columns) = (Vec::new(), Vec::new());
        for (place, column) in scene.encoded().sensitive().iter().enumerate() {
            let mut models = promises(scene, column)?;
            models.retain(|model| model.is_relative() && !counted.rows_only);
            promised.extend(models.iter().map(|model| format!("{} of `{}`", model.model, column.name())));
            let beliefs = Beliefs::new(scene, &cover, &counted, place);
            columns.push((column.name(), Moves::new(scene, &beliefs, &counted, &models, progress)?));
        }
        let learned = columns.iter().map(|(_, moves)| moves.above.max(moves.in_classes)).max().unwrap_or(0);
        let mut finding = Finding::judged(promised, learned).of(&counted);
        let unit = counted.unit().name();
        for (name, moves) in columns {
            finding.figures.insert(name.to_owned(), moves.figure());
            let Moves { worst, mean, gain, above, in_classes } = moves;
            let likely = gain + 1.0;
            finding.say(format!("{name}: beliefs differ from the table by t = {worst:.3} at most, {mean:.3} on average; a value becomes at most {likely:.1} times as likely"));
            if above + in_classes > 0 {
                finding.say(format!(
                    "{name}: for {} {unit} they differ by more than allowed; for an adversary who knows the classes, for {}",
                    grouped(above),
                    grouped(in_classes)
                ));
            }
        }
        Ok(finding)
    }
}

/// How far beliefs about a column differ from the table.
struct Moves {
    /// The largest earth mover's distance.
    worst: f64,
    /// The mean earth mover's distance over the records or persons.
    mean: f64,
    /// The largest relative gain of a value.
    gain: f64,
    /// The records or persons for which beliefs differ by more than allowed.
    above: usize,
    /// The records or persons in classes for which beliefs differ by more than allowed.
    in_classes: usize,
}

impl Moves {
    fn new(
        scene: &Scene,
        beliefs: &Beliefs,
        counted: &Counted,
        models: &[Promise],
        progress: Progress,
    ) -> Result<Self> {
        let usual = beliefs.usual.as_slice();
        let broken = |belief: &Belief, of_class: bool| models.iter().any(|m| !m.keeps(belief, usual, of_class));
        let gain = |belief: &Belief| {
            belief.shares.iter().map(|(code, share)| share / usual[*code as usize] - 1.0).fold(0.0, f64::max)
        };
        // The tuple, whether it breaks a limit, t, and the gain.
        let look =
            |tuple: u32, belief: &Belief| (tuple, broken(belief, false), moved(&belief.shares, usual), gain(belief));
        let found = beliefs.each("skewness", progress, look)?;
        let rows = |tuple: u32| scene.encoded().rows_of(tuple).iter().copied();
        let weight = |tuple: u32| rows(tuple).map(|row| counted.weight(row)).sum::<f64>();
        let weights: f64 = found.iter().map(|f| weight(f.0)).sum();
        let in_classes = beliefs.each_class(|size, belief| if broken(belief, true) { size } else { 0 });
        Ok(Moves {
            worst: found.iter().map(|f| f.2).fold(0.0, f64::max),
            mean: found.iter().map(|f| weight(f.0) * f.2).sum::<f64>() / if weights > 0.0 { weights } else { 1.0 },
            gain: found.iter().map(|f| f.3).fold(0.0, f64::max),
            above: counted.number(found.iter().filter(|f| f.1).flat_map(|f| rows(f.0))),
            in_classes: counted.in_classes(&in_classes),
        })
    }

    fn figure(&self) -> Figure {
        let figures = [
            ("worst_t", self.worst),
            ("mean_t", self.mean),
            ("worst_gain", self.gain),
            ("above_promise", self.above as f64),
            ("in_classes_above_promise", self.in_classes as f64),
        ];
        Figure::many(figures.map(|(name, value)| (name, Figure::One(value))))
    }
}
