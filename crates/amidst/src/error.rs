//! What can go wrong, said so that the reader knows what to do next.
//!
//! A message names the file, the column, the row and the value where there is one, and ends with the way out.
//! Rows are counted from 1 and do not count the header; lines are those of the file. Values of identifier
//! columns are never part of a message, those of sensitive columns only where their order or their tree lacks them.

use std::io;

use bytesize::ByteSize;

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
        "`{file}`, row {row} (line {line}) has {found} fields where the header has {expected}; \
         quote fields that contain the delimiter, or repair the line"
    )]
    RaggedRow { file: String, row: u64, line: u64, found: usize, expected: usize },

    #[error(
        "`{file}`, row {row} (line {line}), column `{column}`: the text is not valid UTF-8; \
         convert the file first, for example with `iconv -f latin1 -t utf-8`"
    )]
    InvalidUtf8 { file: String, row: u64, line: u64, column: String },

    #[error("`{file}`, row {row} (line {line}), column `{column}`: {problem}")]
    Field { file: String, row: u64, line: u64, column: String, problem: String },

    #[error(
        "`{file}` looks like UTF-16; convert it first, for example with `iconv -f utf-16 -t utf-8`, \
         or save it as UTF-8 where it was made"
    )]
    Utf16 { file: String },

    #[error("`{file}` is damaged, or not as Parquet should be ({message}); write it again")]
    Damaged { file: String, message: String },

    #[error(
        "`{file}` is too large: with its first {rows} rows alone a run takes about {}, and the limit is {}; \
         raise it (--memory), leave columns out (--identifier), or split the table",
        ByteSize::b(*needed), ByteSize::b(*limit)
    )]
    Memory { file: String, rows: u64, needed: u64, limit: u64 },

    #[error("`{file}`: {message}")]
    Format { file: String, message: String },

    #[error("`{file}` has {rows} rows; at most {limit} are supported in one table")]
    TooManyRows { file: String, rows: u64, limit: u64 },

    #[error("{output} `{path}` would overwrite {other} `{other_path}`, which {how}; choose another name")]
    Overwrites { output: String, path: String, other: String, other_path: String, how: &'static str },

    #[error("{error}; what was there before could not be put back: {files}")]
    NotPutBack { files: String, error: Box<Error> },

    #[error("`{path}` is no page; its name must end in .html")]
    NoPage { path: String },

    #[error("`{path}` is no report; its name must end in .html, .json or .txt")]
    ReportForm { path: String },

    #[error(
        "the release would overwrite `{path}`, which is a plan that somebody wrote; \
         choose another output name, or rename the plan"
    )]
    PlanOverwritten { path: String },

    #[error(
        "the release would overwrite `{path}`, which is no {what} of amidst; choose another output name, or rename it"
    )]
    StrangerOverwritten { what: &'static str, path: String },

    #[error("{0}")]
    Mixed(String),

    #[error("`{path}` is neither .csv nor .json")]
    RunsForm { path: String },

    // ── arguments ────────────────────────────────────────────────────────────────────────────────
    #[error("{0}")]
    Usage(String),

    // ── the plan ─────────────────────────────────────────────────────────────────────────────────
    #[error("`{file}` is not a valid plan: {message}")]
    Plan { file: String, message: String },

    #[error("there is no column `{column}` in `{file}`{}", hint(suggestion.as_deref(), known))]
    UnknownColumn { column: String, file: String, suggestion: Option<String>, known: Vec<String> },

    #[error(
        "the plan says nothing about {} of `{file}`; give each a role \
         (identifier, quasi, sensitive or other)",
        columns(names)
    )]
    NotInPlan { file: String, names: Vec<String> },

    #[error(
        "no column is a quasi-identifier; name those that could single a person out (--quasi, or role = \"quasi\")"
    )]
    NoQuasi,

    #[error("column `{column}`: {message}")]
    Column { column: String, message: String },

    #[error("there is no {list} named `{name}`{}", hint(suggestion.as_deref(), known))]
    UnknownName { list: &'static str, name: String, suggestion: Option<String>, known: Vec<String> },

    #[error(
        "the plan has no `seed`, so nobody can tell in which order the rows were shuffled; use the plan that was stored beside the release"
    )]
    NoSeed,

    #[error("{owner}: {message}")]
    Parameter { owner: String, message: String },

    #[error("there is no lower bound of the loss: {0}")]
    NoBound(String),

    #[error("{measure} cannot be measured: {message}")]
    NotApplicable { measure: String, message: String },

    // ── values ───────────────────────────────────────────────────────────────────────────────────
    #[error(
        "`{file}`, row {row}, column `{column}`: `{value}` is not {expected}; \
         correct it, declare it missing (--missing '{value}'), or give the column another kind"
    )]
    Unparsable { file: String, row: usize, column: String, value: String, expected: String },

    #[error(
        "`{file}`, row {row}, column `{column}`: `{value}` is not a leaf of {hierarchy}{}; \
         add it there, or declare it missing (--missing '{value}')",
        suggestion.as_ref().map(|s| format!(" (there is `{s}`)")).unwrap_or_default()
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
        "the table has {rows} rows, fewer than k = {k}; no release can hide a record amidst {k}; lower k to {rows} or less"
    )]
    TooFewRows { rows: usize, k: usize },

    #[error(
        "{model} is about sensitive values, and no column is sensitive; \
         name one (--sensitive, or role = \"sensitive\" in the plan)"
    )]
    NoSensitive { model: String },

    #[error("{0}")]
    Infeasible(String),

    #[error("the release was written but does not pass its check, so nothing was published: {0}")]
    Unverified(String),

    #[error("interrupted; nothing was published")]
    Interrupted,
}

impl Error {
    /// True where the input is fine but the privacy that was asked for cannot be had from it.
    pub fn is_infeasible(&self) -> bool {
        matches!(self, Error::TooFewRows { .. } | Error::Infeasible(_) | Error::Unverified(_))
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
        Error::Column { column: column.to_string(), message: message.to_string() }
    }
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
