//! New rows for a release: what `Anonymizer.transform` does.

use amidst::ReadOptions;
use amidst::pipeline::{self, ExtendJob};
use arrow_schema::Schema;
use pyo3::prelude::*;

use crate::asked::Asked;
use crate::error::exception;
use crate::input::{Input, Published};
use crate::output::ArrowTable;
use crate::work;

#[pyfunction]
#[allow(clippy::too_many_arguments)] // what it takes
pub fn extend(
    py: Python,
    table: &Bound<PyAny>,
    name: &str,
    release: &Bound<PyAny>,
    asked: &str,
    purpose: &str,
    unmatched: &str,
    own: Vec<Option<u32>>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<ArrowTable> {
    let (plan, _) = Asked::new(py, asked)?.plan(py)?;
    let parsed = |e| exception(py, &e);
    let (purpose, unmatched) = (purpose.parse().map_err(parsed)?, unmatched.parse().map_err(parsed)?);
    let (rows, release) = (Input::new(table, name)?, Published::new(release, "release", Vec::new())?);
    let like = rows.schema().unwrap_or_else(|| Schema::empty().into());
    work::run(py, threads, progress.as_ref(), |progress| {
        let (rows, release) = (rows.source(progress)?, release.source(progress)?);
        pipeline::extend(&ExtendJob { release, plan, rows, purpose, unmatched, own, like }, progress)
    })
    .map(ArrowTable)
}

/// A number for all names and cells of a table, by which it is known again.
#[pyfunction]
pub fn fingerprint(py: Python, table: &Bound<PyAny>, name: &str) -> PyResult<String> {
    let input = Input::new(table, name)?;
    work::run(py, None, None, |progress| input.source(progress)?.read(&ReadOptions::default(), progress)?.fingerprint())
}
