//! `anonymize`

use std::path::PathBuf;

use amidst::Sink;
use amidst::pipeline::{self, Job, Selection};
use amidst::report::Outcome;
use arrow_schema::Schema;
use pyo3::prelude::*;

use crate::asked::Asked;
use crate::bound::proof_time;
use crate::error::argument;
use crate::input::Input;
use crate::output::{ArrowTable, json, report};
use crate::work::{self, Limits};

/// What was made.
#[pyclass(frozen, module = "amidst._native")]
pub struct Made(pub Outcome);

#[pymethods]
impl Made {
    /// The report, as JSON and as text.
    fn report(&self) -> PyResult<(String, String)> {
        report(&self.0)
    }

    /// The complete plan, as JSON.
    fn plan(&self) -> PyResult<String> {
        json(&self.0.asked)
    }

    /// The data dictionary, as JSON.
    fn dictionary(&self) -> PyResult<String> {
        json(&self.0.described)
    }

    /// The tables, where they stay in memory: the release itself under the empty name, then its parts.
    fn tables(&self) -> Vec<(&str, ArrowTable)> {
        self.0
            .tables
            .iter()
            .map(|part| (part.name.as_deref().unwrap_or_default(), ArrowTable(part.table.clone())))
            .collect()
    }

    /// The row of the table that each published row comes from, counted from 0.
    fn rows(&self) -> Vec<u32> {
        self.0.rows.clone()
    }

    /// The kinds that were taken from the values, as JSON.
    fn taken(&self) -> PyResult<String> {
        json(&self.0.taken)
    }
}

#[pyfunction]
#[allow(clippy::too_many_arguments)] // those of the command line
pub fn anonymize(
    py: Python,
    table: &Bound<PyAny>,
    name: &str,
    asked: &str,
    tables: Vec<(String, Bound<PyAny>)>,
    output: Option<PathBuf>,
    measures: &str,
    certify: Option<&str>,
    reports: Vec<PathBuf>,
    public_reports: Vec<PathBuf>,
    threads: Option<usize>,
    memory: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Made> {
    let (plan, _) = Asked::new(py, asked)?.plan(py)?;
    let input = Input::new(table, name)?;
    let tables = Input::named(tables)?;
    let like = input.schema().unwrap_or_else(|| Schema::empty().into());
    let output = output.map_or(Sink::Memory(like), Sink::from);
    let Ok(measures) = measures.parse::<Selection>();
    let limits = Limits::new(py, threads, memory)?;
    let certify = certify.map(|text| proof_time(py, text)).transpose()?;
    work::run(py, limits, progress.as_ref(), |progress| {
        let input = input.source(progress)?;
        let tables = Input::sources(tables, progress)?;
        let advise = true;
        let job = Job { tables, measures, certify, advise, reports, public_reports, ..Job::new(input, output, plan) };
        pipeline::anonymize(&job, progress)
    })
    .map(|mut outcome| {
        outcome.warnings.iter_mut().for_each(|warning| warning.spell(argument));
        Made(outcome)
    })
}
