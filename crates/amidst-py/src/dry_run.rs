//! `dry_run`

use std::path::PathBuf;

use amidst::Sink;
use amidst::pipeline::{self, Job};
use arrow_schema::Schema;
use pyo3::prelude::*;

use crate::asked::Asked;
use crate::input::Input;
use crate::output::report;
use crate::work::{self, Limits};

#[pyfunction]
#[allow(clippy::too_many_arguments)] // those of `anonymize`
pub fn dry_run(
    py: Python,
    table: &Bound<PyAny>,
    name: &str,
    asked: &str,
    tables: Vec<(String, Bound<PyAny>)>,
    output: Option<PathBuf>,
    threads: Option<usize>,
    memory: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let (plan, _) = Asked::new(py, asked)?.plan(py)?;
    let input = Input::new(table, name)?;
    let tables = Input::named(tables)?;
    let output = output.map_or_else(|| Sink::Memory(Schema::empty().into()), Sink::from);
    let limits = Limits::new(py, threads, memory)?;
    let outcome = work::run(py, limits, progress.as_ref(), |progress| {
        let input = input.source(progress)?;
        let tables = Input::sources(tables, progress)?;
        pipeline::dry_run(&Job { tables, ..Job::new(input, output, plan) }, progress)
    })?;
    report(&outcome)
}
