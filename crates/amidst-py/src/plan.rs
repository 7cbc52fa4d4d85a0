//! Plans, between JSON and the TOML that people write.

use std::path::PathBuf;

use amidst::pipeline;
use amidst::plan::Plan;
use pyo3::prelude::*;

use crate::error::{exception, usage};
use crate::output::json;

/// The plan in a file, as JSON.
#[pyfunction]
pub fn plan_from_toml(py: Python, file: PathBuf) -> PyResult<String> {
    json(&Plan::load(&file).map_err(|e| exception(py, &e))?)
}

/// A plan in JSON as TOML, with these remarks behind the lines of its columns.
#[pyfunction]
pub fn plan_to_toml(py: Python, plan: &str, remarks: Vec<(String, String)>) -> PyResult<String> {
    let plan: Plan = serde_json::from_str(plan).map_err(|e| usage(py, &format!("this is no plan: {e}")))?;
    let remark = |name: &str| remarks.iter().find(|(column, _)| column == name).map(|(_, remark)| remark.clone());
    Ok(plan.to_toml(remark))
}

/// Writes a plan to a file, all or nothing; others cannot read it unless it replaces one that they can read.
#[pyfunction]
pub fn save_plan(py: Python, file: PathBuf, toml: &str) -> PyResult<()> {
    pipeline::save_plan(toml, &file, None).map_err(|e| exception(py, &e))
}
