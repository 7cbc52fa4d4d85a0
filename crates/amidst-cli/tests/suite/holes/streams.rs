//! Output that goes nowhere and input that never comes.
#![cfg(unix)]

use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::ended;
use crate::support::{Folder, PEOPLE, PEOPLE_RELEASED, ROLES, amidst, many_rows};

/// What a script says in the folder, where `$0` is amidst.
fn script(folder: &Folder, script: &str) -> String {
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(amidst()).current_dir(folder.path("")).env("TMPDIR", folder.path(""));
    let output = command.output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

fn pipe(folder: &Folder) {
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap().success());
}

#[test]
fn a_standard_output_that_is_closed() {
    let folder = Folder::with("people.csv", PEOPLE);
    let message = "error: standard output is closed, so nothing can go there; give -o a file name\ncode 2\n";
    for command in [format!("anonymize people.csv -o - {ROLES} --k 2"), "init people.csv -o -".to_owned()] {
        let said = script(&folder, &format!("{{ \"$0\" {command} >&-; }} 2>said; echo code $? >>said; cat said"));
        assert_eq!(said, message, "{command}");
    }
    // Thrown away on purpose.
    assert_eq!(
        script(&folder, &format!("\"$0\" anonymize people.csv -o - {ROLES} --k 2 -q >/dev/null; echo code $?")),
        "code 0\n"
    );
}

#[test]
fn a_pipe_that_nobody_reads() {
    let folder = Folder::with("people.csv", PEOPLE);
    pipe(&folder);
    let mut command = folder.command();
    command.args(["anonymize", "people.csv", "-o", "pipe", "--k", "2", "-q"]).args(ROLES.split(' '));
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    sleep(Duration::from_millis(1500)); // long enough to wait for the reader
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(ended(child), (Some(130), "error: interrupted; nothing was published\n".to_owned()));
    assert_eq!(folder.leftovers(), [""; 0]);
}

#[test]
fn a_pipe_that_is_read_late() {
    let folder = Folder::with("people.csv", PEOPLE);
    pipe(&folder);
    let command =
        format!("\"$0\" anonymize people.csv -o pipe {ROLES} --k 2 -q --keep-order & sleep 1; cat pipe; wait");
    assert_eq!(script(&folder, &command), PEOPLE_RELEASED);
}

#[test]
fn a_pipe_that_nobody_writes() {
    let folder = Folder::new();
    pipe(&folder);
    for command in ["anonymize pipe -o out.csv --quasi a --k 2 -q", "risk pipe -q", "init pipe"] {
        let child = folder.command().args(command.split(' ')).stderr(Stdio::piped()).spawn().unwrap();
        sleep(Duration::from_secs(1));
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        assert_eq!(ended(child), (Some(130), "error: interrupted; nothing was published\n".to_owned()), "{command}");
    }
}

#[test]
fn a_plan_for_a_pipe_has_all_of_its_rows() {
    let folder = Folder::new();
    pipe(&folder);
    let mut command = folder.command();
    let child = command.args(["init", "pipe", "-o", "-"]).stdout(Stdio::piped()).spawn().unwrap();
    File::options().write(true).open(folder.path("pipe")).unwrap().write_all(PEOPLE.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let plan = String::from_utf8(output.stdout).unwrap();
    assert!(plan.contains("[columns]\nname "), "{plan}"); // and not the name of the first row
}

#[test]
fn a_pipe_that_gives_one_byte_at_a_time() {
    let folder = Folder::with("in.csv", PEOPLE);
    folder.run(&format!("anonymize in.csv -o in.parquet {ROLES} --k 2 -q --keep-order")).ok();
    let slow = "(head -c 1 in.parquet; sleep 0.3; tail -c +2 in.parquet) | \"$0\" audit - --quasi age,city --k 2 -q; echo code $?";
    assert_eq!(script(&folder, slow), "code 0\n");
}

#[test]
fn a_limit_of_the_size_of_files() {
    // The release of 20,000 rows takes about 1 MiB; the limit is 64 blocks of 512 bytes.
    let folder = Folder::with("in.csv", many_rows(20_000));
    for output in ["out.csv", "out.parquet"] {
        let run = format!(
            "ulimit -f 64; \"$0\" anonymize in.csv -o {output} --quasi age,zip --publish-as-is note --k 5 --partitioner mondrian -q 2>&1; echo code $?; ls -A"
        );
        let message = format!("error: cannot write `{output}`: File too large (os error 27)\ncode 2\nin.csv\n");
        assert_eq!(script(&folder, &run), message);
    }
}

#[test]
fn a_hierarchy_that_is_a_pipe() {
    let folder = Folder::with("in.csv", "a\nx\ny\n");
    pipe(&folder);
    folder.write(
        "plan.toml",
        "[privacy]\nk = 2\n[columns]\na = { role = \"quasi\", kind = \"taxonomy\", hierarchy = \"pipe\" }\n",
    );
    let child = folder
        .command()
        .args(["anonymize", "in.csv", "-o", "out.csv", "--plan", "plan.toml"])
        .stderr(Stdio::piped())
        .spawn();
    let message = "error: hierarchy `pipe`: it is not a file but a device or a pipe\n";
    let (code, said) = ended(child.unwrap());
    assert!(code == Some(2) && said.ends_with(message), "{code:?} {said}");
}
