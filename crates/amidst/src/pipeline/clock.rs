//! How long the stages take.

use std::time::{Duration, Instant};

use crate::usage;

/// Measures one stage after the other.
pub(super) struct Clock {
    start: Instant,
    cpu: Option<f64>,
}

/// What a stage took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lap {
    pub seconds: f64,
    /// Processor time of all threads, where the system tells.
    pub cpu_seconds: Option<f64>,
}

impl Lap {
    /// About how long the stage takes on a machine that does nothing else: not longer than the processors worked for it.
    pub(super) fn alone(self) -> f64 {
        self.cpu_seconds.map_or(self.seconds, |cpu| self.seconds.min(cpu))
    }
}

impl Clock {
    pub(super) fn start() -> Self {
        Clock { start: Instant::now(), cpu: usage::cpu_seconds() }
    }

    /// How long the time runs.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// What was taken since the last lap.
    pub(super) fn lap(&mut self) -> Lap {
        let now = Clock::start();
        let cpu_seconds = now.cpu.zip(self.cpu).map(|(end, start)| end - start);
        let seconds = (now.start - self.start).as_secs_f64();
        *self = now;
        Lap { seconds, cpu_seconds }
    }
}
