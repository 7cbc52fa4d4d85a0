//! What can be typed. Help, completions and the man page all come from here.
//!
//! Arguments that several commands share stand in groups, one file each. A group that says something of the plan turns itself into
//! [`Flags`](amidst::plan::Flags) or [`Changes`](amidst::plan::Changes) in the same file. What a single command takes stands with the command.

mod certify;
mod columns;
mod method;
mod output;
mod privacy;
mod reading;
mod release;
pub mod values;

use amidst::report::SCHEMAS;
use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};

pub use certify::joined;
pub use columns::ColumnArgs;
pub use method::{MethodArgs, ThreadArgs};
pub use output::OutputArgs;
pub use privacy::{KArgs, ModelArgs, PrivacyArgs};
pub use reading::{ReadingArgs, TextArgs};
pub use release::{FormArgs, ReleaseArgs};

use crate::commands::anonymize::AnonymizeArgs;
use crate::commands::attack::AttackArgs;
use crate::commands::audit::AuditArgs;
use crate::commands::bound::BoundArgs;
use crate::commands::compare::CompareArgs;
use crate::commands::demo::DemoArgs;
use crate::commands::explain::ExplainArgs;
use crate::commands::init::InitArgs;
use crate::commands::key::KeyArgs;
use crate::commands::list::ListArgs;
use crate::commands::measure::MeasureArgs;
use crate::commands::risk::RiskArgs;

/// Publish personal data so that every record hides among at least k - 1 others
///
/// amidst turns a table about people into one that you can publish. Some columns could together single a person out:
/// the quasi-identifiers. amidst generalizes their values just enough that every record looks the same as at least
/// k - 1 others. It reads every release back and verifies it before it publishes it.
#[derive(Parser)]
#[command(name = "amidst", version, max_term_width = 100, after_help = FIRST_STEPS_AND_EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const FIRST_STEPS_AND_EXIT_CODES: &str = "\
First steps:
  amidst demo                 make a release of a bundled table, in the folder amidst-demo
  amidst init patients.csv    write a first plan for a table, patients.plan.toml; then correct it
  amidst anonymize patients.csv -o release.csv --plan patients.plan.toml

Exit codes:
  0    success
  1    the data cannot satisfy the request, an audit fails, or an attack breaks a promise
  2    an argument, the plan or a file is wrong, or amidst has a bug
  130  interrupted";

#[derive(Subcommand)]
pub enum Command {
    /// Look at a table and write a first plan for it
    Init(InitArgs),
    /// Make a release of a table
    Anonymize(AnonymizeArgs),
    /// Check which privacy a published table reaches, also that of another tool
    Audit(AuditArgs),
    /// Explain why a row or a column of a release is as general as it is
    Explain(ExplainArgs),
    /// Measure how useful a published table still is, compared with its original
    Measure(MeasureArgs),
    /// Attack a published table as known adversaries do, and report what they learn
    Attack(AttackArgs),
    /// Estimate how likely people are found in a table, and by which columns
    Risk(RiskArgs),
    /// Compare algorithms and values of k on a table; publishes nothing
    Compare(CompareArgs),
    /// Prove a lower bound on the loss of any release of a table; publishes nothing
    Bound(BoundArgs),
    /// Make a secret key for pseudonyms and shifted dates
    Key(KeyArgs),
    /// List the available algorithms, measures, privacy models, forms and adversaries
    List(ListArgs),
    /// Anonymize the bundled Adult table and show the result
    Demo(DemoArgs),
    /// Print the JSON Schema of the JSON reports of a command
    Schema {
        /// The command, or the report for recipients
        #[arg(value_parser = PossibleValuesParser::new(SCHEMAS.iter().map(|(name, _)| *name)))]
        command: String,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}
