//! Homogeneity: inferring a sensitive value from the rows that could be a person's.
//!
//! The probability of a value is its share among those rows. The forms of ℓ-diversity limit it. Without such a
//! requirement, the attack only reports figures. An adversary who also knows a person's class can learn more. So records in classes that break
//! a requirement count as learned, too.
//!
//! If the plan says whose the rows are, persons are counted. The probability of a value is then that somebody has it at all, among the persons
//! with rows that could be the person's. A person counts as learned if one of the person's records does.
//!
//! Complexity: O(t p) for t distinct records and p pieces in the worst case; an index of the pieces excludes most of them.
//!
//! Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam, "ℓ-diversity: privacy beyond k-anonymity", TKDD 2007. Xiao and Tao, "Anatomy: simple
//! and effective privacy preservation", VLDB 2006.
//!
//! # Example
//!
//! ```text
//! amidst attack adult.csv.gz release.csv --plan release.plan.toml --attacks homogeneity
//! ```

use super::belief::{Belief, Beliefs, certainty, of};
use super::people::Counted;
use super::promise::{Promise, ROUNDING, promises};
use super::{Attack, Build, Finding, Scene, Unit};
use crate::error::Result;
use crate::measure::{Cover, Figure};
use crate::notation::{grouped, percent};
use crate::progress::Progress;
use crate::registry::Entry;
use crate::schema::Level;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "homogeneity",
    about: "infers a sensitive value from all rows that could be somebody's; joins the tables of an anatomy for that",
    paper: "Machanavajjhala et al., TKDD 2007; Xiao and Tao, VLDB 2006",
    params: &[],
    build: |_| Box::new(Homogeneity),
};

struct Homogeneity;

/// What was learned about a column, of records or of persons.
#[derive(Default, Clone, Copy)]
struct Tally {
    records: usize,
    /// Records for which some value is more probable than allowed.
    above: usize,
    /// Records whose value is certain.
    certain: usize,
    /// Records whose own value is more probable than allowed.
    own_above: usize,
    /// The expected number of records for which the most likely value is right.
    right: f64,
    /// The highest probability of a value.
    worst: f64,
}

/// What was learned about records with the same quasi-identifiers.
struct Looked {
    tuple: u32,
    /// The highest probability of a value.
    most: f64,
    /// The records for which some value is more probable than allowed.
    above: Vec<u32>,
    /// The records whose own value is more probable than allowed.
    own_above: Vec<u32>,
    /// The weight of the records for which the most likely value is right.
    right: f64,
}

impl Attack for Homogeneity {
    fn knows(&self) -> &'static str {
        "everybody's quasi-identifiers"
    }

    fn attack(&self, scene: &Scene, progress: Progress) -> Result<Finding> {
        if let Some(why) = scene.unguessable() {
            return Ok(Finding::not_tried(why));
        }
        let (cover, counted) = (Cover::new(scene.encoded(), scene.pieces()), Counted::new(scene));
        let mut promised: Vec<String> = Vec::new();
        let mut learned = 0;
        let mut columns = Vec::new();
        for (place, column) in scene.encoded().sensitive().iter().enumerate() {
            let mut models = promises(scene, column)?;
            models.retain(|model| !model.is_relative() && !counted.rows_only);
            promised.extend(models.iter().map(|model| format!("{} of `{}`", model.model, column.name())));
            let (tally, in_classes, usual) =
                column_tally(scene, &Beliefs::new(scene, &cover, &counted, place), &counted, place, &models, progress)?;
            learned = learned.max(tally.above).max(in_classes);
            columns.push((column.name(), tally, in_classes, usual, models));
        }
        if scene.wishes(Level::L) && !counted.rows_only {
            promised.push("the personal l of each record".to_owned());
        }
        let mut finding = Finding::judged(promised, learned).of(&counted);
        let unit = counted.unit();
        for (name, tally, in_classes, usual, models) in columns {
            finding.figures.insert(name.to_owned(), figures(&tally, in_classes, usual));
            finding.found.extend(sentences(name, &tally, in_classes, usual, &models, unit));
        }
        Ok(finding)
    }
}

/// What is learned about a column, the number of records or persons in classes that break a requirement, and the share of the most frequent
/// value.
fn column_tally(
    scene: &Scene,
    beliefs: &Beliefs,
    counted: &Counted,
    column: usize,
    models: &[Promise],
    progress: Progress,
) -> Result<(Tally, usize, f64)> {
    let broken = |belief: &Belief, of_class: bool| models.iter().any(|m| !m.keeps(belief, &beliefs.usual, of_class));
    // The highest allowed probability of a value; just below 1 without a requirement.
    let limit = models.iter().filter_map(Promise::share).fold(1.0 - 2.0 * ROUNDING, f64::min);
    let sensitive = &scene.encoded().sensitive()[column];
    let wishes = scene.wishes(Level::L) && !counted.rows_only;
    let look = |tuple: u32, belief: &Belief| {
        let (most, broken) = (certainty(belief), broken(belief, false));
        let ties = belief.bearers().iter().filter(|(_, share)| *share >= most - ROUNDING).count();
        let mut looked = Looked { tuple, most, above: Vec::new(), own_above: Vec::new(), right: 0.0 };
        for row in scene.encoded().rows_of(tuple) {
            let own = of(belief, sensitive.row(*row));
            if broken || wishes && most * scene.wish(Level::L, *row) > 1.0 + ROUNDING {
                looked.above.push(*row);
            }
            if own > limit + ROUNDING {
                looked.own_above.push(*row);
            }
            looked.right += if own >= most - ROUNDING { counted.weight(*row) / ties as f64 } else { 0.0 };
        }
        looked
    };
    let looked = beliefs.each("homogeneity", progress, look)?;
    let all = || looked.iter().flat_map(|l| scene.encoded().rows_of(l.tuple).iter().copied());
    let certain = looked.iter().filter(|l| l.most > 1.0 - ROUNDING);
    let tally = Tally {
        records: counted.number(all()),
        above: counted.number(looked.iter().flat_map(|l| l.above.iter().copied())),
        certain: counted.number(certain.flat_map(|l| scene.encoded().rows_of(l.tuple).iter().copied())),
        own_above: counted.number(looked.iter().flat_map(|l| l.own_above.iter().copied())),
        right: looked.iter().map(|l| l.right).sum(),
        worst: looked.iter().map(|l| l.most).fold(0.0, f64::max),
    };
    let in_classes = beliefs.each_class(|size, belief| if broken(belief, true) { size } else { 0 });
    Ok((tally, counted.in_classes(&in_classes), beliefs.usual.iter().copied().fold(0.0, f64::max)))
}

fn figures(tally: &Tally, in_classes: usize, usual: f64) -> Figure {
    Figure::many(
        [
            ("records", tally.records as f64),
            ("worst_certainty", tally.worst),
            ("certain", tally.certain as f64),
            ("above_promise", tally.above as f64),
            ("own_value_above_promise", tally.own_above as f64),
            ("in_classes_above_promise", in_classes as f64),
            ("guessed", tally.right / tally.records.max(1) as f64),
            ("guessed_without_release", usual),
        ]
        .map(|(name, value)| (name, Figure::One(value))),
    )
}

fn sentences(name: &str, tally: &Tally, in_classes: usize, usual: f64, models: &[Promise], unit: Unit) -> Vec<String> {
    let unit = unit.name();
    let share = |count: usize| percent(count as f64 / tally.records.max(1) as f64);
    let mut sentences = vec![
        format!(
            "{name}: the highest probability of a value is {}; a value of {} {unit} ({}) is certain",
            percent(tally.worst),
            grouped(tally.certain),
            share(tally.certain)
        ),
        format!(
            "{name}: the most likely value is right for {} of the {unit}; without the release, the most frequent value is right for {}",
            percent(tally.right / tally.records.max(1) as f64),
            percent(usual)
        ),
    ];
    if tally.above + in_classes > 0 {
        let above = format!("{name}: for {} {unit}, a value is more probable than allowed", grouped(tally.above));
        let told = if models.is_empty() {
            String::new()
        } else {
            format!("; for an adversary who knows the classes, for {}", grouped(in_classes))
        };
        sentences.push(above + &told);
    }
    sentences
}
