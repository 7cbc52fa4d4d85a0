//! Where a table comes from.

use std::path::{Path, PathBuf};

use super::table::check_skipped;
use super::{Options, Table, read};
use crate::error::{Error, Result};
use crate::progress::Progress;

/// A table to read: a file, or one that is in memory already.
#[derive(Debug, Clone)]
pub enum Source {
    /// A file; `-` is standard input.
    File(PathBuf),
    /// A table in memory, and those that belong to it where it is a release of several.
    Memory(Table, Vec<(String, Table)>),
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        Source::File(path)
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        Source::File(path.to_owned())
    }
}

impl From<Table> for Source {
    fn from(table: Table) -> Self {
        Source::Memory(table, Vec::new())
    }
}

impl Source {
    /// What messages call it.
    pub fn name(&self) -> String {
        match self {
            Source::File(path) => path.display().to_string(),
            Source::Memory(table, _) => table.name().to_owned(),
        }
    }

    /// The file, where it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Source::File(path) => Some(path),
            Source::Memory(..) => None,
        }
    }

    /// The table without the columns that are not wanted.
    pub fn read(&self, options: &Options, progress: Progress) -> Result<Table> {
        match self {
            Source::File(path) => read(path, options, progress),
            Source::Memory(table, _) => {
                progress.begin("reading", 0)?;
                let names: Vec<String> = table.names().map(str::to_owned).collect();
                check_skipped(table.name(), &names, &options.skip)?;
                table.without(&options.skip)
            }
        }
    }

    /// A table that belongs to one in memory, which needs it.
    pub(crate) fn beside(&self, part: &str) -> Result<Source> {
        let Source::Memory(_, beside) = self else { return Ok(self.clone()) };
        let found = beside.iter().find(|(name, _)| name == part);
        found.map(|(_, table)| table.clone().into()).ok_or_else(|| Error::Format {
            file: self.name(),
            message: format!("the release needs its part `{part}`, which was not given"),
        })
    }
}
