//! Homogeneity: inferring a sensitive value from the rows that could be a person's.
//!
//! The probability of a value is its share among those rows. The forms of ℓ-diversity limit it. Without such a
//! requirement, the attack only reports figures. An adversary who also knows a person's class can learn more. So records in classes that break
//! a requirement count as learned, too.
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
use super::promise::{Promise, ROUNDING, promises};
use super::{Attack, Build, Finding, Scene, percent};
use crate::error::Result;
use crate::measure::{Cover, Figure};
use crate::notation::grouped;
use crate::progress::Progress;
use crate::registry::Entry;
use crate::schema::Level;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "homogeneity",
    about: "infers a sensitive value from all rows that could be a person's; joins the tables of an anatomy for that",
    paper: "Machanavajjhala et al., TKDD 2007; Xiao and Tao, VLDB 2006",
    params: &[],
    build: |_| Box::new(Homogeneity),
};

struct Homogeneity;

/// What was learned about records with the same quasi-identifiers.
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

impl Tally {
    fn plus(self, other: Tally) -> Self {
        Tally {
            records: self.records + other.records,
            above: self.above + other.above,
            certain: self.certain + other.certain,
            own_above: self.own_above + other.own_above,
            right: self.right + other.right,
            worst: self.worst.max(other.worst),
        }
    }
}

impl Attack for Homogeneity {
    fn knows(&self) -> &'static str {
        "everybody's quasi-identifiers"
    }

    fn attack(&self, scene: &Scene, progress: Progress) -> Result<Finding> {
        if let Some(why) = scene.unguessable() {
            return Ok(Finding::not_tried(why));
        }
        let cover = Cover::new(scene.encoded(), scene.pieces());
        let mut promised: Vec<String> = Vec::new();
        let mut learned = 0;
        let mut columns = Vec::new();
        for (place, column) in scene.encoded().sensitive().iter().enumerate() {
            let mut models = promises(scene, column)?;
            models.retain(|model| !model.is_relative());
            promised.extend(models.iter().map(|model| format!("{} of `{}`", model.model, column.name())));
            let (tally, in_classes, usual) =
                column_tally(scene, &Beliefs::new(scene, &cover, place), place, &models, progress)?;
            learned = learned.max(tally.above).max(in_classes);
            columns.push((column.name(), tally, in_classes, usual, models));
        }
        if scene.wishes(Level::L) {
            promised.push("the personal l of each record".to_owned());
        }
        let mut finding = Finding::judged(promised, learned);
        for (name, tally, in_classes, usual, models) in columns {
            finding.figures.insert(name.to_owned(), figures(&tally, in_classes, usual));
            finding.found.extend(sentences(name, &tally, in_classes, usual, &models));
        }
        Ok(finding)
    }
}

/// What is learned about a column, the number of records in classes that break a requirement, and the share of the most frequent value.
fn column_tally(
    scene: &Scene,
    beliefs: &Beliefs,
    column: usize,
    models: &[Promise],
    progress: Progress,
) -> Result<(Tally, usize, f64)> {
    let broken = |belief: &Belief, of_class: bool| models.iter().any(|m| !m.keeps(belief, &beliefs.usual, of_class));
    // The highest allowed probability of a value; just below 1 without a requirement.
    let limit = models.iter().filter_map(Promise::share).fold(1.0 - 2.0 * ROUNDING, f64::min);
    let sensitive = &scene.encoded().sensitive()[column];
    let wishes = scene.wishes(Level::L);
    let look = |tuple: u32, belief: &Belief| {
        let (rows, most, broken) = (scene.encoded().rows_of(tuple), certainty(belief), broken(belief, false));
        let ties = belief.iter().filter(|(_, share)| *share >= most - ROUNDING).count();
        let mut tally = Tally { records: rows.len(), worst: most, ..Tally::default() };
        tally.certain = if most > 1.0 - ROUNDING { rows.len() } else { 0 };
        for row in rows {
            let own = of(belief, sensitive.row(*row));
            let refused = wishes && most * scene.wish(Level::L, *row) > 1.0 + ROUNDING;
            tally.above += usize::from(broken || refused);
            tally.own_above += usize::from(own > limit + ROUNDING);
            tally.right += if own >= most - ROUNDING { 1.0 / ties as f64 } else { 0.0 };
        }
        tally
    };
    let tally = beliefs.each("homogeneity", progress, look)?.into_iter().fold(Tally::default(), Tally::plus);
    let in_classes = beliefs.each_class(|size, belief| if broken(belief, true) { size } else { 0 }).iter().sum();
    Ok((tally, in_classes, beliefs.usual.iter().copied().fold(0.0, f64::max)))
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

fn sentences(name: &str, tally: &Tally, in_classes: usize, usual: f64, models: &[Promise]) -> Vec<String> {
    let share = |count: usize| percent(count as f64 / tally.records.max(1) as f64);
    let mut sentences = vec![
        format!(
            "{name}: the highest probability of a value is {}; the values of {} records ({}) are certain",
            percent(tally.worst),
            grouped(tally.certain),
            share(tally.certain)
        ),
        format!(
            "{name}: the most likely value is right for {} of the records; without the release, the most frequent value is right for {}",
            percent(tally.right / tally.records.max(1) as f64),
            percent(usual)
        ),
    ];
    if tally.above + in_classes > 0 {
        let above = format!("{name}: for {} records, a value is more probable than allowed", grouped(tally.above));
        let told = if models.is_empty() {
            String::new()
        } else {
            format!("; for an adversary who knows the classes, for {}", grouped(in_classes))
        };
        sentences.push(above + &told);
    }
    sentences
}
