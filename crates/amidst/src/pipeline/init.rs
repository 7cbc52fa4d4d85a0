//! A first plan for a table that nobody has described yet.

use crate::error::Result;
use crate::plan::{Encoding, Input, Plan};
use crate::progress::Progress;
use crate::read::{Asked, Options, Source, read_as_found};
use crate::schema::guess::{self, Guess};

/// A table to look at.
#[derive(Debug)]
pub struct InitJob {
    /// The table.
    pub input: Source,
    /// The k to put into the plan.
    pub k: usize,
    /// What separates the fields of a CSV file; detected where that is not said.
    pub delimiter: Option<char>,
    /// The encoding of a CSV file; detected where that is not said.
    pub encoding: Option<Encoding>,
    /// Whether the first row of a CSV file has the names of the columns; what looks like data is refused where that is not said.
    pub header: Option<bool>,
    /// Texts that stand for a missing value, beside the usual ones.
    pub missing: Vec<String>,
    /// Whether only these do.
    pub missing_only: bool,
}

/// A plan to start from, and what was guessed of each of its columns.
pub fn init(job: &InitJob, progress: Progress) -> Result<(Plan, Vec<Guess>)> {
    let InitJob { input, k, delimiter, encoding, header, missing, missing_only } = job;
    let source = input.held(progress)?; // it may be read twice
    let mut asked = Input {
        delimiter: *delimiter,
        encoding: *encoding,
        header: *header,
        missing: missing.clone(),
        missing_only: *missing_only,
        ..Input::default()
    };
    let mut table = read_as_found(&source, &mut asked, Asked { trims: true, ..Asked::default() }, progress)?;
    if !matches!(source, Source::Memory(..)) && guess::has_blanks(&table)? {
        asked.trim = true;
        table = source.read(&Options::of(&asked, Vec::new()), progress)?;
    }
    guess::plan(&table, &asked, *k)
}
