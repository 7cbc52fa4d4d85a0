//! How likely the people of a table are found.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::beside::check_unmixed;
use super::dataset::{with_persons, without_missing};
use super::published::part_of;
use super::risk_of_households::households;
use super::warnings::{Counted, identifiers, warnings};
use crate::encode::Encoded;
use crate::error::{Error, Remedy, Result, Setting};
use crate::notation::GROUP;
use crate::plan::{Column, Plan, Role, Show};
use crate::progress::Progress;
use crate::read::{self, Source, Table, release_as_found};
use crate::registry::Spec;
use crate::report::{RiskOutcome, Warning};
use crate::risk::columns::{self, CodedColumn};
use crate::risk::persons::Crowds;
use crate::risk::sets::Sets;
use crate::risk::{self, Advice, Assumptions, Crowd, Fit, Hint, Risk};
use crate::schema::Schema;
use crate::schema::guess::{self, Guess};
use crate::schema::missing;
use crate::schema::recognize::{Subject, subject};
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
    let mut table = read_table(&job.input, &plan, progress)?;
    let population = job.population.as_ref().map(|people| read_table(people, &plan, progress)).transpose()?;
    let named = plan.input.missing.clone();
    [Some(&table), population.as_ref()]
        .into_iter()
        .flatten()
        .for_each(|table| missing::add_usual(&mut plan.input, table));
    let persons = who(&mut plan, &table, &mut remarks)?;
    table = with_persons(table, &plan)?;
    let (mut guessed, mut hints) = (FxHashMap::default(), Vec::new());
    if !chosen {
        check_flat(&table)?;
        hints = risk::hints(&table, &plan.input.missing, progress)?;
        guessed = choose(&mut plan, &table, population.as_ref())?;
    }
    remarks.extend(missing::remark(&table, &plan, &named));
    let published = open(table, &job.input, &mut plan, &mut remarks, progress)?;
    let table = &published.table;
    if chosen {
        hints = risk::hints(table, &plan.input.missing, progress)?; // now that every cell is a text
        remarks.extend(unpublished(&plan, table, &mut hints));
    }
    let whose = if persons { verify::persons(table, &plan)? } else { None };
    let whose = whose.as_deref();
    let counted = if persons { "persons" } else { "records" };
    let risk = exposed(job, &plan, &published, whose, population.as_ref(), &mut remarks, progress)?;
    let quasi: Vec<String> = plan.columns_with(Role::Quasi).map(str::to_owned).collect();
    let coded = quasi.iter().map(|name| CodedColumn::new(table, name)).collect::<Result<Vec<_>>>()?;
    let sets = Sets::new(&coded, whose, progress)?;
    let mut columns = columns::columns(&coded, whose, &sets, progress)?;
    for column in &mut columns {
        let guess = guessed.get(&column.column);
        column.advice = guess.map(|(role, why)| Advice::new(*role, why, column.adds_to_few, counted));
    }
    Ok(RiskOutcome {
        risk,
        warnings: warned(&plan, &guessed, &published, &job.assumptions)?,
        households: households(&plan, &published, &job.assumptions, &mut remarks)?,
        left_out: left_out(table, &guessed, &quasi),
        quasi,
        chosen,
        columns,
        sets: sets.told(),
        sets_complete: sets.complete,
        safe_harbor: hints,
        remarks,
    })
}

/// The risk by each adversary. `whose` says whose each row is, if persons are counted.
fn exposed(
    job: &RiskJob,
    plan: &Plan,
    published: &Published,
    whose: Option<&[u32]>,
    population: Option<&Table>,
    remarks: &mut Vec<String>,
    progress: Progress,
) -> Result<Risk> {
    let Published { table, classes, shape, .. } = published;
    let counted = if whose.is_some() { "persons" } else { "records" };
    let within = whose.map(|whose| Crowds::new(&classes.of_row, whose, classes.sizes.len()));
    let mut risk = match &within {
        Some(within) => of_persons(table, within, &job.assumptions, remarks),
        None => Risk::of_crowds(&crowds(classes, shape), &job.assumptions),
    };
    if matches!(shape, Shape::Values | Shape::Slices(_)) {
        remarks.push(GROUPS.to_owned());
    }
    if let Some(people) = population {
        match among(people, published, plan.clone(), progress)? {
            Ok(mut fits) => {
                if let Some(within) = &within {
                    fits.iter_mut().zip(&within.sizes).for_each(|(fit, persons)| fit.records = *persons);
                }
                remarks.extend(absent(&fits, people.name(), counted));
                risk = risk.among(&within.map_or_else(|| fits.clone(), |within| of_each(&within, &fits)));
            }
            Err(why) => remarks.push(why),
        }
    }
    Ok(risk)
}

/// Said of forms whose classes are groups.
const GROUPS: &str = "quasi-identifiers are published as they are: classes are groups, which hide sensitive values and not whose row it is";

/// The columns that look like identifiers and are not looked at.
fn left_out(table: &Table, guessed: &FxHashMap<String, (Role, String)>, quasi: &[String]) -> Vec<String> {
    let is_left_out = |name: &&str| guessed.get(*name).is_some_and(|(role, _)| is_withheld(*role));
    let names = table.names().filter(is_left_out).filter(|name| !quasi.iter().any(|q| q == name));
    names.map(str::to_owned).collect()
}

/// Whether a guess says that a column names somebody.
fn is_withheld(role: Role) -> bool {
    matches!(role, Role::Identifier | Role::Person)
}

/// Whether the table says whose its rows are. A release need not, although its plan does.
fn who(plan: &mut Plan, table: &Table, remarks: &mut Vec<String>) -> Result<bool> {
    let named: Vec<String> = plan.columns_with(Role::Person).map(str::to_owned).collect();
    let lacking: Vec<&String> = named.iter().filter(|name| table.column(name).is_err()).collect();
    let Some(first) = lacking.first() else { return Ok(!named.is_empty()) };
    if plan.is_partial() {
        table.column(first)?; // says which columns there are
    }
    remarks.push(format!(
        "the plan counts persons, but the file has no column `{first}` that says whose its rows are, so all figures here count rows; the audit \
         of the release against its original counts persons"
    ));
    plan.columns.retain(|_, column| column.role != Role::Person);
    Ok(false)
}

/// The risk of the persons of a table.
fn of_persons(table: &Table, within: &Crowds, assumptions: &Assumptions, remarks: &mut Vec<String>) -> Risk {
    let crowded = within.crowded();
    if crowded.spread && assumptions.sample.is_some_and(|share| share < 1.0) {
        remarks.push(
            "some persons have rows in several classes, so no model estimates how many of them are alone in the population".to_owned(),
        );
    }
    Risk::of_persons(table.rows(), &crowded, assumptions)
}

/// How many people of a population fit the class of each person that fewest fit.
fn of_each(within: &Crowds, fits: &[Fit]) -> Vec<Fit> {
    let people = within.smallest(|class| fits[class].people.max(fits[class].records));
    people.into_iter().map(|people| Fit { records: 1, people }).collect()
}

/// What to know if nobody has said whose the rows are: of the identifiers, and of columns without a role that are named after persons.
fn warned(
    plan: &Plan,
    guessed: &FxHashMap<String, (Role, String)>,
    published: &Published,
    assumptions: &Assumptions,
) -> Result<Vec<Warning>> {
    let Published { table, classes, shape, .. } = published;
    if matches!(shape, Shape::Ring(_)) {
        return Ok(Vec::new());
    }
    let is_of_persons = |name: &str| {
        let guess = guessed.get(name).map(|(role, _)| *role);
        let named = subject(name) >= Subject::Numbered && !plan.columns.contains_key(name);
        guess.is_some_and(is_withheld) || guess.is_none() && named
    };
    let mut columns = identifiers(plan, table);
    if plan.is_partial() {
        let flat = |name: &&str| table.column(name).is_ok_and(|column| !column.data_type().is_nested());
        columns.extend(table.names().filter(flat).filter(|name| is_of_persons(name)).map(str::to_owned));
    }
    let rows: Vec<u32> = (0..table.rows() as u32).collect();
    let acceptable = (1.0 / assumptions.threshold + 1e-9).floor() as usize;
    let k = if plan.privacy.k > 1 { plan.privacy.k } else { acceptable.max(2) };
    warnings(plan, &columns, &Counted { table, rows: &rows, classes, k, input: &plan.input })
}

/// Drops hints about columns that the plan does not publish, and says which of them the table has.
fn unpublished(plan: &Plan, table: &Table, hints: &mut Vec<Hint>) -> Option<String> {
    let column = |name: &str| plan.columns.get(name);
    let dropped = |name: &str| column(name).is_some_and(|column| !column.is_published());
    hints.retain(|hint| !dropped(&hint.column));
    // Flags name columns of persons and households because the table has them.
    let is_given = |name: &&str| {
        plan.is_partial() && column(name).is_some_and(|column| matches!(column.role, Role::Person | Role::Household))
    };
    let there: Vec<&str> = table.names().filter(|name| dropped(name) && !is_given(name)).collect();
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

/// Reads a table that may be an original or a release.
fn read_table(source: &Source, plan: &Plan, progress: Progress) -> Result<Table> {
    let source = source.held(progress)?;
    let input = release_as_found(&source, &plan.input, plan.amidst.is_some(), progress)?;
    source.read(&read::Options::of(&input, Vec::new()), progress)
}

/// Makes all columns quasi-identifiers that do not look like identifiers, and that the population has. Tells what each was guessed to be, and
/// why.
fn choose(plan: &mut Plan, table: &Table, population: Option<&Table>) -> Result<FxHashMap<String, (Role, String)>> {
    let (guess, guesses) = guess::plan(table, &plan.input, plan.privacy.k)?;
    let roles = guess.columns.keys().zip(guesses);
    let roles = roles.map(|(name, Guess { column, reason, .. })| (name.clone(), (column.role, reason)));
    let of_column: FxHashMap<String, (Role, String)> = roles.collect();
    let in_both = |name: &&str| population.is_none_or(|people| people.column(name).is_ok());
    let given = std::mem::take(&mut plan.columns);
    let common: Vec<&str> = table.names().filter(in_both).filter(|name| !given.contains_key(*name)).collect();
    let mut taken: Vec<&str> = common.iter().copied().filter(|name| !is_withheld(of_column[*name].0)).collect();
    if taken.is_empty() {
        taken = common;
    }
    if let (true, Some(people)) = (taken.is_empty(), population) {
        let message = format!("it has no column of `{}`, so nobody can be linked by it", table.name());
        return Err(Error::Format { file: people.name().to_owned(), message });
    }
    plan.columns = taken.into_iter().map(|name| (name.to_owned(), Column::with_role(Role::Quasi))).collect();
    plan.columns.extend(given);
    Ok(of_column)
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

/// How many rows of a population fit each class, each a person, or why that is not told.
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
fn absent(fits: &[Fit], population: &str, counted: &str) -> Option<String> {
    let short = fits.iter().filter(|fit| fit.people < fit.records);
    let (classes, records) = short.fold((0, 0), |(classes, records), fit| (classes + 1, records + fit.records));
    (classes > 0).then(|| {
        let all = fits.len();
        format!("`{population}` has fewer people than the table in {classes} of {all} classes ({records} {counted}); those count as the {counted} do")
    })
}
