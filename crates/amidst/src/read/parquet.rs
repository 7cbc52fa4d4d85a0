//! Parquet and any other stream of Arrow batches.

use std::fs::File;
use std::io::Read;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Schema};
use arrow_select::concat::concat;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;

use super::intern::{is_text, push_all};
use super::table::{Table, check_names, check_rows, check_skipped};
use super::{Interner, Options, read_error};
use crate::error::{Error, Result};
use crate::progress::Progress;

pub(super) fn read_file(name: &str, file: File, options: &Options, progress: Progress) -> Result<Table> {
    read(name, file, options, progress)
}

/// A stream cannot be read from its end, where Parquet begins, so all of it is loaded first.
pub(super) fn read_stream(name: &str, mut input: impl Read, options: &Options, progress: Progress) -> Result<Table> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(|e| read_error(name, e))?;
    read(name, bytes::Bytes::from(bytes), options, progress)
}

fn read(name: &str, input: impl ChunkReader + 'static, options: &Options, progress: Progress) -> Result<Table> {
    let broken = |e: &dyn std::fmt::Display| Error::Format { file: name.to_owned(), message: e.to_string() };
    let builder = ParquetRecordBatchReaderBuilder::try_new(input).map_err(|e| broken(&e))?;
    let schema = builder.schema().clone();
    let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
    check_names(name, names.iter().map(String::as_str))?;
    check_skipped(name, &names, &options.skip)?;
    let rows = builder.metadata().file_metadata().num_rows();
    check_rows(name, rows.unsigned_abs())?;
    progress.begin("reading", rows.unsigned_abs())?;
    let wanted = (0..schema.fields().len()).filter(|i| !options.skip.contains(schema.field(*i).name()));
    let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
    let batches = builder.with_projection(mask).with_batch_size(1 << 16).build().map_err(|e| broken(&e))?;
    let schema = batches.schema();
    Table::from_batches(name, &schema, batches, progress)
}

/// A column in the making: text is interned, everything else is kept as it comes.
enum Growing {
    Text(Interner),
    Plain(Vec<ArrayRef>),
}

impl Table {
    /// A table from Arrow batches: one column each, text as dictionaries of distinct texts, the rest as it is.
    pub fn from_batches(
        name: &str,
        schema: &Schema,
        batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
        progress: Progress,
    ) -> Result<Self> {
        let mut columns: Vec<Growing> =
            schema
                .fields()
                .iter()
                .map(|f| {
                    if is_text(f.data_type()) { Growing::Text(Interner::default()) } else { Growing::Plain(Vec::new()) }
                })
                .collect();
        for batch in batches {
            let batch = batch.map_err(|e| Error::Format { file: name.to_owned(), message: e.to_string() })?;
            for ((column, array), field) in columns.iter_mut().zip(batch.columns()).zip(schema.fields()) {
                match column {
                    Growing::Text(interner) => {
                        push_all(interner, array).map_err(|message| Error::column(field.name(), &message))?;
                    }
                    Growing::Plain(arrays) => arrays.push(undictionaried(array, field.name())?),
                }
            }
            progress.advance(batch.num_rows() as u64)?;
        }
        let columns = columns
            .into_iter()
            .zip(schema.fields())
            .map(|(column, field)| {
                let array = match column {
                    Growing::Text(interner) => interner.finish(),
                    Growing::Plain(arrays) if arrays.is_empty() => {
                        return Err(Error::NoRows { file: name.to_owned() });
                    }
                    Growing::Plain(arrays) => concat(&arrays.iter().map(AsRef::as_ref).collect::<Vec<_>>()),
                };
                Ok((field.name().clone(), array.map_err(|e| Error::column(field.name(), &e))?))
            })
            .collect::<Result<_>>()?;
        Table::new(name, columns)
    }
}

/// Dictionaries of anything but text are unpacked: only text profits from them here.
fn undictionaried(array: &ArrayRef, column: &str) -> Result<ArrayRef> {
    match array.data_type() {
        DataType::Dictionary(_, value) => cast(array, value).map_err(|e| Error::column(column, &e)),
        _ => Ok(array.clone()),
    }
}
