//! A release on its way out. It is a [`Draft`] until the verification has read what was written, and only what is [`Verified`] can be
//! put in place or handed out.

use std::path::{Path, PathBuf};

use super::beside::{dictionary_path, manifest, manifest_path, standalone, store_plan};
use super::others::{MOST_LEFT_OUT, Other, OtherPart, Tables};
use super::published::files;
use super::warnings::{Counted, identifiers, warnings};
use super::{Job, unverified};
use crate::error::{Error, Result};
use crate::plan::{self, PersonKey, Plan, Role};
use crate::progress::Progress;
use crate::publish::{self, Part};
use crate::read::{self, Frame, Source, Table};
use crate::report::{Dictionary, OtherOutcome, Warning};
use crate::verify::{self, Audit, Columns, Failure, Files, LeftOut, MadeFrom, Main, Published};
use crate::write::{Sink, Staging, is_stream, shaped};

/// What messages and the dictionary call a release that is in no file.
const RELEASE: &str = "release";

/// The tables and the plan of a release, written but not looked at. Dropping it leaves nothing behind.
pub(super) struct Draft {
    staging: Staging,
    staged: Staged,
    others: Vec<StagedOther>,
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
        tables: Tables,
        mut staging: Staging,
        progress: Progress,
    ) -> Result<Self> {
        let Tables { main, others } = tables;
        let staged = stage(main, &job.output, plan, &mut staging, progress)?;
        let stage_other = |OtherPart { part, left_out }| {
            let staged = stage(vec![part], &job.output, plan, &mut staging, progress)?;
            Ok(StagedOther { staged, left_out })
        };
        let others = others.into_iter().map(stage_other).collect::<Result<_>>()?;
        let followed = standalone(plan)?;
        let (plan_file, stored) = store_plan(&followed, job.output.path(), &job.plan, &mut staging)?;
        let (key, output) = (plan.key.clone(), job.output.path().map(Path::to_owned));
        Ok(Draft { staging, staged, others, followed, stored, key, plan_file, output })
    }

    /// Reads the original, the written release and the stored plan anew and holds them against each other. `left_out` are the rows that
    /// the release lacks, and `tables` other tables of the same persons.
    pub(super) fn verify(
        self,
        input: &Source,
        tables: &[Other],
        left_out: &[u32],
        progress: Progress,
    ) -> Result<Verified> {
        progress.begin("verifying", 0)?;
        let Draft { staging, staged, others, followed, stored, key, plan_file, output } = self;
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
        let counts_rows = stored.columns_with(Role::Person).next().is_none() && stored.household_sizes()?.is_empty();
        if counts_rows {
            judge(&audit)?;
        }
        let left_out = LeftOut::These(left_out);
        let rows = verify::compare(&original, &stored, &release, stored.method.order, left_out)?;
        let rows = rows.map_err(unverified)?;
        let of_rows = audit.clone();
        let audit = audit.by_persons(&original, &stored, &release, &rows)?;
        let audit = audit.with_households(&original, &stored, &release, &rows)?;
        verify::consistent(&original, &stored, &release, &rows)?.map_err(unverified)?;
        verify::linked(&release, &stored)?.map_err(unverified)?;
        if !counts_rows {
            judge(&audit)?;
        }
        let rows = rows.into_rows();
        let (classes, k, input) = (&release.classes, stored.privacy.k, &stored.input);
        let counted = Counted { table: &original, rows: &rows, classes, k, input };
        let warnings = warnings(&stored, &identifiers(&stored, &original), &counted)?;
        verify::wishes(&original, &stored, &release, &rows)?.map_err(unverified)?;
        let main = Main { plan: &stored, release: &release };
        let verify = |(staged, table): (StagedOther, &Other)| staged.verify(main, table, progress);
        let others = others.into_iter().zip(tables).map(verify).collect::<Result<_>>()?;
        Ok(Verified {
            staging,
            staged,
            files,
            others,
            output,
            plan: followed,
            plan_file,
            release,
            audit,
            of_rows,
            warnings,
            rows,
        })
    }
}

/// Another table of the same persons, where it waits to be published.
struct StagedOther {
    staged: Staged,
    left_out: Vec<u32>,
}

/// The same after it was read back and passed.
pub(super) struct VerifiedOther {
    staged: Staged,
    /// What was read back.
    pub table: Table,
    /// Its plan, by which its columns are described.
    pub plan: Plan,
    /// What it reaches.
    pub audit: Audit,
    /// The number of its rows that are left out, because their persons are.
    pub left_out: usize,
}

impl VerifiedOther {
    /// What a report tells about it.
    pub(super) fn told(&self) -> OtherOutcome {
        let name = self.staged.places.first().and_then(|(name, _)| name.clone()).unwrap_or_default();
        OtherOutcome { name, left_out: self.left_out, audit: self.audit.clone() }
    }
}

impl StagedOther {
    fn verify(self, main: Main, other: &Other, progress: Progress) -> Result<VerifiedOther> {
        let StagedOther { staged, left_out } = self;
        let asked = main.plan.tables.get(&other.name);
        let asked = asked.ok_or_else(|| Error::Internal(format!("the plan lacks the table `{}`", other.name)))?;
        // Which columns both tables have is told by the original alone.
        let mut plan = main.plan.of_table(asked, other.table.names());
        if !left_out.is_empty() {
            // How many rows go with persons who are left out does not depend on the share of these.
            plan.privacy.suppress = MOST_LEFT_OUT;
        }
        let original = verify::original(&other.source, &plan, None, progress)?;
        let read = staged.read_one(progress)?;
        let from = MadeFrom { original: &original, left_out: LeftOut::These(&left_out) };
        let audit = verify::beside(main, &read, &plan, Some(from))?;
        let audit = audit.map_err(|Failure(failure)| Error::Unverified(format!("table {}: {failure}", other.name)))?;
        Ok(VerifiedOther { staged, table: read, plan, audit, left_out: left_out.len() })
    }
}

/// A release that is what was asked for, by its own bytes. Made by [`Draft::verify`] alone.
pub(super) struct Verified {
    staging: Staging,
    staged: Staged,
    files: Files,
    /// Other tables of the same persons.
    pub others: Vec<VerifiedOther>,
    output: Option<PathBuf>,
    /// The plan by which it was made, with all hierarchies in it.
    pub plan: Plan,
    /// Where that will be.
    pub plan_file: Option<PathBuf>,
    /// What the release shows.
    pub release: Published,
    /// What that reaches.
    pub audit: Audit,
    /// The same with rows counted, even if the plan says whose they are. All of it can be counted in the release.
    pub of_rows: Audit,
    /// What is to be known before it is handed out.
    pub warnings: Vec<Warning>,
    /// The row of the original that each published row comes from.
    pub rows: Vec<u32>,
}

impl Verified {
    /// The main table as it was read back.
    pub(super) fn main(&self) -> &Table {
        &self.files.main
    }

    /// The tables with the names that they will have.
    pub(super) fn tables(&self) -> impl Iterator<Item = (String, &Table)> {
        self.staged.named(self.output.as_deref(), &self.files)
    }

    /// Another table of the same persons with the name that it will have.
    pub(super) fn named_other<'a>(&self, other: &'a VerifiedOther) -> (String, &'a Table) {
        let name = other.staged.places.first().and_then(|(part, _)| part.clone()).unwrap_or_default();
        (self.output.as_deref().map_or(name.clone(), |path| file_name(&publish::path(path, &name))), &other.table)
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
        let others = self.others.into_iter().flat_map(|other| other.staged.handed);
        Ok(self.staged.handed.into_iter().chain(others).collect())
    }
}

/// The tables of a release, where they wait to be published.
struct Staged {
    places: Vec<(Option<String>, Source)>,
    input: plan::Input,
    /// The tables themselves, where they are handed out.
    handed: Vec<Part>,
}

/// Writes the tables of a release to temporary files, or makes them what will be handed out.
fn stage(tables: Vec<Part>, output: &Sink, plan: &Plan, staging: &mut Staging, progress: Progress) -> Result<Staged> {
    let (mut places, mut handed) = (Vec::new(), Vec::new());
    let delimiter = output.path().map_or(',', |output| read::delimiter(output, plan.input.separator()));
    for Part { name, table } in tables {
        let place = match output {
            Sink::File(output) => {
                let target = name.as_ref().map_or_else(|| output.clone(), |name| publish::path(output, name));
                staging.table(&target, &table, delimiter, progress)?.into()
            }
            Sink::Memory(like) => {
                let table = shaped(&table, like)?;
                handed.push(Part { name: name.clone(), table: table.clone() });
                Frame::new(name.as_deref().unwrap_or(RELEASE), table.schema(), [Ok(table)], progress)?.into()
            }
        };
        places.push((name, place));
    }
    Ok(Staged { places, input: plan::Input { delimiter: Some(delimiter), ..plan::Input::default() }, handed })
}

impl Staged {
    /// The tables as the verification reads them back.
    fn read(&self, progress: Progress) -> Result<Files> {
        let spare = self.handed.iter().try_for_each(|part| verify::spare_values(&part.table));
        spare.map_err(|Failure(failure)| Error::Unverified(failure))?;
        files(&self.places, &self.input, progress)
    }

    /// The only table as the verification reads it back.
    fn read_one(&self, progress: Progress) -> Result<Table> {
        let spare = self.handed.iter().try_for_each(|part| verify::spare_values(&part.table));
        spare.map_err(|Failure(failure)| Error::Unverified(failure))?;
        let Some((_, source)) = self.places.first() else {
            return Err(Error::Internal("there is nothing to verify".to_owned()));
        };
        verify::release(&source.held(progress)?, &self.input, progress)
    }

    /// The tables with the names that they will have.
    fn named<'a>(&self, output: Option<&Path>, files: &'a Files) -> impl Iterator<Item = (String, &'a Table)> {
        self.places.iter().map(move |(part, _)| {
            let table = part.as_ref().map_or(&files.main, |part| &files.beside[part]);
            let Some(output) = output else { return (part.as_deref().unwrap_or(RELEASE).to_owned(), table) };
            let path = part.as_ref().map_or_else(|| output.to_owned(), |part| publish::path(output, part));
            (file_name(&path), table)
        })
    }
}

/// The name of a file without its folder.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
