//! The encoding of a text file: which bytes stand for which character.
//!
//! Names are those of the [WHATWG Encoding Standard](https://encoding.spec.whatwg.org/#names-and-labels), which browsers know, too. Its
//! `latin1` and `iso-8859-1` are windows-1252, which has the same letters and more signs.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The encoding of a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding(&'static encoding_rs::Encoding);

impl Encoding {
    /// UTF-8, in which releases are written.
    pub const UTF_8: Encoding = Encoding(encoding_rs::UTF_8);
    /// UTF-16 with the low byte first, as Windows writes it.
    pub const UTF_16LE: Encoding = Encoding(encoding_rs::UTF_16LE);
    /// UTF-16 with the high byte first.
    pub const UTF_16BE: Encoding = Encoding(encoding_rs::UTF_16BE);
    /// Western European letters, one byte each; Latin-1 with more signs.
    pub const WINDOWS_1252: Encoding = Encoding(encoding_rs::WINDOWS_1252);

    pub(crate) fn decoder(self) -> encoding_rs::Decoder {
        self.0.new_decoder()
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name().to_ascii_lowercase())
    }
}

impl FromStr for Encoding {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Those two stand for no text: one refuses all bytes, the other has no letters.
        let is_text = |encoding: &&encoding_rs::Encoding| {
            *encoding != encoding_rs::REPLACEMENT && *encoding != encoding_rs::X_USER_DEFINED
        };
        encoding_rs::Encoding::for_label(text.as_bytes()).filter(is_text).map(Encoding).ok_or_else(|| {
            format!(
                "there is no encoding named `{text}`; there are, among others: utf-8, utf-16le, utf-16be, windows-1252, latin1, iso-8859-15, \
                 windows-1250, windows-1251, macintosh, ibm866, shift_jis, gb18030, big5, euc-kr"
            )
        })
    }
}

impl Serialize for Encoding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Encoding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_standard() {
        let named = |text: &str| text.parse::<Encoding>().map(|encoding| encoding.to_string()).unwrap_or_default();
        // The labels of https://encoding.spec.whatwg.org/#names-and-labels.
        for (label, name) in [
            ("utf-8", "utf-8"),
            ("UTF8", "utf-8"),
            ("latin1", "windows-1252"),
            ("ISO-8859-1", "windows-1252"),
            ("cp1252", "windows-1252"),
            ("utf-16", "utf-16le"),
            ("iso-8859-15", "iso-8859-15"),
            ("sjis", "shift_jis"),
            ("replacement", ""),
            ("x-user-defined", ""),
            ("cp850", ""),
        ] {
            assert_eq!(named(label), name, "{label}");
        }
    }
}
