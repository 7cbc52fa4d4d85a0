//! What is found in a release beyond what was asked for: the reasons of its verdict.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use rustc_hash::FxHashMap;

use super::dataset::Dataset;
use super::draft::Verified;
use crate::error::{Error, Result};
use crate::plan::{Kind, Plan, Role};
use crate::read::{Table, texts};
use crate::report::{Banner, Reason, Warning};
use crate::schema::recognize::{Contents, names_persons, recognize};
use crate::verify::{Audit, Cell, CellReader, Classes, Meaning, Published};

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
    let mut named = naming(&release.table, plan)?;
    for other in &verified.others {
        found.extend(identifiers(&other.table, &other.plan)?);
        named.extend(
            naming(&other.table, &other.plan)?.into_iter().filter(|(name, _)| release.table.column(name).is_err()),
        );
    }
    // Who said `others = "publish"` has decided about all of them.
    let unnamed: Vec<String> = data.completed.unnamed.iter().map(|(name, _)| name.clone()).collect();
    let unnamed = if data.completed.decided { Vec::new() } else { unnamed };
    let mut reasons: Vec<Reason> = identifying(&found).into_iter().collect();
    reasons.extend((!named.is_empty()).then(|| Reason::names(&named)));
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
    let named = naming(&release.table, plan)?;
    reasons.extend((!named.is_empty()).then(|| Reason::names(&named)));
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

/// The quasi-identifiers and sensitive columns of a published table whose cells show names of persons, and what these are.
fn naming(table: &Table, plan: &Plan) -> Result<Vec<(String, &'static str)>> {
    let is_plain = |name: &str| table.column(name).is_ok_and(|column| !column.data_type().is_nested());
    let shown = |name: &&str| plan.columns[*name].publish.is_none() && is_plain(name);
    let mut found = Vec::new();
    for name in plan.columns_with(Role::Quasi).chain(plan.columns_with(Role::Sensitive)).filter(shown) {
        let sets = plan.columns[name].kind == Some(Kind::Set);
        let why = names_persons(name, &shown_values(table, name, sets, &plan.input.missing)?);
        found.extend(why.map(|why| (name.to_owned(), why)));
    }
    Ok(found)
}

/// What the cells of a published column show. The members of sets count once for each different set, so that a name that is in the set of one
/// class only counts as one of its own.
fn shown_values(table: &Table, name: &str, sets: bool, missing: &[String]) -> Result<Contents> {
    let cells = texts(table.column(name)?).map_err(|e| Error::column(name, &e))?;
    let reader = CellReader::new(if sets { Meaning::Set } else { Meaning::One }, std::iter::empty());
    let mut rows = vec![0; cells.values().len()];
    cells.keys().iter().flatten().for_each(|key| rows[key as usize] += 1);
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    for (text, rows) in cells.values().as_string::<i32>().iter().zip(rows) {
        let Some(text) = text.filter(|_| rows > 0) else { continue };
        let (values, count) = match reader.read(text) {
            Cell::OneOf(members) => (members, 1),
            // Texts with a star are masked.
            Cell::One(value) if !value.contains('*') => (vec![value], if sets { 1 } else { rows }),
            _ => continue,
        };
        let is_value = |value: &String| !value.trim().is_empty() && !missing.contains(value);
        values.into_iter().filter(is_value).for_each(|value| *counts.entry(value).or_default() += count);
    }
    let present = counts.values().sum();
    Ok(Contents { values: counts.into_iter().collect(), present, rows: present })
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
