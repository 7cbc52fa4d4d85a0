//! The targets of `fuzz/` on stable Rust: every seed, and some thousand seeded mutations of them.

use std::path::Path;

use amidst_trials::mutations::{Inputs, seeds};
use amidst_trials::targets;

fn replay(target: &str, mutations: usize) {
    for (name, bytes) in seeds(target) {
        println!("{target}: seed {name}");
        targets::run(target, &bytes);
    }
    for (number, bytes) in Inputs::new(target, Vec::new(), 1).take(mutations).enumerate() {
        println!("{target}: mutation {number}: {}", bytes.escape_ascii());
        targets::run(target, &bytes);
    }
}

#[test]
fn every_target_has_seeds_and_a_fuzzer() {
    for target in targets::ALL {
        assert!(!seeds(target.name).is_empty());
        let fuzzer = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../fuzz/fuzz_targets/{}.rs", target.name));
        assert!(fuzzer.is_file(), "{}", fuzzer.display());
    }
}

#[test]
fn csv() {
    replay("csv", 5_000);
}

#[test]
fn parquet() {
    replay("parquet", 3_000);
}

#[test]
fn plan() {
    replay("plan", 3_000);
}

#[test]
fn hierarchy() {
    replay("hierarchy", 10_000);
}

#[test]
fn cells() {
    replay("cells", 20_000);
}

#[test]
fn tampered() {
    replay("tampered", 1_500);
}
