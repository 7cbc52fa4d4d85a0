//! Happening 3: blank cells were texts, so a column of numbers with blanks became a text, and then `*`. The Titanic by flags lost .149 where
//! `--missing=` gave .0084.

use crate::support::Folder;

/// A table of the Titanic's shape: every fifth age is blank, as there.
fn titanic() -> String {
    let mut text = "Pclass,Sex,Age,Fare,Survived\n".to_owned();
    for row in 0_u32..890 {
        let dice = row.wrapping_mul(2_654_435_761) >> 8;
        let age = if row % 5 == 0 { String::new() } else { (1 + dice % 74).to_string() };
        let (class, sex) = (1 + dice / 74 % 3, ["male", "female"][dice as usize / 7 % 2]);
        text += &format!("{class},{sex},{age},{}.{},{}\n", 7 + dice % 60, dice % 10, dice / 11 % 2);
    }
    text
}

const ARGS: &str = "--quasi Pclass,Sex,Age,Fare --sensitive Survived --k 5 --effort fast --seed 7 --json";

#[test]
fn blank_cells_are_missing_by_flags() {
    let folder = Folder::with("titanic.csv", titanic());
    let made = |more: &[&str]| {
        let args: Vec<&str> = "anonymize titanic.csv -o release.csv".split(' ').chain(ARGS.split(' ')).collect();
        let report = folder.run_args(&[&args, more].concat()).ok().json();
        (report["loss"]["lm"].as_f64().unwrap(), folder.text("release.csv"))
    };
    let (loss, release) = made(&[]);
    assert!(release.lines().any(|line| line.contains('[')), "ages are ranges");
    assert_eq!((loss, release), made(&["--missing", ""]));
    // The plan that nobody wrote says what the one by hand says.
    let plan: toml::Table = folder.text("release.plan.toml").parse().unwrap();
    assert_eq!(plan["input"]["missing"], toml::Value::from(vec![""]));
    assert_eq!(plan["columns"]["Age"]["kind"].as_str(), Some("range"));
    // As texts, ages lose much more. But amidst does not take them for texts by itself: one value among numbers that is none may be a mistake.
    assert!(made(&["--missing-only", "--kind", "Age=suppress"]).0 > 1.5 * loss);
    let args: Vec<&str> =
        "anonymize titanic.csv -o release.csv --missing-only".split(' ').chain(ARGS.split(' ')).collect();
    let refused = folder.run_args(&args);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("column `Age`: `` is not a whole number"), "{}", refused.stderr);
}

#[test]
fn every_command_follows_the_rule() {
    let folder = Folder::with("titanic.csv", titanic());
    // Flags do not say which published row comes from which record, so the rows keep their order.
    folder.run(&format!("anonymize titanic.csv -o release.csv --keep-order {ARGS}")).ok();
    // An attack finds an order that was kept.
    folder.run(&format!("anonymize titanic.csv -o shuffled.csv {ARGS}")).ok();
    let flags = "--quasi Pclass,Sex,Age,Fare --sensitive Survived";
    for command in [
        format!("audit release.csv {flags} --original titanic.csv --k 5 --json"),
        format!("measure titanic.csv release.csv {flags} --json"),
        format!("attack titanic.csv shuffled.csv {flags} --k 5 --json"),
        "risk titanic.csv --quasi Pclass,Sex,Age,Fare --json".to_owned(),
        // A proof with decimal numbers takes seconds.
        "bound titanic.csv --quasi Sex,Age --sensitive Survived --k 100 --json".to_owned(),
        format!("compare titanic.csv {flags} --k 50 --algorithms mondrian --json"),
    ] {
        let by_flags = folder.run(&command).ok().json();
        let named = folder.run_args(&[&command.split(' ').collect::<Vec<_>>()[..], &["--missing="]].concat());
        let without_times = |mut report: serde_json::Value| {
            for time in ["seconds", "cpu_seconds"] {
                report.as_object_mut().unwrap().remove(time);
            }
            report.get_mut("runs").into_iter().flat_map(|runs| runs.as_array_mut().unwrap()).for_each(|run| {
                run.as_object_mut().unwrap().retain(|key, _| !key.contains("seconds"));
            });
            report
        };
        assert_eq!(without_times(by_flags), without_times(named.ok().json()), "{command}");
    }
}

/// Where only `?` is missing, a blank code is a code, and masking it hides nothing more.
#[test]
fn a_blank_code_can_be_a_value() {
    let rows: String = (0..40).map(|row| format!("{},{}\n", 20 + row % 7, ["01001", "01002", ""][row % 3])).collect();
    let folder = Folder::with("in.csv", format!("age,dx\n{rows}"));
    let flags = "--quasi age,dx --k 4 --missing ? --missing-only";
    folder.run(&format!("anonymize in.csv -o out.csv {flags}")).ok();
    assert!(folder.text("out.plan.toml").contains("mask"), "{}", folder.text("out.plan.toml"));
    folder.run("audit out.csv --plan out.plan.toml --original in.csv").ok();
}
