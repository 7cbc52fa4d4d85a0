//! What can go wrong, said so that the reader knows what to do next.
//!
//! A message names the file, the column, the row and the value where there is one. It ends with what to do about it, in the words of
//! the plan; [`Error::message`] has the words of a front end instead. Rows are counted from 1, without the header; lines are those of
//! the file. Values of identifier columns are never part of a message. Values of sensitive columns are part of one only where their
//! order or their tree lacks them.

mod remedy;

use std::io;

use bytesize::ByteSize;

use crate::plan::Others;

pub(crate) use remedy::Remedy;
pub use remedy::{Remedies, Setting};

/// The result of everything in this library that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages are the documentation
pub enum Error {
    // ── files ────────────────────────────────────────────────────────────────────────────────────
    #[error("cannot {action} `{path}`: {source}")]
    Io { action: &'static str, path: String, source: io::Error },

    #[error("`{file}` is empty; a table needs a header line with the column names and at least one row")]
    EmptyFile { file: String },

    #[error("`{file}` has a header but no rows")]
    NoRows { file: String },

    #[error("`{file}`: column {position} has no name in the header; name it, or remove the column")]
    UnnamedColumn { file: String, position: usize },

    #[error("`{file}`: columns {first} and {second} are both named `{column}`; rename one of them")]
    DuplicateColumn { file: String, column: String, first: usize, second: usize },

    #[error(
        "`{file}`, row {row} (line {line}) has {found} fields where the {first} has {expected}; \
         quote fields that contain the delimiter, or repair the line"
    )]
    RaggedRow { file: String, row: u64, line: u64, found: usize, expected: usize, first: &'static str },

    #[error(
        "`{file}`, row {row} (line {line}), column `{column}`: the text is not valid UTF-8{}",
        for_encoding("windows-1252")
    )]
    InvalidUtf8 { file: String, row: u64, line: u64, column: String },

    #[error("`{file}`, row {row} (line {line}), column `{column}`: {problem}")]
    Field { file: String, row: u64, line: u64, column: String, problem: String },

    #[error("`{file}`, line {line}: the text is not UTF-8, and {why}{}", for_encoding("windows-1252"))]
    Encoding { file: String, line: u64, why: &'static str },

    #[error("`{file}`, line {line}: the text is not valid {encoding}{}", for_line())]
    Undecodable { file: String, line: u64, encoding: String },

    #[error("`{file}` looks like UTF-16 and is read as UTF-8{}", for_encoding("utf-16le"))]
    Utf16 { file: String },

    #[error(
        "the first row of `{file}` looks like data and not like names of columns, and names would be published: {}{}",
        places(columns),
        for_header()
    )]
    NoHeader { file: String, columns: Vec<(usize, &'static str)> },

    #[error("`{file}` is {what}, not a table that can be read; {advice}")]
    Foreign { file: String, what: &'static str, advice: &'static str },

    #[error(
        "`{path}` is no name for a release: tables can be written as .csv, .csv.gz, .csv.zst or .parquet, and not as {what}; \
         choose another name, and convert the release afterwards"
    )]
    OutputFormat { path: String, what: &'static str },

    #[error("`{file}` is damaged or not valid Parquet ({message}); write it again")]
    Damaged { file: String, message: String },

    #[error(
        "`{file}` is too large: its first {rows} rows alone need about {} of memory, and the limit is {}{}",
        ByteSize::b(*needed), ByteSize::b(*limit), for_memory()
    )]
    Memory { file: String, rows: u64, needed: u64, limit: u64 },

    #[error("`{file}`: {message}")]
    Format { file: String, message: String },

    #[error("`{file}` has {rows} rows; at most {limit} are supported in one table")]
    TooManyRows { file: String, rows: u64, limit: u64 },

    #[error("{output} `{path}` would overwrite {other} `{other_path}`, which {how}; choose another name")]
    Overwrites { output: String, path: String, other: String, other_path: String, how: &'static str },

    #[error("{error}; these files could not be restored to what they were: {files}")]
    NotPutBack { files: String, error: Box<Error> },

    #[error("{what} need the feature `{feature}`, which this build of amidst leaves out")]
    Feature { what: String, feature: &'static str },

    #[error("`{path}` is not a page: its name must end in .html")]
    NoPage { path: String },

    #[error("`{path}` is not a report: its name must end in .html, .json or .txt")]
    ReportForm { path: String },

    #[error(
        "the release would overwrite `{path}`, which is a plan that somebody wrote; \
         choose another output name, or rename the plan"
    )]
    PlanOverwritten { path: String },

    #[error(
        "the release would overwrite `{path}`, which is not a {what} that amidst wrote; \
         choose another output name, or rename it"
    )]
    StrangerOverwritten { what: &'static str, path: String },

    #[error("{0}")]
    Mixed(String),

    #[error("no plan is stored beside `{file}`; so it is not known how it was made{}", for_plan())]
    NoPlanBeside { file: String },

    #[error("there is no row {row} in `{file}`; it has {rows} rows, which are counted from 1 without the header")]
    NoRow { file: String, row: usize, rows: usize },

    #[error("`{path}` cannot hold the runs: its name must end in .csv or .json")]
    RunsForm { path: String },

    // ── the plan ─────────────────────────────────────────────────────────────────────────────────
    #[error("{} is not a valid plan: {message}", file.as_ref().map_or("the text".to_owned(), |file| format!("`{file}`")))]
    Plan { file: Option<String>, message: String },

    #[error("there is no column `{column}` in `{file}`{}", hint(suggestion.as_deref(), known))]
    UnknownColumn { column: String, file: String, suggestion: Option<String>, known: Vec<String> },

    #[error(
        "there is no column `{column}` in `{file}`, only one column named `{only}`, so the delimiter seems to be \
         {delimiter:?}{}",
        for_delimiter(*delimiter)
    )]
    Delimiter { column: String, file: String, only: String, delimiter: char },

    #[error(
        "the plan says nothing about {} of `{file}`; give each a role \
         (identifier, person, household, quasi, sensitive or other)",
        columns(names)
    )]
    NotInPlan { file: String, names: Vec<String> },

    #[error(
        "columns of `{file}` that nobody named look as if each could single a person out, so nothing is published:\n{}\n  say what each is{}",
        list(findings),
        for_identifying(findings)
    )]
    Identifying { file: String, findings: Vec<(String, String)> },

    #[error("the key `{place}`: {message}")]
    Key { place: String, message: String },

    #[error("{}{}", needs_key(column.as_deref()), for_key())]
    NoKey { column: Option<String> },

    #[error("no column is a quasi-identifier{}", for_quasi())]
    NoQuasi,

    #[error("column `{column}`: {message}{remedies}")]
    Column { column: String, message: String, remedies: Remedies },

    #[error("there is no {list} named `{name}`{}", hint(suggestion.as_deref(), known))]
    UnknownName { list: &'static str, name: String, suggestion: Option<String>, known: Vec<String> },

    #[error(
        "the plan has no `seed`, so it is not known how the rows were shuffled; use the plan that was stored beside the release"
    )]
    NoSeed,

    #[error("{owner}: {message}{remedies}")]
    Parameter { owner: String, message: String, remedies: Remedies },

    #[error("the operating system gives no random numbers ({reason}), so no secret seed can be drawn{}", for_seed())]
    NoRandomness { reason: String },

    #[error("there is no lower bound of the loss: {0}")]
    NoBound(String),

    #[error("{measure} cannot be measured: {message}")]
    NotApplicable { measure: String, message: String },

    // ── values ───────────────────────────────────────────────────────────────────────────────────
    #[error("`{file}`, row {row}, column `{column}`: `{value}` is not {expected}{}", for_value(value))]
    Unparsable { file: String, row: usize, column: String, value: String, expected: String },

    #[error(
        "`{file}`, row {row}, column `{column}`: `{value}` is not a leaf of {hierarchy}{}{}",
        suggestion.as_ref().map(|s| format!(" (there is `{s}`)")).unwrap_or_default(), for_leaf(value)
    )]
    NotInHierarchy {
        file: String,
        row: usize,
        column: String,
        value: String,
        hierarchy: String,
        suggestion: Option<String>,
    },

    #[error("{hierarchy}{}: {problem}", line.map(|l| format!(", line {l}")).unwrap_or_default())]
    Hierarchy { hierarchy: String, line: Option<usize>, problem: String },

    // ── privacy ──────────────────────────────────────────────────────────────────────────────────
    #[error(
        "the table has {rows} rows, fewer than k = {k}, so no class can have {k} records; lower k to {rows} or less"
    )]
    TooFewRows { rows: usize, k: usize },

    #[error(
        "the table has {persons} persons, fewer than k = {k}, so no class can have {k} of them; lower k to {persons} or less"
    )]
    TooFewPersons { persons: usize, k: usize },

    #[error("{model} is about sensitive values, and no column is sensitive{}", for_sensitive())]
    NoSensitive { model: String },

    #[error("{model} counts households, and no column says whose household a row belongs to{}", for_household())]
    NoHousehold { model: String },

    #[error("{0}")]
    Infeasible(String),

    #[error("the release was written but did not pass verification, so nothing was published: {0}")]
    Unverified(String),

    // ── the rest ─────────────────────────────────────────────────────────────────────────────────
    #[error("interrupted; nothing was published")]
    Interrupted,

    #[error("this is a bug in amidst, not in the input: {0}")]
    Internal(String),
}

impl Error {
    /// True where the input is fine but the privacy that was asked for cannot be had from it.
    pub fn is_infeasible(&self) -> bool {
        matches!(
            self,
            Error::TooFewRows { .. } | Error::TooFewPersons { .. } | Error::Infeasible(_) | Error::Unverified(_)
        )
    }

    /// What the user can do about it.
    pub fn remedies(&self) -> Remedies {
        match self {
            Error::Memory { .. } => for_memory(),
            Error::NoPlanBeside { .. } => for_plan(),
            Error::Delimiter { delimiter, .. } => for_delimiter(*delimiter),
            Error::InvalidUtf8 { .. } | Error::Encoding { .. } => for_encoding("windows-1252"),
            Error::Utf16 { .. } => for_encoding("utf-16le"),
            Error::Undecodable { .. } => for_line(),
            Error::NoHeader { .. } => for_header(),
            Error::Identifying { findings, .. } => for_identifying(findings),
            Error::NoKey { .. } => for_key(),
            Error::NoQuasi => for_quasi(),
            Error::NoSensitive { .. } => for_sensitive(),
            Error::NoHousehold { .. } => for_household(),
            Error::NoRandomness { .. } => for_seed(),
            Error::Unparsable { value, .. } => for_value(value),
            Error::NotInHierarchy { value, .. } => for_leaf(value),
            Error::Column { remedies, .. } | Error::Parameter { remedies, .. } => remedies.clone(),
            _ => Remedies::default(),
        }
    }

    /// The message of a front end, which writes settings as `spell` does. `Display` writes them as a plan does.
    pub fn message(&self, spell: impl Fn(&Setting) -> String) -> String {
        let (text, remedies) = (self.to_string(), self.remedies());
        // Every message ends with its remedies.
        match text.strip_suffix(&remedies.to_string()) {
            Some(problem) => format!("{problem}{}", remedies.spelled(|setting| Some(spell(setting)))),
            None => text,
        }
    }

    /// A name that is in no list.
    pub(crate) fn unknown_name(list: &'static str, name: &str, known: &[&str]) -> Self {
        Error::UnknownName {
            list,
            name: name.to_owned(),
            suggestion: nearest(name, known.iter().copied()),
            known: known.iter().map(|k| (*k).to_owned()).collect(),
        }
    }

    pub(crate) fn read(path: &(impl ToString + ?Sized), source: io::Error) -> Self {
        Error::Io { action: "read", path: path.to_string(), source }
    }

    pub(crate) fn write(path: &(impl ToString + ?Sized), source: io::Error) -> Self {
        Error::Io { action: "write", path: path.to_string(), source }
    }

    pub(crate) fn column(column: &str, message: &(impl ToString + ?Sized)) -> Self {
        Error::Column { column: column.to_string(), message: message.to_string(), remedies: Remedies::default() }
    }

    /// An operation on a column that only a mistake of ours can make fail.
    pub(crate) fn internal(column: &str, message: &(impl ToString + ?Sized)) -> Self {
        Error::Internal(format!("column `{column}`: {}", message.to_string()))
    }

    /// What is wrong with a parameter or a choice.
    pub(crate) fn parameter(owner: &str, message: impl Into<String>) -> Self {
        Error::Parameter { owner: owner.to_owned(), message: message.into(), remedies: Remedies::default() }
    }

    /// The same error, of a column or a parameter, with what to do about it.
    #[must_use]
    pub(crate) fn or<const N: usize>(mut self, ways: [Remedy; N]) -> Self {
        match &mut self {
            Error::Column { remedies, .. } | Error::Parameter { remedies, .. } => *remedies = ways.into(),
            other => unreachable!("{other:?} keeps no remedies"),
        }
        self
    }
}

fn for_memory() -> Remedies {
    let leave_out = Remedy::by("leave columns out", Setting::Identifier(Vec::new()));
    [Remedy::by("raise the limit", Setting::Memory), leave_out, Remedy::just("split the table")].into()
}

fn for_plan() -> Remedies {
    [Remedy::by("say where it is", Setting::Plan)].into()
}

fn for_delimiter(delimiter: char) -> Remedies {
    [Remedy::by("name it", Setting::Delimiter(delimiter))].into()
}

fn for_encoding(encoding: &'static str) -> Remedies {
    [Remedy::by("name the encoding of the file", Setting::Encoding(encoding)), Remedy::just("save it as UTF-8")].into()
}

fn for_line() -> Remedies {
    [Remedy::just("repair the line"), Remedy::by("name another encoding", Setting::Encoding("windows-1252"))].into()
}

fn for_header() -> Remedies {
    [
        Remedy::by("say that there are none", Setting::Header(false)),
        Remedy::by("say that it has the names", Setting::Header(true)),
    ]
    .into()
}

/// Columns by their places with what is odd about each. Of many the first ones are enough.
fn places(columns: &[(usize, &'static str)]) -> String {
    const SHOWN: usize = 3;
    let all = columns.iter().take(SHOWN).map(|(column, why)| format!("column {column} {why}")).collect::<Vec<_>>();
    let more = if columns.len() > SHOWN { format!(" and {} more", columns.len() - SHOWN) } else { String::new() };
    format!("{}{more}", all.join(", "))
}

/// Columns with what they seem to be, one a line.
fn list(findings: &[(String, String)]) -> String {
    let lines: Vec<String> = findings.iter().map(|(column, why)| format!("    `{column}`: {why}")).collect();
    lines.join("\n")
}

fn for_identifying(findings: &[(String, String)]) -> Remedies {
    let names = || findings.iter().map(|(column, _)| column.clone()).collect();
    [
        Remedy::by("leave them out", Setting::Identifier(names())),
        Remedy::by("generalize them", Setting::Quasi),
        Remedy::by("leave out all that nobody named", Setting::Others(Others::Drop)),
        Remedy::by("publish them all the same", Setting::PublishAsIs(names())),
    ]
    .into()
}

fn needs_key(column: Option<&str>) -> String {
    match column {
        Some(column) => format!("column `{column}`: what it is replaced by depends on a secret key, and none is given"),
        None => "which rows of a person are kept depends on a secret key, and none is given".to_owned(),
    }
}

fn for_key() -> Remedies {
    [Remedy::by("make one", Setting::NewKey), Remedy::by("name its file", Setting::Key)].into()
}

fn for_quasi() -> Remedies {
    [Remedy::by("name the columns that could single a person out", Setting::Quasi)].into()
}

fn for_sensitive() -> Remedies {
    [Remedy::by("name one", Setting::Sensitive)].into()
}

fn for_household() -> Remedies {
    [Remedy::by("name one", Setting::Household)].into()
}

fn for_seed() -> Remedies {
    [Remedy::just("try again"), Remedy::by("name a seed", Setting::Seed)].into()
}

fn for_value(value: &str) -> Remedies {
    let missing = Remedy::by("declare it missing", Setting::Missing(value.to_owned()));
    [Remedy::just("correct it"), missing, Remedy::just("give the column another kind")].into()
}

fn for_leaf(value: &str) -> Remedies {
    [Remedy::just("add it there"), Remedy::by("declare it missing", Setting::Missing(value.to_owned()))].into()
}

/// The name among `known` that was probably meant.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let wanted = name.to_lowercase();
    known
        .into_iter()
        .map(|k| (strsim::jaro_winkler(&wanted, &k.to_lowercase()), k))
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, k)| k.to_owned())
}

fn hint(suggestion: Option<&str>, known: &[String]) -> String {
    const SHOWN: usize = 20;
    match suggestion {
        Some(s) => format!("; did you mean `{s}`?"),
        None if known.is_empty() => "; the list is empty".to_owned(),
        None => {
            let rest = if known.len() > SHOWN { ", …" } else { "" };
            let shown = &known[..known.len().min(SHOWN)];
            format!("; there are: {}{rest}", shown.join(", "))
        }
    }
}

fn columns(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let quoted: Vec<_> = names.iter().take(SHOWN).map(|n| format!("`{n}`")).collect();
    match quoted.as_slice() {
        [one] => format!("column {one}"),
        many if names.len() > SHOWN => format!("columns {} and {} more", many.join(", "), names.len() - SHOWN),
        many => format!("columns {}", many.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_written_as_the_reader_knows_them() {
        let error = Error::NoSensitive { model: "frequency-l(l=2)".to_owned() };
        let problem = "frequency-l(l=2) is about sensitive values, and no column is sensitive";
        assert_eq!(error.to_string(), format!("{problem}; name one (role = \"sensitive\")"));
        assert_eq!(error.message(|setting| format!("<{setting:?}>")), format!("{problem}; name one (<Sensitive>)"));
    }

    #[test]
    fn what_a_value_says_stays_as_it_is() {
        // A value that reads like the end of the message.
        let value = "x; correct it, declare it missing (missing = [\"x\"]), or give the column another kind";
        let (file, column, expected) = ("in.csv".to_owned(), "a".to_owned(), "a number".to_owned());
        let error = Error::Unparsable { file, row: 1, column, value: value.to_owned(), expected };
        let message = error.message(|_| "here".to_owned());
        let problem = format!("`in.csv`, row 1, column `a`: `{value}` is not a number");
        assert_eq!(
            message,
            format!("{problem}; correct it, declare it missing (here), or give the column another kind")
        );
    }

    #[test]
    fn what_no_plan_says_is_left_out() {
        let error = Error::parameter("ring", "no").or([Remedy::by("write it to files", Setting::Output)]);
        assert_eq!(error.to_string(), "ring: no; write it to files");
        assert_eq!(error.message(|_| "-o".to_owned()), "ring: no; write it to files (-o)");
        assert_eq!(Error::parameter("ring", "no").message(|_| unreachable!()), "ring: no");
    }
}
