//! How many households each class of a release has rows of, counted from the original.
//!
//! The release does not say whose household a row belongs to. So this needs the original, and the record that each published row comes
//! from. A row counts only if its household is certain: the original names it, and all records that the row may come from have the same.

use rustc_hash::{FxHashMap, FxHashSet};

use super::order::{Alignment, Candidates};
use super::persons::Members;
use super::reading::{text, texts};
use super::{Audit, Failure, Published, Shape};
use crate::error::Result;
use crate::plan::{Plan, Role};
use crate::read::Table;

/// The household of each row of the original, as a number, where the row names one. `None` if no column does.
fn households(original: &Table, plan: &Plan) -> Result<Option<Vec<Option<usize>>>> {
    let columns = plan.columns_with(Role::Household).map(|name| texts(original, name)).collect::<Result<Vec<_>>>()?;
    if columns.is_empty() {
        return Ok(None);
    }
    let said = |text: &&str| !text.is_empty() && !plan.input.missing.iter().any(|missing| missing == text);
    let mut known: FxHashMap<Vec<&str>, usize> = FxHashMap::default();
    let of_row = |row: usize| {
        let name: Vec<&str> = columns.iter().map(|column| text(column, row).filter(said)).collect::<Option<_>>()?;
        let next = known.len();
        Some(*known.entry(name).or_insert(next))
    };
    Ok(Some((0..original.rows()).map(of_row).collect()))
}

impl Audit {
    /// The same audit with the households of each class counted, if the plan says whose household a row belongs to. In rings a row hides
    /// among different rows than its neighbour does, so there they are not counted.
    pub(crate) fn with_households(
        mut self,
        original: &Table,
        plan: &Plan,
        release: &Published,
        rows: &Alignment,
    ) -> Result<Audit> {
        let Some(of_records) = households(original, plan)? else { return Ok(self) };
        if matches!(release.shape, Shape::Ring(_)) {
            return Ok(self);
        }
        let certain = |row: u32| match rows.of(row as usize) {
            Ok(record) => of_records[record as usize],
            Err(Candidates::These(records)) => {
                let household = of_records[*records.first()? as usize]?;
                records.iter().all(|record| of_records[*record as usize] == Some(household)).then_some(household)
            }
            Err(Candidates::Many) => None,
        };
        let classes = Members::new(&release.classes);
        let count = |rows: &[u32]| rows.iter().filter_map(|row| certain(*row)).collect::<FxHashSet<_>>().len();
        self.achieved.households = Some(classes.each().map(count).min().unwrap_or(0));
        Ok(self)
    }

    /// The failures of those requirements.
    pub(super) fn lacking_households(&self, asked: &Plan) -> Result<Vec<Failure>> {
        let short = |k: usize| match self.achieved.households {
            Some(reached) if reached >= k => None,
            Some(reached) => Some(Failure(format!(
                "household-k = {k} was asked for but {reached} is reached: a class has rows of {reached} households only"
            ))),
            None => Some(Failure(format!(
                "household-k = {k} was asked for and could not be checked: only the original and the plan of the release tell whose \
                 household a row belongs to; name the original, and the plan that was stored beside the release"
            ))),
        };
        Ok(asked.household_sizes()?.into_iter().filter_map(short).collect())
    }
}
