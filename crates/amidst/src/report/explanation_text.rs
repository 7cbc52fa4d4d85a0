//! An explanation as text.

use std::fmt;

use super::explanation::{CellExplained, ColumnExplained, Explanation, Narrower, RowExplained, Tried};
use super::text::number;
use super::warning::wrapped;
use crate::notation::{grouped, percent};

/// The length of the longest bar, in characters.
const LONGEST_BAR: usize = 30;

/// The most letters of a cell that stands in a table.
const MAX_LETTERS: usize = 40;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explanation { audience, rows, classes, loss, row, column, remarks } = self;
        if let Some(audience) = audience {
            writeln!(f, "{}: it tells values of the original\n", audience.to_uppercase())?;
        }
        let mean = *rows as f64 / (*classes).max(1) as f64;
        write!(f, "release    {} rows in {} classes, {mean:.1} on average", grouped(*rows), grouped(*classes))?;
        match loss {
            Some(loss) => writeln!(f, "; it loses {} by lm", number(*loss))?,
            None => writeln!(f)?,
        }
        row.iter().try_for_each(|row| write!(f, "{row}"))?;
        column.iter().try_for_each(|column| write!(f, "{column}"))?;
        remarks.iter().try_for_each(|remark| wrapped(f, "note      ", remark))
    }
}

impl fmt::Display for RowExplained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RowExplained { row, class_rows, class_persons, promises, loss, cells, narrower } = self;
        let persons = class_persons.map(|persons| format!(" of {} persons", grouped(persons))).unwrap_or_default();
        let rows = grouped(*class_rows);
        match loss {
            Some(loss) => writeln!(
                f,
                "row        {row}: one of {rows} rows{persons} that look the same; they lose {} by lm",
                number(*loss)
            )?,
            None => writeln!(f, "row        {row}: one of {rows} rows{persons} of a class")?,
        }
        for promise in promises {
            let met = if promise.kept { "met" } else { "NOT MET" };
            let column = promise.column.as_ref().map(|column| format!("{column}: ")).unwrap_or_default();
            writeln!(f, "           {column}{}, {met}: {} here", promise.asked, promise.reached)?;
        }
        let width = |get: fn(&CellExplained) -> &str| cells.iter().map(|cell| letters(get(cell))).max().unwrap_or(0);
        let (columns, texts) = (width(|cell| &cell.column), width(|cell| &cell.cell).min(MAX_LETTERS));
        writeln!(f, "\n  {:columns$}  {:texts$}  {:>8}  {:>8}", "column", "cell", "width", "of loss")?;
        for cell in cells {
            let shown = |share: Option<f64>| share.map(percent).unwrap_or_default();
            let text = short(&cell.cell);
            writeln!(
                f,
                "  {:columns$}  {text:texts$}  {:>8}  {:>8}",
                cell.column,
                shown(cell.width),
                shown(cell.share)
            )?;
            if let Some(forced) = &cell.forced_by {
                let one = if forced.rows == 1 { "row has" } else { "rows have" };
                writeln!(
                    f,
                    "  {:columns$}  {} values; {} {one} {}, the others would be {} ({})",
                    "",
                    grouped(forced.values),
                    grouped(forced.rows),
                    short(&forced.value),
                    short(&forced.without),
                    percent(forced.width_without)
                )?;
            }
        }
        if cells.iter().any(|cell| cell.width.is_some()) {
            writeln!(
                f,
                "\n  width: the share of the column's values that the cell covers; 0 % is one value, 100 % is any value"
            )?;
        }
        if let Some(driver) = cells.first().filter(|cell| cell.share.is_some_and(|share| share > 0.0)) {
            let share = driver.share.map(percent).unwrap_or_default();
            wrapped(f, "driven by ", &format!("{}: {share} of what the class loses", driver.column))?;
        }
        narrower.iter().try_for_each(|narrower| narrower.write(f, *loss))
    }
}

impl Narrower {
    fn write(&self, f: &mut fmt::Formatter<'_>, now: Option<f64>) -> fmt::Result {
        let Narrower { k, classes, loss } = self;
        let text = match (classes, loss) {
            (Some(classes), Some(loss)) => format!(
                "with k = {k} these rows alone could be {classes} classes that lose {} instead of {} (found by a quick run)",
                number(*loss),
                now.map(number).unwrap_or_default()
            ),
            _ => format!("these rows could be two classes only with k = {k} or less"),
        };
        wrapped(f, "narrower  ", &text)
    }
}

impl fmt::Display for ColumnExplained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ColumnExplained {
            column, loss, share, columns, everything, single, widths, widest, values, trials, ..
        } = self;
        let of = if *columns == 1 {
            "the only quasi-identifier".to_owned()
        } else {
            format!("one of {columns} quasi-identifiers")
        };
        let kind = self.kind.map(|kind| format!(", published as {}", kind.name())).unwrap_or_default();
        writeln!(f, "column     {column}: {of}{kind}")?;
        writeln!(f, "           it loses {} by lm, {} of what the release loses", number(*loss), percent(*share))?;
        let rows: usize = widths.iter().map(|bin| bin.rows).sum();
        let share_of = |part: usize| percent(part as f64 / rows.max(1) as f64);
        writeln!(f, "           {} rows ({}) have a single value", grouped(*single), share_of(*single))?;
        writeln!(f, "           {} rows ({}) can be any value", grouped(*everything), share_of(*everything))?;
        writeln!(f, "\nwidth of the cells, and rows")?;
        let most = widths.iter().map(|bin| bin.rows).max().unwrap_or(1).max(1);
        for bin in widths {
            let label = match (bin.above, bin.to) {
                (_, 0.0) => "one value".to_owned(),
                (above, 1.0) if above > 0.99 => "any value".to_owned(),
                (above, to) => format!("{:.0}-{:.0} %", above * 100.0, to * 100.0),
            };
            let bar = "█".repeat((bin.rows * LONGEST_BAR).div_ceil(most));
            writeln!(f, "  {label:>9}  {bar} {}", grouped(bin.rows))?;
        }
        if !widest.is_empty() {
            let width = widest.iter().map(|cell| letters(&cell.cell)).max().unwrap_or(0).min(MAX_LETTERS);
            writeln!(f, "\ncells that lose most")?;
            for cell in widest {
                let (text, rows) = (short(&cell.cell), grouped(cell.rows));
                writeln!(f, "  {text:width$}  {:>8} wide  {rows:>9} rows", percent(cell.width))?;
            }
        }
        if !values.is_empty() {
            let width = values.iter().map(|value| letters(&value.value)).max().unwrap_or(0).min(MAX_LETTERS);
            writeln!(f, "\nvalues of the original whose rows end up widest")?;
            for value in values {
                let (text, rows) = (short(&value.value), grouped(value.rows));
                writeln!(f, "  {text:width$}  {:>8} wide  {rows:>9} rows", percent(value.width))?;
            }
        }
        let Some(trials) = trials else { return Ok(()) };
        let basis = if trials.rows == trials.of {
            "the whole table".to_owned()
        } else {
            format!("{} of {} rows", grouped(trials.rows), grouped(trials.of))
        };
        let width = trials.tried.iter().map(|tried| letters(&tried.choice)).max().unwrap_or(0);
        writeln!(f, "\nother choices, by quick runs on {basis}; compare them with the first line only")?;
        writeln!(f, "  {:width$}  {:>11}  {:>13}", "", "this column", "other columns")?;
        for Tried { choice, column, others } in &trials.tried {
            let loss = |loss: Option<f64>| loss.map_or_else(|| "-".to_owned(), number);
            writeln!(f, "  {choice:width$}  {:>11}  {:>13}", loss(*column), loss(*others))?;
        }
        Ok(())
    }
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

/// A text that fits a table.
fn short(text: &str) -> String {
    if letters(text) <= MAX_LETTERS {
        text.to_owned()
    } else {
        text.chars().take(MAX_LETTERS - 1).chain(['…']).collect()
    }
}
