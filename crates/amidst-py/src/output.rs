//! Tables for Python, and reports.

use std::fmt::Display;

use amidst::{Progress, ReadOptions, Source};
use arrow_array::{ArrayRef, RecordBatch, StructArray, UInt32Array};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::Field;
use arrow_select::take::take_record_batch;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};
use serde::Serialize;

use crate::error::unexpected;

/// A table in memory that every library with the Arrow PyCapsule interface can read, without copying.
#[pyclass(frozen, module = "amidst")]
pub struct ArrowTable(pub RecordBatch);

#[pymethods]
impl ArrowTable {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = self.0.schema();
        let field = Field::new_struct("", schema.fields().clone(), false).with_metadata(schema.metadata().clone());
        let rows: ArrayRef = std::sync::Arc::new(StructArray::from(self.0.clone()));
        let reader = Box::new(ArrayIterator::new([Ok(rows)].into_iter(), field.into()));
        Ok(to_stream_pycapsule(py, reader, requested_schema)?)
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.0.schema_ref().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// These rows, counted from 0.
    fn take(&self, rows: Vec<u32>) -> PyResult<Self> {
        let rows = UInt32Array::from(rows);
        take_record_batch(&self.0, &rows).map(ArrowTable).map_err(|e| unexpected(&e))
    }

    /// The texts of the first rows; no text where a value is missing.
    fn first(&self, rows: usize) -> PyResult<Vec<Vec<String>>> {
        let batch = self.0.slice(0, rows.min(self.0.num_rows()));
        let places: Vec<usize> = (0..batch.num_rows()).collect();
        let table = Source::from(batch).read(&ReadOptions::default(), Progress::silent());
        let cells = table.and_then(|table| {
            let columns = table.names().map(|name| Ok(table.cells(name, &places).unwrap_or_default()));
            columns.collect::<amidst::Result<Vec<_>>>()
        });
        let columns = cells.map_err(|e| unexpected(&e))?;
        let cell = |column: &Vec<String>, row: usize| column.get(row).cloned().unwrap_or_else(|| "…".to_owned());
        Ok(places.iter().map(|row| columns.iter().map(|column| cell(column, *row)).collect()).collect())
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// As bytes, to be pickled.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let batch = &slf.get().0;
        let mut writer = StreamWriter::try_new(Vec::new(), batch.schema_ref()).map_err(|e| unexpected(&e))?;
        let written = writer.write(batch).and_then(|()| writer.into_inner());
        let bytes = PyBytes::new(slf.py(), &written.map_err(|e| unexpected(&e))?);
        Ok((slf.get_type().getattr("_from_bytes")?, (bytes,)))
    }

    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let mut reader = StreamReader::try_new(bytes, None).map_err(|e| unexpected(&e))?;
        let batch = reader.next().unwrap_or_else(|| Ok(RecordBatch::new_empty(reader.schema())));
        batch.map(ArrowTable).map_err(|e| unexpected(&e))
    }

    fn __repr__(&self) -> String {
        format!("<amidst.ArrowTable of {} rows: {}>", self.0.num_rows(), self.column_names().join(", "))
    }
}

/// What came out, as JSON and as the text of the command line.
pub fn report(outcome: &(impl Serialize + Display)) -> PyResult<(String, String)> {
    Ok((json(outcome)?, outcome.to_string()))
}

/// Anything as JSON.
pub fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| unexpected(&e))
}
