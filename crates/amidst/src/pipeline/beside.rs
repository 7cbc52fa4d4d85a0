//! The files beside a release: its plan, its dictionary, and the manifest that says which belong together.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::plan::{InlineTree, PARTS, Plan, PlanOrigin, Tree};
use crate::publish;
use crate::read::Source;
use crate::verify::Failure;
use crate::write::{Digest, Entry, Manifest, Staging, is_stream, same_file};

/// True where the plan that would be stored is the one that was given.
pub(super) fn is_own_plan(output: &Path, plan: &Plan) -> bool {
    matches!(&plan.origin, PlanOrigin::File(given) if same_file(given, &plan_path(output)))
}

/// The plan with all hierarchy files in it, so that it stands alone, with the whole paths of other tables, and without its key.
pub(super) fn standalone(plan: &Plan) -> Result<Plan> {
    let mut plan = Plan { origin: PlanOrigin::Complete, key: None, ..plan.clone() };
    for tree in plan.trees_mut() {
        if let Tree::File(file) = tree {
            *tree = Tree::Inline(embedded(file)?);
        }
    }
    for file in plan.tables.values_mut().filter_map(|table| table.file.as_mut()) {
        // The plan may be stored in another folder than the table.
        *file = std::path::absolute(&*file).map_err(|e| Error::read(&file.display(), e))?;
    }
    Ok(plan)
}

/// Stages the plan as `<name>.plan.toml` beside the release, where that is a file. Gives where it will be, and the plan as it is read back.
pub(super) fn store_plan(
    plan: &Plan,
    output: Option<&Path>,
    given: &Plan,
    staging: &mut Staging,
) -> Result<(Option<PathBuf>, Plan)> {
    let read_back = |text: &str| text.parse::<Plan>().map_err(|e| Error::Unverified(format!("the plan: {e}")));
    let Some(output) = output.filter(|output| !is_stream(output)) else {
        return Ok((None, read_back(&plan.to_toml(|_| None))?));
    };
    let path = plan_path(output);
    if is_own_plan(output, given) {
        // Made again from its own plan: that stays as it is. A plan that was changed on the way is kept, too.
        return if (Plan { origin: PlanOrigin::Complete, ..Plan::load(&path)? }) == *plan {
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
pub(super) fn manifest_path(output: &Path) -> PathBuf {
    publish::beside(output, "manifest.json")
}

/// The manifest of all files that are written so far. Reports are not in it: their digests would confirm a guess of the original, and
/// they name the files that they are about themselves.
pub(super) fn manifest(path: &Path, plan: Option<&Path>, staging: &Staging) -> Result<String> {
    let mut files: Vec<Entry> = staging.files().iter().map(Entry::from).collect();
    if let Some(kept) = plan.filter(|plan| staging.files().iter().all(|staged| staged.asked != *plan)) {
        files.push(Entry::new(kept, Digest::of(kept).map_err(|e| Error::read(&kept.display(), e))?));
    }
    let text = serde_json::to_string_pretty(&Manifest::new(files));
    Ok(text.map_err(|e| Error::write(&path.display(), e.into()))? + "\n")
}

/// What is wrong with the files of a release where they are not those that its manifest names. A release without a manifest is taken as
/// it is.
pub(super) fn mixture(release: &Source, plan: &Plan) -> Result<Option<Failure>> {
    let Some(release) = release.path().filter(|path| !is_stream(path)) else { return Ok(None) };
    let path = manifest_path(release);
    let Some(manifest) = Manifest::load(&path) else { return Ok(None) };
    let beside = plan_path(release);
    let by = format!("`{}`", path.display());
    if !manifest.names(release) {
        // Another release of that name, which this one has nothing to do with unless it is read by the plan of that.
        let foreign = is_own_plan(release, plan) && manifest.names(&beside);
        return Ok(foreign.then(|| {
            let (release, plan) = (release.display(), beside.display());
            Failure(format!(
                "{by} says that `{plan}` belongs to another release than `{release}`; give the plan that this one was made by, or make it again"
            ))
        }));
    }
    let parts = PARTS.map(|part| publish::path(release, part));
    let mut strange = Vec::new();
    for file in [release.to_owned()].into_iter().chain(parts).chain([beside, dictionary_path(release)]) {
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
pub(super) fn check_unmixed(release: &Source, plan: &Plan) -> Result<()> {
    match mixture(release, plan)? {
        Some(Failure(message)) => Err(Error::Mixed(message)),
        None => Ok(()),
    }
}

/// `release.csv.gz` has its dictionary in `release.dictionary.json`.
pub(super) fn dictionary_path(output: &Path) -> PathBuf {
    publish::beside(output, "dictionary.json")
}

/// A hierarchy file as part of a plan.
fn embedded(file: &Path) -> Result<InlineTree> {
    let text = crate::hierarchy::file_text(file)?;
    if file.extension().is_some_and(|e| e == "toml") {
        let broken =
            |e: toml::de::Error| Error::Plan { file: Some(file.display().to_string()), message: e.to_string() };
        return toml::from_str(&text).map(InlineTree::Nested).map_err(broken);
    }
    Ok(InlineTree::Lines(text))
}
