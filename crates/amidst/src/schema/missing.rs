//! Which texts of a table stand for a missing value.
//!
//! Empty cells, cells of nothing but blanks, and the usual spellings (`NA`, `?`, `null`) do, and what the user names. Every command, plan and
//! front end follows this rule. What was found is added to the plan, so that a stored plan lists all texts that counted as missing.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;

use crate::plan::{Input, Plan, Role};
use crate::read::Table;

/// The usual spellings of a missing value, without blanks around them.
const USUAL: &[&str] = &["", "?", "NA", "N/A", "na", "n/a", "NaN", "nan", "NULL", "null", "None", "."];

/// The place of a text among the usual spellings, if it is one.
fn place(text: &str) -> Option<usize> {
    USUAL.iter().position(|usual| *usual == text.trim())
}

/// Adds the usual spellings that occur in a table to those that the input names, unless only these count.
pub fn add_usual(input: &mut Input, table: &Table) {
    if input.missing_only {
        return;
    }
    let columns = table.batch().columns().iter().filter_map(|column| column.as_dictionary_opt::<Int32Type>());
    let texts = columns.filter_map(|column| column.values().as_string_opt::<i32>()).flatten().flatten();
    let mut found: Vec<(usize, &str)> = texts.filter_map(|text| Some((place(text)?, text))).collect();
    found.sort_unstable();
    found.dedup();
    for (_, text) in found {
        if !input.missing.iter().any(|known| known == text) {
            input.missing.push(text.to_owned());
        }
    }
}

/// What to say about texts, other than blanks, that nobody named and that count as missing in columns that are protected.
pub fn remark(table: &Table, plan: &Plan, named: &[String]) -> Option<String> {
    let mut found = Vec::new();
    let is_told = |role: Role| !matches!(role, Role::Identifier | Role::Other);
    for (name, _) in plan.columns.iter().filter(|(_, column)| is_told(column.role)) {
        let Some(texts) = table.column(name).ok().and_then(|array| array.as_dictionary_opt::<Int32Type>()) else {
            continue;
        };
        let Some(values) = texts.values().as_string_opt::<i32>() else { continue };
        // In the order of the plan, not in that of the rows.
        let mut taken = Vec::new();
        for text in plan.input.missing.iter().filter(|text| !text.trim().is_empty() && !named.contains(text)) {
            taken.extend((0..values.len()).filter(|key| values.value(*key) == text));
        }
        if taken.is_empty() {
            continue;
        }
        let mut cells = vec![0_usize; values.len()];
        texts.keys().iter().flatten().for_each(|key| cells[key as usize] += 1);
        found.extend(taken.into_iter().filter(|key| cells[*key] > 0).map(|key| {
            let of = if cells[key] == 1 { "cell" } else { "cells" };
            format!("`{}` in {} {of} of `{name}`", values.value(key), cells[key])
        }));
    }
    let all = found.join(", ");
    (!found.is_empty()).then(|| {
        format!("taken as missing: {all}; if these are values, let only the texts count that are named (missing_only)")
    })
}
