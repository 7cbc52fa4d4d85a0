//! The part of a release report about information loss.

use maud::{Markup, html};

use super::super::chart::{self, Frame};
use super::super::text::{class_sizes, duration, number};
use super::super::{Details, Outcome};
use super::{WIDTH, columns, count, counted, fact, figure, places, share, value};
use crate::cost;
use crate::measure;
use crate::notation::{at_most, grouped, percent};
use crate::registry::{self, Spec};
use crate::verify::Audit;

/// A figure with its name, its place in the JSON form, its value and a line about it.
type Explained<'a> = (String, String, f64, &'a str);

pub(super) fn all(outcome: &Outcome, details: &Details) -> Markup {
    let about = |name: &str| {
        let spec = Spec::new(name);
        let objective = registry::entry(cost::ALL, &spec).map(|entry| entry.about);
        objective.or_else(|| Some(registry::entry(measure::ALL, &spec)?.about)).unwrap_or_default()
    };
    let mut all: Vec<Explained> = places(&outcome.scores, "")
        .into_iter()
        .map(|(name, part, at, figure)| (format!("{name} {part}").trim().to_owned(), at, figure, about(&name)))
        .collect();
    // The measures that most people know, and the objective, come first.
    let is_known = |name: &str| ["lm", "ncp", outcome.measure.as_str()].contains(&name);
    all.sort_by_key(|(name, ..)| !is_known(name));
    let known = match all.iter().filter(|(name, ..)| is_known(name)).count() {
        0 => all.len(),
        known => known,
    };
    html! {
        @for advice in &outcome.advice { p { strong { "Advice: " } (advice.message) "." } }
        p { (proven(outcome)) }
        p {
            (count("/classes", outcome.audit.classes)) " classes, of "
            (number(outcome.audit.rows as f64 / outcome.audit.classes.max(1) as f64)) " records on average."
        }
        div class="charts pair" { (columns::losses(details)) (sizes(&outcome.audit)) }
        h3 { "By measure" }
        p class="quiet" { "A loss of 0 is the original, and a lower loss is better. The last column says what each figure is." }
        (measures(&all[..known]))
        @if known < all.len() {
            details { summary { "All measures" } (measures(&all[known..])) }
        }
        @if !outcome.scores.skipped.is_empty() {
            details {
                summary { "Not measured" }
                ul { @for (name, why) in &outcome.scores.skipped { li { (name) ": " (why) } } }
            }
        }
    }
}

fn measures(figures: &[Explained]) -> Markup {
    html! { div class="scroll" { table {
        thead { tr { th { "Measure" } th class="n" { "figure" } th { "meaning" } } }
        tbody { @for (name, at, figure, about) in figures { tr {
            td { (name) } td class="n" { (value(at, *figure)) } td class="wide quiet" { (about) }
        } } }
    } } }
}

/// How far the release is from the best possible one, if that was proven.
fn proven(outcome: &Outcome) -> Markup {
    let measure = &outcome.measure;
    html! {
        @match &outcome.certificate {
            Some(certificate) => @match (&certificate.bound, certificate.above) {
                (Some(bound), Some(above)) => {
                    "The release loses " (value("/certificate/loss", certificate.loss)) " by " (measure)
                    ". It is proven that no partition of this table into classes of at least k " (counted(&outcome.audit).1) " loses less than "
                    (value("/certificate/bound/loss", bound.loss)) ". So this release is "
                    @if at_most(above) != percent(above) { "at most " }
                    (share("/certificate/above", above)) " above the best possible (method: " (bound.method) ")."
                    @if let Some(seconds) = certificate.stopped_after() {
                        " The proof was stopped after " (fact("/certificate/seconds", seconds, &duration(seconds))) ". More time may prove more."
                    }
                }
                _ => { "It could not be proven how far the release is from the best possible: " (certificate.reason.as_deref().unwrap_or("the lower bound is 0")) "." }
            },
            None => { "It was not proven how far the release is from the best possible one. The option " code { "certify" } " proves it." },
        }
    }
}

/// A chart of the class sizes.
pub(super) fn sizes(audit: &Audit) -> Markup {
    let (bins, many) = (class_sizes(audit), counted(audit).1);
    let label = |from: usize, to: usize| if from == to { from.to_string() } else { format!("{from}–{to}") };
    let labels: Vec<String> = bins.iter().map(|(from, to, _)| label(*from, *to)).collect();
    let values: Vec<f64> = bins.iter().map(|(_, _, classes)| *classes as f64).collect();
    let svg = chart::columns(
        Frame { width: WIDTH, height: 220, x: &format!("{many} in the class"), y: "classes" },
        &labels,
        &values,
    );
    let table = html! { table {
        thead { tr { th { (many) " in the class" } th class="n" { "classes" } } }
        tbody { @for (label, (_, _, classes)) in labels.iter().zip(&bins) { tr { td { (label) } td class="n" { (grouped(*classes)) } } } }
    } };
    figure(&html! { "Sizes of the classes" }, "Bars: the number of classes of each size.", &svg, &table)
}
