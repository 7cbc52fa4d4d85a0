//! `compare`

use std::path::PathBuf;
use std::time::Duration;

use amidst::pipeline::{self, CompareJob, List, Selection};
use pyo3::prelude::*;

use crate::asked::Asked;
use crate::error::usage;
use crate::input::Input;
use crate::output::report;
use crate::work;

#[pyfunction]
#[allow(clippy::too_many_arguments)] // those of the command line
pub fn compare(
    py: Python,
    table: &Bound<PyAny>,
    name: &str,
    asked: &str,
    ks: Vec<usize>,
    ls: Vec<f64>,
    rows: Vec<usize>,
    algorithms: &str,
    measures: &str,
    limit: f64,
    page: Option<PathBuf>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let limit = Duration::try_from_secs_f64(limit)
        .map_err(|_| usage(py, &format!("limit={limit} is not a number of seconds")))?;
    let (plan, _) = Asked::new(py, asked)?.plan(py)?;
    let input = Input::new(table, name)?;
    let partitioners = List::Partitioners.specs(algorithms);
    let Ok(measures) = measures.parse::<Selection>();
    let outcome = work::run(py, threads, progress.as_ref(), |progress| {
        let input = input.source(progress)?;
        let runs = Vec::new();
        let job = CompareJob { input, plan, ks, ls, rows, partitioners, measures, limit, runs, report: page };
        pipeline::compare(&job, progress)
    })?;
    report(&outcome)
}
