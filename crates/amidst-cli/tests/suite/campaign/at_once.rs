//! Several runs that publish to the same name at once.

use std::process::{Child, Stdio};

use super::{FILES, Release, Scene, Tally, is_made, read};
use crate::support::Folder;

const RUNS: usize = 4;

fn run(folder: &Folder, k: usize) -> Child {
    let args = format!(
        "anonymize in.csv -o out.csv --quasi age,zip,job --publish-as-is note --sensitive disease --publish anatomy --l 2 --k {k} --report report.json --seed 1 -q"
    );
    folder.command().args(args.split(' ')).stderr(Stdio::null()).spawn().unwrap()
}

fn rounds(rounds: usize) {
    let scene = Scene::new();
    let ks: Vec<usize> = (3..3 + RUNS).collect();
    let made: Vec<Release> = ks
        .iter()
        .map(|k| {
            let folder = scene.folder(false);
            assert!(run(&folder, *k).wait().unwrap().success());
            read(&folder.path(""))
        })
        .collect();
    let mut tally = Tally::default();
    for round in 0..rounds {
        let folder = scene.folder(round % 2 == 0);
        let mut children: Vec<Child> = ks.iter().map(|k| run(&folder, *k)).collect();
        for child in &mut children {
            assert!(child.wait().unwrap().success());
        }
        assert_eq!(folder.leftovers(), [""; 0]);
        let found = read(&folder.path(""));
        assert_eq!(found.len(), FILES.len());
        tally.points += 1;
        if made.iter().any(|release| is_made(&found, release)) {
            folder.run("audit out.csv --plan out.plan.toml --original in.csv").ok();
            tally.new += 1;
        } else {
            tally.unnoticed += 1;
        }
    }
    tally.tell(&format!("{RUNS} runs at once"));
}

#[test]
fn a_few_times() {
    rounds(2);
}

#[test]
#[ignore = "part of `make campaign`"]
fn many_times() {
    rounds(100);
}
