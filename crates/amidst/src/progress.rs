//! Progress, cancellation and limits, from whoever watches the work.
//!
//! Work that lasts calls [`Progress::advance`] as it goes. That moves the bar of whoever watches, and fails with
//! [`Error::Interrupted`] once the watcher wants to stop, so that `?` unwinds the work and drops what was half done.

use crate::error::{Error, Result};
use crate::usage;

/// Somebody who watches the work: a progress bar, a callback, a test that interrupts.
pub trait Observer: Sync {
    /// A stage begins that will advance to `total`.
    fn begin(&self, stage: &'static str, total: u64);
    /// `by` more of the stage is done.
    fn advance(&self, by: u64);
    /// True when the work shall stop.
    fn interrupted(&self) -> bool;
    /// How many bytes of memory the work may take; `None` for three quarters of what the machine has.
    fn memory_limit(&self) -> Option<u64> {
        None
    }
}

/// What the stages report to.
#[derive(Clone, Copy)]
pub struct Progress<'a>(Option<&'a dyn Observer>);

impl<'a> Progress<'a> {
    /// Reports to `observer`.
    pub fn to(observer: &'a dyn Observer) -> Self {
        Progress(Some(observer))
    }

    /// Reports to nobody and is never interrupted.
    pub fn silent() -> Self {
        Progress(None)
    }

    /// A stage begins.
    pub fn begin(&self, stage: &'static str, total: u64) -> Result<()> {
        if let Some(observer) = self.0 {
            observer.begin(stage, total);
        }
        self.advance(0)
    }

    /// True when the work shall stop.
    pub fn interrupted(&self) -> bool {
        self.0.is_some_and(Observer::interrupted)
    }

    /// How many bytes of memory the work may take.
    pub fn memory_limit(&self) -> u64 {
        let share = || usage::machine_memory_bytes().map(|bytes| bytes / 4 * 3);
        self.0.and_then(Observer::memory_limit).or_else(share).unwrap_or(u64::MAX)
    }

    /// `by` more is done; fails when the work shall stop.
    pub fn advance(&self, by: u64) -> Result<()> {
        match self.0 {
            Some(observer) if observer.interrupted() => Err(Error::Interrupted),
            Some(observer) => {
                observer.advance(by);
                Ok(())
            }
            None => Ok(()),
        }
    }
}
