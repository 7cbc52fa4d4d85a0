//! The clock of a proof, and those who hear how far it is.
//!
//! Whatever the clock stops, what was proven until then stays proven. Every search asks often whether its time is up, and then says
//! only what holds by what it has seen.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::progress::Progress;

/// What the work is called.
const STAGE: &str = "proving";

/// How long a proof has lasted, and when it must end.
pub(super) struct Clock {
    begun: Instant,
    until: Instant,
    /// The milliseconds that were reported as progress.
    told: AtomicU64,
    /// Whether some step was cut short.
    limited: AtomicBool,
}

impl Clock {
    pub(super) fn new(until: Instant) -> Self {
        Clock { begun: Instant::now(), until, told: AtomicU64::new(0), limited: AtomicBool::new(false) }
    }

    /// Whether some step was cut short.
    pub(super) fn limited(&self) -> bool {
        self.limited.load(Ordering::Relaxed)
    }
}

/// When a step of a proof must end, and who hears of it.
#[derive(Clone, Copy)]
pub(super) struct Watch<'a> {
    progress: Progress<'a>,
    clock: Option<&'a Clock>,
    until: Option<Instant>,
    /// Called with every better bound, as a sum over all records.
    raised: &'a (dyn Fn(i64) + Sync),
}

impl<'a> Watch<'a> {
    /// Begins to watch. Without a clock, only work limits the proof.
    pub(super) fn new(
        progress: Progress<'a>,
        clock: Option<&'a Clock>,
        raised: &'a (dyn Fn(i64) + Sync),
    ) -> Result<Self> {
        let milliseconds = clock.map_or(0, |clock| clock.until.saturating_duration_since(clock.begun).as_millis());
        progress.begin(STAGE, milliseconds as u64)?;
        Ok(Watch { progress, clock, until: clock.map(|clock| clock.until), raised })
    }

    /// Whether there is a clock.
    pub(super) fn is_timed(&self) -> bool {
        self.until.is_some()
    }

    /// Whether the time is up.
    pub(super) fn is_over(&self) -> bool {
        let over = self.until.is_some_and(|until| Instant::now() >= until);
        if over {
            self.limit();
        }
        over
    }

    /// Says that the clock cuts a step short.
    pub(super) fn limit(&self) {
        if let Some(clock) = self.clock {
            clock.limited.store(true, Ordering::Relaxed);
        }
    }

    /// The time that is left, if there is a clock.
    pub(super) fn left(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }

    /// The same for a step that may take this share of the time that is left.
    pub(super) fn with_share(self, share: f64) -> Self {
        Watch { until: self.left().map(|left| Instant::now() + left.mul_f64(share)), ..self }
    }

    /// The same for a step whose bounds count only together with others.
    pub(super) fn heard_by<'b>(self, raised: &'b (dyn Fn(i64) + Sync)) -> Watch<'b>
    where
        'a: 'b,
    {
        Watch { raised, ..self }
    }

    /// Whether a search must stop: the time is up, or somebody interrupts.
    pub(super) fn ends(&self) -> bool {
        self.is_over() || self.progress.interrupted()
    }

    /// Says that the bound is at least so high, as a sum over all records.
    pub(super) fn raised(&self, sum: i64) {
        (self.raised)(sum);
    }

    /// Begins a step that advances to `total`, unless the clock is what advances.
    pub(super) fn begin(&self, total: u64) -> Result<()> {
        if self.clock.is_none() { self.progress.begin(STAGE, total) } else { self.advance(0) }
    }

    /// Reports that `by` more of a step is done. Fails if somebody interrupts; time that is up is no failure.
    pub(super) fn advance(&self, by: u64) -> Result<()> {
        let Some(clock) = self.clock else { return self.progress.advance(by) };
        let now = clock.begun.elapsed().as_millis() as u64;
        let before = clock.told.fetch_max(now, Ordering::Relaxed);
        self.progress.advance(now.saturating_sub(before))
    }
}
