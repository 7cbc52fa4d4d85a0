//! The checklists of a report.

use maud::{Markup, html};

use super::super::profiles::{Answer, Checklist, Evidence};
use super::{coded, fact};

/// All checklists, with a note on how to read them.
pub(super) fn all(checklists: &[Checklist]) -> Markup {
    html! {
        p class="quiet" {
            "The questions are in our own words; the rules themselves decide. An answer is as wide as what was measured here, in this table and by the columns "
            "that were named. No list says that the release complies with a law or a standard. A line is left where people must answer."
        }
        @for list in checklists {
            h3 { (list.title) }
            div class="scroll" { table class="stack" {
                thead { tr { th { "Section" } th { "Question" } th { "Found" } th { "Answer" } } }
                tbody { @for question in &list.items { tr {
                    td { (question.section) }
                    td class="wide" { (question.asks) }
                    td class="wide" {
                        @if !question.found.is_empty() { (coded(&question.found)) }
                        @if !question.figures.is_empty() { ul { @for figure in &question.figures { li { (evidence(figure)) } } } }
                    }
                    td class=(class(question.answer)) {
                        (question.answer.words())
                        @if question.answer == Answer::Open { span class="blank" { } }
                    }
                } } }
            } }
        }
    }
}

/// A figure with its place in the JSON form.
fn evidence(figure: &Evidence) -> Markup {
    html! {
        (coded(&figure.what)) ": " (fact(&figure.place, figure.value, &figure.shown())) " " code class="jargon" { (figure.place) }
    }
}

fn class(answer: Answer) -> &'static str {
    match answer {
        Answer::Met => "yes",
        Answer::NotMet => "no",
        Answer::NothingFound => "answer",
        Answer::Open => "answer open",
    }
}
