//! What is asked of a release in memory after it was made: files, and reports.

use std::collections::HashSet;
use std::path::PathBuf;

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::anonymize::{Job, tell};
use super::beside::{dictionary_path, manifest, manifest_path, standalone, store_plan};
use super::dataset::Dataset;
use super::draft::{Draft, file_name};
use super::others::Tables;
use super::places::{check_form, places};
use super::published::files;
use super::reports::store_reports;
use super::unverified;
use crate::error::{Error, Remedy, Result};
use crate::plan::{self, Plan};
use crate::progress::Progress;
use crate::publish;
use crate::read::{self, Source};
use crate::report::Outcome;
use crate::verify::{self, Columns, Files};
use crate::write::{Sink, Staging, is_stream};

/// A release in memory that goes to a file.
#[derive(Debug)]
pub struct SaveJob {
    /// The tables of the release, as they were verified.
    pub release: Source,
    /// The plan that it was made by.
    pub plan: Plan,
    /// Its data dictionary, as JSON.
    pub dictionary: String,
    /// The file.
    pub output: PathBuf,
}

/// Writes a release to a file, with its plan, dictionary and manifest beside it, all files or none. They are read back before they get their
/// names: every table must have the cells that were verified when the release was made.
pub fn save_release(job: &SaveJob, progress: Progress) -> Result<()> {
    let SaveJob { release, plan, dictionary, output } = job;
    let Source::Memory(main, parts) = release else {
        return Err(Error::Internal("only a release in memory can be saved".to_owned()));
    };
    if is_stream(output) {
        let message = "a release in memory goes to files, because a stream has no place for its plan";
        return Err(Error::parameter("output", message));
    }
    let (plan, form) = (standalone(plan)?, plan.method.form()?);
    plan.check_tables()?;
    let asked = Job::new(release.clone(), output.clone(), plan.clone());
    check_form(&asked, form)?;
    let mut staging = Staging::new(&places(&asked, form)?)?;
    let delimiter = read::delimiter(output, plan.input.separator());
    let (mut in_memory, mut written, mut names) = (Vec::new(), Vec::new(), FxHashMap::default());
    for (part, frame) in [(None, main)].into_iter().chain(parts.iter().map(|(part, frame)| (Some(part), frame))) {
        let target = part.map_or_else(|| output.clone(), |part| publish::path(output, part));
        let source = Source::from(frame.clone());
        let table = source.read(&read::Options::default(), progress)?;
        let path = staging.table(&target, table.batch(), delimiter, progress)?.to_owned();
        names.insert(part.map_or("release", String::as_str), file_name(&target));
        in_memory.push((part.cloned(), source));
        written.push((part.cloned(), Source::from(path)));
    }
    progress.begin("verifying", 0)?;
    let own = files(&in_memory, &plan::Input::default(), progress)?;
    let read_back = files(&written, &plan::Input { delimiter: Some(delimiter), ..plan::Input::default() }, progress)?;
    agree(read_back, &own, &plan)?;
    let (plan_file, stored) = store_plan(&plan, Some(output), &plan, &mut staging)?;
    if stored != plan {
        return Err(Error::Unverified("the plan that was stored is not the one that was followed".to_owned()));
    }
    staging.bytes(&dictionary_path(output), named(dictionary, &names)?)?;
    let beside = manifest_path(output);
    let text = manifest(&beside, plan_file.as_deref(), &staging)?;
    staging.bytes(&beside, text)?;
    staging.publish(progress)
}

/// Refuses written tables that are not what was verified in memory.
fn agree(mut written: Files, own: &Files, plan: &Plan) -> Result<()> {
    verify::same(&written.main, &own.main)?.map_err(unverified)?;
    for (part, table) in &own.beside {
        verify::same(&written.beside[part], table)?.map_err(unverified)?;
    }
    written.beside.retain(|part, _| !plan.tables.contains_key(part)); // other tables of the same persons are no parts
    Columns::new(&written, plan)?.failures().into_iter().try_for_each(|failure| Err(unverified(failure)))?;
    verify::published(&written, plan)?.map(drop).map_err(unverified)
}

/// The dictionary with the names of the files, where it has those of the tables in memory.
fn named(dictionary: &str, names: &FxHashMap<&str, String>) -> Result<String> {
    let broken = |e: serde_json::Error| Error::Internal(format!("the dictionary of a release is broken: {e}"));
    let mut dictionary: Value = serde_json::from_str(dictionary).map_err(broken)?;
    for file in dictionary["files"].as_array_mut().into_iter().flatten() {
        let name = file["file"].as_str().and_then(|name| names.get(name)).cloned();
        file["file"] = name.map_or(Value::Null, Value::from);
    }
    Ok(serde_json::to_string_pretty(&dictionary).map_err(broken)? + "\n")
}

/// Writes reports about a release in memory that was `made` before: the original is read and the release is verified again, because what a
/// report counts is not kept. The job has the original and the plan, and the files of the reports.
pub fn report(job: &Job, made: &Outcome, progress: Progress) -> Result<()> {
    let again = || Remedy::just("ask for the reports when the release is made");
    if made.tables.is_empty() || !job.plan.tables.is_empty() {
        let what = if made.tables.is_empty() { "a release in files" } else { "a release of several tables" };
        return Err(Error::parameter("report", format!("{what} is not verified again")).or([again()]));
    }
    let main = made.tables.iter().find(|part| part.name.is_none());
    let like = main.map(|part| part.table.schema()).ok_or_else(|| Error::Internal("no table".to_owned()))?;
    let job = Job { output: Sink::Memory(like), ..job.clone() };
    let form = job.plan.method.form()?;
    check_form(&job, form)?;
    let staging = Staging::new(&places(&job, form)?)?;
    let data = Dataset::load_beside(&job.input, &job.tables, job.plan.clone(), progress)?;
    let published: HashSet<u32> = made.rows.iter().copied().collect();
    let left_out = |row: &u32| !published.contains(&(data.table.number(*row as usize) as u32 - 1));
    let left_out: Vec<u32> = (0..data.table.rows() as u32).filter(left_out).collect();
    let tables = Tables { main: made.tables.clone(), others: Vec::new() };
    let draft = Draft::new(&job, &data.plan, tables, staging, progress)?;
    let mut verified = draft.verify(&data.source, &data.others, &left_out, progress)?;
    let told = tell(&job, &data, &mut verified, job.input.path(), progress)?;
    let reports = (job.reports.clone(), job.public_reports.clone());
    let outcome = Outcome { details: told.details, reports: reports.0, public_reports: reports.1, ..made.clone() };
    store_reports(&job, &outcome, &mut verified)?;
    verified.publish(progress).map(drop)
}
