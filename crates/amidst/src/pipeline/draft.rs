//! A release on its way out. It is a [`Draft`] until the verification has read what was written, and only what is [`Verified`] can be
//! put in place or handed out.

use std::path::{Path, PathBuf};

use super::beside::{dictionary_path, manifest, manifest_path, standalone, store_plan};
use super::published::files;
use super::{Job, unverified};
use crate::error::{Error, Result};
use crate::plan::{self, PersonKey, Plan, Role};
use crate::progress::Progress;
use crate::publish::{self, Part};
use crate::read::{self, Frame, Source, Table};
use crate::report::Dictionary;
use crate::verify::{self, Audit, Columns, Failure, Files, LeftOut, Published};
use crate::write::{Sink, Staging, is_stream, shaped};

/// What messages and the dictionary call a release that is in no file.
const RELEASE: &str = "release";

/// The tables and the plan of a release, written but not looked at. Dropping it leaves nothing behind.
pub(super) struct Draft {
    staging: Staging,
    staged: Staged,
    /// The plan by which it was made, with all hierarchies in it.
    followed: Plan,
    /// The plan as it is read back.
    stored: Plan,
    /// The secret key, which is not stored.
    key: Option<PersonKey>,
    plan_file: Option<PathBuf>,
    output: Option<PathBuf>,
}

impl Draft {
    /// Writes the tables of a release and its plan.
    pub(super) fn new(
        job: &Job,
        plan: &Plan,
        tables: Vec<Part>,
        mut staging: Staging,
        progress: Progress,
    ) -> Result<Self> {
        let staged = stage(tables, &job.output, plan, &mut staging, progress)?;
        let followed = standalone(plan)?;
        let (plan_file, stored) = store_plan(&followed, job.output.path(), &job.plan, &mut staging)?;
        let (key, output) = (plan.key.clone(), job.output.path().map(Path::to_owned));
        Ok(Draft { staging, staged, followed, stored, key, plan_file, output })
    }

    /// Reads the original, the written release and the stored plan anew and holds them against each other. `left_out` are the rows that
    /// the release lacks.
    pub(super) fn verify(self, input: &Source, left_out: &[u32], progress: Progress) -> Result<Verified> {
        progress.begin("verifying", 0)?;
        let Draft { staging, staged, followed, stored, key, plan_file, output } = self;
        if stored != followed {
            return Err(Error::Unverified("the plan that was stored is not the one that was followed".to_owned()));
        }
        let stored = Plan { key, ..stored };
        let (original, files) =
            rayon::join(|| verify::original(input, &stored, None, progress), || staged.read(progress));
        let (original, files) = (original?, files?);
        Columns::new(&files, &stored)?.failures().into_iter().try_for_each(|failure| Err(unverified(failure)))?;
        let release = verify::published(&files, &stored)?.map_err(unverified)?;
        let audit = Audit::new(&release, &stored)?;
        let judge = |audit: &Audit| -> Result<()> {
            audit.failures(&stored)?.into_iter().try_for_each(|failure| Err(unverified(failure)))
        };
        let counts_rows = stored.columns_with(Role::Person).next().is_none();
        if counts_rows {
            judge(&audit)?;
        }
        let left_out = LeftOut::These(left_out);
        let rows = verify::compare(&original, &stored, &release, stored.method.order, left_out)?;
        let rows = rows.map_err(unverified)?;
        let audit = audit.by_persons(&original, &stored, &release, &rows)?;
        verify::consistent(&original, &stored, &release, &rows)?.map_err(unverified)?;
        verify::linked(&release, &stored)?.map_err(unverified)?;
        if !counts_rows {
            judge(&audit)?;
        }
        let rows = rows.into_rows();
        verify::wishes(&original, &stored, &release, &rows)?.map_err(unverified)?;
        Ok(Verified { staging, staged, files, output, plan: followed, plan_file, release, audit, rows })
    }
}

/// A release that is what was asked for, by its own bytes. Made by [`Draft::verify`] alone.
pub(super) struct Verified {
    staging: Staging,
    staged: Staged,
    files: Files,
    output: Option<PathBuf>,
    /// The plan by which it was made, with all hierarchies in it.
    pub plan: Plan,
    /// Where that will be.
    pub plan_file: Option<PathBuf>,
    /// What the release shows.
    pub release: Published,
    /// What that reaches.
    pub audit: Audit,
    /// The row of the original that each published row comes from.
    pub rows: Vec<u32>,
}

impl Verified {
    /// The tables with the names that they will have.
    pub(super) fn tables(&self) -> impl Iterator<Item = (String, &Table)> {
        self.staged.named(self.output.as_deref(), &self.files)
    }

    /// The file that the release goes to.
    pub(super) fn output(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// What is written so far.
    pub(super) fn staging(&self) -> &Staging {
        &self.staging
    }

    /// Adds a file that belongs to the release.
    pub(super) fn add(&mut self, path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
        self.staging.bytes(path, text).map(drop)
    }

    /// Adds the dictionary, and then the manifest of all files so far, where the release is a file. Tells where both will be.
    pub(super) fn add_beside(&mut self, dictionary: &Dictionary) -> Result<Option<(PathBuf, PathBuf)>> {
        let Some(output) = self.output.clone().filter(|output| !is_stream(output)) else { return Ok(None) };
        let path = dictionary_path(&output);
        let text = serde_json::to_string_pretty(dictionary).map_err(|e| Error::write(&path.display(), e.into()))?;
        self.add(&path, text + "\n")?;
        let beside = manifest_path(&output);
        let text = manifest(&beside, self.plan_file.as_deref(), &self.staging)?;
        self.add(&beside, text)?;
        Ok(Some((path, beside)))
    }

    /// Puts all files in place, and hands out the tables that go to none.
    pub(super) fn publish(self, progress: Progress) -> Result<Vec<Part>> {
        self.staging.publish(progress)?;
        Ok(self.staged.handed)
    }
}

/// The tables of a release, where they wait to be published.
struct Staged {
    places: Vec<(Option<&'static str>, Source)>,
    input: plan::Input,
    /// The tables themselves, where they are handed out.
    handed: Vec<Part>,
}

/// Writes the tables of a release to temporary files, or makes them what will be handed out.
fn stage(tables: Vec<Part>, output: &Sink, plan: &Plan, staging: &mut Staging, progress: Progress) -> Result<Staged> {
    let (mut places, mut handed) = (Vec::new(), Vec::new());
    let delimiter = output.path().map_or(',', |output| read::delimiter(output, plan.input.delimiter));
    for Part { name, table } in tables {
        let place = match output {
            Sink::File(output) => {
                let target = name.map_or_else(|| output.clone(), |name| publish::path(output, name));
                staging.table(&target, &table, delimiter, progress)?.into()
            }
            Sink::Memory(like) => {
                let table = shaped(&table, like)?;
                handed.push(Part { name, table: table.clone() });
                Frame::new(name.unwrap_or(RELEASE), table.schema(), [Ok(table)], progress)?.into()
            }
        };
        places.push((name, place));
    }
    Ok(Staged { places, input: plan::Input { delimiter, ..plan::Input::default() }, handed })
}

impl Staged {
    /// The tables as the verification reads them back.
    fn read(&self, progress: Progress) -> Result<Files> {
        let spare = self.handed.iter().try_for_each(|part| verify::spare_values(&part.table));
        spare.map_err(|Failure(failure)| Error::Unverified(failure))?;
        files(&self.places, &self.input, progress)
    }

    /// The tables with the names that they will have.
    fn named<'a>(&self, output: Option<&Path>, files: &'a Files) -> impl Iterator<Item = (String, &'a Table)> {
        self.places.iter().map(move |(part, _)| {
            let table = part.map_or(&files.main, |part| &files.beside[part]);
            let Some(output) = output else { return (part.unwrap_or(RELEASE).to_owned(), table) };
            let path = part.map_or_else(|| output.to_owned(), |part| publish::path(output, part));
            (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), table)
        })
    }
}
