//! Tables on which anonymizers go wrong.

use crate::tables::{Column, Sketch, Sort, day, path, texts};

/// A fixed arbitrary number below `n` for a row and a column.
fn draw(row: usize, column: u64, n: usize) -> usize {
    let mixed = (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31) ^ column;
    (mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) as usize % n
}

fn balanced() -> Sort {
    Sort::Taxonomy(["a1 A *", "a2 A *", "b1 B *", "b2 B *", "b3 B *"].map(path).to_vec())
}

/// Leaves at four depths, a node with one child, a leaf that no row has.
fn unbalanced() -> Sort {
    let paths = ["top *", "left L *", "deep D M R *", "deeper D M R *", "mid M R *", "alone C R *", "unused L *"];
    Sort::Taxonomy(paths.map(path).to_vec())
}

fn leaf(sort: &Sort, number: usize) -> String {
    match sort {
        Sort::Taxonomy(paths) => paths[number % paths.len()][0].clone(),
        Sort::Ordered(order) => order[number % order.len()].clone(),
        _ => unreachable!("only these list their values"),
    }
}

fn column(name: &str, sort: Sort, cells: Vec<String>) -> Column {
    Column { name: name.to_owned(), sort, weight: 1.0, cells }
}

/// A column of every sort.
fn mixed(rows: usize) -> Vec<Column> {
    let order = Sort::Ordered(texts(["7th-8th", "HS-grad", "Bachelors", "Masters", "PhD"]));
    let each = |f: &dyn Fn(usize) -> String| (0..rows).map(f).collect::<Vec<_>>();
    let ranks = each(&|r| leaf(&order, draw(r, 4, 5)));
    vec![
        column("age", Sort::Integer, each(&|r| (draw(r, 1, 60) as i64 - 20).to_string())),
        column("height", Sort::Decimal, each(&|r| format!("{}.{}", draw(r, 2, 3), draw(r, 3, 9)))),
        column("school", order, ranks),
        column("town", balanced(), each(&|r| leaf(&balanced(), draw(r, 5, 5)))),
        column("born", Sort::Date, each(&|r| day(draw(r, 6, 4000) as u64))),
        column("work", Sort::Set, each(&|r| ["none", "state, local", "own", "\"gig\""][draw(r, 7, 4)].to_owned())),
        column("zip", Sort::Suppress, each(&|r| format!("0{}", draw(r, 8, 3)))),
    ]
}

fn of(columns: Vec<Column>) -> Sketch {
    Sketch { columns, missing: "?" }
}

/// The hard tables for groups of `k`.
pub fn tables(k: usize) -> Vec<(&'static str, Sketch)> {
    let numbers = |rows: usize, f: &dyn Fn(usize) -> usize| texts((0..rows).map(f));
    let leaves =
        |rows: usize, sort: &Sort, f: &dyn Fn(usize) -> usize| (0..rows).map(|r| leaf(sort, f(r))).collect::<Vec<_>>();
    let many = 20 * k;
    let mostly = |common: &str, rare: &dyn Fn(usize) -> String| {
        (0..many).map(|r| if r % 10 > 0 { common.to_owned() } else { rare(r) }).collect::<Vec<_>>()
    };

    let equal = mixed(1).into_iter().map(|c| Column { cells: vec![c.cells[0].clone(); 2 * k + 1], ..c });
    let mut constant = mixed(1).into_iter().map(|c| Column { cells: vec![c.cells[0].clone(); 3 * k], ..c }).collect();
    Vec::push(&mut constant, column("varies", Sort::Integer, numbers(3 * k, &|r| r * r)));
    let holes = |missing: &'static str| {
        let columns = mixed(6 * k).into_iter().enumerate().map(|(i, mut c)| {
            (0..6 * k).filter(|r| draw(*r, 20 + i as u64, 3) == 0).for_each(|r| c.cells[r] = missing.to_owned());
            c
        });
        Sketch { columns: columns.collect(), missing }
    };
    let one_gap = (0..2 * k).map(|r| if r == k { "?".to_owned() } else { r.to_string() }).collect();
    vec![
        ("exactly k rows", of(mixed(k))),
        ("2k - 1 rows", of(mixed(2 * k - 1))),
        ("2k rows", of(mixed(2 * k))),
        ("all rows equal", of(equal.collect())),
        (
            "all rows different",
            of(vec![
                column("up", Sort::Integer, numbers(3 * k, &|r| r)),
                column("down", Sort::Integer, numbers(3 * k, &|r| 1000 - 7 * r)),
            ]),
        ),
        ("one column", of(vec![column("x", Sort::Integer, numbers(3 * k + 1, &|r| draw(r, 9, k + 1)))])),
        ("columns of one value", of(constant)),
        (
            "one value in nine of ten rows",
            of(vec![
                column("age", Sort::Integer, mostly("40", &|r| r.to_string())),
                column("town", balanced(), mostly("b2", &|r| leaf(&balanced(), r / 10))),
                column("work", Sort::Set, mostly("own", &|r| format!("w{}", r % 7))),
                column("zip", Sort::Suppress, mostly("01", &|r| r.to_string())),
            ]),
        ),
        ("missing values", holes("?")),
        ("empty missing values", holes("")),
        ("one missing value", of(vec![column("x", Sort::Integer, one_gap)])),
        (
            "a tiny leaf",
            of(vec![
                column("town", balanced(), leaves(4 * k, &balanced(), &|r| if r == 0 { 0 } else { 2 + r % 3 })),
                column("age", Sort::Integer, numbers(4 * k, &|r| draw(r, 10, 5))),
            ]),
        ),
        (
            "an unbalanced tree",
            of(vec![
                column("tree", unbalanced(), leaves(5 * k, &unbalanced(), &|r| draw(r, 11, 6))),
                column("age", Sort::Integer, numbers(5 * k, &|r| draw(r, 12, 90))),
            ]),
        ),
        ("300 rows of every sort", of(mixed(300))),
    ]
}

/// Seven columns of few values, by suppression and as sets: many clusters cost the same.
pub fn ties(rows: usize) -> Sketch {
    let sort = |c: u64| if c < 5 { Sort::Suppress } else { Sort::Set };
    let cells = |c: u64| (0..rows).map(|r| format!("v{}", draw(r, 30 + c, 3))).collect();
    of((0..7).map(|c| column(&format!("c{c}"), sort(c), cells(c))).collect())
}

/// More rows than partitioners take for a single thread.
pub fn large() -> Sketch {
    part_of_large(4500)
}

/// The first rows of it.
pub fn part_of_large(rows: usize) -> Sketch {
    let tree = unbalanced();
    of(vec![
        column("age", Sort::Integer, (0..rows).map(|r| draw(r, 13, 90).to_string()).collect()),
        column("tree", unbalanced(), (0..rows).map(|r| leaf(&tree, draw(r, 14, 6))).collect()),
        column("work", Sort::Set, (0..rows).map(|r| format!("w{}", draw(r, 15, 9))).collect()),
    ])
}
