//! Text of another encoding as UTF-8, for the reader of the verification.

use std::io::{self, Cursor, Read};

use encoding_rs::{Decoder, DecoderResult};

use crate::plan::Encoding;

/// A reader of text in the encoding that a plan says. Bytes that stand for no character end it with an error.
pub(super) struct Recoded<R> {
    text: R,
    /// None once all is read.
    decoder: Option<Decoder>,
    decoded: Cursor<String>,
}

impl<R: Read> Recoded<R> {
    pub(super) fn new(text: R, encoding: Encoding) -> Self {
        Recoded { text, decoder: Some(encoding.decoder()), decoded: Cursor::default() }
    }
}

impl<R: Read> Read for Recoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.decoded.read(buffer)?;
            let Some(decoder) = self.decoder.as_mut().filter(|_| read == 0 && !buffer.is_empty()) else {
                return Ok(read);
            };
            let mut bytes = [0; 1 << 13];
            let count = self.text.read(&mut bytes)?;
            let longest = decoder.max_utf8_buffer_length_without_replacement(count);
            let mut text = String::with_capacity(longest.unwrap_or(1 << 16));
            let (result, _) = decoder.decode_to_string_without_replacement(&bytes[..count], &mut text, count == 0);
            if result != DecoderResult::InputEmpty {
                return Err(io::Error::other("the text is not valid in the encoding that the plan says"));
            }
            self.decoded = Cursor::new(text);
            if count == 0 {
                self.decoder = None;
            }
        }
    }
}
