//! The proof that a release is what was asked for, before anything is published.

use super::files::Staged;
use super::unverified;
use crate::error::{Error, Result};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::read::Source;
use crate::verify::{self, Audit, Columns, Files, LeftOut, Published};

/// What the verification read and found.
pub(super) struct Proof {
    /// The files as they were read back.
    pub files: Files,
    /// What they show.
    pub release: Published,
    /// What that reaches.
    pub audit: Audit,
    /// The row of the original that each published row comes from.
    pub rows: Vec<u32>,
}

/// Reads the original, the staged release and the stored plan anew and holds them against each other. `followed` is the plan by which the
/// release was made, `left_out` the rows that it lacks.
pub(super) fn prove(
    input: &Source,
    staged: &Staged,
    stored: &Plan,
    followed: &Plan,
    left_out: &[u32],
    progress: Progress,
) -> Result<Proof> {
    progress.begin("verifying", 0)?;
    if stored != followed {
        return Err(Error::Unverified("the plan that was stored is not the one that was followed".to_owned()));
    }
    let (original, files) = rayon::join(|| verify::original(input, stored, None, progress), || staged.read(progress));
    let (original, files) = (original?, files?);
    Columns::new(&files, stored).failures().into_iter().try_for_each(|failure| Err(unverified(failure)))?;
    let release = verify::published(&files, stored)?.map_err(unverified)?;
    let audit = Audit::new(&release, stored)?;
    audit.failures(stored)?.into_iter().try_for_each(|failure| Err(unverified(failure)))?;
    let left_out = LeftOut::These(left_out);
    let rows = verify::compare(&original, stored, &release, stored.method.order, left_out)?.map_err(unverified)?;
    let rows = rows.into_rows();
    verify::wishes(&original, stored, &release, &rows)?.map_err(unverified)?;
    Ok(Proof { files, release, audit, rows })
}
