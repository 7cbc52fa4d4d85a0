//! A small table with a column of every kind.
//!
//! People come in blocks of four that are alike in most columns, so that classes of three or four have cells between a single value
//! and a star. Every row has a `key` that nobody else has, which is published as it is: by it each published row is
//! known to be somebody's.

use crate::grid::Grid;
use crate::kind::{Kind, MISSING};

/// A quasi-identifier of the table.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// How it is generalized.
    pub kind: Kind,
    /// The same for the plan.
    pub plan: &'static str,
    value: fn(block: usize, member: usize) -> String,
}

const SCHOOLS: &[&str] = &["none", "primary", "lower-secondary", "upper - secondary", "bachelor", "master"];

const TOWNS: &[[&str; 4]] = &[
    ["Ulm", "South", "Inland", "Anywhere"],
    ["Augsburg", "South", "Inland", "Anywhere"],
    ["Kassel", "Middle", "Inland", "Anywhere"],
    ["Fulda", "Middle", "Inland", "Anywhere"],
    ["Kiel", "Baltic", "Coast", "Anywhere"],
    ["Rostock", "Baltic", "Coast", "Anywhere"],
    ["Husum", "North Sea", "Coast", "Anywhere"],
    ["Emden", "North Sea", "Coast", "Anywhere"],
];

fn owned(labels: &[&str]) -> Vec<String> {
    labels.iter().map(|label| (*label).to_owned()).collect()
}

fn town(value: &str) -> Vec<String> {
    let line = TOWNS.iter().find(|line| line[0] == value);
    line.map_or_else(|| owned(&[value, "Anywhere"]), |line| owned(line))
}

fn job(value: &str) -> Vec<String> {
    match value {
        "clerk" | "lawyer" => owned(&[value, "Office", "Work"]),
        "farmer" | "fisher" => owned(&[value, "Outdoors", "Work"]),
        _ => owned(&[value, "Work"]),
    }
}

fn shoe(value: &str) -> Vec<String> {
    let Ok(number) = value.parse::<u32>() else { return owned(&[value, "*"]) };
    let range = |width: u32| format!("[{}-{}]", number / width * width, number / width * width + width - 1);
    vec![value.to_owned(), range(5), range(10), "*".to_owned()]
}

fn dose(value: &str) -> Vec<String> {
    let Ok(number) = value.parse::<f64>() else { return owned(&[value, "*"]) };
    // Halves are exact in binary.
    let range =
        |width: f64| format!("[{}, {})", (number / width).floor() * width, (number / width).floor() * width + width);
    vec![value.to_owned(), range(0.5), range(2.0), "*".to_owned()]
}

fn born(value: &str) -> Vec<String> {
    let parts: Vec<&str> = value.split('-').collect();
    let [year, month, _] = parts[..] else { return owned(&[value, "*"]) };
    let quarter = match month {
        "01" | "02" | "03" => "Q1",
        "04" | "05" | "06" => "Q2",
        "07" | "08" | "09" => "Q3",
        _ => "Q4",
    };
    let decade = format!("{}0s", &year[..3]);
    vec![
        value.to_owned(),
        format!("{year}-{month}"),
        format!("{year}-{quarter}"),
        year.to_owned(),
        decade,
        "*".to_owned(),
    ]
}

fn zip(value: &str) -> Vec<String> {
    if value == MISSING {
        return owned(&[value, "*"]);
    }
    let masked = |stars: usize| format!("{}{}", &value[..value.len() - stars], "*".repeat(stars));
    vec![value.to_owned(), masked(1), masked(3), "*".to_owned()]
}

fn club(value: &str) -> Vec<String> {
    owned(&[value, "Any club"])
}

/// All quasi-identifiers.
pub const QUASI: &[Column] = &[
    Column {
        name: "age",
        kind: Kind::Number,
        plan: "kind = \"range\"",
        value: |block, member| (20 + 3 * block + member).to_string(),
    },
    Column {
        name: "balance",
        kind: Kind::Number,
        plan: "kind = \"range\", type = \"decimal\"",
        value: |block, member| (100.25 * block as f64 + 10.5 * member as f64 - 400.125).to_string(),
    },
    Column {
        name: "seen",
        kind: Kind::Day,
        plan: "kind = \"range\", type = \"date\"",
        value: |block, member| format!("{}-{:02}-{:02}", 2021 + block / 12, block % 12 + 1, 3 + 7 * member),
    },
    Column {
        name: "school",
        kind: Kind::Ordered(SCHOOLS),
        plan: "kind = \"ordered\", order = [\"none\", \"primary\", \"lower-secondary\", \"upper - secondary\", \"bachelor\", \"master\"]",
        value: |block, member| SCHOOLS[block % 5 + member % 2].to_owned(),
    },
    Column {
        name: "town",
        kind: Kind::Tree(town),
        plan: "kind = \"taxonomy\", hierarchy = { lines = \"\"\"\nUlm;South;Inland;Anywhere\nAugsburg;South;Inland;Anywhere\n\
               Kassel;Middle;Inland;Anywhere\nFulda;Middle;Inland;Anywhere\nKiel;Baltic;Coast;Anywhere\nRostock;Baltic;Coast;Anywhere\n\
               Husum;North Sea;Coast;Anywhere\nEmden;North Sea;Coast;Anywhere\n\"\"\" }",
        value: |block, member| TOWNS[(block % 4) * 2 + member % 2][0].to_owned(),
    },
    Column {
        name: "job",
        kind: Kind::Tree(job),
        plan: "kind = \"taxonomy\", hierarchy = { nested = { Work = [{ Office = [\"clerk\", \"lawyer\"] }, \
               { Outdoors = [\"farmer\", \"fisher\"] }, \"none\"] } }",
        value: |block, member| {
            [["clerk", "lawyer"], ["farmer", "fisher"], ["none", "clerk"]][block % 3][member % 2].to_owned()
        },
    },
    Column {
        name: "shoe",
        kind: Kind::Tree(shoe),
        plan: "kind = \"taxonomy\", hierarchy = { widths = [5, 10] }",
        value: |block, member| (20 + 5 * (block % 6) + member).to_string(),
    },
    Column {
        name: "dose",
        kind: Kind::Tree(dose),
        plan: "kind = \"taxonomy\", hierarchy = { widths = [0.5, 2.0] }",
        value: |block, member| (0.5 * (block % 7) as f64 + 0.125 * member as f64).to_string(),
    },
    Column {
        name: "born",
        kind: Kind::Tree(born),
        plan: "kind = \"taxonomy\", hierarchy = { dates = [\"month\", \"quarter\", \"year\", \"decade\"] }",
        value: |block, member| {
            format!("19{:02}-{:02}-{:02}", 64 + block, (block * 5 + member / 2) % 12 + 1, 4 + 5 * member)
        },
    },
    Column {
        name: "zip",
        kind: Kind::Tree(zip),
        plan: "kind = \"taxonomy\", hierarchy = { mask = [1, 3] }",
        value: |block, member| format!("7{}{}{}{}", block % 3, block % 5, block % 2, member),
    },
    Column {
        name: "club",
        kind: Kind::Tree(club),
        plan: "kind = \"taxonomy\", hierarchy = { flat = \"Any club\" }",
        value: |block, member| format!("club {}", (block + member / 3) % 5),
    },
    Column {
        name: "pet",
        kind: Kind::Set,
        plan: "kind = \"set\"",
        value: |block, member| ["cat", "dog", "bird, small", "\"other\"", "fish"][(block + member / 2) % 5].to_owned(),
    },
    Column {
        name: "sex",
        kind: Kind::Suppress,
        plan: "kind = \"suppress\"",
        value: |block, member| ["F", "M"][(block + member / 3) % 2].to_owned(),
    },
];

/// The quasi-identifiers of these names.
pub fn quasi(names: &[&str]) -> Vec<Column> {
    QUASI.iter().copied().filter(|column| names.contains(&column.name)).collect()
}

/// The column by which a published row is known to be somebody's.
pub const KEY: &str = "key";

/// The sensitive column.
pub const SENSITIVE: &str = "disease";

/// So many blocks of four people, with these quasi-identifiers; with missing values in them or without.
pub fn table(blocks: usize, quasi: &[Column], gaps: bool) -> Grid {
    const DISEASES: [&str; 5] = ["flu", "cold", "asthma", "gout", "measles"];
    let mut header = vec!["name".to_owned(), KEY.to_owned()];
    header.extend(quasi.iter().map(|column| column.name.to_owned()));
    header.push(SENSITIVE.to_owned());
    let row = |block: usize, member: usize| {
        let number = block * 4 + member;
        let mut row = vec![format!("Person {number}"), format!("r{number:03}")];
        for (place, column) in quasi.iter().enumerate() {
            // Of every ninth block all miss the value, and here and there somebody else.
            let missing = gaps && (block % 9 == place % 9 || (number * 7 + place * 5).is_multiple_of(13));
            row.push(if missing { MISSING.to_owned() } else { (column.value)(block, member) });
        }
        row.push(DISEASES[(block + member * 2) % 5].to_owned());
        row
    };
    Grid {
        header,
        rows: (0..blocks).flat_map(|block| (0..4).map(move |member| (block, member))).map(|(b, m)| row(b, m)).collect(),
    }
}

/// The plan for such a table; `privacy` and `method` are lines of those parts beside k.
pub fn plan(quasi: &[Column], k: usize, privacy: &str, method: &str) -> String {
    let columns: String =
        quasi.iter().map(|column| format!("{} = {{ role = \"quasi\", {} }}\n", column.name, column.plan)).collect();
    format!(
        "[input]\nmissing = [\"{MISSING}\"]\n[privacy]\nk = {k}\n{privacy}\n[method]\n{method}\n[columns]\nname = {{ role = \"identifier\" }}\n\
         {KEY} = {{ role = \"other\" }}\n{columns}{SENSITIVE} = {{ role = \"sensitive\" }}\n"
    )
}
