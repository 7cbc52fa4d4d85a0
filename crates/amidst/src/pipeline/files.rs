//! The files that a release is made of: what may be written where, and what lies beside it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::{Job, PlanOrigin};
use crate::error::{Error, Result};
use crate::notation::{SENSITIVE, SLICES};
use crate::plan::{self, Column, InlineTree, Plan, Tree};
use crate::progress::Progress;
use crate::publish::{self, Part, Publisher};
use crate::read::{self, Frame, Source, Table};
use crate::report::{Dictionary, Outcome, PublicReport};
use crate::verify::{self, Failure, Files, Published};
use crate::write::{
    Digest, Entry, Format, Input, Manifest, Output, Places, Sink, Staging, is_stream, same_file, shaped,
};

/// What messages and the dictionary call a release that is in no file.
const RELEASE: &str = "release";

/// Where the files of a release go, and what it is made from. Refuses to write over what is neither.
pub(super) fn places(job: &Job, publisher: &dyn Publisher) -> Result<Places> {
    let Job { input, output, plan, origin, reports, public_reports, .. } = job;
    let mut places = Places::new();
    made_from(&mut places, input, plan, origin);
    if let Some(output) = output.path() {
        places.writes(Output::Release, output);
        if !is_stream(output) {
            publisher.parts().iter().for_each(|part| places.writes(Output::Part, &publish::path(output, part)));
            if !is_own_plan(output, origin) {
                places.writes(Output::Plan, &plan_path(output));
            }
            places.writes(Output::Dictionary, &dictionary_path(output));
            places.writes(Output::Manifest, &manifest_path(output));
        }
    }
    let internal = reports.iter().map(|report| (Output::Report, report));
    for (output, report) in internal.chain(public_reports.iter().map(|report| (Output::PublicReport, report))) {
        report_form(report)?;
        places.writes(output, report);
    }
    places.check()?;
    if let Some(output) = output.path().filter(|output| !is_stream(output)) {
        check_strangers(output)?;
    }
    Ok(places)
}

/// The files that a command reads which makes something of a table.
pub(super) fn made_from(places: &mut Places, input: &Source, plan: &Plan, origin: &PlanOrigin) {
    if let Some(input) = input.path() {
        places.reads(Input::Table, input);
    }
    if let PlanOrigin::File(file) = origin {
        places.reads(Input::Plan, file);
    }
    for tree in plan.columns.values().flat_map(Column::trees) {
        if let Tree::File(file) = tree {
            places.reads(Input::Hierarchy, file);
        }
    }
}

/// Refuses to overwrite files that lie where those of a release go and are not of an older release.
fn check_strangers(output: &Path) -> Result<()> {
    let beside = plan_path(output);
    if beside.is_file() && !Plan::load(&beside).is_ok_and(|plan| plan.amidst.is_some()) {
        return Err(Error::PlanOverwritten { path: beside.display().to_string() });
    }
    for (what, beside) in [("data dictionary", dictionary_path(output)), ("manifest", manifest_path(output))] {
        if beside.is_file() && !is_ours(&beside) {
            return Err(Error::StrangerOverwritten { what, path: beside.display().to_string() });
        }
    }
    Ok(())
}

/// True where the plan that would be stored is the one that was given.
fn is_own_plan(output: &Path, origin: &PlanOrigin) -> bool {
    matches!(origin, PlanOrigin::File(given) if same_file(given, &plan_path(output)))
}

/// Refuses to write the parts of a release to a stream, and nested cells to a text.
pub(super) fn check_form(job: &Job, publisher: &dyn Publisher) -> Result<()> {
    let Job { output, plan, .. } = job;
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
    Ok(())
}

/// What to say about parts of an older release of the same name in another form, which nobody should take for parts of this one.
pub(super) fn left_behind(output: Option<&Path>, publisher: &dyn Publisher) -> impl Iterator<Item = String> {
    let others = [SENSITIVE, SLICES].into_iter().filter(|part| !publisher.parts().contains(part));
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
        staging.bytes(file, report(outcome, file)?)?;
    }
    for file in &job.public_reports {
        staging.bytes(file, public_report(outcome, file)?)?;
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

/// The tables of a release, where they wait to be published.
pub(super) struct Staged {
    places: Vec<(Option<&'static str>, Source)>,
    input: plan::Input,
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
                Frame::new(name.unwrap_or(RELEASE), table.schema(), [Ok(table)], progress)?.into()
            }
        };
        places.push((name, place));
    }
    Ok(Staged { places, input: plan::Input { delimiter, ..plan::Input::default() }, handed })
}

impl Staged {
    /// The tables as the verification reads them back.
    pub(super) fn read(&self, progress: Progress) -> Result<Files> {
        let spare = self.handed.iter().try_for_each(|part| verify::spare_values(&part.table));
        spare.map_err(|Failure(failure)| Error::Unverified(failure))?;
        files(&self.places, &self.input, progress)
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
    input: &plan::Input,
    progress: Progress,
) -> Result<Result<Published, Failure>> {
    verify::published(&release_files(source, plan, input, progress)?, plan)
}

/// The tables of a release and its parts.
pub(super) fn release_files(source: &Source, plan: &Plan, input: &plan::Input, progress: Progress) -> Result<Files> {
    let publisher = publish::build(&plan.method.publish)?;
    let mut places = vec![(None, source.clone())];
    for part in publisher.parts() {
        places.push((Some(*part), part_of(source, part)?));
    }
    files(&places, input, progress)
}

/// Another table of the same release, which lies beside it.
pub(super) fn part_of(source: &Source, part: &str) -> Result<Source> {
    source.path().map_or_else(|| source.beside(part), |path| Ok(publish::path(path, part).into()))
}

/// Reads the tables of a release.
fn files(places: &[(Option<&str>, Source)], input: &plan::Input, progress: Progress) -> Result<Files> {
    let (mut main, mut beside) = (None, FxHashMap::default());
    for (part, source) in places {
        let table = verify::release(&source.held(progress)?, input, progress)?;
        match part {
            Some(part) => drop(beside.insert((*part).to_owned(), table)),
            None => main = Some(table),
        }
    }
    let main = main.ok_or_else(|| Error::Unverified("there is nothing to verify".to_owned()))?;
    Ok(Files { main, beside })
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

/// Stages the plan as `<name>.plan.toml` beside the release, where that is a file. Gives where it will be, and the plan as it is read back.
pub(super) fn store_plan(
    plan: &Plan,
    output: Option<&Path>,
    origin: &PlanOrigin,
    staging: &mut Staging,
) -> Result<(Option<PathBuf>, Plan)> {
    let read_back = |text: &str| text.parse::<Plan>().map_err(|e| Error::Unverified(format!("the plan: {e}")));
    let Some(output) = output.filter(|output| !is_stream(output)) else {
        return Ok((None, read_back(&plan.to_toml(|_| None))?));
    };
    let path = plan_path(output);
    if is_own_plan(output, origin) {
        // Made again from its own plan: that stays as it is. A plan that was changed on the way is kept, too.
        return if Plan::load(&path)? == *plan {
            Ok((Some(path), plan.clone()))
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
    let staged = staging.bytes(&path, &text)?;
    let written = fs::read_to_string(staged).map_err(|e| Error::read(&path.display(), e))?;
    Ok((Some(path), read_back(&written)?))
}

/// `release.csv.gz` has its plan in `release.plan.toml`.
pub(super) fn plan_path(output: &Path) -> PathBuf {
    publish::beside(output, "plan.toml")
}

/// `release.csv.gz` has its manifest in `release.manifest.json`.
fn manifest_path(output: &Path) -> PathBuf {
    publish::beside(output, "manifest.json")
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
    staging.bytes(&path, text + "\n")?;
    Ok(Some(path))
}

/// Stages the manifest as `<name>.manifest.json` beside the release. Reports are not in it: their digests would confirm a guess of the
/// original, and they name the files that they are about themselves.
pub(super) fn store_manifest(output: &Path, plan: Option<&Path>, staging: &mut Staging) -> Result<Option<PathBuf>> {
    if is_stream(output) {
        return Ok(None);
    }
    let path = manifest_path(output);
    let mut files: Vec<Entry> = staging.files().iter().map(Entry::from).collect();
    if let Some(kept) = plan.filter(|plan| staging.files().iter().all(|staged| staged.asked != *plan)) {
        files.push(Entry::new(kept, Digest::of(kept).map_err(|e| Error::read(&kept.display(), e))?));
    }
    let text = serde_json::to_string_pretty(&Manifest::new(files));
    staging.bytes(&path, text.map_err(|e| Error::write(&path.display(), e.into()))? + "\n")?;
    Ok(Some(path))
}

/// What is wrong with the files of a release where they are not those that its manifest names. A release without a manifest is taken as
/// it is.
pub(super) fn mixture(release: &Source, origin: &PlanOrigin) -> Result<Option<Failure>> {
    let Some(release) = release.path().filter(|path| !is_stream(path)) else { return Ok(None) };
    let path = manifest_path(release);
    let Some(manifest) = Manifest::load(&path) else { return Ok(None) };
    let plan = plan_path(release);
    let by = format!("`{}`", path.display());
    if !manifest.names(release) {
        // Another release of that name, which this one has nothing to do with unless it is read by the plan of that.
        let foreign = is_own_plan(release, origin) && manifest.names(&plan);
        return Ok(foreign.then(|| {
            let (release, plan) = (release.display(), plan.display());
            Failure(format!(
                "{by} says that `{plan}` belongs to another release than `{release}`; give the plan that this one was made by, or make it again"
            ))
        }));
    }
    let parts = [SENSITIVE, SLICES].map(|part| publish::path(release, part));
    let mut strange = Vec::new();
    for file in [release.to_owned()].into_iter().chain(parts).chain([plan, dictionary_path(release)]) {
        if manifest.contradicts(&file).map_err(|e| Error::read(&file.display(), e))? {
            strange.push(format!("`{}`", file.display()));
        }
    }
    let (them, are) = if strange.len() == 1 { ("it", "is not the file") } else { ("them", "are not the files") };
    Ok((!strange.is_empty()).then(|| {
        Failure(format!(
            "{} {are} that {by} names: a run was cut short, or somebody changed {them}; make the release again, or remove {by} if the change is meant",
            strange.join(", ")
        ))
    }))
}

/// Refuses a release whose files do not belong together.
pub(super) fn check_unmixed(release: &Source, origin: &PlanOrigin) -> Result<()> {
    match mixture(release, origin)? {
        Some(Failure(message)) => Err(Error::Mixed(message)),
        None => Ok(()),
    }
}

/// `release.csv.gz` has its dictionary in `release.dictionary.json`.
fn dictionary_path(output: &Path) -> PathBuf {
    publish::beside(output, "dictionary.json")
}

/// True when a file is a dictionary or a manifest of ours.
fn is_ours(path: &Path) -> bool {
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
