//! Kills and failures at single system calls, by strace.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

use super::{NEW, Scene, State, Tally, skipped};
use crate::support::{Folder, amidst};

/// Calls that change which file has which name, or what it is to others. Not every system has all of them.
const NAMES: &[&str] = &[
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "rmdir",
    "mkdir",
    "mkdirat",
    "chmod",
    "fchmod",
    "fchmodat",
    "fsync",
    "flock",
];

/// Calls that need room on a disk.
const ROOM: &[&str] =
    &["write", "rename", "renameat", "renameat2", "link", "linkat", "mkdir", "mkdirat", "fsync", "chmod", "fchmodat"];

/// amidst under strace.
fn traced(folder: &Folder, args: &[&str]) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq"]).args(args).arg(amidst()).args(NEW.split(' '));
    command.current_dir(folder.path("")).env("TMPDIR", folder.path("")).stderr(Stdio::null());
    command
}

/// The calls that a run makes, each by its name and its number among those of that name in one thread, which is how strace counts.
/// None without strace.
fn calls(scene: &Scene, names: &[&'static str], over_old: bool) -> Option<Vec<(&'static str, usize)>> {
    let folder = scene.folder(over_old);
    // A question mark leaves out what the system does not have.
    let set = names.iter().map(|name| format!("?{name}")).collect::<Vec<_>>().join(",");
    let status = traced(&folder, &["-o", "calls.txt", "-e", &format!("trace={set}")]).status();
    if !status.is_ok_and(|status| status.success()) {
        skipped(
            "strace is not there or may not trace, so no single system call was made to fail; install it to have that tried",
        );
        return None;
    }
    let text = fs::read_to_string(folder.path("calls.txt")).unwrap();
    let mut most: BTreeMap<&str, usize> = BTreeMap::new();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    // A line is the thread, then the call: `4711 rename("a", "b") = 0`.
    for (thread, call) in text.lines().filter_map(|line| line.split_once(' ')) {
        let name = call.trim_start().split('(').next().unwrap_or_default();
        let count = counts.entry((thread, name)).or_default();
        *count += 1;
        most.entry(name).and_modify(|most| *most = (*most).max(*count)).or_insert(*count);
    }
    let known = names.iter().filter_map(|name| Some((*name, *most.get(name)?)));
    Some(known.flat_map(|(name, most)| (1..=most).map(move |number| (name, number))).collect())
}

/// Tries every `step`-th call.
fn at_calls(names: &[&'static str], how: &str, step: usize, over_old: bool) -> Option<Tally> {
    let scene = Scene::new();
    let mut tally = Tally::default();
    for (name, number) in calls(&scene, names, over_old)?.into_iter().step_by(step) {
        let folder = scene.folder(over_old);
        let (trace, inject) = (format!("trace={name}"), format!("inject={name}:{how}:when={number}"));
        let status = traced(&folder, &["-o", "/dev/null", "-e", &trace, "-e", &inject]).status().unwrap();
        let left = folder.leftovers();
        let state = tally.look(&scene, &folder, over_old);
        if how.starts_with("error") {
            assert_eq!(left, [""; 0], "{name} {number}: a run that could clear up did not");
            let expected = if status.success() { State::New } else { State::Old };
            assert_eq!(state, expected, "{name} {number}: {status}");
        }
    }
    Some(tally)
}

#[test]
fn killed_before_some_calls() {
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
