//! `amidst anonymize`

use std::path::PathBuf;
use std::sync::Arc;

use amidst::Sink;
use amidst::arrow_schema::Schema;
use amidst::pipeline::{self, Job, ProofTime, Selection};
use amidst::plan::{Changes, Kind, Profile};
use amidst::report::Certificate;
use clap::Args;

use crate::args::values::field;
use crate::args::{ColumnArgs, KArgs, MethodArgs, OutputArgs, PrivacyArgs, ReadingArgs};
use crate::flags::flag;
use crate::{Stop, check_stdout, note};

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst anonymize patients.csv -o release.csv --quasi age,zip,sex --others drop --sensitive disease --k 10 --l 3
  amidst anonymize patients.csv --dry-run --plan patients.plan.toml
  amidst anonymize patients.csv -o release.parquet --plan patients.plan.toml --report report.html
  zcat big.csv.gz | amidst anonymize - -o - --quasi age,zip --others drop --k 5 > release.csv")]
pub struct AnonymizeArgs {
    /// The table: CSV, CSV compressed with gzip or zstd, or Parquet; - is standard input
    input: PathBuf,
    /// The file for the release: .csv, .csv.gz, .csv.zst or .parquet; - is standard output
    #[arg(short, long, value_name = "FILE", required_unless_present = "dry_run")]
    output: Option<PathBuf>,
    /// Check everything and say what would be published and about how long it would take; write nothing
    ///
    /// It reads the table, checks the plan, the hierarchies and whether the required privacy is possible, and tries the algorithm
    /// on some of the rows.
    #[arg(long, help_heading = "Output")]
    dry_run: bool,
    #[command(flatten)]
    columns: ColumnArgs,
    #[command(flatten)]
    k: KArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    reading: ReadingArgs,
    /// What to measure: quick, all, or a list such as lm,query(predicates=3)
    #[arg(long, value_name = "NAMES", default_value = "quick", help_heading = "Output")]
    measures: Selection,
    /// Prove how far from the best possible the release is at most, in this time, or with full effort
    ///
    /// Without a time, the proof takes at most twice as long as the run until then, and at least a second if it needs that. When the time is
    /// up, what is proven until then is reported. `full` takes seconds to minutes, and proves the same on every machine. The release does
    /// not depend on it.
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true, help_heading = "Output")]
    #[expect(clippy::option_option, reason = "so clap knows that the flag may have a value")]
    certify: Option<Option<ProofTime>>,
    /// Write the internal report to a file: .html, .json or .txt (repeatable)
    ///
    /// It is for the people who answer for the release. It has the seed and figures of the original, so do not give it
    /// to recipients.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    report: Vec<PathBuf>,
    /// Write the report for recipients to a file: .html, .json or .txt (repeatable)
    ///
    /// It has nothing that helps to find people.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    public_report: Vec<PathBuf>,
    /// What the reports say of the people who answer for the release: FIELD=TEXT (repeatable)
    ///
    /// The fields are organisation, recipient, purpose, contact, signed-by and date. The reports leave a blank line for each
    /// that is not given.
    #[arg(long, value_name = "FIELD=TEXT", value_parser = field, help_heading = "Output")]
    about: Vec<(String, String)>,
    /// Add a checklist to the internal report: hipaa, gdpr, ema or iso27559 (repeatable)
    ///
    /// hipaa: Safe Harbor and Expert Determination.
    /// gdpr: Recital 26, by singling out, linkability and inference.
    /// ema: EMA Policy 0070 and Health Canada, with the threshold 0.09.
    /// iso27559: the framework of ISO/IEC 27559.
    ///
    /// Each question has the figure that was measured, or a blank line where people must answer.
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = "Output", verbatim_doc_comment)]
    profile: Vec<Profile>,
    #[command(flatten)]
    shown: OutputArgs,
}

pub fn run(args: &AnonymizeArgs) -> Result<(), Stop> {
    let AnonymizeArgs { input, output, method, reading, shown, .. } = args;
    if args.dry_run {
        return dry_run(args);
    }
    let Some(output) = output else { return Err(Stop::usage("the release needs a file name (-o)")) };
    let to_stdout = output.as_os_str() == "-";
    if to_stdout && shown.json {
        return Err(Stop::usage("the release and --json cannot both go to standard output; give -o a file name"));
    }
    if to_stdout {
        check_stdout()?;
    }
    method.threads.apply()?;
    let plan = args.columns.plan(&args.changes())?;
    let job = Job {
        measures: args.measures.clone(),
        certify: args.certify.map(Option::unwrap_or_default),
        advise: !shown.quiet,
        reports: args.report.clone(),
        public_reports: args.public_report.clone(),
        ..Job::new(input.clone(), output.clone(), plan)
    };
    let mut outcome = shown.watch(reading.memory, |progress| pipeline::anonymize(&job, progress))?;
    if !shown.quiet {
        say_taken(&outcome.taken);
        say_unnamed(&outcome.unnamed);
        if let Some(seconds) = outcome.certificate.as_ref().and_then(Certificate::stopped_after) {
            say_stopped("--certify", seconds);
        }
    }
    if !shown.json {
        outcome.warnings.iter_mut().for_each(|warning| warning.spell(flag));
    }
    if to_stdout && !shown.quiet {
        eprint!("{outcome}");
        return Ok(());
    }
    shown.show(&outcome)
}

/// Says what would be published, and writes nothing.
fn dry_run(args: &AnonymizeArgs) -> Result<(), Stop> {
    let AnonymizeArgs { input, output, method, reading, shown, .. } = args;
    method.threads.apply()?;
    let plan = args.columns.plan(&args.changes())?;
    // Without a name for the release, only what goes into it is checked.
    let output = output.clone().map_or_else(|| Sink::Memory(Arc::new(Schema::empty())), Sink::from);
    let job = Job {
        reports: args.report.clone(),
        public_reports: args.public_report.clone(),
        ..Job::new(input.clone(), output, plan)
    };
    let outcome = shown.watch(reading.memory, |progress| pipeline::dry_run(&job, progress))?;
    shown.show(&outcome)
}

impl AnonymizeArgs {
    fn changes(&self) -> Changes {
        let mut changes = Changes::default();
        self.k.change(&mut changes);
        self.privacy.change(&mut changes);
        self.method.change(&mut changes);
        self.reading.change(&mut changes);
        changes.about = self.about.iter().cloned().collect();
        changes.profile.clone_from(&self.profile);
        changes
    }
}

/// That a proof could go on is not kept a secret.
pub(super) fn say_stopped(flag: &str, seconds: f64) {
    let more = ((10.0 * seconds).ceil() as u64).max(10);
    note(&format!(
        "the proof was stopped when its time was up; more time may prove more: {flag} {more}s, or {flag} full"
    ));
}

/// Columns that nobody named are not published silently.
fn say_unnamed(unnamed: &[String]) {
    if !unnamed.is_empty() {
        let names = unnamed.join(", ");
        note(&format!(
            "published unchanged, because nobody named them: {names}; give each a role, or use --others drop"
        ));
    }
}

/// Kinds that nobody named are not taken silently.
pub(super) fn say_taken(taken: &[(String, Kind)]) {
    let by_kind = |kind: Kind, name: &str| {
        let columns: Vec<_> = taken.iter().filter(|(_, k)| *k == kind).map(|(column, _)| column.as_str()).collect();
        (!columns.is_empty()).then(|| format!("{} as {name}", columns.join(", ")))
    };
    let kinds = [(Kind::Range, "range"), (Kind::Taxonomy, "codes"), (Kind::Set, "set"), (Kind::Suppress, "suppress")];
    let parts: Vec<String> = kinds.into_iter().filter_map(|(kind, name)| by_kind(kind, name)).collect();
    if !parts.is_empty() {
        note(&format!("kinds taken from the values: {}; change them with --kind", parts.join("; ")));
    }
}
