//! What is asked of a release after it was made: files, and reports.

use std::path::PathBuf;

use amidst::Sink;
use amidst::pipeline::{self, Job, SaveJob};
use arrow_schema::Schema;
use pyo3::prelude::*;

use crate::anonymize::Made;
use crate::asked::Asked;
use crate::input::{Input, Published};
use crate::work;

#[pyfunction]
pub fn save_release(
    py: Python,
    release: &Bound<PyAny>,
    parts: Vec<(String, Bound<PyAny>)>,
    asked: &str,
    dictionary: String,
    output: PathBuf,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let (plan, _) = Asked::new(py, asked)?.plan(py)?;
    let release = Published::new(release, "release", parts)?;
    work::run(py, None, progress.as_ref(), |progress| {
        let release = release.source(progress)?;
        pipeline::save_release(&SaveJob { release, plan, dictionary, output }, progress)
    })
}

#[pyfunction]
#[allow(clippy::too_many_arguments)] // those of `anonymize`
pub fn save_report(
    py: Python,
    made: &Bound<Made>,
    table: &Bound<PyAny>,
    name: &str,
    asked: &str,
    reports: Vec<PathBuf>,
    public_reports: Vec<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let (plan, _) = Asked::new(py, asked)?.plan(py)?;
    let (input, made) = (Input::new(table, name)?, &made.get().0);
    work::run(py, None, progress.as_ref(), |progress| {
        let output = Sink::Memory(Schema::empty().into());
        let job = Job { reports, public_reports, ..Job::new(input.source(progress)?, output, plan) };
        pipeline::report(&job, made, progress)
    })
}
