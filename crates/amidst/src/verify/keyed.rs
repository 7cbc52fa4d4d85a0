//! What follows from the secret key of a plan, computed a second time: pseudonyms, offsets of dates, and the rows of a person that are kept.

use std::collections::BTreeMap;

use arrow_array::BooleanArray;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::reading::{Texts, text, texts};
use crate::error::{Error, Result};
use crate::plan::{Plan, Role};
use crate::read::Table;

/// HMAC-SHA-256 of a purpose and some texts, each behind its length in 4 bytes.
pub(super) fn digest<'a>(plan: &Plan, purpose: &str, texts: impl Iterator<Item = &'a str>) -> Result<[u8; 32]> {
    let Some(key) = &plan.key else { return Err(Error::NoKey { column: None }) };
    let failed = |e| Error::Internal(format!("the verification could not use the key: {e}"));
    let mut hmac = <Hmac<Sha256> as KeyInit>::new_from_slice(key.bytes()).map_err(failed)?;
    hmac.update(purpose.as_bytes());
    for text in texts {
        hmac.update(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
        hmac.update(text.as_bytes());
    }
    Ok(hmac.finalize().into_bytes().into())
}

/// The columns that name persons.
pub(super) struct Names(Vec<Texts>);

impl Names {
    pub(super) fn new(original: &Table, plan: &Plan) -> Result<Self> {
        plan.columns_with(Role::Person).map(|name| texts(original, name)).collect::<Result<_>>().map(Names)
    }

    /// The texts that name the person of a row.
    pub(super) fn of(&self, row: usize) -> impl Iterator<Item = &str> {
        self.0.iter().map(move |column| text(column, row).unwrap_or_default())
    }
}

/// The first 128 bits of a digest as a text.
pub(super) fn pseudonym(digest: [u8; 32]) -> String {
    let (first, _) = digest.split_at(16);
    first.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// The number of days that the dates of a person are moved by.
pub(super) fn offset<'a>(plan: &Plan, name: impl Iterator<Item = &'a str>, days: u32, weekday: bool) -> Result<i64> {
    let digest = digest(plan, "amidst shift", name)?;
    let number = digest[..8].iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let most = if weekday { days / 7 } else { days };
    let place = number % (2 * u64::from(most) + 1);
    Ok((place as i64 - i64::from(most)) * if weekday { 7 } else { 1 })
}

/// The original without the rows of a person beyond the number that the plan keeps.
pub(super) fn limited(original: Table, plan: &Plan) -> Result<Table> {
    let Some(most) = plan.input.rows_per_person else { return Ok(original) };
    let names = Names::new(&original, plan)?;
    let told =
        plan.columns.iter().filter(|(_, column)| matches!(column.role, Role::Quasi | Role::Sensitive | Role::Other));
    let flat = |name: &&str| original.column(name).is_ok_and(|column| !column.data_type().is_nested());
    let told = told.map(|(name, _)| name.as_str()).filter(flat);
    let told = told.map(|name| texts(&original, name)).collect::<Result<Vec<_>>>()?;
    let mut of_persons: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    (0..original.rows()).for_each(|row| of_persons.entry(names.of(row).collect()).or_default().push(row));
    let mut kept = vec![true; original.rows()];
    for (name, rows) in of_persons {
        if rows.len() <= most {
            continue;
        }
        let mut ranked = Vec::new();
        for row in rows {
            let cells = told.iter().map(|column| text(column, row).unwrap_or_default());
            ranked.push((digest(plan, "amidst row", name.iter().copied().chain(cells))?, row));
        }
        ranked.sort_unstable();
        ranked.into_iter().skip(most).for_each(|(_, row)| kept[row] = false);
    }
    original.filter(&BooleanArray::from(kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::PersonKey;

    #[test]
    fn digests_are_those_of_rfc_4231() {
        // Its test case 1: a key of 20 bytes 0x0b is shorter than ours may be, so test case 6 with a key of 131 bytes 0xaa.
        let key = PersonKey::parse("test", &"aa".repeat(131)).unwrap();
        let plan = Plan::new(2).key(key);
        let found =
            digest(&plan, "Test Using Larger Than Block-Size Key - Hash Key First", std::iter::empty()).unwrap();
        assert_eq!(pseudonym(found), "60e431591ee0b67f0d8a26aacbf5b77f");
    }

    #[test]
    fn offsets_keep_within_the_days_and_the_weekday() {
        let plan = Plan::new(2).key(PersonKey::parse("test", &"5a".repeat(32)).unwrap());
        let offsets = |days, weekday| {
            let mut all: Vec<i64> = (0..2000)
                .map(|person| offset(&plan, std::iter::once(format!("{person}").as_str()), days, weekday).unwrap())
                .collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        assert_eq!(offsets(3, false), [-3, -2, -1, 0, 1, 2, 3]);
        assert_eq!(offsets(20, true), [-14, -7, 0, 7, 14]);
    }
}
