//! The whole way from a file to a verified release. The only module that knows all stages.

mod attack;
mod classes;
mod compare;
mod details;
mod extend;
mod files;
mod init;
mod list;
mod proof;
mod remarks;
mod risk;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray};

use crate::bound;
use crate::constraint;
use crate::cost;
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::measure::{self, Selection, View};
use crate::partition::{self, Partitioner};
use crate::plan::{Kind, MissingRows, Plan, Role, RowOrder, Seed};
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::publish::{self, Original, Publisher, Release};
use crate::read::{self, Source, Table, texts};
use crate::refine::{self, Refiner};
use crate::report::{
    AuditOutcome, BoundOutcome, Certificate, CpuSeconds, Dictionary, INTERNAL, MeasureOutcome, Outcome, Seconds,
    Suppressed,
};
use crate::schema::{Schema, Sensitive, guess};
use crate::suppress;
use crate::usage;
use crate::verify::{self, Audit, Columns, Failure, LeftOut, Published};
use crate::write::{Sink, Staging};

pub use attack::{AttackJob, attack};
pub use compare::{CompareJob, compare};
use details::Sides;
pub use extend::{ExtendJob, extend};
use files::{
    check_form, check_unmixed, left_behind, mixture, places, release, release_files, stage, standalone,
    store_dictionary, store_manifest, store_plan, store_reports,
};
pub use init::{InitJob, init};
pub use list::{List, Member, list};
use proof::{Proof, prove};
pub use risk::{RiskJob, risk};

/// A table to anonymize and how.
#[derive(Debug)]
pub struct Job {
    /// The table.
    pub input: Source,
    /// Where the release goes.
    pub output: Sink,
    /// What is asked.
    pub plan: Plan,
    /// Where the plan comes from.
    pub origin: PlanOrigin,
    /// What is measured afterwards.
    pub measures: Selection,
    /// Whether to prove how far from the best possible the release is at most.
    pub certify: bool,
    /// Whether to look for the [details](crate::report::Details) of a report.
    pub details: bool,
    /// Where reports for the publisher go, by their extension as a page (.html), as JSON (.json) or as a text (.txt).
    pub reports: Vec<PathBuf>,
    /// Where reports for recipients go, in the same forms.
    pub public_reports: Vec<PathBuf>,
}

impl Job {
    /// Measures what is quick, and writes no report.
    pub fn new(input: impl Into<Source>, output: impl Into<Sink>, plan: Plan, origin: PlanOrigin) -> Self {
        let (input, output) = (input.into(), output.into());
        let (measures, certify, details) = (Selection::Quick, false, false);
        let (reports, public_reports) = (Vec::new(), Vec::new());
        Job { input, output, plan, origin, measures, certify, details, reports, public_reports }
    }
}

/// Where a plan comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanOrigin {
    /// A file, which must name every column.
    File(PathBuf),
    /// A plan in memory, which must name every column, too.
    Given,
    /// Flags: unnamed columns are published as they are, kinds that are not given are taken from the values.
    Flags,
}

/// Makes a release, verifies it from the bytes written, and only then puts it in place.
pub fn anonymize(job: &Job, progress: Progress) -> Result<Outcome> {
    let Job { output, origin, .. } = job;
    let path = output.path();
    let mut plan = job.plan.clone();
    constraint::check(&plan)?; // the cheapest mistakes to find
    Solver::new(&plan)?;
    let mut publisher = publish::build(&plan.method.publish)?;
    publisher.admits(&plan)?;
    if let Some(settled) = publisher.settled(&plan)? {
        publisher = publish::build(&settled)?;
        plan.method.publish = settled;
    }
    check_form(job, &*publisher)?;
    let mut staging = Staging::new(&places(job, &*publisher)?)?;

    let seed = plan.method.draw()?;
    let mut clock = Clock::start();
    let input = &job.input.held(progress)?;
    let Loaded { table, dropped_rows, taken, remarks: spelled } =
        load(input, &mut plan, *origin == PlanOrigin::Flags, progress)?;
    let schema = Schema::new(&plan, &table)?;
    publisher.admits(&plan)?; // now that all columns are known
    let encoded = Arc::new(Encoded::new(&table, &schema, &plan.input.missing, progress)?);
    let measure = cost::build(&plan.method.measure, &encoded)?;
    let constraints = constraint::all(&plan, &encoded)?;
    let problem = Problem::unchecked(encoded.clone(), measure, constraints, seed.0);
    let read = clock.lap();

    let cpu = usage::cpu_seconds();
    let partition = cluster(&mut plan, &schema, &problem, progress)?;
    let cpu_partition = usage::cpu_seconds().zip(cpu).map(|(end, start)| end - start);
    let partition_seconds = clock.lap();
    let certificate = job.certify.then(|| certify(&problem, &partition, progress)).transpose()?;
    clock.lap();

    let remarks = partition.remarks().iter().cloned().chain(left_behind(path, &*publisher));
    let mut remarks: Vec<String> = remarks.chain(spelled).collect();
    let suppressed = Suppressed::new(&encoded, partition.suppressed(), plan.privacy.k);
    let Release { tables, maker } = form(&table, &schema, &plan, &problem, &partition)?;
    remarks.extend(remarks::line_breaks(&tables)?);
    plan.method.publish = maker.unwrap_or(plan.method.publish);
    plan.amidst = Some(env!("CARGO_PKG_VERSION").to_owned());
    let left_out = partition.suppressed().to_vec();
    drop((problem, partition));
    let staged = stage(tables, output, &plan, &mut staging, progress)?;
    let asked = standalone(&plan)?;
    let (plan_file, stored) = store_plan(&asked, path, origin, &mut staging)?;
    let publish = clock.lap();

    let Proof { files, release, audit, rows: order } = prove(input, &staged, &stored, &asked, &left_out, progress)?;
    let view = View::new(&encoded, &schema, &release, Some(&order), plan.privacy.k)?;
    let scores = measure::scores(&view, &job.measures, progress)?;

    let described = Dictionary::new(&plan, encoded.domains(), staged.named(path, &files))?;
    let dictionary = path.map_or(Ok(None), |path| store_dictionary(&described, path, &mut staging))?;
    let manifest = path.map_or(Ok(None), |path| store_manifest(path, plan_file.as_deref(), &mut staging))?;
    let details = if job.details || !job.reports.is_empty() || !job.public_reports.is_empty() {
        let plan_file = plan_file.as_deref();
        let sides = Sides { original: &table, release: &release, view: &view, audit: &audit, plan: &plan, plan_file };
        Some(details::details(&sides, input.path(), path, &staging, progress)?)
    } else {
        None
    };
    let verify = clock.lap();

    let outcome = Outcome {
        audience: INTERNAL,
        audit,
        scores,
        certificate,
        seconds: Seconds { read, partition: partition_seconds, publish, verify },
        cpu_seconds: CpuSeconds { partition: cpu_partition },
        peak_memory_bytes: usage::peak_memory_bytes(),
        partitioner: plan.method.partitioner.to_string(),
        refine: plan.method.refine.iter().map(ToString::to_string).collect(),
        remarks,
        measure: plan.method.measure.to_string(),
        publish: plan.method.publish.to_string(),
        seed,
        fingerprint_key: plan.method.fingerprint_key,
        dropped_rows,
        suppressed,
        output: path.map(Path::to_owned),
        parts: path.map_or(Vec::new(), |path| publisher.parts().iter().map(|p| publish::path(path, p)).collect()),
        plan: plan_file,
        dictionary,
        manifest,
        reports: job.reports.clone(),
        public_reports: job.public_reports.clone(),
        details,
        taken,
        asked,
        described,
        rows: order.iter().map(|row| table.number(*row as usize) as u32 - 1).collect(),
        tables: staged.handed,
    };
    store_reports(job, &outcome, &mut staging)?;
    staging.publish(progress)?;
    Ok(outcome)
}

/// The release of a partition in the form that a plan asks for.
fn form(table: &Table, schema: &Schema, plan: &Plan, problem: &Problem, partition: &Partition) -> Result<Release> {
    let mut order = publish::row_order(table, schema, plan.method.order, problem.seed)?;
    order.retain(|row| partition.suppressed().binary_search(row).is_err());
    let original = Original { table, schema, order: &order };
    publish::build(&plan.method.publish)?.publish(&original, problem, partition)
}

/// How many of so many records a plan lets be left out.
fn allowed(plan: &Plan, rows: usize) -> usize {
    (plan.privacy.suppress * rows as f64) as usize
}

/// Clusters the records, and leaves some out where the plan allows it: in the partitioner's own way, if it was asked for that, else
/// where that loses less. Where the clock ended the search, the plan is made to say how to do the same again.
fn cluster(plan: &mut Plan, schema: &Schema, problem: &Problem, progress: Progress) -> Result<Partition> {
    let most = allowed(plan, problem.rows());
    let surplus = match problem.feasible() {
        Ok(()) => None,
        Err(e) => Some(suppress::surplus(problem, most).filter(|_| most > 0).ok_or(e)?),
    };
    let part = |plan: &Plan, kept: &[u32]| {
        let encoded = Arc::new(problem.encoded.select(kept));
        let (measure, constraints) = (cost::build(&plan.method.measure, &encoded)?, constraint::all(plan, &encoded)?);
        Problem::new(encoded, measure, constraints, problem.seed)
    };
    let again = |plan: &Plan, kept: &[u32]| Solver::new(plan)?.solve(schema, &part(plan, kept)?, progress);
    if let Some(surplus) = surplus {
        let partition = suppress::without(problem, surplus, |kept| again(plan, kept))?;
        made_by(plan, &partition);
        return Ok(partition);
    }
    let solver = Solver::new(plan)?;
    if most > 0 && solver.partitioner.suppresses() {
        let own = solver.partitioner.suppressing(problem, most, progress)?;
        let refined = suppress::keeping(problem, &own, |kept, own| {
            let part = part(plan, kept)?;
            solver.refine(schema, &part, partition::settled(&part, own, progress)?, progress)
        });
        if refined.is_ok() {
            return refined;
        }
        // Those that are left may no longer be diverse enough.
        progress.advance(0)?;
    }
    let partition = solver.solve(schema, problem, progress)?;
    made_by(plan, &partition);
    if most == 0 || solver.partitioner.suppresses() {
        return Ok(partition);
    }
    suppress::suppress(problem, partition, most, |kept| again(plan, kept), progress)
}

fn made_by(plan: &mut Plan, partition: &Partition) {
    if let Some(maker) = partition.maker() {
        plan.method.partitioner = maker.clone();
    }
}

/// The algorithms that a plan names.
struct Solver {
    partitioner: Box<dyn Partitioner>,
    refiners: Vec<Box<dyn Refiner>>,
    publisher: Box<dyn Publisher>,
}

impl Solver {
    fn new(plan: &Plan) -> Result<Self> {
        let refiners = plan.method.refine.iter().map(refine::build).collect::<Result<_>>()?;
        let partitioner = partition::build(&plan.method.partitioner)?;
        if plan.privacy.suppress == 0.0 && partitioner.suppresses() {
            return Err(Error::Parameter {
                owner: plan.method.partitioner.to_string(),
                message:
                    "leaves out records, but the plan allows none to be left out; allow some, as by `--suppress 2%`"
                        .to_owned(),
            });
        }
        Ok(Solver { partitioner, refiners, publisher: publish::build(&plan.method.publish)? })
    }

    fn solve(&self, schema: &Schema, problem: &Problem, progress: Progress) -> Result<Partition> {
        self.refine(schema, problem, self.partitioner.partition(problem, progress)?, progress)
    }

    fn refine(
        &self,
        schema: &Schema,
        problem: &Problem,
        mut partition: Partition,
        progress: Progress,
    ) -> Result<Partition> {
        let (maker, remarks) = (partition.maker().cloned(), partition.remarks().to_vec());
        for refiner in &self.refiners {
            partition = refiner.refine(problem, partition, progress)?;
        }
        let partition = if self.refiners.is_empty() { partition } else { partition.remarked(remarks) };
        let partition = classes::hold(problem, schema, &*self.publisher, partition, progress)?;
        Ok(match maker {
            Some(maker) => partition.made_by(maker),
            None => partition,
        })
    }
}

/// How far a partition is from the best possible at most.
fn certify(problem: &Problem, partition: &Partition, progress: Progress) -> Result<Certificate> {
    let (mut clock, cpu) = (Clock::start(), usage::cpu_seconds());
    let found = if partition.suppressed().is_empty() {
        bound::best(problem, progress)
    } else {
        Err(Error::NoBound("records were suppressed, and bounds are about releases of all records".to_owned()))
    };
    let (bound, reason) = match found {
        Ok(bound) => (Some(bound), None),
        Err(Error::NoBound(reason)) => (None, Some(reason)),
        Err(e) => return Err(e),
    };
    let cpu_seconds = usage::cpu_seconds().zip(cpu).map(|(end, start)| end - start);
    Ok(Certificate::new(problem.loss(partition), bound, reason, clock.lap(), cpu_seconds))
}

/// A table and the privacy of which it is asked what they cost at least.
#[derive(Debug)]
pub struct BoundJob {
    /// The table.
    pub input: Source,
    /// What is asked.
    pub plan: Plan,
    /// Where the plan comes from.
    pub origin: PlanOrigin,
}

/// Proves how little any release of a table can lose.
pub fn bound(job: &BoundJob, progress: Progress) -> Result<BoundOutcome> {
    let mut plan = job.plan.clone();
    constraint::check(&plan)?;
    let Loaded { table, taken, .. } = load(&job.input, &mut plan, job.origin == PlanOrigin::Flags, progress)?;
    let schema = Schema::new(&plan, &table)?;
    let encoded = Arc::new(Encoded::new(&table, &schema, &plan.input.missing, progress)?);
    let measure = cost::build(&plan.method.measure, &encoded)?;
    let constraints = constraint::all(&plan, &encoded)?;
    let seed = plan.method.seed.unwrap_or(Seed::FIXED);
    let problem = Problem::new(encoded, measure, constraints, seed.0)?;
    let (mut clock, cpu) = (Clock::start(), usage::cpu_seconds());
    let bound = bound::best(&problem, progress)?;
    Ok(BoundOutcome {
        rows: problem.rows(),
        k: plan.privacy.k,
        measure: plan.method.measure.to_string(),
        bound,
        seconds: clock.lap(),
        cpu_seconds: usage::cpu_seconds().zip(cpu).map(|(end, start)| end - start),
        taken,
    })
}

/// A published file to audit and what it is held against.
#[derive(Debug)]
pub struct AuditJob {
    /// The published file, ours or another tool's.
    pub release: Source,
    /// What it was meant to be: the roles of its columns, and how its original is read.
    pub plan: Plan,
    /// Whether the release must reach the plan's level to pass.
    pub demand: bool,
    /// Where the plan comes from.
    pub origin: PlanOrigin,
    /// The table it was made from, to check that every cell covers its value and to measure the loss.
    pub original: Option<Source>,
}

/// Finds out what a published file reaches.
pub fn audit(job: &AuditJob, progress: Progress) -> Result<AuditOutcome> {
    match (mixture(&job.release, &job.origin)?, reached(job, progress)) {
        // Files that do not belong together may not be readable together either.
        (Some(mixed), Err(e)) if !matches!(e, Error::Interrupted) => Ok(AuditOutcome::failed(vec![mixed])),
        (Some(mixed), Ok(mut outcome)) => {
            outcome.failures.insert(0, mixed);
            Ok(outcome)
        }
        (_, outcome) => outcome,
    }
}

fn reached(job: &AuditJob, progress: Progress) -> Result<AuditOutcome> {
    let mut plan = job.plan.clone();
    if job.demand {
        constraint::check_models(&plan)?;
    }
    let files = release_files(&job.release, &plan, &plan.input, progress)?;
    let columns = Columns::new(&files, &plan);
    let (mut failures, unnamed) = if job.origin == PlanOrigin::Flags {
        // Flags publish what they do not name, so all that can be done is to say so; and what they name and is not there is a mistake of theirs.
        (columns.forbidden, columns.unnamed.into_iter().map(|(_, name)| name).collect())
    } else {
        let incomplete = !columns.missing.is_empty();
        let failures = columns.failures();
        if incomplete {
            return Ok(AuditOutcome::failed(failures));
        }
        (failures, Vec::new())
    };
    let release = match verify::published(&files, &plan)? {
        Ok(release) => release,
        Err(failure) => {
            failures.push(failure);
            return Ok(AuditOutcome::failed(failures));
        }
    };
    for (name, column) in plan.columns.iter().filter(|(_, column)| column.role == Role::Sensitive) {
        Sensitive::new(name, column)?; // refuses what makes no sense
    }
    let audit = Audit::new(&release, &plan)?;
    if job.demand {
        failures.extend(audit.failures(&plan)?);
    }
    let (mut scores, mut covers_original) = (None, None);
    if let Some(original) = &job.original {
        let original = Beside::load(original, &mut plan, &job.origin, &release, progress)?;
        let Beside { schema, encoded, order, compared, wishes, .. } = original;
        covers_original = Some(compared.is_ok());
        let order = compared.is_ok().then_some(order.as_slice());
        let view = View::new(&encoded, &schema, &release, order, plan.privacy.k);
        // Cells that cover nothing may be unreadable too; the failure says so.
        let view = if order.is_some() { Some(view?) } else { view.ok() };
        scores = view.map(|view| measure::scores(&view, &Selection::Quick, progress)).transpose()?;
        failures.extend(compared.err());
        failures.extend(wishes.err());
    }
    Ok(AuditOutcome { audit: Some(audit), scores, covers_original, unnamed, failures })
}

/// A published file to measure against its original.
#[derive(Debug)]
pub struct MeasureJob {
    /// The table it was made from.
    pub original: Source,
    /// The published file.
    pub release: Source,
    /// What it was meant to be.
    pub plan: Plan,
    /// Where the plan comes from.
    pub origin: PlanOrigin,
    /// What is measured.
    pub measures: Selection,
}

/// Finds out how useful a published file still is.
pub fn measure(job: &MeasureJob, progress: Progress) -> Result<MeasureOutcome> {
    let mut plan = job.plan.clone();
    check_unmixed(&job.release, &job.origin)?;
    let strange = |Failure(message)| Error::Format { file: job.release.name(), message };
    let release = release(&job.release, &plan, &plan.input, progress)?.map_err(strange)?;
    let original = Beside::load(&job.original, &mut plan, &job.origin, &release, progress)?;
    let order = original.compared.is_ok().then_some(original.order.as_slice());
    let sizes = &release.classes.sizes;
    let k = sizes.iter().min().copied().unwrap_or(1);
    let view = View::new(&original.encoded, &original.schema, &release, order, k)?;
    let scores = measure::scores(&view, &job.measures, progress)?;
    Ok(MeasureOutcome { rows: release.table.rows(), classes: sizes.len(), scores })
}

/// The original of a release, compared with it row by row.
struct Beside {
    table: Table,
    schema: Schema,
    encoded: Arc<Encoded>,
    /// The row of the original that each published row comes from, if `compared` says so.
    order: Vec<u32>,
    compared: Result<(), Failure>,
    /// Whether everybody gets what they asked for; if `compared` says so.
    wishes: Result<(), Failure>,
}

impl Beside {
    fn load(
        original: &Source,
        plan: &mut Plan,
        origin: &PlanOrigin,
        release: &Published,
        progress: Progress,
    ) -> Result<Self> {
        let original = &original.held(progress)?;
        let Loaded { table, .. } = load(original, plan, *origin == PlanOrigin::Flags, progress)?;
        let schema = Schema::new(plan, &table)?;
        let encoded = Arc::new(Encoded::new(&table, &schema, &plan.input.missing, progress)?);
        // Flags say nothing about the order; releases that did not come with a plan of ours are in that of the input.
        let kept = *origin == PlanOrigin::Flags || plan.amidst.is_none();
        let order = if kept { RowOrder::Keep } else { plan.method.order };
        let anew = verify::original(original, plan, None, progress)?;
        let (order, compared) = match verify::compare(&anew, plan, release, order, LeftOut::Unknown)? {
            Ok(rows) => (rows.into_rows(), Ok(())),
            Err(failure) => (Vec::new(), Err(failure)),
        };
        let wishes = match compared {
            Ok(()) => verify::wishes(&anew, plan, release, &order)?,
            Err(_) => Ok(()),
        };
        Ok(Beside { table, schema, encoded, order, compared, wishes })
    }
}

/// A table as the plan wants it.
struct Loaded {
    table: Table,
    dropped_rows: usize,
    taken: Vec<(String, Kind)>,
    /// What to say about its values.
    remarks: Vec<String>,
}

/// Reads a table for a plan, with one spelling of each sensitive value where it wants that, completes the plan where it came from flags, and drops the rows it does not want.
fn load(source: &Source, plan: &mut Plan, complete: bool, progress: Progress) -> Result<Loaded> {
    let options = read::Options {
        delimiter: plan.input.delimiter,
        trim: plan.input.trim,
        skip: plan.columns_with(Role::Identifier).map(str::to_owned).collect(),
    };
    let table = source.read(&options, progress)?;
    let taken = if complete { guess::complete(plan, &table)? } else { Vec::new() };
    let (table, remarks) = remarks::spelled(table, plan, None)?;
    let (table, dropped_rows) = without_missing(table, plan)?;
    Ok(Loaded { table, dropped_rows, taken, remarks })
}

/// The table without the rows that miss a value where the plan wants that, and how many those are.
fn without_missing(table: Table, plan: &Plan) -> Result<(Table, usize)> {
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

fn unverified(failure: Failure) -> Error {
    Error::Unverified(failure.0)
}

struct Clock(Instant);

impl Clock {
    fn start() -> Self {
        Clock(Instant::now())
    }

    /// The seconds since the last lap.
    fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let lap = now - self.0;
        self.0 = now;
        lap.as_secs_f64()
    }
}
