//! What is asked of classes.

use amidst::plan::{Changes, Requirement};
use clap::Args;

use super::values::{requirements, share};

/// How large classes are
#[derive(Args)]
pub struct KArgs {
    /// The least number of records that share each combination of published quasi-identifiers
    #[arg(long, value_name = "K", required_unless_present = "plan", help_heading = "Privacy")]
    k: Option<usize>,
}

impl KArgs {
    /// Makes it part of what changes a plan.
    pub fn change(&self, changes: &mut Changes) {
        changes.k = self.k;
    }
}

/// What is asked of sensitive values
#[derive(Args)]
#[command(next_help_heading = "Privacy")]
pub struct PrivacyArgs {
    /// No sensitive value may make up more than 1/L of a class
    ///
    /// L can be a fraction, such as 1.5. Every class then has at least L different values. This is short for
    /// --require 'frequency-l(l=L)'.
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    l: Option<f64>,
    #[command(flatten)]
    models: ModelArgs,
}

impl PrivacyArgs {
    /// Makes them part of what changes a plan.
    pub fn change(&self, changes: &mut Changes) {
        changes.l = self.l;
        self.models.change(changes);
    }
}

/// What else is asked of classes
#[derive(Args)]
#[command(next_help_heading = "Privacy")]
pub struct ModelArgs {
    #[arg(long, value_name = "[COLUMN=]MODEL", help = requirements())]
    require: Vec<Requirement>,
    /// Leave out up to this share of the records if that loses less, such as 0.02 or 2%
    #[arg(long, value_name = "SHARE", value_parser = share)]
    suppress: Option<f64>,
}

impl ModelArgs {
    /// Makes them part of what changes a plan.
    pub fn change(&self, changes: &mut Changes) {
        changes.require.clone_from(&self.require);
        changes.suppress = self.suppress;
    }
}
