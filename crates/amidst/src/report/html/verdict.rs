//! The summary at the top of a page.

use maud::{Markup, html};

use super::super::card::Card;
use super::super::{Banner, Details, Hiding, Outcome, Reason, Warning};
use super::card::card;
use super::{count, counted, fact, key, share};
use crate::notation::{grouped, percent};
use crate::verify::Repeats;

/// The most sensitive columns that get a tile of their own.
const MAX_SENSITIVE_TILES: usize = 2;

/// The summary at the top of the page.
pub(super) fn all(outcome: &Outcome, details: &Details) -> Markup {
    let k = outcome.audit.achieved.k;
    html! {
        section class={ "verdict " (outcome.verdict.colour.name()) } {
            (banner(&outcome.verdict))
            (warned(&outcome.warnings))
            (card(outcome, &Card::new(outcome, details)))
            (tiles(outcome, details, k))
        }
    }
}

/// What to know about a release that counts rows.
fn warned(warnings: &[Warning]) -> Markup {
    html! {
        @for (place, warning) in warnings.iter().enumerate() {
            @let Repeats { columns, values, rows_per_value, k, classes, small_classes, single_classes, .. } = &warning.repeats;
            @let at = |field: &str| format!("/warnings/{place}/{field}");
            p {
                strong { "Warning: " }
                "nobody said whose the rows are, so rows were counted and not persons. The values of " (columns.join(" and ")) ", not published, repeat: "
                (count(&at("values"), *values)) " values have " (fact(&at("rows_per_value"), *rows_per_value, &format!("{rows_per_value:.1}"))) " rows each on average. "
                "If each value is a person, " (count(&at("small_classes"), *small_classes)) " of " (count(&at("classes"), *classes))
                " classes have rows of fewer than " (count(&at("k"), *k)) " persons, and " (count(&at("single_classes"), *single_classes))
                " of a single one. To count persons, give " (columns.join(" and ")) " the role " code { "person" }
                ": " code { r#"role = "person""# } " in the plan, " code { "--person " (columns.join(",")) } " on the command line."
            }
        }
    }
}

/// The verdict with its reasons.
pub(super) fn banner(banner: &Banner) -> Markup {
    html! {
        h2 { (banner.heading()) }
        @if !banner.reasons.is_empty() {
            ul class="reasons" {
                @for (place, Reason { message, share, .. }) in banner.reasons.iter().enumerate() {
                    li {
                        @match share {
                            Some(share) => { data value=(share) data-fact={ "/verdict/reasons/" (place) "/share" } { (message) } }
                            None => (message)
                        }
                    }
                }
            }
        }
    }
}

/// How the form of the release protects records, in the named quasi-identifiers and no others.
pub(super) fn protection(hiding: Hiding, k: usize, quasi: &[&str], persons: bool) -> Markup {
    let named = match quasi {
        [one] => format!("the column named as quasi-identifier ({one})"),
        many => format!("the columns named as quasi-identifiers ({})", many.join(", ")),
    };
    html! {
        @match hiding {
            Hiding::Classes if persons => {
                "Each published record of a person has the same values as published records of at least " (grouped(k.saturating_sub(1)))
                " other persons in " (named) "."
            }
            Hiding::Groups if persons => {
                "The release publishes " (named) " unchanged, so it shows who is in the table. Within a group of records of at least " (grouped(k))
                " persons, it does not show for certain which sensitive value belongs to which record."
            }
            Hiding::Classes => {
                "Each published record has the same values as at least " (grouped(k.saturating_sub(1))) " other published records in " (named) "."
            }
            Hiding::Windows => {
                "Each published record fits at least " (grouped(k)) " rows of the release in " (named)
                ". The files alone do not show which of these rows is its own."
            }
            Hiding::Groups => {
                "The release publishes " (named) " unchanged, so it shows who is in the table. Within a group of at least " (grouped(k))
                " records, it does not show for certain which sensitive value belongs to which record."
            }
        }
    }
}

fn tiles(outcome: &Outcome, details: &Details, k: usize) -> Markup {
    let risk = &details.risk;
    html! {
        div class="tiles" {
            div class="tile" { b { (count("/rows", outcome.audit.rows)) } span { "records published" } }
            div class="tile" { b { (count("/achieved/k", k)) } span { (smallest(details.hiding, outcome.audit.people.is_some())) } }
            @for (column, levels) in outcome.audit.achieved.sensitive.iter().take(MAX_SENSITIVE_TILES) {
                div class="tile" {
                    b { (count(&format!("/achieved/sensitive/{}/distinct_l", key(column)), levels.distinct_l)) }
                    span {
                        @if levels.distinct_l == 1 { "value" } @else { "different values" }
                        " of " (column) " in the class with the fewest"
                    }
                }
            }
            div class="tile" {
                b { (share("/details/risk/after/prosecutor/highest", risk.after.prosecutor.highest)) }
                span {
                    @if details.hiding == Hiding::Groups { "highest chance of guessing a person's row within the group" }
                    @else { "highest re-identification risk of a " (counted(&outcome.audit).0) }
                    "; " (percent(risk.before.prosecutor.highest)) " before"
                }
            }
            @if let Some(lm) = outcome.scores.loss.get("lm") {
                div class="tile" { b { (share("/loss/lm", *lm)) } span { "of the detail lost (LM)" } }
            }
            @if let Some(above) = outcome.certificate.as_ref().and_then(|certificate| certificate.above) {
                div class="tile" {
                    b { (share("/certificate/above", above)) }
                    span { "above the lowest possible loss, at most (proven)" }
                }
            }
        }
    }
}

/// What k counts.
pub(super) fn smallest(hiding: Hiding, persons: bool) -> &'static str {
    match hiding {
        Hiding::Classes if persons => "persons in the smallest class (k)",
        Hiding::Groups if persons => "persons in the smallest group (k)",
        Hiding::Classes => "records in the smallest class (k)",
        Hiding::Windows => "rows that fit each record, at least (k)",
        Hiding::Groups => "records in the smallest group (k)",
    }
}
