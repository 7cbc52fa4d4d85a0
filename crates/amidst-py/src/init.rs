//! `init`

use amidst::pipeline::{self, InitJob};
use pyo3::prelude::*;

use crate::input::Input;
use crate::output::json;
use crate::work;

#[pyfunction]
pub fn init(
    py: Python,
    table: &Bound<PyAny>,
    name: &str,
    k: usize,
    delimiter: Option<char>,
    missing: Vec<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Vec<String>)> {
    let input = Input::new(table, name)?;
    let (plan, guesses) = work::run(py, None, progress.as_ref(), |progress| {
        pipeline::init(&InitJob { input: input.source(progress)?, k, delimiter, missing }, progress)
    })?;
    Ok((json(&plan)?, guesses.into_iter().map(|guess| guess.reason).collect()))
}
