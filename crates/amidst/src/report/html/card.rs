//! The first card of a page, in plain words.

use maud::{Markup, html};

use super::super::Outcome;
use super::super::card::Card;
use super::super::details::Sample;
use super::super::sentence::{Part, Sentence};
use super::{coded, fact};
use crate::notation::grouped;
use crate::plan::Report;

/// What is released, to whom, what was checked, and what remains.
pub(super) fn card(outcome: &Outcome, card: &Card) -> Markup {
    let Report { recipient, purpose, .. } = &outcome.about;
    html! {
        dl class="card" {
            dt { "Released" } dd { (list(&card.released)) }
            dt { "To" } dd { (given(recipient.as_deref())) }
            dt { "For" } dd { (given(purpose.as_deref())) }
            dt { "Checked" } dd { (list(&card.checked)) }
            dt { "Remains" } dd { (list(&card.remains)) }
        }
    }
}

/// The fields of those who answer for a release, with a blank line for each that is not given.
pub(super) fn fields<'a>(fields: impl IntoIterator<Item = (&'static str, Option<&'a str>)>) -> Markup {
    html! { dl class="fields" { @for (title, value) in fields { dt { (title) } dd { (given(value)) } } } }
}

/// What a person said, or a blank line.
pub(super) fn given(value: Option<&str>) -> Markup {
    html! { @match value { Some(value) => (value), None => span class="blank" title="to be filled in" { } } }
}

/// Some rows of the release.
pub(super) fn sample(sample: &Sample) -> Markup {
    html! {
        p class="quiet" {
            (grouped(sample.rows.len())) " rows of the published file, chosen by their content and not by their place. The original is not shown."
        }
        div class="scroll" { table class="cells" {
            @if sample.columns.len() <= MOST_ABREAST {
                thead { tr { @for name in &sample.columns { th { (name) } } } }
                tbody { @for row in &sample.rows { tr { @for cell in row { td { (cell) } } } } }
            } @else {
                // Many columns do not fit a page abreast, but the few rows do.
                tbody { @for (place, name) in sample.columns.iter().enumerate() {
                    tr { th { (name) } @for cell in sample.rows.iter().filter_map(|row| row.get(place)) { td { (cell) } } }
                } }
            }
        } }
    }
}

/// The most columns of a sample that stand beside each other.
const MOST_ABREAST: usize = 9;

fn list(said: &[Sentence]) -> Markup {
    html! { ul { @for sentence in said { li { (self::sentence(sentence)) } } } }
}

/// A sentence, with its numbers as facts.
pub(super) fn sentence(sentence: &Sentence) -> Markup {
    html! {
        @for part in &sentence.0 {
            @match part {
                Part::Words(words) => (coded(words)),
                Part::Number { place, value, shown } => (fact(place, *value, shown)),
            }
        }
    }
}
