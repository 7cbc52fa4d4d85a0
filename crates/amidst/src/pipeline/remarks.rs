//! What a user should know about the values of a table, though nothing is wrong with them.

use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use chrono::Datelike;

use crate::encode::recoded;
use crate::error::{Error, Result};
use crate::plan::{Plan, Role};
use crate::publish::Part;
use crate::read::{Spellings, Table, texts};
use crate::schema::dates::DateFormat;
use crate::schema::nature::settle_coded;

/// A year of two digits that is read as this one or a later one was hardly meant so.
const FIRST_DOUBTFUL_YEAR: i32 = 2040;

/// The table with one spelling of each sensitive value where the plan wants that, and what to say about values with several. Spellings
/// of `known`, an older table, go before those of the table.
pub(super) fn spelled(mut table: Table, plan: &Plan, known: Option<&Table>) -> Result<(Table, Vec<String>)> {
    let mut remarks = Vec::new();
    for name in plan.columns_with(Role::Sensitive) {
        let spellings = Spellings::of(&table, name, &plan.input.missing, known)?;
        if !spellings.is_empty() {
            remarks.push(spellings.remark(plan.input.fold, plan.privacy.k));
        }
        if plan.input.fold {
            table = spellings.fold(&table)?;
        }
    }
    Ok((table, remarks))
}

/// The table with the numbers of sensitive and other columns coded where the plan wants that, and what to say about codings that change nothing.
/// The plan says then what the numbers are, so that the verification need not guess.
pub(super) fn coded(mut table: Table, plan: &mut Plan) -> Result<(Table, Vec<String>)> {
    let mut remarks = Vec::new();
    let Plan { columns, input, .. } = plan;
    for (name, column) in columns.iter_mut().filter(|(_, column)| column.is_recoded()) {
        settle_coded(name, column, &table, input)?;
        let (coded, remark) = recoded(&table, name, column, &input.missing)?;
        table = coded;
        remarks.extend(remark);
    }
    Ok((table, remarks))
}

/// What to say about persons who are named in several spellings, and so count as several.
pub(super) fn persons(table: &Table, plan: &Plan) -> Result<Vec<String>> {
    let mut remarks = Vec::new();
    for name in plan.columns_with(Role::Person) {
        let spellings = Spellings::of(table, name, &plan.input.missing, None)?;
        if !spellings.is_empty() {
            remarks.push(spellings.of_persons());
        }
    }
    Ok(remarks)
}

/// What to say about households: that nothing protects them, or that rows do not say whose they are.
pub(super) fn households(table: &Table, plan: &Plan) -> Result<Option<String>> {
    let columns: Vec<&str> = plan.columns_with(Role::Household).collect();
    if columns.is_empty() {
        return Ok(None);
    }
    let names = columns.join("`, `");
    if plan.household_sizes()?.is_empty() {
        return Ok(Some(format!(
            "households (`{names}`) are not counted: the plan does not ask for a number of them, such as household-k(k=3)"
        )));
    }
    let Some((rows, first)) = without_household(table, &columns, &plan.input.missing)? else { return Ok(None) };
    let rows = if rows == 1 { "1 row names".to_owned() } else { format!("{rows} rows name") };
    Ok(Some(format!(
        "{rows} no household (`{names}`), the first is row {} of `{}`; such a row may belong to any household, so it counts for none",
        table.number(first),
        table.name()
    )))
}

/// How many rows name no household, and the first of them; `None` if all name one.
pub(super) fn without_household(table: &Table, columns: &[&str], missing: &[String]) -> Result<Option<(usize, usize)>> {
    let mut lacks = vec![false; table.rows()];
    for name in columns {
        let texts = texts(table.column(name)?).map_err(|e| Error::column(name, &e))?;
        let unsaid = |text: &str| text.is_empty() || missing.iter().any(|marker| marker == text);
        let by_key: Vec<bool> = texts.values().as_string::<i32>().iter().map(|text| text.is_none_or(unsaid)).collect();
        for (row, lacks) in lacks.iter_mut().enumerate() {
            *lacks |= texts.key(row).is_none_or(|key| by_key[key]);
        }
    }
    let first = lacks.iter().position(|lacks| *lacks);
    Ok(first.map(|first| (lacks.iter().filter(|lacks| **lacks).count(), first)))
}

/// What to say about years of two digits that are read as years to come, such as 53 as 2053.
pub(super) fn short_years(table: &Table, plan: &Plan) -> Result<Vec<String>> {
    let mut remarks = Vec::new();
    for (name, column) in &plan.columns {
        let format = column.format.as_deref().filter(|format| format.contains("%y")).and_then(DateFormat::new);
        let (Some(format), Ok(array)) = (format, table.column(name)) else { continue };
        let texts = texts(array).map_err(|e| Error::column(name, &e))?;
        let doubtful = |text: &str| format.read(text).is_some_and(|moment| moment.wall.year() >= FIRST_DOUBTFUL_YEAR);
        let number = texts.values().as_string::<i32>().iter().flatten().filter(|text| doubtful(text)).count();
        if number > 0 {
            let dates = if number == 1 { "1 date is".to_owned() } else { format!("{number} different dates are") };
            remarks.push(format!(
                "`{name}`: years of two digits stand for 1970 to 2069, so {dates} read as {FIRST_DOUBTFUL_YEAR} or later; if that is wrong, as \
                 for dates of birth, the ranges are wrong, too: write years with four digits before you anonymize"
            ));
        }
    }
    Ok(remarks)
}

/// What to say about rows that are left out because their persons have too many.
pub(super) fn over_limit(rows: usize, plan: &Plan) -> Option<String> {
    let most = plan.input.rows_per_person.filter(|_| rows > 0)?;
    let (rows, each) = (
        if rows == 1 { "1 row is".to_owned() } else { format!("{rows} rows are") },
        if most == 1 { "row" } else { "rows" },
    );
    Some(format!("{rows} left out, because at most {most} {each} of each person are kept; the key decides which"))
}

/// What to say about published fields that hold line breaks.
pub(super) fn line_breaks(parts: &[Part]) -> Result<Vec<String>> {
    let mut remarks = Vec::new();
    for Part { table, .. } in parts {
        for (field, column) in table.schema_ref().fields().iter().zip(table.columns()) {
            let is_text = match field.data_type() {
                DataType::Dictionary(_, value) => **value == DataType::Utf8,
                other => matches!(other, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View),
            };
            if !is_text {
                continue;
            }
            let texts = texts(column).map_err(|e| Error::column(field.name(), &e))?;
            let values = texts.values().as_string::<i32>();
            let broken: Vec<bool> = values.iter().map(|v| v.is_some_and(|v| v.contains(['\n', '\r']))).collect();
            if !broken.contains(&true) {
                continue;
            }
            let rows = (0..texts.len()).filter(|row| texts.key(*row).is_some_and(|key| broken[key])).count();
            if rows > 0 {
                let rows =
                    if rows == 1 { "1 published row holds".to_owned() } else { format!("{rows} published rows hold") };
                let name = field.name();
                remarks.push(format!(
                    "column `{name}`: {rows} line breaks in a field; check that no quote in the table has made one field of several \
                     lines, and that those who read the release know"
                ));
            }
        }
    }
    Ok(remarks)
}
