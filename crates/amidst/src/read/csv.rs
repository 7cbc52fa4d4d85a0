//! CSV, by the `csv` crate, straight into dictionaries.
//!
//! `arrow-csv` would make plain arrays batch by batch, and reports mistakes as text; here every mistake carries its row.

use std::io::Read;

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder, Trim};
use rayon::prelude::*;

use super::intern::Refusal;
use super::table::{Table, check_names, check_rows, check_skipped};
use super::{Interner, Options, read_error};
use crate::error::{Error, Result};

/// So many rows are read before their cells are looked up.
const BATCH: usize = 8192;

pub(super) fn read(file: &str, input: impl Read + Send, options: &Options) -> Result<Table> {
    let delimiter = u8::try_from(options.delimiter).map_err(|_| Error::Format {
        file: file.to_owned(),
        message: format!("the delimiter {:?} is not a single byte", options.delimiter),
    })?;
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .trim(if options.trim { Trim::All } else { Trim::None })
        .flexible(true) // the lengths are checked below, with the row
        .buffer_capacity(1 << 18)
        .from_reader(input);

    let header = reader.byte_headers().map_err(|e| csv_error(file, e))?.clone();
    if header.is_empty() {
        return Err(Error::EmptyFile { file: file.to_owned() });
    }
    let names: Vec<String> = header
        .iter()
        .enumerate()
        .map(|(i, name)| {
            String::from_utf8(name.to_vec()).map_err(|_| Error::InvalidUtf8 {
                file: file.to_owned(),
                row: 0,
                line: 1,
                column: (i + 1).to_string(),
            })
        })
        .collect::<Result<_>>()?;
    check_names(file, names.iter().map(String::as_str))?;
    check_skipped(file, &names, &options.skip)?;

    let mut columns: Vec<Option<Interner>> =
        names.iter().map(|n| (!options.skip.contains(n)).then(Interner::default)).collect();
    let mut rows = Rows { file, names: &names, reader, row: 0 };
    let (mut batch, mut next) = (Batch::default(), Batch::default());
    rows.fill(&mut next);
    while next.rows > 0 || next.end.is_some() {
        std::mem::swap(&mut batch, &mut next);
        // One thread reads on while others look the cells up.
        rayon::join(|| batch.intern(file, &names, &mut columns), || rows.fill(&mut next)).0?;
        if let Some(error) = batch.end {
            return Err(error);
        }
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

/// The rows of a file, one after the other.
struct Rows<'a, R> {
    file: &'a str,
    names: &'a [String],
    reader: Reader<R>,
    /// The number of the row read last.
    row: u64,
}

impl<R: Read> Rows<'_, R> {
    /// Replaces a batch by the next rows.
    fn fill(&mut self, batch: &mut Batch) {
        batch.rows = 0;
        batch.first = self.row + 1;
        batch.records.resize_with(BATCH, ByteRecord::new);
        for record in &mut batch.records {
            match self.next(record) {
                Ok(true) => batch.rows += 1,
                Ok(false) => return,
                Err(error) => return batch.end = Some(error),
            }
        }
    }

    /// Reads a row; false where there is none.
    fn next(&mut self, record: &mut ByteRecord) -> Result<bool> {
        if !self.reader.read_byte_record(record).map_err(|e| csv_error(self.file, e))? {
            return Ok(false);
        }
        self.row += 1;
        let (row, found, expected) = (self.row, record.len(), self.names.len());
        if found == expected {
            return Ok(true);
        }
        Err(Error::RaggedRow { file: self.file.to_owned(), row, line: line(record, row), found, expected })
    }
}

/// Some rows of a file.
#[derive(Default)]
struct Batch {
    /// The number of the first.
    first: u64,
    /// More than `rows` where the file ended.
    records: Vec<ByteRecord>,
    rows: usize,
    /// What was wrong behind them.
    end: Option<Error>,
}

impl Batch {
    /// Appends the rows to the columns that are wanted.
    fn intern(&self, file: &str, names: &[String], columns: &mut [Option<Interner>]) -> Result<()> {
        let records = &self.records[..self.rows];
        let push = |(number, column): (usize, &mut Option<Interner>)| {
            let column = column.as_mut()?;
            let refused = |(place, record): (usize, &ByteRecord)| {
                column.push(&record[number]).err().map(|refusal| (place, number, refusal))
            };
            records.iter().enumerate().find_map(refused)
        };
        let refused = columns.par_iter_mut().enumerate().filter_map(push);
        let Some((place, number, refusal)) = refused.min_by_key(|(place, number, _)| (*place, *number)) else {
            return Ok(());
        };
        let row = self.first + place as u64;
        let (line, column) = (line(&records[place], row), names[number].clone());
        Err(match refusal {
            Refusal::InvalidUtf8 => Error::InvalidUtf8 { file: file.to_owned(), row, line, column },
            Refusal::TooLarge => Error::column(&column, "holds over 2 GiB of distinct text; leave it out"),
        })
    }
}

/// The line in which a row begins.
fn line(record: &ByteRecord, row: u64) -> u64 {
    record.position().map_or(row + 1, csv::Position::line)
}

fn csv_error(file: &str, error: csv::Error) -> Error {
    let message = error.to_string();
    match error.into_kind() {
        ErrorKind::Io(e) => read_error(file, e),
        _ => Error::Format { file: file.to_owned(), message },
    }
}
