//! `bound`

use amidst::pipeline::{self, BoundJob, ProofTime};
use pyo3::prelude::*;

use crate::asked::Asked;
use crate::error::usage;
use crate::input::Input;
use crate::output::report;
use crate::work;

/// How long a proof may take; the empty text leaves it to amidst.
pub fn proof_time(py: Python, text: &str) -> PyResult<ProofTime> {
    if text.is_empty() { Ok(ProofTime::Usual) } else { text.parse().map_err(|e| usage(py, &format!("{e}"))) }
}

#[pyfunction]
pub fn bound(
    py: Python,
    table: &Bound<PyAny>,
    name: &str,
    asked: &str,
    time: &str,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let (plan, _) = Asked::new(py, asked)?.plan(py)?;
    let (input, time) = (Input::new(table, name)?, proof_time(py, time)?);
    let outcome = work::run(py, threads, progress.as_ref(), |progress| {
        pipeline::bound(&BoundJob { input: input.source(progress)?, plan, time }, progress)
    })?;
    report(&outcome)
}
