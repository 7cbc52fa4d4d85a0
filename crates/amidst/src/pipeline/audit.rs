//! What a published file reaches.

use super::audit_others::others;
use super::banner;
use super::beside::mixture;
use super::published::{Matched, release_files};
use crate::constraint;
use crate::error::{Error, Result};
use crate::measure::{self, Selection};
use crate::plan::{Plan, Role};
use crate::progress::Progress;
use crate::publish;
use crate::read::Source;
use crate::report::{AuditOutcome, Banner, Reason};
use crate::schema::Sensitive;
use crate::verify::{self, Audit, Columns, Failure};

/// A published file to audit and what it is held against.
#[derive(Debug)]
pub struct AuditJob {
    /// The published file, ours or another tool's.
    pub release: Source,
    /// What it was meant to be: the roles of its columns, and how its original is read.
    pub plan: Plan,
    /// Whether the release must reach the plan's level to pass.
    pub demand: bool,
    /// The table it was made from, to check that every cell covers its value and to measure the loss.
    pub original: Option<Source>,
    /// Other tables of the same persons that are in no file, by the names that the plan has for them.
    pub tables: Vec<(String, Source)>,
}

/// Said where persons were to be counted and could not.
const UNCOUNTED: &str = "the plan counts persons, and only the original tells whose a row is; name the original, and the plan that was stored beside the release";

/// Finds out what a published file reaches.
pub fn audit(job: &AuditJob, progress: Progress) -> Result<AuditOutcome> {
    match (mixture(&job.release, &job.plan)?, reached(job, progress)) {
        // Files that do not belong together may not be readable together either.
        (Some(mixed), Err(e)) if !matches!(e, Error::Interrupted) => Ok(AuditOutcome::failed(vec![mixed])),
        (Some(mixed), Ok(mut outcome)) => {
            outcome.failures.insert(0, mixed);
            outcome.verdict = Banner::new(vec![Reason::failures(outcome.failures.len())]);
            Ok(outcome)
        }
        (_, outcome) => outcome,
    }
}

/// What is wrong with the columns of a release, and which of them no flag names. Fails if the release lacks some.
fn named(columns: Columns, plan: &Plan) -> Result<(Vec<Failure>, Vec<String>), Vec<Failure>> {
    if plan.is_partial() {
        // Flags publish what they do not name, so all that can be done is to say so; and what they name and is not there is a mistake of theirs.
        return Ok((columns.forbidden, columns.unnamed.into_iter().map(|(_, name)| name).collect()));
    }
    let incomplete = !columns.missing.is_empty();
    let failures = columns.failures();
    if incomplete { Err(failures) } else { Ok((failures, Vec::new())) }
}

/// Without a stored plan nobody knows in which order the rows were published, so they are compared in the order of the files.
fn in_order(Failure(text): Failure, job: &AuditJob, plan: &Plan) -> Failure {
    if plan.amidst.is_some() {
        return Failure(text);
    }
    let stored = job.release.path().map(|release| publish::beside(release, "plan.toml")).filter(|plan| plan.is_file());
    let stored = stored.map_or_else(String::new, |stored| format!(", `{}`,", stored.display()));
    Failure(format!(
        "the release does not fit the original in the order of the files; releases of amidst are shuffled unless asked otherwise, and only the \
         plan that was stored beside the release{stored} says in which order: give that plan (--plan) instead of the columns. In the order of \
         the files: {text}"
    ))
}

fn reached(job: &AuditJob, progress: Progress) -> Result<AuditOutcome> {
    if job.demand {
        constraint::check_models(&job.plan)?;
    }
    let mut plan = job.plan.clone();
    let files = release_files(&job.release, &mut plan, progress)?;
    let plan = &plan;
    let (mut failures, unnamed) = match named(Columns::new(&files, plan)?, plan) {
        Ok(named) => named,
        Err(incomplete) => return Ok(AuditOutcome::failed(incomplete)),
    };
    let release = match verify::published(&files, plan)? {
        Ok(release) => release,
        Err(failure) => {
            failures.push(failure);
            return Ok(AuditOutcome::failed(failures));
        }
    };
    for (name, column) in plan.columns.iter().filter(|(_, column)| column.role == Role::Sensitive) {
        Sensitive::new(name, column)?; // refuses what makes no sense
    }
    let mut audit = Audit::new(&release, plan)?;
    let has = |role: Role| plan.columns_with(role).next().is_some();
    let counts_persons = has(Role::Person);
    let needs_original = counts_persons || !plan.household_sizes()?.is_empty();
    failures.extend(verify::linked(&release, plan)?.err());
    if plan.linked().is_some() {
        audit = audit.by_pseudonyms(plan, &release)?;
    }
    if job.demand && !needs_original {
        failures.extend(audit.failures(plan)?);
    }
    let (mut scores, mut covers_original, mut warnings) = (None, None, Vec::new());
    if let Some(original) = &job.original {
        let matched = Matched::load(original, plan.clone(), &release, progress)?;
        let view = matched.view(&release, plan.privacy.k);
        // Cells that cover nothing may be unreadable too; the failure says so.
        let view = if matched.compared.is_ok() { Some(view?) } else { view.ok() };
        scores = view.map(|view| measure::scores(&view, &Selection::Quick, progress)).transpose()?;
        covers_original = Some(matched.compared.is_ok());
        let counted = matched.counted(audit.clone(), &release);
        let k = if plan.privacy.k > 1 { plan.privacy.k } else { audit.achieved.k };
        warnings = matched.warnings(&release, k)?;
        failures.extend(matched.compared.err().map(|failure| in_order(failure, job, plan)));
        failures.extend(matched.wishes.err());
        failures.extend(matched.consistent.err());
        if counts_persons && plan.linked().is_none() || has(Role::Household) {
            audit = counted?;
        }
    }
    let uncounted = counts_persons && audit.people.is_none();
    if job.demand && needs_original {
        failures.extend(if uncounted { vec![Failure(UNCOUNTED.to_owned())] } else { audit.failures(plan)? });
    }
    let (others, more) = others(job, plan, &release, progress)?;
    failures.extend(more);
    let verdict = banner::of_audit(&release, plan, &unnamed, &audit, &warnings, failures.len())?;
    let audit = Some(audit);
    Ok(AuditOutcome { verdict, audit, scores, covers_original, warnings, others, unnamed, failures, uncounted })
}
