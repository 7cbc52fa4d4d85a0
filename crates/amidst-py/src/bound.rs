//! `bound`

use amidst::pipeline::{self, BoundJob};
use pyo3::prelude::*;

use crate::asked::Asked;
use crate::input::Input;
use crate::output::report;
use crate::work;

#[pyfunction]
pub fn bound(
    py: Python,
    table: &Bound<PyAny>,
    name: &str,
    asked: &str,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let (plan, _) = Asked::new(py, asked)?.plan(py)?;
    let input = Input::new(table, name)?;
    let outcome = work::run(py, threads, progress.as_ref(), |progress| {
        pipeline::bound(&BoundJob { input: input.source(progress)?, plan }, progress)
    })?;
    report(&outcome)
}
