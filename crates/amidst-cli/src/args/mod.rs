//! What can be typed. Help, completions and the man page all come from here.
//!
//! Arguments that several commands share stand in groups, one file each. A group that says something of the plan turns itself into
//! [`Flags`](amidst::plan::Flags) or [`Changes`](amidst::plan::Changes) in the same file. What a single command takes stands with the command.

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

pub use columns::ColumnArgs;
pub use method::{MethodArgs, ThreadArgs};
pub use output::OutputArgs;
pub use privacy::{KArgs, ModelArgs, PrivacyArgs};
pub use reading::ReadingArgs;
pub use release::{FormArgs, ReleaseArgs};

use crate::commands::anonymize::AnonymizeArgs;
use crate::commands::attack::AttackArgs;
use crate::commands::audit::AuditArgs;
use crate::commands::bound::BoundArgs;
use crate::commands::compare::CompareArgs;
use crate::commands::demo::DemoArgs;
use crate::commands::init::InitArgs;
use crate::commands::list::ListArgs;
use crate::commands::measure::MeasureArgs;
use crate::commands::risk::RiskArgs;

/// Publishes personal data so that every record hides amidst at least k - 1 others
///
/// amidst turns a table about people into one that may be published: the columns that could single a person out
/// (quasi-identifiers) are generalized just enough that at least k records always look the same. Nothing is published
/// that has not been read back and verified.
#[derive(Parser)]
#[command(name = "amidst", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    it worked
  1    the data cannot satisfy the request, the audit fails, or an attack breaks a promise
  2    an argument, the plan, or a file is wrong, or amidst itself has a bug
  130  interrupted";

#[derive(Subcommand)]
pub enum Command {
    /// Look at a table and write a plan to start from
    Init(InitArgs),
    /// Publish a table
    Anonymize(AnonymizeArgs),
    /// Find out what a published table reaches, ours or another tool's
    Audit(AuditArgs),
    /// Measure how useful a published table still is, against its original
    Measure(MeasureArgs),
    /// Play the adversaries of the papers against a published table, and see what they learn
    Attack(AttackArgs),
    /// Find out how likely the people of a table are found, and by which columns; original or release
    Risk(RiskArgs),
    /// Try many algorithms and values of k on a table, side by side; publishes nothing
    Compare(CompareArgs),
    /// Prove how little any release of a table can lose; publishes nothing
    Bound(BoundArgs),
    /// Show what there is to choose from
    List(ListArgs),
    /// Anonymize the bundled Adult table and show the result
    Demo(DemoArgs),
    /// Print the JSON Schema of a command's --json and .json reports
    Schema {
        /// Which command, or the report for recipients
        #[arg(value_parser = PossibleValuesParser::new(SCHEMAS.iter().map(|(name, _)| *name)))]
        command: String,
    },
    /// Print a completion script for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}
