//! A published release, read back; and its original beside it.

use rustc_hash::FxHashMap;

use super::dataset::Dataset;
use super::warnings::{Counted, identifiers, warnings};
use crate::error::{Error, Result};
use crate::measure::View;
use crate::plan::{self, Plan, RowOrder};
use crate::progress::Progress;
use crate::publish;
use crate::read::{Source, Table, release_as_found};
use crate::report::Warning;
use crate::schema::missing;
use crate::verify::{self, Alignment, Audit, Failure, Files, LeftOut, Published};

/// Reads a release with its parts, which lie beside it, and completes the plan where it leaves open how that is read.
pub(super) fn release(source: &Source, plan: &mut Plan, progress: Progress) -> Result<Result<Published, Failure>> {
    verify::published(&release_files(source, plan, progress)?, plan)
}

/// The tables of a release and its parts. Texts that usually mean missing do so here, too, unless the plan says which do.
pub(super) fn release_files(source: &Source, plan: &mut Plan, progress: Progress) -> Result<Files> {
    let main = release_table(source, plan, progress)?;
    let mut beside = FxHashMap::default();
    for part in plan.method.form()?.parts() {
        beside.insert((*part).to_owned(), release_table(&part_of(source, part)?, plan, progress)?);
    }
    let files = Files { main, beside };
    for table in [&files.main].into_iter().chain(files.beside.values()) {
        missing::add_usual(&mut plan.input, table);
    }
    Ok(files)
}

/// A table of a release. The plan says how its original is read: our releases are UTF-8 and have a header.
pub(super) fn release_table(source: &Source, plan: &Plan, progress: Progress) -> Result<Table> {
    let source = source.held(progress)?;
    let input = match plan.amidst {
        Some(_) => plan::Input { encoding: None, header: None, ..plan.input.clone() },
        None => release_as_found(&source, &plan.input, true, progress)?,
    };
    verify::release(&source, &input, progress)
}

/// Another table of the same release, which lies beside it.
pub(super) fn part_of(source: &Source, part: &str) -> Result<Source> {
    source.path().map_or_else(|| source.beside(part), |path| Ok(publish::path(path, part).into()))
}

/// Reads the tables of a release.
pub(super) fn files(places: &[(Option<String>, Source)], input: &plan::Input, progress: Progress) -> Result<Files> {
    let (mut main, mut beside) = (None, FxHashMap::default());
    for (part, source) in places {
        let table = verify::release(&source.held(progress)?, input, progress)?;
        match part {
            Some(part) => drop(beside.insert(part.clone(), table)),
            None => main = Some(table),
        }
    }
    let main = main.ok_or_else(|| Error::Internal("there is nothing to verify".to_owned()))?;
    Ok(Files { main, beside })
}

/// The original of a release, matched with it row by row.
pub(super) struct Matched {
    pub data: Dataset,
    /// Whether each published row shows a row of the original, and what is wrong where not.
    pub compared: Result<(), Failure>,
    /// Whether everybody gets what they asked for; if `compared` says so.
    pub wishes: Result<(), Failure>,
    /// Whether pseudonyms and shifted dates are consistent; if `compared` says so.
    pub consistent: Result<(), Failure>,
    /// The original as the verification reads it.
    anew: Table,
    rows: Option<Alignment>,
}

impl Matched {
    pub(super) fn load(original: &Source, plan: Plan, release: &Published, progress: Progress) -> Result<Self> {
        let original = &original.held(progress)?;
        let data = Dataset::load(original, plan, progress)?.for_release(&release.table)?;
        let plan = &data.plan;
        // Flags say nothing about the order; releases that did not come with a plan of ours are in that of the input.
        let kept = plan.is_partial() || plan.amidst.is_none();
        let order = if kept { RowOrder::Keep } else { plan.method.order };
        let anew = verify::original(original, plan, None, progress)?;
        let (rows, compared) = match verify::compare(&anew, plan, release, order, LeftOut::Unknown)? {
            Ok(rows) => (Some(rows), Ok(())),
            Err(failure) => (None, Err(failure)),
        };
        let wishes = match &rows {
            Some(rows) => verify::wishes(&anew, plan, release, rows.rows())?,
            None => Ok(()),
        };
        let consistent = match &rows {
            Some(rows) => verify::consistent(&anew, plan, release, rows)?,
            None => Ok(()),
        };
        Ok(Matched { data, compared, wishes, consistent, anew, rows })
    }

    /// The row of the original that each published row comes from; none where they could not be matched.
    pub(super) fn rows(&self) -> Option<&[u32]> {
        self.rows.as_ref().map(Alignment::rows)
    }

    /// The original as the verification reads it.
    pub(super) fn anew(&self) -> &Table {
        &self.anew
    }

    /// The audit with persons counted instead of rows, and with households, if the plan says whose the rows are and the rows are known.
    pub(super) fn counted(&self, audit: Audit, release: &Published) -> Result<Audit> {
        match &self.rows {
            Some(rows) => {
                let audit = audit.by_persons(&self.anew, &self.data.plan, release, rows)?;
                audit.with_households(&self.anew, &self.data.plan, release, rows)
            }
            None => Ok(audit),
        }
    }

    /// What to know where rows are counted, of which a class should have k.
    pub(super) fn warnings(&self, release: &Published, k: usize) -> Result<Vec<Warning>> {
        let (Some(rows), plan) = (self.rows(), &self.data.plan) else { return Ok(Vec::new()) };
        let counted = Counted { table: &self.anew, rows, classes: &release.classes, k, input: &plan.input };
        warnings(plan, &identifiers(plan, &self.anew), &counted)
    }

    /// Both as measures and attacks look at them.
    pub(super) fn view(&self, release: &Published, k: usize) -> Result<View> {
        View::new(&self.data.encoded, &self.data.schema, release, self.rows(), k)
    }
}
