//! What is found in a release beyond what was asked for: the reasons of its verdict.

use rustc_hash::FxHashMap;

use super::dataset::Dataset;
use super::draft::Verified;
use crate::error::{Error, Result};
use crate::plan::{Plan, Role};
use crate::read::Table;
use crate::report::{Banner, Reason, Warning};
use crate::schema::recognize::recognize;
use crate::verify::{Audit, Classes, Published};

/// Refuses to publish columns that nobody named and that may each single a person out.
pub(super) fn refuse_identifiers(data: &Dataset) -> Result<()> {
    let found: Vec<(String, String)> = data
        .completed
        .unnamed
        .iter()
        .filter(|(_, recognized)| recognized.is_identifying())
        .map(|(name, recognized)| (name.clone(), recognized.told()))
        .collect();
    if found.is_empty() {
        Ok(())
    } else {
        Err(Error::Identifying { file: data.table.name().to_owned(), findings: found })
    }
}

/// The verdict on a release that was verified.
pub(super) fn of_release(data: &Dataset, verified: &Verified) -> Result<Banner> {
    let Verified { release, audit, warnings, plan, .. } = verified;
    let mut found = identifiers(&release.table, plan)?;
    for other in &verified.others {
        found.extend(identifiers(&other.table, &other.plan)?);
    }
    // Who said `others = "publish"` has decided about all of them.
    let unnamed: Vec<String> = data.completed.unnamed.iter().map(|(name, _)| name.clone()).collect();
    let unnamed = if data.completed.decided { Vec::new() } else { unnamed };
    let mut reasons: Vec<Reason> = identifying(&found).into_iter().collect();
    reasons.extend(singled_out(&release.table, &release.classes, unnamed)?);
    reasons.extend(levels(audit, warnings));
    Ok(Banner::new(reasons))
}

/// The verdict on a published file. Flags need not name its columns: these are `unnamed`.
pub(super) fn of_audit(
    release: &Published,
    plan: &Plan,
    unnamed: &[String],
    audit: &Audit,
    warnings: &[Warning],
    failures: usize,
) -> Result<Banner> {
    let mut reasons: Vec<Reason> = (failures > 0).then(|| Reason::failures(failures)).into_iter().collect();
    let mut found = identifiers(&release.table, plan)?;
    for name in unnamed.iter().filter(|name| release.table.column(name).is_ok()) {
        found.extend(identifier(&release.table, name, plan)?);
    }
    reasons.extend(identifying(&found));
    let unnamed = unnamed.iter().filter(|name| release.table.column(name).is_ok()).cloned().collect();
    reasons.extend(singled_out(&release.table, &release.classes, unnamed)?);
    reasons.extend(levels(audit, warnings));
    Ok(Banner::new(reasons))
}

/// What the levels say that were reached, and the warnings.
fn levels(audit: &Audit, warnings: &[Warning]) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = (audit.achieved.k < 2).then(Reason::no_crowd).into_iter().collect();
    let unit = if audit.people.is_some() { "persons" } else { "records" };
    let certain = audit.achieved.sensitive.iter().filter(|(_, levels)| levels.single_value > 0.0);
    // Where values are exchanged at random, nobody can be certain of them.
    let certain = certain.filter(|_| audit.achieved.retention.is_none());
    reasons.extend(certain.map(|(column, levels)| Reason::single_value(column, levels.single_value, unit)));
    reasons.extend(warnings.iter().map(|warning| Reason::persons(&warning.repeats.columns)));
    reasons
}

fn identifying(found: &[(String, String)]) -> Option<Reason> {
    (!found.is_empty()).then(|| Reason::identifiers(found))
}

/// The columns of a published table that are published as they are and look like identifiers.
fn identifiers(table: &Table, plan: &Plan) -> Result<Vec<(String, String)>> {
    let unchanged = |name: &&str| plan.columns[*name].publish.is_none() && table.column(name).is_ok();
    let mut found = Vec::new();
    for name in plan.columns_with(Role::Other).filter(unchanged) {
        found.extend(identifier(table, name, plan)?);
    }
    Ok(found)
}

fn identifier(table: &Table, name: &str, plan: &Plan) -> Result<Option<(String, String)>> {
    if table.column(name)?.data_type().is_nested() {
        return Ok(None);
    }
    let recognized = recognize(table, name, &plan.input.missing)?;
    Ok(recognized.is_identifying().then(|| (name.to_owned(), recognized.told())))
}

/// Whether columns that nobody named tell records of a class apart.
fn singled_out(table: &Table, classes: &Classes, unnamed: Vec<String>) -> Result<Option<Reason>> {
    if unnamed.is_empty() || table.rows() == 0 {
        return Ok(None);
    }
    let values = Classes::new(table, unnamed.iter().map(String::as_str))?;
    let mut counts: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    classes
        .of_row
        .iter()
        .zip(&values.of_row)
        .for_each(|(class, value)| *counts.entry((*class, *value)).or_default() += 1);
    let alone = counts.values().filter(|count| **count == 1).count();
    Ok((alone > 0).then(|| Reason::unnamed(unnamed, alone as f64 / table.rows() as f64)))
}
