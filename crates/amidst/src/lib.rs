//! **amidst** publishes personal data so that every record hides amidst at least k − 1 others, while losing as little
//! information as possible.
//!
//! The data flow one way through the stages; [`pipeline`] is the only module that knows them all:
//!
//! ```text
//! read → schema → encode → partition → refine → publish → write → verify → measure → attack → risk → report
//! ```
//!
//! ```
//! use amidst::measure::Selection;
//! use amidst::pipeline::{Job, PlanOrigin, anonymize};
//! use amidst::progress::Progress;
//!
//! # let folder = tempfile::tempdir()?;
//! # let (input, output) = (folder.path().join("patients.csv"), folder.path().join("release.csv"));
//! std::fs::write(&input, "name,age,disease\nAnn,34,flu\nBob,36,cold\nCem,51,flu\nDee,58,asthma\n")?;
//! let plan = r#"
//!     [privacy]
//!     k = 2
//!     [columns]
//!     name    = { role = "identifier" }
//!     age     = { role = "quasi", kind = "range" }
//!     disease = { role = "sensitive" }
//! "#;
//! let origin = PlanOrigin::File("patients.toml".into());
//! let outcome = anonymize(&Job::new(input, output.clone(), plan.parse()?, origin), Progress::silent())?;
//!
//! assert_eq!(outcome.audit.achieved.k, 2);
//! let release = std::fs::read_to_string(output)?;
//! assert_eq!(release.matches("[34-36]").count(), 2);
//! assert!(!release.contains("Ann"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A new algorithm is one file in the folder of its stage and two lines in that folder's `mod.rs`: see
//! [`partition`], [`refine`], [`cost`] and [`attack`]. A new privacy model or form of release begins with a variant and an entry in
//! [`plan`]; the compiler then names the places that need it.

pub mod error;
pub mod notation;
pub mod plan;
pub mod progress;
pub mod registry;
pub mod usage;

pub mod attack;
pub mod bound;
mod cluster;
pub mod constraint;
pub mod cost;
pub mod encode;
pub mod hierarchy;
pub mod measure;
pub mod partition;
pub mod pipeline;
pub mod problem;
pub mod publish;
pub mod read;
pub mod refine;
pub mod report;
pub mod risk;
pub mod schema;
pub mod suppress;
pub mod verify;
pub mod write;

pub use error::{Error, Result};
