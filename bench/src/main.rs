//! What the partitioners lose and what they take.
//!
//! `cargo run --release -p amidst-bench -- partitioners` compares all of them with a textbook Mondrian;
//! `cargo run --release -p amidst-bench -- engine` holds the default one against its goals;
//! `cargo run --release -p amidst-bench -- microaggregation` compares the squared error of centres;
//! `cargo run --release -p amidst-bench -- papers` tries the claims of the papers again.

mod data;
mod engine;
mod microaggregation;
mod papers;
mod partitioners;
mod peer;
mod plain;
mod reference;
mod score;
mod stats;

use std::process::ExitCode;

use clap::Parser;

/// What the partitioners lose and what they take
#[derive(Parser)]
enum Command {
    /// Compares every partitioner with a textbook Mondrian in loss and in time
    Partitioners(partitioners::Args),
    /// Holds the engine against plain Algorithm 1, the other partitioners and its goals
    Engine(engine::Args),
    /// Compares the squared error of centres on the tables of microaggregation
    Microaggregation(microaggregation::Args),
    /// Tries the claims of the papers again, and draws their figures
    Papers(papers::Args),
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Partitioners(args) => partitioners::run(&args),
        Command::Engine(args) => engine::run(&args),
        Command::Microaggregation(args) => microaggregation::run(&args),
        Command::Papers(args) => papers::run(&args),
    };
    if let Err(error) = done {
        eprintln!("error: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
