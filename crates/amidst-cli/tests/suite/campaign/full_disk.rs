//! A disk with too little room, of every size.

use std::fs;
use std::process::Command;

use super::{FILES, NEW, Scene, State, Tally, skipped};
use crate::support::{Folder, amidst};

/// Pages of a small file system.
const KIB: usize = 4;

/// Runs amidst on a file system of so many KiB that holds the old release; gives what is there afterwards, and whether it worked. None
/// where the system does not permit the mount.
fn on_small_disk(scene: &Scene, kib: usize) -> Option<(Folder, bool)> {
    let folder = scene.folder(true);
    fs::create_dir(folder.path("small")).unwrap();
    // The table is read from a larger one.
    let run = NEW.replace("in.csv", "../in.csv");
    let script = format!(
        "mount -t tmpfs -o size={kib}k none small || exit 77
         cp {} small || exit 78
         cd small && \"$0\" {run} 2> /dev/null
         code=$?
         cp -a . ../after && exit $code",
        FILES.join(" ")
    );
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &script]).arg(amidst()).current_dir(folder.path(""));
    let code = command.output().ok()?.status.code()?;
    match code {
        1 if !folder.path("after").exists() => None,
        77 => None,
        78 => panic!("{kib} KiB do not hold the old release"),
        code => {
            let after = Folder::with("in.csv", &scene.table);
            for entry in fs::read_dir(folder.path("after")).unwrap() {
                let entry = entry.unwrap();
                let to = after.path(entry.file_name().to_str().unwrap());
                if entry.path().is_dir() {
                    fs::rename(entry.path(), to).map(drop)
                } else {
                    fs::copy(entry.path(), to).map(drop)
                }
                .unwrap();
            }
            Some((after, code == 0))
        }
    }
}

/// From what the old release takes up to what both take.
fn sizes(step: usize) -> Option<Tally> {
    let scene = Scene::new();
    let pages =
        |release: &super::Release| release.values().map(|bytes| bytes.len().div_ceil(KIB * 1024)).sum::<usize>();
    let mut tally = Tally::default();
    for size in (pages(&scene.old) + 1..=pages(&scene.old) + pages(&scene.new) + 4).step_by(step) {
        let Some((folder, worked)) = on_small_disk(&scene, size * KIB) else {
            skipped("no permission to mount a small file system, so no disk of any size was filled");
            return None;
        };
        assert_eq!(folder.leftovers(), [""; 0], "{size} pages");
        let state = tally.look(&scene, &folder, true);
        assert_eq!(state, if worked { State::New } else { State::Old }, "{size} pages");
    }
    Some(tally)
}

#[test]
fn of_some_sizes() {
    if let Some(tally) = sizes(7) {
        tally.tell("a full disk of some sizes");
    }
}

#[test]
#[ignore = "part of `make campaign`"]
fn of_every_size() {
    if let Some(tally) = sizes(1) {
        tally.tell("a full disk of every size, by pages of 4 KiB");
        assert!(tally.old > 0 && tally.new > 0, "{tally:?}");
    }
}
