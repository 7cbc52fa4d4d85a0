//! He, Chen, Chen, Dong, Wang and Huang: Clustering-based k-anonymity. PAKDD 2012.
//!
//! The paper has census records from IPUMS, which may not be passed on. These are the first rows of ACS income, all attributes as
//! ranges, because the paper's Definition 1 assumes an order of all values.

use std::path::PathBuf;

use super::sheet::{Sheet, Show, draw, losses};
use super::task::{Task, Way, quasi};
use super::{Args, Done, Trial};
use crate::data::{self, ACS};

pub const TRIALS: &[Trial] = &[
    Trial {
        name: "cb-by-k",
        place: "CB, Figures 6 and 7",
        claim: "GCP grows about linearly with k, and with the attributes; CB is below NH with more than three",
        run: by_k,
    },
    Trial {
        name: "cb-by-n",
        place: "CB, Figures 8 and 9",
        claim: "GCP falls with the records; time grows linearly, to 500 seconds at most; NH is faster",
        run: by_rows,
    },
];

/// In the paper's order as far as it is known: age, gender, education, marital status; then ours: race and class of worker.
const COLUMNS: [&str; 6] = ["AGEP", "SEX", "SCHL", "MAR", "RAC1P", "COW"];
const WAYS: [Way; 6] = [
    Way::by("engine"),
    Way::by("mondrian").fixed().published("ring").called("NH on mondrian"),
    Way::by("top-down").fixed().published("ring").called("NH on top-down"),
    Way::by("cb").called("CB"),
    Way::by("cb(compare=penalty)").called("CB, penalties compared"),
    Way::by("top-down-xu").published("ring").called("NH on top-down-xu"),
];

/// The table; none where it was not brought along.
fn file(args: &Args) -> Option<PathBuf> {
    let found = ACS.path(args.data.as_deref());
    if found.is_none() {
        println!("\nSKIPPED: give --data a folder that has {}", ACS.file);
    }
    found
}

fn by_k(args: &Args) -> Done {
    let Some(path) = file(args) else { return Ok(()) };
    let table = data::head(&data::read(&path)?, 100_000)?;
    let xs = [50.0, 100.0, 150.0, 200.0, 250.0];
    let sheet = Sheet { x: "GCP, by k", xs: &xs, seeds: args.seeds(3), show: Show::Loss };
    for number in 3..=COLUMNS.len() {
        let columns = quasi(&COLUMNS[..number], "range");
        println!("\n{number} attributes, 100,000 rows");
        sheet.head();
        let lines = sheet.fill(&WAYS, |way, k, seed| {
            let (table, columns) = (&table, columns.as_str());
            Task { table, columns, k: k as usize, l: None, measure: "ncp", way, seed }.published("ncp")
        })?;
        if number == 6 {
            let title = "CB against non-homogeneous generalization: GCP against k, 100,000 rows of ACS, 6 attributes";
            draw(&args.out, "cb-nh", title, ("k", "GCP"), &losses(&lines))?;
        }
    }
    Ok(())
}

fn by_rows(args: &Args) -> Done {
    let Some(path) = file(args) else { return Ok(()) };
    let (table, columns) = (data::read(&path)?, quasi(&COLUMNS, "range"));
    let xs = [100_000.0, 200_000.0, 300_000.0, 400_000.0, 500_000.0];
    let sheet =
        Sheet { x: "GCP, k = 100, 6 attributes, by rows", xs: &xs, seeds: args.seeds(3), show: Show::LossAndTime };
    sheet.head();
    let run = |way: Way, rows: f64, seed| {
        let (table, columns) = (&data::head(&table, rows as usize)?, columns.as_str());
        Task { table, columns, k: 100, l: None, measure: "ncp", way, seed }.published("ncp")
    };
    sheet.fill(&WAYS, run).map(drop)
}
