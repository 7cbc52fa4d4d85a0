//! The Python module: arguments become a plan, the library does the work, what comes out is handed over as JSON and Arrow tables.
//!
//! One file a function. What users see, with its types and documentation, is in `python/amidst`.

// PyO3 hands arguments over by value, and the names of Python functions are what their users call them.
#![allow(clippy::needless_pass_by_value)]

mod anonymize;
mod asked;
mod attack;
mod audit;
mod bound;
mod compare;
mod dry_run;
mod error;
mod explain;
mod extend;
mod hierarchy;
mod init;
mod input;
mod key;
mod later;
mod list;
mod measure;
mod output;
mod plan;
mod risk;
mod work;

use pyo3::prelude::*;

/// The compiled part of `amidst`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::anonymize::{Made, anonymize};
    #[pymodule_export]
    use crate::attack::attack;
    #[pymodule_export]
    use crate::audit::audit;
    #[pymodule_export]
    use crate::bound::bound;
    #[pymodule_export]
    use crate::compare::compare;
    #[pymodule_export]
    use crate::dry_run::dry_run;
    #[pymodule_export]
    use crate::explain::explain;
    #[pymodule_export]
    use crate::extend::{extend, fingerprint};
    #[pymodule_export]
    use crate::hierarchy::hierarchy_lines;
    #[pymodule_export]
    use crate::init::init;
    #[pymodule_export]
    use crate::key::make_key;
    #[pymodule_export]
    use crate::later::{save_release, save_report};
    #[pymodule_export]
    use crate::list::list_members;
    #[pymodule_export]
    use crate::measure::measure;
    #[pymodule_export]
    use crate::output::ArrowTable;
    #[pymodule_export]
    use crate::plan::{plan_from_toml, plan_to_toml, save_plan};
    #[pymodule_export]
    use crate::risk::risk;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
