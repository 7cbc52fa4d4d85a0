//! Progress, interruption and memory limits.
//!
//! Long work calls [`Progress::advance`] again and again. The call reports progress to an [`Observer`]. It fails with [`Error::Interrupted`] once
//! the observer wants to stop, so that `?` ends the work and drops unfinished results.

use crate::error::{Error, Result, Setting};
use crate::usage;

/// An observer of the work: a progress bar, a callback, or a test that interrupts.
pub trait Observer: Sync {
    /// Called when a stage begins. The stage will advance to `total`.
    fn begin(&self, stage: &'static str, total: u64);
    /// Called when `by` more of the stage is done.
    fn advance(&self, by: u64);
    /// Whether the work should stop.
    fn interrupted(&self) -> bool;
    /// Called with a sentence that a user should read before the work goes on.
    fn note(&self, _text: &str) {}
    /// Called with how far the stage is, in a few words, each time that changes.
    fn status(&self, _text: &str) {}
    /// Called with what should be known about how a table is read, and with the setting that changes it.
    fn remark(&self, _text: &str, _setting: &Setting) {}
    /// The memory limit in bytes; `None` for three quarters of the machine's memory.
    fn memory_limit(&self) -> Option<u64> {
        None
    }
}

/// A handle that stages report progress to.
#[derive(Clone, Copy)]
pub struct Progress<'a>(Option<&'a dyn Observer>);

impl<'a> Progress<'a> {
    /// A handle that reports to `observer`.
    pub fn to(observer: &'a dyn Observer) -> Self {
        Progress(Some(observer))
    }

    /// A handle that reports to nobody and is never interrupted.
    pub fn silent() -> Self {
        Progress(None)
    }

    /// Begins a stage.
    pub fn begin(&self, stage: &'static str, total: u64) -> Result<()> {
        if let Some(observer) = self.0 {
            observer.begin(stage, total);
        }
        self.advance(0)
    }

    /// Tells a user something before the work goes on.
    pub(crate) fn note(&self, text: &str) {
        if let Some(observer) = self.0 {
            observer.note(text);
        }
    }

    /// Says how far the stage is, in a few words.
    pub(crate) fn status(&self, text: &str) {
        if let Some(observer) = self.0 {
            observer.status(text);
        }
    }

    /// Whether the work should stop.
    pub fn interrupted(&self) -> bool {
        self.0.is_some_and(Observer::interrupted)
    }

    /// The memory limit in bytes.
    pub fn memory_limit(&self) -> u64 {
        let share = || usage::machine_memory_bytes().map(|bytes| bytes / 4 * 3);
        self.0.and_then(Observer::memory_limit).or_else(share).unwrap_or(u64::MAX)
    }

    /// Says what should be known about how a table is read, and which setting changes it.
    pub(crate) fn remark(&self, text: &str, setting: &Setting) {
        if let Some(observer) = self.0 {
            observer.remark(text, setting);
        }
    }

    /// Reports that `by` more is done. Fails if the work should stop.
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
