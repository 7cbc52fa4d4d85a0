//! How likely the people of a table are found.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::beside::check_unmixed;
use super::dataset::without_missing;
use super::published::part_of;
use crate::encode::Encoded;
use crate::error::{Error, Remedy, Result, Setting};
use crate::notation::GROUP;
use crate::plan::{Column, Plan, Role, Show};
use crate::progress::Progress;
use crate::read::{self, Source, Table};
use crate::registry::Spec;
use crate::report::RiskOutcome;
use crate::risk::columns::{self, CodedColumn};
use crate::risk::sets::Sets;
use crate::risk::{self, Advice, Assumptions, Crowd, Fit, Hint, Risk};
use crate::schema::{Schema, guess};
use crate::verify::{self, Classes, Failure, Files, Published, Shape};

/// A table, and what is known about it.
#[derive(Debug)]
pub struct RiskJob {
    /// The table, an original or a release.
    pub input: Source,
    /// The roles of its columns, or nothing but how it is read; without a quasi-identifier all columns are looked at.
    pub plan: Plan,
    /// What is taken for granted.
    pub assumptions: Assumptions,
    /// A table of the population.
    pub population: Option<Source>,
}

/// Finds out how likely the people of a table are found, by which columns, and what a well-known rule wants removed.
pub fn risk(job: &RiskJob, progress: Progress) -> Result<RiskOutcome> {
    let mut plan = job.plan.clone();
    let chosen = plan.columns_with(Role::Quasi).next().is_some();
    if !chosen && !plan.is_partial() {
        return Err(Error::NoQuasi);
    }
    check(&job.assumptions)?;
    check_unmixed(&job.input, &job.plan)?;
    plan.method.form()?; // the cheapest mistake to find
    let mut remarks = Vec::new();
    let table = read_table(&job.input, &plan, progress)?;
    let population = job.population.as_ref().map(|people| read_table(people, &plan, progress)).transpose()?;
    let (mut guessed, mut hints) = (FxHashMap::default(), Vec::new());
    if !chosen {
        check_flat(&table)?;
        hints = risk::hints(&table, progress)?;
        guessed = choose(&mut plan, &table, population.as_ref(), &hints)?;
    }
    let published = open(table, &job.input, &mut plan, &mut remarks, progress)?;
    let Published { table, classes, shape, .. } = &published;
    if chosen {
        hints = risk::hints(table, progress)?; // now that every cell is a text
        remarks.extend(unpublished(&plan, table, &mut hints));
    }
    let mut risk = Risk::of_crowds(&crowds(classes, shape), &job.assumptions);
    if matches!(shape, Shape::Values | Shape::Slices(_)) {
        remarks.push(
            "quasi-identifiers are published as they are: classes are groups, which hide sensitive values and not whose row it is"
                .to_owned(),
        );
    }
    if let Some(people) = &population {
        let fits = among(people, &published, plan.clone(), progress)?;
        remarks.extend(fits.as_ref().err().cloned());
        if let Ok(fits) = fits {
            remarks.extend(absent(&fits, people.name()));
            risk = risk.among(&fits);
        }
    }

    let quasi: Vec<String> = plan.columns_with(Role::Quasi).map(str::to_owned).collect();
    let coded = quasi.iter().map(|name| CodedColumn::new(table, name)).collect::<Result<Vec<_>>>()?;
    let sets = Sets::new(&coded, progress)?;
    let mut columns = columns::columns(&coded, &sets, progress)?;
    for column in &mut columns {
        let guess = guessed.get(&column.column);
        column.advice = guess.map(|(role, why)| Advice::new(*role, why, column.adds_to_few));
    }
    let is_left_out = |name: &&str| guessed.get(*name).is_some_and(|(role, _)| *role == Role::Identifier);
    let left_out = table.names().filter(is_left_out).filter(|name| !quasi.iter().any(|q| q == name));
    Ok(RiskOutcome {
        risk,
        left_out: left_out.map(str::to_owned).collect(),
        quasi,
        chosen,
        columns,
        sets: sets.told(),
        sets_complete: sets.complete,
        safe_harbor: hints,
        remarks,
    })
}

/// Drops hints about columns that the plan does not publish, and says which of them the table has.
fn unpublished(plan: &Plan, table: &Table, hints: &mut Vec<Hint>) -> Option<String> {
    let dropped = |name: &str| plan.columns.get(name).is_some_and(|column| !column.is_published());
    hints.retain(|hint| !dropped(&hint.column));
    let there: Vec<&str> = table.names().filter(|name| dropped(name)).collect();
    let names = there.join(", ");
    (!there.is_empty()).then(|| format!("the file has what the plan does not publish: {names}"))
}

fn check(assumptions: &Assumptions) -> Result<()> {
    let Assumptions { threshold, sample } = *assumptions;
    let is_share = |share: f64| share > 0.0 && share <= 1.0;
    let wrong = |message: String| Err(Error::parameter("risk", message));
    if !is_share(threshold) {
        return wrong(format!("the threshold is a risk above 0 and up to 1, not {threshold}"));
    }
    match sample {
        Some(share) if !is_share(share) => {
            wrong(format!("the share of the population is above 0 and up to 1, not {share}"))
        }
        _ => Ok(()),
    }
}

/// Refuses cells with parts, which only the plan of a release explains.
fn check_flat(table: &Table) -> Result<()> {
    match table.schema().fields().iter().find(|field| field.data_type().is_nested()) {
        Some(field) => {
            let plan = Remedy::by("give the plan of the release", Setting::Plan);
            Err(Error::column(field.name(), "its cells are nested").or([plan]))
        }
        None => Ok(()),
    }
}

fn read_table(source: &Source, plan: &Plan, progress: Progress) -> Result<Table> {
    let options = read::Options { delimiter: plan.input.delimiter, trim: plan.input.trim, skip: Vec::new() };
    source.read(&options, progress)
}

/// Makes all columns quasi-identifiers that do not look like identifiers, and that the population has. Tells what each was guessed to be, and
/// why.
fn choose(
    plan: &mut Plan,
    table: &Table,
    population: Option<&Table>,
    hints: &[Hint],
) -> Result<FxHashMap<String, (Role, String)>> {
    let (guess, reasons) = guess::plan(table, &plan.input, plan.privacy.k)?;
    let roles = guess.columns.iter().zip(reasons).map(|((name, column), why)| (name.clone(), (column.role, why)));
    let mut guessed: FxHashMap<String, (Role, String)> = roles.collect();
    for hint in hints.iter().filter(|hint| hint.rule.is_direct()) {
        guessed.insert(hint.column.clone(), (Role::Identifier, hint.why.clone()));
    }
    let in_both = |name: &&str| population.is_none_or(|people| people.column(name).is_ok());
    let common: Vec<&str> = table.names().filter(in_both).collect();
    let mut taken: Vec<&str> = common.iter().copied().filter(|name| guessed[*name].0 != Role::Identifier).collect();
    if taken.is_empty() {
        taken = common;
    }
    if let (true, Some(people)) = (taken.is_empty(), population) {
        let message = format!("it has no column of `{}`, so nobody can be linked by it", table.name());
        return Err(Error::Format { file: people.name().to_owned(), message });
    }
    plan.columns = taken.into_iter().map(|name| (name.to_owned(), Column::with_role(Role::Quasi))).collect();
    Ok(guessed)
}

/// The classes of a table: a release in the form that the plan says, or the original that it was made for.
fn open(
    table: Table,
    source: &Source,
    plan: &mut Plan,
    remarks: &mut Vec<String>,
    progress: Progress,
) -> Result<Published> {
    let form = plan.method.publish.name().to_owned();
    let of_groups = form != "generalization" && form != "centres";
    if of_groups && table.column(GROUP).is_err() {
        remarks.push(format!(
            "there is no column `{GROUP}`, so this is taken for an original and not for the result of {form}"
        ));
        plan.method.publish = Spec::new("generalization");
    }
    for (name, column) in &mut plan.columns {
        // Bounds stand in two columns; who has the one has the original.
        if column.show == Some(Show::Bounds) && table.column(name).is_ok() {
            column.show = None;
        }
    }
    let mut beside = FxHashMap::default();
    for part in plan.method.form()?.parts() {
        beside.insert((*part).to_owned(), read_table(&part_of(source, part)?, plan, progress)?);
    }
    let all_there = plan.columns_with(Role::Quasi).all(|name| table.column(name).is_ok());
    let main = if all_there { without_missing(table, plan)?.0 } else { table };
    let strange = |Failure(message)| Error::Format { file: source.name(), message };
    verify::published(&Files { main, beside }, plan)?.map_err(strange)
}

/// How many records hide amidst how many.
pub(super) fn crowds(classes: &Classes, shape: &Shape) -> Vec<Crowd> {
    if let Shape::Ring(rings) = shape {
        let of_ring = |(size, window): (&usize, &usize)| Crowd { size: *window, records: *size, classes: 1 };
        return classes.sizes.iter().zip(&rings.windows).map(of_ring).collect();
    }
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    classes.sizes.iter().for_each(|size| *sizes.entry(*size).or_default() += 1);
    sizes.into_iter().map(|(size, classes)| Crowd { size, records: size * classes, classes }).collect()
}

/// How many people of a population fit each class, or why that is not told.
fn among(
    people: &Table,
    published: &Published,
    mut plan: Plan,
    progress: Progress,
) -> Result<Result<Vec<Fit>, String>> {
    let alone;
    let classes = match published.shape {
        Shape::Closures => &published.classes,
        Shape::Ring(_) => {
            let rows = published.table.rows();
            alone = Classes { of_row: (0..rows as u32).collect(), sizes: vec![1; rows], first: (0..rows).collect() };
            &alone
        }
        Shape::Centres => {
            return Ok(Err("one value stands for a class, which does not tell who else fits it".to_owned()));
        }
        Shape::Values | Shape::Slices(_) => {
            return Ok(Err(
                "who of the population fits a group is not counted where groups hide sensitive values only".to_owned(),
            ));
        }
    };
    plan.columns.retain(|_, column| column.role == Role::Quasi);
    plan.columns.values_mut().for_each(|column| column.show = None);
    guess::complete(&mut plan, people)?;
    let schema = Schema::new(&plan, people)?;
    let encoded = Encoded::new(people, &schema, &plan.input.missing, progress)?;
    risk::fits(&published.table, classes, &encoded, &schema, progress).map(Ok)
}

/// What is odd about a population that lacks people of the table.
fn absent(fits: &[Fit], population: &str) -> Option<String> {
    let short = fits.iter().filter(|fit| fit.people < fit.records);
    let (classes, records) = short.fold((0, 0), |(classes, records), fit| (classes + 1, records + fit.records));
    (classes > 0).then(|| {
        let all = fits.len();
        format!("`{population}` has fewer people than the table in {classes} of {all} classes ({records} records); those count as the records do")
    })
}
