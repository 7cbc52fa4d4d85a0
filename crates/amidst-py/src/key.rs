//! `key`

use std::path::PathBuf;

use amidst::plan::PersonKey;
use pyo3::prelude::*;

use crate::error::exception;

#[pyfunction]
pub fn make_key(py: Python, file: PathBuf) -> PyResult<()> {
    let made = PersonKey::random().and_then(|key| key.save(&file));
    made.map_err(|e| exception(py, &e))
}
