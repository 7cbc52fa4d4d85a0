//! `init`

use amidst::pipeline::{self, InitJob};
use pyo3::prelude::*;

use crate::error::usage;
use crate::input::Input;
use crate::output::json;
use crate::work;

#[pyfunction]
#[allow(clippy::too_many_arguments)] // those of the command line
pub fn init(
    py: Python,
    table: &Bound<PyAny>,
    name: &str,
    k: usize,
    delimiter: Option<char>,
    encoding: Option<&str>,
    header: Option<bool>,
    missing: Vec<String>,
    missing_only: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Vec<String>)> {
    let input = Input::new(table, name)?;
    let encoding = encoding.map(str::parse).transpose().map_err(|message: String| usage(py, &message))?;
    let (plan, guesses) = work::run(py, None, progress.as_ref(), |progress| {
        let input = input.source(progress)?;
        pipeline::init(&InitJob { input, k, delimiter, encoding, header, missing, missing_only }, progress)
    })?;
    Ok((json(&plan)?, guesses.into_iter().map(|guess| guess.reason).collect()))
}
