//! Runs that are killed, stopped, starved of disk or crowded, at many points: whatever happens, what lies at the target is the old
//! release, the new one, or something that every reader refuses; and the next run leaves nothing behind.
//!
//! `cargo test` tries some points, `make campaign` many more, and prints how they ended.

mod at_once;
mod full_disk;
mod killed;
mod strace;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Write as _, stderr};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::support::{Folder, many_rows};

/// Every file of a release in a form that has all of them.
const FILES: [&str; 6] =
    ["out.csv", "out.sensitive.csv", "out.plan.toml", "out.dictionary.json", "out.manifest.json", "report.json"];

const OLD: &str = "anonymize in.csv -o out.csv --quasi age,zip --publish-as-is note --sensitive disease --publish anatomy --l 2 --k 6 --report report.json --seed 1 -q";
const NEW: &str = "anonymize in.csv -o out.csv --quasi age,zip,job --publish-as-is note --sensitive disease --publish anatomy --l 2 --k 3 --report report.json --seed 1 -q";

/// The files of a release by their names.
type Release = BTreeMap<&'static str, Vec<u8>>;

fn read(folder: &Path) -> Release {
    FILES.into_iter().filter_map(|name| Some((name, fs::read(folder.join(name)).ok()?))).collect()
}

/// What a run may leave at the target.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum State {
    /// What was there before.
    Old,
    /// The release that was asked for.
    New,
    /// Something else, and readers say so.
    Noticed,
    /// Something else that readers take for a release.
    Unnoticed,
}

/// A table, and what the two runs make of it.
struct Scene {
    table: String,
    old: Release,
    new: Release,
}

impl Scene {
    fn new() -> Self {
        let table = many_rows(200);
        let made = |how: &str| {
            let folder = Folder::with("in.csv", &table);
            folder.run(how).ok();
            let files = read(&folder.path(""));
            assert_eq!(files.len(), FILES.len());
            files
        };
        let (old, new) = (made(OLD), made(NEW));
        for name in FILES {
            assert_ne!(old[name], new[name], "{name} does not tell the releases apart");
        }
        Scene { table, old, new }
    }

    /// A folder with the table, and the old release if wanted.
    fn folder(&self, over_old: bool) -> Folder {
        let folder = Folder::with("in.csv", &self.table);
        if over_old {
            self.old.iter().for_each(|(name, bytes)| folder.write(name, bytes));
        }
        folder
    }

    /// What lies in a folder after a run.
    fn state(&self, folder: &Folder, over_old: bool) -> State {
        let found = read(&folder.path(""));
        let before = if over_old { self.old.clone() } else { Release::new() };
        let audit = || folder.command().args(["audit", "out.csv", "--plan", "out.plan.toml"]).output().unwrap();
        if found == before {
            return State::Old;
        }
        if is_made(&found, &self.new) && audit().status.success() {
            return State::New;
        }
        let seen = audit();
        let said = String::from_utf8_lossy(&seen.stdout).into_owned() + &String::from_utf8_lossy(&seen.stderr);
        let mixed =
            seen.status.code() == Some(1) && said.contains("that `out.manifest.json` names: a run was cut short");
        // Where there is no release, there is nothing to be taken for one.
        if mixed || !found.contains_key("out.csv") { State::Noticed } else { State::Unnoticed }
    }
}

/// True where the files are those of one run that made `release`.
fn is_made(found: &Release, release: &Release) -> bool {
    let lines = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.lines().filter(|line| !line.starts_with("fingerprint_key")).map(str::to_owned).collect::<Vec<_>>()
    };
    let same =
        ["out.csv", "out.sensitive.csv", "out.dictionary.json"].iter().all(|name| found.get(name) == release.get(name));
    let (Some(plan), Some(manifest), Some(report)) =
        (found.get("out.plan.toml"), found.get("out.manifest.json"), found.get("report.json"))
    else {
        return false;
    };
    // The report names the digests that the manifest has.
    let manifest: serde_json::Value = serde_json::from_slice(manifest).unwrap();
    let report = String::from_utf8_lossy(report);
    let files = manifest["files"].as_array().unwrap();
    same && lines(plan) == lines(&release["out.plan.toml"])
        && files.len() == 4
        && files.iter().all(|file| report.contains(file["sha256"].as_str().unwrap()))
}

/// How the trials of one kind ended.
#[derive(Debug, Default)]
struct Tally {
    points: usize,
    old: usize,
    new: usize,
    noticed: usize,
    unnoticed: usize,
    /// Runs that left temporary files.
    leftovers: usize,
    /// Of those, the ones that others could read.
    readable: usize,
    /// Runs after which the next one did not leave a whole release and nothing else.
    unhealed: usize,
}

impl Tally {
    /// Looks at a folder after a run, then runs again.
    fn look(&mut self, scene: &Scene, folder: &Folder, over_old: bool) -> State {
        let state = scene.state(folder, over_old);
        self.points += 1;
        *match state {
            State::Old => &mut self.old,
            State::New => &mut self.new,
            State::Noticed => &mut self.noticed,
            State::Unnoticed => &mut self.unnoticed,
        } += 1;
        let left = folder.leftovers();
        self.leftovers += usize::from(!left.is_empty());
        let readable =
            |name: &String| fs::metadata(folder.path(name)).is_ok_and(|m| m.permissions().mode() & 0o077 != 0);
        self.readable += usize::from(left.iter().any(readable));
        let healed = folder.command().args(NEW.split(' ')).status().unwrap().success();
        let whole = healed && folder.leftovers().is_empty() && is_made(&read(&folder.path("")), &scene.new);
        self.unhealed += usize::from(!whole);
        state
    }

    /// Says how the trials ended, as a row of the table, and fails where one ended badly.
    #[track_caller]
    fn tell(&self, what: &str) {
        let Tally { points, old, new, noticed, unnoticed, leftovers, readable, unhealed } = self;
        // Not by `println`, which the test harness would hide.
        let _ = writeln!(
            stderr(),
            "| {what} | {points} | {old} | {new} | {noticed} | {unnoticed} | {leftovers} | {readable} | {unhealed} |"
        );
        assert!(*points > 0 && *unnoticed == 0 && *readable == 0 && *unhealed == 0, "{what}: {self:?}");
    }
}

/// Says that something was not tried.
fn skipped(why: &str) {
    let _ = writeln!(stderr(), "SKIPPED: {why}");
}

/// The head of the table.
#[test]
#[ignore = "part of `make campaign`"]
fn a_head_of_the_table() {
    let _ = writeln!(
        stderr(),
        "\n| trial | points | old | new | noticed | unnoticed | left files | readable by others | not healed by the next run |\n\
         |---|---|---|---|---|---|---|---|---|"
    );
}

/// Numbers below 2^31 that look random, always the same: the generator of Knuth's MMIX.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }
}

/// Sends a signal to a process.
fn signal(name: &str, process: u32) {
    // It may have ended already.
    let _ = Command::new("kill")
        .arg(format!("-{name}"))
        .arg(process.to_string())
        .stderr(std::process::Stdio::null())
        .status();
}
