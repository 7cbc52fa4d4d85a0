//! `list`

use amidst::pipeline::{self, List};
use pyo3::prelude::*;

use crate::error::usage;
use crate::output::json;

#[pyfunction]
pub fn list_members(py: Python, list: &str) -> PyResult<String> {
    let list = match list {
        "partitioners" => List::Partitioners,
        "measures" => List::Measures,
        "constraints" => List::Constraints,
        "publishers" => List::Publishers,
        "refiners" => List::Refiners,
        "attacks" => List::Attacks,
        "hierarchies" => List::Hierarchies,
        other => return Err(usage(py, &format!("there is no list `{other}`"))),
    };
    json(&pipeline::list(list))
}
