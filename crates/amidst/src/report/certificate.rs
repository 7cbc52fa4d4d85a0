//! Certificates and bounds as texts.

use std::fmt;

use super::text::{duration, number};
use super::{BoundOutcome, Certificate};
use crate::notation::{at_most, grouped};

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.bound, self.above) {
            (Some(bound), Some(above)) => {
                let (above, least) = (at_most(above), number(bound.loss));
                write!(f, "{above} above the best possible (lower bound {least}, {}{})", bound.method, Stopped(self))
            }
            (Some(bound), None) => write!(f, "nothing: the lower bound is 0 ({}{})", bound.method, Stopped(self)),
            (None, _) => write!(f, "nothing: {}", self.reason.as_deref().unwrap_or("there is no lower bound")),
        }
    }
}

/// That the clock ended a proof, if it did.
struct Stopped<'a>(&'a Certificate);

impl fmt::Display for Stopped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.stopped_after().map_or(Ok(()), |seconds| write!(f, "; stopped after {}", duration(seconds)))
    }
}

impl fmt::Display for BoundOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BoundOutcome { rows, k, measure, bound, seconds, cpu_seconds, .. } = self;
        writeln!(f, "rows       {}", grouped(*rows))?;
        writeln!(f, "bound      {measure} {}: no release with k = {k} loses less", number(bound.loss))?;
        writeln!(f, "method     {}", bound.method)?;
        let cpu = cpu_seconds.map(|s| format!(" ({} of processor time)", duration(s))).unwrap_or_default();
        let stopped = if bound.complete { "" } else { "; stopped then, so more time may prove more" };
        writeln!(f, "time       {}{cpu}{stopped}", duration(*seconds))
    }
}
