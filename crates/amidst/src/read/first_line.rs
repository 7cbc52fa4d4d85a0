//! What the first line of a text says about what separates its fields.
//!
//! Excel writes and understands a line `sep=;` before the header. It is no row, so it is left out, and the lines behind it keep their numbers. A
//! file that ends in `.tsv` has tabs by its name, but some have commas: they have no tab in their first line.

use std::io::{self, Chain, Cursor, Read};

/// How much of a text is searched for the end of its first line, in bytes.
const LINE_BYTES: u64 = 1 << 16;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A text whose start was read before the rest.
pub(super) type Begun<R> = Chain<Cursor<Vec<u8>>, R>;

/// A text without a line that only names the delimiter, and what separates its fields. `by_name` says that `delimiter` is a tab because of the
/// file's name.
pub(super) fn begun<R: Read>(mut text: R, delimiter: char, by_name: bool) -> io::Result<(Begun<R>, char)> {
    let mut start = Vec::new();
    text.by_ref().take(LINE_BYTES).read_to_end(&mut start)?;
    let rest = without_announcement(&start);
    let delimiter = if by_name { in_tsv(rest) } else { delimiter };
    Ok((Cursor::new(rest.to_vec()).chain(text), delimiter))
}

/// The delimiter that a line `sep=;` names, if a text begins with one.
pub(super) fn announced(text: &[u8]) -> Option<char> {
    let line = first_line(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text));
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let quoted = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\""));
    match quoted.unwrap_or(line).strip_prefix(b"sep=")? {
        [delimiter] if delimiter.is_ascii() && *delimiter != b'"' => Some(char::from(*delimiter)),
        _ => None,
    }
}

/// A text without its line `sep=;`. The end of the line stays, because an empty line is no row and is counted.
pub(super) fn without_announcement(text: &[u8]) -> &[u8] {
    if announced(text).is_none() {
        return text;
    }
    let end = text.iter().position(|byte| *byte == b'\r' || *byte == b'\n').unwrap_or(text.len());
    &text[end..]
}

/// What separates the fields of a text whose file ends in `.tsv`, and of which nobody said it.
pub(super) fn in_tsv(text: &[u8]) -> char {
    let lines = text.split(|byte| *byte == b'\n');
    let line = lines.into_iter().find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    if line.contains(&b',') && !line.contains(&b'\t') { ',' } else { '\t' }
}

fn first_line(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == b'\n').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_name_the_delimiter() {
        for (text, delimiter, rest) in [
            ("sep=;\r\na;b\r\n", Some(';'), "\r\na;b\r\n"),
            ("\u{feff}sep=,\na,b\n", Some(','), "\na,b\n"),
            ("\"sep=\t\"\na\tb\n", Some('\t'), "\na\tb\n"),
            ("sep=;", Some(';'), ""),
            ("sep=;;\na\n", None, "sep=;;\na\n"),
            ("sep,b\n", None, "sep,b\n"),
            ("", None, ""),
        ] {
            assert_eq!(announced(text.as_bytes()), delimiter, "{text:?}");
            assert_eq!(without_announcement(text.as_bytes()), rest.as_bytes(), "{text:?}");
        }
    }

    #[test]
    fn a_name_that_ends_in_tsv_does_not_decide_alone() {
        for (text, delimiter) in
            [("a,b\n1\t2\n", ','), ("a\tb,c\n", '\t'), ("a\n", '\t'), ("\r\na,b\n", ','), ("", '\t')]
        {
            assert_eq!(in_tsv(text.as_bytes()), delimiter, "{text:?}");
        }
    }
}
