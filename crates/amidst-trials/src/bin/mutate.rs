//! Tries seeded mutations of the seeds and the corpus of a fuzz target: `mutate TARGET INPUTS [NUMBER]`.
//!
//! It is what `fuzz/run.sh` does without guidance by coverage, on stable Rust. Inputs that panic are written to
//! `fuzz/artifacts`. An input that ends the process is found by the same command again, which makes the same inputs.

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs};

use amidst_trials::mutations::{Inputs, corpus, folder};
use amidst_trials::targets;

/// Longer inputs teach nothing more: as libFuzzer has it in `fuzz/run.sh`.
const LONGEST: usize = 4096;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let number = |place: usize| arguments.get(place).map(|text| text.replace('_', "").parse::<u64>());
    let (Some(target), Some(Ok(inputs)), seed) = (arguments.first(), number(1), number(2).unwrap_or(Ok(1))) else {
        eprintln!("usage: mutate TARGET INPUTS [NUMBER]");
        return ExitCode::from(2);
    };
    let seed = seed.expect("a number");
    targets::set_up();
    let corpus: Vec<_> = corpus(target).into_iter().filter(|bytes| bytes.len() <= LONGEST).collect();
    println!("{target}: {inputs} inputs, number {seed}, {} of the corpus", corpus.len());
    let start = Instant::now();
    let (mut crashes, mut slowest) = (0, (Duration::ZERO, Vec::new()));
    for (place, bytes) in Inputs::new(target, corpus, seed).take(inputs as usize).enumerate() {
        let began = Instant::now();
        if panic::catch_unwind(AssertUnwindSafe(|| targets::run(target, &bytes))).is_err() {
            crashes += 1;
            keep(target, &format!("crash-{seed}-{place}"), &bytes);
        }
        if began.elapsed() > slowest.0 {
            slowest = (began.elapsed(), bytes);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    keep(target, "slowest", &slowest.1);
    println!("{target}: {crashes} crashed; {:.0} inputs per second; slowest {:?}", inputs as f64 / seconds, slowest.0);
    if crashes > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn keep(target: &str, name: &str, bytes: &[u8]) {
    let folder = folder().join("artifacts").join(target);
    fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(name), bytes)).expect("space for a small file");
}
