//! Persons with several rows: who names them has them counted, and who does not is told.

use std::fmt::Write as _;

use crate::support::{Folder, PEOPLE, ROLES, many_rows};

const BY_ROWS: &str = "--quasi birth,sex,zip --sensitive dx --identifier pid,household,visit --k 5 --effort fast";
const BY_PERSONS: &str =
    "--quasi birth,sex,zip --sensitive dx --identifier household,visit --person pid --k 5 --effort fast";

/// Visits of so many persons, each with six rows; two persons are a household, and `site` is one of four.
fn visits(persons: u32) -> String {
    let mut text = "pid,household,visit,site,birth,sex,zip,dx\n".to_owned();
    for visit in 0..persons * 6 {
        // Rows of a person do not stand together.
        let person = visit * 7 % persons;
        let (birth, sex, zip) = (1930 + person * 13 % 80, ["f", "m"][person as usize % 2], 75_270 + person * 5 % 31);
        let (household, site, dx) = (person / 2, person % 4, (visit * 31 + person) % 8);
        writeln!(text, "p{person:04},h{household},{visit},site {site},{birth},{sex},{zip},dx{dx}").unwrap();
    }
    text
}

/// How many different values of `of` the rows with the same `by` have, class by class; the release is in the order of the table.
fn classes(table: &str, release: &str, of: usize, by: usize) -> Vec<usize> {
    let mut classes: std::collections::BTreeMap<Vec<&str>, std::collections::BTreeSet<&str>> =
        std::collections::BTreeMap::new();
    for (row, published) in table.lines().zip(release.lines()).skip(1) {
        let whose = row.split(',').nth(of).unwrap();
        classes.entry(published.split(',').skip(by).take(3).collect()).or_default().insert(whose);
    }
    classes.into_values().map(|persons| persons.len()).collect()
}

#[test]
fn rows_that_are_counted_for_persons_are_a_warning_everywhere() {
    let table = visits(200);
    let folder = Folder::with("visits.csv", &table);
    let run = folder
        .run(&format!("anonymize visits.csv -o r.csv {BY_ROWS} --keep-order --report r.json --report r.html --report r.txt --public-report p.json"))
        .ok();
    // Published are site, birth, sex, zip and dx.
    let sizes = classes(&table, &folder.text("r.csv"), 0, 1);
    let (all, small, single) =
        (sizes.len(), sizes.iter().filter(|n| **n < 5).count(), sizes.iter().filter(|n| **n == 1).count());
    assert!(small > 0 && single > 0);
    let report: serde_json::Value = serde_json::from_str(&folder.text("r.json")).unwrap();
    let warning = &report["warnings"][0];
    assert_eq!(warning["columns"], serde_json::json!(["pid"]));
    for (name, expected) in [
        ("values", 200),
        ("rows_per_value", 6),
        ("k", 5),
        ("classes", all),
        ("small_classes", small),
        ("single_classes", single),
    ] {
        assert!((warning[name].as_f64().unwrap() - expected as f64).abs() < 1e-9, "{name}: {warning}");
    }
    assert_eq!(report["warnings"].as_array().unwrap().len(), 1);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = format!(
        "{small} of {all} classes have fewer than 5 persons, and {single} have a single one; to count persons, say whose the rows are"
    );
    for (text, how) in [
        (&run.stdout, "(--person pid, or role = \"person\" in the plan)"),
        (&folder.text("r.txt"), "(role = \"person\")"),
    ] {
        assert!(words(text).contains(&format!("{told} {how}")), "{told} {how}\n{text}");
    }
    let page = folder.text("r.html");
    assert!(page.contains("Verified, but read this before you hand it out") && page.contains("--person pid"), "{page}");
    assert!(!page.contains("Verified: all requirements are met"));
    // What was counted in the original is not for recipients.
    assert!(!folder.text("p.json").contains("warnings") && !folder.text("p.json").contains("pid"));

    let audit = folder.run("audit r.csv --plan r.plan.toml --original visits.csv --json").ok().json();
    assert_eq!(audit["warnings"][0]["small_classes"], small);
    let before = folder.run("risk visits.csv --plan r.plan.toml --json").ok().json();
    assert_eq!(before["warnings"][0]["columns"], serde_json::json!(["pid"]));
    // Nobody said that `pid` is an identifier, but it has a name like one.
    let before = folder.run("risk visits.csv --quasi birth,sex,zip").ok();
    assert!(before.stdout.contains("WARNING") && words(&before.stdout).contains("--person pid"), "{}", before.stdout);
}

#[test]
fn persons_that_are_named_are_counted_everywhere() {
    let table = visits(200);
    let folder = Folder::with("visits.csv", &table);
    let reports = "--keep-order --report r.json --report r.html --report r.txt --public-report p.json --public-report p.html --public-report p.txt";
    let run = folder.run(&format!("anonymize visits.csv -o r.csv {BY_PERSONS} {reports}")).ok();
    let sizes = classes(&table, &folder.text("r.csv"), 0, 1);
    let k = *sizes.iter().min().unwrap();
    assert!(k >= 5, "{sizes:?}");
    assert!(!run.stdout.contains("WARNING"), "{}", run.stdout);
    assert!(run.stdout.contains(&format!("privacy    k = {k} persons reached, 5 asked for")), "{}", run.stdout);
    let report: serde_json::Value = serde_json::from_str(&folder.text("r.json")).unwrap();
    assert_eq!((&report["warnings"], &report["people"]["persons"]), (&serde_json::json!([]), &200.into()));
    let risk = &report["details"]["risk"];
    assert_eq!((&risk["before"]["persons"], &risk["after"]["persons"]), (&200.into(), &200.into()));
    assert!((risk["after"]["prosecutor"]["highest"].as_f64().unwrap() - 1.0 / k as f64).abs() < 1e-9);
    let persons: u64 =
        report["details"]["crowds"].as_array().unwrap().iter().map(|crowd| crowd["after"].as_u64().unwrap()).sum();
    assert_eq!(persons, 200);
    let page = folder.text("r.html");
    assert!(page.contains("persons in the smallest class (k)") && page.contains("Highest risk of a person"), "{page}");
    assert!(
        page.contains("every record looks like records of at least 4 other persons")
            && !page.contains("Highest risk of a record")
    );
    assert!(folder.text("r.txt").contains("persons by the size of their smallest class, in persons, before and after"));

    // Recipients get what the files show, which is rows, and that what was required of persons is met.
    let public: serde_json::Value = serde_json::from_str(&folder.text("p.json")).unwrap();
    assert_eq!(
        (&public["persons"], &public["k"], &public["promises"][0]["reached"]),
        (&true.into(), &5.into(), &"met".into())
    );
    assert!(public.get("people").is_none() && public["achieved"]["k"].as_u64().unwrap() > 5, "{public}");
    let rows: u64 = public["class_sizes"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(size, n)| size.parse::<u64>().unwrap() * n.as_u64().unwrap())
        .sum();
    assert_eq!(rows, 1200);

    let audit = folder.run("audit r.csv --plan r.plan.toml --original visits.csv").ok();
    assert!(audit.stdout.contains("class sizes in persons") && !audit.stdout.contains("WARNING"), "{}", audit.stdout);
    let attacks =
        folder.run("attack visits.csv r.csv --plan r.plan.toml --attacks linking,homogeneity,skewness,order").ok();
    assert!(attacks.stdout.contains("at least 5 persons whose rows could be a record"), "{}", attacks.stdout);
    assert!(
        attacks.stdout.contains("of 200 persons (0 %) have a record that only one person's rows could be"),
        "{}",
        attacks.stdout
    );

    // The release does not say whose its rows are.
    let after = folder.run("risk r.csv --plan r.plan.toml").ok();
    assert!(after.stdout.contains("so all figures here count rows"), "{}", after.stdout);
    assert!(!after.stdout.contains("WARNING") && !after.stdout.contains("persons, who are counted below"));
    let before = folder.run("risk visits.csv --quasi birth,sex,zip --person pid --json").ok().json();
    assert_eq!(
        (&before["records"], &before["persons"], &before["warnings"]),
        (&1200.into(), &200.into(), &serde_json::json!([]))
    );
    assert_eq!(before["prosecutor"], report["details"]["risk"]["before"]["prosecutor"]);
}

#[test]
fn an_audit_that_cannot_count_persons_says_so_before_any_figure() {
    let folder = Folder::with("visits.csv", visits(40));
    folder.run(&format!("anonymize visits.csv -o r.csv {BY_PERSONS}")).ok();
    let audit = folder.run("audit r.csv --plan r.plan.toml");
    assert_eq!(audit.code, 1, "{}", audit.stderr);
    let place = |text: &str| audit.stdout.find(text).unwrap_or_else(|| panic!("no `{text}`: {}", audit.stdout));
    let reason = place("fails: the plan counts persons, and only the original tells whose a row is");
    assert!(place("verdict") < reason && reason < place("privacy    k ="), "{}", audit.stdout);
    assert!(place("privacy    k =") < place("these figures count rows, not persons"), "{}", audit.stdout);
}

#[test]
fn identifiers_that_are_no_persons_are_no_warning() {
    let folder = Folder::with("visits.csv", visits(200));
    folder.write("people.csv", PEOPLE);
    folder.write("many.csv", many_rows(2000));
    let quiet = |args: &str| {
        let run = folder.run(args).ok();
        assert!(!run.stdout.contains("WARNING"), "{args}\n{}", run.stdout);
    };
    // Each row has its own.
    quiet(&format!("anonymize people.csv -o r1.csv {ROLES} --k 2"));
    quiet("anonymize many.csv -o r2.csv --quasi age,zip --sensitive disease --identifier note --k 5 --effort fast");
    // Four values in 1,200 rows are places.
    quiet(
        "anonymize visits.csv -o r3.csv --quasi birth,sex,zip --sensitive dx --identifier site,visit --publish-as-is pid,household --k 5 --effort fast",
    );
    // Values that are dealt out at random say nothing about rows that belong together.
    quiet("anonymize many.csv -o r4.csv --quasi age,zip --sensitive disease --identifier job,note --k 5 --effort fast");
    // A constant.
    folder.write("one.csv", "pid,age\n".to_owned() + &(0..40).map(|age| format!("x,{age}\n")).collect::<String>());
    quiet("anonymize one.csv -o r5.csv --quasi age --identifier pid --k 5");
    // The first and the last name repeat, but not both together.
    let names: String = (0..40).map(|n| format!("f{},l{},{}\n", n % 8, n / 8, n / 5)).collect();
    folder.write("names.csv", "first name,last name,age\n".to_owned() + &names);
    let run = folder
        .run_args(&[
            "anonymize",
            "names.csv",
            "-o",
            "r6.csv",
            "--quasi",
            "age",
            "--identifier",
            "first name,last name",
            "--k",
            "5",
        ])
        .ok();
    assert!(!run.stdout.contains("WARNING"), "{}", run.stdout);
    // But a patient with a number of the household alone is.
    let households = folder.run("anonymize visits.csv -o r7.csv --quasi birth,sex,zip --sensitive dx --identifier household,visit --publish-as-is pid --k 5 --effort fast").ok();
    assert!(households.stdout.contains("`household`"), "{}", households.stdout);
}

/// Second diagnoses repeat and are alike in a class, as the rows of a person are. But most rows have none.
#[test]
fn what_most_rows_lack_is_no_person() {
    let table = |every: usize| {
        let value = |row: usize| if row.is_multiple_of(every) { format!("c{}", row / 4) } else { String::new() };
        let rows = (0..400).map(|row| format!("{},{}\n", 20 + row / 4, value(row)));
        format!("age,second\n{}", rows.collect::<String>())
    };
    let folder = Folder::with("in.csv", table(1));
    let flags = "-o out.csv --quasi age --identifier second --k 4";
    let run = folder.run(&format!("anonymize in.csv {flags}")).ok();
    assert!(run.stdout.contains("`second`"), "{}", run.stdout);
    folder.write("in.csv", table(2));
    let run = folder.run(&format!("anonymize in.csv {flags}")).ok();
    assert!(!run.stdout.contains("`second`"), "{}", run.stdout);
}

#[test]
fn init_proposes_the_person() {
    let folder = Folder::with("visits.csv", visits(200));
    let plan = folder.run("init visits.csv -o -").ok().stdout;
    let line = plan.lines().find(|line| line.starts_with("pid ")).unwrap();
    assert!(line.contains("role = \"person\"") && line.contains("6.0 rows for each value on average"), "{line}");
    assert!(plan.lines().any(|line| line.starts_with("visit ") && line.contains("identifier")), "{plan}");
    folder.write("p.plan.toml", &plan);
    let run = folder.run("anonymize visits.csv -o r.csv --plan p.plan.toml").ok();
    assert!(run.stdout.contains("persons reached"), "{}", run.stdout);
    // A number that each row has for itself is no person.
    folder.write("people.csv", PEOPLE.replace("name", "patient_id"));
    assert!(!folder.run("init people.csv -o -").ok().stdout.contains("role = \"person\""));
}

#[test]
fn mistakes_about_persons_have_messages() {
    let folder = Folder::with("visits.csv", visits(20));
    let run = folder.run("risk visits.csv --quasi birth,sex --person nobody");
    assert!(run.code == 2 && run.stderr.contains("nobody"), "{run:?}");
    let run = folder.run("risk visits.csv --quasi birth,pid --person pid");
    assert!(run.code == 2 && run.stderr.contains("named twice"), "{run:?}");
}

/// Pairs of the same age are the cheapest classes, but only one person of each pair has visits. Published so, visits would single these
/// persons out. The model of the wards compares with
/// their shares among all visits, a third each, so no class is farther than two thirds.
#[test]
fn a_class_has_enough_persons_with_visits_or_none() {
    let age = |person: u32| 20 + person / 2 * 3;
    let persons: String = (0..40).map(|person| format!("p{person},{}\n", age(person))).collect();
    let visits: String = (0..40).step_by(2).map(|person| format!("p{person},ward {}\n", person % 3)).collect();
    let folder = Folder::with("persons.csv", format!("pid,age\n{persons}"));
    folder.write("visits.csv", format!("pid,ward\n{visits}"));
    folder.write(
        "plan.toml",
        "[privacy]\nk = 2\n[columns]\npid = { role = \"person\", publish = \"pseudonym\" }\nage = { role = \"quasi\", kind = \"range\" }\n\
         [tables.visits]\nfile = \"visits.csv\"\nperson = \"pid\"\n[tables.visits.columns]\n\
         ward = { role = \"sensitive\", require = [\"t-closeness(t=0.9)\"] }\n",
    );
    folder.run("key -o key").ok();
    folder.run("anonymize persons.csv -o out.csv --plan plan.toml --key key").ok();
    let (persons, visits) = (folder.text("out.csv"), folder.text("out.visits.csv"));
    let with_visits: Vec<&str> = visits.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    let mut classes: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for line in persons.lines().skip(1) {
        let (pid, age) = line.split_once(',').unwrap();
        *classes.entry(age).or_default() += usize::from(with_visits.contains(&pid));
    }
    assert_eq!(with_visits.len(), 20);
    assert!(classes.values().all(|persons| *persons != 1), "{classes:?}");
}
