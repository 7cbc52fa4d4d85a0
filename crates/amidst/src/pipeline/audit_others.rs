//! The audit of other tables of the same persons, which lie beside the main one.

use super::audit::AuditJob;
use super::others::{MOST_LEFT_OUT, sources};
use super::published::{part_of, release_table};
use crate::error::Result;
use crate::plan::{MissingPerson, Plan, Privacy};
use crate::progress::Progress;
use crate::report::OtherOutcome;
use crate::schema::missing;
use crate::verify::{self, Failure, LeftOut, MadeFrom, Main, Published};

/// Audits all other tables of a plan. Compares them with their originals where the main table is compared with its own.
pub(super) fn others(
    job: &AuditJob,
    plan: &Plan,
    release: &Published,
    progress: Progress,
) -> Result<(Vec<OtherOutcome>, Vec<Failure>)> {
    let (mut told, mut failures) = (Vec::new(), Vec::new());
    let originals = if job.original.is_some() { sources(plan, &job.tables)? } else { Vec::new() };
    for (name, asked) in &plan.tables {
        let table = release_table(&part_of(&job.release, name)?, plan, progress)?;
        let mut own = plan.of_table(asked, table.names());
        missing::add_usual(&mut own.input, &table);
        let some_left_out = plan.privacy.suppress > 0.0 || plan.input.missing_person == MissingPerson::Drop;
        if some_left_out {
            own.privacy = Privacy { suppress: MOST_LEFT_OUT, ..own.privacy };
        }
        let original = match originals.iter().find(|(original, _)| original == name) {
            Some((_, source)) => Some(verify::original(&source.held(progress)?, &own, None, progress)?),
            None => None,
        };
        let left_out = if some_left_out { LeftOut::Unknown } else { LeftOut::These(&[]) };
        let from = original.as_ref().map(|original| MadeFrom { original, left_out });
        match verify::beside(Main { plan, release }, &table, &own, from)? {
            Ok(audit) => {
                let left_out = original.map_or(0, |original| original.rows().saturating_sub(audit.rows));
                told.push(OtherOutcome { name: name.clone(), left_out, audit });
            }
            Err(Failure(failure)) => failures.push(Failure(format!("table {name}: {failure}"))),
        }
    }
    Ok((told, failures))
}
