//! The whole way from a file to a verified release. The only module that knows all stages.
//!
//! A command is a function of a job, in a file of its own. Two types carry them: a `Dataset` is a table with what its
//! plan makes of it, and a release is a `Draft` until it is `Verified`.

mod advice;
mod anonymize;
mod attack;
mod audit;
mod audit_others;
mod banner;
mod beside;
mod bound;
mod classes;
mod clock;
mod compare;
mod dataset;
mod details;
mod draft;
mod dry_run;
mod explain;
mod extend;
mod init;
mod later;
mod limit;
mod list;
mod measure;
mod others;
mod places;
mod proof_time;
mod published;
mod release;
mod remarks;
mod reports;
mod risk;
mod risk_of_households;
mod save;
mod solve;
mod trial;
mod warnings;

pub use crate::schema::guess::Guess;
pub use anonymize::{Job, anonymize};
pub use attack::{AttackJob, attack};
pub use audit::{AuditJob, audit};
pub use bound::{BoundJob, bound};
pub use compare::{CompareJob, compare};
pub use dataset::Dataset;
pub use dry_run::dry_run;
pub use explain::{ExplainJob, explain};
pub use extend::{ExtendJob, Purpose, Unmatched, extend};
pub use init::{InitJob, init};
pub use later::{SaveJob, report, save_release};
pub use list::{List, Member, list};
pub use measure::{MeasureJob, measure};
pub use proof_time::{NoProofTime, ProofTime};
pub use release::Release;
pub use risk::{RiskJob, risk};
pub use save::{save_bundled, save_plan};

pub use crate::measure::Selection;
pub use crate::publish::Part;
pub use crate::registry::{Param, Range, Value};
pub use crate::risk::Assumptions;
pub use crate::usage::MOST_THREADS;

use crate::error::Error;
use crate::verify::Failure;

fn unverified(failure: Failure) -> Error {
    Error::Unverified(failure.0)
}
