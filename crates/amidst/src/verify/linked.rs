//! Releases in which the rows of a person can be linked by a pseudonym. The release itself shows what they reach.

use rustc_hash::FxHashMap;

use super::reading::{text, texts};
use super::{Audit, Failure, Published};
use crate::error::Result;
use crate::plan::{Plan, Role, Treatment};

/// Whose each row is by its pseudonym, as numbers; `None` if the plan publishes no pseudonym for persons.
pub fn pseudonyms(release: &Published, plan: &Plan) -> Result<Option<Vec<u32>>> {
    let Some(column) = plan.linked() else { return Ok(None) };
    let texts = texts(&release.table, column)?;
    let mut known: FxHashMap<&str, u32> = FxHashMap::default();
    let mut number = |row: usize| {
        let next = known.len() as u32;
        *known.entry(text(&texts, row).unwrap_or_default()).or_insert(next)
    };
    Ok(Some((0..release.table.rows()).map(&mut number).collect()))
}

/// The number of digits of a pseudonym.
const PSEUDONYM_DIGITS: usize = 32;

/// Whether all columns of pseudonyms have nothing else.
fn are_pseudonyms(release: &Published, plan: &Plan) -> Result<Result<(), Failure>> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    for (name, column, _) in plan.treated().filter(|(_, _, treatment)| *treatment == Treatment::Pseudonym) {
        let texts = texts(&release.table, name)?;
        let is_pseudonym = |row: &usize| match text(&texts, *row).unwrap_or_default() {
            "" => column.role == Role::Identifier,
            text => text.len() == PSEUDONYM_DIGITS && text.bytes().all(is_digit),
        };
        if let Some(row) = (0..release.table.rows()).find(|row| !is_pseudonym(row)) {
            return Ok(Err(Failure(format!("row {}, column `{name}`: the cell is not a pseudonym", row + 1))));
        }
    }
    Ok(Ok(()))
}

/// Whether all rows of a pseudonym are in one class, so that linking them tells nothing more. True of a release without pseudonyms of persons.
pub fn linked(release: &Published, plan: &Plan) -> Result<Result<(), Failure>> {
    if let Err(failure) = are_pseudonyms(release, plan)? {
        return Ok(Err(failure));
    }
    let (Some(of_rows), Some(column)) = (pseudonyms(release, plan)?, plan.linked()) else { return Ok(Ok(())) };
    let mut class_of: FxHashMap<u32, u32> = FxHashMap::default();
    for (row, (person, class)) in of_rows.iter().zip(&release.classes.of_row).enumerate() {
        if *class_of.entry(*person).or_insert(*class) != *class {
            return Ok(Err(Failure(format!(
                "row {}: the rows of its pseudonym in column `{column}` have different cells, so together they tell more than each",
                row + 1
            ))));
        }
    }
    Ok(Ok(()))
}

impl Audit {
    /// The same audit with persons counted by their pseudonyms, if the plan publishes these.
    pub(crate) fn by_pseudonyms(self, plan: &Plan, release: &Published) -> Result<Audit> {
        match pseudonyms(release, plan)? {
            Some(of_rows) => self.counted(plan, release, &of_rows, |_| true, |_| Ok(release.table.clone())),
            None => Ok(self),
        }
    }
}

/// The smallest number of persons in a class who have the same number of rows there.
pub(super) fn k_by_number_of_rows<'a>(of_rows: &[u32], classes: impl Iterator<Item = &'a [u32]>) -> usize {
    let fewest = |class: &[u32]| {
        let mut rows: FxHashMap<u32, usize> = FxHashMap::default();
        class.iter().for_each(|row| *rows.entry(of_rows[*row as usize]).or_default() += 1);
        let mut persons: FxHashMap<usize, usize> = FxHashMap::default();
        rows.into_values().for_each(|rows| *persons.entry(rows).or_default() += 1);
        persons.into_values().min()
    };
    classes.filter_map(fewest).min().unwrap_or(0)
}
