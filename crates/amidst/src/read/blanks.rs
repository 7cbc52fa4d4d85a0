//! Blanks around fields. They are part of the values, so `a` and ` a` are two values, and nobody sees the difference.

use std::collections::HashSet;

use arrow_array::cast::AsArray;
use arrow_schema::DataType;

use super::{Table, texts};
use crate::error::{Error, Result, Setting};
use crate::progress::Progress;

/// The most columns that a remark names.
const NAMED: usize = 3;

/// Tells a user of columns with values that differ only in blanks around them. If the table was read from a text, whose blanks can be removed, it
/// also tells of other names and values with blanks.
pub(super) fn remark(table: &Table, is_text: bool, progress: Progress) -> Result<()> {
    let (mut twice, mut around) = (Vec::new(), Vec::new());
    for name in table.names() {
        let column = table.column(name)?;
        let has_texts = matches!(column.data_type(), DataType::Dictionary(_, value) if **value == DataType::Utf8);
        let mut found = name.trim() != name;
        if has_texts {
            let column = texts(column).map_err(|e| Error::column(name, &e))?;
            let values = || column.values().as_string::<i32>().iter().flatten();
            // A cell of blanks alone is missing in any case.
            let odd: HashSet<&str> = values()
                .filter(|value| value.trim() != *value)
                .map(str::trim)
                .filter(|text| !text.is_empty())
                .collect();
            found |= !odd.is_empty();
            if values().filter(|value| odd.contains(value.trim())).count() > odd.len() {
                twice.push(name);
                continue;
            }
        }
        if found {
            around.push(name);
        }
    }
    let file = table.name();
    if !twice.is_empty() {
        let text = format!(
            "`{file}`: {} some values that differ only in blanks around them, and count as different values",
            columns(&twice, "has", "have")
        );
        if is_text {
            progress.remark(&text, &Setting::Trim);
        } else {
            progress.note(&text);
        }
    }
    if is_text && !around.is_empty() {
        let text = format!(
            "`{file}`: {} blanks around names or values, which are taken for a part of them",
            columns(&around, "has", "have")
        );
        progress.remark(&text, &Setting::Trim);
    }
    Ok(())
}

/// Some columns, with the verb for one or for several.
fn columns(names: &[&str], one: &str, several: &str) -> String {
    let more = names.len().saturating_sub(NAMED);
    let listed: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    match (names.len(), more) {
        (1, _) => format!("the column {} {one}", listed[0]),
        (_, 0) => format!("the columns {} {several}", listed.join(", ")),
        _ => format!("the columns {} and {more} more {several}", listed.join(", ")),
    }
}
