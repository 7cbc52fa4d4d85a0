//! A private folder beside the targets, for files that are not published yet.
//!
//! The folder is locked while its process lives, and a lock ends with its process, however that ends. So if the lock of a workshop can be taken,
//! the workshop is abandoned, and the next run in the same folder removes it.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::{Builder, TempDir};

use super::places::Output;
use crate::error::{Error, Result};
use crate::progress::Progress;

/// The start of the names of all workshops.
const NAME_PREFIX: &str = ".amidst-";
/// The number of random letters and digits after the prefix.
const RANDOM_NAME_LENGTH: usize = 6;

/// The longest wait for another run that publishes into the same folder.
const MAX_LOCK_WAIT: Duration = Duration::from_mins(1);

/// A folder for files that are not published yet.
#[derive(Debug)]
pub(super) struct Workshop {
    inside: TempDir,
    /// The folder of the targets.
    folder: PathBuf,
    /// The number of names that were given out.
    names: usize,
    /// The mode of an ordinary new file under the umask.
    usual: u32,
    /// The lock. Fields are dropped in their order, so it is held until the folder is removed.
    _lock: File,
}

impl Workshop {
    /// Makes a workshop in `folder`, and removes abandoned workshops there.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        loop {
            let inside =
                private(Builder::new().prefix(NAME_PREFIX).rand_bytes(RANDOM_NAME_LENGTH)).tempdir_in(folder)?;
            let lock = match File::open(inside.path()) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                lock => lock?,
            };
            // If the file system has no locks, no other run can take this workshop for abandoned either.
            let _ = lock.lock();
            // Another run may have removed it before it was locked.
            if !inside.path().is_dir() {
                continue;
            }
            let mut workshop = Workshop { inside, folder: folder.to_owned(), names: 0, usual: 0, _lock: lock };
            workshop.usual = workshop.usual()?;
            sweep(folder, workshop.inside.path());
            return Ok(workshop);
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// An unused path in the workshop.
    pub(super) fn name(&mut self) -> PathBuf {
        self.names += 1;
        self.inside.path().join(self.names.to_string())
    }

    /// A new empty file in the workshop.
    pub(super) fn file(&mut self) -> io::Result<(PathBuf, File)> {
        let path = self.name();
        let file = options(0o600).open(&path)?;
        Ok((path, file))
    }

    /// The mode of an ordinary new file in this folder.
    fn usual(&mut self) -> io::Result<u32> {
        let path = self.name();
        let mode = mode(&options(0o666).open(&path)?.metadata()?);
        fs::remove_file(path)?;
        Ok(mode)
    }

    /// Sets the mode of a file before it is published. If it replaces a file, it gets the mode of that file and, if possible, its owner.
    #[cfg(unix)]
    pub(super) fn hand_over(&self, file: &Path, output: Output, replaced: Option<&Metadata>) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
        let mode = match replaced {
            Some(replaced) => {
                let (user, group) = (replaced.uid(), replaced.gid());
                let own = fs::metadata(file)?;
                if (own.uid(), own.gid()) != (user, group) {
                    let _ = chown(file, Some(user), Some(group)).or_else(|_| chown(file, None, Some(group)));
                }
                let mode = mode(replaced);
                // If the group could not be kept, the new group gets no more rights than everybody.
                if fs::metadata(file)?.gid() == group { mode } else { mode & (0o707 | (mode & 0o007) << 3) }
            }
            None if matches!(output, Output::Plan | Output::Report) => 0o600,
            None => self.usual,
        };
        fs::set_permissions(file, fs::Permissions::from_mode(mode))
    }

    #[cfg(not(unix))]
    pub(super) fn hand_over(&self, _: &Path, _: Output, _: Option<&Metadata>) -> io::Result<()> {
        Ok(())
    }

    /// Waits until no other run publishes into the folder, and locks it. `None` if the file system has no locks.
    pub(super) fn alone(&self, progress: Progress) -> Result<Option<File>> {
        let Ok(folder) = File::open(&self.folder) else { return Ok(None) };
        let started = Instant::now();
        loop {
            match folder.try_lock() {
                Ok(()) => return Ok(Some(folder)),
                Err(fs::TryLockError::Error(_)) => return Ok(None),
                Err(fs::TryLockError::WouldBlock) if started.elapsed() > MAX_LOCK_WAIT => {
                    let message = "another program holds its lock; try again when that program has ended";
                    let name = self.folder.display();
                    return Err(Error::write(&name, io::Error::new(io::ErrorKind::ResourceBusy, message)));
                }
                Err(fs::TryLockError::WouldBlock) => {
                    progress.advance(0)?;
                    sleep(Duration::from_millis(10));
                }
            }
        }
    }

    /// Makes sure that the names in the folder survive a crash of the system.
    pub(super) fn sync(&self) -> io::Result<()> {
        match File::open(&self.folder).and_then(|folder| folder.sync_all()) {
            // Some folders cannot be opened, and some file systems cannot sync a folder.
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied || e.kind() == io::ErrorKind::InvalidInput => Ok(()),
            done => done,
        }
    }
}

/// Removes the abandoned workshops of this user.
fn sweep(folder: &Path, own: &Path) {
    let Ok(own) = fs::symlink_metadata(own) else { return };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_workshop(&entry.file_name()) && entry.file_type().is_ok_and(|of| of.is_dir()) {
            // If it cannot be removed, it belongs to another user or is still in use.
            let _ = remove_abandoned(&entry.path(), &own);
        }
    }
}

fn is_workshop(name: &OsStr) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(NAME_PREFIX));
    random.is_some_and(|random| random.len() == RANDOM_NAME_LENGTH && random.bytes().all(|b| b.is_ascii_alphanumeric()))
}

fn remove_abandoned(path: &Path, own: &Metadata) -> io::Result<()> {
    let folder = File::open(path)?;
    if !same_user(&folder.metadata()?, own) {
        return Ok(());
    }
    folder.try_lock()?;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        // Only files with the names of a workshop are removed. If there are others, the folder is not a workshop and stays.
        if entry.file_name().to_str().is_some_and(|name| name.bytes().all(|b| b.is_ascii_digit())) {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir(path)
}

#[cfg(unix)]
fn same_user(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    one.uid() == other.uid()
}

#[cfg(not(unix))]
fn same_user(_one: &Metadata, _other: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn private<'a, 'b, 'c>(builder: &'c mut Builder<'a, 'b>) -> &'c mut Builder<'a, 'b> {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn private<'a, 'b, 'c>(builder: &'c mut Builder<'a, 'b>) -> &'c mut Builder<'a, 'b> {
    builder
}

#[cfg(unix)]
fn options(mode: u32) -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(mode);
    options
}

#[cfg(not(unix))]
fn options(_mode: u32) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    options
}

#[cfg(unix)]
fn mode(of: &Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    of.permissions().mode() & 0o777
}

#[cfg(not(unix))]
fn mode(_of: &Metadata) -> u32 {
    0
}
