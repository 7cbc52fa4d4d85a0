//! What is printed.

use std::fmt::Display;

use amidst::progress::Progress;
use bytesize::ByteSize;
use clap::Args;
use serde::Serialize;

use crate::progress::Bar;
use crate::{Stop, print, print_json};

/// What is printed
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Print the report as one JSON object on standard output
    ///
    /// Like the report it is not for recipients.
    #[arg(long)]
    pub json: bool,
    /// Print only errors
    #[arg(short, long)]
    pub quiet: bool,
}

impl OutputArgs {
    /// Does the work, within this much memory, with a bar that shows how far it is.
    pub fn watch<T>(
        &self,
        memory: Option<ByteSize>,
        work: impl FnOnce(Progress) -> amidst::Result<T>,
    ) -> Result<T, Stop> {
        let bar = Bar::new(self.quiet, memory);
        Ok(work(Progress::to(&bar))?)
    }

    /// Prints what came out, as it was asked for.
    pub fn show(&self, outcome: &(impl Serialize + Display)) -> Result<(), Stop> {
        if self.json {
            print_json(outcome)
        } else if self.quiet {
            Ok(())
        } else {
            print(&outcome.to_string())
        }
    }
}
