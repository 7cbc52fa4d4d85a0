//! `amidst init`

mod questions;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use amidst::pipeline::{self, Guess, InitJob};
use amidst::plan::{Plan, Role};
use amidst::progress::Progress;
use bytesize::ByteSize;
use clap::Args;

use crate::args::TextArgs;
use crate::args::values::memory;
use crate::progress::Bar;
use crate::{Stop, check_stdout, print};

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst init patients.csv          # asks about each column, with a guess and its reason
  amidst init patients.csv --yes    # takes the guesses")]
pub struct InitArgs {
    /// The table
    input: PathBuf,
    /// The file for the plan; - is standard output [default: <table>.plan.toml beside the table]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The k of the plan
    #[arg(long, value_name = "K", default_value_t = 10)]
    k: usize,
    /// Take all guesses and ask nothing
    ///
    /// Questions are asked only on a terminal.
    #[arg(short, long)]
    yes: bool,
    /// Overwrite an existing plan
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    text: TextArgs,
    /// A text that stands for a missing value, in addition to the usual ones (repeatable)
    #[arg(long, value_name = "TEXT", allow_negative_numbers = true)]
    missing: Vec<String>,
    /// Let only the texts of --missing stand for a missing value; without one, none does
    #[arg(long)]
    missing_only: bool,
    /// The most memory to use, such as 8GB or 512MiB [default: three quarters of the machine's memory]
    ///
    /// A table that needs more is refused.
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    memory: Option<ByteSize>,
}

pub fn run(args: &InitArgs) -> Result<(), Stop> {
    let InitArgs { input, output, k, yes, force, text, missing, missing_only, memory } = args;
    let from_stdin = input.as_os_str() == "-";
    let to_stdout = output.as_ref().map_or(from_stdin, |o| o.as_os_str() == "-");
    if to_stdout {
        check_stdout()?;
    }
    let target = output.clone().unwrap_or_else(|| beside(input));
    if !force && !to_stdout && target.exists() {
        return Err(Stop::usage(format!("`{}` is there already; name another file or use --force", target.display())));
    }
    let bar = Bar::new(false, *memory);
    let job = InitJob {
        input: input.as_path().into(),
        k: *k,
        delimiter: text.delimiter,
        encoding: text.encoding,
        header: text.header(),
        missing: missing.clone(),
        missing_only: *missing_only,
    };
    let (mut plan, guesses) = pipeline::init(&job, Progress::to(&bar))?;
    drop(bar);

    let mut reasons: Vec<String> = guesses.iter().map(|guess: &Guess| guess.reason.clone()).collect();
    let can_ask = io::stdin().is_terminal() && io::stdout().is_terminal();
    if !yes && !from_stdin && !to_stdout && can_ask {
        questions::ask(&mut plan, &guesses, &mut reasons)?;
    }
    let reason = |name: &str| plan.columns.get_index_of(name).and_then(|i| reasons.get(i).cloned());
    let text = format!("{}{}", header(input, &target, to_stdout), plan.to_toml(reason));
    if to_stdout {
        return print(&text);
    }
    pipeline::save_plan(&text, &target, Some(input))?;
    print(&format!(
        "wrote {}\n\n{}\nread it, correct the roles and kinds, then:\n  amidst anonymize {} -o release.csv --plan {}\n",
        target.display(),
        roles(&plan),
        input.display(),
        target.display()
    ))
}

/// The columns by what happens to them.
fn roles(plan: &Plan) -> String {
    let line = |what: &str, role: Role| {
        let names: Vec<String> = plan
            .columns
            .iter()
            .filter(|(_, column)| column.role == role)
            .map(|(name, column)| {
                let rounded = column.round.as_ref().map(|step| format!("rounded to multiples of {step}"));
                let told: Vec<String> =
                    rounded.into_iter().chain(column.require.iter().map(ToString::to_string)).collect();
                if told.is_empty() { name.clone() } else { format!("{name} ({})", told.join(", ")) }
            })
            .collect();
        if names.is_empty() { String::new() } else { format!("  {what:14} {}\n", names.join(", ")) }
    };
    [
        line("left out", Role::Identifier),
        line("persons", Role::Person),
        line("generalized", Role::Quasi),
        line("sensitive", Role::Sensitive),
        line("unchanged", Role::Other),
    ]
    .concat()
}

fn header(input: &Path, target: &Path, to_stdout: bool) -> String {
    let plan = if to_stdout { "PLAN".into() } else { target.display().to_string() };
    format!(
        "# A plan for `{}`, guessed from its values: read it and correct it, then run\n\
         #   amidst anonymize {} -o release.csv --plan {plan}\n\
         #\n\
         # role: identifier (not published), person (says whose a row is; not published),\n\
         #       quasi (could single a person out together with others), sensitive (what nobody may learn about a person),\n\
         #       other (published as it is)\n\
         # kind: range, ordered (with order = [low, ..., high]), taxonomy (with hierarchy = \"FILE\"), set, suppress\n\n",
        input.display(),
        input.display()
    )
}

/// `data/people.csv.gz` gets `data/people.plan.toml`.
fn beside(input: &Path) -> PathBuf {
    let name = input.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or("table");
    input.with_file_name(format!("{stem}.plan.toml"))
}
