//! Persons as records, for releases in which the rows of a person can be linked.
//!
//! All rows of a person then have the same cells, so an algorithm must not separate them: each person becomes one record. A column whose
//! values differ within some person is there twice, with half its weight each: once with the lowest and once with the highest code of each
//! person. A cluster's closure in both together is the closure of all its rows, and where the two are the same, their costs add up to the cost
//! of the column. So every algorithm works as it is, and the costs that it sees are exact for clusters of persons whose rows agree.
//!
//! A sensitive column whose values differ within some person becomes a column of *profiles*: what a person's rows have, as one value.
//! Constraints see through a profile to the values in it ([`Sensitive::parts`]).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::persons::Persons;
use super::{Code, Domain, Encoded, Merged, Sensitive, by_tuple};

/// The rows behind records that are persons.
#[derive(Debug)]
pub(super) struct Whole {
    /// The rows.
    of: Arc<Encoded>,
    /// The rows of each record.
    members: Vec<Vec<u32>>,
}

impl Merged {
    /// Merges all rows of each person, whatever they have. `None` if the table does not say whose its rows are. Records are in the order of
    /// their first rows.
    pub fn whole(encoded: &Arc<Encoded>) -> Option<Self> {
        let members = encoded.persons()?.rows();
        let mut starts = vec![0];
        members.iter().for_each(|rows| starts.push(starts[starts.len() - 1] + rows.len() as u32));
        let rows = members.concat();
        Some(Merged { encoded: Arc::new(of_persons(encoded, members)), rows, starts })
    }
}

impl Encoded {
    /// The same table with only these of its persons, if its records are persons.
    pub(super) fn select_persons(&self, records: &[u32]) -> Option<Encoded> {
        let whole = self.whole.as_ref()?;
        let rows: Vec<u32> =
            records.iter().flat_map(|record| whole.members[*record as usize].iter().copied()).collect();
        let of = Arc::new(whole.of.select(&rows));
        let members = of.persons()?.rows();
        Some(of_persons(&of, members))
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
fn of_persons(encoded: &Arc<Encoded>, members: Vec<Vec<u32>>) -> Encoded {
    let width = encoded.domains.len();
    let ends = |rows: &[u32], column: usize| {
        let codes = || rows.iter().map(|row| encoded.row(*row)[column]);
        (codes().min().unwrap_or(0), codes().max().unwrap_or(0))
    };
    let differs = |column: &usize| members.iter().any(|rows| ends(rows, *column).0 < ends(rows, *column).1);
    let doubled: Vec<usize> = (0..width).filter(differs).collect();
    let mut domains: Vec<Domain> = encoded.domains.clone();
    for column in &doubled {
        domains[*column] = encoded.domains[*column].halved();
        domains.push(domains[*column].clone());
    }
    let tuples = members.iter().map(|rows| {
        let low = (0..width).map(|column| ends(rows, column).0);
        low.chain(doubled.iter().map(|column| ends(rows, *column).1)).collect::<Vec<Code>>()
    });
    let mut number: FxHashMap<Vec<Code>, u32> = FxHashMap::default();
    let mut codes = Vec::new();
    let mut tuple_of = Vec::with_capacity(members.len());
    for tuple in tuples {
        let next = number.len() as u32;
        let found = *number.entry(tuple).or_insert_with_key(|tuple| {
            codes.extend_from_slice(tuple);
            next
        });
        tuple_of.push(found);
    }
    let (rows, starts) = by_tuple(&tuple_of, number.len());
    let watched = encoded.watched.iter().map(|column| column.of_persons(&members)).collect();
    let personal = encoded.personal.clone();
    let weights = members.iter().map(|rows| rows.len() as u32).collect();
    let persons = Some(Persons::of((0..members.len() as u32).collect(), weights));
    let whole = Some(Arc::new(Whole { of: encoded.clone(), members }));
    Encoded { domains, codes, tuple_of, rows, starts, watched, personal, persons, whole }
}

/// What the rows of a person have in a sensitive column, for each distinct combination.
#[derive(Debug)]
pub(super) struct Profiles {
    /// The column of the rows.
    of: Sensitive,
    /// The values of each profile, and the share of the person's rows that have each.
    parts: Vec<Vec<(Code, f64)>>,
}

impl Sensitive {
    /// The same column with one value for each person, who has these rows: the value that they share, or their profile.
    fn of_persons(&self, members: &[Vec<u32>]) -> Sensitive {
        let parts = |rows: &Vec<u32>| {
            let mut codes: Vec<Code> = rows.iter().map(|row| self.row(*row)).collect();
            codes.sort_unstable();
            let alike = codes.chunk_by(|a, b| a == b);
            alike.map(|alike| (alike[0], alike.len() as u32)).collect::<Vec<(Code, u32)>>()
        };
        let all: Vec<Vec<(Code, u32)>> = members.iter().map(parts).collect();
        if all.iter().all(|parts| parts.len() == 1) {
            return self.select(&members.iter().map(|rows| rows[0]).collect::<Vec<u32>>());
        }
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
        let values = (1..=distinct.len()).map(|number| format!("profile {number}")).collect();
        Sensitive::profiled(self, values, codes, Profiles { of: self.clone(), parts })
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
        let merged = Merged::whole(&encoded()).unwrap();
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
        let merged = Merged::whole(&encoded()).unwrap();
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
