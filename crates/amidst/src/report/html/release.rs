//! The page about a release, for those who answer for it.
//!
//! A lawyer finds what was required and whether it is met. A statistician finds what the release loses.

use std::path::Path;

use maud::{Markup, html};

use super::super::chart::{self, Frame};
use super::super::text::duration;
use super::super::{Crowd, Details, Fingerprint, Hiding, Outcome, Promise, Seconds};
use super::{
    WIDTH, card, coded, columns, count, counted, fact, figure, key, loss, page, profiles, relations, section, share,
    verdict,
};
use crate::notation::{decimals, grouped};
use crate::plan::{Report, Role};
use crate::risk::Exposure;
use crate::verify::Audit;

/// The most values that the page names as hit by suppression.
const MAX_HITS_SHOWN: usize = 5;

impl Outcome {
    /// The page about this release; `None` if no [details](crate::pipeline::Job::details) were requested.
    pub fn page(&self) -> Option<String> {
        let details = self.details.as_ref()?;
        let file = self.output.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let name = file.unwrap_or_else(|| "a release in memory".to_owned());
        let title = format!("Release report: {name}");
        let body = html! {
            (head(details, &name))
            (verdict::all(self, details))
            (section("who", "Who answers for the release", &card::fields(self.about.fields())))
            (section("rows", "Some rows of the release", &card::sample(&details.sample)))
            (section("asked", "What was required, and what is reached", &asked(self, details)))
            (section("risk", "Risk of re-identification", &risk(details)))
            @if !details.checklists.is_empty() { (section("checklists", "Checklists", &profiles::all(&details.checklists))) }
            (section("loss", "Information loss", &loss::all(self, details)))
            (section("columns", "Each column, before and after", &columns::all(self, details)))
            (section("relations", "Associations between columns", &relations::all(details)))
            (section("again", "Method, and how to make the same release again", &again(self, details)))
            (section("words", "Terms in this report", &words(self, details.hiding)))
            (signature(self))
        };
        Some(page(&title, &body))
    }
}

/// Lines to sign on. What the plan gives stands above them.
fn signature(outcome: &Outcome) -> Markup {
    let Report { signed_by, date, .. } = &outcome.about;
    html! {
        div class="sign" {
            div { span { (signed_by.as_deref().unwrap_or_default()) } "Signed by" }
            div { span { (date.as_deref().unwrap_or_default()) } "Date" }
            div { span { } "Signature" }
        }
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
                a href="#who" { "Who" }
                a href="#rows" { "Rows" }
                a href="#asked" { "Required and reached" }
                a href="#risk" { "Risk" }
                @if !details.checklists.is_empty() { a href="#checklists" { "Checklists" } }
                a href="#loss" { "Loss" }
                a href="#columns" { "Columns" }
                a href="#relations" { "Associations" }
                a href="#again" { "Method and fingerprints" }
                a href="#words" { "Terms" }
            }
        }
    }
}

fn asked(outcome: &Outcome, details: &Details) -> Markup {
    html! {
        (promises(&details.promises, counted(&outcome.audit).0))
        @if !outcome.audit.achieved.sensitive.is_empty() {
            details {
                summary { "All levels of the sensitive columns, for statisticians: in the worst class" @if outcome.audit.people.is_some() { ", by persons" } }
                (levels(&outcome.audit))
            }
        }
        h3 { "Roles of the columns" }
        dl { (roles(outcome, details.hiding)) (others(outcome)) (left_out(outcome)) }
    }
}

fn roles(outcome: &Outcome, hiding: Hiding) -> Markup {
    let plan = &outcome.asked;
    let coded = |name: &str| plan.columns[name].role != Role::Quasi && plan.columns[name].is_coded();
    let told = |name: &str| format!("{name}{}", if coded(name) { " (numbers coded)" } else { "" });
    let names = |role: Role| plan.columns_with(role).map(told).collect::<Vec<_>>().join(", ");
    let removed = plan.columns.iter().filter(|(_, column)| !column.is_published()).map(|(name, _)| name.as_str());
    let removed: Vec<&str> = removed.collect();
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
        @if plan.columns_with(Role::Person).next().is_some() {
            dt { "Persons" }
            dd { (names(Role::Person)) span class="quiet" { " – say whose a row is; all requirements count persons" } }
        }
        @if !removed.is_empty() { dt { "Not published" } dd { (removed.join(", ")) } }
    }
}

/// The other tables of the same persons.
fn others(outcome: &Outcome) -> Markup {
    html! {
        @for (place, other) in outcome.others.iter().enumerate() {
            dt { "Table " (other.name) }
            dd {
                (count(&format!("/others/{place}/audit/rows"), other.audit.rows)) " rows, published beside this table. At least "
                (count(&format!("/others/{place}/audit/achieved/k"), other.audit.achieved.k))
                " persons with rows there share both the cells here and those there."
            }
        }
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

/// A table of the requirements, each with what is reached. Words come first, the names of the models in small print.
pub(super) fn promises(promises: &[Promise], one: &str) -> Markup {
    html! {
        div class="scroll" { table {
            thead { tr { th { "Applies to" } th { "Required" } th { "Reached" } th { "Met" } } }
            tbody {
                @for promise in promises {
                    tr {
                        td { @if let Some(column) = &promise.column { (column) } @else { "every " (one) } }
                        td { (coded(&promise.words)) code class="jargon" { (promise.asked) } }
                        td { (promise.reached_in_words) code class="jargon" { (promise.reached) } }
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
                        td class="n" { (fact(&at("l"), levels.l, &decimals(levels.l))) }
                        td class="n" { (fact(&at("entropy_l"), levels.entropy_l, &decimals(levels.entropy_l))) }
                        td class="n" { (fact(&at("t"), levels.t, &decimals(levels.t))) }
                        td class="n" { (fact(&at("beta"), levels.beta, &decimals(levels.beta))) }
                        td class="n" { (fact(&at("delta"), levels.delta, &decimals(levels.delta))) }
                    }
                }
            }
        } }
    }
}

fn risk(details: &Details) -> Markup {
    type Get = fn(&Exposure) -> f64;
    let risk = &details.risk;
    let (one, many) = if risk.after.persons.is_some() { ("person", "persons") } else { ("record", "records") };
    let rows: [(&str, String, Get); 4] = [
        ("highest", format!("Highest risk of a {one}"), |e| e.highest),
        (
            "average",
            format!(
                "Average risk: the share of the {many} that an adversary re-identifies who looks for all of them (marketer)"
            ),
            |e| e.average,
        ),
        ("at_risk", format!("{} with a risk above the threshold", title(many)), |e| e.at_risk),
        ("uniques", format!("{} that are unique", title(many)), |e| e.uniques),
    ];
    html! {
        p {
            @if details.hiding == Hiding::Groups {
                "The quasi-identifiers are published unchanged, so somebody who knows them of a person finds the person's row. Which sensitive "
                "value of the group belongs to the person stays hidden. The table shows the chance of guessing the right row of the group. "
            } @else {
                "The adversary here knows that a person is in the table, and knows the person's value in each quasi-identifier (the prosecutor). "
                "In a class of ten " (many) ", this adversary picks the right one with a probability of one in ten. "
                @if risk.after.persons.is_some() {
                    "Sizes of classes are numbers of persons. A person with rows in several classes is as exposed as in the smallest of them. "
                }
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
        div { (columns::legend()) (crowds(&details.crowds, one)) } }
    }
}

/// The word at the beginning of a line.
fn title(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A chart of how many others each record or person hides among.
fn crowds(crowds: &[Crowd], one: &str) -> Markup {
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
    let svg = chart::bars(Frame { width: WIDTH, height: 270, x: &format!("% of the {one}s"), y: "" }, &labels, &values);
    let table = html! { table {
        thead { tr { th { "Hides among" } th class="n" { (one) "s before" } th class="n" { "after" } } }
        tbody { @for (place, (crowd, label)) in crowds.iter().zip(&labels).enumerate() { tr {
            td { (label) }
            td class="n" { (count(&format!("/details/crowds/{place}/before"), crowd.before)) }
            td class="n" { (count(&format!("/details/crowds/{place}/after"), crowd.after)) }
        } } }
    } };
    let words = format!("Bars: the share of the {one}s that hide among so many others, before and after.");
    figure(&html! { (title(one)) "s by the number of others they hide among" }, &words, &svg, &table)
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
                (fact("/seconds/total", seconds.total, &duration(seconds.total))) " for the whole run: " (parts_of(seconds))
                @if let Some(bytes) = outcome.peak_memory_bytes { ", at most " (grouped((bytes >> 20) as usize)) " MiB of memory" }
            }
        }
    }
}

/// The time of the parts of a run.
fn parts_of(seconds: &Seconds) -> Markup {
    let Seconds { read, partition, certify, publish, verify, report, total: _ } = *seconds;
    let parts = [
        ("reading", "read", Some(read)),
        ("forming the classes", "partition", Some(partition)),
        ("proving how good they are", "certify", certify),
        ("publishing", "publish", Some(publish)),
        ("verifying", "verify", Some(verify)),
        ("measuring", "report", Some(report)),
    ];
    let parts: Vec<_> = parts.into_iter().filter_map(|(name, field, seconds)| Some((name, field, seconds?))).collect();
    html! {
        @for (place, (name, field, seconds)) in parts.iter().enumerate() {
            @if place > 0 { ", " }
            (name) " " (fact(&format!("/seconds/{field}"), *seconds, &duration(*seconds)))
        }
    }
}

fn fingerprints(files: &[Fingerprint]) -> Markup {
    html! {
        div class="scroll" { table class="stack" {
            thead { tr { th { "File" } th { "Name" } th class="n" { "bytes" } th { "SHA-256" } th { "HMAC-SHA-256" } } }
            tbody { @for (place, Fingerprint { what, name, bytes, sha256, hmac_sha256 }) in files.iter().enumerate() { tr {
                td { (what) } td { (name) }
                td class="n" title="bytes" { (count(&format!("/details/files/{place}/bytes"), *bytes as usize)) }
                td class="hash" title="SHA-256" { (sha256) }
                td class="hash" title="HMAC-SHA-256" { (hmac_sha256.as_deref().unwrap_or_default()) }
            } } }
        } }
    }
}

fn words(outcome: &Outcome, hiding: Hiding) -> Markup {
    let has_sensitive = !outcome.audit.achieved.sensitive.is_empty();
    html! {
        dl {
            dt { "Record" } dd { "One row of the table. If a person has several rows, each of them is a record." }
            @if outcome.audit.people.is_some() {
                dt { "Person" } dd { "All records with the same values in the columns that say whose a row is. Requirements and risks count persons; losses, distributions and associations count records." }
            }
            (words_of_form(hiding, outcome.audit.people.is_some()))
            @if hiding != Hiding::Groups {
                dt { "Generalized" } dd { "Published with less detail: an age as a range, a profession as its group, several values as a set, or " code { "*" } " for any value." }
            }
            @if has_sensitive {
                dt { "l" } dd {
                    "By frequency: no value of a sensitive column has more than 1/l of a class. By entropy: the values of a class are as diverse as l equally frequent values."
                    @if outcome.audit.people.is_some() {
                        " Of a class of persons, a value has the share of the persons with a record that has it. By entropy, t, β and δ, each person counts as one, split evenly over the person's records in the class."
                    }
                }
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
fn words_of_form(hiding: Hiding, persons: bool) -> Markup {
    html! {
        @match hiding {
            Hiding::Classes if persons => {
                dt { "Class" } dd { "The records with the same published values in all quasi-identifiers." }
                dt { "k" } dd { "The number of persons with a record in the class with the fewest. By the quasi-identifiers alone, a record of a person cannot be told apart from records of at least k − 1 other persons." }
            }
            Hiding::Groups if persons => {
                dt { "Class" } dd { "Here a group of records. The release shows which sensitive values the group has, but not for certain which record has which." }
                dt { "k" } dd { "The number of persons with a record in the group with the fewest." }
            }
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
