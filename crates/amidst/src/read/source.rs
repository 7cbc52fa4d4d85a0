//! The sources of tables.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use bytes::Bytes;

use super::table::{check_skipped, with_names};
use super::{Options, Table, held, is_stream, read, read_bytes};
use crate::error::{Error, Result};
use crate::progress::Progress;

/// A table to read. It can be read more than once, because the verification reads it again.
#[derive(Debug, Clone)]
pub enum Source {
    /// A file; `-` is standard input.
    File(PathBuf),
    /// The bytes of a file that came through a stream, with its name in messages.
    Held(String, Bytes),
    /// A table in memory, with the other tables of the release if it has several.
    Memory(Frame, Vec<(String, Frame)>),
}

/// A table in memory, as the caller passed it.
#[derive(Debug, Clone)]
pub struct Frame {
    name: String,
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Frame {
    /// A table of these batches. Messages call it `name`.
    pub fn new(
        name: &str,
        schema: SchemaRef,
        batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
        progress: Progress,
    ) -> Result<Self> {
        let mut all = Vec::new();
        for batch in batches {
            all.push(batch.map_err(|e| Error::Format { file: name.to_owned(), message: e.to_string() })?);
            progress.advance(0)?;
        }
        let unnamed = schema.fields().iter().any(|field| field.name().is_empty());
        let frame = Frame { name: name.to_owned(), schema, batches: all };
        if unnamed { frame.with_names() } else { Ok(frame) }
    }

    /// The same table, in which columns without names are called by their places.
    fn with_names(self) -> Result<Self> {
        let schema = Arc::new(with_names(&self.schema));
        let renamed = |batch: &RecordBatch| {
            let renamed = RecordBatch::try_new(schema.clone(), batch.columns().to_vec());
            renamed.map_err(|e| Error::Format { file: self.name.clone(), message: e.to_string() })
        };
        let batches = self.batches.iter().map(renamed).collect::<Result<_>>()?;
        Ok(Frame { name: self.name, schema, batches })
    }

    /// The name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The rows.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }
}

impl From<&Table> for Frame {
    fn from(table: &Table) -> Self {
        Frame { name: table.name().to_owned(), schema: table.schema(), batches: vec![table.batch().clone()] }
    }
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        Source::File(path)
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        Source::File(path.to_owned())
    }
}

impl From<&Table> for Source {
    fn from(table: &Table) -> Self {
        Frame::from(table).into()
    }
}

impl From<RecordBatch> for Source {
    fn from(batch: RecordBatch) -> Self {
        Frame { name: "the table".to_owned(), schema: batch.schema(), batches: vec![batch] }.into()
    }
}

impl From<Frame> for Source {
    fn from(frame: Frame) -> Self {
        Source::Memory(frame, Vec::new())
    }
}

impl Source {
    /// The name in messages.
    pub fn name(&self) -> String {
        match self {
            Source::File(path) => path.display().to_string(),
            Source::Held(name, _) => name.clone(),
            Source::Memory(frame, _) => frame.name.clone(),
        }
    }

    /// The path, if the source is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Source::File(path) => Some(path),
            Source::Held(..) | Source::Memory(..) => None,
        }
    }

    /// Reads the table, without the columns that the options skip.
    pub fn read(&self, options: &Options, progress: Progress) -> Result<Table> {
        match self {
            Source::File(path) => read(path, options, progress),
            Source::Held(name, bytes) => read_bytes(name, bytes.clone(), options, progress),
            Source::Memory(frame, _) => {
                progress.begin("reading", 0)?;
                let batches = frame.batches.iter().cloned().map(Ok);
                let table = Table::from_batches(&frame.name, &frame.schema, batches, progress)?;
                let names: Vec<String> = table.names().map(str::to_owned).collect();
                check_skipped(table.name(), &names, &options.skip)?;
                table.without(&options.skip)
            }
        }
    }

    /// The same source, except that a pipe or a device is read into memory, because it can be read only once.
    pub fn held(&self, progress: Progress) -> Result<Source> {
        match self {
            Source::File(path) if is_stream(path) => {
                let (name, bytes) = held(path, progress)?;
                Ok(Source::Held(name, bytes))
            }
            other => Ok(other.clone()),
        }
    }

    /// Another table of the same release, by the name of its part. Files are their own source, so this is the same source for them.
    pub(crate) fn beside(&self, part: &str) -> Result<Source> {
        let Source::Memory(_, beside) = self else { return Ok(self.clone()) };
        let found = beside.iter().find(|(name, _)| name == part);
        found.map(|(_, frame)| frame.clone().into()).ok_or_else(|| Error::Format {
            file: self.name(),
            message: format!("the release needs its part `{part}`, which was not given"),
        })
    }
}
