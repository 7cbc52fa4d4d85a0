//! Microaggregation on the tables that its papers use: the squared error of centres, as a share of that of the table.
//!
//! `cargo run --release -p amidst-bench -- microaggregation [--data FOLDER] [--k 3,5,10]`
//!
//! The folder has tarragona.csv (834 rows), census.csv (1,080) and eia.csv (4,092) of the CASC project, as the R package sdcMicro names
//! their columns. They do not come with this project. A table that is absent is skipped, with a word. Adult's numbers always take part.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use amidst::internals::encode::Encoded;
use amidst::internals::partition;
use amidst::internals::problem::{Partition, Problem};
use amidst::internals::registry::Spec;

use crate::data::{self, BROUGHT, DataSet};
use crate::score;

/// What to run.
#[derive(clap::Args)]
pub struct Args {
    /// The k to ask for, separated by commas
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "3,5,10")]
    k: Vec<usize>,
    /// A folder with tarragona.csv, census.csv and eia.csv
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// The partitioners, separated by semicolons
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ';',
        default_value = "mdav;microaggregation;microaggregation(moves=30000);engine"
    )]
    partitioners: Vec<String>,
    /// The seed
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
}

const TABLES: &[DataSet] = &[
    DataSet {
        name: "Tarragona",
        file: "tarragona.csv",
        range: &[
            "FIXED.ASSETS",
            "CURRENT.ASSETS",
            "TREASURY",
            "UNCOMMITTED.FUNDS",
            "PAID.UP.CAPITAL",
            "SHORT.TERM.DEBT",
            "SALES",
            "LABOR.COSTS",
            "DEPRECIATION",
            "OPERATING.PROFIT",
            "FINANCIAL.OUTCOME",
            "GROSS.PROFIT",
            "NET.PROFIT",
        ],
        ..BROUGHT
    },
    DataSet {
        name: "Census",
        file: "census.csv",
        range: &[
            "AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX", "TAXINC", "POTHVAL", "INTVAL", "PEARNVAL",
            "FICA", "WSALVAL", "ERNVAL",
        ],
        ..BROUGHT
    },
    DataSet {
        name: "EIA, 10 columns",
        file: "eia.csv",
        range: &[
            "RESREVENUE",
            "RESSALES",
            "COMREVENUE",
            "COMSALES",
            "INDREVENUE",
            "INDSALES",
            "OTHREVENUE",
            "OTHRSALES",
            "TOTREVENUE",
            "TOTSALES",
        ],
        ..BROUGHT
    },
];

const ADULT_NUMBERS: DataSet = DataSet {
    name: "Adult, 6 numbers",
    range: &["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"],
    ..data::BUNDLED
};

/// No run is stopped.
const FOREVER: Duration = Duration::from_hours(24);
/// The numbers of rows of Adult.
const ADULT_ROWS: [usize; 3] = [1080, 4092, 45222];

/// Prints the table.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    println!(
        "IL: 100 SSE / SST over standardized columns. Times: of the partition stage, one run. Seed {}.\n",
        args.seed
    );
    println!(
        "{:<17} {:>6} {:>3}  {:<32} {:>9} {:>9} {:>9} {:>8}",
        "data set", "rows", "k", "partitioner", "IL", "/ first", "clusters", "cpu s"
    );
    for set in TABLES {
        match args.data.as_deref().map(|folder| folder.join(set.file)).filter(|path| path.is_file()) {
            Some(path) => compare(set, &set.encode(&data::read(&path)?)?, args)?,
            None => println!("{:<17} skipped: give --data a folder that has {}", set.name, set.file),
        }
    }
    let adult = data::read(&ADULT_NUMBERS.path(None).ok_or("the bundled Adult table is missing")?)?;
    for rows in ADULT_ROWS {
        compare(&ADULT_NUMBERS, &ADULT_NUMBERS.encode(&data::head(&adult, rows)?)?, args)?;
    }
    Ok(())
}

fn compare(set: &DataSet, encoded: &Arc<Encoded>, args: &Args) -> Result<(), Box<dyn Error>> {
    for &k in &args.k {
        let problem = score::problem(encoded, k, args.seed)?;
        let mut first = None;
        for spec in &args.partitioners {
            let run = score::once(&*partition::build(&Spec::new(spec.as_str()))?, &problem, FOREVER)?;
            let Some(partition) = &run.partition else { continue };
            let lost = information_loss(&problem, partition);
            let ratio = lost / *first.get_or_insert(lost);
            let (rows, clusters) = (encoded.rows(), partition.len());
            println!(
                "{:<17} {rows:>6} {k:>3}  {spec:<32} {lost:>9.4} {ratio:>9.4} {clusters:>9} {:>8.2}",
                set.name, run.cpu
            );
        }
    }
    Ok(())
}

/// 100 SSE / SST: the mean over all columns that vary of the share of their variance that the means of the clusters lose.
fn information_loss(problem: &Problem, partition: &Partition) -> f64 {
    let encoded = &problem.encoded;
    let spread = |rows: &[u32], column: usize| {
        let numbers = || rows.iter().filter_map(|row| encoded.domains()[column].position(encoded.row(*row)[column]));
        let count = numbers().count().max(1) as f64;
        let mean = numbers().sum::<f64>() / count;
        numbers().map(|number| (number - mean).powi(2)).sum::<f64>()
    };
    let all: Vec<u32> = (0..problem.rows() as u32).collect();
    let shares = (0..encoded.domains().len()).filter_map(|column| {
        let whole = spread(&all, column);
        let within: f64 = partition.clusters().map(|rows| spread(rows, column)).sum();
        (whole > 0.0).then_some(within / whole)
    });
    let shares: Vec<f64> = shares.collect();
    100.0 * shares.iter().sum::<f64>() / shares.len().max(1) as f64
}
