//! Skewness: how much the rows that could be somebody's say about the sensitive value *beyond* what the table says about everybody.
//!
//! Measured as the earth mover's distance of the [belief](super::belief) from the distribution of the table, all values equally far apart, and as the
//! largest relative gain of a single value. t-closeness, β-likeness and δ-disclosure promise a limit.

use super::belief::{Belief, Beliefs};
use super::promise::{moved, promises};
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
        if let Some(why) = scene.unlinkable() {
            return Ok(Finding::not_tried(why));
        }
        let sensitive = scene.encoded().sensitive();
        if sensitive.is_empty() {
            return Ok(Finding::not_tried("no column is sensitive"));
        }
        let cover = Cover::new(scene.encoded(), scene.pieces());
        let (mut promised, mut learned, mut columns) = (Vec::new(), 0, Vec::new());
        for (place, column) in sensitive.iter().enumerate() {
            let mut models = promises(scene.plan, column)?;
            models.retain(|model| model.is_relative());
            promised.extend(models.iter().map(|model| format!("{} of `{}`", model.model, column.name())));
            let beliefs = Beliefs::new(scene, &cover, place);
            let usual = beliefs.usual.as_slice();
            let broken = |belief: &Belief, of_class: bool| models.iter().any(|m| !m.keeps(belief, usual, of_class));
            let gain = |belief: &Belief| {
                belief.iter().map(|(code, share)| share / usual[*code as usize] - 1.0).fold(0.0, f64::max)
            };
            // Records, those that are known better than promised, t, gain.
            let look = |tuple: u32, belief: &Belief| {
                let records = scene.encoded().rows_of(tuple).len();
                (records, if broken(belief, false) { records } else { 0 }, moved(belief, usual), gain(belief))
            };
            let found = beliefs.each("skewness", progress, look)?;
            let told = beliefs.each_class(|size, belief| (size, if broken(belief, true) { size } else { 0 }, 0.0, 0.0));
            let records: usize = found.iter().map(|f| f.0).sum();
            let above: usize = found.iter().map(|f| f.1).sum();
            let in_classes: usize = told.iter().map(|f| f.1).sum();
            let mean = found.iter().map(|f| f.0 as f64 * f.2).sum::<f64>() / records.max(1) as f64;
            let worst = found.iter().map(|f| f.2).fold(0.0, f64::max);
            let gain = found.iter().map(|f| f.3).fold(0.0, f64::max);
            learned = learned.max(above).max(in_classes);
            columns.push((column.name(), [worst, mean, gain, above as f64, in_classes as f64]));
        }
        let mut finding = Finding::judged(promised, learned);
        for (name, figures) in columns {
            let [worst, mean, gain, above, in_classes] = figures;
            let names = ["worst_t", "mean_t", "worst_gain", "above_promise", "in_classes_above_promise"];
            let figures = names.into_iter().zip(figures.map(Figure::One));
            finding.figures.insert(name.to_owned(), Figure::many(figures));
            finding.say(format!(
                "{name}: beliefs move by t = {worst:.3} at most, {mean:.3} on average; a value becomes {:.1} times as likely at most",
                gain + 1.0
            ));
            if above + in_classes > 0.0 {
                finding.say(format!(
                    "{name}: of {} records they move more than promised; told the classes, of {}",
                    grouped(above as usize),
                    grouped(in_classes as usize)
                ));
            }
        }
        Ok(finding)
    }
}
