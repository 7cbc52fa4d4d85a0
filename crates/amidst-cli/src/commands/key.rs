//! `amidst key`

use std::path::PathBuf;

use amidst::plan::PersonKey;
use clap::Args;

use crate::{Stop, print};

#[derive(Args)]
pub struct KeyArgs {
    /// The new file for the key
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn run(args: &KeyArgs) -> Result<(), Stop> {
    PersonKey::random()?.save(&args.output)?;
    let file = args.output.display();
    print(&format!(
        "wrote {file}, which only you can read\nkeep it apart from the releases: whoever has it can compute the pseudonym of everybody whose \
         number or name is known\n"
    ))
}
