//! From a table to a verified release.

use std::path::{Path, PathBuf};

use super::banner;
use super::bound::certify;
use super::clock::{Clock, Lap};
use super::dataset::Dataset;
use super::draft::{Draft, Verified, VerifiedOther};
use super::others::Tables;
use super::places::{check_form, left_behind, places};
use super::proof_time::ProofTime;
use super::reports::store_reports;
use super::solve::Solver;
use super::{advice, details, others, remarks};
use crate::constraint;
use crate::error::Result;
use crate::measure::{self, Scores, Selection, View};
use crate::plan::{Plan, ReleaseForm, Seed};
use crate::problem::Problem;
use crate::progress::Progress;
use crate::publish::{self, Release};
use crate::read::Source;
use crate::report::advice::LossAdvice;
use crate::report::{Banner, Certificate, CpuSeconds, Details, Dictionary, INTERNAL, Outcome, Seconds, Suppressed};
use crate::usage;
use crate::write::{Sink, Staging};

/// A table to anonymize and how.
#[derive(Debug, Clone)]
pub struct Job {
    /// The table.
    pub input: Source,
    /// Where the release goes.
    pub output: Sink,
    /// Other tables of the same persons that are in no file, by the names that the plan has for them.
    pub tables: Vec<(String, Source)>,
    /// What is asked.
    pub plan: Plan,
    /// What is measured afterwards.
    pub measures: Selection,
    /// Whether to prove how far from the best possible the release is at most, and how long that may take.
    pub certify: Option<ProofTime>,
    /// Whether to look for what would keep more, if the release loses much.
    pub advise: bool,
    /// Whether to look for the details of a report, without which it has no page. They take time.
    pub details: bool,
    /// Where reports for the publisher go, by their extension as a page (.html), as JSON (.json) or as a text (.txt).
    pub reports: Vec<PathBuf>,
    /// Where reports for recipients go, in the same forms.
    pub public_reports: Vec<PathBuf>,
}

impl Job {
    /// Measures what is quick, looks for no advice, and writes no report.
    pub fn new(input: impl Into<Source>, output: impl Into<Sink>, plan: Plan) -> Self {
        let (input, output) = (input.into(), output.into());
        let (measures, certify, advise, details) = (Selection::Quick, None, false, false);
        let (reports, public_reports) = (Vec::new(), Vec::new());
        Job { input, output, tables: Vec::new(), plan, measures, certify, advise, details, reports, public_reports }
    }
}

/// Makes a release, verifies it from the bytes written, and only then puts it in place.
pub fn anonymize(job: &Job, progress: Progress) -> Result<Outcome> {
    made(job, |plan| Dataset::load_beside(&job.input, &job.tables, plan, progress), progress)
}

/// The same, with a table that `load` brings for the resolved plan.
pub(super) fn made(job: &Job, load: impl FnOnce(Plan) -> Result<Dataset>, progress: Progress) -> Result<Outcome> {
    // The whole begins first, so that its parts take no longer.
    let (mut whole, mut clock) = (Clock::start(), Clock::start());
    let (mut plan, solver) = resolve(&job.plan)?;
    let form = plan.method.form()?;
    check_form(job, form)?;
    let staging = Staging::new(&places(job, form)?)?;

    let seed = plan.method.draw()?;
    let mut data = load(plan)?;
    banner::refuse_identifiers(&data)?;
    let input = &data.source.clone();
    solver.publisher.admits(&data.plan)?; // now that all columns are known
    let problem = data.problem(seed)?;
    let read = clock.lap();
    let (tables, making) = solve(job, &solver, &mut data, &problem, (&whole, &mut clock), progress)?;
    drop(problem); // it takes much memory, and is needed no more
    let draft = Draft::new(job, &data.plan, tables, staging, progress)?;
    let publish = clock.lap();

    let mut verified = draft.verify(input, &data.others, &making.left_out, progress)?;
    let verify = clock.lap();
    let mut told = tell(job, &data, &mut verified, input.path(), progress)?;
    told.advice = advice::advice(job, &data, told.losses.as_deref(), progress)?;
    let seconds = Seconds {
        read: read.seconds,
        partition: making.took.seconds,
        certify: making.certificate.as_ref().map(|certificate| certificate.seconds),
        publish: publish.seconds,
        verify: verify.seconds,
        report: clock.lap().seconds,
        total: whole.lap().seconds,
    };
    let mut outcome = outcome(job, data, making, told, &verified, seconds);
    outcome.ask();
    outcome.parts = parts(job, form);
    outcome.parts.extend(others::outputs(job));
    store_reports(job, &outcome, &mut verified)?;
    outcome.tables = verified.publish(progress)?;
    Ok(outcome)
}

/// The plan with what its form leaves open to it, and the algorithms that it names. Finds mistakes before anything is read.
pub(super) fn resolve(plan: &Plan) -> Result<(Plan, Solver)> {
    let mut plan = plan.clone();
    constraint::check(&plan)?; // the cheapest mistakes to find
    plan.take_persons();
    plan.check_treatments()?;
    plan.check_key()?;
    plan.check_tables()?;
    let mut solver = Solver::new(&plan)?;
    solver.publisher.admits(&plan)?;
    if let Some(resolved) = solver.publisher.resolve(&plan)? {
        plan.method.publish = resolved;
        solver = Solver::new(&plan)?;
    }
    Ok((plan, solver))
}

/// What is known about a release from the making of it.
struct Making {
    seed: Seed,
    left_out: Vec<u32>,
    suppressed: Option<Suppressed>,
    certificate: Option<Certificate>,
    remarks: Vec<String>,
    /// Partitioning and refining.
    took: Lap,
}

/// Clusters the records, and makes tables of the clusters. The plan is made to say how to do the same again.
fn solve(
    job: &Job,
    solver: &Solver,
    data: &mut Dataset,
    problem: &Problem,
    (whole, clock): (&Clock, &mut Clock),
    progress: Progress,
) -> Result<(Tables, Making)> {
    let partition = solver.cluster(&mut data.plan, (&data.schema, &data.beside), problem, progress)?;
    let took = clock.lap();
    let certificate =
        job.certify.map(|time| certify(problem, &partition, (time, whole.elapsed()), progress)).transpose()?;
    clock.lap();
    let Release { tables, maker } = solver.form(data, problem, &partition)?;
    let others = others::publish(solver, data, problem, &partition, &tables[0])?;
    data.plan.method.publish = maker.unwrap_or_else(|| data.plan.method.publish.clone());
    data.plan.amidst = Some(env!("CARGO_PKG_VERSION").to_owned());
    let remarks = partition.remarks().iter().cloned().chain(left_behind(job.output.path(), data.plan.method.form()?));
    let remarks = remarks.chain(data.remarks.iter().cloned()).chain(remarks::line_breaks(&tables)?).collect();
    let suppressed = Suppressed::new(&data.encoded, partition.suppressed(), data.plan.privacy.k);
    let left_out = partition.suppressed().to_vec();
    Ok((
        Tables { main: tables, others },
        Making { seed: Seed(problem.seed), left_out, suppressed, certificate, remarks, took },
    ))
}

/// What is told about a verified release.
pub(super) struct Told {
    verdict: Banner,
    scores: Scores,
    /// The loss of each quasi-identifier by LM, in forms that it applies to.
    losses: Option<Vec<f64>>,
    advice: Vec<LossAdvice>,
    pub details: Option<Details>,
    described: Dictionary,
    /// Where dictionary and manifest will be.
    beside: Option<(PathBuf, PathBuf)>,
}

/// Measures a release, and writes what lies beside it.
pub(super) fn tell(
    job: &Job,
    data: &Dataset,
    verified: &mut Verified,
    input: Option<&Path>,
    progress: Progress,
) -> Result<Told> {
    let view = View::new(&data.encoded, &data.schema, &verified.release, Some(&verified.rows), data.plan.privacy.k)?;
    let scores = measure::scores(&view, &job.measures, progress)?;
    let mut described = Dictionary::new(&data.plan, data.encoded.domains(), verified.tables())?;
    for (other, from) in verified.others.iter().zip(&data.others) {
        let (file, table) = verified.named_other(other);
        described.add(&other.plan, from.encoded.domains(), file, table)?;
    }
    let beside = verified.add_beside(&described)?;
    let wanted = job.details || !job.reports.is_empty() || !job.public_reports.is_empty();
    let details = wanted.then(|| details::details(data, &view, verified, input, progress)).transpose()?;
    let verdict = banner::of_release(data, verified)?;
    let losses = measure::loss_by_column(&view)?;
    Ok(Told { verdict, scores, losses, advice: Vec::new(), details, described, beside })
}

fn outcome(job: &Job, data: Dataset, making: Making, told: Told, verified: &Verified, seconds: Seconds) -> Outcome {
    let Dataset { plan, table, completed, dropped_rows, .. } = data;
    let Making { certificate, suppressed, remarks, took, .. } = making;
    let Told { verdict, scores, advice, details, described, beside, .. } = told;
    let (dictionary, manifest) = beside.unzip();
    Outcome {
        audience: INTERNAL,
        about: verified.plan.report.clone(),
        verdict,
        audit: verified.audit.clone(),
        of_rows: verified.of_rows.clone(),
        warnings: verified.warnings.clone(),
        scores,
        advice,
        certificate,
        seconds,
        cpu_seconds: CpuSeconds { partition: took.cpu_seconds },
        peak_memory_bytes: usage::peak_memory_bytes(),
        partitioner: plan.method.partitioner.to_string(),
        refine: plan.method.refine.iter().map(ToString::to_string).collect(),
        remarks,
        measure: plan.method.measure.to_string(),
        publish: plan.method.publish.to_string(),
        seed: making.seed,
        fingerprint_key: plan.method.fingerprint_key,
        dropped_rows,
        suppressed,
        output: job.output.path().map(Path::to_owned),
        parts: Vec::new(),
        others: verified.others.iter().map(VerifiedOther::told).collect(),
        plan: verified.plan_file.clone(),
        dictionary,
        manifest,
        reports: job.reports.clone(),
        public_reports: job.public_reports.clone(),
        details,
        taken: completed.taken,
        unnamed: completed.unnamed.into_iter().map(|(name, _)| name).collect(),
        asked: verified.plan.clone(),
        described,
        rows: verified.rows.iter().map(|row| table.number(*row as usize) as u32 - 1).collect(),
        tables: Vec::new(),
    }
}

/// The other files of the release, where it has several.
fn parts(job: &Job, form: ReleaseForm) -> Vec<PathBuf> {
    let path = |output: &Path| form.parts().iter().map(|part| publish::path(output, part)).collect();
    job.output.path().map_or(Vec::new(), path)
}
