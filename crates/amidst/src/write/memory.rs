//! A release that stays in memory. Its columns get the types of the original columns, if possible.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema};
use arrow_select::dictionary::garbage_collect_any_dictionary;

use crate::error::{Error, Result};

/// Converts a table to the types of the schema `like`. Text gets the text type of `like`, and dictionaries stay dictionaries. A column of
/// numbers that became ranges is text.
pub fn shaped(batch: &RecordBatch, like: &Schema) -> Result<RecordBatch> {
    let text = like.fields().iter().map(|field| field.data_type()).find(|of| is_plain_text(of));
    let text = text.cloned().unwrap_or(DataType::Utf8);
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let like = like.column_with_name(field.name()).map(|(_, field)| field);
        let came = like.map(Field::data_type);
        let wanted = match (column.data_type(), came) {
            (DataType::Dictionary(..), Some(came)) if is_plain_text(came) => came.clone(),
            (DataType::Dictionary(key, _), Some(DataType::Dictionary(_, value))) if is_plain_text(value) => {
                DataType::Dictionary(key.clone(), value.clone())
            }
            (DataType::Dictionary(..), _) => text.clone(),
            (own, Some(came @ DataType::Dictionary(_, value))) if **value == *own => came.clone(),
            (own, _) => own.clone(),
        };
        let column = if wanted == *column.data_type() {
            column.clone()
        } else {
            cast(column, &wanted).map_err(|e| Error::internal(field.name(), &e))?
        };
        // Values that no row has any more are removed from the dictionary.
        let column = match column.as_any_dictionary_opt() {
            Some(dictionary) => {
                garbage_collect_any_dictionary(dictionary).map_err(|e| Error::internal(field.name(), &e))?
            }
            None => column,
        };
        // The name of an extension type is kept. Other metadata is dropped, because it may list values.
        let metadata = like.filter(|like| *like.data_type() == wanted).map(|like| like.metadata().clone());
        let mut metadata = metadata.unwrap_or_default();
        metadata.retain(|key, _| key.starts_with("ARROW:extension:"));
        fields.push(Field::new(field.name(), wanted, true).with_metadata(metadata));
        columns.push(column);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
        .map_err(|e| Error::Internal(format!("the columns of a release do not make a table: {e}")))
}

fn is_plain_text(of: &DataType) -> bool {
    matches!(of, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}
