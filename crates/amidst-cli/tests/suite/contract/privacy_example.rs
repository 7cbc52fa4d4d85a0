//! The worked example of docs/privacy.md, computed from its table by the definitions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::support::Folder;

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/privacy.md")).unwrap()
}

/// The table between the markers of the example.
fn table(page: &str) -> String {
    let (_, rest) = page.split_once("cat > visits.csv <<'END'\n").unwrap();
    rest.split_once("END\n").unwrap().0.to_owned()
}

/// A fraction in lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fraction(i64, i64);

impl Fraction {
    fn new(over: i64, under: i64) -> Self {
        let (mut a, mut b) = (over.abs(), under);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Fraction(over / a.max(1), under / a.max(1))
    }

    fn plus(self, other: Fraction) -> Self {
        Fraction::new(self.0 * other.1 + other.0 * self.1, self.1 * other.1)
    }

    fn minus(self, other: Fraction) -> Self {
        self.plus(Fraction(-other.0, other.1))
    }

    fn over(self, other: Fraction) -> Self {
        Fraction::new(self.0 * other.1, self.1 * other.0)
    }

    fn number(self) -> f64 {
        self.0 as f64 / self.1 as f64
    }

    fn text(self) -> String {
        if self.1 == 1 { self.0.to_string() } else { format!("{}/{}", self.0, self.1) }
    }
}

const NOTHING: Fraction = Fraction(0, 1);

fn largest(fractions: impl Iterator<Item = Fraction>) -> Fraction {
    fractions.max_by(|a, b| a.number().total_cmp(&b.number())).unwrap()
}

/// For each person, the share of the person's rows that have each value.
type People = BTreeMap<String, BTreeMap<String, Fraction>>;

fn people(rows: &[[String; 3]]) -> People {
    let mut people: BTreeMap<String, Vec<String>> = BTreeMap::new();
    rows.iter().for_each(|[pid, _, dx]| people.entry(pid.clone()).or_default().push(dx.clone()));
    let spread = |values: Vec<String>| {
        let share = |value: &String| {
            Fraction::new(values.iter().filter(|other| *other == value).count() as i64, values.len() as i64)
        };
        values.iter().map(|value| (value.clone(), share(value))).collect()
    };
    people.into_iter().map(|(pid, values)| (pid, spread(values))).collect()
}

fn values(people: &People) -> BTreeSet<String> {
    people.values().flat_map(|values| values.keys().cloned()).collect()
}

fn weight(people: &People, value: &str) -> Fraction {
    people.values().filter_map(|values| values.get(value)).fold(NOTHING, |sum, share| sum.plus(*share))
}

fn share(people: &People, value: &str) -> Fraction {
    weight(people, value).over(Fraction(people.len() as i64, 1))
}

fn bearers(people: &People, value: &str) -> i64 {
    people.values().filter(|values| values.contains_key(value)).count() as i64
}

/// What a class reaches, in the order of the table on the page.
fn levels(class: &People, all: &People) -> [(&'static str, Fraction); 7] {
    let n = class.len() as i64;
    let most = values(class).iter().map(|value| bearers(class, value)).max().unwrap();
    let mut falling: Vec<Fraction> = values(class).iter().map(|value| share(class, value)).collect();
    falling.sort_by(|a, b| b.number().total_cmp(&a.number()));
    let rest = falling[1..].iter().fold(NOTHING, |sum, share| sum.plus(*share));
    let more = |value: &String| share(class, value).minus(share(all, value));
    let surplus = values(class).iter().map(more).filter(|more| more.0 > 0).fold(NOTHING, Fraction::plus);
    [
        ("k", Fraction(n, 1)),
        ("distinct-l", Fraction(values(class).len() as i64, 1)),
        ("frequency-l", Fraction::new(n, most)),
        ("alpha-k", Fraction::new(most, n)),
        ("recursive-l, c for l = 2", falling[0].over(rest)),
        ("t-closeness", surplus),
        ("basic-beta", largest(values(class).iter().map(|value| more(value).over(share(all, value))))),
    ]
}

#[test]
fn the_example_of_the_page_is_right() {
    let page = page();
    let csv = table(&page);
    let rows: Vec<[String; 3]> = csv
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>().try_into().unwrap())
        .collect();
    let (young, old): (Vec<_>, Vec<_>) = rows.iter().cloned().partition(|[_, age, _]| age.as_str() < "50");
    let [first, second, all] = [people(&young), people(&old), people(&rows)];
    for value in values(&first) {
        let of = |person: &BTreeMap<String, Fraction>| person.get(&value).copied().unwrap_or(NOTHING).text();
        let each: Vec<String> = first.values().map(of).collect();
        let (weight, share) = (weight(&first, &value).text(), share(&first, &value).text());
        let line =
            format!("| {value} | {} | {weight} | {share} | {} of 4 |", each.join(" | "), bearers(&first, &value));
        assert!(page.contains(&line), "the page lacks `{line}`");
    }
    let shares = |people: &People| {
        values(people)
            .iter()
            .map(|value| format!("{value} {}", share(people, value).text()))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let flowing = page.replace('\n', " ");
    assert!(
        flowing.contains(&shares(&second)) && flowing.contains(&shares(&all)),
        "{}; {}",
        shares(&second),
        shares(&all)
    );

    let folder = Folder::with("visits.csv", &csv);
    folder.run("anonymize visits.csv -o release.csv --person pid --quasi age --sensitive dx --k 4 --l 1.5").ok();
    let found = folder.run("audit release.csv --plan release.plan.toml --original visits.csv --json").ok().json();
    assert_eq!(found["classes"], 2);
    let reached = &found["achieved"]["sensitive"]["dx"];
    let reached = [
        &found["achieved"]["k"],
        &reached["distinct_l"],
        &reached["l"],
        &reached["alpha"],
        &reached["recursive_c"]["2"],
        &reached["t"],
        &reached["beta"],
    ];
    for (place, (name, one)) in levels(&first, &all).into_iter().enumerate() {
        let other = levels(&second, &all)[place].1;
        let least = matches!(name, "k" | "distinct-l" | "frequency-l");
        let worst = if (one.number() < other.number()) == least { one } else { other };
        let line = format!("| {name} | {} | {} | {} |", one.text(), other.text(), worst.text());
        assert!(page.contains(&line), "the page lacks `{line}`");
        assert!((reached[place].as_f64().unwrap() - worst.number()).abs() < 1e-9, "{name}: {}", reached[place]);
    }
}
