//! Zhu and Ye: Achieving k-anonymity via a density-based clustering method. APWeb/WAIM 2007.
//!
//! Eight attributes of Adult with ARX's trees, by weighted levels.

use super::sheet::{Line, Sheet, Show, draw, given, losses};
use super::task::{EIGHT, Task, Way, adult, eight};
use super::{Args, Done, Trial};
use crate::data;

pub const TRIALS: &[Trial] = &[
    Trial {
        name: "dbkc",
        place: "DBKC, Figure 2",
        claim: "DBKC loses 2.82 times less than k-means with at least k records, on average over k, and takes longer",
        run: by_k,
    },
    Trial {
        name: "dbkc-time",
        place: "DBKC, §4",
        claim: "the time of both grows with the square of the records",
        run: by_rows,
    },
];

const WAYS: [Way; 2] = [Way::by("k-means"), Way::by("dbkc").fixed()];

fn by_k(args: &Args) -> Done {
    let (table, columns) = (adult()?, eight(&EIGHT));
    let xs = [10.0, 20.0, 30.0, 40.0, 50.0, 100.0];
    let sheet = Sheet { x: "weighted levels, by k", xs: &xs, seeds: args.seeds(3), show: Show::LossAndTime };
    sheet.head();
    let lines = sheet.fill(&WAYS, |way, k, seed| {
        let (table, columns) = (&table, columns.as_str());
        Task { table, columns, k: k as usize, l: None, measure: "weighted-levels", way, seed }.loss()
    })?;
    let loss = |line: &Line| line.cells.iter().map(|(_, loss, _)| loss.mean).collect::<Vec<f64>>();
    let ratios: Vec<f64> = loss(&lines[0]).iter().zip(loss(&lines[1])).map(|(k_means, dbkc)| k_means / dbkc).collect();
    given("ratio", &ratios);
    println!("\nThe ratio is {:.2} on average.", ratios.iter().sum::<f64>() / ratios.len() as f64);
    let title = "DBKC against k-means: weighted levels against k, 8 attributes of Adult";
    draw(&args.out, "dbkc", title, ("k", "weighted levels"), &losses(&lines))
}

fn by_rows(args: &Args) -> Done {
    let (table, columns) = (adult()?, eight(&EIGHT));
    let xs = [5_000.0, 10_000.0, 20_000.0, 45_222.0];
    let sheet = Sheet { x: "CPU seconds, k = 50, by records", xs: &xs, seeds: args.seeds(3), show: Show::Growth };
    sheet.head();
    let run = |way: Way, rows: f64, seed| {
        let (table, columns) = (&data::sample(&table, rows as usize)?, columns.as_str());
        Task { table, columns, k: 50, l: None, measure: "weighted-levels", way, seed }.loss()
    };
    sheet.fill(&WAYS, run).map(drop)
}
