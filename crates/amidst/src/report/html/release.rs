//! The page about a release: for the lawyer what was promised and kept, for the statistician what is lost.

use std::path::Path;

use maud::{Markup, html};
use rustc_hash::FxHashMap;

use super::super::chart::{self, Frame, LineStyle, Series};
use super::super::text::{class_sizes, duration, level, number};
use super::super::{Crowd, Details, Fingerprint, Hiding, Outcome, QueryError};
use super::{WIDTH, columns, count, fact, figure, key, page, percent, places, section, share, value};
use crate::cost;
use crate::measure::{self, Correlations};
use crate::notation::grouped;
use crate::plan::Role;
use crate::registry::Spec;
use crate::risk::Exposure;
use crate::verify::{Audit, Promise};

impl Outcome {
    /// The page about it, where the [details](Outcome::details) were looked for.
    pub fn page(&self) -> Option<String> {
        let details = self.details.as_ref()?;
        let file = self.output.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let name = file.unwrap_or_else(|| "a release in memory".to_owned());
        let title = format!("Release report: {name}");
        let body = html! {
            (head(details, &name))
            (verdict(self, details))
            (section("asked", "What was asked, and what is reached", &asked(self, details)))
            (section("risk", "How likely somebody is found", &risk(details)))
            (section("loss", "What is lost", &loss(self, details)))
            (section("columns", "Every column, before and after", &columns::all(self, details)))
            (section("relations", "What goes together", &relations(details)))
            (section("again", "How it was made, and how to make it again", &again(self, details)))
            (section("words", "The words of this report", &words(self)))
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
            p { strong { "Internal: not for recipients." } " It has the seed and figures of the original, which help to find people out." }
            nav {
                a href="#asked" { "Asked and reached" }
                a href="#risk" { "Risk" }
                a href="#loss" { "Loss" }
                a href="#columns" { "Columns" }
                a href="#relations" { "Relations" }
                a href="#again" { "Method and fingerprints" }
                a href="#words" { "Words" }
            }
        }
    }
}

/// What everybody should read.
fn verdict(outcome: &Outcome, details: &Details) -> Markup {
    let k = outcome.audit.achieved.k;
    let kept = details.promises.iter().all(|promise| promise.kept);
    html! {
        section class=(if kept { "verdict" } else { "verdict fails" }) {
            @if kept {
                h2 { "Verified: every promise is kept" }
            } @else {
                h2 { "A promise is not kept" }
            }
            p {
                @match details.hiding {
                    Hiding::Classes => { "Every record hides amidst at least " (grouped(k.saturating_sub(1))) " others that look the same in every column that could single a person out." },
                    Hiding::Windows => { "Every person fits at least " (grouped(k)) " rows of the release, each as likely by the files alone." },
                    Hiding::Groups => {
                        "What others may know of people is published as it is, so who is in the table can be seen. Which of the sensitive values of a group of at least "
                        (grouped(k)) " records is whose cannot."
                    },
                }
                " This was checked on the files as they were written, by code that shares nothing with what made them."
            }
            @for (column, _) in outcome.audit.achieved.sensitive.iter().filter(|(_, levels)| levels.distinct_l == 1) {
                p { strong { "Mind " (column) ": " } "in some classes all records have the same value, so it is known of everybody in them. Ask for l = 2 or more to forbid that." }
            }
            div class="tiles" {
                div class="tile" { b { (count("/rows", outcome.audit.rows)) } span { "records published" } }
                div class="tile" { b { (count("/achieved/k", k)) } span {
                    @match details.hiding {
                        Hiding::Classes => "records in the smallest class (k)",
                        Hiding::Windows => "rows that everybody fits at least (k)",
                        Hiding::Groups => "records in the smallest group (k)",
                    }
                } }
                @for (column, levels) in outcome.audit.achieved.sensitive.iter().take(2) {
                    div class="tile" {
                        b { (count(&format!("/achieved/sensitive/{}/distinct_l", key(column)), levels.distinct_l)) }
                        span {
                            @if levels.distinct_l == 1 { "value" } @else { "different values" }
                            " of " (column) " in the class with the fewest"
                        }
                    }
                }
                div class="tile" {
                    b { (share("/details/risk/after/prosecutor/highest", details.risk.after.prosecutor.highest)) }
                    span {
                        @if details.hiding == Hiding::Groups { "highest chance to pick a person's row of the group" } @else { "highest risk of a single record" }
                        "; " (percent(details.risk.before.prosecutor.highest)) " before"
                    }
                }
                @if let Some(lm) = outcome.scores.loss.get("lm") {
                    div class="tile" { b { (share("/loss/lm", *lm)) } span { "of the detail lost (LM)" } }
                }
                @if let Some(above) = outcome.certificate.as_ref().and_then(|certificate| certificate.above) {
                    div class="tile" {
                        b { (share("/certificate/above", above)) }
                        span { "at most above the least possible loss: proven" }
                    }
                }
            }
        }
    }
}

fn asked(outcome: &Outcome, details: &Details) -> Markup {
    let plan = &outcome.asked;
    let names = |role: Role| plan.columns_with(role).map(str::to_owned).collect::<Vec<_>>().join(", ");
    let removed = [Role::Identifier, Role::PersonalK, Role::PersonalL].map(names).join(", ");
    let removed = removed.trim_matches([',', ' ']);
    html! {
        (promises(&details.promises))
        @if !outcome.audit.achieved.sensitive.is_empty() {
            h3 { "All that is reached for sensitive columns, by the worst class" }
            (levels(&outcome.audit))
        }
        h3 { "What the columns are" }
        dl {
            dt { @if details.hiding == Hiding::Groups { "Quasi-identifiers" } @else { "Generalized" } }
            dd { (names(Role::Quasi)) span class="quiet" { " – what somebody may know of a person" } }
            @if plan.columns_with(Role::Sensitive).next().is_some() {
                dt { "Sensitive" } dd { (names(Role::Sensitive)) span class="quiet" { " – what nobody may learn of a person" } }
            }
            @if plan.columns_with(Role::Other).next().is_some() {
                dt { "Published as they are" } dd { (names(Role::Other)) span class="quiet" { " – not protected: who knows these of a person can look for them" } }
            }
            @if !removed.is_empty() { dt { "Not published" } dd { (removed) } }
            @if outcome.dropped_rows > 0 {
                dt { "Left out" } dd { (count("/dropped_rows", outcome.dropped_rows)) " records with missing values" }
            }
            @if let Some(suppressed) = &outcome.suppressed {
                dt { "Suppressed" }
                dd {
                    (count("/suppressed/rows", suppressed.rows)) " records, " (share("/suppressed/share", suppressed.share))
                    " of the table, as the plan allows"
                    @for (place, hit) in suppressed.hit.iter().take(5).enumerate() {
                        @if place == 0 { "; most of all " } @else { ", " }
                        (hit.column) " " (hit.value) " (" (grouped(hit.suppressed)) " of " (grouped(hit.rows)) ")"
                    }
                }
            }
        }
    }
}

/// What was asked, one by one.
pub(super) fn promises(promises: &[Promise]) -> Markup {
    html! {
        div class="scroll" { table {
            thead { tr { th { "About" } th { "Asked" } th { "Reached" } th { "Kept" } } }
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

/// Every level of every sensitive column.
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
        ("average", "Average risk: the share that somebody finds who looks for everybody (marketer)", |e| e.average),
        ("at_risk", "Records above the threshold", |e| e.at_risk),
        ("uniques", "Records that are alone", |e| e.uniques),
    ];
    html! {
        p {
            @if details.hiding == Hiding::Groups {
                "What others may know of people is published as it is: somebody who knows it of a person finds that person's row. What stays hidden is which sensitive "
                "value of the group is theirs; below stands the chance to pick the right one of the group's rows blindly. "
            } @else {
                "Somebody who knows that a person is in the table, and knows all columns that are generalized, finds the right record among those "
                "that look the same: with a class of ten, one time in ten (the prosecutor). "
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

/// Amidst how many records hide.
fn crowds(crowds: &[Crowd]) -> Markup {
    let label = |crowd: &Crowd| match crowd.to {
        Some(to) if to == crowd.from => {
            if to == 1 {
                "alone".to_owned()
            } else {
                format!("with {}", to - 1)
            }
        }
        Some(to) => format!("with {} to {}", crowd.from - 1, to - 1),
        None => format!("with {} or more", grouped(crowd.from - 1)),
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
        thead { tr { th { "Hides" } th class="n" { "records before" } th class="n" { "after" } } }
        tbody { @for (place, (crowd, label)) in crowds.iter().zip(&labels).enumerate() { tr {
            td { (label) }
            td class="n" { (count(&format!("/details/crowds/{place}/before"), crowd.before)) }
            td class="n" { (count(&format!("/details/crowds/{place}/after"), crowd.after)) }
        } } }
    } };
    let words = "Bars: the share of the records that hide with so many others, before and after.";
    figure(&html! { "With how many others records hide" }, words, &svg, &table)
}

/// A figure with its name, its place in the JSON form and what it is.
type Explained<'a> = (String, String, f64, &'a str);

fn loss(outcome: &Outcome, details: &Details) -> Markup {
    let costs = cost::ALL.iter().map(|e| (e.name, e.about));
    let scores = measure::ALL.iter().map(|e| (e.name, e.about));
    let about: FxHashMap<&str, &str> = costs.chain(scores).collect();
    let about = |name: &str| about.get(Spec::new(name).name()).copied().unwrap_or_default();
    let mut all: Vec<Explained> = places(&outcome.scores, "")
        .into_iter()
        .map(|(name, part, at, figure)| (format!("{name} {part}").trim().to_owned(), at, figure, about(&name)))
        .collect();
    // Those that most people know, and the one that was kept low, come first.
    let is_known = |name: &str| ["lm", "ncp", outcome.measure.as_str()].contains(&name);
    all.sort_by_key(|(name, ..)| !is_known(name));
    let known = match all.iter().filter(|(name, ..)| is_known(name)).count() {
        0 => all.len(),
        known => known,
    };
    html! {
        p { (proven(outcome)) }
        p {
            (count("/classes", outcome.audit.classes)) " classes, of "
            (number(outcome.audit.rows as f64 / outcome.audit.classes.max(1) as f64)) " records on average."
        }
        div class="charts pair" { (columns::losses(details)) (sizes(&outcome.audit)) }
        h3 { "By measure" }
        p class="quiet" { "Zero is the original; less is better." }
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
        thead { tr { th { "Measure" } th class="n" { "figure" } th { "what it is" } } }
        tbody { @for (name, at, figure, about) in figures { tr {
            td { (name) } td class="n" { (value(at, *figure)) } td class="wide quiet" { (about) }
        } } }
    } } }
}

/// How far from the best possible.
fn proven(outcome: &Outcome) -> Markup {
    let measure = &outcome.measure;
    html! {
        @match &outcome.certificate {
            Some(certificate) => @match (&certificate.bound, certificate.above) {
                (Some(bound), Some(above)) => {
                    "The release loses " (value("/certificate/loss", certificate.loss)) " by " (measure)
                    ". It is proven that no release of this table with this k loses less than "
                    (value("/certificate/bound/loss", bound.loss)) ": this one is at most "
                    (share("/certificate/above", above)) " above the best possible (" (bound.method) ")."
                }
                _ => { "How far from the best possible this is could not be proven: " (certificate.reason.as_deref().unwrap_or("the lower bound is 0")) "." }
            },
            None => { "Nobody asked how far from the best possible this is. The option " code { "certify" } " proves it." },
        }
    }
}

/// How many classes have which size.
pub(super) fn sizes(audit: &Audit) -> Markup {
    let bins = class_sizes(audit);
    let label = |from: usize, to: usize| if from == to { from.to_string() } else { format!("{from}–{to}") };
    let labels: Vec<String> = bins.iter().map(|(from, to, _)| label(*from, *to)).collect();
    let values: Vec<f64> = bins.iter().map(|(_, _, classes)| *classes as f64).collect();
    let svg =
        chart::columns(Frame { width: WIDTH, height: 220, x: "records in the class", y: "classes" }, &labels, &values);
    let table = html! { table {
        thead { tr { th { "Records in the class" } th class="n" { "classes" } } }
        tbody { @for (label, (_, _, classes)) in labels.iter().zip(&bins) { tr { td { (label) } td class="n" { (grouped(*classes)) } } } }
    } };
    figure(&html! { "Sizes of the classes" }, "Bars: how many classes have which size.", &svg, &table)
}

fn relations(details: &Details) -> Markup {
    html! {
        @if let Some(correlations) = &details.correlations { (matrices(correlations)) }
        @if !details.queries.is_empty() { (queries(&details.queries)) }
    }
}

fn matrices(correlations: &Correlations) -> Markup {
    let Correlations { columns, before, after } = correlations;
    let names: Vec<String> = columns.iter().enumerate().map(|(place, name)| format!("{} {name}", place + 1)).collect();
    let matrix = |title: &str, field: &str, figures: &[Vec<Option<f64>>]| {
        let svg = chart::heat(WIDTH, &names, figures);
        let table = html! { table {
            thead { tr { th { } @for name in columns { th class="n" { (name) } } } }
            tbody { @for (row, (name, figures)) in columns.iter().zip(figures).enumerate() { tr {
                th { (name) }
                @for (column, figure) in figures.iter().enumerate() { td class="n" {
                    @if let Some(figure) = figure { (value(&format!("/details/correlations/{field}/{row}/{column}"), *figure)) }
                } }
            } } }
        } };
        let words = format!("{title}: shades from 0, nothing to do with each other, to 1, one tells the other.");
        figure(&html! { (title) }, &words, &svg, &table)
    };
    html! {
        p {
            "How strongly two columns go together (φ², mean-square contingency): 0 means that one says nothing about the other, 1 that it "
            "tells it. An analysis of the release finds what is left on the right."
        }
        div class="charts pair" { (matrix("Before", "before", before)) (matrix("After", "after", after)) }
    }
}

fn queries(queries: &[QueryError]) -> Markup {
    let series = |name: &str, get: fn(&QueryError) -> f64| Series {
        name: name.to_owned(),
        points: queries.iter().map(|query| (query.predicates as f64, get(query) * 100.0)).collect(),
    };
    let all = [series("median", |q| q.median), series("mean", |q| q.mean), series("19 of 20 are below", |q| q.p95)];
    let frame =
        Frame { width: WIDTH, height: 210, x: "columns that the query asks about", y: "error, % of the true count" };
    let svg = chart::lines(frame, &all, LineStyle::default());
    let table = html! { table {
        thead { tr { th { "Columns asked about" } th class="n" { "median" } th class="n" { "mean" } th class="n" { "19 of 20 below" } } }
        tbody { @for (place, query) in queries.iter().enumerate() {
            @let at = |field: &str| format!("/details/queries/{place}/{field}");
            tr {
                td { (query.predicates) }
                td class="n" { (share(&at("median"), query.median)) }
                td class="n" { (share(&at("mean"), query.mean)) }
                td class="n" { (share(&at("p95"), query.p95)) }
            }
        } }
    } };
    html! {
        h3 { "How far counts are off" }
        p {
            "Random questions of the kind “how many records have these values?”, each selecting about one record in twenty, answered from the "
            "release and from the original."
        }
        div class="charts pair" {
            (figure(&html! { "Error of counts" }, "Lines: the relative error of counts by the number of columns asked about.", &svg, &table))
        }
    }
}

fn again(outcome: &Outcome, details: &Details) -> Markup {
    let refined: String = outcome.refine.iter().map(|refiner| format!(", refined by {refiner}")).collect();
    html! {
        dl {
            dt { "Clusters" } dd { (outcome.partitioner) (refined) "; it kept " (outcome.measure) " low" }
            dt { "Form" } dd { (outcome.publish) }
            dt { "Seed" } dd { (outcome.seed) span class="quiet" { " – secret" } }
            @if let Some(key) = outcome.fingerprint_key { dt { "Fingerprint key" } dd { (key) span class="quiet" { " – secret" } } }
            @for remark in &outcome.remarks { dt { "Remark" } dd { (remark) } }
            dt { "Time" }
            dd {
                (duration(outcome.seconds.read + outcome.seconds.partition + outcome.seconds.publish + outcome.seconds.verify))
                @if let Some(bytes) = outcome.peak_memory_bytes { ", at most " (grouped((bytes >> 20) as usize)) " MiB of memory" }
            }
        }
        h3 { "Fingerprints" }
        p {
            "A file is the one of this report exactly if " code { "sha256sum" } " gives the same digits. Of what recipients do not get, their report has the "
            "fingerprint by the key (HMAC-SHA-256) only."
        }
        div class="scroll" { table {
            thead { tr { th { "File" } th { "Name" } th class="n" { "bytes" } th { "SHA-256" } th { "HMAC-SHA-256" } } }
            tbody { @for (place, Fingerprint { what, name, bytes, sha256, hmac_sha256 }) in details.files.iter().enumerate() { tr {
                td { (what) } td { (name) }
                td class="n" { (count(&format!("/details/files/{place}/bytes"), *bytes as usize)) }
                td class="hash" { (sha256) }
                td class="hash" { (hmac_sha256.as_deref().unwrap_or_default()) }
            } } }
        } }
        h3 { "The same release again" }
        @if let Some(again) = &details.again {
            p { "With the plan stored beside the release:" }
            pre { code { (again) } }
        } @else {
            p { "With this plan, the same version and the same table." }
        }
        details { summary { "The plan" } pre { code { (outcome.asked.to_toml(|_| None)) } } }
    }
}

fn words(outcome: &Outcome) -> Markup {
    let has_sensitive = !outcome.audit.achieved.sensitive.is_empty();
    html! {
        dl {
            dt { "Class" } dd { "Records that look the same in all generalized columns." }
            dt { "k" } dd { "The size of the smallest class. Nobody can be told apart from at least k − 1 others by these columns." }
            dt { "Generalized" } dd { "Published with less detail: an age as a range, a profession as its group, several values as a set, or " code { "*" } " for any." }
            @if has_sensitive {
                dt { "l" } dd { "By frequency: no value of a sensitive column has more than one l-th of a class. By entropy: as diverse as l values that are equally frequent." }
                dt { "t" } dd { "How far the values of a class are from those of the whole table, 0 (the same) to 1." }
                dt { "β, δ" } dd { "How much more frequent a value is in a class than in the table: at most by the factor 1 + β, and between e to the −δ and e to the δ." }
            }
            dt { "LM" } dd { "Loss metric: how much of the range or of the values of a column a cell covers, on average; 0 is the original, 1 means that nothing is left." }
            dt { "φ²" } dd { "Mean-square contingency of two columns: Pearson's χ² over the number of records and the number of values less one." }
            dt { "Before" } dd { "As if the original were published without the columns that are left out. Values and ranges of fewer than k records are not shown by themselves." }
        }
    }
}
