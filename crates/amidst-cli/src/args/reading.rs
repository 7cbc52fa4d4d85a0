//! How a table is read.

use std::path::PathBuf;

use amidst::plan::{Changes, Decimal, Encoding, MissingPerson};
use bytesize::ByteSize;
use clap::{Args, ValueEnum};

use super::values::{delimiter, memory, pair};

/// How a text file is written
#[derive(Args)]
pub struct TextArgs {
    /// The character between the fields of a CSV file, or \t for a tab [default: the one that its first rows show]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<char>,
    /// The encoding of a CSV file, such as windows-1252 or utf-16le [default: what its bytes show]
    ///
    /// UTF-8 and UTF-16 are recognized. Other bytes are taken for windows-1252, which also reads Latin-1, and a note says
    /// so. Releases are written in UTF-8.
    #[arg(long, value_name = "NAME")]
    pub encoding: Option<Encoding>,
    /// The first row of a CSV file has the names of the columns, although it looks like data
    #[arg(long)]
    header: bool,
    /// A CSV file has no names of columns: they become column_1, column_2 and so on
    #[arg(long, conflicts_with = "header")]
    no_header: bool,
}

impl TextArgs {
    /// Whether the first row has the names of the columns, if it was said.
    pub fn header(&self) -> Option<bool> {
        (self.header || self.no_header).then_some(self.header)
    }
}

/// How to read a table
#[derive(Args)]
#[command(next_help_heading = "Reading")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct ReadingArgs {
    #[command(flatten)]
    text: TextArgs,
    /// Drop blanks around the fields of a CSV file
    #[arg(long)]
    trim: bool,
    /// A text that stands for a missing value, in addition to the usual ones (repeatable)
    ///
    /// Empty cells always stand for one, and so do ?, NA, N/A, NaN, NULL, None and a single dot.
    #[arg(long, value_name = "TEXT", allow_negative_numbers = true)]
    missing: Vec<String>,
    /// Let only the texts of --missing stand for a missing value; without one, none does
    #[arg(long)]
    missing_only: bool,
    /// What separates numbers from their fractions: . or , [default: what the values of each column show]
    ///
    /// Say it if the values do not: 1,234 is 1234 with a separator of thousands, or a little more than 1.
    #[arg(long, value_name = "MARK")]
    decimal: Option<Decimal>,
    /// Leave out rows that miss a quasi-identifier or a sensitive value
    ///
    /// By default missing is a value like any other.
    #[arg(long)]
    drop_missing: bool,
    /// What to do with rows that do not say whose they are [default: refuse the table]
    ///
    /// own counts each of them as a person of its own. drop leaves them out. This is about the columns of --person.
    #[arg(long, value_name = "HOW")]
    missing_person: Option<MissingPersonArg>,
    /// The file of another table of the same persons, in place of the plan's: NAME=FILE (repeatable)
    #[arg(long, value_name = "NAME=FILE", value_parser = pair::<PathBuf>)]
    table: Vec<(String, PathBuf)>,
    /// Keep at most this many rows of each person
    ///
    /// The key decides which rows are kept, so the next release by the same key keeps the same ones. This is about the
    /// columns of --person.
    #[arg(long, value_name = "N")]
    rows_per_person: Option<usize>,
    /// The file with the secret key of --pseudonym, --shift and --rows-per-person [default: the variable AMIDST_KEY]
    ///
    /// `amidst key` makes one. Whoever has it can compute the pseudonym of everybody whose number or name is known.
    /// Keep it: the same key gives the same pseudonyms in the next release.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
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
        let ReadingArgs { text, trim, missing, missing_only, decimal, drop_missing, missing_person, .. } = self;
        let ReadingArgs { table, rows_per_person, key, fold, memory: _, .. } = self;
        changes.tables = table.iter().cloned().collect();
        changes.rows_per_person = *rows_per_person;
        changes.key.clone_from(key);
        (changes.delimiter, changes.encoding, changes.header) = (text.delimiter, text.encoding, text.header());
        changes.trim = *trim;
        changes.missing.clone_from(missing);
        changes.missing_only = *missing_only;
        changes.decimal = *decimal;
        changes.drop_missing = *drop_missing;
        changes.missing_person = missing_person.map(|how| match how {
            MissingPersonArg::Own => MissingPerson::Own,
            MissingPersonArg::Drop => MissingPerson::Drop,
        });
        changes.fold = *fold;
    }
}

/// What to do with rows that do not say whose they are
#[derive(Debug, Clone, Copy, ValueEnum)]
enum MissingPersonArg {
    Own,
    Drop,
}
