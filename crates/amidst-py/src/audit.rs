//! `audit`

use amidst::pipeline::{self, AuditJob};
use pyo3::prelude::*;

use crate::asked::Asked;
use crate::error::argument;
use crate::input::{Input, Published};
use crate::output::report;
use crate::work;

#[pyfunction]
#[allow(clippy::too_many_arguments)] // those of the command line
pub fn audit(
    py: Python,
    release: &Bound<PyAny>,
    parts: Vec<(String, Bound<PyAny>)>,
    name: &str,
    asked: &str,
    original: Option<&Bound<PyAny>>,
    tables: Vec<(String, Bound<PyAny>)>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let (plan, demand) = Asked::new(py, asked)?.plan(py)?;
    let release = Published::new(release, "release", parts)?;
    let original = original.map(|original| Input::new(original, name)).transpose()?;
    let tables = Input::named(tables)?;
    let mut outcome = work::run(py, threads, progress.as_ref(), |progress| {
        let release = release.source(progress)?;
        let original = original.map(|original| original.source(progress)).transpose()?;
        let tables = Input::sources(tables, progress)?;
        pipeline::audit(&AuditJob { release, plan, demand, original, tables }, progress)
    })?;
    outcome.warnings.iter_mut().for_each(|warning| warning.spell(argument));
    report(&outcome)
}
