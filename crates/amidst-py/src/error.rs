//! Errors of the library as exceptions of the package. Messages name arguments where those of the command line name flags.

use amidst::{Error, Setting};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

/// The exception for an error.
pub fn exception(py: Python, error: &Error) -> PyErr {
    let name = match error {
        Error::Interrupted => return PyKeyboardInterrupt::new_err(error.to_string()),
        Error::Internal(what) => return unexpected(what),
        Error::Io { .. } | Error::NotPutBack { .. } => "FileError",
        Error::Unverified(_) => "UnverifiedError",
        e if e.is_infeasible() => "InfeasibleError",
        _ => "UsageError",
    };
    raise(py, name, &error.message(argument))
}

/// The argument of a setting, with its value where there is one.
pub fn argument(setting: &Setting) -> String {
    let text = |text: &str| serde_json::Value::from(text).to_string();
    match setting {
        Setting::Quasi => "quasi=[…]".to_owned(),
        Setting::Sensitive => "sensitive=[…]".to_owned(),
        Setting::Identifier(columns) => with("identifier", columns),
        Setting::PublishAsIs(columns) => with("publish_as_is", columns),
        Setting::Others(what) => format!("others={}", text(what.name())),
        Setting::Order(column) => format!(r#"order={{{}: ["low", …, "high"]}}"#, text(column)),
        Setting::Missing(value) => format!("missing=[{}]", text(value)),
        Setting::MissingPerson(how) => format!("missing_person={}", text(how.name())),
        Setting::Person(columns) => with("person", columns),
        Setting::Household => "household=[…]".to_owned(),
        Setting::Pseudonym => "pseudonym=…".to_owned(),
        Setting::Key => "key=…, or the variable AMIDST_KEY".to_owned(),
        Setting::NewKey => r#"amidst.make_key("person.key")"#.to_owned(),
        Setting::Format(column, format) => format!("format={{{}: {}}}", text(column), text(format)),
        Setting::Kind(column, kind) => format!("kind={{{}: {}}}", text(column), text(kind)),
        Setting::Decimal(mark) => format!("decimal={}", text(&mark.to_string())),
        Setting::Delimiter(delimiter) => format!("delimiter={}", text(&delimiter.to_string())),
        Setting::Encoding(encoding) => format!("encoding={}", text(encoding)),
        Setting::Header(header) => format!("header={}", if *header { "True" } else { "False" }),
        Setting::Trim => "trim=True".to_owned(),
        Setting::L => "l=…".to_owned(),
        Setting::Suppress(share) => format!("suppress={share}"),
        Setting::Shuffle => "keep_order=False".to_owned(),
        Setting::Publish(form) => format!("publish={}", text(form)),
        Setting::Refine(refiner) => format!("refine={}", text(refiner)),
        Setting::Seed => "seed=…".to_owned(),
        Setting::Plan => "plan=…".to_owned(),
        Setting::Output => "output=…".to_owned(),
        Setting::Memory => "memory=…".to_owned(),
    }
}

/// An argument with the columns that it takes, if they are known.
fn with(argument: &str, columns: &[String]) -> String {
    match columns {
        [] => format!("{argument}=[…]"),
        [one] => format!("{argument}={}", serde_json::Value::from(one.as_str())),
        several => format!("{argument}={}", serde_json::Value::from(several)),
    }
}

/// A mistake in the arguments.
pub fn usage(py: Python, message: &str) -> PyErr {
    raise(py, "UsageError", message)
}

/// Something that cannot happen.
pub fn unexpected(error: &dyn std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(format!("this is a bug in amidst, not in the input: {error}; please report it"))
}

fn raise(py: Python, name: &str, message: &str) -> PyErr {
    let class = py.import("amidst._errors").and_then(|module| module.getattr(name));
    match class.and_then(|class| class.call1((message,))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(e) => e,
    }
}
