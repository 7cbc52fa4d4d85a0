//! Which letters a text has that is not UTF-8.
//!
//! Text of one byte per character has no mark, so its encoding can only be guessed. Nearly all such tables in Western Europe and America are
//! windows-1252, which includes Latin-1. The guess is not made where something speaks against it: bytes that windows-1252 does not assign
//! (text of DOS), letters beyond ASCII that mostly stand side by side (Cyrillic, Greek, Japanese), or UTF-8 in other places of the file.

use std::io::BufRead;

use memchr::memchr_iter;

use super::{Opened, Source, opened, read_error};
use crate::error::Result;
use crate::progress::Progress;

/// Bytes that windows-1252 does not assign to a character.
const UNASSIGNED: [u8; 5] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];
/// The longest sequence of bytes that is kept together between two pieces of a text.
const MAX_SEQUENCE: usize = 64;

/// Counts of the bytes of a text that are not ASCII.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Letters {
    /// The first line that is not UTF-8.
    pub first_odd_line: Option<u64>,
    /// Characters that are written in UTF-8, with several bytes.
    utf8: u64,
    /// Bytes that are not UTF-8.
    odd: u64,
    /// Bytes beyond ASCII.
    high: u64,
    /// Those of them that stand beside another one.
    beside: u64,
    /// Whether a byte stands for nothing in windows-1252.
    unassigned: bool,
    line: u64,
}

impl Letters {
    /// Why the text may not be windows-1252.
    pub(super) fn doubt(&self) -> Option<&'static str> {
        match () {
            () if self.utf8 * 10 > self.odd => Some("other places are, so it mixes encodings or is damaged"),
            () if self.unassigned => Some("it has bytes that windows-1252 does not know either"),
            () if self.beside * 2 > self.high => Some("it does not look like Western European text in windows-1252"),
            () => None,
        }
    }

    /// Counts the bytes of a piece that ends with a whole character.
    fn count(&mut self, bytes: &[u8]) {
        if bytes.is_ascii() {
            self.line += memchr_iter(b'\n', bytes).count() as u64;
            return;
        }
        for chunk in bytes.utf8_chunks() {
            self.utf8 += chunk.valid().chars().filter(|c| !c.is_ascii()).count() as u64;
            self.line += memchr_iter(b'\n', chunk.valid().as_bytes()).count() as u64;
            if !chunk.invalid().is_empty() {
                self.odd += chunk.invalid().len() as u64;
                self.first_odd_line.get_or_insert(self.line + 1);
            }
        }
        let high = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|byte| !byte.is_ascii());
        for (at, byte) in bytes.iter().enumerate().filter(|(_, byte)| !byte.is_ascii()) {
            self.high += 1;
            self.beside += u64::from(high(at.checked_sub(1)) || high(Some(at + 1)));
            self.unassigned |= UNASSIGNED.contains(byte);
        }
    }
}

/// Counts the letters of a text; `None` for other tables.
pub(super) fn of(source: &Source, progress: Progress) -> Result<Option<Letters>> {
    let name = source.name();
    let Some(Opened::Text(mut text)) = opened(source, progress)? else { return Ok(None) };
    let (mut letters, mut waiting) = (Letters::default(), Vec::new());
    loop {
        let piece = text.fill_buf().map_err(|e| read_error(&name, e))?;
        let taken = piece.len();
        if taken == 0 {
            letters.count(&waiting);
            return Ok(Some(letters));
        }
        waiting.extend_from_slice(piece);
        text.consume(taken);
        progress.advance(0)?;
        // A character can be split between two pieces.
        let end = waiting.iter().rposition(u8::is_ascii).map_or(0, |at| at + 1);
        let end = if waiting.len() - end > MAX_SEQUENCE { waiting.len() } else { end };
        letters.count(&waiting[..end]);
        waiting.drain(..end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubt(text: &[u8]) -> Option<&'static str> {
        let mut letters = Letters::default();
        letters.count(text);
        assert!(letters.first_odd_line.is_some());
        letters.doubt()
    }

    #[test]
    fn western_text_is_taken() {
        assert_eq!(doubt(b"M\xfcller,Stra\xdfe\nJos\xe9,5 \x80\n"), None);
        let mut letters = Letters::default();
        letters.count(b"a\nb\nc\xe9\n");
        assert_eq!(letters.first_odd_line, Some(3));
    }

    #[test]
    fn other_text_is_not() {
        // Москва in windows-1251, ü in cp437, München in UTF-8 and then Köln in Latin-1.
        assert!(doubt(b"\xcc\xee\xf1\xea\xe2\xe0,1\n").is_some_and(|why| why.contains("Western")));
        assert!(doubt(b"M\x81ller\n").is_some_and(|why| why.contains("does not know")));
        assert!(doubt(b"M\xc3\xbcnchen\nK\xf6ln\n").is_some_and(|why| why.contains("mixes")));
    }
}
