//! Persons as records, for releases in which the rows of a person can be linked.
//!
//! All rows of a person then have the same cells, so an algorithm must not separate them: each person becomes one record. A column whose
//! values differ within some person is there twice, with half its weight each: once with the lowest and once with the highest code of each
//! person. A cluster's closure in both together is the closure of all its rows, and where the two are the same, their costs add up to the cost
//! of the column. So every algorithm works as it is, and the costs that it sees are exact for clusters of persons whose rows agree.
//!
//! A sensitive column whose values differ within some person becomes a column of *profiles*: what a person's rows have, as one value.
//! Constraints see through a profile to the values in it ([`Sensitive::parts`]).
//!
//! Other tables of the same persons ([`Beside`]) add their columns: profiles of their sensitive values, a column that says who has rows there
//! at all, and both ends of their own quasi-identifiers. Persons without rows there have empty profiles, and the most frequent ends.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::persons::Persons;
use super::{Code, Domain, Encoded, Merged, Sensitive, by_tuple};

/// Another table of the same persons.
#[derive(Debug)]
pub struct Beside {
    /// The table.
    pub encoded: Arc<Encoded>,
    /// Its rows, by the number that the main table gives their person.
    pub rows: Vec<Vec<u32>>,
}

/// The rows behind records that are persons.
#[derive(Debug)]
pub(super) struct Whole {
    /// The rows.
    of: Arc<Encoded>,
    /// The rows of each record.
    members: Vec<Vec<u32>>,
    /// Other tables of the persons.
    beside: Arc<Vec<Beside>>,
}

impl Merged {
    /// Merges all rows of each person, whatever they have. `None` if the table does not say whose its rows are. Records are in the order of
    /// their first rows.
    pub fn whole(encoded: &Arc<Encoded>, beside: &Arc<Vec<Beside>>) -> Option<Self> {
        let members = encoded.persons()?.rows();
        let mut starts = vec![0];
        members.iter().for_each(|rows| starts.push(starts[starts.len() - 1] + rows.len() as u32));
        let rows = members.concat();
        Some(Merged { encoded: Arc::new(of_persons(encoded, members, beside)), rows, starts })
    }
}

impl Encoded {
    /// The watched columns of each other table, if the records are persons: the first says who has rows there, the others are its sensitive
    /// columns.
    pub fn tables(&self) -> &[Range<usize>] {
        &self.tables
    }

    /// The same table with only these of its persons, if its records are persons.
    pub(super) fn select_persons(&self, records: &[u32]) -> Option<Encoded> {
        let whole = self.whole.as_ref()?;
        let rows: Vec<u32> =
            records.iter().flat_map(|record| whole.members[*record as usize].iter().copied()).collect();
        let of = Arc::new(whole.of.select(&rows));
        let members = of.persons()?.rows();
        Some(of_persons(&of, members, &whole.beside))
    }
}

impl Persons {
    /// The rows of each person, in the order of their first rows.
    fn rows(&self) -> Vec<Vec<u32>> {
        let mut number: FxHashMap<u32, usize> = FxHashMap::default();
        let mut rows: Vec<Vec<u32>> = Vec::new();
        for row in 0..self.records() {
            let place = *number.entry(self.person(row)).or_insert_with(|| {
                rows.push(Vec::new());
                rows.len() - 1
            });
            rows[place].push(row);
        }
        rows
    }
}

/// The table with one record for each of these lists of rows.
fn of_persons(encoded: &Arc<Encoded>, members: Vec<Vec<u32>>, beside: &Arc<Vec<Beside>>) -> Encoded {
    let mut columns = Columns::new(encoded, &members);
    let mut watched: Vec<Sensitive> = encoded.watched.iter().map(|column| column.of_persons(&members)).collect();
    let mut tables = Vec::new();
    for table in beside.iter() {
        let person = |rows: &Vec<u32>| encoded.persons.as_ref().map_or(0, |persons| persons.person(rows[0]) as usize);
        let rows: Vec<Vec<u32>> =
            members.iter().map(|own| table.rows.get(person(own)).cloned().unwrap_or_default()).collect();
        columns.add(table, &rows);
        let first = watched.len();
        watched.push(Sensitive::presence(&rows));
        watched.extend(table.encoded.sensitive().iter().map(|column| column.profiles(&rows)));
        tables.push(first..watched.len());
    }
    let Columns { domains, codes } = columns;
    let mut number: FxHashMap<Vec<Code>, u32> = FxHashMap::default();
    let mut distinct = Vec::new();
    let mut tuple_of = Vec::with_capacity(members.len());
    for record in 0..members.len() {
        let next = number.len() as u32;
        let tuple: Vec<Code> = codes.iter().map(|column| column[record]).collect();
        let found = *number.entry(tuple).or_insert_with_key(|tuple| {
            distinct.extend_from_slice(tuple);
            next
        });
        tuple_of.push(found);
    }
    let (rows, starts) = by_tuple(&tuple_of, number.len());
    let personal = encoded.personal.clone();
    let weights = members.iter().map(|rows| rows.len() as u32).collect();
    let persons = Some(Persons::of((0..members.len() as u32).collect(), weights));
    let whole = Some(Arc::new(Whole { of: encoded.clone(), members, beside: beside.clone() }));
    let sensitive = encoded.sensitive;
    Encoded {
        domains,
        codes: distinct,
        tuple_of,
        rows,
        starts,
        watched,
        sensitive,
        tables,
        personal,
        households: encoded.households,
        persons,
        whole,
    }
}

/// Quasi-identifiers with one code for each person.
struct Columns {
    domains: Vec<Domain>,
    codes: Vec<Vec<Code>>,
}

impl Columns {
    /// The columns of a table. The second ends of columns that differ within some person come last, so that the others keep their places.
    fn new(encoded: &Encoded, members: &[Vec<u32>]) -> Self {
        let mut columns = Columns { domains: Vec::new(), codes: Vec::new() };
        let mut last = Columns { domains: Vec::new(), codes: Vec::new() };
        for (column, domain) in encoded.domains.iter().enumerate() {
            let (low, high) = ends(encoded, members, column, 0);
            let differs = low != high;
            let domain = if differs { domain.halved() } else { domain.clone() };
            if differs {
                last.push(domain.clone(), high);
            }
            columns.push(domain, low);
        }
        columns.domains.extend(last.domains);
        columns.codes.extend(last.codes);
        columns
    }

    fn push(&mut self, domain: Domain, codes: Vec<Code>) {
        self.domains.push(domain);
        self.codes.push(codes);
    }

    /// Adds the quasi-identifiers of another table that this one does not have.
    fn add(&mut self, table: &Beside, rows: &[Vec<u32>]) {
        for (column, domain) in table.encoded.domains.iter().enumerate() {
            if self.domains.iter().any(|own| own.name() == domain.name()) {
                continue;
            }
            let mut times = vec![0_u32; domain.len()];
            (0..table.encoded.rows() as u32).for_each(|row| times[table.encoded.row(row)[column] as usize] += 1);
            let usual = (0..domain.len()).max_by_key(|code| (times[*code], std::cmp::Reverse(*code))).unwrap_or(0);
            let (low, high) = ends(&table.encoded, rows, column, usual as Code);
            self.push(domain.halved(), low);
            self.push(domain.halved(), high);
        }
    }
}

/// The lowest and the highest code of each person in a column, or this one for both where a person has no rows.
fn ends(encoded: &Encoded, rows: &[Vec<u32>], column: usize, none: Code) -> (Vec<Code>, Vec<Code>) {
    let of = |rows: &Vec<u32>| {
        let codes = || rows.iter().map(|row| encoded.row(*row)[column]);
        (codes().min().unwrap_or(none), codes().max().unwrap_or(none))
    };
    rows.iter().map(of).unzip()
}

/// What the rows of a person have in a sensitive column, for each distinct combination.
#[derive(Debug)]
pub(super) struct Profiles {
    /// The column of the rows.
    of: Sensitive,
    /// The values of each profile, and the share of the person's rows that have each.
    pub(super) parts: Vec<Vec<(Code, f64)>>,
}

impl Sensitive {
    /// The same column with one value for each person, who has these rows: the value that they share, or their profile.
    fn of_persons(&self, members: &[Vec<u32>]) -> Sensitive {
        let differs = |rows: &Vec<u32>| rows.iter().any(|row| self.row(*row) != self.row(rows[0]));
        if members.iter().any(differs) {
            return self.profiles(members);
        }
        self.select(&members.iter().map(|rows| rows[0]).collect::<Vec<u32>>())
    }

    /// The same column with the profile of each person, who has these rows.
    fn profiles(&self, members: &[Vec<u32>]) -> Sensitive {
        let parts = |rows: &Vec<u32>| {
            let mut codes: Vec<Code> = rows.iter().map(|row| self.row(*row)).collect();
            codes.sort_unstable();
            let alike = codes.chunk_by(|a, b| a == b);
            alike.map(|alike| (alike[0], alike.len() as u32)).collect::<Vec<(Code, u32)>>()
        };
        let all: Vec<Vec<(Code, u32)>> = members.iter().map(parts).collect();
        let mut distinct: Vec<&Vec<(Code, u32)>> = all.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let code = |parts: &Vec<(Code, u32)>| distinct.binary_search(&parts).unwrap_or_default() as Code;
        let codes: Vec<Code> = all.iter().map(code).collect();
        let share = |parts: &&Vec<(Code, u32)>| {
            let rows: u32 = parts.iter().map(|(_, times)| times).sum();
            parts.iter().map(|(code, times)| (*code, f64::from(*times) / f64::from(rows))).collect()
        };
        let parts = distinct.iter().map(share).collect();
        self.profiled(codes, Profiles { of: self.clone(), parts })
    }

    /// A column with one value for each person who has rows, and none for the others.
    fn presence(members: &[Vec<u32>]) -> Sensitive {
        let codes = members.iter().map(|rows| Code::from(!rows.is_empty())).collect();
        let none = Sensitive::of_codes("", vec![String::new()], Vec::new());
        none.profiled(codes, Profiles { of: none.clone(), parts: vec![Vec::new(), vec![(0, 1.0)]] })
    }

    /// The column of the rows, if this is a column of profiles, otherwise itself.
    pub fn plain(&self) -> &Sensitive {
        self.profiles.as_ref().map_or(self, |profiles| &profiles.of)
    }

    /// Whether its values are profiles.
    pub fn has_profiles(&self) -> bool {
        self.profiles.is_some()
    }

    /// The values of a record in the [plain](Self::plain) column, and the share of the record that has each.
    pub fn parts(&self, record: u32) -> impl Iterator<Item = (Code, f64)> {
        let code = self.row(record);
        let parts = self.profiles.as_ref().map(|profiles| profiles.parts[code as usize].iter().copied());
        let own = parts.is_none().then_some((code, 1.0));
        parts.into_iter().flatten().chain(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plan;
    use crate::progress::Progress;
    use crate::read::{Options, read_bytes};
    use crate::schema::{Schema, guess};

    fn encoded() -> Arc<Encoded> {
        let rows = "p,age,town,dx\na,30,x,flu\nb,41,y,flu\na,30,z,flu\na,30,y,cold\nb,41,y,flu\nc,50,x,flu\n";
        let table = read_bytes("visits", rows, &Options::default(), Progress::silent()).unwrap();
        let mut plan = Plan::new(1).person("p").quasi("age").quasi("town").sensitive("dx");
        guess::complete(&mut plan, &table).unwrap();
        let schema = Schema::new(&plan, &table).unwrap();
        Arc::new(Encoded::new(&table, &schema, &[], Progress::silent()).unwrap())
    }

    #[test]
    fn a_column_that_differs_within_a_person_is_there_by_both_ends() {
        let merged = Merged::whole(&encoded(), &Arc::default()).unwrap();
        let whole = &merged.encoded;
        assert_eq!(whole.domains().iter().map(Domain::name).collect::<Vec<_>>(), ["age", "town", "town"]);
        assert_eq!(whole.domains().iter().map(Domain::weight).collect::<Vec<_>>(), [1.0, 0.5, 0.5]);
        // Person a was in x, z and y; b in y; c in x.
        let rows: Vec<&[Code]> = (0..3).map(|record| whole.row(record)).collect();
        assert_eq!(rows, [[0, 0, 2], [1, 1, 1], [2, 0, 0]]);
        assert_eq!(merged.rows(&[0, 2]), [0, 2, 3, 5]);
        assert_eq!((0..3).map(|record| whole.weight(record)).collect::<Vec<_>>(), [3, 2, 1]);
    }

    #[test]
    fn profiles_have_the_shares_of_the_rows() {
        let merged = Merged::whole(&encoded(), &Arc::default()).unwrap();
        let dx = &merged.encoded.sensitive()[0];
        assert!(dx.has_profiles());
        let cold = dx.plain().code("cold").unwrap();
        let flu = dx.plain().code("flu").unwrap();
        let parts = |record: u32| dx.parts(record).collect::<Vec<_>>();
        assert_eq!(parts(0), [(cold, 1.0 / 3.0), (flu, 2.0 / 3.0)]);
        assert_eq!(parts(1), [(flu, 1.0)]);
        // A third of one person in three.
        assert!((merged.encoded.shares(0)[cold as usize] - 1.0 / 9.0).abs() < 1e-12);
        let part = merged.encoded.select(&[1, 2]);
        assert_eq!((part.rows(), part.domains().len(), part.sensitive()[0].has_profiles()), (2, 2, false));
    }
}
