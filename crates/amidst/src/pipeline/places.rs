//! Where the files of a release go, and what must not be there.

use std::fs;
use std::path::Path;

use super::Job;
use super::beside::{dictionary_path, is_own_plan, manifest_path, plan_path};
use super::others::outputs;
use super::reports::report_form;
use crate::error::{Error, Remedy, Result, Setting};
use crate::plan::{Column, PARTS, Plan, PlanOrigin, ReleaseForm, Tree};
use crate::publish;
use crate::read::Source;
use crate::write::{Format, Input, Output, Places, check_name, is_stream};

/// Where the files of a release go, and what it is made from. Refuses to write over what is neither.
pub(super) fn places(job: &Job, form: ReleaseForm) -> Result<Places> {
    let Job { input, output, plan, reports, public_reports, .. } = job;
    let mut places = Places::new();
    made_from(&mut places, input, plan);
    if let Some(output) = output.path() {
        places.writes(Output::Release, output);
        if !is_stream(output) {
            form.parts().iter().for_each(|part| places.writes(Output::Part, &publish::path(output, part)));
            outputs(job).for_each(|table| places.writes(Output::Part, &table));
            if !is_own_plan(output, plan) {
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
        check_name(output)?;
        check_strangers(output)?;
    }
    Ok(places)
}

/// The files that a command reads which makes something of a table.
pub(super) fn made_from(places: &mut Places, input: &Source, plan: &Plan) {
    if let Some(input) = input.path() {
        places.reads(Input::Table, input);
    }
    if let PlanOrigin::File(file) = &plan.origin {
        places.reads(Input::Plan, file);
    }
    for file in plan.tables.values().filter_map(|table| table.file.as_ref()) {
        places.reads(Input::Table, file);
    }
    let of_tables = plan.tables.values().flat_map(|table| table.columns.values());
    for tree in plan.columns.values().chain(of_tables).flat_map(Column::trees) {
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

/// True when a file is a dictionary or a manifest of ours.
fn is_ours(path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|value| value.get("amidst").is_some())
}

/// Refuses to write the parts of a release to a stream, and nested cells to a text.
pub(super) fn check_form(job: &Job, form: ReleaseForm) -> Result<()> {
    let Job { output, plan, .. } = job;
    let (name, parts) = (plan.method.publish.name(), form.parts());
    let Some(output) = output.path() else { return Ok(()) };
    if form.nested() && Format::of(output) != Format::Parquet {
        return Err(Error::parameter(
            name,
            "nested cells can only be stored as Parquet; let the output end in .parquet",
        ));
    }
    let files = 1 + parts.len() + plan.tables.len();
    if is_stream(output) && files > 1 {
        let message = format!("a release of {files} files cannot go to a stream");
        return Err(Error::parameter(name, message).or([Remedy::by("write it to files", Setting::Output)]));
    }
    Ok(())
}

/// What to say about parts of an older release of the same name in another form, which nobody should take for parts of this one.
pub(super) fn left_behind(output: Option<&Path>, form: ReleaseForm) -> impl Iterator<Item = String> {
    let others = PARTS.into_iter().filter(move |part| !form.parts().contains(part));
    let paths = others.filter_map(move |part| Some(publish::path(output?, part))).filter(|path| path.is_file());
    paths
        .map(|path| format!("`{}` is from an older release and does not belong to this one; remove it", path.display()))
}
