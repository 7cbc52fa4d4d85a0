//! Other tables of the same persons, which are published beside the main one.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::UInt32Array;
use arrow_array::cast::AsArray;
use arrow_select::take::take;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Job;
use super::dataset::{Dataset, Loaded};
use super::solve::Solver;
use crate::encode::{Beside, Encoded, Persons};
use crate::error::{Error, Result};
use crate::plan::{Input, MissingPerson, Plan, Role};
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::publish::{self, Names, Original, Part};
use crate::read::{Source, Table, texts};
use crate::schema::Schema;

/// The largest share of the rows of another table that may go with persons who are left out.
pub(super) const MOST_LEFT_OUT: f64 = 0.999_999;

/// Another table of the same persons, with what its plan makes of it.
#[derive(Debug, Clone)]
pub(super) struct Other {
    pub name: String,
    /// Where the table came from. The verification reads it anew.
    pub source: Source,
    pub plan: Plan,
    pub table: Table,
    schema: Schema,
    pub encoded: Arc<Encoded>,
    /// The number that the main table gives the person of each row; `None` where it lacks the person.
    persons: Vec<Option<u32>>,
}

/// A table that is ready to be written, beside the main one.
#[derive(Debug)]
pub(super) struct OtherPart {
    pub part: Part,
    /// The rows that are left out, because their persons are.
    pub left_out: Vec<u32>,
}

/// All tables of a release.
#[derive(Debug)]
pub(super) struct Tables {
    /// The main table, and its parts.
    pub main: Vec<Part>,
    /// The other tables of the same persons.
    pub others: Vec<OtherPart>,
}

/// The tables that a plan names, by their names. Those that are `given` need no file.
pub(super) fn sources(plan: &Plan, given: &[(String, Source)]) -> Result<Vec<(String, Source)>> {
    let fail = |name: &str, message: &str| Err(Error::parameter(&format!("table {name}"), message));
    if let Some((name, _)) = given.iter().find(|(name, _)| !plan.tables.contains_key(name)) {
        return fail(name, "the plan says nothing about this table");
    }
    let mut sources = Vec::new();
    for (name, table) in &plan.tables {
        let source = match (given.iter().find(|(given, _)| given == name), &table.file) {
            (Some((_, source)), _) => source.clone(),
            (None, Some(file)) => file.clone().into(),
            (None, None) => return fail(name, "the plan names no file for it, and none is given"),
        };
        sources.push((name.clone(), source));
    }
    Ok(sources)
}

/// Loads the other tables of a plan. `said` is how the plan said that tables are read, before the main one was.
pub(super) fn load(
    main: &Table,
    encoded: &Encoded,
    (plan, said): (&mut Plan, &Input),
    given: &[(String, Source)],
    progress: Progress,
) -> Result<Vec<Other>> {
    if plan.tables.is_empty() {
        return Ok(Vec::new());
    }
    let Some(persons) = encoded.persons() else { return Ok(Vec::new()) };
    let known = Known::new(main, plan, persons)?;
    let mut others = Vec::new();
    for (name, source) in sources(plan, given)? {
        let (asked, source) = (&plan.tables[&name], source.held(progress)?);
        let mut own = plan.of_table(asked, std::iter::empty());
        own.input.delimiter = asked.delimiter.or(said.delimiter);
        own.input.encoding = asked.encoding.or(said.encoding);
        own.input.header = asked.header.or(said.header);
        let Loaded { table, .. } = Loaded::read(&source, &mut own, progress)?;
        // Texts that only this table has change nothing for those that were read before.
        plan.input.missing.clone_from(&own.input.missing);
        if !matches!(source, Source::Memory(..)) {
            plan.reads_apart(&name, &own.input);
        }
        let asked = &plan.tables[&name];
        let own = Plan { origin: plan.origin.clone(), ..plan.of_table(asked, table.names()) };
        let persons = known.persons(&table, &own)?;
        known.check_shared(&table, plan, &own, &persons)?;
        let schema = Schema::of_other(&own, &table)?;
        let encoded = Arc::new(Encoded::new(&table, &schema, &own.input.missing, progress)?);
        others.push(Other { name, source, plan: own, table, schema, encoded, persons });
    }
    Ok(others)
}

/// The persons of the main table.
struct Known<'a> {
    main: &'a Table,
    persons: &'a Persons,
    /// The number of each person by name.
    numbers: FxHashMap<Vec<u8>, u32>,
}

impl<'a> Known<'a> {
    fn new(main: &'a Table, plan: &Plan, persons: &'a Persons) -> Result<Self> {
        let names = Names::new(main, plan)?;
        let numbers = (0..main.rows()).map(|row| (names.of(row), persons.person(row as u32))).collect();
        Ok(Known { main, persons, numbers })
    }

    /// The person of each row of another table. Refuses rows of persons whom the main table lacks, unless the plan leaves them out.
    fn persons(&self, table: &Table, plan: &Plan) -> Result<Vec<Option<u32>>> {
        let names = Names::new(table, plan)?;
        let persons: Vec<Option<u32>> =
            (0..table.rows()).map(|row| self.numbers.get(&names.of(row)).copied()).collect();
        let absent = persons.iter().filter(|person| person.is_none()).count();
        match persons.iter().position(Option::is_none) {
            Some(first) if plan.input.missing_person != MissingPerson::Drop => {
                let (first, main) = (table.number(first), self.main.name());
                let rows = if absent == 1 { "1 row is".to_owned() } else { format!("{absent} rows are") };
                let message = format!(
                    "{rows} of persons whom `{main}` lacks, the first is row {first}; add them there, or let the plan leave such rows \
                     out with missing_person = \"drop\""
                );
                Err(Error::Format { file: table.name().to_owned(), message })
            }
            _ => Ok(persons),
        }
    }

    /// Refuses a quasi-identifier of both tables that says something else of a person here than in the main table.
    fn check_shared(&self, table: &Table, main_plan: &Plan, plan: &Plan, persons: &[Option<u32>]) -> Result<()> {
        for name in shared(main_plan, plan) {
            let load = |table: &Table| texts(table.column(name)?).map_err(|e| Error::column(name, &e));
            let (main, own) = (load(self.main)?, load(table)?);
            let (main_values, own_values) = (main.values().as_string::<i32>(), own.values().as_string::<i32>());
            let value = |row: u32| main.key(row as usize).map_or("", |key| main_values.value(key));
            let rows = 0..self.main.rows() as u32;
            let said: FxHashSet<(u32, &str)> = rows.map(|row| (self.persons.person(row), value(row))).collect();
            for (row, person) in persons.iter().enumerate() {
                let text = own.key(row).map_or("", |key| own_values.value(key));
                if person.is_some_and(|person| !said.contains(&(person, text))) {
                    let message = format!(
                        "`{}`, row {}: the value is not one that the same person has in `{}`; correct it, or give the column another name",
                        table.name(),
                        table.number(row),
                        self.main.name()
                    );
                    return Err(Error::column(name, &message));
                }
            }
        }
        Ok(())
    }
}

/// The quasi-identifiers that another table shares with the main one.
fn shared<'a>(main: &'a Plan, other: &'a Plan) -> impl Iterator<Item = &'a str> {
    let is_quasi = |name: &&str| main.columns.get(*name).is_some_and(|column| column.role == Role::Quasi);
    other.columns_with(Role::Quasi).filter(is_quasi)
}

/// The other tables as the persons of the main one need them.
pub(super) fn beside(others: &[Other], encoded: &Encoded) -> Arc<Vec<Beside>> {
    let count = encoded
        .persons()
        .map_or(0, |persons| (0..encoded.rows() as u32).map(|row| persons.person(row) as usize + 1).max().unwrap_or(0));
    let of = |other: &Other| {
        let mut rows = vec![Vec::new(); count];
        for (row, person) in (0..).zip(&other.persons) {
            if let Some(person) = person {
                rows[*person as usize].push(row);
            }
        }
        Beside { encoded: other.encoded.clone(), rows }
    };
    Arc::new(others.iter().map(of).collect())
}

/// Publishes the other tables: their rows are in the classes of their persons.
pub(super) fn publish(
    solver: &Solver,
    data: &Dataset,
    problem: &Problem,
    partition: &Partition,
    main: &Part,
) -> Result<Vec<OtherPart>> {
    let Some(persons) = problem.encoded.persons().filter(|_| !data.others.is_empty()) else { return Ok(Vec::new()) };
    let mut class_of: FxHashMap<u32, usize> = FxHashMap::default();
    for (class, rows) in partition.clusters().enumerate() {
        class_of.extend(rows.iter().map(|row| (persons.person(*row), class)));
    }
    let mut first: FxHashMap<u32, u32> = FxHashMap::default();
    for (place, row) in (0..).zip(Solver::order(data, problem, partition)?) {
        first.entry(persons.person(row)).or_insert(place);
    }
    let cells = Cells { main, class_of, classes: partition.len(), first };
    data.others.iter().map(|other| cells.publish(solver, data, other, problem.seed)).collect()
}

/// What the main table says of persons.
struct Cells<'a> {
    main: &'a Part,
    /// The class of each person who is published.
    class_of: FxHashMap<u32, usize>,
    classes: usize,
    /// A published row of each person.
    first: FxHashMap<u32, u32>,
}

impl Cells<'_> {
    fn publish(&self, solver: &Solver, data: &Dataset, other: &Other, seed: u64) -> Result<OtherPart> {
        let Other { name, plan, table, schema, encoded, persons, .. } = other;
        let (mut clusters, mut left_out) = (vec![Vec::new(); self.classes], Vec::new());
        for (row, person) in (0..).zip(persons) {
            match person.and_then(|person| self.class_of.get(&person)) {
                Some(class) => clusters[*class].push(row),
                None => left_out.push(row),
            }
        }
        clusters.retain(|rows| !rows.is_empty());
        if clusters.is_empty() {
            return Err(Error::Infeasible(format!("no row of `{}` is of a person who is published", table.name())));
        }
        let partition = Partition::suppressing(table.rows(), clusters, left_out.clone())?;
        let mut replaced = publish::replaced(table, plan, encoded)?;
        let place = |person: &Option<u32>| person.and_then(|person| self.first.get(&person).copied());
        let places: UInt32Array = persons.iter().map(place).collect();
        for name in shared(&data.plan, plan) {
            let cells = self.main.table.column_by_name(name);
            let cells = cells.ok_or_else(|| Error::Internal(format!("the release lacks the column `{name}`")))?;
            let cells = take(cells, &places, None)
                .map_err(|e| Error::Internal(format!("the cells of column `{name}` cannot be taken: {e}")))?;
            replaced.insert(name.to_owned(), cells);
        }
        let mut order = publish::row_order(table, schema, plan.method.order, seed)?;
        order.retain(|row| left_out.binary_search(row).is_err());
        let problem = Problem::of(plan, encoded.clone(), seed)?;
        let original = Original { table, schema, order: &order, replaced: &replaced };
        let mut release = solver.publisher.publish(&original, &problem, &partition)?;
        let table =
            release.tables.pop().ok_or_else(|| Error::Internal("there is nothing to publish".to_owned()))?.table;
        Ok(OtherPart { part: Part { name: Some(name.clone()), table }, left_out })
    }
}

/// The files of the other tables beside a release.
pub(super) fn outputs(job: &Job) -> impl Iterator<Item = PathBuf> {
    let output = job.output.path();
    job.plan.tables.keys().filter_map(move |name| Some(publish::path(output?, name)))
}
