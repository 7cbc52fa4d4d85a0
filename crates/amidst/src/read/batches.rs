//! The reader of Arrow batches.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, FieldRef, Schema};
use arrow_select::concat::concat;

use super::Interner;
use super::intern::{is_text, push_all};
use super::memory::Memory;
use super::table::Table;
use crate::error::{Error, Result};
use crate::progress::Progress;

/// A column that is being built. Text is interned, everything else is kept unchanged.
enum ColumnBuilder {
    Text(Interner),
    /// The arrays, and their size in bytes.
    Plain(Vec<ArrayRef>, usize),
}

impl ColumnBuilder {
    fn new(field: &FieldRef) -> Self {
        if is_text(field.data_type()) {
            ColumnBuilder::Text(Interner::default())
        } else {
            ColumnBuilder::Plain(Vec::new(), 0)
        }
    }

    fn push(&mut self, array: &ArrayRef, column: &str) -> Result<()> {
        match self {
            ColumnBuilder::Text(interner) => {
                push_all(interner, array).map_err(|message| Error::column(column, &message))
            }
            ColumnBuilder::Plain(arrays, size) => {
                let array = undictionaried(array, column)?;
                check_bytes(&array, column)?;
                // The size of the slice, not of the memory that it is a slice of.
                *size += array.to_data().get_slice_memory_size().unwrap_or(0);
                arrays.push(array);
                Ok(())
            }
        }
    }

    /// The size in bytes.
    fn size(&self) -> usize {
        match self {
            ColumnBuilder::Text(interner) => interner.size(),
            ColumnBuilder::Plain(_, size) => *size,
        }
    }

    fn finish(self, name: &str, column: &str) -> Result<ArrayRef> {
        let array = match self {
            ColumnBuilder::Text(interner) => interner.finish(),
            ColumnBuilder::Plain(arrays, _) if arrays.is_empty() => {
                return Err(Error::NoRows { file: name.to_owned() });
            }
            ColumnBuilder::Plain(arrays, _) => concat(&arrays.iter().map(AsRef::as_ref).collect::<Vec<_>>()),
        };
        array.map_err(|e| Error::column(column, &e))
    }
}

impl Table {
    /// A table from Arrow batches. Text columns become dictionaries of distinct texts, all others stay unchanged.
    pub fn from_batches(
        name: &str,
        schema: &Schema,
        batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
        progress: Progress,
    ) -> Result<Self> {
        let broken = |e: ArrowError| Error::Format { file: name.to_owned(), message: e.to_string() };
        from_batches(name, schema, batches.into_iter().map(|batch| batch.map_err(broken)), progress)
    }
}

pub(super) fn from_batches(
    name: &str,
    schema: &Schema,
    batches: impl Iterator<Item = Result<RecordBatch>>,
    progress: Progress,
) -> Result<Table> {
    let fields = schema.fields();
    let memory = Memory::new(name, progress);
    let mut columns: Vec<ColumnBuilder> = fields.iter().map(ColumnBuilder::new).collect();
    let mut rows = 0;
    for batch in batches {
        let batch = batch?;
        for ((column, array), field) in columns.iter_mut().zip(batch.columns()).zip(fields) {
            column.push(array, field.name())?;
        }
        rows += batch.num_rows() as u64;
        memory.check(rows, columns.iter().map(ColumnBuilder::size).sum())?;
        progress.advance(batch.num_rows() as u64)?;
    }
    let columns = columns.into_iter().zip(fields);
    let columns = columns.map(|(column, field)| Ok((field.name().clone(), column.finish(name, field.name())?)));
    Table::new(name, columns.collect::<Result<_>>()?)
}

/// Refuses bytes that are not text. They could neither be compared with the release nor written to a CSV file.
fn check_bytes(array: &ArrayRef, column: &str) -> Result<()> {
    let text = match array.data_type() {
        DataType::Binary => array.as_binary::<i32>().iter().flatten().all(|bytes| str::from_utf8(bytes).is_ok()),
        DataType::LargeBinary => array.as_binary::<i64>().iter().flatten().all(|bytes| str::from_utf8(bytes).is_ok()),
        DataType::BinaryView => array.as_binary_view().iter().flatten().all(|bytes| str::from_utf8(bytes).is_ok()),
        DataType::FixedSizeBinary(_) => false,
        _ => true,
    };
    let advice =
        "it holds bytes that are not text (UTF-8); write them as text, or leave the column out (role identifier)";
    if text { Ok(()) } else { Err(Error::column(column, &advice)) }
}

/// Unpacks dictionaries of values other than text. Only text benefits from them here.
fn undictionaried(array: &ArrayRef, column: &str) -> Result<ArrayRef> {
    match array.data_type() {
        DataType::Dictionary(_, value) => cast(array, value).map_err(|e| Error::column(column, &e)),
        _ => Ok(array.clone()),
    }
}
