//! The command line: arguments become a plan, the library does the work, the report is printed.

mod args;
mod commands;
mod flags;
mod progress;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

/// Why a command ended without success.
enum Stop {
    /// Something went wrong, and the library or the command says what.
    Error(String, u8),
    /// The report says it: an audit that does not pass, a promise that was broken.
    Failed,
}

impl From<amidst::Error> for Stop {
    fn from(error: amidst::Error) -> Self {
        let code = match &error {
            amidst::Error::Interrupted => 130,
            e if e.is_infeasible() => 1,
            _ => 2,
        };
        let message = error.message(flags::flag);
        let request = "please report it, with the command and, if you may, the plan";
        let message = if let amidst::Error::Internal(_) = error { format!("{message}; {request}") } else { message };
        Stop::Error(message, code)
    }
}

impl Stop {
    /// The command was not used as it is meant to be.
    fn usage(message: impl Into<String>) -> Self {
        Stop::Error(message.into(), 2)
    }
}

fn main() -> ExitCode {
    outlive_file_limits();
    let done = match Cli::parse_from(args::joined(std::env::args_os())).command {
        Command::Init(args) => commands::init::run(&args),
        Command::Anonymize(args) => commands::anonymize::run(&args),
        Command::Audit(args) => commands::audit::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Measure(args) => commands::measure::run(&args),
        Command::Attack(args) => commands::attack::run(&args),
        Command::Risk(args) => commands::risk::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Bound(args) => commands::bound::run(&args),
        Command::Key(args) => commands::key::run(&args),
        Command::List(args) => commands::list::run(&args),
        Command::Demo(args) => commands::demo::run(&args),
        Command::Schema { command } => commands::schema(&command),
        Command::Completions { shell } => commands::completions(shell),
        Command::Man => commands::man(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stop::Failed) => ExitCode::from(1),
        Err(Stop::Error(message, code)) => {
            let _ = writeln!(io::stderr(), "error: {message}");
            ExitCode::from(code)
        }
    }
}

/// A file that grows over the limit of the system (`ulimit -f`) is a write error; the signal that comes with it would end the
/// process before it can clean up.
fn outlive_file_limits() {
    #[cfg(unix)]
    {
        let ignored = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        // Without it the signal ends the process, as it does with most programs.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, ignored);
    }
}

/// Refuses to publish to a standard output that was closed (`>&-`). Rust opens the null device in its place before `main`, for
/// reading and writing; a shell that means `> /dev/null` opens it for writing alone.
fn check_stdout() -> Result<(), Stop> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        use std::os::unix::fs::MetadataExt;

        use nix::fcntl::{FcntlArg, OFlag, fcntl};

        let stdout = io::stdout();
        let device = stdout.as_fd().try_clone_to_owned().map(std::fs::File::from).and_then(|file| file.metadata());
        let null = std::fs::metadata("/dev/null");
        let is_null = device.is_ok_and(|device| null.is_ok_and(|null| device.rdev() == null.rdev()));
        let flags = fcntl(stdout.as_fd(), FcntlArg::F_GETFL).map_or(OFlag::empty(), OFlag::from_bits_truncate);
        if is_null && flags & OFlag::O_ACCMODE == OFlag::O_RDWR {
            return Err(Stop::usage("standard output is closed, so nothing can go there; give -o a file name"));
        }
    }
    Ok(())
}

/// Prints to standard output. A reader that has seen enough is no mistake.
fn print(text: &str) -> Result<(), Stop> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Stop::Error(format!("cannot write to standard output: {e}"), 2))
        }
        _ => Ok(()),
    }
}

/// Prints a value as one JSON object.
fn print_json(value: &impl serde::Serialize) -> Result<(), Stop> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Stop::usage(e.to_string()))?;
    print(&(text + "\n"))
}

/// Says something that is neither result nor error.
fn note(text: &str) {
    let _ = writeln!(io::stderr(), "note: {text}");
}
