//! Seeds with random changes: inputs for the [targets](crate::targets) on stable Rust.

use std::fs;
use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

/// The folder `fuzz/`.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// The seeds of a target with their names, in the order of these.
pub fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let seeds = read(&folder().join("seeds").join(target));
    assert!(!seeds.is_empty(), "{target} has no seeds");
    seeds
}

/// What libFuzzer kept of a target; nothing where it did not run.
pub fn corpus(target: &str) -> Vec<Vec<u8>> {
    read(&folder().join("corpus").join(target)).into_iter().map(|(_, bytes)| bytes).collect()
}

fn read(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("a file").path());
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files: Vec<_> = files
        .map(|path| (name(&path), fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))))
        .collect();
    files.sort();
    files
}

/// Mutations of the seeds of a target, without end; the same for the same number.
#[derive(Debug)]
pub struct Inputs {
    from: Vec<Vec<u8>>,
    rng: ChaCha12Rng,
}

impl Inputs {
    /// Of its seeds and of these.
    pub fn new(target: &str, more: Vec<Vec<u8>>, number: u64) -> Self {
        let from = seeds(target).into_iter().map(|(_, bytes)| bytes).chain(more).collect();
        Inputs { from, rng: ChaCha12Rng::seed_from_u64(number) }
    }
}

impl Iterator for Inputs {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let (seed, other) = (self.rng.random_range(0..self.from.len()), self.rng.random_range(0..self.from.len()));
        Some(mutate(&mut self.rng, &self.from[seed], &self.from[other]))
    }
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
