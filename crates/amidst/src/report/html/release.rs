//! The page about a release, for those who answer for it.
//!
//! A lawyer finds what was required and whether it is met. A statistician finds what the release loses.

use std::path::Path;

use maud::{Markup, html};

use super::super::chart::{self, Frame};
use super::super::text::{duration, level};
use super::super::{Crowd, Details, Fingerprint, Hiding, Outcome};
use super::{WIDTH, columns, count, fact, figure, key, loss, page, percent, relations, section, share};
use crate::notation::grouped;
use crate::plan::Role;
use crate::risk::Exposure;
use crate::verify::{Audit, Promise};

/// The most values that the page names as hit by suppression.
const MAX_HITS_SHOWN: usize = 5;
/// The most sensitive columns that get a tile of their own.
const MAX_SENSITIVE_TILES: usize = 2;

impl Outcome {
    /// The page about this release; `None` if no [details](Outcome::details) were computed.
    pub fn page(&self) -> Option<String> {
        let details = self.details.as_ref()?;
        let file = self.output.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let name = file.unwrap_or_else(|| "a release in memory".to_owned());
        let title = format!("Release report: {name}");
        let body = html! {
            (head(details, &name))
            (verdict(self, details))
            (section("asked", "What was required, and what is reached", &asked(self, details)))
            (section("risk", "Risk of re-identification", &risk(details)))
            (section("loss", "Information loss", &loss::all(self, details)))
            (section("columns", "Each column, before and after", &columns::all(self, details)))
            (section("relations", "Associations between columns", &relations::all(details)))
            (section("again", "Method, and how to make the same release again", &again(self, details)))
            (section("words", "Terms in this report", &words(self, details.hiding)))
            div class="sign" { div { "Released by" } div { "Date" } div { "Signature" } }
        };
        Some(page(&title, &body))
    }
}

fn head(details: &Details, name: &str) -> Markup {
    html! {
        header {
            h1 { "Release report" }
            p class="quiet" { (name) ", made on " (details.made) " by amidst " (env!("CARGO_PKG_VERSION")) }
            p {
                strong { "Internal: not for recipients." }
                " This report contains the seed and figures of the original table. They would help somebody to re-identify people in the release."
            }
            nav {
                a href="#asked" { "Required and reached" }
                a href="#risk" { "Risk" }
                a href="#loss" { "Loss" }
                a href="#columns" { "Columns" }
                a href="#relations" { "Associations" }
                a href="#again" { "Method and fingerprints" }
                a href="#words" { "Terms" }
            }
        }
    }
}

/// The summary at the top of the page.
fn verdict(outcome: &Outcome, details: &Details) -> Markup {
    let k = outcome.audit.achieved.k;
    let quasi: Vec<&str> = outcome.asked.columns_with(Role::Quasi).collect();
    let kept = details.promises.iter().all(|promise| promise.kept);
    html! {
        section class=(if kept { "verdict" } else { "verdict fails" }) {
            (heading(kept))
            p { (protection(details.hiding, k, &quasi)) " A separate verifier read the written files back and checked this." }
            (limits(outcome))
            @for (column, _) in outcome.audit.achieved.sensitive.iter().filter(|(_, levels)| levels.distinct_l == 1) {
                p {
                    strong { "Note on " (column) ": " }
                    "in some classes all records have the same value. Whoever knows that a person is in such a class knows the person's value. "
                    "Require l = 2 or more to prevent that."
                }
            }
            (tiles(outcome, details, k))
        }
    }
}

/// The heading of the summary.
pub(super) fn heading(kept: bool) -> Markup {
    html! { h2 { (if kept { "Verified: all requirements are met" } else { "A requirement is not met" }) } }
}

/// How the form of the release protects records, in the named quasi-identifiers and no others.
pub(super) fn protection(hiding: Hiding, k: usize, quasi: &[&str]) -> Markup {
    let named = match quasi {
        [one] => format!("the column named as quasi-identifier ({one})"),
        many => format!("the columns named as quasi-identifiers ({})", many.join(", ")),
    };
    html! {
        @match hiding {
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

/// What the check does not cover.
fn limits(outcome: &Outcome) -> Markup {
    let others: Vec<&str> = outcome.asked.columns_with(Role::Other).collect();
    let left_out = outcome.dropped_rows + outcome.suppressed.as_ref().map_or(0, |suppressed| suppressed.rows);
    html! {
        p class="quiet" {
            "The check counts rows. If a person has several rows, fewer different people share the same values. "
            @if !others.is_empty() {
                "The columns published unchanged (" (others.join(", ")) ") are not part of the check: whoever knows their values may find a person by them. "
            }
            @if left_out > 0 {
                (grouped(left_out)) @if left_out == 1 { " record" } @else { " records" } " of the original table were left out of the release."
            }
        }
    }
}

fn tiles(outcome: &Outcome, details: &Details, k: usize) -> Markup {
    let risk = &details.risk;
    html! {
        div class="tiles" {
            div class="tile" { b { (count("/rows", outcome.audit.rows)) } span { "records published" } }
            div class="tile" { b { (count("/achieved/k", k)) } span { (smallest(details.hiding)) } }
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
                    @else { "highest re-identification risk of a record" }
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
pub(super) fn smallest(hiding: Hiding) -> &'static str {
    match hiding {
        Hiding::Classes => "records in the smallest class (k)",
        Hiding::Windows => "rows that fit each record, at least (k)",
        Hiding::Groups => "records in the smallest group (k)",
    }
}

fn asked(outcome: &Outcome, details: &Details) -> Markup {
    html! {
        (promises(&details.promises))
        @if !outcome.audit.achieved.sensitive.is_empty() {
            h3 { "All levels of the sensitive columns, in the worst class" }
            (levels(&outcome.audit))
        }
        h3 { "Roles of the columns" }
        dl { (roles(outcome, details.hiding)) (left_out(outcome)) }
    }
}

fn roles(outcome: &Outcome, hiding: Hiding) -> Markup {
    let plan = &outcome.asked;
    let names = |role: Role| plan.columns_with(role).map(str::to_owned).collect::<Vec<_>>().join(", ");
    let removed = [Role::Identifier, Role::Person, Role::Household, Role::PersonalK, Role::PersonalL].map(names);
    let removed: Vec<String> = removed.into_iter().filter(|names| !names.is_empty()).collect();
    html! {
        dt { @if hiding == Hiding::Groups { "Quasi-identifiers" } @else { "Generalized" } }
        dd { (names(Role::Quasi)) span class="quiet" { " – quasi-identifiers: others may know these of a person" } }
        @if plan.columns_with(Role::Sensitive).next().is_some() {
            dt { "Sensitive" }
            dd { (names(Role::Sensitive)) span class="quiet" { " – others should not learn these of a person" } }
        }
        @if plan.columns_with(Role::Other).next().is_some() {
            dt { "Published unchanged" }
            dd { (names(Role::Other)) span class="quiet" { " – not protected: whoever knows these of a person can search for them" } }
        }
        @if !removed.is_empty() { dt { "Not published" } dd { (removed.join(", ")) } }
    }
}

/// The records that are not in the release.
fn left_out(outcome: &Outcome) -> Markup {
    html! {
        @if outcome.dropped_rows > 0 {
            dt { "Missing values" } dd { (count("/dropped_rows", outcome.dropped_rows)) " records left out because a value is missing" }
        }
        @if let Some(suppressed) = &outcome.suppressed {
            dt { "Suppressed" }
            dd {
                (count("/suppressed/rows", suppressed.rows)) " records, " (share("/suppressed/share", suppressed.share))
                " of the table, left out as the plan allows"
                @for (place, hit) in suppressed.hit.iter().take(MAX_HITS_SHOWN).enumerate() {
                    @if place == 0 { "; most affected: " } @else { ", " }
                    (hit.column) " " (hit.value) " (" (grouped(hit.suppressed)) " of " (grouped(hit.rows)) ")"
                }
            }
        }
    }
}

/// A table of the requirements, each with what is reached.
pub(super) fn promises(promises: &[Promise]) -> Markup {
    html! {
        div class="scroll" { table {
            thead { tr { th { "Applies to" } th { "Required" } th { "Reached" } th { "Met" } } }
            tbody {
                @for promise in promises {
                    tr {
                        td { (promise.column.as_deref().unwrap_or("every record")) }
                        td { code { (promise.asked) } }
                        td { (promise.reached) }
                        td class=(if promise.kept { "yes" } else { "no" }) { (if promise.kept { "yes" } else { "no" }) }
                    }
                }
            }
        } }
    }
}

/// A table of the levels of the sensitive columns.
pub(super) fn levels(audit: &Audit) -> Markup {
    html! {
        div class="scroll" { table {
            thead { tr {
                th { "Column" } th class="n" { "different values" } th class="n" { "largest share" } th class="n" { "l by frequency" }
                th class="n" { "l by entropy" } th class="n" { "t" } th class="n" { "β" } th class="n" { "δ" }
            } }
            tbody {
                @for (column, levels) in &audit.achieved.sensitive {
                    @let at = |field: &str| format!("/achieved/sensitive/{}/{field}", key(column));
                    tr {
                        td { (column) }
                        td class="n" { (count(&at("distinct_l"), levels.distinct_l)) }
                        td class="n" { (share(&at("alpha"), levels.alpha)) }
                        td class="n" { (fact(&at("l"), levels.l, &level(levels.l))) }
                        td class="n" { (fact(&at("entropy_l"), levels.entropy_l, &level(levels.entropy_l))) }
                        td class="n" { (fact(&at("t"), levels.t, &level(levels.t))) }
                        td class="n" { (fact(&at("beta"), levels.beta, &level(levels.beta))) }
                        td class="n" { (fact(&at("delta"), levels.delta, &level(levels.delta))) }
                    }
                }
            }
        } }
    }
}

fn risk(details: &Details) -> Markup {
    type Get = fn(&Exposure) -> f64;
    let risk = &details.risk;
    let rows: [(&str, &str, Get); 4] = [
        ("highest", "Highest risk of a record", |e| e.highest),
        (
            "average",
            "Average risk: the share of the records that an adversary re-identifies who looks for everybody (marketer)",
            |e| e.average,
        ),
        ("at_risk", "Records with a risk above the threshold", |e| e.at_risk),
        ("uniques", "Records that are unique", |e| e.uniques),
    ];
    html! {
        p {
            @if details.hiding == Hiding::Groups {
                "The quasi-identifiers are published unchanged, so somebody who knows them of a person finds the person's row. Which sensitive "
                "value of the group belongs to the person stays hidden. The table shows the chance of guessing the right row of the group. "
            } @else {
                "The adversary here knows that a person is in the table, and knows the person's value in each quasi-identifier (the prosecutor). "
                "In a class of ten records, this adversary picks the right one with a probability of one in ten. "
            }
            "The threshold is " (share("/details/risk/after/threshold", risk.after.threshold)) "."
        }
        div class="sides" { div class="scroll" { table {
            thead { tr { th { "Risk of re-identification" } th class="n" { "before" } th class="n" { "after" } } }
            tbody {
                @for (name, label, get) in rows {
                    tr {
                        td { (label) }
                        td class="n" { (share(&format!("/details/risk/before/prosecutor/{name}"), get(&risk.before.prosecutor))) }
                        td class="n" { (share(&format!("/details/risk/after/prosecutor/{name}"), get(&risk.after.prosecutor))) }
                    }
                }
            }
        } }
        div { (columns::legend()) (crowds(&details.crowds)) } }
    }
}

/// A chart of how many other records each record hides among.
fn crowds(crowds: &[Crowd]) -> Markup {
    let label = |crowd: &Crowd| match crowd.to {
        Some(1) => "unique".to_owned(),
        Some(to) if to == crowd.from => format!("{} other", to - 1),
        Some(to) => format!("{} to {} others", crowd.from - 1, to - 1),
        None => format!("{} or more", grouped(crowd.from - 1)),
    };
    let sum = |of: fn(&Crowd) -> usize| crowds.iter().map(of).sum::<usize>().max(1) as f64;
    let (before, after) = (sum(|crowd| crowd.before), sum(|crowd| crowd.after));
    let values: Vec<(Option<f64>, f64)> = crowds
        .iter()
        .map(|crowd| (Some(crowd.before as f64 / before * 100.0), crowd.after as f64 / after * 100.0))
        .collect();
    let labels: Vec<String> = crowds.iter().map(label).collect();
    let svg = chart::bars(Frame { width: WIDTH, height: 270, x: "% of the records", y: "" }, &labels, &values);
    let table = html! { table {
        thead { tr { th { "Hides among" } th class="n" { "records before" } th class="n" { "after" } } }
        tbody { @for (place, (crowd, label)) in crowds.iter().zip(&labels).enumerate() { tr {
            td { (label) }
            td class="n" { (count(&format!("/details/crowds/{place}/before"), crowd.before)) }
            td class="n" { (count(&format!("/details/crowds/{place}/after"), crowd.after)) }
        } } }
    } };
    let words = "Bars: the share of the records that hide among so many others, before and after.";
    figure(&html! { "Records by the number of others they hide among" }, words, &svg, &table)
}

fn again(outcome: &Outcome, details: &Details) -> Markup {
    html! {
        (method(outcome))
        h3 { "Fingerprints" }
        p {
            "A file belongs to this report exactly if " code { "sha256sum" } " prints the same digits. Recipients do not get the files with an entry under "
            "HMAC-SHA-256. The public report has only that entry for them; it is made with the secret fingerprint key."
        }
        (fingerprints(&details.files))
        h3 { "The same release again" }
        @if let Some(again) = &details.again {
            p { "Run this command with the plan stored beside the release:" }
            pre { code { (again) } }
        } @else {
            p { "The same plan, the same version and the same table give the same release." }
        }
        details { summary { "The plan" } pre { code { (outcome.asked.to_toml(|_| None)) } } }
    }
}

fn method(outcome: &Outcome) -> Markup {
    let refined: String = outcome.refine.iter().map(|refiner| format!(", refined by {refiner}")).collect();
    let seconds = &outcome.seconds;
    html! {
        dl {
            dt { "Algorithm" } dd { (outcome.partitioner) (refined) }
            dt { "Objective" } dd { (outcome.measure) span class="quiet" { " – the loss that the algorithm minimizes" } }
            dt { "Form" } dd { (outcome.publish) }
            dt { "Seed" } dd { (outcome.seed) span class="quiet" { " – secret" } }
            @if let Some(key) = outcome.fingerprint_key { dt { "Fingerprint key" } dd { (key) span class="quiet" { " – secret" } } }
            @for remark in &outcome.remarks { dt { "Remark" } dd { (remark) } }
            dt { "Time" }
            dd {
                (duration(seconds.read + seconds.partition + seconds.publish + seconds.verify))
                @if let Some(bytes) = outcome.peak_memory_bytes { ", at most " (grouped((bytes >> 20) as usize)) " MiB of memory" }
            }
        }
    }
}

fn fingerprints(files: &[Fingerprint]) -> Markup {
    html! {
        div class="scroll" { table {
            thead { tr { th { "File" } th { "Name" } th class="n" { "bytes" } th { "SHA-256" } th { "HMAC-SHA-256" } } }
            tbody { @for (place, Fingerprint { what, name, bytes, sha256, hmac_sha256 }) in files.iter().enumerate() { tr {
                td { (what) } td { (name) }
                td class="n" { (count(&format!("/details/files/{place}/bytes"), *bytes as usize)) }
                td class="hash" { (sha256) }
                td class="hash" { (hmac_sha256.as_deref().unwrap_or_default()) }
            } } }
        } }
    }
}

fn words(outcome: &Outcome, hiding: Hiding) -> Markup {
    let has_sensitive = !outcome.audit.achieved.sensitive.is_empty();
    html! {
        dl {
            dt { "Record" } dd { "One row of the table. If a person has several rows, each of them counts as a record." }
            (words_of_form(hiding))
            @if hiding != Hiding::Groups {
                dt { "Generalized" } dd { "Published with less detail: an age as a range, a profession as its group, several values as a set, or " code { "*" } " for any value." }
            }
            @if has_sensitive {
                dt { "l" } dd { "By frequency: no value of a sensitive column has more than 1/l of a class. By entropy: the values of a class are as diverse as l equally frequent values." }
                dt { "t" } dd { "The distance between the values of a class and those of the whole table, from 0 (the same) to 1." }
                dt { "β" } dd { "No value is more frequent in a class than in the table by more than the factor 1 + β." }
                dt { "δ" } dd { "The frequency of a value in a class, divided by its frequency in the table, lies between e to the −δ and e to the δ." }
            }
            dt { "LM" } dd { "Loss metric: the share of a column's range or values that a published cell covers, on average. 0 is the original, 1 means that nothing is left." }
            dt { "φ²" } dd { "Mean-square contingency of two columns: Pearson's χ², divided by the number of records and by one less than the number of values of the column with fewer." }
            dt { "Before" } dd { "The original as if it were published without the columns that are not published. Values and ranges with fewer than k records are not shown individually." }
        }
    }
}

/// The terms that depend on how the form of the release protects records.
fn words_of_form(hiding: Hiding) -> Markup {
    html! {
        @match hiding {
            Hiding::Classes => {
                dt { "Class" } dd { "The records with the same published values in all quasi-identifiers." }
                dt { "k" } dd { "The size of the smallest class. By the quasi-identifiers alone, a record cannot be told apart from at least k − 1 others." }
            }
            Hiding::Windows => {
                dt { "Class" } dd { "Here a ring of rows. Each record fits some neighbouring rows of its ring: its window." }
                dt { "k" } dd { "The size of the smallest window: each record fits at least k rows. No two rows need to look the same." }
            }
            Hiding::Groups => {
                dt { "Class" } dd { "Here a group of records. The release shows which sensitive values the group has, but not for certain which record has which." }
                dt { "k" } dd { "The size of the smallest group." }
            }
        }
    }
}
