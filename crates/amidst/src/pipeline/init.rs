//! A first plan for a table that nobody has described yet.

use crate::error::Result;
use crate::plan::{Input, Plan};
use crate::progress::Progress;
use crate::read::{self, Options, Source};
use crate::schema::guess::{self, Guess};

/// A table to look at.
#[derive(Debug)]
pub struct InitJob {
    /// The table.
    pub input: Source,
    /// The k to put into the plan.
    pub k: usize,
    /// What separates the fields of a CSV file; what splits the header best where that is not said.
    pub delimiter: Option<char>,
    /// Texts that stand for a missing value, beside the usual ones.
    pub missing: Vec<String>,
    /// Whether only these do.
    pub missing_only: bool,
}

/// A plan to start from, and what was guessed of each of its columns.
pub fn init(job: &InitJob, progress: Progress) -> Result<(Plan, Vec<Guess>)> {
    let InitJob { input, k, delimiter, missing, missing_only } = job;
    let file = input.path();
    let once = file.is_some_and(read::is_stream);
    let delimiter = match (delimiter, file.filter(|_| !once)) {
        (Some(given), _) => *given,
        // Only the header matters.
        (None, Some(path)) => guess::delimiter(&read::first_line(path, progress)?),
        (None, None) => ',',
    };
    // A stream can be read only once, so its blanks go whether there are any or not.
    let options = Options { delimiter, trim: once, ..Options::default() };
    let mut table = input.read(&options, progress)?;
    let trim = once || file.is_some() && guess::has_blanks(&table)?;
    if trim && !once {
        table = input.read(&Options { trim, ..options }, progress)?;
    }
    let asked = Input { delimiter, trim, missing: missing.clone(), missing_only: *missing_only, ..Input::default() };
    guess::plan(&table, &asked, *k)
}
