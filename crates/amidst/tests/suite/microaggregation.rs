//! MDAV by hand, and microaggregation against MDAV and against the optimum on a line.

use amidst::internals::partition;
use amidst::internals::problem::Problem;
use amidst::internals::registry::Spec;
use amidst::progress::Progress;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use crate::tables::load;

/// A problem with these columns of numbers.
fn numbers(columns: &[Vec<f64>], k: usize) -> Problem {
    let names: Vec<String> = (0..columns.len()).map(|column| format!("c{column}")).collect();
    let plan: String =
        names.iter().map(|name| format!("{name} = {{ role = \"quasi\", kind = \"range\" }}\n")).collect();
    let line = |row: usize| columns.iter().map(|column| column[row].to_string()).collect::<Vec<_>>().join(",");
    let rows: Vec<String> = (0..columns[0].len()).map(line).collect();
    let csv = format!("{}\n{}\n", names.join(","), rows.join("\n"));
    load(&csv, &format!("[privacy]\nk = 2\n[columns]\n{plan}")).problem(&Spec::new("lm"), k).unwrap()
}

fn clusters(problem: &Problem, spec: &str) -> Vec<Vec<u32>> {
    let partition = partition::build(&Spec::new(spec)).unwrap().partition(problem, Progress::silent()).unwrap();
    let mut clusters: Vec<Vec<u32>> = partition.clusters().map(<[u32]>::to_vec).collect();
    clusters.iter_mut().for_each(|rows| rows.sort_unstable());
    clusters.sort();
    clusters
}

/// The sum of the squared distances of some numbers from their mean.
fn spread(numbers: &[f64]) -> f64 {
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    numbers.iter().map(|number| (number - mean).powi(2)).sum()
}

/// SSE / SST over standardized columns.
fn loss(columns: &[Vec<f64>], clusters: &[Vec<u32>]) -> f64 {
    let lost = |column: &Vec<f64>| {
        let of = |rows: &Vec<u32>| rows.iter().map(|row| column[*row as usize]).collect::<Vec<_>>();
        clusters.iter().map(|rows| spread(&of(rows))).sum::<f64>() / spread(column)
    };
    columns.iter().map(lost).sum::<f64>() / columns.len() as f64
}

/// Numbers with a long tail, in columns that depend on each other.
fn tailed(rows: usize, columns: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let sizes: Vec<f64> = (0..rows).map(|_| 1.0 / (0.02 + rng.random::<f64>())).collect();
    (0..columns).map(|_| sizes.iter().map(|size| (size * rng.random::<f64>() * 1e4).round()).collect()).collect()
}

#[test]
fn mdav_is_as_by_hand() {
    // The mean of 0 1 2 10 11 12 20 is 8, from which 20 is farthest. It takes 12 and 11. Of 0 1 2 10, four records, no two clusters of three
    // can be made.
    let problem = numbers(&[vec![0.0, 1.0, 2.0, 10.0, 11.0, 12.0, 20.0]], 3);
    assert_eq!(clusters(&problem, "mdav"), [vec![0, 1, 2, 3], vec![4, 5, 6]]);
    // The mean of 0 1 3 9 10 19 is 7: 19 is farthest, and 0 is farthest from it. 19 takes 10, 0 takes 1, and 3 and 9 are left.
    let problem = numbers(&[vec![0.0, 1.0, 3.0, 9.0, 10.0, 19.0]], 2);
    assert_eq!(clusters(&problem, "mdav"), [vec![0, 1], vec![2, 3], vec![4, 5]]);
}

#[test]
fn microaggregation_is_near_the_optimum_on_a_line() {
    // On a line, the clusters of an optimum are runs of k to 2k − 1 sorted records (Hansen and Mukherjee, TKDE 2003).
    let (mut found, mut least) = (0.0, 0.0);
    for seed in 0..10 {
        let columns = tailed(60, 1, seed);
        for k in [2, 3, 5] {
            let mut sorted = columns[0].clone();
            sorted.sort_by(f64::total_cmp);
            let mut best = vec![f64::INFINITY; sorted.len() + 1];
            best[0] = 0.0;
            for end in k..=sorted.len() {
                for start in end.saturating_sub(2 * k - 1)..=end - k {
                    best[end] = best[end].min(best[start] + spread(&sorted[start..end]));
                }
            }
            let optimum = best[sorted.len()] / spread(&sorted);
            let reached = loss(&columns, &clusters(&numbers(&columns, k), "microaggregation"));
            assert!(reached >= optimum * (1.0 - 1e-9), "seed {seed}, k = {k}: {reached} is below {optimum}");
            (found, least) = (found + reached / optimum, least + 1.0);
        }
    }
    assert!(found / least < 1.005, "{} times the optimum on average", found / least);
}

#[test]
fn microaggregation_loses_less_than_mdav() {
    for (seed, k) in [(1, 3), (2, 5), (3, 10)] {
        let columns = tailed(400, 6, seed);
        let problem = numbers(&columns, k);
        let (ours, mdav) = (clusters(&problem, "microaggregation"), clusters(&problem, "mdav"));
        assert!(ours.iter().all(|rows| (k..2 * k).contains(&rows.len())), "k = {k}");
        let (ours, mdav) = (loss(&columns, &ours), loss(&columns, &mdav));
        assert!(ours < 0.97 * mdav, "k = {k}: {ours} and {mdav}");
    }
}

#[test]
fn a_table_of_several_blocks_loses_less_than_mdav() {
    let columns = tailed(7000, 2, 4);
    let problem = numbers(&columns, 4);
    let (ours, mdav) = (clusters(&problem, "microaggregation(moves=100)"), clusters(&problem, "mdav"));
    assert!(ours.iter().all(|rows| rows.len() >= 4));
    let (ours, mdav) = (loss(&columns, &ours), loss(&columns, &mdav));
    assert!(ours < mdav, "{ours} and {mdav}");
}

#[test]
fn a_cluster_that_a_constraint_keeps_whole_is_not_cut() {
    // Every second half of the line has one sensitive value, so that each cluster has to span both halves.
    let csv: String = (0..40).map(|row| format!("{row},{}\n", if row < 20 { "a" } else { "b" })).collect();
    let plan =
        "[privacy]\nk = 2\n[columns]\nx = { role = \"quasi\", kind = \"range\" }\ns = { role = \"sensitive\" }\n";
    let problem = load(&format!("x,s\n{csv}"), plan).demanding(&Spec::new("lm"), 2, &["frequency-l(l=2)"]).unwrap();
    for rows in clusters(&problem, "microaggregation") {
        let first = rows.iter().filter(|row| **row < 20).count();
        assert_eq!(2 * first, rows.len(), "{rows:?}");
    }
}
