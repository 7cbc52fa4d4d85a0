//! Files that front ends write and that are no release.

use std::path::Path;

use crate::error::Result;
use crate::progress::Progress;
use crate::write::{Input, Output, Places, Staging};

/// Writes a plan to a file, all of it or nothing. Others cannot read the file, unless it replaces one that they can read. Refuses to
/// replace the table that the plan was made for.
pub fn save_plan(toml: &str, file: &Path, table: Option<&Path>) -> Result<()> {
    let mut places = Places::new();
    table.iter().for_each(|table| places.reads(Input::Table, table));
    save(places, Output::Plan, [(file, toml.as_bytes())])
}

/// Writes files that come with a program, all of them or none.
pub fn save_bundled<'a>(files: impl IntoIterator<Item = (&'a Path, &'a [u8])>) -> Result<()> {
    save(Places::new(), Output::Bundled, files)
}

fn save<'a>(mut places: Places, what: Output, files: impl IntoIterator<Item = (&'a Path, &'a [u8])>) -> Result<()> {
    let files: Vec<_> = files.into_iter().collect();
    files.iter().for_each(|(file, _)| places.writes(what, file));
    let mut staging = Staging::new(&places)?;
    for (file, bytes) in files {
        staging.bytes(file, bytes)?;
    }
    staging.publish(Progress::silent())
}
