//! Goldberger and Tassa: Efficient anonymizations with enhanced utility. Transactions on Data Privacy 2010.
//!
//! All 14 attributes of Adult but income, each kept or suppressed.

use amidst::internals::chart::Series;
use amidst::internals::problem::Histogram;
use amidst::internals::read::Table;

use super::sheet::{Sheet, Show, draw, given, losses, number, times};
use super::task::{Task, Way, adult, quasi, sensitive};
use super::{Args, Done, Trial};
use crate::data::{self, ADULT_SUPPRESSED};

pub const TRIALS: &[Trial] = &[
    Trial {
        name: "seq-table2",
        place: "SEQ, Table 2, Figures 1 and 2",
        claim: "sequential clustering loses .302 to .439 by k, far less than Hilbert and Mondrian, and is faster with larger k",
        run: table2,
    },
    Trial {
        name: "seq-k-member",
        place: "SEQ, Figures 1 and 2",
        claim: "k-member loses only slightly more than sequential clustering",
        run: k_member,
    },
    Trial {
        name: "seq-agglomerative",
        place: "SEQ, §8.1",
        claim: "agglomerative clustering loses almost the same as sequential clustering, and takes much longer",
        run: agglomerative,
    },
    Trial {
        name: "seq-figure3",
        place: "SEQ, Figure 3",
        claim: "how time grows with the records, k = 50",
        run: figure3,
    },
    Trial {
        name: "seq-figure4",
        place: "SEQ, Figure 4",
        claim: "the time of sequential clustering is about linear in the attributes",
        run: figure4,
    },
    Trial {
        name: "seq-figure5",
        place: "SEQ, Figure 5",
        claim: "the most diverse result by income loses less than Hilbert and Mondrian without diversity",
        run: figure5,
    },
    Trial {
        name: "seq-figure6",
        place: "SEQ, Figure 6",
        claim: "the most diverse result by education loses about what Hilbert does without diversity, .645",
        run: figure6,
    },
    Trial {
        name: "seq-table3",
        place: "SEQ, Table 3",
        claim: "clusters are the less diverse the more weight PMI has, and some have no diversity by any measure",
        run: table3,
    },
];

/// The values of k in the paper's text.
const KS: [f64; 7] = [10.0, 20.0, 30.0, 40.0, 50.0, 75.0, 100.0];
const MONDRIAN: Way = Way::by("mondrian").fixed();
const HILBERT: Way = Way::by("hilbert").fixed();
const SEQUENTIAL: Way = Way::by("sequential");

/// All 14 attributes but those that are sensitive.
pub fn suppressed(secret: &str) -> String {
    let names: Vec<&str> = ADULT_SUPPRESSED.suppress.iter().copied().filter(|name| *name != secret).collect();
    quasi(&names, "suppress") + &(if secret.is_empty() { String::new() } else { sensitive(secret) })
}

/// LM of these ways by k.
fn by_k(args: &Args, seeds: u64, ways: &[Way], paper: Option<&[f64]>) -> Done<Vec<super::sheet::Line>> {
    let (table, columns) = (adult()?, suppressed(""));
    let sheet = Sheet { x: "LM, by k", xs: &KS, seeds: args.seeds(seeds), show: Show::LossAndTime };
    sheet.head();
    if let Some(paper) = paper {
        given("sequential, the paper's average", paper);
    }
    sheet.fill(ways, |way, k, seed| {
        let (table, columns) = (&table, columns.as_str());
        Task { table, columns, k: k as usize, l: None, measure: "lm", way, seed }.loss()
    })
}

fn table2(args: &Args) -> Done {
    let ways = [
        MONDRIAN,
        Way::by("mondrian(median=low)").fixed(),
        HILBERT,
        Way::by("hilbert(scale=plain)").fixed(),
        Way::by("engine").seeds(3),
        Way::by("cb").seeds(3),
        Way::by("sequential(split=pass)"),
        Way::by("sequential(split=once)"),
    ];
    let paper = [0.302, 0.340, 0.364, 0.380, 0.394, 0.419, 0.439];
    let lines = by_k(args, 10, &ways, Some(&paper))?;
    let points = KS.into_iter().zip(paper).collect();
    let mut series = losses(&lines);
    series.push(Series { name: "sequential, the paper's".to_owned(), points });
    let title = "SEQ, Table 2: LM against k, 14 attributes of Adult by suppression";
    draw(&args.out, "seq-table2", title, ("k", "LM"), &series)
}

fn k_member(args: &Args) -> Done {
    by_k(args, 3, &[SEQUENTIAL, Way::by("k-member"), Way::by("k-member(seeds=random)")], None).map(drop)
}

fn agglomerative(args: &Args) -> Done {
    by_k(args, 3, &[SEQUENTIAL, Way::by("agglomerative").fixed()], None).map(drop)
}

fn figure3(args: &Args) -> Done {
    let (table, columns) = (adult()?, suppressed(""));
    let xs = [5_000.0, 10_000.0, 20_000.0, 30_000.0, 45_222.0];
    let sheet = Sheet { x: "CPU seconds, by records", xs: &xs, seeds: args.seeds(1), show: Show::Growth };
    let ways = [MONDRIAN, HILBERT, SEQUENTIAL, Way::by("k-member(seeds=random)"), Way::by("agglomerative").fixed()];
    sheet.head();
    let lines = sheet.fill(&ways, |way, rows, seed| {
        let (table, columns) = (&data::sample(&table, rows as usize)?, columns.as_str());
        Task { table, columns, k: 50, l: None, measure: "lm", way, seed }.loss()
    })?;
    draw(&args.out, "seq-figure3", "SEQ, Figure 3: time against records, k = 50", ("records", "CPU s"), &times(&lines))
}

fn figure4(args: &Args) -> Done {
    let table = adult()?;
    let xs = [5.0, 8.0, 11.0, 14.0];
    let sheet = Sheet { x: "CPU seconds, by attributes", xs: &xs, seeds: args.seeds(3), show: Show::Growth };
    sheet.head();
    for (k, name) in [(20, "sequential, k = 20"), (50, "sequential, k = 50")] {
        sheet.fill(&[SEQUENTIAL.called(name)], |way, number, seed| {
            let columns = quasi(&ADULT_SUPPRESSED.suppress[..number as usize], "suppress");
            Task { table: &table, columns: &columns, k, l: None, measure: "lm", way, seed }.loss()
        })?;
    }
    Ok(())
}

fn figure5(args: &Args) -> Done {
    by_l(args, "seq-figure5", "Figure 5", "income", &[1.0, 1.1, 1.2, 1.3, 1.315, 1.32, 1.329])
}

fn figure6(args: &Args) -> Done {
    by_l(args, "seq-figure6", "Figure 6", "education", &[1.0, 1.5, 2.0, 2.5, 2.75, 3.0, 3.05])
}

/// LM by ℓ, k = 50; Hilbert and Mondrian without diversity, to compare with.
fn by_l(args: &Args, name: &str, figure: &str, secret: &str, ls: &[f64]) -> Done {
    let (table, columns) = (adult()?, suppressed(secret));
    let task = |way, l, seed| Task { table: &table, columns: &columns, k: 50, l, measure: "lm", way, seed };
    for way in [HILBERT, MONDRIAN] {
        println!("\n{} without diversity: {}", way.name, number(task(way, None, 1).loss()?.loss));
    }
    let sheet = Sheet { x: "LM, by l", xs: ls, seeds: args.seeds(1), show: Show::LossAndTime };
    let ways = [
        SEQUENTIAL,
        Way::by("sequential(moves=single)").called("sequential(moves=single), Algorithm 2"),
        Way::by("cb"),
        Way::by("engine"),
    ];
    sheet.head();
    let lines = sheet.fill(&ways, |way, l, seed| task(way, Some(l), seed).loss())?;
    let title = format!("SEQ, {figure}: LM against the diversity of {secret}, k = 50");
    draw(&args.out, name, &title, ("l (frequency)", "LM"), &losses(&lines))
}

/// How diverse the clusters of a partition are.
struct Diversity {
    /// The mean entropy of a cluster.
    cluster: f64,
    /// The mean over the records, of their cluster's entropy.
    record: f64,
    /// The share of clusters with one value alone.
    none: f64,
}

fn table3(args: &Args) -> Done {
    let (table, columns) = (adult()?, suppressed("income"));
    let ws = ["0", "0.25", "0.5", "0.75", "1"];
    println!("\nEntropy of income in bits: mean over the clusters, mean over the records, clusters of one value.\n");
    println!("| k | |{}", ws.map(|w| format!(" w = {w} |")).concat());
    println!("|---|---|{}", "---|".repeat(ws.len()));
    let paper = [
        (50, [0.07, 0.14, 0.31, 0.51, 0.54]),
        (75, [0.08, 0.14, 0.32, 0.51, 0.56]),
        (100, [0.08, 0.15, 0.34, 0.54, 0.58]),
    ];
    for (k, printed) in paper {
        println!("| {k} | paper |{}", printed.map(|figure| format!(" {figure:.2} |")).concat());
        let mut cells = String::new();
        for w in ws {
            let found: Vec<Diversity> =
                (1..=args.seeds(2)).map(|seed| diversity(&table, &columns, k, w, seed)).collect::<Done<_>>()?;
            let mean = |of: fn(&Diversity) -> f64| found.iter().map(of).sum::<f64>() / found.len() as f64;
            let (cluster, record) = (mean(|d| d.cluster), mean(|d| d.record));
            cells += &format!(" {cluster:.3}, {record:.3}, {:.0} % |", 100.0 * mean(|d| d.none));
        }
        println!("| | sequential |{cells}");
    }
    Ok(())
}

fn diversity(table: &Table, columns: &str, k: usize, w: &str, seed: u64) -> Done<Diversity> {
    let measure = &format!("wmi(w={w})");
    let (problem, partition, _) = Task { table, columns, k, l: None, measure, way: SEQUENTIAL, seed }.clusters()?;
    let income = &problem.encoded.sensitive()[0];
    let entropies: Vec<(f64, f64)> = partition
        .clusters()
        .map(|rows| {
            let mut values = Histogram::default();
            rows.iter().for_each(|row| values.add(income.row(*row), 1));
            (entropy(&values, rows.len() as f64), rows.len() as f64)
        })
        .collect();
    let clusters = entropies.len() as f64;
    Ok(Diversity {
        cluster: entropies.iter().map(|(entropy, _)| entropy).sum::<f64>() / clusters,
        record: entropies.iter().map(|(entropy, size)| entropy * size).sum::<f64>() / problem.rows() as f64,
        none: entropies.iter().filter(|(entropy, _)| *entropy == 0.0).count() as f64 / clusters,
    })
}

/// In bits.
fn entropy(values: &Histogram, size: f64) -> f64 {
    values.iter().map(|(_, times)| f64::from(times) / size).map(|share| -share * share.log2()).sum::<f64>().max(0.0)
}
