//! Flags that do not fit each other, or the table.

use std::fs;

use super::{refused, refused_args};
use crate::support::{Folder, PEOPLE, ROLES};

/// The people with these flags.
#[track_caller]
fn flags_refused(flags: &str, message: &str) {
    refused(&Folder::with("people.csv", PEOPLE), &format!("people.csv {flags}"), 2, message);
}

#[test]
fn a_column_that_is_not_there() {
    flags_refused("--quasi age,citi --k 2", "there is no column `citi` in `people.csv`; did you mean `city`?");
    flags_refused(
        "--quasi weight --k 2",
        "there is no column `weight` in `people.csv`; there are: name, age, city, disease",
    );
    flags_refused(
        "--quasi age --sensitive diseas --k 2 --kind age=range",
        "there is no column `diseas` in `people.csv`; did you mean `disease`?",
    );
    // Taken silently, the column of that name would be published.
    flags_refused(
        "--quasi age --identifier nmae --k 2",
        "there is no column `nmae` in `people.csv`; did you mean `name`?",
    );
}

#[test]
fn a_column_in_two_roles() {
    flags_refused(
        "--quasi age,city --sensitive city --k 2",
        "column `city`: it is named twice, the second time as a sensitive column",
    );
    flags_refused("--quasi age,age --k 2", "column `age`: it is named twice, the second time as a quasi-identifier");
}

#[test]
fn flags_about_a_column_of_another_role() {
    for roles in ["--quasi age", "--quasi age --sensitive city"] {
        let message = "column `city`: it has a kind, but it is not a quasi-identifier; \
                       name it as a quasi-identifier (--quasi, or role = \"quasi\" in the plan)";
        flags_refused(&format!("{roles} --kind city=set --k 2"), message);
    }
    for roles in ["--quasi age", "--quasi age,city"] {
        flags_refused(
            &format!("{roles} --groups city=flat --k 2"),
            "column `city`: it has groups, but it is not sensitive; \
             name it as sensitive (--sensitive, or role = \"sensitive\" in the plan)",
        );
    }
    for roles in ["--quasi age", "--quasi age --identifier city", "--quasi age --personal-k city"] {
        for (flag, value, what) in [("--order", "a,b", "an order"), ("--hierarchy", "flat", "a hierarchy")] {
            flags_refused(
                &format!("{roles} {flag} city={value} --k 2"),
                &format!(
                    "column `city`: it has {what}, but it is neither a quasi-identifier nor sensitive; \
                     name it as a quasi-identifier (--quasi, or role = \"quasi\" in the plan), \
                     or name it as sensitive (--sensitive, or role = \"sensitive\" in the plan)"
                ),
            );
        }
    }
}

#[test]
fn a_kind_that_does_not_fit() {
    flags_refused(
        "--quasi city --kind city=taxonomy --k 2",
        "column `city`: a taxonomy needs a hierarchy: a file, or a builder such as { mask = [1, 2, 3] }",
    );
    flags_refused(
        "--quasi city --hierarchy city=flat --kind city=set --k 2",
        "column `city`: it has a hierarchy but is no taxonomy; drop the hierarchy or make the kind taxonomy",
    );
}

#[test]
fn a_k_that_hides_nobody() {
    for k in [0, 1] {
        flags_refused(
            &format!("{ROLES} --k {k}"),
            &format!("k-anonymity: `k` must be a whole number from 2, not `{k}`"),
        );
    }
}

#[test]
fn a_method_that_is_not_there() {
    flags_refused(
        &format!("{ROLES} --k 2 --partitioner mondrain"),
        "there is no partitioner named `mondrain`; did you mean `mondrian`?",
    );
    flags_refused(&format!("{ROLES} --k 2 --measure ncpp -q"), "there is no measure named `ncpp`; did you mean `ncp`?");
    flags_refused(
        &format!("{ROLES} --k 2 --publish generalisation"),
        "there is no publisher named `generalisation`; did you mean `generalization`?",
    );
}

#[test]
fn a_parameter_that_is_none() {
    let method = |spec: &str, message: &str| flags_refused(&format!("{ROLES} --k 2 --partitioner {spec}"), message);
    method("mondrian(cut=loose)", "mondrian: `cut` must be one of strict, relaxed, not `loose`");
    method("mondrian(cat=strict)", "mondrian: there is no parameter `cat`; did you mean `cut`?");
    method("mondrian(loose)", "mondrian: `loose` is not one of its choices; write name=value");
    method("mondrian(strict", "mondrian: `mondrian(strict` lacks its closing parenthesis");
    flags_refused(&format!("{ROLES} --k 2 --measure ncp(x=1)"), "ncp: takes no parameters");
}

#[test]
fn no_threads_at_all() {
    flags_refused(&format!("{ROLES} --k 2 --threads 0"), "--threads must be 1 or more");
}

#[test]
fn arguments_that_cannot_be_read() {
    let hint = "\n\nFor more information, try '--help'.";
    flags_refused(
        &format!("{ROLES} --k 2 --kind age"),
        &format!("invalid value 'age' for '--kind <COLUMN=KIND>': `age` is not of the form COLUMN=VALUE{hint}"),
    );
    flags_refused(
        &format!("{ROLES} --k 2 --kind age=interval"),
        &format!(
            "invalid value 'age=interval' for '--kind <COLUMN=KIND>': \
             `interval` is no kind; there are: range, ordered, taxonomy, set, suppress{hint}"
        ),
    );
    flags_refused(
        &format!("{ROLES} --k many"),
        &format!("invalid value 'many' for '--k <K>': invalid digit found in string{hint}"),
    );
    flags_refused(
        &format!("{ROLES} --k 2 --delimiter ::"),
        &format!(
            "invalid value '::' for '--delimiter <CHAR>': a delimiter is one ASCII character, or \\t, but no quote and no line break{hint}"
        ),
    );
}

#[test]
fn an_output_that_cannot_be_written() {
    let folder = Folder::with("people.csv", PEOPLE);
    fs::create_dir(folder.path("there")).unwrap();
    for (output, message) in [
        ("nowhere/out.csv", "cannot write `nowhere/out.csv`: there is no folder `nowhere`"),
        ("people.csv/out.csv", "cannot write `people.csv/out.csv`: there is no folder `people.csv`"),
        ("there", "cannot write `there`: is a directory"),
    ] {
        let run = folder.run(&format!("anonymize people.csv -o {output} {ROLES} --k 2 -q"));
        assert_eq!((run.stderr.trim_end(), run.code), (format!("error: {message}").as_str(), 2));
    }
    assert_eq!(folder.names(), ["people.csv", "there"]);
}

#[test]
fn an_output_that_is_the_input() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.write("cities.csv", "Oslo;*\nBergen;*\nRome;*\nMilan;*\n");
    fs::create_dir(folder.path("sub")).unwrap();
    std::os::unix::fs::symlink("people.csv", folder.path("link.csv")).unwrap();
    for (output, input) in [
        ("people.csv", "the table `people.csv`"),
        ("./sub/../people.csv", "the table `people.csv`"),
        ("link.csv", "the table `people.csv`"),
        ("cities.csv", "the hierarchy `cities.csv`"),
    ] {
        let run = folder.run(&format!("anonymize people.csv -o {output} {ROLES} --hierarchy city=cities.csv --k 2"));
        let message = format!("would overwrite {input}, which is read; choose another name");
        assert_eq!(run.stderr, format!("error: the release `{output}` {message}\n"));
        assert_eq!(run.code, 2);
        assert_eq!(folder.text("people.csv"), PEOPLE);
    }
}

#[test]
fn two_things_on_standard_output() {
    let folder = Folder::with("people.csv", PEOPLE);
    let run = folder.run(&format!("anonymize people.csv -o - {ROLES} --k 2 --json"));
    assert_eq!(run.code, 2);
    assert_eq!(run.stdout, "");
    assert_eq!(run.stderr, "error: the release and --json cannot both go to standard output; give -o a file name\n");
}

#[test]
fn a_plan_and_flags_about_columns() {
    let folder = Folder::with("people.csv", PEOPLE);
    let run = folder.run("anonymize people.csv -o out.csv --plan plan.toml --quasi age");
    assert_eq!(run.code, 2);
    assert!(run.stderr.starts_with("error: the argument '--plan <FILE>' cannot be used with"), "{}", run.stderr);
}

#[test]
fn an_only_quasi_identifier_without_a_name() {
    let folder = Folder::with("people.csv", PEOPLE);
    let message = "there is no column `` in `people.csv`; there are: name, age, city, disease";
    refused_args(&folder, &["people.csv", "--quasi", "", "--k", "2"], 2, message);
}
