//! CSV, by the `csv` crate: dictionaries are written by their texts, other types as Arrow displays them.

use std::fmt::Write as _;
use std::io::{self, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};

use crate::progress::Progress;

enum Cells<'a> {
    Texts(&'a [i32], &'a StringArray, &'a ArrayRef),
    Other(ArrayFormatter<'a>),
}

pub(super) fn write<W: Write>(out: W, batch: &RecordBatch, delimiter: char, progress: Progress) -> io::Result<W> {
    let delimiter = u8::try_from(delimiter).map_err(|_| io::Error::other("the delimiter is not a single byte"))?;
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
    writer.write_record(batch.schema_ref().fields().iter().map(|f| f.name().as_bytes()))?;

    let format = FormatOptions::default();
    let columns: Vec<Cells> = batch
        .columns()
        .iter()
        .map(|array| match array.as_dictionary_opt::<Int32Type>() {
            Some(d) if d.values().as_string_opt::<i32>().is_some() => {
                Ok(Cells::Texts(d.keys().values(), d.values().as_string(), array))
            }
            _ => ArrayFormatter::try_new(array, &format).map(Cells::Other).map_err(io::Error::other),
        })
        .collect::<io::Result<_>>()?;

    let mut text = String::new();
    for row in 0..batch.num_rows() {
        for column in &columns {
            match column {
                Cells::Texts(_, _, array) if array.is_null(row) => writer.write_field(b"")?,
                Cells::Texts(keys, values, _) => writer.write_field(values.value(keys[row] as usize))?,
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
    writer.into_inner().map_err(|e| io::Error::new(e.error().kind(), e.error().to_string()))
}
