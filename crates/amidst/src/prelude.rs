//! What most programs need: `use amidst::prelude::*;`

pub use crate::{Dataset, Error, Plan, Progress, Release, Report, Table};
