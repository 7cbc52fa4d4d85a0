//! How a table is read.

use amidst::plan::Changes;
use bytesize::ByteSize;
use clap::Args;

use super::values::{delimiter, memory};

/// How to read a table
#[derive(Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadingArgs {
    /// What separates the fields of a CSV file: one character, or \t [default: a comma; a tab for .tsv]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    delimiter: Option<char>,
    /// Drop blanks around the fields of a CSV file
    #[arg(long)]
    trim: bool,
    /// A text that stands for a missing value; may be repeated
    #[arg(long, value_name = "TEXT", allow_negative_numbers = true)]
    missing: Vec<String>,
    /// Leave out rows that miss a quasi-identifier or a sensitive value, instead of treating missing as a value
    #[arg(long)]
    drop_missing: bool,
    /// Make one of the spellings of each sensitive value that differ only in case, blanks at the ends, the form of characters or the way
    /// a number is written (HIV, hiv; 1, 1.0): the most frequent
    #[arg(long)]
    fold: bool,
    /// How much memory the work may take, such as 8GB or 512MiB; a table that needs more is refused [default: three quarters of
    /// what the machine has]
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
