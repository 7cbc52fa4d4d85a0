//! Tables with the headers of public ones, and made-up values of the same shapes.

/// A column of a table, and what it is.
pub struct Column {
    pub name: String,
    /// One of `i`, `u`, `q`, `s` and `-`, as `headers.txt` explains.
    pub label: char,
    shape: String,
}

/// A table with its columns.
pub struct Table {
    pub name: String,
    pub columns: Vec<Column>,
}

/// All tables of `headers.txt`.
pub fn all() -> Vec<Table> {
    listed(include_str!("headers.txt"))
}

/// All tables of `headers_unseen.txt`, which the recognizers were not written with.
pub fn unseen() -> Vec<Table> {
    listed(include_str!("headers_unseen.txt"))
}

fn listed(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        match line.strip_prefix("== ") {
            Some(name) => tables.push(Table { name: name.to_owned(), columns: Vec::new() }),
            None => tables.last_mut().unwrap().columns.push(Column::of(line)),
        }
    }
    tables
}

/// The table of that name.
pub fn table(name: &str) -> Table {
    all().into_iter().find(|table| table.name == name).unwrap()
}

impl Column {
    fn of(line: &str) -> Self {
        let labels = [" i ", " u ", " q ", " s ", " - "];
        let starts = |shape: &str| {
            let first = shape.split(' ').next().unwrap();
            SHAPES.contains(&first) || first.ends_with('%')
        };
        let places = labels.iter().flat_map(|label| line.match_indices(label));
        let (place, label) = places.filter(|(place, _)| starts(&line[place + 3..])).min().unwrap();
        let (name, shape) = (line[..place].to_owned(), line[place + 3..].to_owned());
        Column { name, label: label.trim().chars().next().unwrap(), shape }
    }
}

const SHAPES: &[&str] = &[
    "uuid", "running", "int", "skewed", "decimal", "pick", "pool", "first", "last", "full", "street", "date", "shape",
    "words", "email", "iban",
];

const FIRST: &[&str] =
    &["Ann", "Bob", "Cid", "Dan", "Eva", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Lea", "Max", "Nia"];
const LAST: &[&str] = &["Smith", "Jones", "Brown", "Miller", "Weber", "Rossi", "Novak", "Silva", "Kumar", "Chen"];
const WORDS: &[&str] =
    &["north", "care", "river", "early", "stone", "metal", "light", "paper", "green", "field", "winter"];

impl Table {
    /// The table as CSV, with so many rows. The same seed gives the same values.
    pub fn csv(&self, rows: usize, seed: u64) -> String {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995);
        let columns: Vec<Vec<String>> = self.columns.iter().map(|column| dice.column(&column.shape, rows)).collect();
        let quoted = |text: &str| if text.contains([',', '"']) { format!("\"{text}\"") } else { text.to_owned() };
        let header: Vec<String> = self.columns.iter().map(|column| quoted(&column.name)).collect();
        let mut csv = header.join(",") + "\n";
        for row in 0..rows {
            let cells: Vec<String> = columns.iter().map(|column| quoted(&column[row])).collect();
            csv += &(cells.join(",") + "\n");
        }
        csv
    }

    /// The columns with one of these labels.
    pub fn labelled(&self, labels: &[char]) -> Vec<&str> {
        self.columns.iter().filter(|column| labels.contains(&column.label)).map(|column| column.name.as_str()).collect()
    }
}

/// Random numbers (xorshift64*).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % n
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }

    fn column(&mut self, shape: &str, rows: usize) -> Vec<String> {
        let (first, rest) = shape.split_once(' ').unwrap_or((shape, ""));
        if let Some(share) = first.strip_suffix('%') {
            let percent: u64 = share.parse().unwrap();
            let values = self.column(rest, rows);
            return values.into_iter().map(|v| if self.below(100) < percent { v } else { String::new() }).collect();
        }
        if first == "pool" {
            let (size, shape) = rest.split_once(' ').unwrap();
            let pool = self.column(shape, size.parse().unwrap());
            return (0..rows).map(|_| pool[self.below(pool.len() as u64) as usize].clone()).collect();
        }
        (0..rows).map(|row| self.value(first, rest, row)).collect()
    }

    fn value(&mut self, kind: &str, rest: &str, row: usize) -> String {
        let numbers: Vec<f64> = rest.split(' ').filter_map(|n| n.parse().ok()).collect();
        let share = self.below(1 << 30) as f64 / f64::from(1 << 30);
        let name = |dice: &mut Dice, names: &[&str]| {
            // Names of people are many; a few letters in the middle make as many of these.
            let (a, b) = (dice.below(13) as u8, dice.below(13) as u8);
            format!("{}{}{}", dice.of(names), (b'a' + a) as char, (b'a' + b) as char)
        };
        match kind {
            "uuid" => self.shape("&&&&&&&&-&&&&-&&&&-&&&&-&&&&&&&&&&&&"),
            "running" => (numbers[0] as usize + row).to_string(),
            "int" => ((numbers[0] + share * (numbers[1] - numbers[0] + 1.0)).floor() as i64).to_string(),
            "skewed" => ((share.powi(6) * (numbers[0] + 1.0)).floor() as i64).to_string(),
            "decimal" => format!("{:.*}", numbers[2] as usize, numbers[0] + share * (numbers[1] - numbers[0])),
            "pick" => self.of(&rest.split('|').collect::<Vec<_>>()).to_owned(),
            "first" => name(self, FIRST),
            "last" => name(self, LAST),
            "full" => format!("{} {}", name(self, FIRST), name(self, LAST)),
            "street" => format!("{} {} Street", self.below(900) + 1, name(self, LAST)),
            "shape" => self.shape(rest),
            "words" => (0..numbers[0] as usize).map(|_| self.of(WORDS)).collect::<Vec<_>>().join(" "),
            "email" => format!("{}@example.org", name(self, FIRST).to_lowercase()),
            "iban" => iban(&self.shape("##################")),
            "date" => self.date(rest),
            _ => unreachable!("{kind}"),
        }
    }

    fn shape(&mut self, shape: &str) -> String {
        let digit = |dice: &mut Dice, of: &[u8]| of[dice.below(of.len() as u64) as usize] as char;
        shape
            .chars()
            .map(|c| match c {
                '#' => digit(self, b"0123456789"),
                '@' => digit(self, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
                '&' => digit(self, b"0123456789abcdef"),
                c => c,
            })
            .collect()
    }

    fn date(&mut self, rest: &str) -> String {
        let parts: Vec<&str> = rest.splitn(3, ' ').collect();
        let (from, to): (u64, u64) = (parts[0].parse().unwrap(), parts[1].parse().unwrap());
        let year = from + self.below(to - from + 1);
        let two = |n: u64| format!("{n:02}");
        let fields = [
            ("%Y", year.to_string()),
            ("%y", two(year % 100)),
            ("%m", two(self.below(12) + 1)),
            ("%d", two(self.below(28) + 1)),
            ("%H", two(self.below(24))),
            ("%M", two(self.below(60))),
            ("%S", two(self.below(60))),
        ];
        fields.iter().fold(parts[2].to_owned(), |text, (field, value)| text.replace(field, value))
    }
}

/// A German account number with the check digits that ISO 13616 asks for: the number, `DE00` as digits (`131400`), modulo 97.
fn iban(number: &str) -> String {
    let digits = format!("{number}131400");
    let rest = digits.bytes().fold(0, |rest, digit| (rest * 10 + u64::from(digit - b'0')) % 97);
    format!("DE{:02}{number}", 98 - rest)
}
