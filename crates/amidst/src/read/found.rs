//! Reads a table whose plan leaves open how its file is written, and says in the plan what was found.
//!
//! Every command reads originals this way, so one file is the same table for all of them. What a plan or a flag says is not guessed. The plan
//! that is stored beside a release says what was found, so the verification and later audits read the same.
//!
//! - A file is UTF-8 or UTF-16 by its first bytes. Whether all of it is UTF-8 is only known at its end, so it is read as such. If that fails,
//!   [`Letters`] looks at all bytes: most often they are windows-1252, which gives every byte one character. A wrong guess among encodings of
//!   one byte changes letters in the same way everywhere. It never makes two values one, and never moves a field.
//! - The delimiter, and whether the first row is a header, are read off the first rows ([`sample`]). A first line `sep=;` names the delimiter.
//! - Blanks around fields are part of the values, so a user is told of them ([`blanks`]).

use std::io::{BufRead, Read};

use memchr::memchr_iter;

use super::decode::Decoded;
use super::{Opened, Options, Source, Table, delimiter, is_utf16, letters, opened, read_error};
use super::{blanks, first_line, sample};
use crate::error::{Error, Result, Setting};
use crate::plan::{Encoding, Input};
use crate::progress::Progress;

/// How much of a file is looked at for its delimiter and its header, in bytes.
const HEAD_BYTES: u64 = 1 << 20;
/// The most of a file that is looked at if its rows are long, in bytes.
const MAX_HEAD_BYTES: usize = 32 << 20;
/// The number of lines that is enough.
const FEWEST_LINES: usize = 20;

/// What is known of a table before it is read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    /// Columns that are not loaded.
    pub skip: Vec<String>,
    /// Whether a release of the table was made with the same plan. Then its first row is known to be what the plan says.
    pub known: bool,
    /// Whether the caller looks after blanks around the fields.
    pub trims: bool,
}

impl Options {
    /// How `input` says that a table is read, with defaults for what it leaves open.
    pub(crate) fn of(input: &Input, skip: Vec<String>) -> Self {
        Options {
            delimiter: input.separator(),
            encoding: input.encoding.unwrap_or(Encoding::UTF_8),
            header: input.header.unwrap_or(true),
            trim: input.trim,
            skip,
        }
    }
}

/// Reads a table as `input` says. What it leaves open is detected, and `input` says it then.
pub(crate) fn read_as_found(source: &Source, input: &mut Input, asked: Asked, progress: Progress) -> Result<Table> {
    let source = &source.held(progress)?;
    let open = input.encoding.is_none();
    settle(source, input, asked.known, None, progress)?;
    let options = Options::of(input, asked.skip);
    let table = match source.read(&options, progress) {
        Err(Error::InvalidUtf8 { line, .. }) if open && input.encoding.is_none() => {
            let encoding = of_letters(source, line, progress)?;
            input.encoding = Some(encoding);
            source.read(&Options { encoding, ..options }, progress)
        }
        read => read,
    }?;
    if !asked.known && !asked.trims && !input.trim {
        let is_text = matches!(opened(source, progress)?, Some(Opened::Text(_)));
        blanks::remark(&table, is_text, progress)?;
    }
    Ok(table)
}

/// How a table is written that may be a release, while `input` is about its original. A release is UTF-8 if its bytes are, and the names that it
/// has for columns without one show that it has a header. `known` says that it has one in any case.
pub(crate) fn release_as_found(source: &Source, input: &Input, known: bool, progress: Progress) -> Result<Input> {
    let source = &source.held(progress)?;
    let said = input;
    let header = said.header.or(known.then_some(true));
    let mut input = Input { encoding: None, header, ..said.clone() };
    settle(source, &mut input, known, said.encoding, progress)?;
    if input.encoding.is_none()
        && let Some(found) = letters::of(source, progress)?
        && let Some(line) = found.first_odd_line
    {
        let said = said.encoding.filter(|encoding| *encoding != Encoding::UTF_8);
        input.encoding = Some(said.map_or_else(|| of_letters(source, line, progress), Ok)?);
    }
    if said.header == Some(false)
        && let Some(Head { text, whole, .. }) = head(source, &mut input.clone(), said.encoding, progress)?
    {
        let rows = sample::rows(&text, separator(source, &input, &text), whole);
        let names = |row: &Vec<String>| row.iter().any(|cell| cell.strip_prefix("column_").is_some_and(is_place));
        input.header = Some(rows.first().is_some_and(names));
    }
    Ok(input)
}

fn is_place(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The encoding of a text that is not UTF-8, which shows in this line.
fn of_letters(source: &Source, line: u64, progress: Progress) -> Result<Encoding> {
    let Some(found) = letters::of(source, progress)? else {
        return Err(Error::Internal(format!("`{}` is no text", source.name())));
    };
    let file = source.name();
    if let Some(why) = found.doubt() {
        return Err(Error::Encoding { file, line, why });
    }
    let text = format!("`{file}` is read as windows-1252 (Western European), because line {line} is not UTF-8");
    progress.remark(&text, &Setting::Encoding("NAME"));
    Ok(Encoding::WINDOWS_1252)
}

/// Finds out what the first bytes of a file show, and `input` leaves open. That they are in the encoding `said` is no news.
fn settle(source: &Source, input: &mut Input, known: bool, said: Option<Encoding>, progress: Progress) -> Result<()> {
    let wants_header = input.header.is_none() && !known;
    if input.delimiter.is_some() && input.encoding.is_some() && !wants_header {
        return Ok(());
    }
    let Some(Head { text, whole, announced }) = head(source, input, said, progress)? else {
        input.delimiter = Some(input.separator());
        return Ok(());
    };
    let file = source.name();
    if input.delimiter.is_none() {
        let default = source.path().map_or(',', |path| delimiter(path, ','));
        let found = match announced.unwrap_or_else(|| sample::delimiter(&text, whole)) {
            // The reader takes a tab for what separates these fields.
            ',' if default == '\t' => first_line::in_tsv(&text),
            found => found,
        };
        // A comma means the default of the file's extension.
        input.delimiter = Some(if found == default { ',' } else { found });
        if found != default {
            let text = format!("the fields of `{file}` are separated by {found:?}");
            progress.remark(&text, &Setting::Delimiter(default));
        }
    }
    if wants_header {
        let rows = sample::rows(&text, separator(source, input, &text), whole);
        let columns = sample::data_in_header(&rows);
        if !columns.is_empty() {
            return Err(Error::NoHeader { file, columns });
        }
        if sample::is_undecided(&rows) {
            progress.remark(&undecided(&file, rows[0].len()), &Setting::Header(false));
        }
    }
    Ok(())
}

/// Said where the first row is taken for names, and nothing shows that it is not a person. Its cells are not printed.
fn undecided(file: &str, columns: usize) -> String {
    let columns = if columns == 1 { "its column".to_owned() } else { format!("its {columns} columns") };
    format!(
        "the first row of `{file}` is taken for the names of {columns}, though it looks like the rows below; if it is a record, what it says of \
         somebody is published as names"
    )
}

/// The delimiter of a file by what is known of it.
fn separator(source: &Source, input: &Input, text: &[u8]) -> u8 {
    let said = input.separator();
    let by_name = source.path().is_some_and(|path| delimiter(path, said) != said);
    u8::try_from(if by_name { first_line::in_tsv(text) } else { said }).unwrap_or(b',')
}

/// The beginning of a text, as UTF-8 as far as its delimiters and digits go.
struct Head {
    /// The text without a line that only names the delimiter.
    text: Vec<u8>,
    whole: bool,
    /// The delimiter that such a line names.
    announced: Option<char>,
}

/// Reads the beginning of a text; `None` for other tables. If nobody said so, `input` says then whether it is UTF-16. A user
/// is told, unless it is the encoding `said`.
fn head(source: &Source, input: &mut Input, said: Option<Encoding>, progress: Progress) -> Result<Option<Head>> {
    let name = source.name();
    let Some(Opened::Text(mut text)) = opened(source, progress)? else { return Ok(None) };
    if input.encoding.is_none() {
        let start = text.fill_buf().map_err(|e| read_error(&name, e))?;
        if let Some(encoding) = is_utf16(start) {
            input.encoding = Some(encoding);
            if said != Some(encoding) {
                progress.remark(&format!("`{name}` is read as {encoding}"), &Setting::Encoding("NAME"));
            }
        }
    }
    let mut text: Box<dyn Read> = match input.encoding {
        Some(encoding) if encoding != Encoding::UTF_8 => Box::new(Decoded::new(text, encoding)),
        _ => Box::new(text),
    };
    let mut bytes = Vec::new();
    let whole = loop {
        let read = match text.by_ref().take(HEAD_BYTES).read_to_end(&mut bytes) {
            Err(e) if e.get_ref().is_some_and(|inner| matches!(inner.downcast_ref(), Some(Error::Interrupted))) => {
                return Err(Error::Interrupted);
            }
            // The reader finds the same mistake, and knows its place.
            Err(_) => break false,
            Ok(read) => read as u64,
        };
        // A table with very many columns has long rows.
        let enough = bytes.len() >= MAX_HEAD_BYTES || memchr_iter(b'\n', &bytes).nth(FEWEST_LINES).is_some();
        if read < HEAD_BYTES || enough {
            break read < HEAD_BYTES;
        }
    };
    let text = first_line::without_announcement(&bytes).to_vec();
    Ok(Some(Head { text, whole, announced: first_line::announced(&bytes) }))
}
