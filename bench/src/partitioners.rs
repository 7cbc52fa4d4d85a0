//! Compares every partitioner with a textbook Mondrian, and on request with a peer, in loss and in time.
//!
//! `cargo run --release -p amidst-bench -- partitioners [--k 10,50,100] [--data FOLDER] [--peer]`

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use amidst::internals::encode::Encoded;
use amidst::internals::partition::{self, Partitioner};
use amidst::internals::registry::{Param, Range, Spec, Value};

use crate::data::{self, ACS, ADULT};
use crate::peer::{self, Peer};
use crate::reference::{self, Textbook};
use crate::score::{self, Line, Score};
use crate::stats::slope;

/// What to compare.
#[derive(clap::Args)]
pub struct Args {
    /// The k to ask for, separated by commas
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "10,50,100")]
    k: Vec<usize>,
    /// A folder with further data sets, such as census/acs-income.csv.gz
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Run the Python package anonypy on Adult too; installs it below target/
    #[arg(long)]
    peer: bool,
    /// Stop what takes longer
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
}

/// Prints the table.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let limit = Duration::from_secs(args.limit);
    println!("Loss: lm and ncp, 0 to 1. Times: of the partition stage, the best of up to 5 runs. Seed 0.");
    println!("The last two columns are ratios to the {}, of the same run.\n", reference::NAME);
    score::print_head();

    let peer = args.peer.then(Peer::install);
    for set in data::ALL {
        let Some(path) = set.path(args.data.as_deref()) else {
            println!("{:<19} skipped: give --data a folder that has {}", set.name, set.file);
            continue;
        };
        let encoded = set.encode(&data::read(&path)?)?;
        for &k in &args.k {
            let scores = compare(set.name, &encoded, k, limit)?;
            let Some(peer) = peer.as_ref().filter(|_| set.name == ADULT.name) else { continue };
            let problem = score::problem(&encoded, k, 0)?;
            let result = peer.as_ref().map_err(Clone::clone).and_then(|peer| peer.run(set, &path, &problem, limit));
            let line = Line { data: set.name, rows: encoded.rows(), k, partitioner: peer::NAME };
            print(&line, &result, reference(&scores), limit);
        }
    }
    if let (Some(path), Some(k)) = (ACS.path(args.data.as_deref()), args.k.first()) {
        return scale(&path, *k, limit);
    }
    println!("\ngrowth with the rows: skipped: give --data a folder that has {}", ACS.file);
    Ok(())
}

/// The score of each partitioner by its name, that of the reference first; `None` where there is none.
type Scores = Vec<(String, Option<Score>)>;

/// Runs the reference and every partitioner on one problem, and prints a line for each.
fn compare(data: &str, encoded: &Arc<Encoded>, k: usize, limit: Duration) -> Result<Scores, Box<dyn Error>> {
    let problem = score::problem(encoded, k, 0)?;
    let mut scores = Scores::new();
    let textbook: (_, amidst::Result<Box<dyn Partitioner>>) = (reference::NAME.to_owned(), Ok(Box::new(Textbook)));
    let others = specs().map(|spec| (spec.to_string(), partition::build(&spec)));
    for (name, built) in std::iter::once(textbook).chain(others) {
        let result = built.and_then(|p| score::run(&*p, &problem, limit)).map_err(|e| e.to_string());
        let line = Line { data, rows: encoded.rows(), k, partitioner: &name };
        print(&line, &result, reference(&scores), limit);
        scores.push((name, result.ok().flatten()));
    }
    Ok(scores)
}

fn reference(scores: &Scores) -> Option<&Score> {
    scores.first()?.1.as_ref()
}

fn print(line: &Line, result: &Result<Option<Score>, String>, reference: Option<&Score>, limit: Duration) {
    match result {
        Ok(Some(score)) => line.print(score, reference),
        Ok(None) => line.print_words(&format!("over {} s", limit.as_secs())),
        Err(message) => line.print_words(&format!("skipped: {message}")),
    }
}

/// Every partitioner with its defaults, and with each other choice that it offers.
fn specs() -> impl Iterator<Item = Spec> {
    partition::ALL.iter().flat_map(|entry| {
        let choices = entry.params.iter().flat_map(move |param: &Param| {
            let words = if let Range::Choice(words) = param.range { words } else { &[] };
            let others = words.iter().filter(|word| param.default != Some(Value::Word(word)));
            others.map(move |word| Spec::new(format!("{}({}={word})", entry.name, param.name)))
        });
        std::iter::once(Spec::new(entry.name)).chain(choices)
    })
}

/// How time grows with the rows.
fn scale(path: &Path, k: usize, limit: Duration) -> Result<(), Box<dyn Error>> {
    println!("\nGrowth with the rows, evenly drawn from {}", ACS.name);
    score::print_head();
    let table = data::read(path)?;
    let mut points: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for rows in [40_000, 80_000, 160_000, 320_000, table.rows()] {
        let encoded = ACS.encode(&data::sample(&table, rows)?)?;
        for (i, (name, score)) in compare(ACS.name, &encoded, k, limit)?.into_iter().enumerate() {
            if points.len() <= i {
                points.push((name, Vec::new()));
            }
            points[i].1.extend(score.map(|score| ((rows as f64).ln(), score.cpu.ln())));
        }
    }
    println!("\nCPU time grows as rows to the power of (least squares on logarithms)");
    for (name, points) in points {
        println!("{name:<30} {}", slope(&points).map_or("-".to_owned(), |slope| format!("{slope:.2}")));
    }
    Ok(())
}
