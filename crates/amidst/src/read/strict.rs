//! A strict check of the quotes in CSV.
//!
//! The `csv` crate is lenient. If a quote is not closed, the rest of the file becomes one field. Text after a closing quote becomes part of the
//! field. Both hide rows inside a field, where no later stage would look at them. So [`Strict`] scans the same bytes before the parser, and
//! reading ends where they violate RFC 4180.
//!
//! Outside quotes, the scanner only searches for the next quote, so text without quotes costs almost no time. A quote *within* an unquoted field
//! (`5" pipe`) is text.

use std::fmt;
use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memchr2, memrchr2, memrchr3};

use crate::progress::Progress;

/// The longest field, in bytes. A longer one is a mistake, most often a quote that was not closed.
pub(crate) const FIELD_LIMIT: usize = 16 << 20;
/// The longest row, in bytes.
const ROW_LIMIT: usize = 64 << 20;

/// The longest field that is scanned byte by byte, in bytes.
const MAX_SHORT_FIELD_BYTES: usize = 32;

const QUOTE: u8 = b'"';
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A mistake in the quotes of a text, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub kind: FaultKind,
    /// The line, counted from 1. For an open quote, the line where it opens.
    pub line: u64,
    /// The field of the row, counted from 0.
    pub field: usize,
    /// The number of bytes before the mistake in the piece that was scanned.
    place: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// A quote that is not closed.
    Open,
    /// Text after a closing quote.
    Behind,
    /// A field that is too long.
    LongField,
    /// A row that is too long.
    LongRow,
}

/// The mistake, and what to do about it.
impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::Open => {
                "a quote opens the field and is not closed; remove the quote, or close it after the text"
            }
            FaultKind::Behind => {
                "there is text after the closing quote of a field; double the quotes that belong to the text (\"\"), \
                 or repair the line"
            }
            FaultKind::LongField => {
                "the field is longer than 16 MiB; close the quote that opens it, or leave the column out of the file"
            }
            FaultKind::LongRow => "the row is longer than 64 MiB; is this a CSV file?",
        })
    }
}

/// A [`Fault`] travels through the parser as an error.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

impl std::error::Error for Fault {}

/// The state of the scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first byte of a field.
    Start,
    /// In a field without quotes.
    Plain,
    /// Within the quotes of a field.
    Quoted,
    /// Directly after a quote that closes the field, unless it is doubled.
    Closed,
    /// Among the blanks after a closing quote, which `trim` removes.
    Blank,
}

/// A scanner that finds mistakes in quotes. It takes the text piece by piece.
#[derive(Debug)]
struct Scan {
    delimiter: u8,
    trim: bool,
    state: State,
    line: u64,
    field: usize,
    /// The line of the quote that opened the field.
    opened: u64,
    /// The bytes of the field so far.
    field_length: usize,
    /// The bytes of the row so far.
    row_length: usize,
}

impl Scan {
    fn new(delimiter: u8, trim: bool) -> Self {
        let (state, line, field, opened) = (State::Start, 1, 0, 1);
        Scan { delimiter, trim, state, line, field, opened, field_length: 0, row_length: 0 }
    }

    fn fault(&self, kind: FaultKind, place: usize) -> Fault {
        let line = if kind == FaultKind::Open { self.opened } else { self.line };
        Fault { kind, line, field: self.field, place }
    }

    /// Scans the next piece of the text.
    fn feed(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let mut place = 0;
        while let Some(rest) = bytes.get(place..).filter(|rest| !rest.is_empty()) {
            place += match self.state {
                State::Start if rest[0] == QUOTE => match self.short(rest) {
                    0 => {
                        (self.state, self.opened) = (State::Quoted, self.line);
                        1
                    }
                    taken => taken,
                },
                State::Start | State::Plain => self.plain(rest),
                State::Quoted => self.quoted(rest),
                State::Closed if rest[0] == QUOTE => {
                    self.state = State::Quoted;
                    1
                }
                State::Closed | State::Blank => {
                    if !self.ends_field(rest[0]) {
                        if !(self.trim && rest[0].is_ascii_whitespace()) {
                            return Err(self.fault(FaultKind::Behind, place));
                        }
                        self.state = State::Blank;
                    }
                    1
                }
            };
        }
        match () {
            () if self.field_length > FIELD_LIMIT => Err(self.fault(FaultKind::LongField, 0)),
            () if self.row_length > ROW_LIMIT => Err(self.fault(FaultKind::LongRow, 0)),
            () => Ok(()),
        }
    }

    /// Checks the state at the end of the text.
    fn end(&self) -> Result<(), Fault> {
        if self.state == State::Quoted { Err(self.fault(FaultKind::Open, 0)) } else { Ok(()) }
    }

    /// Takes a byte if it ends a field. Returns whether it does.
    fn ends_field(&mut self, byte: u8) -> bool {
        if byte == self.delimiter {
            self.field += 1;
            self.row_length += 1;
        } else if byte == b'\n' || byte == b'\r' {
            self.line += u64::from(byte == b'\n');
            (self.field, self.row_length) = (0, 0);
        } else {
            return false;
        }
        (self.state, self.field_length) = (State::Start, 0);
        true
    }

    /// Takes text outside quotes, up to the next quote that may open a field. Returns the number of bytes.
    fn plain(&mut self, bytes: &[u8]) -> usize {
        if self.ends_field(bytes[0]) {
            return 1; // a delimiter between two quoted fields
        }
        let text = &bytes[..memchr(QUOTE, bytes).unwrap_or(bytes.len())];
        let fields = match memrchr2(b'\n', b'\r', text) {
            Some(end) => {
                self.line += memchr_iter(b'\n', &text[..=end]).count() as u64;
                (self.field, self.row_length) = (0, 0);
                &text[end + 1..]
            }
            None => text,
        };
        self.field += memchr_iter(self.delimiter, fields).count();
        self.row_length += fields.len();
        match memrchr3(self.delimiter, b'\n', b'\r', text) {
            Some(end) => {
                self.field_length = text.len() - end - 1;
                self.state = if self.field_length == 0 { State::Start } else { State::Plain };
            }
            None if text.is_empty() => {}
            None => {
                self.field_length += text.len();
                self.state = State::Plain;
            }
        }
        // A quote within an unquoted field is text.
        text.len() + usize::from(self.state == State::Plain && text.len() < bytes.len())
    }

    /// Takes short quoted fields with their delimiters, of which most files with quotes consist. Stops at a field that is not that simple.
    /// Returns the number of bytes.
    fn short(&mut self, bytes: &[u8]) -> usize {
        let (mut place, mut row) = (0, 0);
        while let [QUOTE, rest @ ..] = &bytes[place..] {
            let text = &rest[..rest.len().min(MAX_SHORT_FIELD_BYTES)];
            let Some(close) = text.iter().position(|byte| *byte == QUOTE || *byte == b'\n') else { break };
            let behind = place + close + 3;
            match rest[close..] {
                [QUOTE, byte, ..] if byte == self.delimiter => self.field += 1,
                [QUOTE, b'\n', ..] => {
                    self.line += 1;
                    (self.field, self.row_length, row) = (0, 0, behind);
                }
                _ => break,
            }
            place = behind;
        }
        self.row_length += place - row;
        place
    }

    /// Takes text within quotes, up to the next quote or the end of the line. Returns the number of bytes.
    fn quoted(&mut self, bytes: &[u8]) -> usize {
        let taken = match memchr2(QUOTE, b'\n', bytes) {
            Some(place) if bytes[place] == QUOTE => {
                self.state = State::Closed;
                place + 1
            }
            Some(place) => {
                self.line += 1;
                place + 1
            }
            None => bytes.len(),
        };
        self.field_length += taken;
        self.row_length += taken;
        taken
    }
}

/// Checks the quotes of a whole text.
pub(crate) fn check(text: &[u8], delimiter: u8, trim: bool) -> Result<(), Fault> {
    let mut scan = Scan::new(delimiter, trim);
    scan.feed(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text))?;
    scan.end()
}

/// A reader that passes on the text of a CSV file, without its byte order mark, up to the first mistake in its quotes. It also checks for
/// interruption, because a small compressed file can contain much text.
pub(crate) struct Strict<'a, R> {
    inner: io::Chain<io::Cursor<Vec<u8>>, R>,
    progress: Progress<'a>,
    scan: Scan,
    /// The mistake after the text that was passed on.
    fault: Option<Fault>,
    /// Whether the first line ends with a carriage return and a line feed; `None` until it ends.
    returns: Option<bool>,
    /// The last byte that was read.
    last: u8,
}

impl<'a, R: Read> Strict<'a, R> {
    pub(crate) fn new(mut inner: R, delimiter: u8, trim: bool, progress: Progress<'a>) -> io::Result<Self> {
        let mut start = Vec::new();
        inner.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut start)?;
        if start == BYTE_ORDER_MARK {
            start.clear();
        }
        let inner = io::Cursor::new(start).chain(inner);
        Ok(Strict { inner, progress, scan: Scan::new(delimiter, trim), fault: None, returns: None, last: 0 })
    }

    /// Whether lines end with a carriage return and a line feed, as the first one does.
    pub(crate) fn has_returns(&self) -> bool {
        self.returns == Some(true)
    }
}

impl<R: Read> Read for Strict<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(fault) = self.fault.take() {
            return Err(io::Error::other(fault));
        }
        self.progress.advance(0).map_err(io::Error::other)?;
        let read = self.inner.read(buffer)?;
        if self.returns.is_none()
            && let Some(end) = memchr(b'\n', &buffer[..read])
        {
            let before = end.checked_sub(1).map_or(self.last, |before| buffer[before]);
            self.returns = Some(before == b'\r');
        }
        self.last = buffer[..read].last().copied().unwrap_or(self.last);
        match if read == 0 { self.scan.end() } else { self.scan.feed(&buffer[..read]) } {
            Ok(()) => Ok(read),
            // The parser gets all rows before the mistake, so that it knows the number of the row.
            Err(fault) if fault.place > 0 => {
                let place = fault.place;
                self.fault = Some(fault);
                Ok(place)
            }
            Err(fault) => Err(io::Error::other(fault)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fault(text: &str) -> Option<(FaultKind, u64, usize)> {
        check(text.as_bytes(), b',', false).err().map(|fault| (fault.kind, fault.line, fault.field))
    }

    #[test]
    fn what_is_allowed() {
        for text in [
            "",
            "a,b\n1,2\n",
            "a,b\r\n\"1\",\"2\"\r\n",
            "\u{feff}\"a\",b\n",
            "a\n\"x\"\"y\"\n\"\"\n\"\"\"\"\n",
            "a,b\n5\" pipe,6\"\n",
            "a\n\"two\nlines\"",
        ] {
            assert_eq!(fault(text), None, "{text:?}");
        }
    }

    #[test]
    fn what_is_not() {
        assert_eq!(fault("a,b\n1,\"x\n2,y\n"), Some((FaultKind::Open, 2, 1)));
        assert_eq!(fault("a,b\n\n1,2\n3,\""), Some((FaultKind::Open, 4, 1)));
        assert_eq!(fault("\u{feff}\"a\n"), Some((FaultKind::Open, 1, 0)));
        assert_eq!(fault("a,b\n1,\"x\"y\n"), Some((FaultKind::Behind, 2, 1)));
        assert_eq!(fault("a,b,c\r\n\"1\",2,\"x\ny\" \r\n"), Some((FaultKind::Behind, 3, 2)));
    }

    #[test]
    fn blanks_behind_a_quote_are_trimmed() {
        let scan = |text: &str| check(text.as_bytes(), b'\t', true).err().map(|fault| fault.kind);
        assert_eq!(scan("\"a\" \t\"b\"  \r\n"), None);
        assert_eq!(scan("\"a\" x\n"), Some(FaultKind::Behind));
        assert_eq!(scan("\"a\" \"x\"\n"), Some(FaultKind::Behind));
    }

    #[test]
    fn fields_and_rows_have_a_longest_length() {
        // The mistake after fields and rows of these lengths.
        let behind = |field_length: usize, row_length: usize, text: &str| {
            let mut scan = Scan { field_length, row_length, ..Scan::new(b',', false) };
            scan.feed(text.as_bytes()).err().map(|fault| fault.kind)
        };
        let (field, row) = (|text| behind(FIELD_LIMIT - 4, 0, text), |text| behind(0, ROW_LIMIT - 8, text));
        assert_eq!((field("aaaa"), field("aaaaa")), (None, Some(FaultKind::LongField)));
        assert_eq!((field("aaa,aaaaaaaa"), field("aaaa\naaaaaaaa")), (None, None));
        assert_eq!((row("aaa,aaaa"), row("aaa,aaaaa")), (None, Some(FaultKind::LongRow)));
        assert_eq!((row("\"a\",\"a\","), row("\"a\",\"a\",a")), (None, Some(FaultKind::LongRow)));
        assert_eq!((row("aaa,aa\naaaa"), row("\"a\",\"a\"\n\"aaaaa\",")), (None, None));
    }

    /// The same, byte by byte and as slowly as can be.
    fn plainly(text: &[u8]) -> Option<(FaultKind, u64, usize)> {
        let (mut line, mut field, mut opened) = (1, 0, 1);
        let mut state = State::Start;
        for &byte in text {
            let separator = matches!(byte, b',' | b'\n' | b'\r');
            state = match state {
                State::Start if byte == QUOTE => {
                    opened = line;
                    State::Quoted
                }
                State::Quoted if byte == QUOTE => State::Closed,
                State::Quoted => State::Quoted,
                State::Closed if byte == QUOTE => State::Quoted,
                _ if separator => State::Start,
                State::Closed => return Some((FaultKind::Behind, line, field)),
                _ => State::Plain,
            };
            if state == State::Start {
                field = if byte == b',' { field + 1 } else { 0 };
            }
            line += u64::from(byte == b'\n');
        }
        (state == State::Quoted).then_some((FaultKind::Open, opened, field))
    }

    proptest! {
        #[test]
        fn in_pieces_as_at_once(text in "[ab,\n\r\"]{0,40}", cut in 0_usize..40) {
            prop_assert_eq!(fault(&text), plainly(text.as_bytes()));
            let (before, behind) = text.as_bytes().split_at(cut.min(text.len()));
            let mut scan = Scan::new(b',', false);
            let pieces = scan.feed(before).and_then(|()| scan.feed(behind)).and_then(|()| scan.end());
            prop_assert_eq!(pieces.err().map(|f| (f.kind, f.line, f.field)), plainly(text.as_bytes()));
        }

        /// Where the scan finds nothing wrong, the parser's fields, quoted again, are what the scan saw.
        #[test]
        fn rows_before_a_mistake_are_passed_on(text in "[ab,\n\"]{0,40}") {
            let mut read = Vec::new();
            let mut strict = Strict::new(text.as_bytes(), b',', false, Progress::silent()).unwrap();
            let done = strict.read_to_end(&mut read);
            prop_assert_eq!(done.is_err(), fault(&text).is_some());
            prop_assert!(text.as_bytes().starts_with(&read));
        }
    }
}
