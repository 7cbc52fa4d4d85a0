//! The Parquet reader of the verification.

use arrow_schema::{ArrowError, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;

use super::reading::{Take, batches_of};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::read::{Caught, Table, caught};

/// Reads what is to be read of a file.
pub(super) fn read(
    name: &str,
    file: impl ChunkReader + 'static,
    take: impl Fn(&str) -> Take,
    progress: Progress,
) -> Result<Table> {
    let damaged = |message: String| Error::Damaged { file: name.to_owned(), message };
    let builder = caught(|| ParquetRecordBatchReaderBuilder::try_new(file)).map_err(damaged)?;
    let builder = builder.map_err(|e| damaged(e.to_string()))?;
    // What has no name is called by its place in the file, also if not all of it is read.
    let mut fields = Vec::new();
    let mut wanted = Vec::new();
    for (place, field) in builder.schema().fields().iter().enumerate() {
        let name = if field.name().is_empty() { format!("column_{}", place + 1) } else { field.name().clone() };
        if take(&name).of(field.data_type()) != Take::Nothing {
            fields.push(field.as_ref().clone().with_name(name));
            wanted.push(place);
        }
    }
    let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
    let batches = caught(|| builder.with_projection(mask).with_batch_size(1 << 16).build()).map_err(damaged)?;
    let batches = batches.map_err(|e| damaged(e.to_string()))?;
    let schema = Schema::new(fields);
    let batches = Caught::new(batches).map(|batch| batch.map_err(ArrowError::ParquetError).flatten());
    let batches = batches.map(|batch| batch.map_err(|e| damaged(e.to_string())));
    batches_of(name, &schema, batches, take, progress)
}
