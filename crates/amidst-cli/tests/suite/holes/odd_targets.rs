//! Names and places that a release could not be written to, or was written to in another way than asked.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use crate::support::{Folder, PEOPLE, PEOPLE_RELEASED, ROLES};

#[test]
fn a_name_that_leaves_no_room_for_what_lies_beside_it() {
    // 255 bytes are the most that a name may have on Linux; `.manifest.json` needs 14 of them, `.dictionary.json` 16.
    let folder = Folder::with("people.csv", PEOPLE);
    let name = |stem: usize| format!("{}.csv", "x".repeat(stem));
    for stem in [240, 251] {
        let run = folder.run(&format!("anonymize people.csv -o {} {ROLES} --k 2 -q", name(stem)));
        assert_eq!(run.code, 2);
        assert!(
            run.stderr.contains("the name is too long for the file system; choose a shorter output name"),
            "{}",
            run.stderr
        );
        assert_eq!(folder.names(), ["people.csv"]);
    }
    folder.run(&format!("anonymize people.csv -o {} {ROLES} --k 2 -q", name(239))).ok();
    assert_eq!(folder.names().len(), 5);
}

#[test]
fn a_name_that_is_no_text() {
    let folder = Folder::with("people.csv", PEOPLE);
    // Two names that look the same when they are shown: their plans must not be one file.
    for byte in [0xfe, 0xff] {
        let name = OsStr::from_bytes(&[byte, b'.', b'c', b's', b'v']).to_owned();
        let mut command = folder.command();
        command.args(["anonymize", "people.csv", "-q", "--keep-order", "--k", "2", "--json", "-o"]).arg(&name);
        let output = command.args(ROLES.split(' ')).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(fs::read(folder.path("").join(&name)).unwrap(), PEOPLE_RELEASED.as_bytes());
        let mut command = folder.command();
        command.arg("audit").arg(&name).args(["--k", "2"]).args(ROLES.split(' '));
        assert!(command.status().unwrap().success());
    }
    assert_eq!(fs::read_dir(folder.path("")).unwrap().count(), 1 + 2 * 4);
}

#[test]
fn links_that_lead_to_nothing_yet_stay_links() {
    let folder = Folder::with("people.csv", PEOPLE);
    fs::create_dir(folder.path("real")).unwrap();
    symlink("second.csv", folder.path("out.csv")).unwrap();
    symlink("real/third.csv", folder.path("second.csv")).unwrap();
    folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --keep-order -q")).ok();
    for link in ["out.csv", "second.csv"] {
        assert!(fs::symlink_metadata(folder.path(link)).unwrap().is_symlink(), "{link}");
    }
    assert_eq!(folder.text("real/third.csv"), PEOPLE_RELEASED);
    folder.run("audit out.csv --plan out.plan.toml --original people.csv").ok();
}

#[test]
fn links_in_a_circle() {
    let folder = Folder::with("people.csv", PEOPLE);
    symlink("b.csv", folder.path("a.csv")).unwrap();
    symlink("a.csv", folder.path("b.csv")).unwrap();
    let run = folder.run(&format!("anonymize people.csv -o a.csv {ROLES} --k 2 -q"));
    assert_eq!((run.code, run.stderr.as_str()), (2, "error: cannot write `a.csv`: its links form a cycle\n"));
}

#[test]
fn another_name_of_the_replaced_file_keeps_the_old_one() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.write("out.csv", "old");
    fs::hard_link(folder.path("out.csv"), folder.path("kept.csv")).unwrap();
    folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --keep-order -q")).ok();
    assert_eq!((folder.text("out.csv").as_str(), folder.text("kept.csv").as_str()), (PEOPLE_RELEASED, "old"));
}

#[test]
fn a_target_on_another_file_system() {
    // Behind a link, so that the plan stays here.
    let Ok(elsewhere) = tempfile::tempdir_in("/dev/shm") else { return };
    let folder = Folder::with("people.csv", PEOPLE);
    symlink(elsewhere.path().join("real.csv"), folder.path("out.csv")).unwrap();
    for _ in 0..2 {
        folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --keep-order -q")).ok();
        assert_eq!(fs::read_to_string(elsewhere.path().join("real.csv")).unwrap(), PEOPLE_RELEASED);
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    }
    folder.run("audit out.csv --plan out.plan.toml").ok();
}
