//! A release of each form, with bytes, lines and cells changed as the input says.
//!
//! Where the audit beside the original still passes, the [oracle](crate::oracle) agrees.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use amidst::internals::publish;
use amidst::pipeline::{AuditJob, Job, anonymize, audit};
use amidst::plan::Plan;
use amidst::progress::Progress;
use tempfile::TempDir;

use super::Script;
use crate::grid::Grid;
use crate::oracle::{self, Asked};
use crate::people::{self, Column};

const K: usize = 3;
const BLOCKS: usize = 5;
const FORMS: [&str; 6] = ["generalization", "centres", "ring", "anatomy", "slicing", "randomization"];
const QUASI: [&str; 4] = ["age", "seen", "town", "pet"];

/// A release as it was made.
struct Made {
    folder: TempDir,
    form: &'static str,
    plan: Plan,
    original: Grid,
    quasi: Vec<Column>,
    release: Vec<u8>,
    /// The second table, and where it lies.
    part: Option<(PathBuf, Vec<u8>)>,
}

fn made() -> &'static [Made] {
    static MADE: OnceLock<Vec<Made>> = OnceLock::new();
    MADE.get_or_init(|| FORMS.iter().map(|form| Made::new(form)).collect())
}

impl Made {
    fn new(form: &'static str) -> Self {
        // Files that live in memory are faster.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let folder = folder.expect("a folder for temporary files");
        let file = |name: &str| folder.path().join(name);
        let quasi = people::quasi(&QUASI);
        let original = people::table(BLOCKS, &quasi, false);
        fs::write(file("table.csv"), original.csv()).expect("space for a small file");
        let method = format!("partitioner = \"mondrian\"\npublish = \"{form}\"");
        let plan = people::plan(&quasi, K, "require = [\"distinct-l(l=2)\"]", &method);
        let plan: Plan = plan.parse().unwrap_or_else(|e| panic!("{e}\n{plan}"));
        let job = Job::new(file("table.csv"), file("release.csv"), plan);
        anonymize(&job, Progress::silent()).unwrap_or_else(|e| panic!("{form}: {e}"));
        let mut part = ["sensitive", "slices"].iter().map(|part| publish::path(&file("release.csv"), part));
        let part = part.find_map(|path| Some((path.clone(), fs::read(path).ok()?)));
        let release = fs::read(file("release.csv")).expect("the release");
        let plan = Plan::load(&file("release.plan.toml")).expect("the plan beside the release");
        Made { folder, form, plan, original, quasi, release, part }
    }

    /// Audits these files beside the original. True when they pass.
    fn passes(&self, release: &[u8], part: Option<&[u8]>) -> bool {
        let file = |name: &str| self.folder.path().join(name);
        fs::write(file("release.csv"), release).expect("space for a small file");
        if let (Some((path, _)), Some(part)) = (&self.part, part) {
            fs::write(path, part).expect("space for a small file");
        }
        let job = AuditJob {
            release: file("release.csv").into(),
            plan: self.plan.clone(),
            demand: true,
            original: Some(file("table.csv").into()),
            tables: Vec::new(),
        };
        audit(&job, Progress::silent()).is_ok_and(|outcome| outcome.failures.is_empty())
    }

    fn asked(&self) -> Asked<'_> {
        Asked { original: &self.original, quasi: &self.quasi, k: K, l: 2, left_out: 0, exact: false }
    }
}

pub(super) fn run(bytes: &[u8]) {
    let mut script = Script(bytes);
    let made = &made()[usize::from(script.byte()) % FORMS.len()];
    let mut release = made.release.clone();
    let mut part = made.part.as_ref().map(|(_, bytes)| bytes.clone());
    for _ in 0..8 {
        if script.is_empty() {
            break;
        }
        let step = script.byte();
        let file = match &mut part {
            Some(part) if step & 128 > 0 => part,
            _ => &mut release,
        };
        edit(file, step & 127, &mut script);
    }
    if made.passes(&release, part.as_deref()) {
        let read = |bytes: &[u8]| Grid::parse(bytes).expect("what passes is CSV");
        oracle::check(made.asked(), made.form, &read(&release), part.as_deref().map(read).as_ref());
    }
}

/// One change of a file.
fn edit(file: &mut Vec<u8>, step: u8, script: &mut Script) {
    let at = script.below(file.len());
    match step % 8 {
        0 => {
            if let Some(byte) = file.get_mut(at) {
                *byte = script.byte();
            }
        }
        1 => file.insert(at, script.byte()),
        2 => {
            let end = (at + 1 + script.below(24)).min(file.len());
            file.drain(at.min(end)..end);
        }
        3 => lines(file, |lines| {
            let (a, b) = (script.below(lines.len()), script.below(lines.len()));
            lines.swap(a, b);
        }),
        4 => lines(file, |lines| {
            let (from, to) = (script.below(lines.len()), script.below(lines.len()));
            lines.insert(to, lines[from].clone());
        }),
        5 => lines(file, |lines| drop(lines.remove(script.below(lines.len())))),
        kind => cells(file, kind == 6, script),
    }
}

fn lines(file: &mut Vec<u8>, change: impl FnOnce(&mut Vec<Vec<u8>>)) {
    let mut lines: Vec<Vec<u8>> = file.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    if !lines.is_empty() {
        change(&mut lines);
        *file = lines.concat();
    }
}

/// Gives a row the cell of another in one column, or exchanges the two; or does so in all rows that look like them there.
fn cells(file: &mut Vec<u8>, one: bool, script: &mut Script) {
    let Some(mut grid) = Grid::parse(file) else { return };
    if grid.rows.is_empty() {
        return;
    }
    let (a, b, column) =
        (script.below(grid.rows.len()), script.below(grid.rows.len()), script.below(grid.header.len()));
    let (mine, theirs) = (grid.rows[a][column].clone(), grid.rows[b][column].clone());
    let exchange = script.byte() & 1 > 0;
    if one {
        grid.rows[a][column] = theirs;
        if exchange {
            grid.rows[b][column] = mine;
        }
    } else {
        for row in &mut grid.rows {
            if row[column] == mine {
                row[column] = theirs.clone();
            } else if row[column] == theirs && exchange {
                row[column] = mine.clone();
            }
        }
    }
    *file = grid.csv();
}
