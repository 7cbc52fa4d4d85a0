//! Privacy models for sensitive values: releases have them, and `audit` finds out whether a release does.

use serde_json::Value;

use crate::support::{Folder, Run};

/// What the columns of [`patients`] are.
const ROLES: &str = "--quasi age,zip --sensitive disease --identifier name,salary,k,l";

/// Every model with a level that [`patients`] can have, and one that their release does not have then.
const MODELS: [(&str, &str, &str); 9] = [
    ("distinct-l(l=3)", "distinct-l(l=5)", "l = "),
    ("frequency-l(l=2.5)", "frequency-l(l=4.5)", "l = "),
    ("entropy-l(l=2.2)", "entropy-l(l=4.5)", "l = "),
    ("recursive-l(c=2,l=2)", "recursive-l(c=0.1,l=2)", ""),
    ("alpha-k(alpha=0.5)", "alpha-k(alpha=0.01)", "alpha = "),
    ("t-closeness(t=0.3)", "t-closeness(t=0)", "t = "),
    ("basic-beta(beta=1.2)", "basic-beta(beta=0)", "beta = "),
    ("enhanced-beta(beta=1.2)", "enhanced-beta(beta=0)", ""),
    ("delta-disclosure(delta=1)", "delta-disclosure(delta=0.001)", "delta = "),
];

/// Twenty-four people with four diseases. One wants to hide amidst 6, one wants l = 2; most say nothing.
fn patients() -> String {
    let mut text = "name,age,zip,disease,salary,k,l\n".to_owned();
    for i in 0..24 {
        // Neighbours share a disease, so that classes by age alone are not diverse.
        let disease = ["flu", "cold", "gout", "ache"][i / 3 % 4];
        let (age, zip, salary) = (20 + 2 * i, 75_000 + i, 1000 * (i * 5 % 6 + 1) + i);
        let (k, l) = (if i == 3 { "6" } else { "" }, if i == 22 { "2" } else { "" });
        text += &format!("n{i},{age},{zip},{disease},{salary},{k},{l}\n");
    }
    text
}

fn folder() -> Folder {
    Folder::with("patients.csv", patients())
}

/// Publishes the patients in the order of the input.
#[track_caller]
fn release(folder: &Folder, flags: &str) -> Value {
    let run = folder.run(&format!("anonymize patients.csv -o release.csv --k 2 --keep-order {flags} --json"));
    run.ok().json()
}

/// The audit must fail with these words.
#[track_caller]
fn fails(run: &Run, words: &str) {
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("\nfails: ") && run.stdout.contains(words), "{}", run.stdout);
}

#[test]
fn every_model_is_honoured_and_audited() {
    for (model, more, reached) in MODELS {
        let folder = folder();
        // Without the model the release does not have it, so the audit must not pass whatever it is given.
        release(&folder, ROLES);
        let audit = format!("audit release.csv {ROLES} --require");
        fails(
            &folder.run(&format!("{audit} {model}")),
            &format!("{model} was asked of column `disease` but {reached}"),
        );
        let report = release(&folder, &format!("{ROLES} --require {model}"));
        assert!(report["classes"].as_u64().is_some_and(|classes| classes > 1), "{model}: {report}");
        folder.run(&format!("{audit} {model}")).ok();
        folder.run(&format!("{audit} disease={model}")).ok();
        let run = folder.run(&format!("{audit} {more}"));
        fails(&run, &format!("{more} was asked of column `disease` but {reached}"));
        assert!(run.stdout.contains(" is reached\n"), "{}", run.stdout);
        // The plan beside the release says what was asked, and the release comes out of it again.
        let stored = folder.text("release.plan.toml");
        assert!(stored.contains(&format!("require = [\"{model}\"]")), "{stored}");
        folder.run("audit release.csv --plan release.plan.toml --original patients.csv").ok();
        folder.run("anonymize patients.csv -o again.csv --plan release.plan.toml").ok();
        assert_eq!(folder.text("again.csv"), folder.text("release.csv"), "{model}");
    }
}

#[test]
fn l_is_short_for_frequency_l() {
    let folder = folder();
    let report = release(&folder, &format!("{ROLES} --l 2.5"));
    let levels = &report["achieved"]["sensitive"]["disease"];
    assert!(levels["l"].as_f64().is_some_and(|l| l >= 2.5) && levels["distinct_l"].as_u64() >= Some(3), "{levels}");
    assert!(levels["alpha"].as_f64().is_some_and(|alpha| alpha <= 0.4), "{levels}");
    assert!(folder.text("release.plan.toml").contains(r#"require = ["frequency-l(l=2.5)"]"#));
    folder.run(&format!("audit release.csv {ROLES} --l 2.5")).ok();
    fails(
        &folder.run(&format!("audit release.csv {ROLES} --l 4.5")),
        "frequency-l(l=4.5) was asked of column `disease`",
    );
    // A flag takes the place of the same model in the plan.
    fails(&folder.run("audit release.csv --plan release.plan.toml --l 4.5"), "frequency-l(l=4.5) was asked");
    folder.run("anonymize patients.csv -o other.csv --plan release.plan.toml --l 2").ok();
    let stored = folder.text("other.plan.toml");
    assert!(stored.contains(r#"require = ["frequency-l(l=2)"]"#), "{stored}");
}

#[test]
fn the_report_says_what_is_reached() {
    let folder = folder();
    let run = folder.run(&format!("anonymize patients.csv -o release.csv --k 2 {ROLES} --l 2.5")).ok();
    assert!(run.stdout.contains("\nsensitive  disease: at least 3 different values in a class"), "{}", run.stdout);
    let audit = folder.run(&format!("audit release.csv {ROLES} --json")).ok().json();
    let levels = &audit["achieved"]["sensitive"]["disease"];
    for level in ["distinct_l", "l", "entropy_l", "alpha", "t", "beta", "delta"] {
        assert!(levels[level].is_number(), "{level}: {levels}");
    }
    assert!(levels["recursive_c"]["2"].is_number() && levels.get("enhanced_beta").is_some(), "{levels}");
    assert!(levels.get("t_ordered").is_none() && levels.get("t_hierarchical").is_none(), "{levels}");
}

#[test]
fn columns_can_be_asked_for_different_things() {
    let folder = folder();
    let roles = "--quasi age,zip --sensitive disease,salary --identifier name,k,l";
    let report = release(&folder, &format!("{roles} --require distinct-l(l=2) --require salary=distinct-l(l=4)"));
    let reached = |column: &str| report["achieved"]["sensitive"][column]["distinct_l"].as_u64().unwrap();
    assert!(reached("disease") >= 2 && reached("salary") >= 4, "{report}");
    let audit = |flags: &str| folder.run(&format!("audit release.csv {roles} {flags}"));
    audit("--require salary=distinct-l(l=4)").ok();
    fails(&audit("--require disease=distinct-l(l=5)"), "distinct-l(l=5) was asked of column `disease` but l = ");
    let run = audit("--require distinct-l(l=25)");
    fails(&run, "was asked of column `disease`");
    fails(&run, "was asked of column `salary`");
    let stored = folder.text("release.plan.toml");
    assert!(stored.contains(r#"{ role = "sensitive", require = ["distinct-l(l=4)"] }"#), "{stored}");
}

#[test]
fn values_of_one_group_count_as_one() {
    let folder = folder();
    let roles = "--quasi age,zip --sensitive salary --identifier name,disease,k,l";
    let grouped = format!("{roles} --groups salary=widths:1000");
    let report = release(&folder, &format!("{grouped} --require distinct-l(l=3)"));
    assert!(report["achieved"]["sensitive"]["salary"]["distinct_l"].as_u64() >= Some(3), "{report}");
    let thousands = |line: &str| line.rsplit(',').next().unwrap().len() == 4;
    assert!(folder.text("release.csv").lines().skip(1).all(thousands), "salaries are published as they are");
    folder.run("audit release.csv --plan release.plan.toml --original patients.csv").ok();
    // Every salary is different, so without groups nothing is asked.
    release(&folder, &format!("{roles} --require distinct-l(l=2)"));
    folder.run(&format!("audit release.csv {roles} --require alpha-k(alpha=0.5)")).ok();
    let few = folder.run(&format!("audit release.csv {roles} --groups salary=widths:10000 --require distinct-l(l=2)"));
    fails(&few, "distinct-l(l=2) was asked of column `salary` but l = 1 is reached");
}

#[test]
fn distances_go_by_order_or_tree() {
    let folder = folder();
    folder.write("diseases.csv", "flu;airways;*\ncold;airways;*\ngout;other;*\nache;other;*\n");
    let order = format!("{ROLES} --order disease=ache,cold,flu,gout");
    let tree = format!("{ROLES} --hierarchy disease=diseases.csv");
    for (roles, distance, level) in [(order, "ordered", "t_ordered"), (tree, "hierarchical", "t_hierarchical")] {
        let model = format!("t-closeness(t=0.2,distance={distance})");
        let report = release(&folder, &format!("{roles} --require {model}"));
        let reached = report["achieved"]["sensitive"]["disease"][level].as_f64();
        assert!(reached.is_some_and(|t| t <= 0.2 + 1e-9), "{report}");
        folder.run("audit release.csv --plan release.plan.toml --original patients.csv").ok();
        release(&folder, &roles);
        fails(
            &folder.run(&format!("audit release.csv {roles} --require {model}")),
            "was asked of column `disease` but t by ",
        );
        // A release is not failed for a distance that nobody described.
        let run = folder.run(&format!("audit release.csv {ROLES} --require {model}"));
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.starts_with("error: column `disease`: t by "), "{}", run.stderr);
    }
    // Numbers have an order.
    let roles = "--quasi age,zip --sensitive salary --identifier name,disease,k,l";
    let report = release(&folder, &format!("{roles} --require t-closeness(t=0.2,distance=ordered)"));
    assert!(report["achieved"]["sensitive"]["salary"]["t_ordered"].as_f64().is_some_and(|t| t <= 0.2), "{report}");
}

#[test]
fn everybody_gets_what_they_want_and_it_is_not_published() {
    let folder = folder();
    let roles = "--quasi age,zip --sensitive disease --identifier name,salary";
    let wishes = format!("{roles} --personal-k k --personal-l l");
    release(&folder, &wishes);
    let text = folder.text("release.csv");
    assert!(text.starts_with("age,zip,disease\n"), "{text}");
    // The fourth row wants six like it, the last but one no disease in more than half of its class.
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let quasi = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
    let class = |row: usize| lines.iter().filter(|line| quasi(line) == quasi(lines[row])).copied().collect::<Vec<_>>();
    assert!(class(3).len() >= 6, "{text}");
    let own = class(22);
    let most = own.iter().map(|line| own.iter().filter(|other| other == &line).count()).max().unwrap();
    assert!(most * 2 <= own.len(), "{text}");
    folder.run("audit release.csv --plan release.plan.toml --original patients.csv").ok();

    // A release that heeds no wish passes by itself, and fails beside the original, which has the wishes.
    release(&folder, &format!("{roles},k,l"));
    folder.run(&format!("audit release.csv {wishes} --k 2")).ok();
    let beside = |flags: &str| folder.run(&format!("audit release.csv {roles} {flags} --k 2 --original patients.csv"));
    fails(
        &beside("--personal-k k --identifier l"),
        "classes do not meet the requirement of some of their records in column `k`",
    );
    fails(
        &beside("--personal-l l --identifier k"),
        "classes do not meet the requirement of some of their records in column `l`",
    );
    beside("--identifier k,l").ok();
}

#[test]
fn a_published_wish_fails() {
    let folder = Folder::with("release.csv", "age,k\n[21-23],5\n[21-23],2\n");
    fails(
        &folder.run("audit release.csv --quasi age --personal-k k"),
        "column `k`, which says what each person wants, is published",
    );
}

#[test]
fn an_audit_of_nothing_sensitive_does_not_pass_for_want_of_columns() {
    let folder = Folder::with("release.csv", "age,disease\n[21-23],flu\n[21-23],flu\n");
    for demand in ["--l 2", "--require distinct-l(l=2)"] {
        let run = folder.run(&format!("audit release.csv --quasi age {demand}"));
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.contains("is about sensitive values, and no column is sensitive"), "{}", run.stderr);
    }
    let run = folder.run("audit release.csv --quasi age --sensitive disease --require distinkt-l(l=2)");
    assert_eq!(run.code, 2);
    assert_eq!(run.stderr, "error: there is no constraint named `distinkt-l`; did you mean `distinct-l`?\n");
}

#[test]
fn k_can_be_asked_like_the_others() {
    let folder = folder();
    release(&folder, &format!("{ROLES} --require k-anonymity(k=5)"));
    folder.run(&format!("audit release.csv {ROLES} --k 5")).ok();
    folder.run("audit release.csv --plan release.plan.toml").ok();
    for column in ["", "disease="] {
        let run = folder.run(&format!("audit release.csv {ROLES} --require {column}k-anonymity(k=25)"));
        fails(&run, "k = 25 was asked for but k = ");
    }
}

#[test]
fn a_column_may_have_any_name() {
    let table = patients().replacen("disease", "disease (ICD=10)", 1);
    let folder = Folder::with("patients.csv", table);
    let roles =
        ["--quasi", "age,zip", "--sensitive", "disease (ICD=10)", "--identifier", "name,salary,k,l", "--k", "2"];
    let demand = ["--require", "disease (ICD=10)=distinct-l(l=3)", "--json"];
    let run = folder.run_args(&[&["anonymize", "patients.csv", "-o", "release.csv"], &roles[..], &demand].concat());
    let report = run.ok().json();
    assert!(report["achieved"]["sensitive"]["disease (ICD=10)"]["distinct_l"].as_u64() >= Some(3), "{report}");
}
