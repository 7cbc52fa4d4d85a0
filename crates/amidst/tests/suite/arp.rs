//! AIP, ARP and AT: the paper's properties as laws, a plain AIP, and traces by hand.

use std::collections::{BTreeMap, BTreeSet};

use amidst::internals::measure::{Figure, Selection, View, scores};
use amidst::internals::problem::{Partition, Problem};
use amidst::internals::registry::Spec;
use amidst::internals::{partition, refine};
use amidst::progress::Progress;
use proptest::collection::vec;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use crate::hard;
use crate::tables::{Loaded, load};

/// Two columns and a sensitive one.
type Record = (u8, u8, u8);

fn table(records: &[Record]) -> Loaded {
    let rows: Vec<String> = records.iter().map(|(x, y, s)| format!("{x},{y},s{s}")).collect();
    let columns = "x = { role = \"quasi\", kind = \"range\" }\ny = { role = \"quasi\", kind = \"set\" }\n\
                   s = { role = \"sensitive\" }";
    load(&format!("x,y,s\n{}\n", rows.join("\n")), &format!("[privacy]\nk = 2\n[columns]\n{columns}\n"))
}

fn diverse(loaded: &Loaded, k: usize, l: usize) -> Option<Problem> {
    loaded.demanding(&Spec::new("lm"), k, &[&format!("frequency-l(l={l})")]).ok()
}

fn run(problem: &Problem, spec: &str) -> Partition {
    partition::build(&Spec::new(spec)).unwrap().partition(problem, Progress::silent()).unwrap()
}

fn refined(problem: &Problem, partition: &Partition, spec: &str) -> Partition {
    refine::build(&Spec::new(spec)).unwrap().refine(problem, partition.clone(), Progress::silent()).unwrap()
}

/// The clusters in order.
fn tidy(clusters: impl IntoIterator<Item = Vec<u32>>) -> Vec<Vec<u32>> {
    let mut clusters: Vec<Vec<u32>> = clusters.into_iter().collect();
    clusters.iter_mut().for_each(|rows| rows.sort_unstable());
    clusters.sort();
    clusters
}

fn clusters(problem: &Problem, spec: &str) -> Vec<Vec<u32>> {
    tidy(run(problem, spec).clusters().map(<[u32]>::to_vec))
}

fn value(problem: &Problem, row: u32) -> u32 {
    problem.encoded.sensitive()[0].row(row)
}

fn all_different(problem: &Problem, rows: &[u32]) -> bool {
    rows.iter().map(|row| value(problem, *row)).collect::<BTreeSet<_>>().len() == rows.len()
}

/// The mean probability that the release gives to a record's own value.
fn own_value(problem: &Problem, partition: &Partition) -> f64 {
    let mut sum = 0.0;
    for rows in partition.clusters() {
        let mut counts: BTreeMap<u32, f64> = BTreeMap::new();
        rows.iter().for_each(|row| *counts.entry(value(problem, *row)).or_default() += 1.0);
        sum += counts.values().map(|c| c * c).sum::<f64>() / rows.len() as f64;
    }
    sum / problem.rows() as f64
}

/// The figure of that name among several.
fn part<'a>(figure: &'a Figure, name: &str) -> &'a Figure {
    let Figure::Many(figures) = figure else { panic!("several figures") };
    &figures[name]
}

/// The paper's algorithms in all their versions but those that split merged blocks.
const PAPERS: [&str; 6] = [
    "aip(order=falling)",
    "aip(order=rising)",
    "arp(order=falling)",
    "arp(order=rising)",
    "arp(order=falling, pick=random)",
    "arp(order=rising, pick=random)",
];

fn records() -> impl Strategy<Value = Vec<Record>> {
    vec((0..4_u8, 0..3_u8, 0..7_u8), 2..60)
}

/// φ² as the paper writes it, of a column and the sensitive one in the table.
fn phi2(problem: &Problem, column: usize) -> f64 {
    phi2_of((0..problem.rows() as u32).map(|row| (problem.encoded.row(row)[column], value(problem, row), 1.0)))
}

/// The same in what Anatomy publishes: every record may have each sensitive value of its block, as likely as it occurs there.
fn phi2_after(problem: &Problem, partition: &Partition, column: usize) -> f64 {
    let pairs = partition.clusters().flat_map(|rows| {
        rows.iter().flat_map(move |row| {
            let own = problem.encoded.row(*row)[column];
            rows.iter().map(move |other| (own, value(problem, *other), 1.0 / rows.len() as f64))
        })
    });
    phi2_of(pairs)
}

/// φ² of pairs of values, each with its mass.
fn phi2_of(pairs: impl Iterator<Item = (u32, u32, f64)>) -> f64 {
    let pairs: Vec<_> = pairs.collect();
    let n: f64 = pairs.iter().map(|pair| pair.2).sum();
    let share = |has: &dyn Fn((u32, u32)) -> bool| {
        pairs.iter().filter(|(a, b, _)| has((*a, *b))).map(|pair| pair.2).sum::<f64>() / n
    };
    let firsts: BTreeSet<u32> = pairs.iter().map(|pair| pair.0).collect();
    let seconds: BTreeSet<u32> = pairs.iter().map(|pair| pair.1).collect();
    let least = firsts.len().min(seconds.len());
    let mut sum = 0.0;
    for a in &firsts {
        for b in &seconds {
            let (fa, fb) = (share(&|p| p.0 == *a), share(&|p| p.1 == *b));
            sum += (share(&|p| p == (*a, *b)) - fa * fb).powi(2) / (fa * fb);
        }
    }
    if least < 2 { 0.0 } else { sum / (least - 1) as f64 }
}

/// The two columns in the order of φ². Where the two are equal but for rounding their order is not known.
fn by_phi2(problem: &Problem, rising: bool) -> Option<[usize; 2]> {
    let [first, second] = [phi2(problem, 0), phi2(problem, 1)];
    let columns = if (first > second) == rising { [1, 0] } else { [0, 1] };
    ((first - second).abs() > 1e-9).then_some(columns)
}

/// Whether all rows have the same value in a column.
fn agree(problem: &Problem, rows: &[u32], column: usize) -> bool {
    rows.iter().all(|row| problem.encoded.row(*row)[column] == problem.encoded.row(rows[0])[column])
}

/// Algorithm 1, word by word. `again` splits merged parts, too.
fn plain_aip(problem: &Problem, again: bool, rising: bool) -> Option<Vec<Vec<u32>>> {
    fn split(
        problem: &Problem,
        mut rows: Vec<u32>,
        columns: &[usize],
        again: bool,
        rng: &mut ChaCha12Rng,
    ) -> Vec<Vec<u32>> {
        let Some((&column, next)) = columns.split_first() else { return vec![rows] };
        rows.sort_by_key(|row| columns.iter().map(|c| problem.encoded.row(*row)[*c]).collect::<Vec<_>>());
        let mut parts: Vec<(Vec<u32>, bool)> = Vec::new();
        for row in rows {
            match parts.last_mut() {
                Some((part, _)) if problem.encoded.row(part[0])[column] == problem.encoded.row(row)[column] => {
                    part.push(row);
                }
                _ => parts.push((vec![row], false)),
            }
        }
        let mut at = 0;
        while at < parts.len() {
            if problem.hold(&parts[at].0) {
                at += 1;
                continue;
            }
            let other = if at == 0 {
                1
            } else if at + 1 == parts.len() || rng.random() {
                at - 1
            } else {
                at + 1
            };
            let (rows, _) = parts.remove(at.max(other));
            at = at.min(other);
            parts[at].0.extend(rows);
            parts[at].1 = true;
        }
        let finish = |(rows, merged): (Vec<u32>, bool)| {
            if merged && !again { vec![rows] } else { split(problem, rows, next, again, rng) }
        };
        parts.into_iter().flat_map(finish).collect()
    }
    let columns = by_phi2(problem, rising)?;
    let all = (0..problem.rows() as u32).collect();
    Some(tidy(split(problem, all, &columns, again, &mut ChaCha12Rng::seed_from_u64(problem.seed))))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn aip_is_the_plain_algorithm(records in records(), k in 2..6_usize, l in 1..4_usize) {
        let Some(problem) = diverse(&table(&records), k, l) else { return Err(TestCaseError::reject("too few different values")) };
        for (merged, again) in [("final", false), ("split", true)] {
            for (order, rising) in [("falling", false), ("rising", true)] {
                let spec = format!("aip(merged={merged}, order={order})");
                if let Some(plain) = plain_aip(&problem, again, rising) {
                    prop_assert_eq!(clusters(&problem, &spec), plain, "{}", spec);
                }
            }
        }
    }

    /// What property 7 assumes of the initial partition: a block has all records of the table that agree with it in the columns
    /// up to the one by which it was merged, and in that one have a value that it has.
    #[test]
    fn blocks_are_cut_along_the_columns_in_their_order(records in records(), l in 1..4_usize) {
        let Some(problem) = diverse(&table(&records), 2, l) else { return Err(TestCaseError::reject("too few different values")) };
        for (spec, rising) in [("aip(order=falling)", false), ("aip(order=rising)", true)] {
            let Some(columns) = by_phi2(&problem, rising) else { continue };
            let codes = |row: u32| columns.map(|column| problem.encoded.row(row)[column]);
            for rows in run(&problem, spec).clusters() {
                let agreed = columns.iter().take_while(|column| agree(&problem, rows, **column)).count();
                let mixed = |row: u32| codes(row).get(agreed).copied();
                let values: BTreeSet<_> = rows.iter().map(|row| mixed(*row)).collect();
                let belongs = |row: &u32| codes(*row)[..agreed] == codes(rows[0])[..agreed] && values.contains(&mixed(*row));
                let belonging: Vec<u32> = (0..records.len() as u32).filter(belongs).collect();
                prop_assert_eq!(tidy([rows.to_vec()]), [belonging], "{}", spec);
            }
        }
    }

    /// Property 7. Let y be the last column, in the order of φ², up to which the records of every block agree. The φ² of these columns with
    /// the sensitive one are the same in the release as in the table, whether it is published by Anatomy or generalized.
    #[test]
    fn correlations_with_columns_that_blocks_agree_in_are_retained(records in records(), l in 2..4_usize) {
        let loaded = table(&records);
        let Some(problem) = diverse(&loaded, 2, l) else { return Err(TestCaseError::reject("too few different values")) };
        for spec in PAPERS {
            let Some(columns) = by_phi2(&problem, spec.contains("rising")) else { continue };
            let partition = run(&problem, spec);
            let view = View::of(&problem.encoded, &partition, 2);
            let generalized = scores(&view, &Selection::Named(vec![Spec::new("phi2")]), Progress::silent()).unwrap();
            let by_column = part(&generalized.utility["phi2"], "s");
            let agreed = |column: &&usize| partition.clusters().all(|rows| agree(&problem, rows, **column));
            for column in columns.iter().take_while(agreed) {
                let after = part(part(by_column, ["x", "y"][*column]), "after");
                let Figure::One(generalized) = after else { panic!("a number") };
                let (before, anatomy) = (phi2(&problem, *column), phi2_after(&problem, &partition, *column));
                for after in [anatomy, *generalized] {
                    prop_assert!((before - after).abs() < 1e-9, "{}: {} became {}", spec, before, after);
                }
            }
        }
    }

    /// Properties 2 and 3. A block in which no value has more than 1/ℓ gives ⌊|B|/ℓ⌋ sets of ℓ different values. The
    /// |B| mod ℓ records that remain all differ, and for each there is a set that lacks its value.
    #[test]
    fn a_block_gives_as_many_sets_as_it_can(records in records(), l in 2..5_usize) {
        let Some(problem) = diverse(&table(&records), 2, l) else { return Err(TestCaseError::reject("too few different values")) };
        let n = records.len();
        let whole = Partition::new(n, [(0..n as u32).collect::<Vec<_>>()]).unwrap();
        let refiners = ["arp", "arp(pick=random)", "anatomy"].map(|spec| refined(&problem, &whole, spec));
        for done in refiners.into_iter().chain([run(&problem, "anatomy")]) {
            prop_assert_eq!(done.len(), n / l);
            prop_assert!(done.clusters().all(|rows| all_different(&problem, rows)));
            let more: usize = done.clusters().map(|rows| rows.len() - l).sum();
            prop_assert_eq!(more, n % l);
        }
    }

    /// Property 4. Residues that do not meet find a set of their own block without their value: all blocks of the result
    /// have different values only, ℓ of them apart from residues.
    #[test]
    fn every_residue_finds_a_place(records in records(), l in 2..5_usize) {
        let Some(problem) = diverse(&table(&records), 2, l) else { return Err(TestCaseError::reject("too few different values")) };
        for start in ["aip", "mondrian", "k-member"] {
            let blocks = run(&problem, start);
            let done = refined(&problem, &blocks, "arp");
            prop_assert!(done.clusters().all(|rows| all_different(&problem, rows)));
            prop_assert!(problem.loss(&done) <= problem.loss(&blocks) + 1e-12);
            let sets: usize = blocks.clusters().map(|rows| rows.len() / l).sum();
            prop_assert!((sets..=records.len() / l).contains(&done.len()));
            let residues: usize = done.clusters().map(|rows| rows.len() - l).sum();
            prop_assert!(residues <= blocks.clusters().map(|rows| rows.len() % l).sum());
        }
        for spec in PAPERS.iter().filter(|spec| spec.starts_with("arp")) {
            prop_assert!(run(&problem, spec).clusters().all(|rows| all_different(&problem, rows)), "{}", spec);
        }
    }

    /// Properties 5 and 6. The mean probability of a record's own value does not fall when blocks are dealt into sets with
    /// every residue at home, nor when residues leave to meet; it never passes 1/ℓ (property 1).
    #[test]
    fn refining_says_more_about_every_record(records in records(), l in 2..5_usize) {
        let Some(problem) = diverse(&table(&records), 2, l) else { return Err(TestCaseError::reject("too few different values")) };
        for order in ["falling", "rising"] {
            let initial = run(&problem, &format!("aip(order={order})"));
            let at_home = refined(&problem, &initial, "anatomy");
            for pick in ["nearest", "random"] {
                let met = run(&problem, &format!("arp(order={order}, pick={pick})"));
                let [p2, p3, p1] = [&initial, &at_home, &met].map(|partition| own_value(&problem, partition));
                prop_assert!(p2 <= p3 + 1e-12 && p3 <= p1 + 1e-12 && p1 <= 1.0 / l as f64 + 1e-12, "{} {} {}", p2, p3, p1);
            }
        }
    }

    /// Property 8. Of n records in blocks of l different values each, and r residues that joined one, the reconstruction error is
    /// n(1 - 1/l)(1 + r/(n(l - 1))); no release with frequency l has less than n(1 - 1/l).
    #[test]
    fn the_reconstruction_error_is_close_to_its_bound(records in records(), l in 2..5_usize) {
        let loaded = table(&records);
        let Some(problem) = diverse(&loaded, l, l) else { return Ok(()) };
        for spec in ["anatomy", "arp", "arp(pick=random)", "mondrian", "engine"] {
            let partition = run(&problem, spec);
            let view = View::of(&problem.encoded, &partition, l);
            let re = scores(&view, &Selection::Named(vec![Spec::new("re")]), Progress::silent()).unwrap();
            let Figure::Many(columns) = &re.utility["re"] else { panic!("one figure a column") };
            let Figure::Many(figures) = &columns["s"] else { panic!("error and bound") };
            let (Figure::One(error), Figure::One(bound)) = (&figures["error"], &figures["bound"]) else { panic!("numbers") };
            let (n, least) = (records.len() as f64, records.len() as f64 * (1.0 - 1.0 / l as f64));
            prop_assert!(*error >= least - 1e-9 && *bound >= least - 1e-9 && *error >= bound - 1e-9, "{spec}: {error} {bound} {least}");
            if partition.clusters().all(|rows| all_different(&problem, rows)) {
                let residues = n - (l * partition.len()) as f64;
                let expected = least * (1.0 + residues / (n * (l - 1) as f64));
                prop_assert!((error - expected).abs() < 1e-9, "{spec}: {error} is not {expected}");
            }
        }
    }

    /// Where k is more than ℓ, sets are united.
    #[test]
    fn larger_blocks_are_unions_of_sets(records in records(), k in 3..9_usize, l in 2..4_usize) {
        let Some(problem) = diverse(&table(&records), k, l) else { return Err(TestCaseError::reject("too few different values")) };
        for spec in ["aip", "arp", "anatomy"] {
            let done = run(&problem, spec);
            prop_assert!(done.clusters().all(|rows| problem.hold(rows)));
            if spec == "anatomy" {
                prop_assert_eq!(done.len(), (records.len() / l / k.div_ceil(l)).max(1));
            }
        }
    }
}

#[test]
fn aip_by_hand() {
    // x = 0 has a b, x = 1 has c d, x = 2 has a, x = 3 has a b, and y has one value, so that x comes first in falling order. ℓ = 2: x = 2 does
    // not hold. With x = 1, if chance says so, it does.
    let records = [(0, 0, 0), (0, 0, 1), (1, 0, 2), (1, 0, 3), (2, 0, 0), (3, 0, 0), (3, 0, 1)];
    let problem = diverse(&table(&records), 2, 2).unwrap();
    let found = clusters(&problem, "aip(order=falling)");
    let left = vec![vec![0, 1], vec![2, 3, 4], vec![5, 6]];
    // With x = 3 there are two a in three records, too many, so it goes on to x = 1: two in five.
    let right = vec![vec![0, 1], vec![2, 3, 4, 5, 6]];
    assert!(found == left || found == right, "{found:?}");
    assert_eq!(found, plain_aip(&problem, false, false).unwrap());
}

#[test]
fn a_column_that_cannot_be_split_ends_it_unless_asked_otherwise() {
    // x = 0 has a a b, x = 1 has b b a: no part holds for ℓ = 2, so both are one block, and that is final. y parts it.
    let records = [(0, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (1, 0, 1), (1, 0, 0)];
    let problem = diverse(&table(&records), 2, 2).unwrap();
    assert_eq!(clusters(&problem, "aip(order=falling)"), [[0, 1, 2, 3, 4, 5]]);
    assert_eq!(clusters(&problem, "aip(order=falling, merged=split)"), [vec![0, 2, 4, 5], vec![1, 3]]);
}

#[test]
fn columns_come_in_the_order_that_is_asked_for() {
    // x tells s, and y nothing. Falling, no value of x holds for ℓ = 2, so the table is one block. Rising, y parts it first.
    let records = [(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1)];
    let problem = diverse(&table(&records), 2, 2).unwrap();
    assert_eq!(clusters(&problem, "aip(order=falling)"), [[0, 1, 2, 3]]);
    assert_eq!(clusters(&problem, "aip(order=rising)"), [[0, 2], [1, 3]]);
    assert_eq!(clusters(&problem, "arp(order=rising)"), [[0, 2], [1, 3]]);
}

#[test]
fn that_blocks_agree_in_one_column_says_nothing_of_those_before_it() {
    // The proof of property 7 takes the last column in which all blocks agree, and says that they agree in all before it. y is
    // x halved. φ² is 11/27 for x, since Σ f²/(f f) - 1 is 4 · 5/9 - 1 = 11/9 and min(4, 4) - 1 = 3, and 1 for y, so x comes first. No value of x
    // holds for ℓ = 2; 0 takes 1, and if chance says so 2 takes 3. Then all blocks agree in y and none in x.
    let of_x = |x: u8, own: u8, other: u8| [(x, x / 2, own), (x, x / 2, own), (x, x / 2, other)];
    let records = [of_x(0, 0, 1), of_x(1, 1, 0), of_x(2, 2, 3), of_x(3, 3, 2)].concat();
    let mut problem = diverse(&table(&records), 2, 2).unwrap();
    assert!((phi2(&problem, 0) - 11.0 / 27.0).abs() < 1e-9 && (phi2(&problem, 1) - 1.0).abs() < 1e-9);
    let seed = (0..64).find(|seed| {
        problem.seed = *seed;
        run(&problem, "aip(order=rising)").len() == 2
    });
    assert!(seed.is_some());
    let partition = run(&problem, "aip(order=rising)");
    assert!(partition.clusters().all(|rows| agree(&problem, rows, 1) && !agree(&problem, rows, 0)));
    assert!((phi2_after(&problem, &partition, 1) - 1.0).abs() < 1e-9, "y is retained");
    // In each block both values are as frequent for both values of x: Σ is 4 · 1/2 · … = 2, so 1/3.
    assert!((phi2_after(&problem, &partition, 0) - 1.0 / 3.0).abs() < 1e-9, "x is not");
}

#[test]
fn a_random_record_of_a_value_may_be_any() {
    // Four records of each value in one block: over many seeds the first a meets every b.
    let records: Vec<Record> = (0..8).map(|i| (i, 0, i % 2)).collect();
    let mut problem = diverse(&table(&records), 2, 2).unwrap();
    let whole = Partition::new(8, [(0..8).collect::<Vec<u32>>()]).unwrap();
    let mut met = BTreeSet::new();
    for seed in 0..64 {
        problem.seed = seed;
        let done = refined(&problem, &whole, "arp(pick=random)");
        assert_eq!(done.len(), 4);
        met.extend(done.clusters().filter(|rows| rows.contains(&0)).flatten().copied());
    }
    assert_eq!(met, BTreeSet::from([0, 1, 3, 5, 7]));
}

#[test]
fn residues_meet_where_the_paper_says_and_where_it_costs_nothing() {
    // x = 0 has a b c, x = 9 has a b d: two blocks, each a set of two and a residue. Which is left depends on the order of
    // equal buckets: the first two values make the set, so c and d remain. They differ and meet.
    let records = [(0, 0, 0), (0, 0, 1), (0, 0, 2), (9, 0, 0), (9, 0, 1), (9, 0, 3)];
    let problem = diverse(&table(&records), 2, 2).unwrap();
    assert_eq!(clusters(&problem, "aip"), [[0, 1, 2], [3, 4, 5]]);
    assert_eq!(clusters(&problem, "arp"), [[0, 1], [2, 5], [3, 4]]);
    // Both blocks lose nothing and the two residues together lose x, so that a refiner leaves them at home.
    let blocks = run(&problem, "aip");
    assert_eq!(refined(&problem, &blocks, "arp").len(), 2);
    // In blocks that have lost x anyway it costs nothing to meet.
    let mixed = Partition::new(6, [vec![0, 4, 5], vec![1, 2, 3]]).unwrap();
    assert_eq!(refined(&problem, &mixed, "arp").len(), 3);
}

#[test]
fn sets_are_made_of_neighbours() {
    // a at 0 2 4 6, b at 1 3 5 7: each a with the b next to it, the one below where there are two.
    let records: Vec<Record> = (0..8).map(|i| (i, 0, i % 2)).collect();
    let problem = diverse(&table(&records), 2, 2).unwrap();
    let whole = Partition::new(8, [(0..8).collect::<Vec<u32>>()]).unwrap();
    let done = refined(&problem, &whole, "arp");
    assert_eq!(tidy(done.clusters().map(<[u32]>::to_vec)), [[0, 1], [2, 3], [4, 5], [6, 7]]);
}

#[test]
fn without_privacy_models_for_values_blocks_are_cut_into_runs() {
    let records: Vec<Record> = (0..11).map(|i| (i, 0, 0)).collect();
    let problem = table(&records).problem(&Spec::new("lm"), 3).unwrap();
    let whole = Partition::new(11, [(0..11).collect::<Vec<u32>>()]).unwrap();
    let done = refined(&problem, &whole, "arp");
    assert_eq!(tidy(done.clusters().map(<[u32]>::to_vec)), [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7, 8, 9, 10]]);
}

#[test]
fn a_number_of_values_can_be_asked_for() {
    let records: Vec<Record> = (0..12).map(|i| (i, 0, i % 4)).collect();
    let loaded = table(&records);
    let problem = loaded.problem(&Spec::new("lm"), 2).unwrap();
    let whole = Partition::new(12, [(0..12).collect::<Vec<u32>>()]).unwrap();
    for l in 2..=4 {
        let done = refined(&problem, &whole, &format!("arp(l={l})"));
        assert_eq!(done.len(), 12 / l);
        assert!(done.clusters().all(|rows| all_different(&problem, rows)));
    }
    assert_eq!(refined(&problem, &whole, "arp(l=5)"), whole);
    let plain = load("x\n1\n2\n", "[privacy]\nk = 2\n[columns]\nx = { role = \"quasi\", kind = \"range\" }");
    let problem = plain.problem(&Spec::new("lm"), 2).unwrap();
    let arp = partition::build(&Spec::new("arp(l=2)")).unwrap();
    assert!(arp.partition(&problem, Progress::silent()).is_err());
}

#[test]
fn with_several_sensitive_columns_records_differ_in_all() {
    // Pairs of a b with p q: a set of two is a p with b q, or a q with b p; a p with a q is none.
    let csv = "x,s,t\n0,a,p\n1,a,q\n2,b,p\n3,b,q\n4,a,p\n5,b,q\n";
    let columns =
        "x = { role = \"quasi\", kind = \"range\" }\ns = { role = \"sensitive\" }\nt = { role = \"sensitive\" }";
    let loaded = load(csv, &format!("[privacy]\nk = 2\n[columns]\n{columns}\n"));
    let problem = loaded.demanding(&Spec::new("lm"), 2, &["frequency-l(l=2)"]).unwrap();
    assert_eq!(clusters(&problem, "anatomy").len(), 3);
    assert_eq!(clusters(&problem, "arp").len(), 3);
    for rows in run(&problem, "arp").clusters() {
        assert!(problem.encoded.sensitive().iter().all(|s| s.row(rows[0]) != s.row(rows[1])), "{rows:?}");
    }
}

#[test]
fn refining_improves_on_every_sort_of_column() {
    let loaded = hard::part_of_large(900).load();
    let problem = loaded.demanding(&Spec::new("lm"), 4, &["frequency-l(l=2)"]).unwrap();
    for start in ["mondrian", "k-member", "aip", "hilbert"] {
        let blocks = run(&problem, start);
        for refiner in ["arp", "anatomy"] {
            let done = refined(&problem, &blocks, refiner);
            assert!(done.clusters().all(|rows| problem.hold(rows)));
            assert!(done.len() >= blocks.len(), "{refiner} after {start}");
            assert!(problem.loss(&done) <= problem.loss(&blocks) + 1e-12, "{refiner} after {start}");
        }
    }
}
