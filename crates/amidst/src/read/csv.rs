//! CSV, by the `csv` crate, straight into dictionaries.
//!
//! `arrow-csv` would make plain arrays batch by batch, and reports mistakes as text; here every mistake carries its row.

use std::io::Read;

use csv::{ByteRecord, ErrorKind, ReaderBuilder, Trim};

use super::intern::Refusal;
use super::table::{Table, check_names, check_rows, check_skipped};
use super::{Interner, Options, read_error};
use crate::error::{Error, Result};

pub(super) fn read(file: &str, input: impl Read, options: &Options) -> Result<Table> {
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
    let mut record = ByteRecord::new();
    let mut row = 0;
    while reader.read_byte_record(&mut record).map_err(|e| csv_error(file, e))? {
        row += 1;
        let line = || record.position().map_or(row + 1, csv::Position::line);
        if record.len() != names.len() {
            return Err(Error::RaggedRow {
                file: file.to_owned(),
                row,
                line: line(),
                found: record.len(),
                expected: names.len(),
            });
        }
        for (i, (column, field)) in columns.iter_mut().zip(record.iter()).enumerate() {
            let Some(column) = column else { continue };
            column.push(field).map_err(|refusal| match refusal {
                Refusal::InvalidUtf8 => {
                    Error::InvalidUtf8 { file: file.to_owned(), row, line: line(), column: names[i].clone() }
                }
                Refusal::TooLarge => Error::column(&names[i], "holds over 2 GiB of distinct text; leave it out"),
            })?;
        }
    }
    check_rows(file, row)?;
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

fn csv_error(file: &str, error: csv::Error) -> Error {
    let message = error.to_string();
    match error.into_kind() {
        ErrorKind::Io(e) => read_error(file, e),
        _ => Error::Format { file: file.to_owned(), message },
    }
}
