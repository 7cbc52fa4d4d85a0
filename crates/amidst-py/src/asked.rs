//! What a function was asked, in JSON: the same flags as on the command line, or a plan.

use std::path::PathBuf;

use amidst::plan::{Changes, Flags, Plan};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::error::{exception, usage};

/// A plan, or flags that describe one, and what changes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Asked {
    plan: Option<Plan>,
    plan_file: Option<PathBuf>,
    flags: Flags,
    /// What changes the plan.
    pub changes: Changes,
}

impl Asked {
    /// What a text in JSON says.
    pub fn new(py: Python, text: &str) -> PyResult<Self> {
        serde_json::from_str(text).map_err(|e| {
            // Where it is in the JSON says nothing to somebody who wrote Python.
            let place = format!(" at line {} column {}", e.line(), e.column());
            let problem = e.to_string();
            usage(
                py,
                &format!("the arguments do not make a plan: {}", problem.strip_suffix(&place).unwrap_or(&problem)),
            )
        })
    }

    /// The plan, and whether something is asked of a release by which it can be judged.
    pub fn plan(self, py: Python) -> PyResult<(Plan, bool)> {
        let Asked { plan, plan_file, flags, changes } = self;
        let planned = plan.is_some() || plan_file.is_some();
        if planned && !flags.is_empty() {
            return Err(usage(py, "a plan says what the columns are; leave the arguments out that say the same"));
        }
        let found = match (plan, plan_file) {
            (Some(plan), _) => Ok(plan),
            (None, Some(file)) => Plan::load(&file),
            (None, None) => flags.plan(),
        };
        let changed = found.and_then(|mut plan| changes.apply(&mut plan).map(|()| plan));
        let plan = changed.map_err(|e| exception(py, &e))?;
        Ok((plan, planned || changes.demand()))
    }
}
