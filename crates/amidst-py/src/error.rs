//! Errors of the library as exceptions of the package, with the same messages.

use amidst::Error;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

/// The exception for an error.
pub fn exception(py: Python, error: &Error) -> PyErr {
    let name = match error {
        Error::Interrupted => return PyKeyboardInterrupt::new_err(error.to_string()),
        Error::Io { .. } | Error::NotPutBack { .. } => "FileError",
        Error::Unverified(_) => "UnverifiedError",
        e if e.is_infeasible() => "InfeasibleError",
        _ => "UsageError",
    };
    raise(py, name, &error.to_string())
}

/// A mistake in the arguments.
pub fn usage(py: Python, message: &str) -> PyErr {
    raise(py, "UsageError", message)
}

/// Something that cannot happen.
pub fn unexpected(error: &dyn std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(format!("this is a mistake in amidst: {error}"))
}

fn raise(py: Python, name: &str, message: &str) -> PyErr {
    let class = py.import("amidst._errors").and_then(|module| module.getattr(name));
    match class.and_then(|class| class.call1((message,))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(e) => e,
    }
}
