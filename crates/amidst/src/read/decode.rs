//! Turns text of another encoding into UTF-8 while it is read.
//!
//! What cannot be decoded is an error with its line. A replacement character would be published as if it had been there. A byte order mark
//! goes before what was said about the encoding, as in browsers.

use std::fmt;
use std::io::{self, Read};

use encoding_rs::{Decoder, DecoderResult};
use memchr::memchr_iter;

use crate::plan::Encoding;

/// How many bytes are decoded at a time.
const PIECE_BYTES: usize = 1 << 16;

/// The place of bytes that stand for no character.
#[derive(Debug)]
pub(super) struct Undecodable {
    pub line: u64,
    pub encoding: Encoding,
}

/// It travels through the parser as an error.
impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: the text is not valid {}", self.line, self.encoding)
    }
}

impl std::error::Error for Undecodable {}

/// A reader of text in some encoding that gives UTF-8.
pub(super) struct Decoded<R> {
    inner: R,
    encoding: Encoding,
    decoder: Decoder,
    raw: Box<[u8]>,
    /// The bytes of `raw` that are not decoded yet.
    waiting: std::ops::Range<usize>,
    ended: bool,
    line: u64,
    plain: Vec<u8>,
    given: usize,
    failed: bool,
}

impl<R: Read> Decoded<R> {
    pub(super) fn new(inner: R, encoding: Encoding) -> Self {
        let raw = vec![0; PIECE_BYTES].into_boxed_slice();
        let decoder = encoding.decoder();
        Decoded {
            inner,
            encoding,
            decoder,
            raw,
            waiting: 0..0,
            ended: false,
            line: 1,
            plain: Vec::new(),
            given: 0,
            failed: false,
        }
    }

    /// Decodes the next piece.
    fn fill(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() && !self.ended {
            let read = self.inner.read(&mut self.raw)?;
            (self.waiting, self.ended) = (0..read, read == 0);
        }
        let waiting = &self.raw[self.waiting.clone()];
        // The longest that a piece can become; a decoder that needs more says so and goes on.
        self.plain.resize(waiting.len().saturating_mul(3) + 16, 0);
        let (result, taken, written) =
            self.decoder.decode_to_utf8_without_replacement(waiting, &mut self.plain, self.ended);
        self.waiting.start += taken;
        self.plain.truncate(written);
        self.given = 0;
        self.failed = matches!(result, DecoderResult::Malformed(..));
        self.line += memchr_iter(b'\n', &self.plain).count() as u64;
        Ok(())
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.plain.len() {
            if self.failed {
                return Err(io::Error::other(Undecodable { line: self.line, encoding: self.encoding }));
            }
            if self.ended {
                return Ok(0);
            }
            self.fill()?;
        }
        let rest = &self.plain[self.given..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            buffer[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    fn decoded(bytes: &[u8], encoding: Encoding) -> Result<String, u64> {
        let mut text = String::new();
        let read = Decoded::new(Slow(bytes), encoding).read_to_string(&mut text);
        read.map(|_| text).map_err(|e| e.get_ref().unwrap().downcast_ref::<Undecodable>().unwrap().line)
    }

    #[test]
    fn letters_of_several_encodings() {
        // é is 0xe9 in Latin-1, € is 0x80 in windows-1252 (https://encoding.spec.whatwg.org/index-windows-1252.txt).
        assert_eq!(decoded(b"Ren\xe9;\x80 5\n", Encoding::WINDOWS_1252).unwrap(), "René;€ 5\n");
        assert_eq!(decoded(b"a\0,\0\xe9\0\n\0", Encoding::UTF_16LE).unwrap(), "a,é\n");
        assert_eq!(decoded(b"\xfe\xff\0a\0\n", Encoding::UTF_16LE).unwrap(), "a\n");
        // あ is 0x82 0xa0 in Shift_JIS.
        assert_eq!(decoded(b"\x82\xa0,b", "shift_jis".parse().unwrap()).unwrap(), "あ,b");
        assert_eq!(decoded(b"", Encoding::UTF_16LE).unwrap(), "");
    }

    #[test]
    fn what_cannot_be_decoded_has_a_line() {
        // A lone high surrogate, and half a unit at the end.
        assert_eq!(decoded(b"a\0\n\0b\0\n\0\0\xd8c\0\n\0", Encoding::UTF_16LE), Err(3));
        assert_eq!(decoded(b"a\0\n\0b", Encoding::UTF_16LE), Err(2));
        assert_eq!(decoded(b"a\n\x82", "shift_jis".parse().unwrap()), Err(2));
        assert_eq!(decoded(b"a\nb\xff", Encoding::UTF_8), Err(2));
    }

    #[test]
    fn long_texts_come_through() {
        let text = "größe,naïve\n".repeat(20_000);
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let mut read = String::new();
        Decoded::new(bytes.as_slice(), Encoding::UTF_16BE).read_to_string(&mut read).unwrap();
        assert_eq!(read, text);
    }
}
