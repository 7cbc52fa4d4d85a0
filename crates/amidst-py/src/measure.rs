//! `measure`

use amidst::pipeline::{self, MeasureJob, Selection};
use pyo3::prelude::*;

use crate::asked::Asked;
use crate::input::{Input, Published};
use crate::output::report;
use crate::work;

#[pyfunction]
#[allow(clippy::too_many_arguments)] // those of the command line
pub fn measure(
    py: Python,
    original: &Bound<PyAny>,
    name: &str,
    release: &Bound<PyAny>,
    parts: Vec<(String, Bound<PyAny>)>,
    asked: &str,
    measures: &str,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let (plan, _) = Asked::new(py, asked)?.plan(py)?;
    let (original, release) = (Input::new(original, name)?, Published::new(release, "release", parts)?);
    let Ok(measures) = measures.parse::<Selection>();
    let outcome = work::run(py, threads, progress.as_ref(), |progress| {
        let (original, release) = (original.source(progress)?, release.source(progress)?);
        pipeline::measure(&MeasureJob { original, release, plan, measures }, progress)
    })?;
    report(&outcome)
}
