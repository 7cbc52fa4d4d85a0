//! `risk`

use amidst::pipeline::{self, Assumptions, RiskJob};
use pyo3::prelude::*;

use crate::asked::Asked;
use crate::error::argument;
use crate::input::{Input, Published};
use crate::output::report;
use crate::work;

#[pyfunction]
#[allow(clippy::too_many_arguments)] // those of the command line
pub fn risk(
    py: Python,
    table: &Bound<PyAny>,
    parts: Vec<(String, Bound<PyAny>)>,
    name: &str,
    asked: &str,
    population: Option<&Bound<PyAny>>,
    sample: Option<f64>,
    threshold: Option<f64>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let (plan, _) = Asked::new(py, asked)?.plan(py)?;
    let input = Published::new(table, name, parts)?;
    let population = population.map(|people| Input::new(people, "population")).transpose()?;
    let usual = Assumptions::default();
    let assumptions = Assumptions { threshold: threshold.unwrap_or(usual.threshold), sample };
    let mut outcome = work::run(py, threads, progress.as_ref(), |progress| {
        let input = input.source(progress)?;
        let population = population.map(|people| people.source(progress)).transpose()?;
        pipeline::risk(&RiskJob { input, plan, assumptions, population }, progress)
    })?;
    outcome.warnings.iter_mut().for_each(|warning| warning.spell(argument));
    report(&outcome)
}
