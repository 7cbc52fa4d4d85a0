//! A table in memory.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, BooleanArray, DictionaryArray, RecordBatch, StringArray};
use arrow_schema::{Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};

use super::intern::push_all;
use super::{Interner, texts};
use crate::error::{Error, Result, nearest};

/// A table of Arrow columns with at least one row. Text columns are dictionaries of distinct texts.
#[derive(Debug, Clone)]
pub struct Table {
    name: String,
    batch: RecordBatch,
    /// The place of each column by its name.
    columns: Arc<FxHashMap<String, usize>>,
    /// The place of each row in the file, if rows were left out.
    places: Option<Arc<[u32]>>,
}

impl Table {
    /// A table. Messages call it `name`. Refuses unnamed columns, duplicate columns and too many rows.
    pub(crate) fn new(name: &str, columns: Vec<(String, ArrayRef)>) -> Result<Self> {
        check_names(name, columns.iter().map(|(column, _)| column.as_str()))?;
        let rows = columns.first().map_or(0, |(_, array)| array.len());
        check_rows(name, rows as u64)?;
        let (fields, arrays): (Vec<_>, Vec<_>) = columns
            .into_iter()
            .map(|(column, array)| (Field::new(column, array.data_type().clone(), true), array))
            .unzip();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
            .map_err(|e| Error::Format { file: name.to_owned(), message: e.to_string() })?;
        Ok(Table { name: name.to_owned(), columns: places(&batch), batch, places: None })
    }

    /// The name in messages: that of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// The names and types of the columns.
    pub fn schema(&self) -> SchemaRef {
        self.batch.schema()
    }

    /// The columns.
    pub fn batch(&self) -> &RecordBatch {
        &self.batch
    }

    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.batch.schema_ref().fields().iter().map(|f| f.name().as_str())
    }

    /// A column by its name. The error suggests a similar name.
    pub fn column(&self, column: &str) -> Result<&ArrayRef> {
        let found = self.columns.get(column).map(|place| self.batch.column(*place));
        found.ok_or_else(|| {
            let names: Vec<_> = self.names().map(str::to_owned).collect();
            if let [one] = names.as_slice()
                && let Some(delimiter) = [';', '\t', '|', ','].iter().find(|d| one.contains(**d))
            {
                return Error::Delimiter {
                    column: column.to_owned(),
                    file: self.name.clone(),
                    only: one.clone(),
                    delimiter: *delimiter,
                };
            }
            Error::UnknownColumn {
                column: column.to_owned(),
                file: self.name.clone(),
                suggestion: nearest(column, self.names()),
                known: names,
            }
        })
    }

    /// The texts of some rows of a column. Null is the empty text.
    pub fn cells(&self, column: &str, rows: &[usize]) -> Result<Vec<String>> {
        let texts = texts(self.column(column)?).map_err(|e| Error::column(column, &e))?;
        let values = texts.values().as_string::<i32>();
        let cell = |row: &usize| match texts.key(*row) {
            Some(key) => values.value(key).to_owned(),
            None => String::new(),
        };
        Ok(rows.iter().map(cell).collect())
    }

    /// The table without these columns.
    pub fn without(&self, columns: &[String]) -> Result<Self> {
        let kept = self.batch.schema_ref().fields().iter().enumerate();
        let gone: FxHashSet<&String> = columns.iter().collect();
        let kept: Vec<usize> = kept.filter(|(_, f)| !gone.contains(f.name())).map(|(place, _)| place).collect();
        let batch = self.batch.project(&kept).map_err(|e| Error::Internal(format!("`{}`: {e}", self.name)))?;
        Ok(Table { columns: places(&batch), batch, ..self.clone() })
    }

    /// The table with some texts of a column replaced. The column becomes one of texts.
    pub(crate) fn recoded(&self, column: &str, new: &FxHashMap<&str, String>) -> Result<Self> {
        let fail = |e: &dyn ToString| Error::column(column, &e.to_string());
        let texts = texts(self.column(column)?).map_err(|e| fail(&e))?;
        let text = |text| new.get(text).map_or(text, String::as_str);
        let values: StringArray = texts.values().as_string::<i32>().iter().map(|old| old.map(text)).collect();
        let recoded = DictionaryArray::<Int32Type>::try_new(texts.keys().clone(), Arc::new(values));
        let mut interner = Interner::default();
        push_all(&mut interner, &(Arc::new(recoded.map_err(|e| fail(&e))?) as ArrayRef)).map_err(|e| fail(&e))?;
        self.with(column, &interner.finish().map_err(|e| fail(&e))?)
    }

    /// The table with a column replaced.
    pub(super) fn with(&self, column: &str, array: &ArrayRef) -> Result<Self> {
        let place = self.columns.get(column).copied();
        let arrays = self.batch.columns().iter().zip(0..);
        let arrays = arrays.map(|(old, at)| if Some(at) == place { array } else { old }.clone()).collect();
        let field = |(old, at): (&Arc<Field>, usize)| match at {
            at if Some(at) == place => Arc::new(Field::new(old.name(), array.data_type().clone(), true)),
            _ => old.clone(),
        };
        let fields: Vec<Arc<Field>> = self.batch.schema_ref().fields().iter().zip(0..).map(field).collect();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
        let batch = batch.map_err(|e| Error::Format { file: self.name.clone(), message: e.to_string() })?;
        Ok(Table { batch, ..self.clone() })
    }

    /// SHA-256 over the names of the columns and all texts. It identifies the table.
    pub fn fingerprint(&self) -> Result<String> {
        let mut digest = Sha256::new();
        let mut put = |text: &str| {
            digest.update((text.len() as u64).to_le_bytes());
            digest.update(text);
        };
        for name in self.names() {
            put(name);
            let texts = texts(self.column(name)?).map_err(|e| Error::column(name, &e))?;
            let values = texts.values().as_string::<i32>();
            (0..texts.len()).for_each(|row| put(texts.key(row).map_or("", |key| values.value(key))));
        }
        Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The table without the rows for which `keep` is false.
    pub fn filter(&self, keep: &BooleanArray) -> Result<Self> {
        let batch =
            filter_record_batch(&self.batch, keep).map_err(|e| Error::Internal(format!("`{}`: {e}", self.name)))?;
        let places = (0..self.rows()).filter(|row| keep.value(*row)).map(|row| self.number(row) as u32 - 1);
        Ok(Table { batch, places: Some(places.collect()), ..self.clone() })
    }

    /// The number of a row in messages: its place in the file, counted from 1.
    pub fn number(&self, row: usize) -> usize {
        self.places.as_ref().map_or(row, |places| places[row] as usize) + 1
    }
}

fn places(batch: &RecordBatch) -> Arc<FxHashMap<String, usize>> {
    let names = batch.schema_ref().fields().iter().map(|field| field.name().clone());
    Arc::new(names.zip(0..).collect())
}

/// The most columns of a table. Each takes some memory even if it is empty.
pub(super) const COLUMN_LIMIT: usize = 1_000_000;

pub(super) fn too_many_columns(file: &str, columns: usize) -> Error {
    let message = format!("it has {columns} columns; at most {COLUMN_LIMIT} are supported in one table");
    Error::Format { file: file.to_owned(), message }
}

/// Refuses unnamed and duplicate columns.
/// What a column is called: by its place, counted from 0, if it has no name.
pub(crate) fn named(name: &str, place: usize) -> String {
    if name.is_empty() { format!("column_{}", place + 1) } else { name.to_owned() }
}

/// The same columns, with a name for each.
pub(crate) fn with_names(schema: &Schema) -> Schema {
    let fields = schema.fields().iter().enumerate();
    let fields = fields.map(|(place, field)| field.as_ref().clone().with_name(named(field.name(), place)));
    Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone())
}

pub(crate) fn check_names<'a>(file: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
    for (name, position) in names.zip(1..) {
        if name.is_empty() {
            return Err(Error::UnnamedColumn { file: file.to_owned(), position });
        }
        if let Some(first) = seen.insert(name, position) {
            return Err(Error::DuplicateColumn {
                file: file.to_owned(),
                column: name.to_owned(),
                first,
                second: position,
            });
        }
    }
    Ok(())
}

/// Refuses to skip a column that does not exist. If its name was mistyped, the real column would be published.
pub(super) fn check_skipped(file: &str, names: &[String], skip: &[String]) -> Result<()> {
    let known: FxHashSet<&String> = names.iter().collect();
    match skip.iter().find(|column| !known.contains(column)) {
        None => Ok(()),
        Some(column) => Err(Error::UnknownColumn {
            column: column.clone(),
            file: file.to_owned(),
            suggestion: nearest(column, names.iter().map(String::as_str)),
            known: names.to_vec(),
        }),
    }
}

/// Refuses empty tables, and those with more rows than fit the keys of dictionaries (31 bits).
pub(crate) fn check_rows(file: &str, rows: u64) -> Result<()> {
    let limit = i32::MAX as u64;
    match rows {
        0 => Err(Error::NoRows { file: file.to_owned() }),
        rows if rows > limit => Err(Error::TooManyRows { file: file.to_owned(), rows, limit }),
        _ => Ok(()),
    }
}
