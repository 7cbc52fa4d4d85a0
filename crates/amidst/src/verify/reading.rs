//! The reader of the verification. It reads tables as texts and is independent of the reader that releases are made with.
//!
//! CSV is read record by record with the `csv` crate. Everything else is read with Arrow's cast to text. Each column becomes a dictionary of its
//! distinct texts; nested columns stay as they are. As in the other reader, NaN is missing, a time at midnight is a day, and times of a named
//! zone are in universal time.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, BooleanArray, DictionaryArray, RecordBatch, UInt64Array};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use arrow_select::concat::concat;
use csv::{ByteRecord, ReaderBuilder};

use super::recoded::Recoded;
use super::text_column::TextColumn;
use super::{Failure, coded, keyed, parquet, spelling};
use crate::error::{Error, Result};
use crate::plan::{Encoding, Input, MissingPerson, MissingRows, Plan, Role};
use crate::progress::Progress;
use crate::read::{Memory, Source, Strict, Table, delimiter};

/// Reads the original as a plan says, without the rows that the plan drops. If the plan folds spellings, each sensitive value has one
/// spelling, preferably that of the already published table `older`. Numbers of sensitive and other columns are coded as the plan says.
///
/// Identifiers are numbers, to see whether they repeat: equal texts have equal numbers. If the plan says whose the rows are, nobody asks that,
/// and identifiers are not read.
pub fn original(source: &Source, plan: &Plan, older: Option<&Table>, progress: Progress) -> Result<Table> {
    let of_identifiers = if plan.columns_with(Role::Person).next().is_some() { Take::Nothing } else { Take::Prints };
    let take = |name: &str| match plan.columns.get(name) {
        Some(column) if column.role == Role::Identifier && column.publish.is_none() => of_identifiers,
        _ => Take::Texts,
    };
    let mut table = table(source, &plan.input, take, progress)?;
    if plan.input.fold {
        table = spelling::folded(&table, plan, older)?;
    }
    table = coded::coded(&table, plan)?;
    let complete = plan.input.missing_rows == MissingRows::Drop;
    let known = plan.input.missing_person == MissingPerson::Drop;
    let needed = |role: Role| match role {
        Role::Quasi | Role::Sensitive => complete,
        Role::Person => known,
        _ => false,
    };
    let needed = plan.columns.iter().filter(|(_, column)| needed(column.role)).map(|(name, _)| name);
    let mut kept = vec![true; table.rows()];
    for name in needed {
        let texts = texts(&table, name)?;
        let is_missing = |text: &str| plan.input.missing.iter().any(|missing| missing == text);
        for (row, kept) in kept.iter_mut().enumerate() {
            let empty = |text: &str| text.is_empty() && plan.columns[name].role == Role::Person;
            *kept &= text(&texts, row).is_some_and(|text| !is_missing(text) && !empty(text));
        }
    }
    let table = if kept.contains(&false) { table.filter(&BooleanArray::from(kept))? } else { table };
    keyed::limited(table, plan)
}

/// Reads a table of a release.
pub fn release(source: &Source, input: &Input, progress: Progress) -> Result<Table> {
    table(source, input, |_| Take::Texts, progress)
}

/// Refuses a table in memory with a dictionary that has a value that no row has. Such a value would be handed out without being checked.
pub fn spare_values(batch: &RecordBatch) -> Result<(), Failure> {
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let Some(dictionary) = column.as_any_dictionary_opt() else { continue };
        let mut used = vec![false; dictionary.values().len()];
        if !used.is_empty() {
            let keys = dictionary.normalized_keys().into_iter().enumerate();
            keys.filter(|(row, _)| dictionary.is_valid(*row)).for_each(|(_, key)| used[key] = true);
        }
        let spare = used.iter().filter(|used| !**used).count();
        if spare > 0 {
            let name = field.name();
            return Err(Failure(format!("column `{name}`: its dictionary has {spare} values that no row has")));
        }
    }
    Ok(())
}

/// What is read of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Take {
    /// Its texts.
    Texts,
    /// A number for each text, which takes less time and memory where most texts are different.
    Prints,
    /// Nothing.
    Nothing,
}

impl Take {
    /// The same for a column of some type. Nested columns have no texts to number.
    pub(super) fn of(self, data_type: &DataType) -> Take {
        if self == Take::Prints && data_type.is_nested() { Take::Nothing } else { self }
    }
}

fn table(source: &Source, input: &Input, take: impl Fn(&str) -> Take + Copy, progress: Progress) -> Result<Table> {
    let name = source.name();
    let how = |path: Option<&Path>| -> Result<How> {
        let said = input.delimiter.unwrap_or(',');
        let asked = path.map_or(said, |path| delimiter(path, said));
        let by_name = asked != said;
        let delimiter = u8::try_from(asked).map_err(|_| broken(&name, &"the delimiter is not a single byte"))?;
        Ok(How { delimiter, by_name, trim: input.trim, header: input.header != Some(false), encoding: input.encoding })
    };
    match source {
        Source::File(path) => {
            let file = File::open(path).map_err(|e| Error::read(&name, e))?;
            let again = file.try_clone().map_err(|e| Error::read(&name, e))?;
            bytes(&name, file, || parquet::read(&name, again, take, progress), how(Some(path))?, take, progress)
        }
        Source::Held(_, held) => {
            let parquet = || parquet::read(&name, held.clone(), take, progress);
            bytes(&name, Cursor::new(held.clone()), parquet, how(None)?, take, progress)
        }
        Source::Memory(frame, _) => {
            let batches = frame.batches().iter().cloned().map(Ok);
            batches_of(&name, frame.schema(), batches, take, progress)
        }
    }
}

/// How a CSV file is written.
#[derive(Clone, Copy)]
struct How {
    delimiter: u8,
    /// Whether only the name of the file says so.
    by_name: bool,
    trim: bool,
    header: bool,
    /// UTF-8 if there is none.
    encoding: Option<Encoding>,
}

fn broken(file: &str, message: &dyn std::fmt::Display) -> Error {
    Error::Format { file: file.to_owned(), message: message.to_string() }
}

/// Reads a file. Its first bytes show its format.
fn bytes(
    name: &str,
    input: impl Read,
    parquet: impl FnOnce() -> Result<Table>,
    how: How,
    take: impl Fn(&str) -> Take,
    progress: Progress,
) -> Result<Table> {
    let mut input = BufReader::with_capacity(1 << 18, input);
    let failed = |e: io::Error| Error::read(name, e);
    let start = input.fill_buf().map_err(failed)?;
    if start.starts_with(b"PAR1") {
        return parquet();
    }
    if start.starts_with(&[0x1f, 0x8b]) {
        return plain(name, flate2::bufread::MultiGzDecoder::new(input), how, take, progress);
    }
    if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        let text = zstd::stream::read::Decoder::with_buffer(input).map_err(failed)?;
        return plain(name, text, how, take, progress);
    }
    plain(name, input, how, take, progress)
}

/// Reads a CSV file in the encoding that the plan says.
fn plain(name: &str, input: impl Read, how: How, take: impl Fn(&str) -> Take, progress: Progress) -> Result<Table> {
    match how.encoding.filter(|encoding| *encoding != Encoding::UTF_8) {
        Some(encoding) => records(name, Recoded::new(input, encoding), how, take, progress),
        None => records(name, input, how, take, progress),
    }
}

/// The text behind a first line that only names the delimiter, and the delimiter: a file that tabs are expected in by its name has commas if
/// there is one in the first line, and no tab.
fn behind_announcement(mut input: impl Read, how: How) -> io::Result<(impl Read, u8)> {
    let mut start = Vec::new();
    input.by_ref().take(1 << 16).read_to_end(&mut start)?;
    let mut lines = start.splitn(2, |byte| *byte == b'\n');
    let line = String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
    let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let bare = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).unwrap_or(line);
    let announces = bare.len() == 5 && bare.starts_with("sep=") && !bare.ends_with('"');
    if announces {
        // The line is emptied, so that all others keep their numbers.
        start = lines.next().map(|rest| [b"\n", rest].concat()).unwrap_or_default();
    }
    let mut header = start.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let header = header.next().unwrap_or_default();
    let has_commas = how.by_name && header.contains(&b',') && !header.contains(&b'\t');
    Ok((Cursor::new(start).chain(input), if has_commas { b',' } else { how.delimiter }))
}

/// Reads the records of a CSV file.
fn records(name: &str, input: impl Read, how: How, take: impl Fn(&str) -> Take, progress: Progress) -> Result<Table> {
    let How { trim, header, .. } = how;
    let (input, delimiter) = behind_announcement(input, how).map_err(|e| broken(name, &e))?;
    let input = Strict::new(input, delimiter, trim, progress).map_err(|e| Error::read(name, e))?;
    let mut reader =
        ReaderBuilder::new().delimiter(delimiter).has_headers(header).buffer_capacity(1 << 18).from_reader(input);
    let odd = |e: csv::Error| match e.into_kind() {
        csv::ErrorKind::Io(e) if e.get_ref().is_some_and(|e| matches!(e.downcast_ref(), Some(Error::Interrupted))) => {
            Error::Interrupted
        }
        csv::ErrorKind::Io(e) => broken(name, &e),
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.map(|pos| format!("line {}: ", pos.line())).unwrap_or_default();
            broken(name, &format!("{line}{len} fields where the first row has {expected_len}"))
        }
        _ => broken(name, &"it is not a CSV file"),
    };
    let text = |field: &'_ [u8]| -> Result<String> {
        let field = if trim { field.trim_ascii() } else { field };
        std::str::from_utf8(field).map(str::to_owned).map_err(|e| broken(name, &e))
    };
    let first: Vec<String> = match reader.byte_headers().map_err(odd)? {
        names if header => names.iter().map(text).collect::<Result<_>>()?,
        values => vec![String::new(); values.len()],
    };
    // What has no name is called by its place.
    let named = |(name, place): (String, usize)| if name.is_empty() { format!("column_{place}") } else { name };
    let header: Vec<String> = first.into_iter().zip(1..).map(named).collect();
    let mut columns: Vec<Option<Growing>> = header.iter().map(|column| Growing::new(take(column))).collect();
    let memory = Memory::new(name, progress);
    let mut record = ByteRecord::new();
    let mut rows = 0_u64;
    while reader.read_byte_record(&mut record).map_err(odd)? {
        for (column, field) in columns.iter_mut().zip(&record) {
            if let Some(column) = column {
                let field = if trim { field.trim_ascii() } else { field };
                column.push(field).map_err(|e| broken(name, &e))?;
            }
        }
        rows += 1;
        if rows.is_multiple_of(4096) {
            memory.check(rows, columns.iter().flatten().map(Growing::size).sum())?;
            progress.advance(0)?;
        }
    }
    let kept = header.into_iter().zip(columns).filter_map(|(name, column)| Some((name, column?)));
    let kept = kept.map(|(column, texts)| texts.finish(name, &column).map(|texts| (column, texts)));
    Table::new(name, kept.collect::<Result<_>>()?)
}

/// Reads the rows of Arrow batches.
pub(super) fn batches_of(
    name: &str,
    schema: &Schema,
    batches: impl Iterator<Item = Result<RecordBatch>>,
    take: impl Fn(&str) -> Take,
    progress: Progress,
) -> Result<Table> {
    let taken = |field: &Field| take(field.name()).of(field.data_type());
    let growing = |field: &Field| match taken(field) {
        Take::Texts if field.data_type().is_nested() => Some(Growing::Nested(Vec::new())),
        take => Growing::new(take),
    };
    let fields = schema.fields().iter().enumerate();
    let (fields, mut columns): (Vec<_>, Vec<Growing>) =
        fields.filter_map(|(place, field)| Some(((place, field), growing(field)?))).unzip();
    let memory = Memory::new(name, progress);
    let mut rows = 0;
    for batch in batches {
        let batch = batch?;
        for (column, (place, field)) in columns.iter_mut().zip(&fields) {
            let array = batch.column(*place);
            column.extend(array).map_err(|e| Error::column(field.name(), &e))?;
        }
        rows += batch.num_rows() as u64;
        memory.check(rows, columns.iter().map(Growing::size).sum())?;
        progress.advance(0)?;
    }
    let finished = columns.into_iter().zip(fields);
    let finished = finished.map(|(column, (_, field))| Ok((field.name().clone(), column.finish(name, field.name())?)));
    Table::new(name, finished.collect::<Result<_>>()?)
}

/// A column that is being built.
enum Growing {
    Texts(Box<TextColumn>),
    /// A number for each text that is there.
    Prints(Vec<Option<u64>>),
    Nested(Vec<ArrayRef>),
}

impl Growing {
    fn new(take: Take) -> Option<Self> {
        match take {
            Take::Texts => Some(Growing::Texts(Box::default())),
            Take::Prints => Some(Growing::Prints(Vec::new())),
            Take::Nothing => None,
        }
    }

    /// Appends a field of a CSV file.
    fn push(&mut self, field: &[u8]) -> Result<(), String> {
        match self {
            Growing::Prints(prints) => prints.push(print(field)),
            Growing::Texts(texts) => texts.push(field)?,
            Growing::Nested(_) => {}
        }
        Ok(())
    }

    /// Appends the rows of an array.
    fn extend(&mut self, array: &ArrayRef) -> Result<(), ArrowError> {
        match self {
            Growing::Nested(arrays) => arrays.push(array.clone()),
            Growing::Texts(column) => column.extend(array)?,
            Growing::Prints(prints) => {
                // What has no text has no number either, and says nothing about whose the rows are.
                match in_universal_time(array.clone()).and_then(|array| cast(&array, &DataType::LargeUtf8)) {
                    Ok(texts) => {
                        let texts = texts.as_string::<i64>().iter();
                        prints.extend(texts.map(|text| text.and_then(|text| print(text.as_bytes()))));
                    }
                    Err(_) => prints.resize(prints.len() + array.len(), None),
                }
            }
        }
        Ok(())
    }

    fn size(&self) -> usize {
        match self {
            Growing::Texts(column) => column.size(),
            Growing::Prints(prints) => size_of::<Option<u64>>() * prints.len(),
            Growing::Nested(arrays) => arrays.iter().map(Array::get_array_memory_size).sum(),
        }
    }

    /// The column of that name of a table.
    fn finish(self, table: &str, column: &str) -> Result<ArrayRef> {
        match self {
            Growing::Texts(texts) => Ok(Arc::new(texts.finish().map_err(|e| Error::column(column, &e))?)),
            Growing::Prints(prints) => Ok(Arc::new(UInt64Array::from(prints))),
            Growing::Nested(arrays) if arrays.is_empty() => Err(Error::NoRows { file: table.to_owned() }),
            Growing::Nested(arrays) => {
                let arrays: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
                concat(&arrays).map_err(|e| Error::column(column, &e))
            }
        }
    }
}

/// Times of a zone with a name, such as `Europe/Berlin`, in universal time. All other arrays stay as they are.
pub(super) fn in_universal_time(array: ArrayRef) -> Result<ArrayRef, ArrowError> {
    let DataType::Timestamp(unit, Some(zone)) = array.data_type() else { return Ok(array) };
    let is_offset = zone.bytes().next().is_some_and(|sign| sign == b'+' || sign == b'-');
    if is_offset { Ok(array) } else { cast(&array, &DataType::Timestamp(*unit, Some("+00:00".into()))) }
}

/// A number for a text; none if it is empty. That two texts of a million have the same number by chance happens once in 37 million tables.
pub(super) fn print(text: &[u8]) -> Option<u64> {
    // Its keys are fixed, so a table has the same numbers in every run.
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    (!text.is_empty()).then(|| hasher.finish())
}

/// The texts of a column, as a dictionary of the distinct ones.
pub(super) type Texts = DictionaryArray<Int32Type>;

/// The texts of a column.
pub(super) fn texts(table: &Table, column: &str) -> Result<Texts> {
    texts_of(table.column(column)?).map_err(|e| Error::column(column, &e))
}

/// The texts of an array.
pub(super) fn texts_of(array: &ArrayRef) -> Result<Texts, String> {
    if let Some(texts) = array.as_dictionary_opt::<Int32Type>()
        && texts.values().as_string_opt::<i32>().is_some()
    {
        return Ok(texts.clone());
    }
    let mut texts = TextColumn::default();
    texts.extend(array).and_then(|()| texts.finish()).map_err(|e| e.to_string())
}

/// The text in a row; `None` for null.
pub(super) fn text(texts: &Texts, row: usize) -> Option<&str> {
    texts.key(row).map(|key| texts.values().as_string::<i32>().value(key))
}

/// The distinct texts by key; `None` for a text that no row has.
pub(super) fn distinct(texts: &Texts) -> Vec<Option<&str>> {
    let values = texts.values().as_string::<i32>();
    let mut distinct = vec![None; values.len()];
    texts.keys().iter().flatten().for_each(|key| distinct[key as usize] = Some(values.value(key as usize)));
    distinct
}
