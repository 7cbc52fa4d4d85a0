//! Reads files, streams and tables in memory into a [`Table`] of Arrow columns.
//!
//! The first bytes of a file show whether it is CSV or Parquet, and whether it is compressed. What a plan leaves open about a text file is detected
//! ([`read_as_found`]): its encoding, its delimiter, and whether it has a header. All text becomes dictionary-encoded
//! ([`Interner`]), so that later stages look at each distinct value once, and a cell takes four bytes. This stage knows nothing about privacy.

mod batches;
mod blanks;
mod csv;
#[cfg(feature = "parquet")]
mod damage;
mod decode;
mod first_line;
mod foreign;
mod found;
mod intern;
mod letters;
mod memory;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
mod parquet;
mod sample;
mod source;
mod spelling;
mod strict;
mod table;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use bytes::Bytes;

use crate::error::{Error, Result};
use crate::plan::Encoding;
use crate::progress::Progress;

#[cfg(feature = "parquet")]
pub(crate) use damage::{Caught, caught};
use decode::{Decoded, Undecodable};
pub(crate) use found::{Asked, read_as_found, release_as_found};
pub use intern::{Interner, texts};
pub(crate) use memory::Memory;
pub use source::{Frame, Source};
pub(crate) use spelling::Spellings;
use strict::FIELD_LIMIT;
pub(crate) use strict::{Strict, check as check_quotes};
pub use table::Table;

/// The size of read buffers, in bytes.
const BUFFER_BYTES: usize = 1 << 18;
/// How much of a text shows what it is, in bytes.
const FOREIGN_BYTES: u64 = 1 << 16;
/// The time between checks for interruption while a pipe is silent.
const INTERRUPTION_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// How to read a file.
#[derive(Debug, Clone)]
pub struct Options {
    /// The delimiter of a CSV file.
    pub delimiter: char,
    /// The encoding of a CSV file.
    pub encoding: Encoding,
    /// Whether the first row of a CSV file has the names of the columns. Without one, they are `column_1`, `column_2` and so on.
    pub header: bool,
    /// Whether blanks around the fields of a CSV file are removed.
    pub trim: bool,
    /// Columns that are not loaded.
    pub skip: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options { delimiter: ',', encoding: Encoding::UTF_8, header: true, trim: false, skip: Vec::new() }
    }
}

/// The delimiter of a CSV file by its name: `asked`, except that a comma becomes a tab if the extension is `.tsv`. A file of that name that has
/// commas and no tab in its first line is read with commas.
pub fn delimiter(path: &Path, asked: char) -> char {
    let tsv = path.to_string_lossy().split('.').skip(1).any(|part| part == "tsv");
    if asked == ',' && tsv { '\t' } else { asked }
}

/// Reads the table in the file `path`; `-` is standard input.
pub fn read(path: &Path, options: &Options, progress: Progress) -> Result<Table> {
    let by_name = delimiter(path, options.delimiter) != options.delimiter;
    if is_stream(path) {
        progress.begin("reading", 0)?;
        let (name, stream) = awaited(path);
        return read_from(&name, Box::new(stream), None, (options, by_name), progress);
    }
    let name = path.display().to_string();
    let file = File::open(path).map_err(|e| Error::read(&name, e))?;
    let metadata = file.metadata().map_err(|e| Error::read(&name, e))?;
    progress.begin("reading", metadata.len())?;
    let again = file.try_clone().map_err(|e| Error::read(&name, e))?;
    read_from(&name, Box::new(file), Some(again), (options, by_name), progress)
}

/// Reads a table from the bytes of a file. Messages call it `name`.
pub fn read_bytes(name: &str, bytes: impl Into<Bytes>, options: &Options, progress: Progress) -> Result<Table> {
    let bytes = bytes.into();
    progress.begin("reading", bytes.len() as u64)?;
    read_from(name, Box::new(io::Cursor::new(bytes)), None, (options, false), progress)
}

/// Reads all bytes of a stream. Returns its name in messages, too.
fn held(path: &Path, progress: Progress) -> Result<(String, Bytes)> {
    progress.begin("reading", 0)?;
    let (name, stream) = awaited(path);
    let memory = Memory::new(&name, progress);
    let mut bytes = Vec::new();
    let mut stream = Counted { inner: stream, progress }.take(memory.bytes().saturating_add(1));
    // A stream that begins without a line break is refused early, before it fills the memory.
    stream.by_ref().take(2 * FIELD_LIMIT as u64).read_to_end(&mut bytes).map_err(|e| read_error(&name, e))?;
    if bytes.len() > FIELD_LIMIT && !bytes.contains(&b'\n') {
        read_bytes(&name, bytes.clone(), &Options::default(), progress)?;
    }
    stream.read_to_end(&mut bytes).map_err(|e| read_error(&name, e))?;
    memory.check(0, bytes.len())?;
    Ok((name, bytes.into()))
}

/// Opens a stream. Returns its name in messages, too.
fn awaited(path: &Path) -> (String, Awaited) {
    if path.as_os_str() == "-" {
        return ("standard input".to_owned(), Awaited::new(|| Ok(io::stdin())));
    }
    let file = path.to_owned();
    (path.display().to_string(), Awaited::new(|| File::open(file)))
}

/// Whether a path can be read only once and may block: standard input (`-`), pipes, devices.
pub fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-" || path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// Opens a table to look at it; `None` for a table in memory.
fn opened<'a>(source: &Source, progress: Progress<'a>) -> Result<Option<Opened<'a>>> {
    let name = source.name();
    match source {
        Source::File(path) => {
            let file = File::open(path).map_err(|e| Error::read(&name, e))?;
            open(&name, Box::new(file), progress).map(Some)
        }
        Source::Held(_, bytes) => open(&name, Box::new(io::Cursor::new(bytes.clone())), progress).map(Some),
        Source::Memory(..) => Ok(None),
    }
}

/// Reads a table as the options say. With the options comes whether the name of the file says that its fields are separated by tabs.
fn read_from(
    name: &str,
    input: Box<dyn Read + Send>,
    seekable: Option<File>,
    (options, by_name): (&Options, bool),
    progress: Progress,
) -> Result<Table> {
    match open(name, input, progress)? {
        Opened::Text(mut input) => {
            if options.encoding != Encoding::UTF_8 {
                return csv::read(name, Decoded::new(input, options.encoding), (options, by_name), progress);
            }
            let start = input.fill_buf().map_err(|e| read_error(name, e))?;
            if is_utf16(start).is_some() {
                return Err(Error::Utf16 { file: name.to_owned() });
            }
            csv::read(name, input, (options, by_name), progress)
        }
        Opened::Parquet(input) => match seekable {
            Some(file) => parquet::read_file(name, file, options, progress),
            None => parquet::read_stream(name, input, options, progress),
        },
    }
}

/// A file, opened by the format that its first bytes show.
enum Opened<'a> {
    /// Text, decompressed.
    Text(Box<dyn BufRead + Send + 'a>),
    /// Parquet.
    Parquet(Box<dyn BufRead + 'a>),
}

fn open<'a>(name: &str, input: Box<dyn Read + Send>, progress: Progress<'a>) -> Result<Opened<'a>> {
    let mut input = Counted { inner: input, progress };
    // A single read from a pipe may return fewer bytes than are needed to recognize the format.
    let mut start = Vec::new();
    input.by_ref().take(4).read_to_end(&mut start).map_err(|e| read_error(name, e))?;
    let input = BufReader::with_capacity(BUFFER_BYTES, io::Cursor::new(start.clone()).chain(input));
    let text: Box<dyn BufRead + Send> = match start.as_slice() {
        [] => return Err(Error::EmptyFile { file: name.to_owned() }),
        [b'P', b'A', b'R', b'1'] => return Ok(Opened::Parquet(Box::new(input))),
        [0x1f, 0x8b, ..] => {
            Box::new(BufReader::with_capacity(BUFFER_BYTES, flate2::bufread::MultiGzDecoder::new(input)))
        }
        [0x28, 0xb5, 0x2f, 0xfd] => {
            let plain = zstd::stream::read::Decoder::with_buffer(input).map_err(|e| read_error(name, e))?;
            Box::new(BufReader::with_capacity(BUFFER_BYTES, plain))
        }
        _ => Box::new(input),
    };
    not_foreign(name, text).map(Opened::Text)
}

/// Refuses files that are no tables of text.
fn not_foreign<'a>(name: &str, text: Box<dyn BufRead + Send + 'a>) -> Result<Box<dyn BufRead + Send + 'a>> {
    let mut start = Vec::new();
    let mut text = text;
    text.by_ref().take(FOREIGN_BYTES).read_to_end(&mut start).map_err(|e| read_error(name, e))?;
    if let Some((what, advice)) = foreign::recognized(&start) {
        return Err(Error::Foreign { file: name.to_owned(), what, advice });
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, io::Cursor::new(start).chain(text))))
}

/// The encoding of text that looks like UTF-16: it has a byte order mark, or every other byte at its start is zero.
fn is_utf16(start: &[u8]) -> Option<Encoding> {
    let start = &start[..start.len().min(64) / 2 * 2];
    let zeros = |at: usize| start.iter().skip(at).step_by(2).all(|byte| *byte == 0);
    let letters = |at: usize| start.iter().skip(at).step_by(2).all(|byte| *byte != 0);
    match start {
        [] => None,
        [0xff, 0xfe, ..] => Some(Encoding::UTF_16LE),
        [0xfe, 0xff, ..] => Some(Encoding::UTF_16BE),
        _ if zeros(1) && letters(0) => Some(Encoding::UTF_16LE),
        _ if zeros(0) && letters(1) => Some(Encoding::UTF_16BE),
        _ => None,
    }
}

/// A reader that reports progress, and fails when the work is interrupted.
struct Counted<'a, R> {
    inner: R,
    progress: Progress<'a>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Not `ErrorKind::Interrupted`, because readers try again after that.
        let advance = |n: usize| self.progress.advance(n as u64).map_err(io::Error::other);
        loop {
            match self.inner.read(buffer) {
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => advance(0)?,
                read => {
                    let n = read?;
                    return advance(n).map(|()| n);
                }
            }
        }
    }
}

/// A pipe that is read in a separate thread. Reading from a pipe can block for ever; this way, the work can still be interrupted.
struct Awaited {
    chunks: Receiver<io::Result<Vec<u8>>>,
    current: io::Cursor<Vec<u8>>,
}

impl Awaited {
    fn new<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> Self {
        let (sender, chunks) = sync_channel(1);
        thread::spawn(move || {
            // Opening a pipe also blocks until somebody writes to it.
            let mut pipe = match open() {
                Ok(pipe) => pipe,
                Err(e) => return drop(sender.send(Err(e))),
            };
            loop {
                let mut chunk = vec![0; BUFFER_BYTES];
                let read = match pipe.read(&mut chunk) {
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                    read => read.map(|n| {
                        chunk.truncate(n);
                        chunk
                    }),
                };
                let last = read.as_ref().map_or(true, Vec::is_empty);
                if sender.send(read).is_err() || last {
                    return;
                }
            }
        });
        Awaited { chunks, current: io::Cursor::default() }
    }
}

impl Read for Awaited {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.current.position() == self.current.get_ref().len() as u64 {
            self.current = io::Cursor::new(match self.chunks.recv_timeout(INTERRUPTION_CHECK_INTERVAL) {
                Ok(chunk) => chunk?,
                Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::WouldBlock.into()),
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            });
        }
        self.current.read(buffer)
    }
}

/// Converts an input error. An interruption travels through readers as an input error, too.
fn read_error(name: &str, error: io::Error) -> Error {
    if error.get_ref().is_some_and(|inner| matches!(inner.downcast_ref(), Some(Error::Interrupted))) {
        return Error::Interrupted;
    }
    if let Some(Undecodable { line, encoding }) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
        return Error::Undecodable { file: name.to_owned(), line: *line, encoding: encoding.to_string() };
    }
    Error::read(name, error)
}
