//! Lin and Wei: An efficient clustering method for k-anonymization. PAIS 2008.
//!
//! Eight attributes of Adult; the trees are ARX's, those of the paper are not to be had. The loss is Byun's.

use super::sheet::{Sheet, Show, draw, losses, spread};
use super::task::{EIGHT, Task, Way, adult, eight};
use super::{Args, Done, Trial};
use crate::stats::Spread;

pub const TRIALS: &[Trial] = &[
    Trial {
        name: "oka",
        place: "OKA, Figures 3 and 4",
        claim: "OKA loses less than k-member and takes less time, at every k",
        run: by_k,
    },
    Trial {
        name: "oka-columns",
        place: "OKA, Figure 1, line 1",
        claim: "records are sorted by their quasi-identifiers; how much the order of the columns matters",
        run: columns,
    },
    Trial {
        name: "oka-small",
        place: "OKA, §2.2 and §5",
        claim: "small clusters may be suppressed instead of filled; Loukides and Shao delete them",
        run: small,
    },
];

const K_MEMBER: Way = Way::by("k-member");
const SORTED: Way = Way::by("oka(order=sorted)");
const RANDOM: Way = Way::by("oka(order=random)");

fn by_k(args: &Args) -> Done {
    let (table, columns) = (adult()?, eight(&EIGHT));
    let xs = [10.0, 25.0, 50.0, 100.0, 200.0, 500.0];
    let sheet = Sheet { x: "Byun's loss, by k", xs: &xs, seeds: args.seeds(3), show: Show::LossAndTime };
    sheet.head();
    let lines = sheet.fill(&[K_MEMBER, Way::by("k-member(seeds=random)"), SORTED, RANDOM], |way, k, seed| {
        let (table, columns) = (&table, columns.as_str());
        Task { table, columns, k: k as usize, l: None, measure: "byun", way, seed }.loss()
    })?;
    let title = "OKA against k-member: Byun's loss against k, 8 attributes of Adult";
    draw(&args.out, "oka", title, ("k", "Byun's loss"), &losses(&lines))
}

fn columns(args: &Args) -> Done {
    let table = adult()?;
    let sheet = Sheet { x: "Byun's loss, by k", xs: &[10.0, 50.0], seeds: args.seeds(3), show: Show::Loss };
    sheet.head();
    for first in ["age", "sex", "native-country"] {
        let mut order = vec![first];
        order.extend(EIGHT.into_iter().filter(|name| *name != first));
        let columns = eight(&order);
        for (way, name) in [(SORTED, "sorted"), (RANDOM, "random")] {
            let name: &'static str = format!("{name}, {first} first").leak();
            sheet.fill(&[way.called(name)], |way, k, seed| {
                let (table, columns) = (&table, columns.as_str());
                Task { table, columns, k: k as usize, l: None, measure: "byun", way, seed }.loss()
            })?;
        }
    }
    Ok(())
}

fn small(args: &Args) -> Done {
    let (table, columns) = (adult()?, eight(&EIGHT));
    println!(
        "\nByun's loss, a suppressed record losing everything, and the records that are suppressed, 2 % at most.\n"
    );
    println!("| | k = 10 | k = 50 | k = 100 |\n|---|---|---|---|");
    let ways = ["oka(small=adjust)", "oka(small=suppress)", "greedy(small=hand-on)", "greedy(small=delete)"];
    for way in ways.map(Way::by) {
        let mut cells = String::new();
        for k in [10, 50, 100] {
            let (mut found, mut gone) = (Vec::new(), Vec::new());
            for seed in 1..=args.seeds(3) {
                let (table, columns) = (&table, columns.as_str());
                let task = Task { table, columns, k, l: None, measure: "byun", way, seed };
                let (problem, partition, _) = task.clusters()?;
                found.push(problem.loss(&partition));
                gone.push(partition.suppressed().len() as f64);
            }
            let (loss, gone) = (Spread::of(found.into_iter()), Spread::of(gone.into_iter()));
            cells += &format!(" {}; {:.0} |", spread(&loss), gone.mean);
        }
        println!("| {} |{cells}", way.name);
    }
    Ok(())
}
