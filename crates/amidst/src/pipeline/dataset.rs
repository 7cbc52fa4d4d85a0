//! A table with what a plan makes of it. Every command that looks at an original begins with one.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray};

use super::limit::limited;
use super::others::Other;
use super::proof_time::ProofTime;
use super::release::Release;
use super::{Job, anonymize, bound, others, remarks};
use crate::encode::{Beside, Domain, Encoded};
use crate::error::{Error, Remedy, Result, Setting};
use crate::plan::{Column, MissingPerson, MissingRows, Plan, Role, Seed};
use crate::problem::Problem;
use crate::progress::Progress;
use crate::read::{Asked, Source, Table, read_as_found, texts};
use crate::report::BoundOutcome;
use crate::schema::Schema;
use crate::schema::guess::{self, Completed};
use crate::schema::{missing, nature};
use crate::write::Sink;

/// A table with a plan for it that names all columns, and its records as codes.
///
/// ```
/// use amidst::{Dataset, Plan};
///
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("patients.csv");
/// std::fs::write(&file, "name,age,disease\nAnn,34,flu\nBob,36,cold\nCem,51,flu\nDee,58,asthma\n")?;
/// let plan = Plan::new(2).identifier("name").quasi("age").sensitive("disease");
/// let patients = Dataset::new(file, plan)?;
///
/// let release = patients.anonymize()?;
/// assert_eq!(release.report().audit.achieved.k, 2);
/// // No release of these rows with k = 2 loses less than this.
/// let bound = patients.bound()?.bound.loss;
/// assert!(bound <= release.report().scores.loss["lm"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Where the table came from. The verification reads it anew.
    pub(super) source: Source,
    pub(super) plan: Plan,
    pub(super) table: Table,
    pub(super) schema: Schema,
    pub(super) encoded: Arc<Encoded>,
    /// Other tables of the same persons.
    pub(super) others: Vec<Other>,
    /// The same as the persons need them.
    pub(super) beside: Arc<Vec<Beside>>,
    /// How many rows were dropped because they miss a value.
    pub(super) dropped_rows: usize,
    /// What the plan left open.
    pub(super) completed: Completed,
    /// What to say about the values.
    pub(super) remarks: Vec<String>,
}

impl Dataset {
    /// Reads a table for a plan: a file, record batches or a [`Table`]. A partial plan is completed.
    pub fn new(source: impl Into<Source>, plan: Plan) -> Result<Self> {
        Self::load_beside(&source.into(), &[], plan, Progress::silent())
    }

    /// Reads a table for a plan, as [`Dataset::new`] does, and reports progress.
    /// Passes over other tables of the same persons.
    pub fn load(source: &Source, mut plan: Plan, progress: Progress) -> Result<Self> {
        let source = source.held(progress)?;
        let Loaded { table, dropped_rows, completed, mut remarks } = Loaded::read(&source, &mut plan, progress)?;
        nature::settle(&mut plan, &table)?;
        let schema = Schema::new(&plan, &table)?;
        let encoded = encode(&table, &schema, &plan, progress)?;
        remarks.extend(encoded.domains().iter().filter_map(Domain::remark));
        let (others, beside) = (Vec::new(), Arc::default());
        Ok(Dataset { source, plan, table, schema, encoded, others, beside, dropped_rows, completed, remarks })
    }

    /// The same with the other tables of the same persons that the plan names. Those of `tables` are in no file.
    pub(super) fn load_beside(
        source: &Source,
        tables: &[(String, Source)],
        plan: Plan,
        progress: Progress,
    ) -> Result<Self> {
        let said = plan.input.clone();
        let mut data = Self::load(source, plan, progress)?;
        data.others = others::load(&data.table, &data.encoded, (&mut data.plan, &said), tables, progress)?;
        data.plan.input.missing_only = true; // all tables were looked at
        data.beside = others::beside(&data.others, &data.encoded);
        Ok(data)
    }

    /// The plan, with every column of the table named.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The table without its identifiers, as it was read for the plan.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Makes a verified release in memory. Its columns have types like those of the table.
    pub fn anonymize(&self) -> Result<Release> {
        let like = match &self.source {
            Source::Memory(frame, _) => frame.schema().clone(),
            Source::File(_) | Source::Held(..) => Arc::new(arrow_schema::Schema::empty()),
        };
        self.anonymize_into(Sink::Memory(like), Progress::silent())
    }

    /// Makes a verified release in a file, with its plan, dictionary and manifest beside it.
    pub fn anonymize_to(&self, file: impl Into<PathBuf>) -> Result<Release> {
        self.anonymize_into(Sink::File(file.into()), Progress::silent())
    }

    /// Makes a verified release, and reports progress.
    pub fn anonymize_into(&self, output: Sink, progress: Progress) -> Result<Release> {
        let job = Job::new(self.source.clone(), output, self.plan.clone());
        anonymize::made(&job, |plan| Ok(Dataset { plan, ..self.clone() }), progress).map(Release::of)
    }

    /// Proves how little any release of the table can lose that keeps to the plan. It takes at most a minute.
    pub fn bound(&self) -> Result<BoundOutcome> {
        self.bound_within(ProofTime::Usual)
    }

    /// The same in as much time as you give it.
    pub fn bound_within(&self, time: ProofTime) -> Result<BoundOutcome> {
        bound::proven(self.clone(), time, Progress::silent())
    }

    /// The same, had the table been another one with these columns.
    pub(super) fn instead(&self, table: Table, progress: Progress) -> Result<Self> {
        let (plan, schema) = (self.plan.clone(), self.schema.clone());
        let encoded = encode(&table, &schema, &plan, progress)?;
        let source = Source::from(&table);
        Ok(Dataset {
            source,
            plan,
            table,
            schema,
            encoded,
            dropped_rows: 0,
            completed: Completed::default(),
            remarks: Vec::new(),
            ..self.clone()
        })
    }

    /// The same without the columns that nobody named and that this release of the table does not have.
    pub(super) fn for_release(mut self, release: &Table) -> Result<Self> {
        let lacks = |name: &String| release.column(name).is_err();
        let withheld: Vec<String> =
            self.completed.unnamed.iter().map(|(name, _)| name).filter(|name| lacks(name)).cloned().collect();
        for name in &withheld {
            self.plan.columns[name] = Column::with_role(Role::Identifier);
        }
        self.table = self.table.without(&withheld)?;
        self.schema = Schema::new(&self.plan, &self.table)?;
        Ok(self)
    }

    /// What a partitioner is asked. It may have no solution unless records are suppressed.
    pub(super) fn problem(&self, seed: Seed) -> Result<Problem> {
        Problem::of(&self.plan, self.encoded.clone(), seed.0)
    }
}

fn encode(table: &Table, schema: &Schema, plan: &Plan, progress: Progress) -> Result<Arc<Encoded>> {
    Ok(Arc::new(Encoded::new(table, schema, &plan.input.missing, progress)?))
}

/// A table as the plan wants it.
pub(super) struct Loaded {
    pub table: Table,
    pub dropped_rows: usize,
    pub completed: Completed,
    pub remarks: Vec<String>,
}

impl Loaded {
    /// Reads a table for a plan, with one spelling of each sensitive value where it wants that, completes the plan where it came from
    /// flags, and drops the rows it does not want.
    pub(super) fn read(source: &Source, plan: &mut Plan, progress: Progress) -> Result<Self> {
        plan.take_persons();
        plan.check_treatments()?;
        plan.check_tables()?;
        let is_withheld = |name: &&str| plan.columns[*name].publish.is_none();
        let skip = plan.columns_with(Role::Identifier).filter(is_withheld).map(str::to_owned).collect();
        let asked = Asked { skip, known: plan.amidst.is_some(), trims: false };
        let table = read_as_found(source, &mut plan.input, asked, progress)?;
        let named = plan.input.missing.clone();
        missing::add_usual(&mut plan.input, &table);
        let table = with_persons(table, plan)?;
        let completed = if plan.is_open() {
            nature::check(plan, &table)?;
            guess::complete(plan, &table)?
        } else {
            Completed::default()
        };
        for name in &completed.numbering {
            let text = format!("the column `{name}` has no name and numbers the rows, so it is left out");
            progress.remark(&text, &Setting::PublishAsIs(vec![name.clone()]));
        }
        let table = table.without(&completed.dropped)?;
        plan.others = None; // all columns have a role now
        let taken_as_missing = missing::remark(&table, plan, &named);
        let (table, mut remarks) = remarks::spelled(table, plan, None)?;
        remarks.extend(taken_as_missing);
        let (table, idle) = remarks::coded(table, plan)?;
        remarks.extend(idle);
        let (table, dropped_rows) = without_missing(table, plan)?;
        let (table, over_limit) = limited(table, plan)?;
        remarks.extend(remarks::over_limit(over_limit, plan));
        remarks.extend(remarks::persons(&table, plan)?);
        remarks.extend(remarks::households(&table, plan)?);
        remarks.extend(remarks::short_years(&table, plan)?);
        Ok(Loaded { table, dropped_rows, completed, remarks })
    }
}

/// The table without the rows that do not say whose they are, if the plan wants that. Refuses them if it says nothing of them.
pub(super) fn with_persons(table: Table, plan: &Plan) -> Result<Table> {
    let mut keep = vec![true; table.rows()];
    for name in plan.columns_with(Role::Person) {
        let texts = texts(table.column(name)?).map_err(|e| Error::column(name, &e))?;
        let values = texts.values().as_string::<i32>();
        let unsaid = |text: &str| text.is_empty() || plan.input.missing.iter().any(|marker| marker == text);
        let unsaid: Vec<bool> = values.iter().map(|text| text.is_none_or(unsaid)).collect();
        let lacks = |row: &usize| texts.is_null(*row) || unsaid[texts.keys().value(*row) as usize];
        let lacking: Vec<usize> = (0..table.rows()).filter(lacks).collect();
        match (plan.input.missing_person, lacking.first()) {
            (_, None) | (MissingPerson::Own, _) => {}
            (MissingPerson::Drop, _) => lacking.iter().for_each(|row| keep[*row] = false),
            (MissingPerson::Refuse, Some(first)) => {
                let (first, table) = (table.number(*first), table.name());
                let message = match lacking.len() {
                    1 => format!("row {first} of `{table}` does not say whose it is"),
                    rows => format!("{rows} rows of `{table}` do not say whose they are, the first is row {first}"),
                };
                return Err(Error::column(name, &message).or([
                    Remedy::just("fill them in"),
                    Remedy::by("count each of them as a person of its own", Setting::MissingPerson(MissingPerson::Own)),
                    Remedy::by("leave them out", Setting::MissingPerson(MissingPerson::Drop)),
                ]));
            }
        }
    }
    if !keep.contains(&true) && table.rows() > 0 {
        return Err(Error::Infeasible(format!("no row of `{}` says whose it is, so all were dropped", table.name())));
    }
    if keep.contains(&false) { table.filter(&BooleanArray::from(keep)) } else { Ok(table) }
}

/// The table without the rows that miss a value where the plan wants that, and how many those are.
pub(super) fn without_missing(table: Table, plan: &Plan) -> Result<(Table, usize)> {
    if plan.input.missing_rows == MissingRows::Keep {
        return Ok((table, 0));
    }
    let mut keep = vec![true; table.rows()];
    for name in plan.columns_with(Role::Quasi).chain(plan.columns_with(Role::Sensitive)) {
        let texts = texts(table.column(name)?).map_err(|e| Error::column(name, &e))?;
        let values = texts.values().as_string::<i32>();
        let missing: Vec<bool> =
            values.iter().map(|v| plan.input.missing.iter().any(|m| Some(m.as_str()) == v)).collect();
        for (row, keep) in keep.iter_mut().enumerate() {
            *keep &= !texts.is_null(row) && !missing[texts.keys().value(row) as usize];
        }
    }
    let dropped_rows = keep.iter().filter(|keep| !**keep).count();
    if dropped_rows == table.rows() {
        return Err(Error::Infeasible(format!("every row of `{}` misses a value, so all were dropped", table.name())));
    }
    Ok((table.filter(&BooleanArray::from(keep))?, dropped_rows))
}
