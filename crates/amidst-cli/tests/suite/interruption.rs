//! Whatever stops amidst half-way, an older release stays as it was and nothing half-written is left.

use std::io::{Write as _, stderr};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Folder, PEOPLE, ROLES, amidst, many_rows};

/// The classes are formed quickly, because what happens afterwards is of interest here.
const MANY: &str = "--quasi age,zip,job --publish-as-is note --sensitive disease --k 5 --partitioner mondrian";

/// Runs a script in the folder with a file system of so many KiB mounted on `small`, where `$0` is amidst. `None` where
/// the system does not permit the mount.
fn with_small_disk(folder: &Folder, kib: u32, script: &str) -> Option<String> {
    std::fs::create_dir_all(folder.path("small")).unwrap();
    let script = format!("mount -t tmpfs -o size={kib}k none small || exit 77\n{script}");
    for unshare in [["-m", "-r"].as_slice(), &["-m"]] {
        let mut command = Command::new("unshare");
        command.args(unshare).args(["sh", "-c", &script]).arg(amidst()).current_dir(folder.path(""));
        if let Ok(output) = command.output()
            && output.status.success()
        {
            return Some(String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap());
        }
    }
    // Not by `eprintln`, which the test harness would hide.
    let _ = writeln!(stderr(), "SKIPPED: no permission to mount a small file system, so no full disk was tried");
    None
}

#[test]
fn a_full_disk() {
    // The release of 20,000 rows takes about 1 MiB.
    let folder = Folder::with("in.csv", many_rows(20_000));
    for output in ["out.csv", "out.csv.gz", "out.csv.zst", "out.parquet"] {
        let script = format!(
            "echo old > small/{output}
             \"$0\" anonymize in.csv -o small/{output} {MANY} -q 2>&1
             echo \"code $?\"; cat small/{output}; ls -A small"
        );
        let Some(seen) = with_small_disk(&folder, 64, &script) else { return };
        let message = format!("error: cannot write `small/{output}`: No space left on device (os error 28)");
        assert_eq!(seen, format!("{message}\ncode 2\nold\n{output}\n"));
    }
}

#[test]
fn a_disk_that_is_full_when_only_the_plan_is_missing() {
    // Of 16 pages of 4 KiB, 14 are filled; the old and the new release take one each.
    let folder = Folder::with("people.csv", PEOPLE);
    let script = format!(
        "echo old > small/out.csv
         head -c 57344 /dev/zero > small/filler
         \"$0\" anonymize people.csv -o small/out.csv {ROLES} --k 2 -q 2>&1
         echo \"code $?\"; cat small/out.csv; ls -A small"
    );
    let Some(seen) = with_small_disk(&folder, 64, &script) else { return };
    let message = "error: cannot write `small/out.plan.toml`: No space left on device (os error 28)";
    assert_eq!(seen, format!("{message}\ncode 2\nold\nfiller\nout.csv\n"));
}

#[test]
fn a_device_that_takes_nothing() {
    let folder = Folder::with("people.csv", PEOPLE);
    let run = folder.run(&format!("anonymize people.csv -o /dev/full {ROLES} --k 2 -q"));
    assert_eq!(run.stderr, "error: cannot write `/dev/full`: No space left on device (os error 28)\n");
    assert_eq!(run.code, 2);
    assert_eq!(folder.names(), ["people.csv"]);
}

#[test]
fn a_reader_that_leaves_before_the_end() {
    let folder = Folder::with("in.csv", many_rows(20_000));
    let script = format!("{{ \"$0\" anonymize in.csv -o - {MANY} -q; echo \"code $?\" >&2; }} | head -n 1");
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(amidst()).current_dir(folder.path("")).env("TMPDIR", folder.path(""));
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "age,zip,job,note,disease\n");
    // Not all of the release has arrived, so that is an error.
    let message = "error: cannot write `-`: Broken pipe (os error 32)\ncode 2\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), message);
    assert_eq!(folder.names(), ["in.csv"]);
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status();
    assert!(status.unwrap().success());
}

/// Waits for amidst to end, for what it says and its exit code.
fn end(mut child: Child) -> (String, Option<i32>) {
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("amidst does not end");
        }
        sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    (String::from_utf8(output.stderr).unwrap(), output.status.code())
}

fn interrupted() -> (String, Option<i32>) {
    ("error: interrupted; nothing was published\n".to_owned(), Some(130))
}

#[test]
fn a_signal_while_the_release_is_written_or_checked() {
    let folder = Folder::with("in.csv", many_rows(200_000));
    for (name, output) in [("INT", "out.csv"), ("TERM", "out.csv"), ("INT", "out.csv.gz"), ("TERM", "out.parquet")] {
        folder.write(output, "an older release");
        let before = folder.names();
        let mut command = folder.command();
        command.args(["anonymize", "in.csv", "-o", output, "-q"]).args(MANY.split(' ')).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        while folder.waiting().is_empty() {
            assert_eq!(child.try_wait().unwrap(), None, "it ended before its file was seen");
            sleep(Duration::from_millis(1));
        }
        signal(&child, name);
        assert_eq!(end(child), interrupted(), "{name}, {output}");
        assert_eq!(folder.text(output), "an older release");
        assert_eq!(folder.names(), before);
    }
}

#[test]
fn a_signal_while_the_table_is_read() {
    for name in ["INT", "TERM"] {
        let folder = Folder::with("out.csv", "an older release");
        let mut command = folder.command();
        command.args(["anonymize", "-", "-o", "out.csv", "-q"]).args(MANY.split(' '));
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // More than any pipe holds: when all of it is gone, amidst reads and waits for more, which never comes.
        pipe.write_all(many_rows(100_000).as_bytes()).unwrap();
        signal(&child, name);
        assert_eq!(end(child), interrupted(), "{name}");
        drop(pipe);
        assert_eq!(folder.text("out.csv"), "an older release");
        assert_eq!(folder.names(), ["out.csv"]);
    }
}
