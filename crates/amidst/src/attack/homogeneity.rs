//! Homogeneity: who finds the rows that could be somebody's looks what sensitive values they have.
//!
//! The [belief](super::belief) in a value is its share among those rows. ℓ-diversity in its forms promises a limit; without one the figures are there all the
//! same. Worse for the person is an adversary who is told the class; so records of classes that break what was promised count, too.

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
    about: "looks at the sensitive values of all rows that could be somebody's; joins the tables of an anatomy for that",
    paper: "Machanavajjhala et al., TKDD 2007; Xiao and Tao, VLDB 2006",
    params: &[],
    build: |_| Box::new(Homogeneity),
};

struct Homogeneity;

/// What was learned about records with the same quasi-identifiers.
#[derive(Default, Clone, Copy)]
struct Tally {
    records: usize,
    /// Of whom a value is believed more than promised.
    above: usize,
    /// Of whom the value is certain.
    certain: usize,
    /// Whose own value is believed more than promised.
    own_above: usize,
    /// How often the most believed value is right, in expectation where several are.
    right: f64,
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
            promised.push("as much as they want themselves".to_owned());
        }
        let mut finding = Finding::judged(promised, learned);
        for (name, tally, in_classes, usual, models) in columns {
            finding.figures.insert(name.to_owned(), figures(&tally, in_classes, usual));
            finding.found.extend(sentences(name, &tally, in_classes, usual, &models));
        }
        Ok(finding)
    }
}

/// What is learned about a column; how many records are in classes that break a promise; the share of the most frequent value.
fn column_tally(
    scene: &Scene,
    beliefs: &Beliefs,
    column: usize,
    models: &[Promise],
    progress: Progress,
) -> Result<(Tally, usize, f64)> {
    let broken = |belief: &Belief, of_class: bool| models.iter().any(|m| !m.keeps(belief, &beliefs.usual, of_class));
    // What the value of a person must not be believed more than: certainty itself where nothing is promised.
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
            "{name}: the surest belief in a value is {}; the values of {} records ({}) are certain",
            percent(tally.worst),
            grouped(tally.certain),
            share(tally.certain)
        ),
        format!(
            "{name}: the likeliest value is right for {} of the records; the most frequent one of the table for {}",
            percent(tally.right / tally.records.max(1) as f64),
            percent(usual)
        ),
    ];
    if tally.above + in_classes > 0 {
        let above = format!("{name}: of {} records more is believed than promised", grouped(tally.above));
        let told =
            if models.is_empty() { String::new() } else { format!("; told the classes, of {}", grouped(in_classes)) };
        sentences.push(above + &told);
    }
    sentences
}
