//! What is said of a release that is there already.

use amidst::Result;
use amidst::pipeline::List;
use amidst::plan::{Changes, Plan, Spec};
use clap::Args;

use super::values::choices;
use super::{ColumnArgs, PrivacyArgs, ReadingArgs};

/// The form of a release
#[derive(Args)]
pub struct FormArgs {
    #[arg(long, value_name = "NAME", help = choices("The form of the release, if there is no plan", List::Publishers))]
    publish: Option<Spec>,
}

impl FormArgs {
    /// Makes it part of what changes a plan.
    pub fn change(&self, changes: &mut Changes) {
        changes.publish.clone_from(&self.publish);
    }
}

/// What a release is, and what it must reach
#[derive(Args)]
pub struct ReleaseArgs {
    #[command(flatten)]
    columns: ColumnArgs,
    /// The k that the release must reach [default: the k of the plan]
    #[arg(long, value_name = "K", help_heading = "Privacy")]
    k: Option<usize>,
    #[command(flatten)]
    privacy: PrivacyArgs,
    #[command(flatten)]
    form: FormArgs,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

impl ReleaseArgs {
    /// The plan of the release, and whether anything is asked by which it can be judged.
    pub fn plan(&self) -> Result<(Plan, bool)> {
        let mut changes = Changes { k: self.k, ..Changes::default() };
        self.privacy.change(&mut changes);
        self.form.change(&mut changes);
        self.reading.change(&mut changes);
        let plan = self.columns.plan(&changes)?;
        Ok((plan, self.columns.plan.is_some() || changes.demand()))
    }
}
