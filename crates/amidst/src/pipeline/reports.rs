//! The reports about a release, as files.

use std::ffi::OsStr;
use std::path::Path;

use serde::Serialize;

use super::Job;
use super::draft::Verified;
use crate::error::{Error, Result};
use crate::report::{Outcome, PublicReport};

/// What a report is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportForm {
    #[cfg(feature = "report")]
    Page,
    Json,
    Text,
}

/// What the extension of a report asks for.
pub(super) fn report_form(file: &Path) -> Result<ReportForm> {
    match file.extension().and_then(OsStr::to_str) {
        #[cfg(feature = "report")]
        Some("html" | "htm") => Ok(ReportForm::Page),
        #[cfg(not(feature = "report"))]
        Some("html" | "htm") => Err(Error::Feature { what: "reports as pages".to_owned(), feature: "report" }),
        Some("json") => Ok(ReportForm::Json),
        Some("txt") => Ok(ReportForm::Text),
        _ => Err(Error::ReportForm { path: file.display().to_string() }),
    }
}

/// Refuses a file that is not named like a page.
pub(super) fn check_page(file: &Path) -> Result<()> {
    match report_form(file) {
        #[cfg(feature = "report")]
        Ok(ReportForm::Page) => Ok(()),
        Err(e @ Error::Feature { .. }) => Err(e),
        _ => Err(Error::NoPage { path: file.display().to_string() }),
    }
}

/// Stages all reports that a job asks for.
pub(super) fn store_reports(job: &Job, outcome: &Outcome, verified: &mut Verified) -> Result<()> {
    for file in &job.reports {
        verified.add(file, report(outcome, file)?)?;
    }
    for file in &job.public_reports {
        verified.add(file, public_report(outcome, file)?)?;
    }
    Ok(())
}

/// The report for the publisher that goes into a file.
fn report(outcome: &Outcome, file: &Path) -> Result<String> {
    Ok(match report_form(file)? {
        #[cfg(feature = "report")]
        ReportForm::Page => outcome.page().unwrap_or_default(),
        ReportForm::Json => json(outcome, file)?,
        ReportForm::Text => outcome.whole_text(),
    })
}

/// The report for recipients that goes into a file.
fn public_report(outcome: &Outcome, file: &Path) -> Result<String> {
    let report = PublicReport::new(outcome);
    Ok(match report_form(file)? {
        #[cfg(feature = "report")]
        ReportForm::Page => report.map(|report| report.page()).unwrap_or_default(),
        ReportForm::Json => json(&report, file)?,
        ReportForm::Text => report.map(|report| report.to_string()).unwrap_or_default(),
    })
}

fn json(report: &impl Serialize, file: &Path) -> Result<String> {
    Ok(serde_json::to_string_pretty(report).map_err(|e| Error::write(&file.display(), e.into()))? + "\n")
}
