//! The secret key of pseudonyms and of everything else that is decided person by person.
//!
//! The same key gives the same pseudonyms in the next release, and another key others. Whoever has it can compute the pseudonym of
//! everybody whose number or name is known. So it is no part of a plan, a report, a log or a release: it comes from a file of its own or from an
//! environment variable.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use rand::TryRng;
use rand::rngs::SysRng;

use crate::error::{Error, Result};

/// The fewest bytes of a key.
const MIN_KEY_BYTES: usize = 32;
/// The environment variable that may hold the key.
const VARIABLE: &str = "AMIDST_KEY";
/// The most bytes of a key file.
const MAX_KEY_FILE_BYTES: u64 = 4096;

/// The secret key of pseudonyms.
#[derive(Clone, PartialEq, Eq)]
pub struct PersonKey(Arc<[u8]>);

impl PersonKey {
    /// A new key of 256 bits, drawn by the operating system.
    pub fn random() -> Result<Self> {
        let mut bytes = [0; MIN_KEY_BYTES];
        SysRng.try_fill_bytes(&mut bytes).map_err(|e| Error::NoRandomness { reason: e.to_string() })?;
        Ok(PersonKey(bytes.as_slice().into()))
    }

    /// The key that these hexadecimal digits write. Messages call its place `name`.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let wrong = |message: String| Error::Key { place: name.to_owned(), message };
        let text = text.trim();
        if text.is_empty() {
            return Err(wrong("it is empty".to_owned()));
        }
        if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) || !text.len().is_multiple_of(2) {
            return Err(wrong("a key is written as pairs of hexadecimal digits".to_owned()));
        }
        if text.len() < 2 * MIN_KEY_BYTES {
            return Err(wrong(format!(
                "it has {} hexadecimal digits, and {} are needed",
                text.len(),
                2 * MIN_KEY_BYTES
            )));
        }
        let byte = |place: usize| u8::from_str_radix(&text[2 * place..2 * place + 2], 16).unwrap_or_default();
        Ok(PersonKey((0..text.len() / 2).map(byte).collect()))
    }

    /// Reads the key in a file. Refuses a file that others may read.
    pub fn load(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let failed = |e| Error::read(&name, e);
        let file = File::open(path).map_err(failed)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = file.metadata().map_err(failed)?.permissions().mode();
            if mode & 0o077 != 0 {
                let message =
                    format!("others may read it (mode {:04o}); make it private with `chmod 600`", mode & 0o7777);
                return Err(Error::Key { place: name, message });
            }
        }
        let mut text = String::new();
        file.take(MAX_KEY_FILE_BYTES).read_to_string(&mut text).map_err(failed)?;
        PersonKey::parse(&name, &text)
    }

    /// The key in the environment variable `AMIDST_KEY`; `None` if it is not set.
    pub fn from_environment() -> Result<Option<Self>> {
        match std::env::var(VARIABLE) {
            Ok(text) => PersonKey::parse(VARIABLE, &text).map(Some),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(std::env::VarError::NotUnicode(_)) => {
                let message = "a key is written as pairs of hexadecimal digits".to_owned();
                Err(Error::Key { place: VARIABLE.to_owned(), message })
            }
        }
    }

    /// Writes the key to a new file that only its owner can read.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let digits: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        let written = options.open(path).and_then(|mut file| {
            file.write_all(format!("{digits}\n").as_bytes())?;
            file.sync_all()
        });
        written.map_err(|e| match e.kind() {
            std::io::ErrorKind::AlreadyExists => {
                let message =
                    "the file is there already, and a key that is lost cannot be made again; choose another name";
                Error::Key { place: path.display().to_string(), message: message.to_owned() }
            }
            _ => Error::write(&path.display(), e),
        })
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Not to be read in logs.
impl fmt::Debug for PersonKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PersonKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_survive_their_file_and_are_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let key = PersonKey::random().unwrap();
        key.save(&path).unwrap();
        assert_eq!(PersonKey::load(&path).unwrap(), key);
        assert!(key.save(&path).unwrap_err().to_string().contains("there already"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&path), 0o600);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
            assert!(PersonKey::load(&path).unwrap_err().to_string().contains("mode 0640"));
        }
    }

    #[test]
    fn what_is_no_key_is_refused_without_being_shown() {
        for text in ["", "  \n", "00ff", "xyz", &"0".repeat(63), &format!("{}g", "0".repeat(63))] {
            let message = PersonKey::parse("AMIDST_KEY", text).unwrap_err().to_string();
            assert!(
                message.contains("AMIDST_KEY") && (text.trim().is_empty() || !message.contains(text.trim())),
                "{message}"
            );
        }
        let key = PersonKey::parse("here", &"a1".repeat(32)).unwrap();
        assert_eq!(key.bytes(), [0xa1; 32]);
        assert!(!format!("{key:?}").contains("a1"));
    }
}
