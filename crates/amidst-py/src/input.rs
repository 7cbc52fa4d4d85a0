//! Tables from Python: paths, and whatever has the Arrow PyCapsule interface.

use std::path::PathBuf;

use amidst::progress::Progress;
use amidst::{Frame, Source};
use arrow_array::RecordBatchReader;
use arrow_schema::SchemaRef;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3_arrow::input::AnyRecordBatch;

/// A table that is still to be read: without the interpreter's lock.
pub enum Input {
    /// A file.
    File(PathBuf),
    /// A stream of batches, which messages call by this name.
    Stream(String, Box<dyn RecordBatchReader + Send>),
}

impl Input {
    /// What Python gave; `name` is what messages call a table in memory.
    pub fn new(object: &Bound<PyAny>, name: &str) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() || object.hasattr("__fspath__")? {
            return Ok(Input::File(object.extract()?));
        }
        if object.hasattr("__arrow_c_stream__")? || object.hasattr("__arrow_c_array__")? {
            return Ok(Input::Stream(name.to_owned(), object.extract::<AnyRecordBatch>()?.into_reader()?));
        }
        let kind = object.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "{kind} is not a table; pass a data frame with the Arrow PyCapsule interface (pandas, polars, pyarrow, duckdb, arro3) or a path"
        )))
    }

    /// Several tables with their names.
    pub fn named(tables: Vec<(String, Bound<PyAny>)>) -> PyResult<Vec<(String, Self)>> {
        tables.into_iter().map(|(name, table)| Input::new(&table, &name).map(|input| (name, input))).collect()
    }

    /// The same tables, or where they are.
    pub fn sources(tables: Vec<(String, Self)>, progress: Progress) -> amidst::Result<Vec<(String, Source)>> {
        tables.into_iter().map(|(name, input)| Ok((name, input.source(progress)?))).collect()
    }

    /// Names and types of the columns as they came; none of a file, which nobody has opened yet.
    pub fn schema(&self) -> Option<SchemaRef> {
        match self {
            Input::File(_) => None,
            Input::Stream(_, reader) => Some(reader.schema()),
        }
    }

    /// The table itself, or where it is.
    pub fn source(self, progress: Progress) -> amidst::Result<Source> {
        match self {
            Input::File(path) => Ok(path.into()),
            Input::Stream(name, reader) => {
                progress.begin("reading", 0)?;
                let schema = reader.schema();
                Frame::new(&name, schema, reader, progress).map(Source::from)
            }
        }
    }
}

/// A release from Python, with the tables that belong to it.
pub struct Published {
    main: Input,
    parts: Vec<(String, Input)>,
}

impl Published {
    /// What Python gave.
    pub fn new(main: &Bound<PyAny>, name: &str, parts: Vec<(String, Bound<PyAny>)>) -> PyResult<Self> {
        let part = |(part, object): (String, Bound<PyAny>)| Ok((part.clone(), Input::new(&object, &part)?));
        Ok(Published { main: Input::new(main, name)?, parts: parts.into_iter().map(part).collect::<PyResult<_>>()? })
    }

    /// The tables themselves, or where they are.
    pub fn source(self, progress: Progress) -> amidst::Result<Source> {
        let mut parts = Vec::new();
        for (name, part) in self.parts {
            if let Source::Memory(frame, _) = part.source(progress)? {
                parts.push((name, frame));
            }
        }
        Ok(match self.main.source(progress)? {
            Source::Memory(frame, _) => Source::Memory(frame, parts),
            file => file,
        })
    }
}
