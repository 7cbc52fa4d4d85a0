//! The Parquet writer. It writes text as plain strings, which every reader supports.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::progress::Progress;

/// The number of rows that are written at a time.
const CHUNK_ROWS: usize = 1 << 16;

pub(super) fn write(out: &mut (dyn Write + Send), batch: &RecordBatch, progress: Progress) -> io::Result<()> {
    let fields = batch.schema_ref().fields().iter();
    let fields: Vec<_> = fields.map(|f| Field::new(f.name(), plain(f.data_type()), true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()));
    let mut writer = ArrowWriter::try_new(out, schema.clone(), Some(properties.build())).map_err(io_error)?;
    for start in (0..batch.num_rows()).step_by(CHUNK_ROWS) {
        let chunk = batch.slice(start, CHUNK_ROWS.min(batch.num_rows() - start));
        let columns: Result<_, _> = chunk.columns().iter().map(|c| cast(c, &plain(c.data_type()))).collect();
        let chunk = RecordBatch::try_new(schema.clone(), columns.map_err(io::Error::other)?);
        let chunk = chunk.map_err(io::Error::other)?;
        writer.write(&chunk).map_err(io_error)?;
        progress.advance(chunk.num_rows() as u64).map_err(io::Error::other)?;
    }
    writer.close().map(drop).map_err(io_error)
}

fn plain(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, value) => value.as_ref().clone(),
        other => other.clone(),
    }
}

/// The error of the underlying file, if that is what stopped the writer.
fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(io) => *io,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
