//! Reads tables anew, as texts, with code that shares nothing with the stage that reads what is anonymized.
//!
//! CSV goes record by record through the `csv` crate, everything else through Arrow's own cast to text. Every column becomes a dictionary of its
//! distinct texts, except for nested ones, which stay as they are. As everywhere, what is no number is missing, and a time at midnight is a
//! day.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, BooleanArray, DictionaryArray, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Schema};
use arrow_select::concat::concat;
use csv::{ByteRecord, ReaderBuilder, Trim};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;

use super::Failure;
use crate::error::{Error, Result};
use crate::plan::{Input, MissingRows, Plan, Role};
use crate::progress::Progress;
use crate::read::{Source, Table, delimiter};

/// The original as a plan says that it is read: without its identifiers, and without the rows that the plan drops.
pub fn original(source: &Source, plan: &Plan, progress: Progress) -> Result<Table> {
    let is_identifier = |name: &str| plan.columns.get(name).is_some_and(|column| column.role == Role::Identifier);
    let table = table(source, &plan.input, is_identifier, progress)?;
    if plan.input.missing_rows == MissingRows::Keep {
        return Ok(table);
    }
    let mut kept = vec![true; table.rows()];
    for name in plan.columns_with(Role::Quasi).chain(plan.columns_with(Role::Sensitive)) {
        let texts = texts(&table, name)?;
        let is_missing = |text: &str| plan.input.missing.iter().any(|missing| missing == text);
        for (row, kept) in kept.iter_mut().enumerate() {
            *kept &= text(&texts, row).is_some_and(|text| !is_missing(text));
        }
    }
    table.filter(&BooleanArray::from(kept))
}

/// A table of a release.
pub fn release(source: &Source, input: &Input, progress: Progress) -> Result<Table> {
    table(source, input, |_| false, progress)
}

/// Names a column of a table in memory whose dictionary has a value that no row has: it would be handed out unseen.
pub fn spare_values(batch: &RecordBatch) -> Result<(), Failure> {
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let Some(dictionary) = column.as_any_dictionary_opt() else { continue };
        let mut used = vec![false; dictionary.values().len()];
        if !used.is_empty() {
            let keys = dictionary.normalized_keys().into_iter().enumerate();
            keys.filter(|(row, _)| dictionary.is_valid(*row)).for_each(|(_, key)| used[key] = true);
        }
        let spare = used.iter().filter(|used| !**used).count();
        if spare > 0 {
            let name = field.name();
            return Err(Failure(format!("column `{name}`: its dictionary has {spare} values that no row has")));
        }
    }
    Ok(())
}

fn table(source: &Source, input: &Input, skip: impl Fn(&str) -> bool, progress: Progress) -> Result<Table> {
    let name = source.name();
    let how = |path: Option<&Path>| -> Result<(u8, Trim)> {
        let asked = path.map_or(input.delimiter, |path| delimiter(path, input.delimiter));
        let delimiter = u8::try_from(asked).map_err(|_| broken(&name, &"the delimiter is not a single byte"))?;
        Ok((delimiter, if input.trim { Trim::All } else { Trim::None }))
    };
    match source {
        Source::File(path) => {
            let file = File::open(path).map_err(|e| Error::read(&name, e))?;
            let again = file.try_clone().map_err(|e| Error::read(&name, e))?;
            bytes(&name, file, again, how(Some(path))?, skip, progress)
        }
        Source::Held(_, held) => bytes(&name, Cursor::new(held.clone()), held.clone(), how(None)?, skip, progress),
        Source::Memory(frame, _) => {
            let batches = frame.batches().iter().cloned().map(Ok);
            batches_of(&name, frame.schema(), batches, skip, progress)
        }
    }
}

fn broken(file: &str, message: &dyn std::fmt::Display) -> Error {
    Error::Format { file: file.to_owned(), message: message.to_string() }
}

/// A file: its first bytes say what it is.
fn bytes(
    name: &str,
    input: impl Read,
    again: impl ChunkReader + 'static,
    how: (u8, Trim),
    skip: impl Fn(&str) -> bool,
    progress: Progress,
) -> Result<Table> {
    let mut input = BufReader::with_capacity(1 << 18, input);
    let failed = |e: io::Error| Error::read(name, e);
    let start = input.fill_buf().map_err(failed)?;
    if start.starts_with(b"PAR1") {
        let builder = ParquetRecordBatchReaderBuilder::try_new(again).map_err(|e| broken(name, &e))?;
        let wanted = builder.schema().fields().iter().enumerate().filter(|(_, field)| !skip(field.name()));
        let wanted: Vec<usize> = wanted.map(|(place, _)| place).collect();
        let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
        let batches = builder.with_projection(mask).with_batch_size(1 << 16).build().map_err(|e| broken(name, &e))?;
        let schema = arrow_array::RecordBatchReader::schema(&batches);
        return batches_of(name, &schema, batches, skip, progress);
    }
    if start.starts_with(&[0x1f, 0x8b]) {
        return records(name, flate2::bufread::MultiGzDecoder::new(input), how, skip, progress);
    }
    if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        let plain = zstd::stream::read::Decoder::with_buffer(input).map_err(failed)?;
        return records(name, plain, how, skip, progress);
    }
    records(name, input, how, skip, progress)
}

/// The records of a CSV file.
fn records(
    name: &str,
    input: impl Read,
    (delimiter, trim): (u8, Trim),
    skip: impl Fn(&str) -> bool,
    progress: Progress,
) -> Result<Table> {
    let mut reader = ReaderBuilder::new().delimiter(delimiter).trim(trim).buffer_capacity(1 << 18).from_reader(input);
    let header = reader.headers().map_err(|e| broken(name, &e))?.clone();
    let mut columns: Vec<Option<Column>> = header.iter().map(|column| (!skip(column)).then(Column::new)).collect();
    let mut record = ByteRecord::new();
    let mut rows = 0_u64;
    while reader.read_byte_record(&mut record).map_err(|e| broken(name, &e))? {
        for (column, field) in columns.iter_mut().zip(&record) {
            if let Some(column) = column {
                let text = std::str::from_utf8(field).map_err(|e| broken(name, &e))?;
                column.append(text).map_err(|e| broken(name, &e))?;
            }
        }
        rows += 1;
        if rows.is_multiple_of(4096) {
            progress.advance(0)?;
        }
    }
    let kept = header.iter().zip(columns).filter_map(|(name, column)| column.map(|column| (name, column)));
    let finish = |(name, mut column): (&str, Column)| (name.to_owned(), Arc::new(column.finish()) as ArrayRef);
    Table::new(name, kept.map(finish).collect())
}

/// The rows of Arrow batches.
fn batches_of(
    name: &str,
    schema: &Schema,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    skip: impl Fn(&str) -> bool,
    progress: Progress,
) -> Result<Table> {
    enum Growing {
        Texts(Column),
        Nested(Vec<ArrayRef>),
    }
    let growing =
        |of: &DataType| if of.is_nested() { Growing::Nested(Vec::new()) } else { Growing::Texts(Column::new()) };
    let fields: Vec<_> = schema.fields().iter().enumerate().filter(|(_, field)| !skip(field.name())).collect();
    let mut columns: Vec<Growing> = fields.iter().map(|(_, field)| growing(field.data_type())).collect();
    for batch in batches {
        let batch = batch.map_err(|e| broken(name, &e))?;
        for (column, (place, field)) in columns.iter_mut().zip(&fields) {
            let array = batch.column(*place);
            match column {
                Growing::Nested(arrays) => arrays.push(array.clone()),
                Growing::Texts(column) => extend(column, array).map_err(|e| Error::column(field.name(), &e))?,
            }
        }
        progress.advance(0)?;
    }
    let finished = columns.into_iter().zip(fields).map(|(column, (_, field))| {
        let array = match column {
            Growing::Texts(mut column) => Ok(Arc::new(column.finish()) as ArrayRef),
            Growing::Nested(arrays) if arrays.is_empty() => return Err(Error::NoRows { file: name.to_owned() }),
            Growing::Nested(arrays) => concat(&arrays.iter().map(AsRef::as_ref).collect::<Vec<_>>()),
        };
        Ok((field.name().clone(), array.map_err(|e| Error::column(field.name(), &e))?))
    });
    Table::new(name, finished.collect::<Result<_>>()?)
}

/// A column of texts in the making.
type Column = StringDictionaryBuilder<Int32Type>;

/// Appends the rows of an array to a column.
fn extend(column: &mut Column, array: &ArrayRef) -> Result<(), ArrowError> {
    let array = match array.data_type() {
        DataType::Dictionary(_, value) => cast(array, value)?,
        _ => array.clone(),
    };
    let is_float = array.data_type().is_floating();
    let is_time = matches!(array.data_type(), DataType::Timestamp(_, None) | DataType::Date64);
    let texts = cast(&array, &DataType::LargeUtf8)?;
    for text in texts.as_string::<i64>() {
        match text.filter(|text| !(is_float && *text == "NaN")) {
            None => column.append_null(),
            Some(text) => {
                let day = text.strip_suffix("T00:00:00").filter(|_| is_time);
                column.append(day.unwrap_or(text))?;
            }
        }
    }
    Ok(())
}

/// The texts of a column: a dictionary of the distinct ones.
pub(super) type Texts = DictionaryArray<Int32Type>;

/// The texts of a column.
pub(super) fn texts(table: &Table, column: &str) -> Result<Texts> {
    texts_of(table.column(column)?).map_err(|e| Error::column(column, &e))
}

/// The texts of an array.
pub(super) fn texts_of(array: &ArrayRef) -> Result<Texts, String> {
    if let Some(texts) = array.as_dictionary_opt::<Int32Type>()
        && texts.values().as_string_opt::<i32>().is_some()
    {
        return Ok(texts.clone());
    }
    let mut texts = Column::new();
    extend(&mut texts, array).map_err(|e| e.to_string())?;
    Ok(texts.finish())
}

/// The text in a row; none where it is null.
pub(super) fn text(texts: &Texts, row: usize) -> Option<&str> {
    texts.key(row).map(|key| texts.values().as_string::<i32>().value(key))
}

/// The distinct texts that some row has, by key; none for those that no row has.
pub(super) fn distinct(texts: &Texts) -> Vec<Option<&str>> {
    let values = texts.values().as_string::<i32>();
    let mut distinct = vec![None; values.len()];
    texts.keys().iter().flatten().for_each(|key| distinct[key as usize] = Some(values.value(key as usize)));
    distinct
}
