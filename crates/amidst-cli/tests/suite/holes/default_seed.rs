//! The seed was 0 unless somebody named another, so everybody had it: who knew all records but one value found that by making the release again.

use crate::support::{Folder, PEOPLE, ROLES, many_rows};

/// The seed in a stored plan, as it is written there.
fn seed(folder: &Folder, plan: &str) -> String {
    let text = folder.text(plan);
    let line = text.lines().find_map(|line| line.strip_prefix("seed = ")).unwrap_or_else(|| panic!("{text}"));
    line.trim_matches('"').to_owned()
}

#[test]
fn the_default_seed_is_random_and_makes_the_release_again() {
    let folder = Folder::with("people.csv", PEOPLE);
    let mut seeds = Vec::new();
    for name in ["a", "b", "c"] {
        folder.run(&format!("anonymize people.csv -o {name}.csv {ROLES} --k 2")).ok();
        seeds.push(seed(&folder, &format!("{name}.plan.toml")));
        folder.run(&format!("anonymize people.csv -o again.csv --plan {name}.plan.toml")).ok();
        assert_eq!(folder.text("again.csv"), folder.text(&format!("{name}.csv")));
        folder.run(&format!("audit {name}.csv --plan {name}.plan.toml --original people.csv")).ok();
        // The same by the flag, in the form in which the plan has it.
        folder.run(&format!("anonymize people.csv -o named.csv {ROLES} --k 2 --seed {}", seeds[seeds.len() - 1])).ok();
        assert_eq!(folder.text("named.csv"), folder.text(&format!("{name}.csv")));
    }
    seeds.sort();
    seeds.dedup();
    // That two of three numbers of 64 bits are equal has a chance of 3 in 2^64.
    assert_eq!(seeds.len(), 3, "{seeds:?}");
}

#[test]
fn the_largest_seed_is_kept() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o a.csv {ROLES} --k 2 --seed 18446744073709551615")).ok();
    assert_eq!(seed(&folder, "a.plan.toml"), "0xffffffffffffffff");
    folder.run(&format!("anonymize people.csv -o b.csv {ROLES} --k 2 --seed 0xffffffffffffffff")).ok();
    assert_eq!(folder.text("a.csv"), folder.text("b.csv"));
    for wrong in ["18446744073709551616", "-1", "0x", "secret"] {
        let run = folder.run(&format!("anonymize people.csv -o c.csv {ROLES} --k 2 --seed={wrong}"));
        assert!(run.code == 2 && run.stderr.contains("is no seed"), "{wrong}: {}", run.stderr);
    }
}

#[test]
fn the_plan_pins_down_who_is_known_but_for_one_value_and_nothing_else_does() {
    let folder = Folder::with("in.csv", many_rows(200));
    folder.run("anonymize in.csv -o out.csv --quasi age,job --publish-as-is zip,note --k 5 --effort fast -q").ok();
    let attack = "rerun(unknown=quasi,targets=4,seconds=600)";
    let args = ["attack", "in.csv", "out.csv", "--plan", "out.plan.toml", "--attacks", attack, "--json"];
    let found = folder.run_args(&args).ok().json();
    let figures = &found["findings"][attack]["figures"];
    assert_eq!(figures["quasi"]["targets"], 4.0, "{found}");
    assert_eq!(figures["quasi"]["pinned_by_order"], 4.0, "{found}");
    assert_eq!(figures["quasi"]["pinned_without_plan"], 0.0, "{found}");
    assert_eq!(figures["met_without_plan"], 0.0, "{found}");
}

#[test]
fn a_plan_without_its_seed_says_what_is_missing() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o a.csv {ROLES} --k 2")).ok();
    let plan: String = folder
        .text("a.plan.toml")
        .lines()
        .filter(|line| !line.starts_with("seed"))
        .map(|l| l.to_owned() + "\n")
        .collect();
    folder.write("cut.plan.toml", plan);
    folder.run("audit a.csv --plan cut.plan.toml").ok();
    let run = folder.run("audit a.csv --plan cut.plan.toml --original people.csv");
    assert!(run.code == 2 && run.stderr.contains("the plan has no `seed`"), "{}", run.stderr);
}

#[test]
fn what_publishes_nothing_gives_the_same_figures_again() {
    let folder = Folder::with("in.csv", many_rows(60));
    let figures = |command: &str| {
        let mut found = folder.run(&format!("{command} in.csv --quasi age --k 5 --json -q")).ok().json();
        let runs = found.get_mut("runs").and_then(|runs| runs.as_array_mut());
        runs.into_iter()
            .flatten()
            .for_each(|run| run.as_object_mut().unwrap().retain(|name, _| !name.contains("seconds")));
        found.as_object_mut().unwrap().retain(|name, _| !name.contains("seconds"));
        found
    };
    let compared = figures("compare --algorithms engine,k-member");
    assert_eq!((&compared, &compared["seed"]), (&figures("compare --algorithms engine,k-member"), &0.into()));
    assert_eq!(figures("bound"), figures("bound"));
}
