//! Trees that are written down: lines as in ARX, and nested TOML.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path as FilePath;

use super::Path;
use crate::error::{Error, Result};
use crate::plan::BuiltinTree;
use crate::read::check_quotes;

/// Reads a hierarchy file: TOML if it has that extension, otherwise lines.
pub(super) fn file(path: &FilePath) -> Result<Vec<Path>> {
    let name = format!("hierarchy `{}`", path.display());
    let builtin = path.file_name().and_then(|name| name.to_str()?.parse::<BuiltinTree>().ok());
    if let Some(tree) = builtin.filter(|_| !path.exists()) {
        let problem = format!("there is no such file; the built-in tree is {{ builtin = \"{tree}\" }}");
        return Err(Error::Hierarchy { hierarchy: name, line: None, problem });
    }
    let text = file_text(path)?;
    if path.extension().is_none_or(|e| e != "toml") {
        return lines(&name, text.as_bytes());
    }
    let value = toml::from_str::<toml::Value>(&text).map_err(|e| Error::Hierarchy {
        hierarchy: name.clone(),
        line: None,
        problem: e.to_string(),
    })?;
    nested(&name, &value)
}

/// The largest text of a hierarchy file, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The text of a hierarchy file, which may be gzipped.
pub fn file_text(path: &FilePath) -> Result<String> {
    let fail = |e| Error::read(&path.display(), e);
    let wrong = |problem: &str| {
        let hierarchy = format!("hierarchy `{}`", path.display());
        Error::Hierarchy { hierarchy, line: None, problem: problem.to_owned() }
    };
    if path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        return Err(wrong("it is not a file but a device or a pipe")); // opening it could block forever
    }
    let file = File::open(path).map_err(fail)?;
    let mut input = BufReader::new(file);
    let gzip = input.fill_buf().map_err(fail)?.starts_with(&[0x1f, 0x8b]);
    let input: Box<dyn Read> =
        if gzip { Box::new(flate2::bufread::MultiGzDecoder::new(input)) } else { Box::new(input) };
    let mut text = String::new();
    input.take(MAX_FILE_BYTES + 1).read_to_string(&mut text).map_err(fail)?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(wrong("it has more than 256 MiB of text; is this a hierarchy?"));
    }
    Ok(text)
}

/// Parses lines of the form `leaf;level 1;…;root`. Lines may differ in length.
pub(super) fn lines(name: &str, bytes: &[u8]) -> Result<Vec<Path>> {
    check_quotes(bytes, b';', true).map_err(|fault| Error::Hierarchy {
        hierarchy: name.to_owned(),
        line: Some(fault.line as usize),
        problem: fault.kind.to_string(),
    })?;
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(b';')
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(bytes);
    // The position of the reader is before the blank lines that it skips.
    let line = |position: &csv::Position| {
        let blank = bytes[position.byte() as usize..].iter().take_while(|b| b"\r\n".contains(b));
        position.line() as usize + blank.filter(|b| **b == b'\n').count()
    };
    reader
        .records()
        .map(|record| {
            let record = record.map_err(|e| Error::Hierarchy {
                hierarchy: name.to_owned(),
                line: e.position().map(line),
                problem: "the text is not valid UTF-8".to_owned(),
            })?;
            Ok(Path { labels: record.iter().map(str::to_owned).collect(), line: record.position().map(line) })
        })
        .collect()
}

/// Parses `{ root = [leaf, { group = [leaf, …] }, …] }`. A table of groups may replace a list of tables
/// with one group each.
pub(super) fn nested(name: &str, value: &toml::Value) -> Result<Vec<Path>> {
    let fail = |problem: String| Error::Hierarchy { hierarchy: name.to_owned(), line: None, problem };
    match value {
        toml::Value::Table(table) if table.len() == 1 => {}
        toml::Value::Table(table) => {
            let roots: Vec<_> = table.keys().map(String::as_str).collect();
            return Err(fail(format!("it has {} roots ({}); a tree has one", roots.len(), roots.join(", "))));
        }
        _ => return Err(fail("a nested hierarchy is a table with the root as its only key".to_owned())),
    }
    let mut paths = Vec::new();
    descend(value, &mut Vec::new(), &mut paths).map_err(fail)?;
    Ok(paths)
}

fn descend(value: &toml::Value, above: &mut Vec<String>, paths: &mut Vec<Path>) -> Result<(), String> {
    match value {
        toml::Value::Table(groups) => {
            for (label, below) in groups {
                above.push(label.clone());
                descend(below, above, paths)?;
                above.pop();
            }
            Ok(())
        }
        toml::Value::Array(items) => items.iter().try_for_each(|item| descend(item, above, paths)),
        toml::Value::String(_) | toml::Value::Integer(_) | toml::Value::Float(_) | toml::Value::Boolean(_) => {
            let leaf = match value {
                toml::Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let labels = std::iter::once(leaf).chain(above.iter().rev().cloned()).collect();
            paths.push(Path { labels, line: None });
            Ok(())
        }
        toml::Value::Datetime(date) => Err(format!("write the leaf {date} in quotes")),
    }
}
