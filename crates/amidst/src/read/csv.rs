//! The CSV reader. It uses the `csv` crate and builds dictionaries directly.
//!
//! `arrow-csv` would build plain arrays batch by batch and report mistakes as text. Here each mistake has its row, line and column.

use std::io::Read;

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};
use memchr::{memchr_iter, memchr2};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::intern::Refusal;
use super::memory::Memory;
use super::strict::{Fault, Strict};
use super::table::{COLUMN_LIMIT, Table, check_names, check_rows, check_skipped, too_many_columns};
use super::{Interner, Options, first_line, read_error};
use crate::error::{Error, Result};
use crate::progress::Progress;

/// The most rows of a batch.
const MAX_BATCH_ROWS: usize = 8192;
/// The size at which a batch ends, in bytes.
const MAX_BATCH_BYTES: usize = 8 << 20;
/// The largest buffer of a row that is reused, in bytes.
const MAX_REUSED_ROW_BYTES: usize = 1 << 16;

/// Reads a text. `by_name` says that its fields are separated by tabs if only the name of the file counts.
pub(super) fn read(
    file: &str,
    input: impl Read + Send,
    (options, by_name): (&Options, bool),
    progress: Progress,
) -> Result<Table> {
    let (input, delimiter) = first_line::begun(input, options.delimiter, by_name).map_err(|e| read_error(file, e))?;
    rows(file, input, &Options { delimiter, ..options.clone() }, progress)
}

/// Reads the header and the rows of a text.
fn rows(file: &str, input: impl Read + Send, options: &Options, progress: Progress) -> Result<Table> {
    let delimiter = u8::try_from(options.delimiter).ok().filter(|byte| !b"\"\r\n".contains(byte));
    let delimiter = delimiter.ok_or_else(|| Error::Format {
        file: file.to_owned(),
        message: format!(
            "{:?} cannot be a delimiter; it must be a single byte, and neither a quote nor a line break",
            options.delimiter
        ),
    })?;
    let input = Strict::new(input, delimiter, options.trim, progress).map_err(|e| read_error(file, e))?;
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(options.header)
        .flexible(true) // `Rows::next` checks the number of fields
        .buffer_capacity(1 << 18)
        .from_reader(input);

    let header = reader.byte_headers().map_err(|e| csv_error(file, e, 0, &[]))?.clone();
    if header.is_empty() {
        return Err(Error::EmptyFile { file: file.to_owned() });
    }
    if header.len() > COLUMN_LIMIT {
        return Err(too_many_columns(file, header.len()));
    }
    let names: Vec<String> =
        header.iter().enumerate().map(|(i, name)| column_name(file, i, name, options)).collect::<Result<_>>()?;
    check_names(file, names.iter().map(String::as_str))?;
    check_skipped(file, &names, &options.skip)?;

    let skip: FxHashSet<&String> = options.skip.iter().collect();
    let mut columns: Vec<Option<Interner>> =
        names.iter().map(|n| (!skip.contains(n)).then(Interner::default)).collect();
    let memory = Memory::new(file, progress);
    let first = if options.header { "header" } else { "first row" };
    let mut rows = Rows { file, names: &names, first, delimiter, reader, row: 0 };
    let (mut batch, mut next) = (Batch::new(options.trim), Batch::new(options.trim));
    rows.fill(&mut next);
    while next.rows > 0 || next.end.is_some() {
        std::mem::swap(&mut batch, &mut next);
        // One thread reads the next batch while others look up the cells of this one.
        rayon::join(|| batch.intern(file, &names, &mut columns), || rows.fill(&mut next)).0?;
        if let Some(error) = batch.end {
            return Err(error);
        }
        memory.check(batch.first - 1 + batch.rows as u64, columns.iter().flatten().map(Interner::size).sum())?;
    }
    check_rows(file, rows.row)?;
    let columns = names
        .into_iter()
        .zip(columns)
        .filter_map(|(name, column)| column.map(|c| (name, c)))
        .map(|(name, column)| {
            let array = column.finish().map_err(|e| Error::column(&name, &e))?;
            Ok((name, array))
        })
        .collect::<Result<_>>()?;
    Table::new(file, columns)
}

/// The name of a column in the header. A column without one is named by its place.
fn column_name(file: &str, place: usize, name: &[u8], options: &Options) -> Result<String> {
    let name = if options.trim { name.trim_ascii() } else { name };
    if !options.header || name.is_empty() {
        return Ok(format!("column_{}", place + 1));
    }
    let (row, line, column) = (0, 1, (place + 1).to_string());
    let name = String::from_utf8(name.to_vec()).map_err(|_| Error::InvalidUtf8 {
        file: file.to_owned(),
        row,
        line,
        column: column.clone(),
    })?;
    if name.contains('\0') {
        return Err(Error::Field { file: file.to_owned(), row, line, column, problem: Refusal::Nul.to_string() });
    }
    Ok(name)
}

/// The rows of a file.
struct Rows<'a, 'b, R> {
    file: &'a str,
    names: &'a [String],
    /// What the first row is called in messages.
    first: &'static str,
    delimiter: u8,
    reader: Reader<Strict<'b, R>>,
    /// The number of the last row that was read.
    row: u64,
}

impl<R: Read> Rows<'_, '_, R> {
    /// Fills a batch with the next rows.
    fn fill(&mut self, batch: &mut Batch) {
        (batch.rows, batch.first) = (0, self.row + 1);
        let mut bytes = 0;
        while batch.rows < MAX_BATCH_ROWS && bytes < MAX_BATCH_BYTES {
            if batch.rows == batch.records.len() {
                batch.records.push(ByteRecord::new());
            }
            let record = &mut batch.records[batch.rows];
            batch.returns = self.reader.get_ref().has_returns();
            match self.next(record) {
                Ok(true) => batch.rows += 1,
                Ok(false) => return,
                Err(error) => return batch.end = Some(error),
            }
            bytes += size(record);
        }
    }

    /// Reads a row; false at the end of the file.
    fn next(&mut self, record: &mut ByteRecord) -> Result<bool> {
        if size(record) > MAX_REUSED_ROW_BYTES {
            *record = ByteRecord::new();
        }
        let read = self.reader.read_byte_record(record);
        if !read.map_err(|e| csv_error(self.file, e, self.row + 1, self.names))? {
            return Ok(false);
        }
        self.row += 1;
        let (row, found, expected) = (self.row, record.len(), self.names.len());
        if found != expected {
            let (file, line, first) = (self.file.to_owned(), self.line(record), self.first);
            return Err(Error::RaggedRow { file, row, line, found, expected, first });
        }
        if memchr2(b'\n', b'\r', record.as_slice()).is_some()
            && let Some(field) = swallowing(record, self.delimiter)
        {
            let (file, column) = (self.file.to_owned(), self.names[field].clone());
            let problem =
                "a quoted field has several lines, each of which looks like a row; remove the quotes around it \
                           (a single quote is not a ditto mark), or, if it is one text, its line breaks"
                    .to_owned();
            return Err(Error::Field { file, row, line: self.line(record), column, problem });
        }
        Ok(true)
    }

    /// The line on which a row begins.
    fn line(&self, record: &ByteRecord) -> u64 {
        line(record, self.reader.get_ref().has_returns())
    }
}

/// The field of a row that seems to have swallowed other rows. Two quotes that were not meant as a pair turn all text between them into one
/// field. Then each line of the field has as many delimiters as a row.
///
/// Two cases are excluded: rows of one field, which have no delimiters, and prose, in which a blank follows each comma (`Springfield, IL`)
/// although no other field of the row begins with a blank.
fn swallowing(record: &ByteRecord, delimiter: u8) -> Option<usize> {
    let last = record.len() - 1;
    let delimiters = |line: &[u8]| memchr_iter(delimiter, line).count();
    let looks = |(place, field): (usize, &[u8])| {
        let mut lines = field.split(|byte| *byte == b'\n' || *byte == b'\r');
        let (first, end) = (lines.next()?, lines.next_back()?);
        // The first line of the field follows the earlier fields of its row. Its last line precedes the later fields.
        let rows = delimiters(first) == last - place && delimiters(end) == place;
        let rows = rows && lines.all(|line| line.is_empty() || delimiters(line) == last);
        let prose = || {
            memchr_iter(delimiter, field).all(|at| field.get(at + 1) == Some(&b' '))
                && !record.iter().enumerate().any(|(other, text)| other != place && text.starts_with(b" "))
        };
        (rows && !prose()).then_some(place)
    };
    record.iter().enumerate().filter(|_| last > 0).find_map(looks)
}

/// The size of a row in bytes.
fn size(record: &ByteRecord) -> usize {
    record.as_slice().len() + record.len() * size_of::<usize>()
}

/// A batch of rows.
struct Batch {
    /// Whether blanks around fields are removed.
    trim: bool,
    /// The number of the first row.
    first: u64,
    /// The buffers of the rows. The first `rows` are in use.
    records: Vec<ByteRecord>,
    rows: usize,
    /// Whether lines end with a carriage return and a line feed.
    returns: bool,
    /// The error after these rows, if any.
    end: Option<Error>,
}

impl Batch {
    fn new(trim: bool) -> Self {
        Batch { trim, first: 1, records: Vec::new(), rows: 0, returns: false, end: None }
    }

    /// Appends the rows to the columns that are loaded.
    fn intern(&self, file: &str, names: &[String], columns: &mut [Option<Interner>]) -> Result<()> {
        let records = &self.records[..self.rows];
        let push = |(number, column): (usize, &mut Option<Interner>)| {
            let column = column.as_mut()?;
            let refused = |(place, record): (usize, &ByteRecord)| {
                let field = if self.trim { record[number].trim_ascii() } else { &record[number] };
                column.push(field).err().map(|refusal| (place, number, refusal))
            };
            records.iter().enumerate().find_map(refused)
        };
        let refused = columns.par_iter_mut().enumerate().filter_map(push);
        let Some((place, number, refusal)) = refused.min_by_key(|(place, number, _)| (*place, *number)) else {
            return Ok(());
        };
        let row = self.first + place as u64;
        let (file, line, column) = (file.to_owned(), line(&records[place], self.returns), names[number].clone());
        Err(match refusal {
            Refusal::InvalidUtf8 => Error::InvalidUtf8 { file, row, line, column },
            other => Error::Field { file, row, line, column, problem: other.to_string() },
        })
    }
}

/// The line on which a row begins. The parser ends a line at a carriage return, so it counts the line feed behind it to the next row.
fn line(record: &ByteRecord, returns: bool) -> u64 {
    let Some(position) = record.position() else { return 1 };
    position.line() + u64::from(returns && position.byte() > 0)
}

/// Converts an error of the parser, or a fault in the quotes, to an error with row and line.
fn csv_error(file: &str, error: csv::Error, row: u64, names: &[String]) -> Error {
    let message = error.to_string();
    match error.into_kind() {
        ErrorKind::Io(e) => match e.get_ref().and_then(|inner| inner.downcast_ref::<Fault>()) {
            Some(Fault { kind, line, field, .. }) => {
                let column = names.get(*field).cloned().unwrap_or_else(|| (field + 1).to_string());
                Error::Field { file: file.to_owned(), row, line: *line, column, problem: kind.to_string() }
            }
            None => read_error(file, e),
        },
        _ => Error::Format { file: file.to_owned(), message },
    }
}
