//! The targets of `fuzz/` on stable Rust: every seed, and some thousand seeded mutations of them.

use std::fs;
use std::path::Path;

use amidst_trials::targets;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

/// The seeds of a target, in the order of their names.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// A few changes: bytes set, inserted, removed and repeated, and pieces of another seed.
fn mutate(rng: &mut ChaCha12Rng, seed: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..rng.random_range(1..=4) {
        let at = rng.random_range(0..=bytes.len());
        let end = (at + rng.random_range(0..8)).min(bytes.len());
        match rng.random_range(0..5) {
            0 if at < bytes.len() => bytes[at] = rng.random(),
            1 => bytes.insert(at, rng.random()),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let from = rng.random_range(0..=other.len());
                let until = (from + rng.random_range(0..16)).min(other.len());
                bytes.splice(at..end, other[from..until].iter().copied());
            }
        }
    }
    bytes
}

fn replay(target: &str, mutations: usize) {
    let seeds = seeds(target);
    for (name, bytes) in &seeds {
        println!("{target}: seed {name}");
        targets::run(target, bytes);
    }
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    for number in 0..mutations {
        let pick = |rng: &mut ChaCha12Rng| rng.random_range(0..seeds.len());
        let (seed, other) = (pick(&mut rng), pick(&mut rng));
        let bytes = mutate(&mut rng, &seeds[seed].1, &seeds[other].1);
        println!("{target}: mutation {number}: {}", bytes.escape_ascii());
        targets::run(target, &bytes);
    }
}

#[test]
fn every_target_has_seeds_and_a_fuzzer() {
    for target in targets::ALL {
        seeds(target.name);
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
