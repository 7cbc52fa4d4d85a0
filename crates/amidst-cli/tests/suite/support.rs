//! A folder of its own for every test, and amidst run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use serde_json::Value;
use tempfile::TempDir;

/// Two countries, two cities each, two people each: whatever is cut at k = 2, these pairs are what is left.
pub const PEOPLE: &str = "\
name,age,city,disease
Ann,21,Oslo,flu
Bob,23,Oslo,cold
Cid,31,Bergen,flu
Dan,34,Bergen,gout
Eva,51,Rome,flu
Fay,55,Rome,cold
Gus,67,Milan,gout
Hal,69,Milan,flu
";

/// A hierarchy of the cities of [`PEOPLE`].
pub const CITIES: &str = "Oslo;Norway;*\nBergen;Norway;*\nRome;Italy;*\nMilan;Italy;*\n";

/// The release of [`PEOPLE`] by [`ROLES`] in the order of the input.
pub const PEOPLE_RELEASED: &str = "\
age,city,disease
[21-23],Oslo,flu
[21-23],Oslo,cold
[31-34],Bergen,flu
[31-34],Bergen,gout
[51-55],Rome,flu
[51-55],Rome,cold
[67-69],Milan,gout
[67-69],Milan,flu
";

/// What the columns of [`PEOPLE`] are.
pub const ROLES: &str = "--quasi age,city --sensitive disease --identifier name";

pub fn amidst() -> &'static Path {
    assert_cmd::cargo::cargo_bin!("amidst")
}

pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    /// A folder with one file.
    pub fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        let folder = Folder::new();
        folder.write(name, content);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// The names of all files in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The folders with temporary files that are still there. There must never be one when amidst has ended.
    pub fn leftovers(&self) -> Vec<String> {
        self.names().into_iter().filter(|name| name.starts_with(".amidst-")).collect()
    }

    /// The temporary files that hold something already.
    pub fn waiting(&self) -> Vec<PathBuf> {
        let inside = |name: String| fs::read_dir(self.path(&name)).into_iter().flatten().flatten().map(|e| e.path());
        let files = self.leftovers().into_iter().flat_map(inside);
        files.filter(|path| fs::metadata(path).is_ok_and(|m| m.len() > 0)).collect()
    }

    /// amidst, about to be run in the folder, which is also where the system's temporary files go.
    pub fn command(&self) -> Command {
        let mut command = Command::new(amidst());
        command.current_dir(self.0.path()).env("TMPDIR", self.0.path()).env("COLUMNS", "100");
        command
    }

    /// Runs amidst with arguments that are separated by blanks.
    pub fn run(&self, args: &str) -> Run {
        self.run_args(&args.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs amidst with arguments that contain blanks.
    pub fn run_args(&self, args: &[&str]) -> Run {
        self.finished(assert_cmd::Command::from_std(self.command()).args(args).output().unwrap())
    }

    /// Runs amidst, which must work, while another run has its temporary files in the folder.
    pub fn run_beside(&self, args: &str) {
        let output = self.command().args(args.split_whitespace()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Runs amidst with these bytes on standard input; gives the bytes on standard output too.
    pub fn pipe(&self, args: &str, stdin: impl Into<Vec<u8>>) -> (Run, Vec<u8>) {
        let mut command = assert_cmd::Command::from_std(self.command());
        let output = command.args(args.split_whitespace()).write_stdin(stdin).output().unwrap();
        let bytes = output.stdout.clone();
        (self.finished(output), bytes)
    }

    fn finished(&self, output: Output) -> Run {
        assert_eq!(self.leftovers(), [""; 0]);
        Run {
            code: output.status.code().expect("amidst ends by itself"),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// What `amidst demo` prints and writes. It takes seconds, so it is made once for all tests that only look at it.
pub struct Demo {
    pub stdout: String,
    pub page: String,
    pub release: String,
}

pub static DEMO: LazyLock<Demo> = LazyLock::new(|| {
    let folder = Folder::new();
    let stdout = folder.run("demo").ok().stdout;
    Demo { stdout, page: folder.text("amidst-demo/report.html"), release: folder.text("amidst-demo/release.csv") }
});

/// What a run gave.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// It worked.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{}{}", self.stdout, self.stderr);
        self
    }

    /// All of standard output as one JSON value.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", self.stdout, self.stderr))
    }
}

/// A table of so many rows with five columns, always the same; large enough for several threads from 10,000 rows on.
pub fn many_rows(rows: u64) -> String {
    let mut text = "age,zip,job,note,disease\n".to_owned();
    let mut state = 1_u64;
    let mut next = |below: u64| {
        // The generator of Knuth's MMIX; its high bits are good enough for test data.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for row in 0..rows {
        let (age, zip, job, disease) = (18 + next(70), 10_000 + next(900), next(20), next(9));
        text += &format!("{age},{zip},job {job},note {row},disease {disease}\n");
    }
    text
}
