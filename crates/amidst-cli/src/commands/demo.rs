//! `amidst demo`: the bundled Adult table, from plan to release.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use amidst::encode::Encoded;
use amidst::pipeline::{self, Job, PlanOrigin};
use amidst::plan::{Plan, Role, Seed};
use amidst::progress::Progress;
use amidst::publish;
use amidst::read::{self, Options, Table};
use amidst::report::histogram;
use amidst::schema::Schema;

use crate::args::DemoArgs;
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

pub fn run(args: &DemoArgs) -> Result<(), Stop> {
    let dir = &args.dir;
    let fail = |path: &Path, e: std::io::Error| Stop::usage(format!("cannot write `{}`: {e}", path.display()));
    fs::create_dir_all(dir.join("hierarchies")).map_err(|e| fail(dir, e))?;
    for (name, bytes) in FILES {
        let path = dir.join(name);
        fs::write(&path, bytes).map_err(|e| fail(&path, e))?;
    }
    let plan_file = dir.join("plan.toml");
    let mut plan = Plan::load(&plan_file)?;
    if let Some(k) = args.k {
        plan.privacy.k = k;
    }
    plan.method.seed = Some(SEED);
    let (input, output) = (dir.join("adult.csv.gz"), dir.join("release.csv"));
    let bar = Bar::new(false);
    let progress = Progress::to(&bar);
    let origin = PlanOrigin::File(plan_file.clone());
    let job = Job { reports: vec![dir.join("report.html")], ..Job::new(input.clone(), output.clone(), plan, origin) };
    let outcome = pipeline::anonymize(&job, progress)?;

    let skip = job.plan.columns_with(Role::Identifier).map(str::to_owned).collect();
    let before = read::read(&input, &Options { skip, ..Options::default() }, progress)?;
    let after = read::read(&output, &Options::default(), progress)?;
    let schema = Schema::new(&job.plan, &before)?;
    let encoded = Encoded::new(&before, &schema, &job.plan.input.missing, progress)?;
    let order = publish::row_order(&encoded, job.plan.method.order, SEED.0);
    drop(bar);

    let published: Vec<usize> = (0..ROWS.min(order.len())).collect();
    let original: Vec<usize> = published.iter().map(|row| order[*row] as usize).collect();
    let text = format!(
        "{ROWS} of the records, as they were\n\n{}\nand as they are published, each now amidst at least {} that look the same\n\n{}\n{outcome}\nclass sizes\n{}\n\
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
