//! The Parquet reader.

use std::fs::File;
use std::io::Read;

use arrow_schema::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;
use rustc_hash::FxHashSet;

use super::batches::from_batches;
use super::damage::{Caught, caught};
use super::memory::Memory;
use super::table::{COLUMN_LIMIT, Table, check_names, check_rows, check_skipped, named, too_many_columns, with_names};
use super::{Options, read_error};
use crate::error::{Error, Result};
use crate::progress::Progress;

pub(super) fn read_file(name: &str, file: File, options: &Options, progress: Progress) -> Result<Table> {
    read(name, file, options, progress)
}

/// Loads a stream into memory and reads it. Parquet is read from its end, and a stream cannot be.
pub(super) fn read_stream(name: &str, mut input: impl Read, options: &Options, progress: Progress) -> Result<Table> {
    let mut bytes = Vec::new();
    let memory = Memory::new(name, progress);
    input.by_ref().take(memory.bytes().saturating_add(1)).read_to_end(&mut bytes).map_err(|e| read_error(name, e))?;
    memory.check(0, bytes.len())?;
    read(name, bytes::Bytes::from(bytes), options, progress)
}

fn read(name: &str, input: impl ChunkReader + 'static, options: &Options, progress: Progress) -> Result<Table> {
    let damaged = |message: String| Error::Damaged { file: name.to_owned(), message };
    let builder = caught(|| ParquetRecordBatchReaderBuilder::try_new(input)).map_err(damaged)?;
    let builder = builder.map_err(|e| damaged(e.to_string()))?;
    let schema = builder.schema().clone();
    if schema.fields().len() > COLUMN_LIMIT {
        return Err(too_many_columns(name, schema.fields().len()));
    }
    let names: Vec<String> =
        schema.fields().iter().enumerate().map(|(place, field)| named(field.name(), place)).collect();
    check_names(name, names.iter().map(String::as_str))?;
    check_skipped(name, &names, &options.skip)?;
    let rows = builder.metadata().file_metadata().num_rows();
    let rows = u64::try_from(rows).map_err(|_| damaged(format!("it claims to have {rows} rows")))?;
    check_rows(name, rows)?;
    progress.begin("reading", rows)?;
    let skip: FxHashSet<&String> = options.skip.iter().collect();
    let wanted: Vec<usize> = (0..names.len()).filter(|i| !skip.contains(&names[*i])).collect();
    let taken = with_names(&schema).project(&wanted).map_err(|e| damaged(e.to_string()))?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
    let batches = caught(|| builder.with_projection(mask).with_batch_size(1 << 16).build()).map_err(damaged)?;
    let batches = batches.map_err(|e| damaged(e.to_string()))?;
    let batches = Caught::new(batches).map(|batch| batch.map_err(ArrowError::ParquetError).flatten());
    let batches = batches.map(|batch| batch.map_err(|e| damaged(e.to_string())));
    let table = from_batches(name, &taken, batches, progress)?;
    if table.rows() as u64 != rows {
        return Err(damaged(format!("it claims to have {rows} rows and has {}", table.rows())));
    }
    Ok(table)
}
