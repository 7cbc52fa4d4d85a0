//! Reports as HTML pages. Each is one file. It works without a script and loads nothing from a network.
//!
//! Each number that is also in the JSON form stands in a `data` element, with its exact value and its place in the JSON
//! (`data-fact`, a JSON pointer). So a test or a reader can compare the two.

mod card;
mod columns;
mod comparison;
mod loss;
mod profiles;
mod public;
mod relations;
mod release;
mod verdict;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::chart;
use super::sentence::key;
use super::text::number;
use crate::measure::{Figure, Scores};
use crate::notation::{grouped, percent};
use crate::verify::Audit;

/// What the requirements of a release count, as one and as many.
fn counted(audit: &Audit) -> (&'static str, &'static str) {
    if audit.people.is_some() { ("person", "persons") } else { ("record", "records") }
}

/// The width of a chart in pixels. It fits the screen of a telephone.
const WIDTH: u32 = 340;

/// A page with its style sheet inside.
fn page(title: &str, body: &Markup) -> String {
    let style = format!("{}{}", include_str!("style.css"), chart::style());
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content={ "amidst " (env!("CARGO_PKG_VERSION")) };
                title { (title) }
                style { (PreEscaped(style)) }
            }
            body { main { (body) } }
        }
    };
    page.into_string()
}

/// A section with a heading. The `id` is the target of links.
fn section(id: &str, heading: &str, body: &Markup) -> Markup {
    html! { section id=(id) { h2 { (heading) } (body) } }
}

/// A chart with its title, a description in words for screen readers, and its figures as a table.
fn figure(title: &Markup, words: &str, svg: &str, table: &Markup) -> Markup {
    let svg = svg.replacen("<svg ", "<svg role=\"img\" focusable=\"false\" ", 1);
    let svg = svg.replacen('>', &format!("><title>{}</title>", html! { (words) }.into_string()), 1);
    html! {
        figure {
            figcaption { (title) }
            (PreEscaped(svg))
            details class="data" { summary { "Figures" } div class="scroll" { (table) } }
        }
    }
}

/// A number, as people read it, with its exact value and its place in the JSON form.
fn fact(place: &str, value: f64, shown: &str) -> Markup {
    html! { data value=(value) data-fact=(place) { (shown) } }
}

/// A count with thousands separators.
fn count(place: &str, value: usize) -> Markup {
    fact(place, value as f64, &grouped(value))
}

/// A share as a percentage.
fn share(place: &str, value: f64) -> Markup {
    fact(place, value, &percent(value))
}

/// A figure, rounded by [`number`].
fn value(place: &str, value: f64) -> Markup {
    fact(place, value, &number(value))
}

/// A sentence with names between backticks as code.
fn coded(sentence: &str) -> Markup {
    html! {
        @for (place, part) in sentence.split('`').enumerate() {
            @if place % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// All figures, each as measure, part of the measure, place in the JSON form (after the prefix `above`) and value.
fn places(scores: &Scores, above: &str) -> Vec<(String, String, String, f64)> {
    let losses = scores
        .loss
        .iter()
        .map(|(name, loss)| (name.clone(), String::new(), format!("{above}/loss/{}", key(name)), *loss));
    let parts = scores.utility.iter().flat_map(|(name, figure)| {
        let parts = parts(figure, &format!("{above}/utility/{}", key(name)));
        parts.into_iter().map(move |(part, at, figure)| (name.clone(), part, at, figure))
    });
    losses.chain(parts).collect()
}

/// The numbers of a figure, each with its name and its place in the JSON form.
fn parts(figure: &Figure, place: &str) -> Vec<(String, String, f64)> {
    match figure {
        Figure::One(value) => vec![(String::new(), place.to_owned(), *value)],
        Figure::Many(many) => many
            .iter()
            .flat_map(|(name, figure)| {
                let below = parts(figure, &format!("{place}/{}", key(name)));
                below.into_iter().map(move |(rest, at, value)| (format!("{name} {rest}").trim().to_owned(), at, value))
            })
            .collect(),
    }
}
