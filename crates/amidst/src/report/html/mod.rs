//! Reports as pages: one file each, without a script that must run and without anything from a network.
//!
//! Every number that the JSON form has stands in a `data` element with its exact value and its place in the JSON
//! (`data-fact`, a JSON pointer), so that a test, or a doubtful reader, can compare the two.

mod columns;
mod comparison;
mod public;
mod release;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::chart;
use super::text::number;
use crate::measure::{Figure, Scores};
use crate::notation::grouped;

/// The width of a chart; a telephone has as much.
const WIDTH: u32 = 340;

/// A page with its style in it.
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

/// A section with a heading that can be linked to.
fn section(id: &str, heading: &str, body: &Markup) -> Markup {
    html! { section id=(id) { h2 { (heading) } (body) } }
}

/// A chart with its title, what it shows in words, and its figures as a table.
fn figure(title: &Markup, words: &str, svg: &str, table: &Markup) -> Markup {
    // A screen reader gets the words; what is drawn is nothing without them.
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

/// A number at a place of the JSON form, as people read it.
fn fact(place: &str, value: f64, shown: &str) -> Markup {
    html! { data value=(value) data-fact=(place) { (shown) } }
}

/// How many there are.
fn count(place: &str, value: usize) -> Markup {
    fact(place, value as f64, &grouped(value))
}

/// A share as a percentage.
fn share(place: &str, value: f64) -> Markup {
    fact(place, value, &percent(value))
}

/// A figure with as many digits as say something.
fn value(place: &str, value: f64) -> Markup {
    fact(place, value, &number(value))
}

/// 0.0347 as `3.5 %`.
fn percent(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".to_owned(),
        p if p.abs() < 0.01 => "below 0.01 %".to_owned(),
        p if p.abs() < 1.0 => format!("{p:.2} %"),
        p if p.fract() == 0.0 => format!("{p:.0} %"),
        p => format!("{p:.1} %"),
    }
}

/// A key in a JSON pointer.
fn key(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// All figures: the measure, the part of it, the place in the JSON form below `above`, and the number.
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

/// All numbers of a figure with their names and places.
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
