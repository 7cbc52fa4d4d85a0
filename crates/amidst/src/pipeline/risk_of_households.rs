//! The risk of households, for `risk`.

use rustc_hash::FxHashSet;

use super::remarks::without_household;
use crate::encode::named_together;
use crate::error::Result;
use crate::plan::{Plan, Role};
use crate::risk::{self, Assumptions, HouseholdRisk, Member};
use crate::verify::{Published, Shape};

/// The risk that somebody of a household is found, where the table says whose household a row belongs to. Rows that do not say so get a
/// remark. The plan of a release names columns that the release does not have.
pub(super) fn households(
    plan: &Plan,
    published: &Published,
    assumptions: &Assumptions,
    remarks: &mut Vec<String>,
) -> Result<Option<HouseholdRisk>> {
    let table = &published.table;
    let with_role = |role: Role| plan.columns_with(role).map(str::to_owned).collect::<Vec<_>>();
    let columns = with_role(Role::Household);
    let is_there = |name: &String| table.column(name).is_ok();
    if columns.is_empty() || !plan.is_partial() && !columns.iter().all(is_there) {
        return Ok(None);
    }
    let households = named_together(table, &columns, &plan.input.missing)?;
    let persons = with_role(Role::Person);
    let persons = if !persons.is_empty() && persons.iter().all(is_there) {
        Some(whose(named_together(table, &persons, &plan.input.missing)?))
    } else {
        None
    };
    let risks = risks(published, persons.as_deref());
    let classes = &published.classes.of_row;
    let members: Vec<Member> = households
        .into_iter()
        .zip(classes)
        .zip(0..)
        .map(|((household, class), row)| {
            let person = persons.as_ref().map_or(row, |persons| persons[row as usize]);
            Member { household, person, risk: risks[*class as usize] }
        })
        .collect();
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    if let Some((rows, first)) = without_household(table, &names, &plan.input.missing)? {
        let rows = if rows == 1 { "1 row names".to_owned() } else { format!("{rows} rows name") };
        let first = table.number(first);
        remarks.push(format!("{rows} no household, the first is row {first}; the risk of households leaves them out"));
    }
    Ok(Some(risk::households(&members, assumptions.threshold)))
}

/// The persons by number. A row that does not say whose it is is of a person of its own.
fn whose(persons: Vec<Option<u32>>) -> Vec<u32> {
    let mut next = persons.iter().flatten().max().map_or(0, |person| person + 1);
    let mut alone = || {
        next += 1;
        next - 1
    };
    persons.into_iter().map(|person| person.unwrap_or_else(&mut alone)).collect()
}

/// The prosecutor's risk of the records of each class: 1 / records or, where persons are known, 1 / persons.
fn risks(published: &Published, persons: Option<&[u32]>) -> Vec<f64> {
    let classes = &published.classes;
    let sizes = match (&published.shape, persons) {
        (Shape::Ring(rings), _) => rings.windows.clone(),
        (_, None) => classes.sizes.clone(),
        (_, Some(persons)) => {
            let pairs: FxHashSet<(u32, u32)> = classes.of_row.iter().copied().zip(persons.iter().copied()).collect();
            let mut sizes = vec![0; classes.sizes.len()];
            pairs.into_iter().for_each(|(class, _)| sizes[class as usize] += 1);
            sizes
        }
    };
    sizes.into_iter().map(|size| 1.0 / size.max(1) as f64).collect()
}
