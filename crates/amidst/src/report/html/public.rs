//! The page for recipients.

use indexmap::IndexSet;
use maud::{Markup, html};

use super::super::PublicReport;
use super::super::public::PublicFile;
use super::card::fields;
use super::loss::sizes;
use super::release::{levels, promises};
use super::verdict::{banner, protection, smallest};
use super::{count, fact, page, section, share};
use crate::notation::{grouped, percent};
use crate::plan::Role;

impl PublicReport {
    /// The page about the release.
    pub fn page(&self) -> String {
        let release = self.files.iter().find(|file| file.what == "release").and_then(|file| file.name.as_deref());
        let name = release.unwrap_or("a release");
        let body = html! {
            header {
                h1 { "About this release" }
                p class="quiet" { (name) ", made on " (self.made) " by amidst " (self.amidst) }
                p { strong { "For recipients." } " This report contains what can be counted in the files of the release, what was required and allowed, and the loss, rounded." }
            }
            (verdict(self))
            @if !self.about.is_empty() { (section("who", "Who answers for the release", &fields(self.about.fields().into_iter().filter(|(_, value)| value.is_some())))) }
            (section("asked", "What was required, and what is reached", &html! {
                (promises(&self.promises, if self.persons { "person" } else { "record" }))
                @if !self.audit.achieved.sensitive.is_empty() {
                    details {
                        summary { "All levels of the sensitive columns, for statisticians: in the worst class" @if self.is_unseen() { ", by rows" } }
                        (levels(&self.audit))
                    }
                }
            }))
            (section("columns", "The columns, and how to read them", &columns(self)))
            (section("sizes", "Class sizes", &html! { div class="charts pair" { (sizes(&self.audit)) } }))
            (section("files", "Fingerprints", &files(&self.files)))
        };
        page(&format!("About {name}"), &body)
    }
}

fn verdict(report: &PublicReport) -> Markup {
    let k = if report.is_unseen() { report.k } else { report.audit.achieved.k };
    let quasi: IndexSet<&str> =
        report.columns.iter().filter(|c| c.role == Some(Role::Quasi)).map(|c| c.name.as_str()).collect();
    let quasi: Vec<&str> = quasi.into_iter().collect();
    let others = report.columns.iter().filter(|c| c.role == Some(Role::Other));
    let others: IndexSet<&str> = others.map(|c| c.name.as_str()).collect();
    let others: Vec<&str> = others.into_iter().collect();
    html! {
        section class={ "verdict " (report.verdict.colour.name()) } {
            (banner(&report.verdict))
            p {
                (protection(report.hiding, k, &quasi, report.persons))
                @if report.is_unseen() { " What was required counts persons, which the files do not show. So the risk of a person is at most " (percent(1.0 / report.k.max(1) as f64)) ". All figures here count rows: a person may have several." }
                @else if report.persons { " The figures count persons: the pseudonyms show whose a row is." }
                @else { " The figures count rows: a person may have several." }
                @if !others.is_empty() { " The columns that are not generalized (" (others.join(", ")) ") are not protected." }
                @if report.suppress > 0.0 { " Up to " (share("/suppress", report.suppress)) " of the records may have been left out." }
                @if report.drop_missing { " Records with missing values were left out." }
            }
            div class="tiles" {
                div class="tile" { b { (count("/rows", report.audit.rows)) } span { "records published" } }
                div class="tile" { b { (count("/achieved/k", report.audit.achieved.k)) } span { (smallest(report.hiding, report.audit.people.is_some())) } }
                div class="tile" { b { (share("/risk/highest", report.risk.highest)) } span { "highest re-identification risk of a " (super::counted(&report.audit).0) } }
                div class="tile" { b { (share("/risk/average", report.risk.average)) } span { "average re-identification risk" } }
                @if let Some(lm) = report.lm { div class="tile" { b { (share("/lm", lm)) } span { "of the detail lost (LM)" } } }
            }
        }
    }
}

fn columns(report: &PublicReport) -> Markup {
    let role = |role: Option<Role>| match role {
        Some(Role::Quasi) => "quasi-identifier",
        Some(Role::Sensitive) => "sensitive",
        Some(_) => "not generalized",
        None => "added by the form of the release",
    };
    html! { div class="scroll" { table {
        thead { tr { th { "Column" } th { "Role" } th { "How to read its cells" } th class="n" { "lost (LM)" } } }
        tbody { @for (place, column) in report.columns.iter().enumerate() { tr {
            td { (column.name) } td { (role(column.role)) } td class="wide quiet" { (column.about) }
            td class="n" { @if let Some(lm) = column.lm { (share(&format!("/columns/{place}/lm"), lm)) } }
        } } }
    } } }
}

fn files(files: &[PublicFile]) -> Markup {
    html! {
        p {
            "A file belongs to this report exactly if " code { "sha256sum" } " prints the same digits. For files that only the publisher has, the fingerprint "
            "is made with a secret key (HMAC-SHA-256). The publisher can prove later which files they were, and nobody else can guess their content."
        }
        div class="scroll" { table class="stack" {
            thead { tr { th { "File" } th { "Name" } th class="n" { "bytes" } th { "" } th { "Fingerprint" } } }
            tbody { @for (place, file) in files.iter().enumerate() { tr {
                td { (file.what) } td { (file.name.as_deref().unwrap_or_default()) }
                td class="n" title="bytes" { @if let Some(bytes) = file.bytes { (fact(&format!("/files/{place}/bytes"), bytes as f64, &grouped(bytes as usize))) } }
                td { (if file.sha256.is_some() { "SHA-256" } else { "HMAC" }) }
                td class="hash" { (file.sha256.as_deref().or(file.hmac_sha256.as_deref()).unwrap_or_default()) }
            } } }
        } }
    }
}
