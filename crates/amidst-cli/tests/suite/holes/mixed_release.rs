//! A new release beside an old plan: readers notice files that do not belong together.

use std::fs;

use crate::support::{Folder, PEOPLE, ROLES};

/// The files of an anatomy, the release first.
const FILES: [&str; 4] = ["out.csv", "out.sensitive.csv", "out.plan.toml", "out.dictionary.json"];

/// Two releases of the people, which differ in every file: the second in the folder, the first in `old`.
fn two_releases() -> Folder {
    let folder = Folder::with("people.csv", PEOPLE);
    fs::create_dir(folder.path("old")).unwrap();
    let how = "--publish anatomy --l 2 --seed 1 -q";
    folder
        .run(&format!(
            "anonymize people.csv -o old/out.csv --quasi age --publish-as-is city --sensitive disease --identifier name --k 4 {how}"
        ))
        .ok();
    folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 {how}")).ok();
    folder
}

#[test]
fn the_manifest_names_every_file_and_nothing_secret() {
    let folder = two_releases();
    let manifest: serde_json::Value = serde_json::from_str(&folder.text("out.manifest.json")).unwrap();
    let keys: Vec<&String> = manifest.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["amidst", "files"]);
    let mut names: Vec<&str> =
        manifest["files"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    for file in manifest["files"].as_array().unwrap() {
        let keys: Vec<&String> = file.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["name", "bytes", "sha256"]);
        assert_eq!(file["bytes"], folder.bytes(file["name"].as_str().unwrap()).len());
        let sum = std::process::Command::new("sha256sum").arg(folder.path(file["name"].as_str().unwrap())).output();
        if let Ok(sum) = sum {
            assert!(String::from_utf8(sum.stdout).unwrap().starts_with(file["sha256"].as_str().unwrap()));
        }
    }
    names.sort_unstable();
    let mut files = FILES;
    files.sort_unstable();
    assert_eq!(names, files);
    // The plan could be guessed; its digest tells nothing, because no two plans are the same.
    folder.run(&format!("anonymize people.csv -o again.csv {ROLES} --k 2 --publish anatomy --l 2 --seed 1 -q")).ok();
    assert_eq!(folder.bytes("again.csv"), folder.bytes("out.csv"));
    let lines = |name: &str| folder.text(name).replace("again.", "out.").lines().map(str::to_owned).collect::<Vec<_>>();
    let (plan, again) = (lines("out.plan.toml"), lines("again.plan.toml"));
    let differ: Vec<_> = plan.iter().zip(&again).filter(|(one, other)| one != other).collect();
    assert_eq!((plan.len(), differ.len()), (again.len(), 1), "{differ:?}");
    assert!(differ[0].0.starts_with("fingerprint_key"), "{differ:?}");
}

#[test]
fn every_reader_notices_a_file_of_another_run() {
    let folder = two_releases();
    let read = "--plan out.plan.toml";
    let commands = [
        (1, format!("audit out.csv {read}")),
        (1, format!("attack people.csv out.csv {read} --attacks homogeneity")),
        (2, format!("measure people.csv out.csv {read} --measures quick")),
        (2, format!("risk out.csv {read}")),
    ];
    for (_, command) in &commands {
        folder.run(command).ok();
    }
    // By flags, too, and by the plan of another place: the files lie beside the release.
    for file in FILES {
        let new = folder.bytes(file);
        fs::copy(folder.path(&format!("old/{file}")), folder.path(file)).unwrap();
        for (code, command) in &commands {
            let run = folder.run(command);
            let said = format!("{}{}", run.stdout, run.stderr);
            assert_eq!(run.code, *code, "{command}: {said}");
            assert!(
                said.contains(&format!("`{file}` is not the file that `out.manifest.json` names")),
                "{command}: {said}"
            );
            assert!(said.contains("make the release again"), "{command}: {said}");
        }
        folder.write(file, new);
    }
    folder.run(&commands[0].1).ok();
}

#[test]
fn a_release_without_a_manifest_is_read() {
    let folder = two_releases();
    fs::remove_file(folder.path("out.manifest.json")).unwrap();
    folder.run("audit out.csv --plan out.plan.toml --original people.csv").ok();
    // Nor does a file of that name by another program matter.
    folder.write("out.manifest.json", r#"{"start_url": "/"}"#);
    folder.run("audit out.csv --plan out.plan.toml --original people.csv").ok();
}

#[test]
fn files_that_are_not_passed_on_are_not_missed() {
    let folder = two_releases();
    fs::rename(folder.path("out.plan.toml"), folder.path("internal.toml")).unwrap();
    fs::remove_file(folder.path("out.dictionary.json")).unwrap();
    folder.run("audit out.csv --plan internal.toml --original people.csv").ok();
}

#[test]
fn the_plan_of_another_format_of_that_name_is_noticed() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 -q")).ok();
    folder.run(&format!("anonymize people.csv -o out.parquet {ROLES} --k 4 --seed 8 -q")).ok();
    folder.run("audit out.parquet --plan out.plan.toml").ok();
    let run = folder.run("audit out.csv --plan out.plan.toml");
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("belongs to another release than `out.csv`"), "{}", run.stdout);
    folder.run(&format!("audit out.csv {ROLES} --k 2")).ok();
}

#[test]
fn made_again_from_its_own_plan_it_is_whole() {
    let folder = two_releases();
    let plan = folder.bytes("out.plan.toml");
    folder.run("anonymize people.csv -o out.csv --plan out.plan.toml -q").ok();
    assert_eq!(folder.bytes("out.plan.toml"), plan);
    folder.run("audit out.csv --plan out.plan.toml --original people.csv").ok();
}

#[test]
fn a_stream_has_no_manifest() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o - {ROLES} --k 2 -q")).ok();
    assert_eq!(folder.names(), ["people.csv"]);
}
