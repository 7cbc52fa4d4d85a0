//! What the first rows of a text file show: what separates its fields, and whether it has a header.
//!
//! Both are guesses, so both are made from many rows and not from the first line alone. A wrong delimiter makes a table of one column, which
//! nobody overlooks. A first row that is wrongly taken for names publishes a person, so a first row that looks like data is refused.

use std::collections::BTreeMap;

use csv::ReaderBuilder;

/// What can separate fields, the most common first.
const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];
/// The most rows that are looked at.
const MAX_ROWS: usize = 1000;
/// The share of rows that must have as many fields as the first one.
const EVEN: f64 = 0.95;
/// The share of cells that must be alike for a column to be of that kind.
const ALIKE: f64 = 0.9;
/// The share of rows below in which the text of a first cell must occur.
const FREQUENT: f64 = 0.02;
/// Cells that say nothing about a column.
const MISSING: [&str; 12] = ["", "?", "-", ".", "NA", "N/A", "na", "n/a", "NaN", "nan", "NULL", "None"];

/// The first rows of a text, without blanks around the fields. `whole` says whether the text is complete; if not, its last row is not.
pub(super) fn rows(text: &[u8], delimiter: u8, whole: bool) -> Vec<Vec<String>> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut reader = ReaderBuilder::new().delimiter(delimiter).flexible(true).has_headers(false).from_reader(text);
    let fields = |record: csv::ByteRecord| -> Vec<String> {
        record.iter().map(|field| String::from_utf8_lossy(field.trim_ascii()).into_owned()).collect()
    };
    let mut rows: Vec<Vec<String>> =
        reader.byte_records().map_while(Result::ok).take(MAX_ROWS + 1).map(fields).collect();
    if !whole && (2..=MAX_ROWS).contains(&rows.len()) {
        rows.pop();
    }
    rows
}

/// What separates the fields of a text.
pub(super) fn delimiter(text: &[u8], whole: bool) -> char {
    let tables: Vec<(char, Vec<Vec<String>>)> =
        DELIMITERS.into_iter().map(|delimiter| (delimiter, rows(text, delimiter as u8, whole))).collect();
    let fields = |rows: &[Vec<String>]| rows.first().map_or(0, Vec::len);
    let even = |rows: &[Vec<String>]| {
        let same = rows.iter().filter(|row| row.len() == fields(rows)).count();
        same as f64 >= EVEN * rows.len() as f64
    };
    let mut split: Vec<&(char, Vec<Vec<String>>)> = tables.iter().filter(|(_, rows)| fields(rows) > 1).collect();
    if split.iter().any(|(_, rows)| even(rows)) {
        split.retain(|(_, rows)| even(rows));
    }
    // Of rows like `1,5;2,5` a comma makes more fields, but it is part of the numbers.
    if split.iter().any(|(delimiter, rows)| *delimiter != ',' && has_decimal_commas(rows)) {
        split.retain(|(delimiter, _)| *delimiter != ',');
    }
    // Of equally good delimiters the first one is taken.
    split.into_iter().rev().max_by_key(|(_, rows)| fields(rows)).map_or(',', |(delimiter, _)| *delimiter)
}

/// Whether all commas of these cells are part of numbers.
fn has_decimal_commas(rows: &[Vec<String>]) -> bool {
    let mut cells = rows.iter().flatten().filter(|cell| cell.contains(',')).peekable();
    cells.peek().is_some() && cells.all(|cell| is_number(cell))
}

/// The places of columns, counted from 1, whose first cell looks like data, with the reason; none if the first row seems to be a header.
pub(super) fn data_in_header(rows: &[Vec<String>]) -> Vec<(usize, &'static str)> {
    let Some((first, below)) = rows.split_first() else { return Vec::new() };
    // A header that is repeated, as in files that were joined, is no row.
    let below: Vec<&Vec<String>> = below.iter().filter(|row| *row != first).collect();
    let mut odd = Vec::new();
    let mut names = 0;
    for (place, cell) in first.iter().enumerate() {
        let cells = below.iter().filter_map(|row| row.get(place)).map(String::as_str);
        match Cell::of(cell, &cells.filter(|cell| !is_missing(cell)).collect::<Vec<_>>()) {
            Cell::Data(why) => odd.push((place + 1, why)),
            Cell::Name => names += 1,
            Cell::Unclear => {}
        }
    }
    if counts_up(first, &below, &odd) {
        odd.retain(|(_, why)| *why != NUMBER);
    }
    if odd.len() < names { Vec::new() } else { odd }
}

/// Whether nothing shows that the first row has names: none of its cells is a name for sure, and most look like the values below them.
pub(super) fn is_undecided(rows: &[Vec<String>]) -> bool {
    let Some((first, below)) = rows.split_first().filter(|(_, below)| !below.is_empty()) else { return false };
    let mut otherwise = 0;
    for (place, cell) in first.iter().enumerate() {
        let values = below.iter().filter_map(|row| row.get(place)).map(String::as_str);
        let values: Vec<&str> = values.filter(|value| !is_missing(value)).collect();
        if matches!(Cell::of(cell, &values), Cell::Name) {
            return false;
        }
        otherwise += usize::from(is_written_otherwise(cell, &values));
    }
    2 * otherwise < first.len()
}

/// Whether a text is written in another way than nearly all values below it: in small letters above names, with an underscore, or longer than
/// the short codes below.
fn is_written_otherwise(cell: &str, below: &[&str]) -> bool {
    const LONGEST_CODE: usize = 2;
    if below.is_empty() || cell.is_empty() {
        return false;
    }
    let many =
        |is: &dyn Fn(&str) -> bool| below.iter().filter(|value| is(value)).count() as f64 >= ALIKE * below.len() as f64;
    let is_code = |value: &str| value.chars().count() <= LONGEST_CODE;
    cell.contains('_') && many(&|value| !value.contains('_'))
        || !is_code(cell) && many(&is_code)
        || many(&|value| letters(value) != letters(cell))
}

/// How the letters of a text are written.
#[derive(PartialEq)]
enum Letters {
    None,
    Small,
    Capital,
    /// A capital, and small letters behind it.
    Mixed,
}

fn letters(text: &str) -> Letters {
    let mut letters = text.chars().filter(|c| c.is_alphabetic());
    match letters.next() {
        None => Letters::None,
        Some(first) if first.is_lowercase() => Letters::Small,
        Some(_) if text.chars().any(char::is_lowercase) => Letters::Mixed,
        Some(_) => Letters::Capital,
    }
}

const NUMBER: &str = "has a number above numbers";
const SHAPE: &str = "has something that is written like all values below it";
const VALUE: &str = "has a text that is a frequent value below it";

/// What the first cell of a column seems to be.
enum Cell {
    /// A value, and why.
    Data(&'static str),
    /// The name of the column.
    Name,
    /// It can be either.
    Unclear,
}

impl Cell {
    /// Looks at the first cell of a column with these values below it.
    fn of(cell: &str, below: &[&str]) -> Cell {
        if is_missing(cell) || below.is_empty() {
            return Cell::Unclear;
        }
        let many = |count: usize| count as f64 >= ALIKE * below.len() as f64;
        if many(below.iter().filter(|value| is_number(value)).count()) {
            return if is_number(cell) { Cell::Data(NUMBER) } else { Cell::Name };
        }
        let mut shapes: BTreeMap<String, usize> = BTreeMap::new();
        below.iter().filter_map(|value| shape(value)).for_each(|shape| *shapes.entry(shape).or_default() += 1);
        if let Some((common, count)) = shapes.into_iter().max_by_key(|(_, count)| *count)
            && many(count)
        {
            return if shape(cell) == Some(common) { Cell::Data(SHAPE) } else { Cell::Name };
        }
        let same = below.iter().filter(|value| **value == cell).count();
        if same > 0 && same as f64 >= FREQUENT * below.len() as f64 { Cell::Data(VALUE) } else { Cell::Unclear }
    }
}

/// Whether the numbers of the first row are names: years above something else, or a count of the columns.
fn counts_up(first: &[String], below: &[&Vec<String>], odd: &[(usize, &str)]) -> bool {
    const FEWEST_COUNTED: usize = 5;
    let places: Vec<usize> = odd.iter().filter(|(_, why)| *why == NUMBER).map(|(column, _)| column - 1).collect();
    let Some(numbers) = places.iter().map(|place| first[*place].parse::<i64>().ok()).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let consecutive = numbers.len() > 1 && numbers.windows(2).all(|pair| pair[1] - pair[0] == 1);
    let is_year = |number: i64| (1900..=2100).contains(&number);
    let above_years = || {
        let cells = below.iter().flat_map(|row| places.iter().filter_map(|place| row.get(*place)));
        let years: Vec<bool> = cells.filter_map(|cell| cell.parse().ok().map(is_year)).collect();
        years.iter().filter(|year| **year).count() * 2 > years.len()
    };
    let years = || numbers.iter().all(|number| is_year(*number)) && !above_years();
    let counted = || numbers.len() >= FEWEST_COUNTED && (numbers[0] == 0 || numbers[0] == 1);
    consecutive && (years() || counted())
}

fn is_missing(cell: &str) -> bool {
    MISSING.contains(&cell)
}

/// Whether a cell is a number, with a point or a comma before its fraction.
fn is_number(cell: &str) -> bool {
    let digits = cell.bytes().any(|byte| byte.is_ascii_digit());
    digits && cell.bytes().all(|byte| byte.is_ascii_digit() || b"+-.,eE".contains(&byte)) && {
        let plain = if cell.contains(',') { cell.replace('.', "").replace(',', ".") } else { cell.to_owned() };
        plain.parse::<f64>().is_ok()
    }
}

/// The form of a date or a code: its digits and letters each as one sign. `None` for texts without digits.
fn shape(cell: &str) -> Option<String> {
    let sign = |c: char| match c {
        c if c.is_ascii_digit() => '9',
        c if c.is_alphabetic() => 'a',
        c => c,
    };
    cell.bytes().any(|byte| byte.is_ascii_digit()).then(|| cell.chars().map(sign).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters() {
        for (text, expected) in [
            ("a,b,c\n", ','),
            ("a;b;c,d\n", ';'),
            ("a\tb\n", '\t'),
            ("a|b\n1|x,y\n", '|'),
            ("alone\n1\n", ','),
            ("", ','),
            // Quotes hold what looks like a delimiter, and line breaks.
            ("\"a;b;c\",d\n\"x;y\nz\",2\n", ','),
            ("id;\"x,y,z,u\"\n1;2\n", ';'),
            // Decimal commas, also without a header.
            ("age;height\n34;1,80\n35;1,75\n", ';'),
            ("1,5;2,5\n3,5;4,5\n", ';'),
            // Lists in a column.
            ("id,tags\n1,a;b\n2,c;d\n", ','),
            ("a,b;c\n1,2;3\n4,5\n6,7\n", ','),
            // A row that is too long is a mistake of that row.
            ("a;b\n1;2\n3;4;5\n", ';'),
        ] {
            assert_eq!(delimiter(text.as_bytes(), true), expected, "{text:?}");
        }
    }

    fn odd(text: &str) -> Vec<usize> {
        data_in_header(&rows(text.as_bytes(), b',', true)).into_iter().map(|(column, _)| column).collect()
    }

    #[test]
    fn headers() {
        for text in [
            "age,sex\n34,F\n35,M\n",
            "name,town\nAnn,Ulm\nBob,Bonn\n",
            "age,code\n,A12.3\n?,B20.1\n",
            // Years above amounts, and columns that were only counted.
            "country,2010,2011\nChad,5,6\nPeru,7,8\n",
            "2010,2011\n5,6\n7,8\n",
            "0,1,2,3,4\n8,9,5,5,1\n7,3,2,5,6\n",
            // A header above each part of a file.
            "sex,race\nF,b\nM,w\nsex,race\nF,w\n",
            // A number above texts.
            "age,90+\n34,no\n35,yes\n",
            "only\n",
            "",
        ] {
            assert_eq!(odd(text), [0; 0], "{text:?}");
        }
    }

    #[test]
    fn headers_that_nothing_gives_away() {
        let undecided = |text: &str| is_undecided(&rows(text.as_bytes(), b',', true));
        for text in ["Ann Lee,Ulm\nBob Ray,Bonn\n", "a,b\nc,d\n", "Name,Town\nAnn,Ulm\n", "ANN,flu\nBOB,cold\n"] {
            assert!(undecided(text), "{text:?}");
        }
        for text in [
            "name,town\nAnn,Ulm\nBob,Bonn\n",
            "Name,Town,Age\nAnn,Ulm,34\n",
            "SEX,RACE\nF,W\nM,B\n",
            "first_name,home_town\nann,ulm\nbob,bonn\n",
            "a,b\n",
            "",
        ] {
            assert!(!undecided(text), "{text:?}");
        }
    }

    #[test]
    fn data() {
        assert_eq!(odd("34,F\n35,M\n36,F\n"), [1, 2]);
        assert_eq!(odd("Ann,34,flu\nBob,36,cold\nCem,51,flu\n"), [2, 3]);
        assert_eq!(odd("A12.3\nB20.1\nC33.3\n"), [1]);
        assert_eq!(odd("Ann,2001-09-10\nBob,2001-10-11\n"), [2]);
        assert_eq!(odd("1980,2001\n1975,2002\n"), [1, 2]);
        assert_eq!(odd("1980,1981\n1975,2002\n"), [1, 2]);
        // A value that is missing in a column of numbers says nothing; another text there looks like a name, but not the rest of the row.
        assert_eq!(odd("?,F,39\n34,M,40\n35,F,41\n"), [2, 3]);
        assert_eq!(odd("unknown,F,39\n34,M,40\n35,F,41\n"), [2, 3]);
    }
}
