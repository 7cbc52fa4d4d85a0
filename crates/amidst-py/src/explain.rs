//! `explain`

use amidst::pipeline::{self, ExplainJob};
use pyo3::prelude::*;

use crate::asked::Asked;
use crate::input::{Input, Published};
use crate::output::report;
use crate::work;

#[pyfunction]
#[allow(clippy::too_many_arguments)] // those of the command line
pub fn explain(
    py: Python,
    release: &Bound<PyAny>,
    parts: Vec<(String, Bound<PyAny>)>,
    name: &str,
    asked: Option<&str>,
    original: Option<&Bound<PyAny>>,
    row: Option<usize>,
    column: Option<String>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let plan = asked.map(|asked| Asked::new(py, asked)?.plan(py)).transpose()?.map(|(plan, _)| plan);
    let release = Published::new(release, "release", parts)?;
    let original = original.map(|original| Input::new(original, name)).transpose()?;
    let outcome = work::run(py, threads, progress.as_ref(), |progress| {
        let release = release.source(progress)?;
        let original = original.map(|original| original.source(progress)).transpose()?;
        pipeline::explain(&ExplainJob { release, plan, original, row, column }, progress)
    })?;
    report(&outcome)
}
