//! Files that others could read before they were checked, modes that changed, and what a killed run left behind.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use crate::support::{Folder, PEOPLE, ROLES, many_rows};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_file_that_is_replaced_keeps_its_mode() {
    let folder = Folder::with("people.csv", PEOPLE);
    let how = format!("anonymize people.csv -o out.csv {ROLES} --k 2 --report report.html -q");
    folder.run(&how).ok();
    let files = ["out.csv", "out.plan.toml", "out.dictionary.json", "out.manifest.json", "report.html"];
    for asked in [0o600, 0o640, 0o666, 0o400] {
        files.iter().for_each(|file| set_mode(&folder.path(file), asked));
        folder.run(&how).ok();
        for file in files {
            assert_eq!(mode(&folder.path(file)), asked, "{file}");
        }
    }
}

#[test]
fn nobody_else_can_read_what_a_killed_run_leaves_and_the_next_run_removes_it() {
    let folder = Folder::with("in.csv", many_rows(50_000));
    folder.write("people.csv", PEOPLE);
    let mut command = folder.command();
    command.args(
        "anonymize in.csv -o out.csv --quasi age,zip,job --publish-as-is note --sensitive disease --k 5 --partitioner mondrian -q"
            .split(' '),
    );
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    while folder.waiting().is_empty() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before its file was seen");
        sleep(Duration::from_millis(1));
    }
    // A run beside it sees that its owner lives.
    folder.run_beside(&format!("anonymize people.csv -o other.csv {ROLES} --k 2 -q"));
    assert_eq!(folder.leftovers().len(), 1, "the workshop of a living run was swept");
    child.kill().unwrap(); // SIGKILL
    child.wait().unwrap();
    let left = folder.leftovers();
    assert_eq!(left.len(), 1);
    assert_eq!(mode(&folder.path(&left[0])), 0o700);
    for file in folder.waiting() {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    // This checks that there are no leftovers.
    folder.run(&format!("anonymize people.csv -o other.csv {ROLES} --k 2 -q")).ok();
}
