//! **amidst** publishes tables about people so that every record hides among at least k − 1 others, while losing as little
//! information as possible. What it publishes, it has verified from the bytes that it wrote.
//!
//! A [`Plan`] says what is asked. A [`Dataset`] is a table with a plan. A [`Release`] is what may be published.
//!
//! # A table in memory
//!
//! ```
//! use std::sync::Arc;
//!
//! use amidst::arrow_array::{Int64Array, RecordBatch, StringArray};
//! use amidst::prelude::*;
//!
//! let patients = RecordBatch::try_from_iter([
//!     ("name", Arc::new(StringArray::from(vec!["Ann", "Bob", "Cem", "Dee"])) as _),
//!     ("age", Arc::new(Int64Array::from(vec![34, 36, 51, 58])) as _),
//!     ("disease", Arc::new(StringArray::from(vec!["flu", "cold", "flu", "asthma"])) as _),
//! ])?;
//! let plan = Plan::new(2).identifier("name").quasi("age").sensitive("disease").require("distinct-l(l=2)");
//! let release = Dataset::new(patients, plan)?.anonymize()?;
//!
//! assert_eq!(release.report().audit.achieved.k, 2);
//! let published = release.table().expect("it stays in memory");
//! assert!(published.column_by_name("name").is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Files
//!
//! ```
//! use amidst::prelude::*;
//!
//! # let folder = tempfile::tempdir()?;
//! # let (patients, release_file) = (folder.path().join("patients.csv"), folder.path().join("release.csv"));
//! std::fs::write(&patients, "name,age,disease\nAnn,34,flu\nBob,36,cold\nCem,51,flu\nDee,58,asthma\n")?;
//! let plan = Plan::new(2).identifier("name").quasi("age").sensitive("disease");
//! let release = Dataset::new(patients, plan)?.anonymize_to(release_file.clone())?;
//!
//! let published = std::fs::read_to_string(release_file)?;
//! assert_eq!(published.matches("[34-36]").count(), 2);
//! // The plan lies beside the release. With it the same release can be made again.
//! assert!(folder.path().join("release.plan.toml").is_file());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to go from here
//!
//! - [`plan`]: everything that can be asked, in a program or as TOML.
//! - [`pipeline`]: every command of the command line as a function: audit, measure, attack, risk, compare, bound, extend.
//! - [`report`]: what they find, as text and JSON.
//! - [`algorithms`]: a page for every algorithm, measure, privacy model, form of release and adversary.
//! - [`progress`]: progress bars, cancellation and memory limits.

// What the stages name is only public for tests.
#![cfg_attr(not(feature = "internals"), warn(unnameable_types))]

mod attack;
mod bound;
mod cluster;
mod constraint;
mod cost;
mod encode;
mod error;
mod hierarchy;
mod measure;
mod notation;
mod partition;
mod problem;
mod publish;
mod read;
mod refine;
mod registry;
mod risk;
mod schema;
mod suppress;
mod usage;
mod verify;
mod write;

pub mod algorithms;
pub mod pipeline;
pub mod plan;
pub mod prelude;
pub mod progress;
pub mod report;

#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;

pub use arrow_array;
pub use arrow_schema;

pub use error::{Error, Remedies, Result, Setting};
pub use pipeline::{Dataset, Release};
pub use plan::Plan;
pub use progress::Progress;
pub use read::{Frame, Options as ReadOptions, Source, Table};
pub use report::Outcome as Report;
pub use write::Sink;
