//! The figures of the papers, drawn anew from runs of today.
//!
//! Every picture is a grid of runs: some ways of making a release, over the values of what its horizontal axis is. What a paper prints
//! as numbers is drawn beside. `docs/papers.md` shows the pictures and says what they mean.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use amidst::Result;
use amidst::measure::Selection;
use amidst::pipeline::{Job, PlanOrigin, anonymize};
use amidst::plan::Plan;
use amidst::progress::Progress;
use amidst::read::Table;
use amidst::registry::Spec;
use amidst::report::chart::{self, Frame, LineStyle, Series};
use amidst::write::Sink;
use clap::Args as ClapArgs;

use crate::data;

#[derive(ClapArgs)]
pub struct Args {
    /// The folder that the pictures go into
    #[arg(long, value_name = "FOLDER", default_value = "docs/papers")]
    out: PathBuf,
    /// The folder with census/acs-income.csv.gz, which does not come with the project
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Only pictures whose name has this in it
    #[arg(long, value_name = "NAME", default_value = "")]
    only: String,
}

/// A picture: what is run, and what is drawn of it.
struct Picture {
    name: &'static str,
    title: &'static str,
    x: &'static str,
    y: &'static str,
    /// The loss that is kept low, and the one that is drawn.
    measure: &'static str,
    score: &'static str,
    /// What is varied.
    axis: Axis,
    /// The table, and its columns.
    table: Data,
    /// Name, partitioner, form.
    ways: &'static [(&'static str, &'static str, &'static str)],
    seeds: u64,
    /// What the paper prints as numbers.
    paper: &'static [(f64, f64)],
}

#[derive(Clone, Copy)]
enum Axis {
    /// These values of k.
    K(&'static [usize]),
    /// These values of l, with this k.
    L(usize, &'static [f64]),
    /// So many of the first rows, with this k and this l.
    Rows(usize, f64, &'static [usize]),
}

#[derive(Clone, Copy, PartialEq)]
enum Data {
    /// All 14 attributes of Adult by suppression; this one sensitive.
    Suppressed(&'static str),
    /// Eight attributes with trees.
    Trees,
    /// Seven attributes of so many of the first rows of Adult, occupation sensitive.
    Occupation(usize),
    /// Four attributes of the first 100,000 rows of ACS income.
    Acs,
}

const KS: &[usize] = &[10, 20, 30, 40, 50, 75, 100];
const ALGORITHMS: &[(&str, &str, &str)] = &[
    ("sequential", "sequential", "generalization"),
    ("cb", "cb", "generalization"),
    ("engine", "engine", "generalization"),
];
const ARP: &[(&str, &str, &str)] = &[
    ("AT", "anatomy", "anatomy"),
    ("AIP", "aip", "anatomy"),
    ("ARP", "arp", "anatomy"),
    ("NG", "aip", "ring"),
    ("ARP, split", "arp(merged=split)", "anatomy"),
    ("NG, split", "aip(merged=split)", "ring"),
];

const PICTURES: &[Picture] = &[
    Picture {
        name: "seq-table2",
        title: "SEQ, Table 2: LM against k, 14 attributes of Adult by suppression",
        x: "k",
        y: "LM",
        measure: "lm",
        score: "lm",
        axis: Axis::K(KS),
        table: Data::Suppressed(""),
        ways: &[
            ("sequential", "sequential", "generalization"),
            ("cb", "cb", "generalization"),
            ("engine", "engine", "generalization"),
            ("hilbert", "hilbert", "generalization"),
            ("mondrian", "mondrian", "generalization"),
        ],
        seeds: 1,
        paper: &[
            (10.0, 0.302),
            (20.0, 0.340),
            (30.0, 0.364),
            (40.0, 0.380),
            (50.0, 0.394),
            (75.0, 0.419),
            (100.0, 0.439),
        ],
    },
    Picture {
        name: "seq-figure5",
        title: "SEQ, Figure 5: LM against the diversity of income, k = 50",
        x: "l (frequency)",
        y: "LM",
        measure: "lm",
        score: "lm",
        axis: Axis::L(50, &[1.0, 1.1, 1.2, 1.3, 1.32]),
        table: Data::Suppressed("income"),
        ways: ALGORITHMS,
        seeds: 1,
        paper: &[],
    },
    Picture {
        name: "seq-figure6",
        title: "SEQ, Figure 6: LM against the diversity of education, k = 50",
        x: "l (frequency)",
        y: "LM",
        measure: "lm",
        score: "lm",
        axis: Axis::L(50, &[1.0, 1.5, 2.0, 2.5, 2.75, 3.0]),
        table: Data::Suppressed("education"),
        ways: ALGORITHMS,
        seeds: 1,
        paper: &[],
    },
    Picture {
        name: "oka",
        title: "OKA against k-member: Byun's loss against k, 8 attributes of Adult",
        x: "k",
        y: "Byun's loss",
        measure: "byun",
        score: "byun",
        axis: Axis::K(&[10, 25, 50, 100]),
        table: Data::Trees,
        ways: &[
            ("k-member", "k-member", "generalization"),
            ("k-member, random seeds", "k-member(seeds=random)", "generalization"),
            ("oka", "oka", "generalization"),
        ],
        seeds: 1,
        paper: &[],
    },
    Picture {
        name: "dbkc",
        title: "DBKC against k-means: weighted levels against k, 8 attributes of Adult",
        x: "k",
        y: "weighted levels",
        measure: "weighted-levels",
        score: "weighted-levels",
        axis: Axis::K(&[10, 20, 30, 40, 50, 100]),
        table: Data::Trees,
        ways: &[("k-means", "k-means", "generalization"), ("dbkc", "dbkc", "generalization")],
        seeds: 1,
        paper: &[],
    },
    Picture {
        name: "arp-by-l",
        title: "ARP: GLP against l, 20,000 rows, 7 attributes of Adult",
        x: "l",
        y: "GLP",
        measure: "lm",
        score: "glp",
        axis: Axis::L(2, &[2.0, 3.0, 4.0, 5.0, 6.0, 7.0]),
        table: Data::Occupation(20_000),
        ways: ARP,
        seeds: 3,
        paper: &[],
    },
    Picture {
        name: "arp-by-n",
        title: "ARP: GLP against the number of records, l = 5",
        x: "records",
        y: "GLP",
        measure: "lm",
        score: "glp",
        axis: Axis::Rows(2, 5.0, &[5_000, 10_000, 15_000, 20_000, 25_000, 30_000]),
        table: Data::Occupation(30_000),
        ways: ARP,
        seeds: 3,
        paper: &[],
    },
    Picture {
        name: "cb-nh",
        title: "CB against non-homogeneous generalization: GCP against k, 100,000 rows of ACS, 4 attributes",
        x: "k",
        y: "GCP",
        measure: "ncp",
        score: "ncp",
        axis: Axis::K(&[50, 100, 150, 200, 250]),
        table: Data::Acs,
        ways: &[
            ("CB", "cb", "generalization"),
            ("NH, top-down", "top-down", "ring"),
            ("NH, mondrian", "mondrian", "ring"),
            ("engine", "engine", "generalization"),
        ],
        seeds: 1,
        paper: &[],
    },
];

/// Draws the pictures.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(&args.out)?;
    for picture in PICTURES.iter().filter(|picture| picture.name.contains(&args.only)) {
        let Some(table) = picture.table.load(args.data.as_deref())? else {
            println!("SKIPPED: {}, whose table does not come with the project (--data)", picture.name);
            continue;
        };
        println!("\n{}", picture.title);
        let mut series = picture.series(&table)?;
        if !picture.paper.is_empty() {
            series.push(Series { name: "sequential, the paper's".to_owned(), points: picture.paper.to_vec() });
        }
        let frame = Frame { width: 640, height: 340, x: picture.x, y: picture.y };
        let svg = chart::standalone(&chart::lines(frame, &series, LineStyle::default()), picture.title);
        let path = args.out.join(picture.name).with_extension("svg");
        fs::write(&path, svg)?;
    }
    Ok(())
}

impl Data {
    /// The table, and what is asked of its columns; none where it has to be brought along and was not.
    fn load(self, folder: Option<&Path>) -> Result<Option<Table>> {
        let adult = data::root().join("data/adult/adult.csv.gz");
        let path = match (self, folder) {
            (Data::Acs, None) => return Ok(None),
            (Data::Acs, Some(folder)) => folder.join("census/acs-income.csv.gz"),
            _ => adult,
        };
        let table = data::read(&path)?;
        let most = match self {
            Data::Occupation(rows) => rows,
            Data::Acs => 100_000,
            _ => table.rows(),
        };
        data::head(&table, most).map(Some)
    }

    fn columns(self) -> String {
        let quasi = |names: &[&str], kind: &str| {
            let column = |name: &&str| format!("{name} = {{ role = \"quasi\"{kind} }}\n");
            names.iter().map(column).collect::<String>()
        };
        match self {
            Data::Suppressed(sensitive) => {
                let names: Vec<&str> =
                    data::ADULT_SUPPRESSED.suppress.iter().copied().filter(|name| *name != sensitive).collect();
                let secret = if sensitive.is_empty() { String::new() } else { role(sensitive) };
                quasi(&names, ", kind = \"suppress\"") + &secret
            }
            Data::Trees => {
                let tree = |name: &&str| {
                    let file = data::root().join(format!("data/adult/hierarchies/{name}.csv"));
                    format!(
                        "{name} = {{ role = \"quasi\", kind = \"taxonomy\", hierarchy = {:?} }}\n",
                        file.display().to_string()
                    )
                };
                let trees = ["workclass", "marital-status", "occupation", "native-country"];
                quasi(&["age", "education-num", "race", "sex"], "") + &trees.iter().map(tree).collect::<String>()
            }
            Data::Occupation(_) => {
                let names = ["sex", "workclass", "education", "marital-status", "age", "race", "native-country"];
                quasi(&names, "") + &role("occupation")
            }
            Data::Acs => quasi(&["AGEP", "SCHL"], "") + &quasi(&["SEX", "MAR"], ", kind = \"set\""),
        }
    }
}

fn role(sensitive: &str) -> String {
    format!("{sensitive} = {{ role = \"sensitive\" }}\n")
}

impl Picture {
    /// A line for each way, through what its runs give.
    fn series(&self, table: &Table) -> Result<Vec<Series>, Box<dyn Error>> {
        let grid: Vec<(f64, usize, Option<f64>, usize)> = match self.axis {
            Axis::K(ks) => ks.iter().map(|k| (*k as f64, *k, None, table.rows())).collect(),
            Axis::L(k, ls) => ls.iter().map(|l| (*l, k, Some(*l), table.rows())).collect(),
            Axis::Rows(k, l, rows) => rows.iter().map(|rows| (*rows as f64, k, Some(l), *rows)).collect(),
        };
        let mut series = Vec::new();
        for (name, partitioner, publish) in self.ways {
            let mut points = Vec::new();
            for (x, k, l, rows) in &grid {
                let mut sum = 0.0;
                for seed in 0..self.seeds {
                    sum += self.score(&data::head(table, *rows)?, partitioner, publish, *k, *l, seed)?;
                }
                points.push((*x, sum / self.seeds as f64));
            }
            let figures = points.iter().map(|(x, y)| format!("  {x}: {y:.4}")).collect::<String>();
            println!("{name:24}{figures}");
            series.push(Series { name: (*name).to_owned(), points });
        }
        Ok(series)
    }

    /// What one release loses.
    fn score(
        &self,
        table: &Table,
        partitioner: &str,
        publish: &str,
        k: usize,
        l: Option<f64>,
        seed: u64,
    ) -> Result<f64, Box<dyn Error>> {
        let require = l.map(|l| format!("require = [\"frequency-l(l={l})\"]")).unwrap_or_default();
        let method = format!(
            "partitioner = {partitioner:?}\npublish = {publish:?}\nmeasure = {:?}\nseed = {seed}",
            self.measure
        );
        let text = format!("[privacy]\nk = {k}\n{require}\n[method]\n{method}\n[columns]\n{}", self.table.columns());
        let plan: Plan = text.parse()?;
        let output = Sink::Memory(table.schema());
        let measures = Selection::Named(vec![Spec::new(self.score)]);
        let job = Job { measures, ..Job::new(table, output, plan, PlanOrigin::Flags) };
        let outcome = anonymize(&job, Progress::silent())?;
        Ok(outcome.scores.loss[self.score])
    }
}
