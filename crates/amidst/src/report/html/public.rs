//! The page for recipients.

use maud::{Markup, html};

use super::super::{Hiding, PublicFile, PublicReport};
use super::release::{levels, promises, sizes};
use super::{count, fact, page, section, share};
use crate::notation::grouped;
use crate::plan::Role;

impl PublicReport {
    /// It as a page.
    pub fn page(&self) -> String {
        let release = self.files.iter().find(|file| file.what == "release").and_then(|file| file.name.as_deref());
        let name = release.unwrap_or("a release");
        let body = html! {
            header {
                h1 { "About this release" }
                p class="quiet" { (name) ", made on " (self.made) " by amidst " (self.amidst) }
                p { strong { "For recipients." } " It has nothing that the files of the release do not tell, but for what was asked and, rounded, what is lost." }
            }
            (verdict(self))
            (section("asked", "What was asked, and what is reached", &html! {
                (promises(&self.promises))
                @if !self.audit.achieved.sensitive.is_empty() {
                    h3 { "All that is reached for sensitive columns, by the worst class" }
                    (levels(&self.audit))
                }
            }))
            (section("columns", "The columns, and how they are read", &columns(self)))
            (section("sizes", "With how many others records hide", &html! { div class="charts pair" { (sizes(&self.audit)) } }))
            (section("files", "Fingerprints", &files(&self.files)))
        };
        page(&format!("About {name}"), &body)
    }
}

fn verdict(report: &PublicReport) -> Markup {
    let k = report.audit.achieved.k;
    let kept = report.promises.iter().all(|promise| promise.kept);
    html! {
        section class=(if kept { "verdict" } else { "verdict fails" }) {
            h2 { (if kept { "Verified: every promise is kept" } else { "A promise is not kept" }) }
            p {
                @match report.hiding {
                    Hiding::Classes => { "Every record hides among at least " (grouped(k.saturating_sub(1))) " others that look the same in every column that could single a person out." },
                    Hiding::Windows => { "Every person fits at least " (grouped(k)) " rows of the release, each as likely by the files alone." },
                    Hiding::Groups => { "Which of the sensitive values of a group of at least " (grouped(k)) " records is whose is not told; who is in the table is." },
                }
                @if report.suppress > 0.0 { " Up to " (share("/suppress", report.suppress)) " of the records may have been left out." }
                @if report.drop_missing { " Records with missing values were left out." }
            }
            div class="tiles" {
                div class="tile" { b { (count("/rows", report.audit.rows)) } span { "records published" } }
                div class="tile" { b { (count("/achieved/k", k)) } span { "k: so many at least hide together" } }
                div class="tile" { b { (share("/risk/highest", report.risk.highest)) } span { "highest risk of a single record" } }
                div class="tile" { b { (share("/risk/average", report.risk.average)) } span { "average risk" } }
                @if let Some(lm) = report.lm { div class="tile" { b { (share("/lm", lm)) } span { "of the detail lost (LM)" } } }
            }
        }
    }
}

fn columns(report: &PublicReport) -> Markup {
    let role = |role: Option<Role>| match role {
        Some(Role::Quasi) => "quasi-identifier",
        Some(Role::Sensitive) => "sensitive",
        Some(_) => "published as it is",
        None => "of the form",
    };
    html! { div class="scroll" { table {
        thead { tr { th { "Column" } th { "Role" } th { "How its cells are read" } th class="n" { "lost (LM)" } } }
        tbody { @for (place, column) in report.columns.iter().enumerate() { tr {
            td { (column.name) } td { (role(column.role)) } td class="wide quiet" { (column.about) }
            td class="n" { @if let Some(lm) = column.lm { (share(&format!("/columns/{place}/lm"), lm)) } }
        } } }
    } } }
}

fn files(files: &[PublicFile]) -> Markup {
    html! {
        p {
            "A file is the one of this report exactly if " code { "sha256sum" } " gives the same digits. Of files that only the publisher has the fingerprint "
            "is made with a secret key (HMAC-SHA-256), so that the publisher can prove later on which they were, and nobody can try out what was in them."
        }
        div class="scroll" { table {
            thead { tr { th { "File" } th { "Name" } th class="n" { "bytes" } th { "" } th { "Fingerprint" } } }
            tbody { @for (place, file) in files.iter().enumerate() { tr {
                td { (file.what) } td { (file.name.as_deref().unwrap_or_default()) }
                td class="n" { @if let Some(bytes) = file.bytes { (fact(&format!("/files/{place}/bytes"), bytes as f64, &grouped(bytes as usize))) } }
                td { (if file.sha256.is_some() { "SHA-256" } else { "HMAC" }) }
                td class="hash" { (file.sha256.as_deref().or(file.hmac_sha256.as_deref()).unwrap_or_default()) }
            } } }
        } }
    }
}
