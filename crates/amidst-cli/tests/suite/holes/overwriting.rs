//! Outputs that were inputs, or other outputs: nothing that is read is ever written.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::{CITIES, Folder, PEOPLE, ROLES};

const PLAN: &str = r#"
[privacy]
k = 2

[columns]
name = { role = "identifier" }
age = { role = "quasi", kind = "range" }
city = { role = "quasi", kind = "taxonomy", hierarchy = "cities.txt" }
disease = { role = "sensitive" }
"#;

/// The people, a hierarchy and a plan, each with a link, a hard link and a way round.
fn folder() -> Folder {
    let folder = Folder::new();
    // Names that a report, a table of runs and a page may have, too.
    for (name, text) in [("people.csv", PEOPLE), ("plan.json", PLAN), ("cities.txt", CITIES), ("page.html", PEOPLE)] {
        folder.write(name, text);
        symlink(name, folder.path(&format!("link-{name}"))).unwrap();
        fs::hard_link(folder.path(name), folder.path(&format!("hard-{name}"))).unwrap();
    }
    fs::create_dir(folder.path("sub")).unwrap();
    folder
}

/// All names by which a file is reached.
fn names(name: &str) -> [String; 4] {
    [name.to_owned(), format!("./sub/../{name}"), format!("link-{name}"), format!("hard-{name}")]
}

/// The command is refused, says what would be lost, and leaves everything as it was.
#[track_caller]
fn refused(folder: &Folder, args: &str, message: &str) {
    let before = content(folder);
    let run = folder.run(args);
    assert_eq!(run.code, 2, "{args}: {}{}", run.stdout, run.stderr);
    assert_eq!(run.stderr, format!("error: {message}; choose another name\n"), "{args}");
    assert_eq!(content(folder), before, "{args}");
}

fn content(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    let files = folder.names().into_iter().filter(|name| folder.path(name).is_file());
    files.map(|name| (name.clone(), folder.bytes(&name))).collect()
}

#[test]
fn compare_writes_over_no_input() {
    let folder = folder();
    let how = "--k 2 --algorithms mondrian -q";
    for name in names("people.csv") {
        let message = format!("the table of runs `{name}` would overwrite the table `people.csv`, which is read");
        refused(&folder, &format!("compare people.csv {ROLES} {how} -o {name}"), &message);
    }
    for name in names("plan.json") {
        let message = format!("the table of runs `{name}` would overwrite the plan `plan.json`, which is read");
        refused(&folder, &format!("compare people.csv --plan plan.json {how} -o {name}"), &message);
    }
    for name in names("page.html") {
        let message = format!("the report `{name}` would overwrite the table `page.html`, which is read");
        refused(&folder, &format!("compare page.html {ROLES} {how} --report {name}"), &message);
    }
}

#[test]
fn compare_writes_no_output_twice() {
    let folder = folder();
    let message =
        "the table of runs `sub/../runs.csv` would overwrite the table of runs `runs.csv`, which is written, too";
    refused(&folder, &format!("compare people.csv {ROLES} --k 2 -o runs.csv -o sub/../runs.csv"), message);
}

#[test]
fn reports_write_over_no_input() {
    let folder = folder();
    for (input, what) in [("plan.json", "plan"), ("cities.txt", "hierarchy")] {
        for name in names(input) {
            let message = format!("the report `{name}` would overwrite the {what} `{input}`, which is read");
            // A hierarchy is named by the plan, relative to its folder.
            let args = format!("anonymize people.csv -o out.csv --plan plan.json --report {name} -q");
            let run = folder.run(&args);
            assert_eq!(run.code, 2, "{args}: {}", run.stderr);
            assert!(
                run.stderr.contains(&message) || run.stderr.contains(&message.replace("`cities", "`./cities")),
                "{}",
                run.stderr
            );
        }
    }
    for name in names("page.html") {
        let message = format!("the report `{name}` would overwrite the table `page.html`, which is read");
        refused(&folder, &format!("anonymize page.html -o out.csv {ROLES} --k 2 --report {name}"), &message);
    }
    assert_eq!(folder.text("plan.json") + &folder.text("cities.txt"), format!("{PLAN}{CITIES}"));
}

#[test]
fn reports_write_over_no_file_of_the_release() {
    let folder = folder();
    for (report, what) in [("out.dictionary.json", "data dictionary"), ("out.manifest.json", "manifest")] {
        let message = format!("the report `{report}` would overwrite the {what} `{report}`, which is written, too");
        refused(&folder, &format!("anonymize people.csv -o out.csv {ROLES} --k 2 --report {report}"), &message);
    }
    // A link to a file that is not there yet is that file.
    symlink("out.dictionary.json", folder.path("later.json")).unwrap();
    let message =
        "the report `later.json` would overwrite the data dictionary `out.dictionary.json`, which is written, too";
    refused(&folder, &format!("anonymize people.csv -o out.csv {ROLES} --k 2 --report later.json"), message);
}

#[test]
fn no_file_of_a_release_writes_over_an_input() {
    let folder = folder();
    // The part of `x.csv` with the sensitive values is the table that it is made from.
    folder.write("x.sensitive.csv", PEOPLE);
    let message =
        "the part of the release `x.sensitive.csv` would overwrite the table `x.sensitive.csv`, which is read";
    refused(&folder, &format!("anonymize x.sensitive.csv -o x.csv {ROLES} --k 2 --l 2 --publish anatomy"), message);
    for (file, what) in [("x.dictionary.json", "data dictionary"), ("x.manifest.json", "manifest")] {
        folder.write(file, PEOPLE);
        let message = format!("the {what} `{file}` would overwrite the table `{file}`, which is read");
        refused(&folder, &format!("anonymize {file} -o x.csv {ROLES} --k 2"), &message);
    }
}

#[test]
fn init_writes_over_no_input_not_even_by_force() {
    let folder = folder();
    for name in names("people.csv") {
        let message = format!("the plan `{name}` would overwrite the table `people.csv`, which is read");
        refused(&folder, &format!("init people.csv -o {name} --force"), &message);
    }
}

#[test]
fn a_manifest_that_somebody_else_wrote_stays() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.write("out.manifest.json", r#"{"start_url": "/"}"#);
    let run = folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2"));
    let message = "the release would overwrite `out.manifest.json`, which is not a manifest that amidst wrote; \
                   choose another output name, or rename it";
    assert_eq!((run.code, run.stderr), (2, format!("error: {message}\n")));
    assert_eq!(folder.names(), ["out.manifest.json", "people.csv"]);
}

#[test]
fn the_demo_writes_over_nothing_but_its_own() {
    let folder = Folder::with("README.md", "mine");
    let run = folder.run("demo --dir .");
    let message = "`./README.md` is there already and is not the demo's; choose another folder (--dir), or remove it";
    assert_eq!((run.code, run.stderr), (2, format!("error: {message}\n")));
    assert_eq!((folder.names(), folder.text("README.md")), (vec!["README.md".to_owned()], "mine".to_owned()));
}
