//! `init` and `demo`: the first steps.

use crate::support::Folder;

/// Twelve people as they come out of a spreadsheet: `;` and blanks, two ways to miss a value, zeros in front.
fn clinic() -> String {
    let mut table = "id; name; born; zip; weight; sex; ward; children; diagnosis\n".to_owned();
    for i in 0..12 {
        let id = 1000 + i;
        let name = ["Ann", "Bob", "Cid", "Dan", "Eva", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Lea"][i];
        let born = format!("19{}-0{}-15", 50 + 3 * i, 1 + i % 9);
        let zip = ["01234", "01239", "04103", "98765"][i % 4];
        let weight = 60.5 + i as f64;
        let sex = ["f", "m", "?"][i % 3];
        let ward = ["east", "west", ""][i % 3];
        let diagnosis = ["flu", "cold", "gout"][i % 3];
        table += &format!("{id}; {name}; {born}; {zip}; {weight}; {sex}; {ward}; {}; {diagnosis}\n", i % 4);
    }
    table
}

#[test]
fn a_plan_to_start_from() {
    let folder = Folder::with("clinic.csv", clinic());
    let run = folder.run("init clinic.csv --k 3").ok();
    assert_eq!(
        run.stdout,
        "\
wrote clinic.plan.toml

  left out       id, name
  generalized    born, zip, weight, sex, ward, children
  sensitive      diagnosis (frequency-l(l=2))

read it, correct the roles and kinds, then:
  amidst anonymize clinic.csv -o release.csv --plan clinic.plan.toml
"
    );
    insta::assert_snapshot!("plan", folder.text("clinic.plan.toml"));
}

#[test]
fn the_plan_works_as_it_is() {
    let folder = Folder::with("clinic.csv", clinic());
    folder.run("init clinic.csv --k 3").ok();
    let report = folder.run("anonymize clinic.csv -o release.csv --plan clinic.plan.toml --json").ok().json();
    assert_eq!(report["rows"], 12);
    assert!(report["achieved"]["k"].as_u64() >= Some(3), "{report}");
    let release = folder.text("release.csv");
    assert!(release.starts_with("born;zip;weight;sex;ward;children;diagnosis\n"), "{release}");
    folder.run("audit release.csv --plan release.plan.toml --original clinic.csv").ok();
}

#[test]
fn a_plan_is_not_overwritten_by_accident() {
    let folder = Folder::with("clinic.csv", clinic());
    folder.write("clinic.plan.toml", "my notes");
    let run = folder.run("init clinic.csv");
    assert_eq!(run.code, 2);
    assert_eq!(run.stderr, "error: `clinic.plan.toml` is there already; name another file or use --force\n");
    assert_eq!(folder.text("clinic.plan.toml"), "my notes");
    folder.run("init clinic.csv --force").ok();
    assert!(folder.text("clinic.plan.toml").contains("k = 10"));
    folder.run("init clinic.csv -o other.toml").ok();
    assert_eq!(folder.text("other.toml").matches("role =").count(), 9);
}

#[test]
fn a_plan_on_standard_output() {
    let folder = Folder::with("clinic.csv", clinic());
    let plan = folder.run("init clinic.csv -o -").ok().stdout;
    assert!(plan.contains("amidst anonymize clinic.csv -o release.csv --plan PLAN"), "{plan}");
    // A table that can be read only once gets the same roles, and its plan goes where its table came from: a stream.
    let (run, _) = folder.pipe("init - --delimiter ;", clinic());
    let columns = |plan: &str| plan.split_once("[columns]").unwrap().1.to_owned();
    assert_eq!(columns(&run.ok().stdout), columns(&plan));
    assert_eq!(folder.names(), ["clinic.csv"]);
}

#[test]
fn more_texts_that_mean_missing() {
    let folder = Folder::with("in.csv", "age,s\n1,a\n-9,b\n3,c\n-9,\n");
    let plan = folder.run("init in.csv -o - --missing -9").ok().stdout;
    assert!(plan.contains(r#"missing = ["-9", ""]"#), "{plan}");
    assert!(plan.contains("whole numbers, 2 values, 2 missing"), "{plan}");
}

#[test]
fn a_table_that_cannot_be_read() {
    let folder = Folder::with("in.csv", "a,b\n1\n");
    let run = folder.run("init in.csv");
    assert_eq!(run.code, 2);
    assert!(run.stderr.starts_with("error: `in.csv`, row 1 (line 2) has 1 fields"), "{}", run.stderr);
    assert_eq!(folder.names(), ["in.csv"]);
}

#[test]
fn the_demo_shows_records_before_and_after_and_what_to_try() {
    let folder = Folder::new();
    let run = folder.run("demo --dir shown").ok();
    for part in [
        "6 of the records, as they were",
        "and as they are published, each now among at least 10 that look the same",
        "rows       45,222",
        "class sizes",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    let (_, tries) = run.stdout.split_once("try it yourself:\n").unwrap();
    let tries: Vec<&str> = tries.lines().map(|line| line.trim().strip_prefix("amidst ").unwrap()).collect();
    assert_eq!(tries.len(), 2);
    for args in tries {
        folder.run(args).ok();
    }
    assert!(folder.path("shown/release50.csv").is_file());
    // Again, over what is there, and with another k.
    assert!(folder.run("demo --dir shown --k 100").ok().stdout.contains("100 asked for"));
}
