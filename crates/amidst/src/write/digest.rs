//! Size and SHA-256 of a file, which identify it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Size and SHA-256 of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// The size in bytes.
    pub bytes: u64,
    /// SHA-256 in hexadecimal digits.
    pub sha256: String,
}

impl Digest {
    /// The digest of the file at `path`.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut hashing = Hashing::new(io::sink());
        let mut part = vec![0; 1 << 16];
        loop {
            match file.read(&mut part)? {
                0 => return Ok(hashing.digest()),
                length => hashing.write_all(&part[..length])?,
            }
        }
    }
}

/// A writer that passes everything on and computes its digest.
pub(super) struct Hashing<W> {
    inner: W,
    hash: Sha256,
    bytes: u64,
}

impl<W> Hashing<W> {
    pub(super) fn new(inner: W) -> Self {
        Hashing { inner, hash: Sha256::new(), bytes: 0 }
    }

    pub(super) fn digest(self) -> Digest {
        let sha256 = self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Digest { bytes: self.bytes, sha256 }
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(part)?;
        self.hash.update(&part[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
