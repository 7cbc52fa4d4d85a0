//! `amidst anonymize`

use amidst::pipeline::{self, Job, MOST_THREADS};
use amidst::plan::Kind;
use amidst::progress::Progress;

use super::plan;
use crate::args::AnonymizeArgs;
use crate::progress::Bar;
use crate::{Stop, check_stdout, note, print, print_json};

pub fn run(args: &AnonymizeArgs) -> Result<(), Stop> {
    let AnonymizeArgs { input, output, columns, k, privacy, method, reading, .. } = args;
    let AnonymizeArgs { measures, certify, report, public_report, output_args, .. } = args;
    let to_stdout = output.as_os_str() == "-";
    if to_stdout && output_args.json {
        return Err(Stop::usage("the release and --json cannot both go to standard output; give -o a file name"));
    }
    if to_stdout {
        check_stdout()?;
    }
    if let Some(threads) = method.threads {
        use_threads(threads)?;
    }
    let mut plan = plan::plan(columns, *k, privacy, reading)?;
    plan::apply(&mut plan, method)?;
    let job = Job {
        measures: measures.clone(),
        certify: *certify,
        reports: report.clone(),
        public_reports: public_report.clone(),
        ..Job::new(input.clone(), output.clone(), plan)
    };
    let bar = Bar::new(output_args.quiet, reading.memory);
    let outcome = pipeline::anonymize(&job, Progress::to(&bar))?;
    drop(bar);

    if !output_args.quiet {
        say_taken(&outcome.taken);
    }
    if output_args.json {
        print_json(&outcome)
    } else if output_args.quiet {
        Ok(())
    } else if to_stdout {
        eprint!("{outcome}");
        Ok(())
    } else {
        print(&outcome.to_string())
    }
}

pub(super) fn use_threads(threads: usize) -> Result<(), Stop> {
    if threads == 0 {
        return Err(Stop::usage("--threads must be 1 or more"));
    }
    if threads > MOST_THREADS {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let message = format!(
            "--threads can be {MOST_THREADS} at most; more than the cores of the machine ({cores}) do not help"
        );
        return Err(Stop::usage(message));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    pool.map_err(|e| Stop::usage(format!("cannot start {threads} threads: {e}")))
}

/// Kinds that nobody named are not taken silently.
pub(super) fn say_taken(taken: &[(String, Kind)]) {
    let by_kind = |kind: Kind, name: &str| {
        let columns: Vec<_> = taken.iter().filter(|(_, k)| *k == kind).map(|(column, _)| column.as_str()).collect();
        (!columns.is_empty()).then(|| format!("{} as {name}", columns.join(", ")))
    };
    let parts: Vec<String> = [(Kind::Range, "range"), (Kind::Set, "set"), (Kind::Suppress, "suppress")]
        .into_iter()
        .filter_map(|(kind, name)| by_kind(kind, name))
        .collect();
    if !parts.is_empty() {
        note(&format!("kinds taken from the values: {}; change them with --kind", parts.join("; ")));
    }
}
