//! A progress bar that shows itself when the work lasts, and Ctrl-C.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use amidst::Setting;
use amidst::progress::Observer;
use bytesize::ByteSize;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::flags::flag;
use crate::note;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Work shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar on standard error, where that is a terminal.
pub struct Bar {
    inner: ProgressBar,
    started: Instant,
    /// Whether the bar may be shown, and has not been yet.
    waiting: AtomicBool,
    memory: Option<ByteSize>,
    quiet: bool,
    /// What was said already. Some commands read a table several times.
    said: Mutex<Vec<String>>,
}

impl Bar {
    /// Watches the work, which may take so much memory; from here on Ctrl-C stops it cleanly.
    pub fn new(quiet: bool, memory: Option<ByteSize>) -> Self {
        // Fails only where a handler is set already, which then does the same.
        let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        let show = !quiet && std::io::stderr().is_terminal();
        let (started, waiting) = (Instant::now(), AtomicBool::new(show));
        Bar { inner: bar, started, waiting, memory, quiet, said: Mutex::default() }
    }
}

impl Observer for Bar {
    fn begin(&self, stage: &'static str, total: u64) {
        let template = if total > 0 {
            "{msg:>12} [{bar:40}] {percent:>3}%  {eta}  {prefix}"
        } else {
            "{msg:>12} {spinner}  {prefix}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.inner.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        self.inner.set_message(stage);
        self.inner.set_prefix("");
        self.inner.set_length(total);
        self.inner.set_position(0);
    }

    fn advance(&self, by: u64) {
        self.inner.inc(by);
        if self.waiting.load(Ordering::Relaxed)
            && self.started.elapsed() > PATIENCE
            && self.waiting.swap(false, Ordering::Relaxed)
        {
            self.inner.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    fn interrupted(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }

    fn note(&self, text: &str) {
        if !self.quiet {
            self.inner.suspend(|| crate::note(text));
        }
    }

    fn status(&self, text: &str) {
        self.inner.set_prefix(text.to_owned());
    }

    fn remark(&self, text: &str, setting: &Setting) {
        let text = format!("{text} (change it by {})", flag(setting));
        if let Ok(mut said) = self.said.lock()
            && !self.quiet
            && !said.contains(&text)
        {
            self.inner.suspend(|| note(&text));
            said.push(text);
        }
    }

    fn memory_limit(&self) -> Option<u64> {
        self.memory.map(|size| size.as_u64())
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.inner.finish_and_clear();
    }
}
