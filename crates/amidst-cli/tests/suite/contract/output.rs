//! Where the release is put, and what it replaces.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use crate::support::{Folder, PEOPLE, PEOPLE_RELEASED, ROLES, amidst};

#[test]
fn the_plan_lies_beside_the_release() {
    let folder = Folder::with("people.csv", PEOPLE);
    for (output, plan) in [
        ("a.csv", "a.plan.toml"),
        ("b.csv.gz", "b.plan.toml"),
        ("c.parquet", "c.plan.toml"),
        ("d.2024.csv.zst", "d.2024.plan.toml"),
    ] {
        let report = folder.run(&format!("anonymize people.csv -o {output} {ROLES} --k 2 --json")).ok().json();
        assert_eq!((&report["output"], &report["plan"]), (&output.into(), &plan.into()));
        assert!(folder.text(plan).contains("k = 2"));
    }
}

#[test]
fn an_older_release_is_replaced() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.write("out.csv", "old");
    folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --keep-order")).ok();
    assert_eq!(folder.text("out.csv"), PEOPLE_RELEASED);
    assert_eq!(folder.names(), ["out.csv", "out.dictionary.json", "out.manifest.json", "out.plan.toml", "people.csv"]);
}

#[test]
fn a_link_stays_a_link() {
    // To a file that is there, and to one that is not there yet.
    for old in [Some("old"), None] {
        let folder = Folder::with("people.csv", PEOPLE);
        fs::create_dir(folder.path("real")).unwrap();
        if let Some(old) = old {
            folder.write("real/out.csv", old);
        }
        symlink("real/out.csv", folder.path("out.csv")).unwrap();
        folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --keep-order")).ok();
        assert!(fs::symlink_metadata(folder.path("out.csv")).unwrap().is_symlink());
        assert_eq!(folder.text("real/out.csv"), PEOPLE_RELEASED);
    }
}

#[test]
fn the_mode_of_new_files_follows_the_umask_and_plans_are_for_their_owner() {
    let folder = Folder::with("people.csv", PEOPLE);
    for (umask, mode) in [("022", 0o644), ("027", 0o640), ("077", 0o600)] {
        let script = format!("umask {umask} && \"$0\" anonymize people.csv -o {umask}.csv {ROLES} --k 2 -q");
        let status = Command::new("sh").arg("-c").arg(script).arg(amidst()).current_dir(folder.path("")).status();
        assert!(status.unwrap().success());
        for (name, mode) in [("csv", mode), ("dictionary.json", mode), ("manifest.json", mode), ("plan.toml", 0o600)] {
            let file = format!("{umask}.{name}");
            let found = fs::metadata(folder.path(&file)).unwrap().permissions().mode() & 0o777;
            assert_eq!(found, mode, "{file}: {found:o}");
        }
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_mistake_of_a_report() {
    let folder = Folder::new();
    // By then the reader is gone.
    let script = "{ sleep 0.3; \"$0\" list measures; echo \"code $?\" >&2; } | true";
    let output = Command::new("sh").arg("-c").arg(script).arg(amidst()).current_dir(folder.path("")).output();
    assert_eq!(String::from_utf8(output.unwrap().stderr).unwrap(), "code 0\n");
}
