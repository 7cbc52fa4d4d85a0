//! The files that a release is made of: what may be written where, and what lies beside it.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::{Job, PlanOrigin};
use crate::error::{Error, Result};
use crate::plan::{Column, InlineTree, Plan, Tree};
use crate::progress::Progress;
use crate::publish::{self, Part, Publisher};
use crate::read::{self, Source, Table};
use crate::report::{Dictionary, Outcome, PublicReport};
use crate::verify::{self, Failure, Files, Published};
use crate::write::{Format, Sink, Staging, shaped};

/// What messages and the dictionary call a release that is in no file.
const RELEASE: &str = "release";

/// Refuses to overwrite what the release is made from, and folders that are not there.
pub(super) fn check_paths(job: &Job) -> Result<()> {
    let Job { input, output, plan, origin, .. } = job;
    let Some(output) = output.path() else { return Ok(()) };
    let path = output.display().to_string();
    let is_output = |file: &Path| match (fs::canonicalize(file), fs::canonicalize(output)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    let mut trees = plan.columns.values().flat_map(Column::trees);
    if input.path().is_some_and(is_output) || trees.any(|tree| matches!(tree, Tree::File(file) if is_output(file))) {
        return Err(Error::SameFile { path });
    }
    if matches!(origin, PlanOrigin::File(file) if is_output(file)) {
        return Err(Error::PlanOverwritten { path });
    }
    let beside = plan_path(output);
    if beside.is_file() && !Plan::load(&beside).is_ok_and(|plan| plan.amidst.is_some()) {
        return Err(Error::PlanOverwritten { path: beside.display().to_string() });
    }
    let beside = dictionary_path(output);
    if !is_stream(output) && beside.is_file() && !is_dictionary(&beside) {
        return Err(Error::DictionaryOverwritten { path: beside.display().to_string() });
    }
    match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            let missing = format!("there is no folder `{}`", folder.display());
            Err(Error::write(&path, io::Error::new(io::ErrorKind::NotFound, missing)))
        }
        _ => Ok(()),
    }
}

/// Refuses to write the parts of a release to a stream, or over what it is made from, and nested cells to a text.
pub(super) fn check_form(job: &Job, publisher: &dyn Publisher) -> Result<()> {
    let Job { input, output, plan, .. } = job;
    let (form, parts) = (plan.method.publish.name(), publisher.parts());
    let Some(output) = output.path() else { return Ok(()) };
    if publisher.nested() && Format::of(output) != Format::Parquet {
        let message = "nested cells can only be stored as Parquet; let the output end in .parquet".to_owned();
        return Err(Error::Parameter { owner: form.to_owned(), message });
    }
    if is_stream(output) && !parts.is_empty() {
        let message = format!("a release of {} files cannot go to a stream; give -o a file name", parts.len() + 1);
        return Err(Error::Parameter { owner: form.to_owned(), message });
    }
    for part in parts.iter().map(|part| publish::path(output, part)) {
        let input = input.path().and_then(|input| fs::canonicalize(input).ok());
        if input.is_some() && fs::canonicalize(&part).ok() == input {
            return Err(Error::SameFile { path: part.display().to_string() });
        }
    }
    Ok(())
}

/// What to say about parts of an older release of the same name in another form, which nobody should take for parts of this one.
pub(super) fn left_behind(output: Option<&Path>, publisher: &dyn Publisher) -> impl Iterator<Item = String> {
    let others = [publish::SENSITIVE, publish::SLICES].into_iter().filter(|part| !publisher.parts().contains(part));
    let paths = others.filter_map(move |part| Some(publish::path(output?, part))).filter(|path| path.is_file());
    paths
        .map(|path| format!("`{}` is from an older release and does not belong to this one; remove it", path.display()))
}

/// What a report is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReportForm {
    Page,
    Json,
    Text,
}

/// What the extension of a report asks for.
fn report_form(file: &Path) -> Result<ReportForm> {
    match file.extension().and_then(OsStr::to_str) {
        Some("html" | "htm") => Ok(ReportForm::Page),
        Some("json") => Ok(ReportForm::Json),
        Some("txt") => Ok(ReportForm::Text),
        _ => Err(Error::ReportForm { path: file.display().to_string() }),
    }
}

/// Refuses a file that is not named like a page.
pub(super) fn check_page(file: &Path) -> Result<()> {
    match report_form(file) {
        Ok(ReportForm::Page) => Ok(()),
        _ => Err(Error::NoPage { path: file.display().to_string() }),
    }
}

/// Stages all reports that a job asks for.
pub(super) fn store_reports(job: &Job, outcome: &Outcome, staging: &mut Staging) -> Result<()> {
    for file in &job.reports {
        staging.text(file, &report(outcome, file)?)?;
    }
    for file in &job.public_reports {
        staging.text(file, &public_report(outcome, file)?)?;
    }
    Ok(())
}

/// The report for the publisher that goes into a file.
fn report(outcome: &Outcome, file: &Path) -> Result<String> {
    Ok(match report_form(file)? {
        ReportForm::Page => outcome.page().unwrap_or_default(),
        ReportForm::Json => json(outcome, file)?,
        ReportForm::Text => outcome.whole_text(),
    })
}

/// The report for recipients that goes into a file.
fn public_report(outcome: &Outcome, file: &Path) -> Result<String> {
    let report = PublicReport::new(outcome);
    Ok(match report_form(file)? {
        ReportForm::Page => report.map(|report| report.page()).unwrap_or_default(),
        ReportForm::Json => json(&report, file)?,
        ReportForm::Text => report.map(|report| report.to_string()).unwrap_or_default(),
    })
}

fn json(report: &impl Serialize, file: &Path) -> Result<String> {
    Ok(serde_json::to_string_pretty(report).map_err(|e| Error::write(&file.display(), e.into()))? + "\n")
}

/// Refuses reports of a form that is not known, to where something else goes, or over something that is not a report.
pub(super) fn check_reports(job: &Job) -> Result<()> {
    let all: Vec<&PathBuf> = job.reports.iter().chain(&job.public_reports).collect();
    for (place, file) in all.iter().copied().enumerate() {
        report_form(file)?;
        if all[..place].contains(&file) {
            return Err(Error::ReportTwice { path: file.display().to_string() });
        }
        let same = |other: &Path| {
            file == other || fs::canonicalize(file).is_ok_and(|file| fs::canonicalize(other).is_ok_and(|o| o == file))
        };
        let beside = job.output.path().map(|output| [output.to_owned(), plan_path(output), dictionary_path(output)]);
        if job.input.path().is_some_and(same) || beside.iter().flatten().any(|other| same(other)) {
            return Err(Error::ReportOverwrites { path: file.display().to_string() });
        }
    }
    Ok(())
}

/// The tables of a release, where they wait to be published.
pub(super) struct Staged {
    places: Vec<(Option<&'static str>, Source)>,
    options: read::Options,
    /// The tables themselves, where they are handed out.
    pub handed: Vec<Part>,
}

/// Writes the tables of a release to temporary files, or makes them what will be handed out.
pub(super) fn stage(
    tables: Vec<Part>,
    output: &Sink,
    plan: &Plan,
    staging: &mut Staging,
    progress: Progress,
) -> Result<Staged> {
    let (mut places, mut handed) = (Vec::new(), Vec::new());
    let delimiter = output.path().map_or(',', |output| read::delimiter(output, plan.input.delimiter));
    for Part { name, table } in tables {
        let place = match output {
            Sink::File(output) => {
                let target = name.map_or_else(|| output.clone(), |name| publish::path(output, name));
                staging.table(&target, &table, delimiter, progress)?.into()
            }
            Sink::Memory(like) => {
                let table = shaped(&table, like)?;
                handed.push(Part { name, table: table.clone() });
                Table::from_batches(name.unwrap_or(RELEASE), &table.schema(), [Ok(table)], progress)?.into()
            }
        };
        places.push((name, place));
    }
    Ok(Staged { places, options: read::Options { delimiter, ..read::Options::default() }, handed })
}

impl Staged {
    /// The tables as they are read back.
    pub(super) fn read(&self, progress: Progress) -> Result<Files> {
        files(&self.places, &self.options, progress)
    }

    /// The tables with the names that they will have.
    pub(super) fn named<'a>(
        &self,
        output: Option<&Path>,
        files: &'a Files,
    ) -> impl Iterator<Item = (String, &'a Table)> {
        self.places.iter().map(move |(part, _)| {
            let table = part.map_or(&files.main, |part| &files.beside[part]);
            let Some(output) = output else { return (part.unwrap_or(RELEASE).to_owned(), table) };
            let path = part.map_or_else(|| output.to_owned(), |part| publish::path(output, part));
            (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), table)
        })
    }
}

/// Reads a release with its parts, which lie beside it.
pub(super) fn release(
    source: &Source,
    plan: &Plan,
    options: &read::Options,
    progress: Progress,
) -> Result<Result<Published, Failure>> {
    verify::published(&release_files(source, plan, options, progress)?, plan)
}

/// The tables of a release and its parts.
pub(super) fn release_files(
    source: &Source,
    plan: &Plan,
    options: &read::Options,
    progress: Progress,
) -> Result<Files> {
    let publisher = publish::build(&plan.method.publish)?;
    let mut places = vec![(None, source.clone())];
    for part in publisher.parts() {
        places.push((Some(*part), part_of(source, part)?));
    }
    files(&places, options, progress)
}

/// Another table of the same release, which lies beside it.
pub(super) fn part_of(source: &Source, part: &str) -> Result<Source> {
    source.path().map_or_else(|| source.beside(part), |path| Ok(publish::path(path, part).into()))
}

/// Reads the tables of a release.
fn files(places: &[(Option<&str>, Source)], options: &read::Options, progress: Progress) -> Result<Files> {
    let (mut main, mut beside) = (None, FxHashMap::default());
    for (part, source) in places {
        let table = source.read(options, progress)?;
        match part {
            Some(part) => drop(beside.insert((*part).to_owned(), table)),
            None => main = Some(table),
        }
    }
    let main = main.ok_or_else(|| Error::Unverified("there is nothing to verify".to_owned()))?;
    Ok(Files { main, beside })
}

/// True for standard output, pipes and devices.
fn is_stream(output: &Path) -> bool {
    output.as_os_str() == "-" || fs::metadata(output).is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// The plan with all hierarchy files in it, so that it stands alone.
pub(super) fn standalone(plan: &Plan) -> Result<Plan> {
    let mut plan = plan.clone();
    for tree in plan.columns.values_mut().flat_map(Column::trees_mut) {
        if let Tree::File(file) = tree {
            *tree = Tree::Inline(embedded(file)?);
        }
    }
    Ok(plan)
}

/// Stages the plan as `<name>.plan.toml` beside the release.
pub(super) fn store_plan(
    plan: &Plan,
    output: &Path,
    origin: &PlanOrigin,
    staging: &mut Staging,
) -> Result<Option<PathBuf>> {
    if is_stream(output) {
        return Ok(None);
    }
    let path = plan_path(output);
    if let PlanOrigin::File(given) = origin
        && fs::canonicalize(given).ok().is_some_and(|given| fs::canonicalize(&path).is_ok_and(|p| p == given))
    {
        // Made again from its own plan: that stays as it is. A plan that was changed on the way is kept, too.
        return if Plan::load(given)? == *plan {
            Ok(Some(path))
        } else {
            Err(Error::PlanOverwritten { path: path.display().to_string() })
        };
    }
    let text = format!(
        "# INTERNAL: not for recipients. Keep it with the original: somebody who has the seed and knows nearly all records can find out the rest.\n\
         # What was asked of amidst. The same release comes out of the same input again with\n\
         #   amidst anonymize INPUT -o OUTPUT --plan {}\n\n{}",
        path.file_name().unwrap_or_default().to_string_lossy(),
        plan.to_toml(|_| None)
    );
    staging.text(&path, &text)?;
    Ok(Some(path))
}

/// `release.csv.gz` has its plan in `release.plan.toml`.
pub(super) fn plan_path(output: &Path) -> PathBuf {
    output.with_file_name(format!("{}.plan.toml", publish::stem(output)))
}

/// Stages the dictionary as `<name>.dictionary.json` beside the release.
pub(super) fn store_dictionary(
    dictionary: &Dictionary,
    output: &Path,
    staging: &mut Staging,
) -> Result<Option<PathBuf>> {
    if is_stream(output) {
        return Ok(None);
    }
    let path = dictionary_path(output);
    let text = serde_json::to_string_pretty(dictionary).map_err(|e| Error::write(&path.display(), e.into()))?;
    staging.text(&path, &(text + "\n"))?;
    Ok(Some(path))
}

/// `release.csv.gz` has its dictionary in `release.dictionary.json`.
fn dictionary_path(output: &Path) -> PathBuf {
    output.with_file_name(format!("{}.dictionary.json", publish::stem(output)))
}

/// True when a file is a dictionary of ours.
fn is_dictionary(path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|value| value.get("amidst").is_some())
}

/// A hierarchy file as part of a plan.
fn embedded(file: &Path) -> Result<InlineTree> {
    let text = crate::hierarchy::file_text(file)?;
    if file.extension().is_some_and(|e| e == "toml") {
        let broken = |e: toml::de::Error| Error::Plan { file: file.display().to_string(), message: e.to_string() };
        return toml::from_str(&text).map(InlineTree::Nested).map_err(broken);
    }
    Ok(InlineTree::Lines(text))
}
