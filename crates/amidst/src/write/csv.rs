//! The CSV writer. It uses the `csv` crate and writes nested types as Arrow displays them.

use std::fmt::Write as _;
use std::io::{self, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{DictionaryArray, RecordBatch, StringArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};

use crate::progress::Progress;
use crate::read::texts;

enum Cells<'a> {
    Texts(Box<(DictionaryArray<Int32Type>, StringArray)>),
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
        .map(|array| match texts(array) {
            Ok(texts) => {
                let values = texts.values().as_string::<i32>().clone();
                Ok(Cells::Texts(Box::new((texts, values))))
            }
            Err(_) => ArrayFormatter::try_new(array, &format).map(Cells::Other).map_err(io::Error::other),
        })
        .collect::<io::Result<_>>()?;

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
    writer.into_inner().map_err(|e| io::Error::new(e.error().kind(), e.error().to_string()))
}
