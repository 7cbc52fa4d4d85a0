//! `list`

use amidst::pipeline::{self, List};
use pyo3::prelude::*;

use crate::error::usage;
use crate::output::json;

#[pyfunction]
pub fn list_members(py: Python, list: &str) -> PyResult<String> {
    let list = List::named(list).ok_or_else(|| usage(py, &format!("there is no list `{list}`")))?;
    json(&pipeline::list(list))
}
