//! How a table is read.

use amidst::plan::Changes;
use bytesize::ByteSize;
use clap::Args;

use super::values::{delimiter, memory};

/// How to read a table
#[derive(Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadingArgs {
    /// The character between the fields of a CSV file, or \t for a tab [default: a comma; a tab for .tsv]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    delimiter: Option<char>,
    /// Drop blanks around the fields of a CSV file
    #[arg(long)]
    trim: bool,
    /// A text that stands for a missing value (repeatable)
    #[arg(long, value_name = "TEXT", allow_negative_numbers = true)]
    missing: Vec<String>,
    /// Leave out rows that miss a quasi-identifier or a sensitive value
    ///
    /// By default missing is a value like any other.
    #[arg(long)]
    drop_missing: bool,
    /// Replace all spellings of a sensitive value by the most frequent one
    ///
    /// Spellings differ in case (HIV, hiv), in blanks at the ends, in the form of characters, or in the way a number is
    /// written (1, 1.0).
    #[arg(long)]
    fold: bool,
    /// The most memory to use, such as 8GB or 512MiB [default: three quarters of the machine's memory]
    ///
    /// A table that needs more is refused.
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<ByteSize>,
}

impl ReadingArgs {
    /// Makes them part of what changes a plan.
    pub fn change(&self, changes: &mut Changes) {
        let ReadingArgs { delimiter, trim, missing, drop_missing, fold, memory: _ } = self;
        changes.delimiter = *delimiter;
        changes.trim = *trim;
        changes.missing.clone_from(missing);
        changes.drop_missing = *drop_missing;
        changes.fold = *fold;
    }
}
