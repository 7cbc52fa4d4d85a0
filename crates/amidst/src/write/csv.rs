//! The CSV writer. It uses the `csv` crate and writes nested types as Arrow displays them.
//!
//! Cells repeat. So in plain files each distinct text is written once, with its quotes, and copied from there.

use std::fmt::Write as _;
use std::io::{self, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, DictionaryArray, Int32Array, RecordBatch, StringArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};

use crate::progress::Progress;
use crate::read::texts;

/// The least number of rows for each distinct text of a column whose texts are written once.
const MIN_ROWS_PER_TEXT: usize = 4;
/// The size at which a piece of the file is passed on, in bytes.
const PIECE_BYTES: usize = 1 << 16;

enum Cells<'a> {
    Texts(Box<(DictionaryArray<Int32Type>, StringArray)>),
    Other(ArrayFormatter<'a>),
}

impl Cells<'_> {
    /// The texts of a column of so many rows, if they repeat often.
    fn repeating(&self, rows: usize) -> Option<&(DictionaryArray<Int32Type>, StringArray)> {
        match self {
            Cells::Texts(column) if column.1.len() <= rows / MIN_ROWS_PER_TEXT => Some(&**column),
            _ => None,
        }
    }
}

/// Writes a table. With `copies`, cells that repeat are copied and passed on in other pieces. A compressed file depends on the pieces, so there
/// every cell is written by itself.
pub(super) fn write<W: Write>(
    out: W,
    batch: &RecordBatch,
    delimiter: char,
    copies: bool,
    progress: Progress,
) -> io::Result<W> {
    let delimiter = u8::try_from(delimiter).map_err(|_| io::Error::other("the delimiter is not a single byte"))?;
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
    writer.write_record(batch.schema_ref().fields().iter().map(|f| f.name().as_bytes()))?;

    let format = FormatOptions::default();
    let columns: Vec<Cells> = batch
        .columns()
        .iter()
        .map(|array| match texts(array) {
            Ok(texts) => {
                let values = texts.values().as_string::<i32>().clone();
                Ok(Cells::Texts(Box::new((texts, values))))
            }
            Err(_) => ArrayFormatter::try_new(array, &format).map(Cells::Other).map_err(io::Error::other),
        })
        .collect::<io::Result<_>>()?;
    if copies
        && let Some(repeating) =
            columns.iter().map(|column| column.repeating(batch.num_rows())).collect::<Option<Vec<_>>>()
    {
        return write_repeating(finished(writer)?, &repeating, delimiter, progress);
    }

    let mut text = String::new();
    for row in 0..batch.num_rows() {
        for column in &columns {
            match column {
                Cells::Texts(column) => {
                    let (texts, values) = &**column;
                    writer.write_field(texts.key(row).map_or("", |key| values.value(key)))?;
                }
                Cells::Other(formatter) => {
                    text.clear();
                    write!(text, "{}", formatter.value(row)).map_err(io::Error::other)?;
                    writer.write_field(&text)?;
                }
            }
        }
        writer.write_record(None::<&[u8]>)?;
        if row % 4096 == 4095 {
            progress.advance(4096).map_err(io::Error::other)?;
        }
    }
    finished(writer)
}

/// Writes the rows of columns whose texts repeat.
fn write_repeating<W: Write>(
    mut out: W,
    columns: &[&(DictionaryArray<Int32Type>, StringArray)],
    delimiter: u8,
    progress: Progress,
) -> io::Result<W> {
    let alone = columns.len() == 1;
    let ends = (1..=columns.len()).map(|number| if number < columns.len() { delimiter } else { b'\n' });
    let quoted = columns.iter().zip(ends).map(|((_, values), end)| Quoted::new(values, delimiter, end, alone));
    let quoted = quoted.collect::<io::Result<Vec<_>>>()?;
    let columns: Vec<(&Int32Array, Quoted)> = columns.iter().map(|(texts, _)| texts.keys()).zip(quoted).collect();
    let rows = columns.first().map_or(0, |(keys, _)| keys.len());
    let mut piece = Vec::with_capacity(2 * PIECE_BYTES);
    for row in 0..rows {
        for (keys, quoted) in &columns {
            piece.extend_from_slice(quoted.of(keys.is_valid(row).then(|| keys.value(row))));
        }
        if piece.len() >= PIECE_BYTES {
            out.write_all(&piece)?;
            piece.clear();
        }
        if row % 4096 == 4095 {
            progress.advance(4096).map_err(io::Error::other)?;
        }
    }
    out.write_all(&piece)?;
    Ok(out)
}

/// The distinct texts of a column as they stand in the file, each with the delimiter or the line break behind it.
struct Quoted {
    bytes: Vec<u8>,
    /// The end of each text in `bytes`; the last is that of null.
    ends: Vec<usize>,
}

impl Quoted {
    /// The texts of a column that is followed by `end`. A field that is `alone` in its row is quoted if it is empty.
    fn new(values: &StringArray, delimiter: u8, end: u8, alone: bool) -> io::Result<Self> {
        // Each text is a row with an empty field behind it, unless it is alone.
        let fields = if alone { 1 } else { 2 };
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        let (mut bytes, mut ends, mut start) = (Vec::new(), Vec::with_capacity(values.len() + 1), 0);
        for text in values.iter().map(Option::unwrap_or_default).chain([""]) {
            writer.write_record([text, ""].into_iter().take(fields))?;
            writer.flush()?;
            let row = &writer.get_ref()[start..];
            bytes.extend_from_slice(&row[..row.len() - fields]);
            bytes.push(end);
            start += row.len();
            ends.push(bytes.len());
        }
        Ok(Quoted { bytes, ends })
    }

    /// The text of a key, or that of null.
    fn of(&self, key: Option<i32>) -> &[u8] {
        let place = key.map_or(self.ends.len() - 1, |key| key as usize);
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[place]]
    }
}

/// What a writer wrote to.
fn finished<W: Write>(writer: csv::Writer<W>) -> io::Result<W> {
    writer.into_inner().map_err(|e| io::Error::new(e.error().kind(), e.error().to_string()))
}
