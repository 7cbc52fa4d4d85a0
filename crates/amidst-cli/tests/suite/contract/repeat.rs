//! The same plan and seed give the same bytes.

use std::fs;

use crate::support::{CITIES, Folder, PEOPLE, PEOPLE_RELEASED, ROLES, many_rows};

#[test]
fn the_same_bytes_again_on_any_number_of_threads() {
    // Enough rows for every stage to hand parts to other threads. Two rounds do for the search: the conformance tests of the library try whole ones.
    let folder = Folder::with("in.csv", many_rows(12_000));
    let roles = "--quasi age,zip,job --publish-as-is note --sensitive disease --k 5 --seed 11 --partitioner engine(rounds=2) -q";
    folder.run(&format!("anonymize in.csv -o a.csv {roles} --threads 3")).ok();
    folder.run(&format!("anonymize in.csv -o b.csv {roles} --threads 1")).ok();
    folder.run("anonymize in.csv -o c.csv --plan a.plan.toml --threads 2 -q").ok();
    let first = folder.bytes("a.csv");
    for name in ["b.csv", "c.csv"] {
        assert!(folder.bytes(name) == first, "{name} is not a.csv");
    }
}

#[test]
fn another_seed_is_another_order() {
    let folder = Folder::with("people.csv", PEOPLE);
    let release = |seed: u64| {
        folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --seed {seed}")).ok();
        folder.text("out.csv")
    };
    let releases: Vec<String> = (0..5).map(release).collect();
    assert_eq!(releases[0], release(0));
    // 8! orders; that five of them agree is next to impossible.
    assert!(releases.iter().any(|r| *r != releases[0]));
}

#[test]
fn the_stored_plan_stands_alone() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.write("cities.csv", CITIES);
    folder.write("ages.toml", "\"*\" = { young = [21, 23, 31, 34], old = [51, 55, 67, 69] }");
    folder
        .run(&format!(
            "anonymize people.csv -o first.csv {ROLES} --k 3 --hierarchy city=cities.csv --hierarchy age=ages.toml"
        ))
        .ok();
    fs::remove_file(folder.path("cities.csv")).unwrap();
    fs::remove_file(folder.path("ages.toml")).unwrap();
    folder.run("anonymize people.csv -o second.csv --plan first.plan.toml").ok();
    assert_eq!(folder.text("first.csv"), folder.text("second.csv"));
    assert!(folder.text("first.csv").contains("young,Norway,"), "{}", folder.text("first.csv"));
    // Made from the plan it is stored as, the plan stays as it is.
    let plan = folder.text("first.plan.toml");
    folder.run("anonymize people.csv -o first.csv --plan first.plan.toml").ok();
    assert_eq!(folder.text("first.plan.toml"), plan);
    assert_eq!(folder.text("first.csv"), folder.text("second.csv"));
}

#[test]
fn any_column_name_survives_the_stored_plan() {
    let name = "\"a \"\"line\"\"\n'break' = #1\"";
    let folder = Folder::with("in.csv", format!("{name},x.y,é\n1,1,2\n2,1,2\n3,2,3\n4,2,3\n"));
    folder.run("anonymize in.csv -o first.csv --quasi x.y,é --k 2").ok();
    folder.run("anonymize in.csv -o second.csv --plan first.plan.toml").ok();
    assert_eq!(folder.text("first.csv"), folder.text("second.csv"));
}

#[test]
fn rows_are_shuffled_unless_their_order_is_kept() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o kept.csv {ROLES} --k 2 --keep-order")).ok();
    folder.run(&format!("anonymize people.csv -o shuffled.csv {ROLES} --k 2 --seed 0")).ok();
    let (kept, shuffled) = (folder.text("kept.csv"), folder.text("shuffled.csv"));
    assert_eq!(kept, PEOPLE_RELEASED);
    assert_ne!(kept, shuffled);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&kept), sorted(&shuffled));
}

#[test]
fn a_release_made_by_the_clock_is_made_again_by_its_plan() {
    let folder = Folder::with("in.csv", many_rows(3_000));
    folder.run("anonymize in.csv -o a.csv --quasi age,zip,job --publish-as-is note --k 5 --time 300ms -q").ok();
    let plan = folder.text("a.plan.toml");
    assert!(plan.contains("partitioner = \"engine(rounds=") || plan.contains("engine(effort=fast)"), "{plan}");
    folder.run("anonymize in.csv -o b.csv --plan a.plan.toml -q").ok();
    assert!(folder.bytes("a.csv") == folder.bytes("b.csv"));
}

#[test]
fn effort_and_time_are_for_the_engine() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --effort best")).ok();
    assert!(folder.text("out.plan.toml").contains("engine(effort=best)"));
    let fails = |more: &str, what: &str| {
        let run = folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 {more}"));
        assert!(run.code == 2 && run.stderr.contains(what), "{more}: {}", run.stderr);
    };
    fails(
        "--partitioner mondrian --effort best",
        "mondrian: only the engine takes an effort or a time; leave them out",
    );
    fails("--time soon", "invalid value 'soon' for '--time <TIME>'");
    fails("--effort most", "invalid value 'most' for '--effort <EFFORT>'");
}
