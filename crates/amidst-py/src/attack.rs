//! `attack`

use amidst::pipeline::{self, AttackJob, List};
use pyo3::prelude::*;

use crate::asked::Asked;
use crate::input::{Input, Published};
use crate::output::report;
use crate::work;

#[pyfunction]
#[allow(clippy::too_many_arguments)] // those of the command line
pub fn attack(
    py: Python,
    original: &Bound<PyAny>,
    name: &str,
    release: &Bound<PyAny>,
    parts: Vec<(String, Bound<PyAny>)>,
    asked: &str,
    attacks: &str,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String, bool)> {
    let (plan, _) = Asked::new(py, asked)?.plan(py)?;
    let (original, release) = (Input::new(original, name)?, Published::new(release, "release", parts)?);
    let attacks = List::Attacks.specs(attacks);
    let outcome = work::run(py, threads, progress.as_ref(), |progress| {
        let (original, release) = (original.source(progress)?, release.source(progress)?);
        pipeline::attack(&AttackJob { original, release, plan, attacks }, progress)
    })?;
    let (json, text) = report(&outcome)?;
    Ok((json, text, outcome.is_broken()))
}
