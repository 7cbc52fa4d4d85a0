//! The claims of the papers, tried again. Every figure of `docs/papers.md` comes from one of these trials.
//!
//! A trial has a name, the claims that it checks, and a function that runs it, prints its figures as a Markdown table and draws its
//! picture, where it has one. Losses are means over the seeds, with the least and the most behind them; times are CPU seconds of all
//! threads.

mod arp;
mod cb;
mod dbkc;
mod learning;
mod oka;
mod seq;
mod sheet;
mod task;

use std::error::Error;
use std::path::PathBuf;

use clap::Args as ClapArgs;

/// What comes of a trial or of a part of it.
type Done<T = ()> = Result<T, Box<dyn Error>>;

#[derive(ClapArgs)]
pub struct Args {
    /// Name the trials and the claims that they check, and run none
    #[arg(long)]
    list: bool,
    /// Only these trials, separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// So many seeds for what is random, instead of each trial's usual number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    seeds: Option<u64>,
    /// The folder with census/acs-income.csv.gz, which does not come with the project
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// The folder that the pictures go into
    #[arg(long, value_name = "FOLDER", default_value = "docs/papers")]
    out: PathBuf,
}

impl Args {
    /// The number of seeds that was asked for, or else the usual one of the trial.
    fn seeds(&self, usual: u64) -> u64 {
        self.seeds.unwrap_or(usual)
    }
}

/// One experiment.
struct Trial {
    name: &'static str,
    /// The paper, and where in it the claim stands.
    place: &'static str,
    claim: &'static str,
    run: fn(&Args) -> Done,
}

/// All trials, by paper.
const TRIALS: &[&[Trial]] = &[seq::TRIALS, learning::TRIALS, oka::TRIALS, dbkc::TRIALS, cb::TRIALS, arp::TRIALS];

/// Runs the trials that were asked for, or names all.
pub fn run(args: &Args) -> Done {
    let trials = || TRIALS.iter().copied().flatten();
    if args.list {
        trials().for_each(|trial| println!("{:<18} {}: {}", trial.name, trial.place, trial.claim));
        return Ok(());
    }
    if let Some(unknown) = args.only.iter().find(|name| trials().all(|trial| trial.name != *name)) {
        return Err(format!("there is no trial `{unknown}`; --list names them").into());
    }
    std::fs::create_dir_all(&args.out)?;
    for trial in trials().filter(|trial| args.only.is_empty() || args.only.iter().any(|name| name == trial.name)) {
        println!("\n## {}\n\n{}: {}", trial.name, trial.place, trial.claim);
        (trial.run)(args)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_the_page_names_every_trial() {
        let page = include_str!("../../../docs/papers.md");
        let mut names = HashSet::new();
        for trial in TRIALS.iter().copied().flatten() {
            assert!(names.insert(trial.name), "two trials are called {}", trial.name);
            assert!(page.contains(&format!("`{}`", trial.name)), "docs/papers.md does not name {}", trial.name);
        }
    }
}
