//! Secrets of the publisher: the seed of all random choices, and the key of fingerprints.
//!
//! An adversary who knows the seed and nearly all records can try every possible value of the rest, make the release again, and see which
//! value gives the published one (see `attack/rerun.rs`). So the operating system draws both at random unless the user gives them, and no
//! file for recipients has them.

use std::fmt;
use std::str::FromStr;

use rand::TryRng;
use rand::rngs::SysRng;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Error, Result};

/// The seed of all random choices.
///
/// Seeds that every reader of TOML and JSON reads exactly are written as numbers: `7`. Larger ones are written as a text of hexadecimal
/// digits: `"0x9e3779b97f4a7c15"`. Both forms can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

/// The largest seed that is written as a number: readers of JSON that store every number as a double read it exactly, and so does TOML.
const LARGEST_NUMBER: u64 = (1 << 53) - 1;

impl Seed {
    /// The seed of commands that publish nothing, so that everybody gets the same figures.
    pub const FIXED: Seed = Seed(0);

    /// A random seed.
    pub fn random() -> Result<Self> {
        SysRng.try_next_u64().map(Seed).map_err(|e| no_randomness(&e))
    }
}

fn no_randomness(error: &dyn fmt::Display) -> Error {
    Error::NoRandomness { reason: error.to_string() }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 <= LARGEST_NUMBER { write!(f, "{}", self.0) } else { write!(f, "{:#018x}", self.0) }
    }
}

impl FromStr for Seed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seed = match text.strip_prefix("0x") {
            Some(digits) if !digits.starts_with('+') => u64::from_str_radix(digits, 16),
            _ => text.parse(),
        };
        seed.map(Seed).map_err(|_| {
            format!("`{text}` is no seed; it is a whole number from 0 to 18446744073709551615, or hexadecimal digits behind 0x")
        })
    }
}

impl Serialize for Seed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 <= LARGEST_NUMBER { serializer.serialize_u64(self.0) } else { serializer.collect_str(self) }
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl Visitor<'_> for Either {
            type Value = Seed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number from 0 on, or a text such as \"0x9e3779b97f4a7c15\"")
            }

            fn visit_u64<E: serde::de::Error>(self, seed: u64) -> Result<Seed, E> {
                Ok(Seed(seed))
            }

            fn visit_i64<E: serde::de::Error>(self, seed: i64) -> Result<Seed, E> {
                seed.try_into().map(Seed).map_err(|_| E::invalid_value(Unexpected::Signed(seed), &self))
            }

            fn visit_str<E: serde::de::Error>(self, seed: &str) -> Result<Seed, E> {
                seed.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Seed {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Seed".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number up to 2^53 - 1, or 16 hexadecimal digits behind `0x`.",
            "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string", "pattern": "^0x[0-9a-f]{16}$" }]
        })
    }
}

/// The key of the fingerprints of files that recipients do not get.
///
/// With a fingerprint of the input without a key, anybody could test guesses about the input. With the key of 128 bits, the publisher can
/// prove later which input it was.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key([u8; 16]);

impl Key {
    /// A random key.
    pub fn random() -> Result<Self> {
        let mut bytes = [0; 16];
        SysRng.try_fill_bytes(&mut bytes).map_err(|e| no_randomness(&e))?;
        Ok(Key(bytes))
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Key {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Key".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "32 hexadecimal digits.", "type": "string", "pattern": "^[0-9a-f]{32}$" })
    }
}

/// Hides the key from logs.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "a fingerprint key is 32 hexadecimal digits; leave it out to have one drawn".to_owned();
        let number = (text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(text);
        let number = number.and_then(|digits| u128::from_str_radix(digits, 16).ok()).ok_or_else(wrong)?;
        Ok(Key(number.to_be_bytes()))
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    const HEAD: &str = "[privacy]\nk = 2\n[columns]\na = { role = \"quasi\", kind = \"set\" }\n[method]\n";

    fn plan(line: &str) -> Result<Plan> {
        format!("{HEAD}{line}").parse()
    }

    #[test]
    fn every_seed_survives_toml_and_json() {
        // Around the largest number of JSON readers, of TOML, and of 64 bits.
        for seed in [0, 7, (1 << 53) - 1, 1 << 53, i64::MAX as u64, 1 << 63, u64::MAX].map(Seed) {
            let mut asked = plan("").unwrap();
            asked.method.seed = Some(seed);
            assert_eq!(asked.to_toml(|_| None).parse::<Plan>().unwrap(), asked);
            let json = serde_json::to_string(&asked).unwrap();
            assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), asked);
            assert_eq!(seed.to_string().parse(), Ok(seed));
        }
        assert_eq!(Seed(u64::MAX).to_string(), "0xffffffffffffffff");
        assert_eq!(plan("seed = 12").unwrap().method.seed, Some(Seed(12)));
        assert_eq!(plan("seed = \"0x10\"").unwrap().method.seed, Some(Seed(16)));
        assert_eq!(plan("").unwrap().method.seed, None);
    }

    #[test]
    fn what_is_no_seed_is_refused() {
        for line in ["seed = -1", "seed = 1.5", "seed = \"0x\"", "seed = \"-1\"", "seed = \"0x10000000000000000\""] {
            assert!(plan(line).is_err(), "{line}");
        }
        assert!("seed".parse::<Seed>().unwrap_err().contains("`seed` is no seed"));
    }

    #[test]
    fn keys_are_not_shown_by_accident() {
        let key: Key = "000102030405060708090a0b0c0d0e0f".parse().unwrap();
        assert_eq!(key.bytes(), (0..16).collect::<Vec<u8>>());
        assert_eq!(key.to_string(), "000102030405060708090a0b0c0d0e0f");
        assert!(!format!("{key:?}").contains("0a"));
        assert!("00".parse::<Key>().is_err() && "g".repeat(32).parse::<Key>().is_err());
        assert_ne!(Key::random().unwrap(), Key::random().unwrap());
        assert_ne!(Seed::random().unwrap(), Seed::random().unwrap());
    }
}
