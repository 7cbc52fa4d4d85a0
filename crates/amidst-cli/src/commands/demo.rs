//! `amidst demo`: the bundled Adult table, from plan to release.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use amidst::pipeline::{self, Job};
use amidst::plan::{Plan, Role, Seed};
use amidst::progress::Progress;
use amidst::report::histogram;
use amidst::{ReadOptions, Source, Table};
use clap::Args;

use crate::progress::Bar;
use crate::{Stop, print};

macro_rules! bundled {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../../../data/adult/", $name)))),*]
    };
}

/// The files of the demo.
const FILES: &[(&str, &[u8])] = bundled![
    "README.md",
    "adult.csv.gz",
    "plan.toml",
    "hierarchies/age.csv",
    "hierarchies/education.csv",
    "hierarchies/income.csv",
    "hierarchies/marital-status.csv",
    "hierarchies/native-country.csv",
    "hierarchies/occupation.csv",
    "hierarchies/race.csv",
    "hierarchies/sex.csv",
    "hierarchies/workclass.csv",
];

/// The columns and the number of rows that are shown.
const SHOWN: &[&str] = &["age", "education-num", "workclass", "marital-status", "occupation", "race", "sex", "income"];
const ROWS: usize = 6;

/// Everybody shall see what the documents show. The table is public, so there is nothing to hide.
const SEED: Seed = Seed(0);

#[derive(Args)]
pub struct DemoArgs {
    /// The folder for the table, its hierarchies, the plan and the release
    #[arg(long, value_name = "FOLDER", default_value = "amidst-demo")]
    dir: PathBuf,
    /// The k to use instead of that of the plan
    #[arg(long, value_name = "K")]
    k: Option<usize>,
}

pub fn run(args: &DemoArgs) -> Result<(), Stop> {
    let dir = &args.dir;
    unpack(dir)?;
    let plan_file = dir.join("plan.toml");
    let mut plan = Plan::load(&plan_file)?;
    if let Some(k) = args.k {
        plan.privacy.k = k;
    }
    plan.method.seed = Some(SEED);
    let (input, output) = (dir.join("adult.csv.gz"), dir.join("release.csv"));
    let bar = Bar::new(false, None);
    let progress = Progress::to(&bar);
    let job = Job { reports: vec![dir.join("report.html")], ..Job::new(input.clone(), output.clone(), plan) };
    let outcome = pipeline::anonymize(&job, progress)?;

    let skip = job.plan.columns_with(Role::Identifier).map(str::to_owned).collect();
    let before = Source::from(input.as_path()).read(&ReadOptions { skip, ..ReadOptions::default() }, progress)?;
    let after = Source::from(output.as_path()).read(&ReadOptions::default(), progress)?;
    drop(bar);

    let published: Vec<usize> = (0..ROWS.min(outcome.rows.len())).collect();
    let original: Vec<usize> = published.iter().map(|row| outcome.rows[*row] as usize).collect();
    let text = format!(
        "{ROWS} of the records, as they were\n\n{}\nand as they are published, each now among at least {} that look the same\n\n{}\n{outcome}\nclass sizes\n{}\n\
         read the report, a page for those who must answer for the release:\n  {}\n\ntry it yourself:\n  amidst audit {} --plan {} --original {}\n  amidst anonymize {} -o {} --plan {} --k 50\n",
        excerpt(&before, &original)?,
        outcome.asked.privacy.k,
        excerpt(&after, &published)?,
        histogram(&outcome.audit),
        dir.join("report.html").display(),
        output.display(),
        dir.join("release.plan.toml").display(),
        input.display(),
        input.display(),
        dir.join("release50.csv").display(),
        plan_file.display(),
    );
    print(&text)
}

/// Puts the bundled files into a folder. What is there already and is something else stays, and ends the demo.
fn unpack(dir: &Path) -> Result<(), Stop> {
    let files: Vec<(PathBuf, &[u8])> = FILES.iter().map(|(name, bytes)| (dir.join(name), *bytes)).collect();
    if let Some((path, _)) = files.iter().find(|(path, bytes)| path.exists() && !holds(path, bytes)) {
        return Err(Stop::usage(format!(
            "`{}` is there already and is not the demo's; choose another folder (--dir), or remove it",
            path.display()
        )));
    }
    let hierarchies = dir.join("hierarchies");
    fs::create_dir_all(&hierarchies)
        .map_err(|e| Stop::usage(format!("cannot make the folder `{}`: {e}", hierarchies.display())))?;
    let missing = files.iter().filter(|(path, _)| !path.exists());
    Ok(pipeline::save_bundled(missing.map(|(path, bytes)| (path.as_path(), *bytes)))?)
}

fn holds(path: &Path, bytes: &[u8]) -> bool {
    fs::read(path).is_ok_and(|found| found == bytes)
}

/// Some rows of some columns, aligned.
fn excerpt(table: &Table, rows: &[usize]) -> Result<String, Stop> {
    let mut lines = vec![String::new(); rows.len() + 1];
    for name in SHOWN {
        let column: Vec<String> = [(*name).to_owned()].into_iter().chain(table.cells(name, rows)?).collect();
        let width = column.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        for (line, cell) in lines.iter_mut().zip(&column) {
            let _ = write!(line, "  {cell:width$}");
        }
    }
    Ok(lines.iter().map(|line| format!("{}\n", line.trim_end())).collect())
}
