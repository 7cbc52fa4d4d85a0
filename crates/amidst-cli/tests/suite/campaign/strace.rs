//! Kills and failures at single system calls, by strace.

use std::fs;
use std::process::{Command, Stdio};

use super::{NEW, Scene, State, Tally, skipped};
use crate::support::{Folder, amidst};

/// Calls that change which file has which name, or what it is to others. Those that a system does not have are left out (`?`).
const NAMES: &str = "?rename,?renameat,?renameat2,?link,?linkat,?unlink,?unlinkat,?rmdir,?mkdir,?mkdirat,?chmod,?fchmod,?fchmodat,?fsync,?flock";

/// Calls that need room on a disk.
const ROOM: &str =
    "?write,?rename,?renameat,?renameat2,?link,?linkat,?mkdir,?mkdirat,?fsync,?chmod,?fchmodat,?copy_file_range";

/// amidst under strace.
fn traced(folder: &Folder, args: &[&str]) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq"]).args(args).arg(amidst()).args(NEW.split(' '));
    command.current_dir(folder.path("")).env("TMPDIR", folder.path("")).stderr(Stdio::null());
    command
}

/// How many of these calls a run makes in its busiest thread, which strace counts by itself. None without strace.
fn calls(scene: &Scene, set: &str, over_old: bool) -> Option<usize> {
    let folder = scene.folder(over_old);
    let status = traced(&folder, &["-o", "calls.txt", "-e", &format!("trace={set}")]).status();
    if !status.is_ok_and(|status| status.success()) {
        skipped(
            "strace is not there or may not trace, so no single system call was made to fail; install it to have that tried",
        );
        return None;
    }
    let text = fs::read_to_string(folder.path("calls.txt")).unwrap();
    let mut threads = std::collections::BTreeMap::new();
    for line in text.lines() {
        *threads.entry(line.split(' ').next().unwrap_or_default()).or_insert(0) += 1;
    }
    threads.into_values().max()
}

/// Tries every `step`-th call.
fn at_calls(set: &str, how: &str, step: usize, over_old: bool) -> Option<Tally> {
    let scene = Scene::new();
    let mut tally = Tally::default();
    for call in (1..=calls(&scene, set, over_old)?).step_by(step) {
        let folder = scene.folder(over_old);
        let inject = format!("inject={set}:{how}:when={call}");
        let status =
            traced(&folder, &["-o", "/dev/null", "-e", &format!("trace={set}"), "-e", &inject]).status().unwrap();
        let left = folder.leftovers();
        let state = tally.look(&scene, &folder, over_old);
        if how.starts_with("error") {
            assert_eq!(left, [""; 0], "call {call}: a run that could clear up did not");
            assert_eq!(state, if status.success() { State::New } else { State::Old }, "call {call}: {status}");
        }
    }
    Some(tally)
}

#[test]
fn killed_before_some_calls() {
    // A number that has no factor in common with the pattern of calls for a file.
    if let Some(tally) = at_calls(NAMES, "signal=KILL", 5, true) {
        tally.tell("SIGKILL before every fifth call");
    }
}

#[test]
fn no_room_for_some_calls() {
    if let Some(tally) = at_calls(ROOM, "error=ENOSPC", 5, true) {
        tally.tell("ENOSPC at every fifth call");
    }
}

#[test]
#[ignore = "part of `make campaign`"]
fn killed_before_every_call() {
    for (over_old, what) in [(true, "over an old release"), (false, "in an empty folder")] {
        if let Some(tally) = at_calls(NAMES, "signal=KILL", 1, over_old) {
            tally.tell(&format!("SIGKILL before every call that changes names, {what}"));
        }
    }
}

#[test]
#[ignore = "part of `make campaign`"]
fn no_room_for_every_call() {
    for (over_old, what) in [(true, "over an old release"), (false, "in an empty folder")] {
        if let Some(tally) = at_calls(ROOM, "error=ENOSPC", 1, over_old) {
            tally.tell(&format!("ENOSPC at every call that needs room, {what}"));
        }
    }
}
