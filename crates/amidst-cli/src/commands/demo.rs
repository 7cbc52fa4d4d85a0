//! `amidst demo`: the bundled Adult table, from plan to release.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use amidst::encode::Encoded;
use amidst::pipeline::{self, Job, PlanOrigin};
use amidst::plan::{Plan, Role};
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
    let (input, output) = (dir.join("adult.csv.gz"), dir.join("release.csv"));
    let bar = Bar::new(false);
    let progress = Progress::to(&bar);
    let job = Job { input: input.clone(), output: output.clone(), plan, origin: PlanOrigin::File(plan_file.clone()) };
    let outcome = pipeline::anonymize(&job, progress)?;

    let skip = job.plan.columns_with(Role::Identifier).map(str::to_owned).collect();
    let before = read::read(&input, &Options { skip, ..Options::default() }, progress)?;
    let after = read::read(&output, &Options::default(), progress)?;
    let schema = Schema::new(&job.plan, &before)?;
    let encoded = Encoded::new(&before, &schema, &job.plan.input.missing, progress)?;
    let order = publish::row_order(&encoded, job.plan.method.order, job.plan.method.seed);
    drop(bar);

    let published: Vec<usize> = (0..ROWS.min(order.len())).collect();
    let original: Vec<usize> = published.iter().map(|row| order[*row] as usize).collect();
    let text = format!(
        "{ROWS} of the {} records, as they were\n\n{}\nand as they are published, each now amidst at least {} that look the same\n\n{}\n{outcome}\nclass sizes\n{}\n\
         try it yourself:\n  amidst audit {} --plan {} --original {}\n  amidst anonymize {} -o {} --plan {} --k 50\n",
        before.rows(),
        excerpt(&before, &original)?,
        outcome.asked.privacy.k,
        excerpt(&after, &published)?,
        histogram(&outcome.audit),
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
    let columns = SHOWN
        .iter()
        .map(|name| {
            let cells = table.cells(name, rows)?;
            let width = cells.iter().chain([&(*name).to_owned()]).map(|cell| cell.chars().count()).max().unwrap_or(0);
            Ok((*name, width, cells))
        })
        .collect::<Result<Vec<_>, amidst::Error>>()?;
    let line = |cell: &dyn Fn(&(&str, usize, Vec<String>)) -> String| {
        let cells: Vec<_> = columns.iter().map(|c| format!("{:1$}", cell(c), c.1)).collect();
        format!("  {}\n", cells.join("  ").trim_end())
    };
    let mut text = line(&|(name, ..)| (*name).to_owned());
    for row in 0..rows.len() {
        let _ = write!(text, "{}", line(&|(_, _, cells)| cells[row].clone()));
    }
    Ok(text)
}
