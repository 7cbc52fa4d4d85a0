//! How long a proof may take.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// How long a proof may take. When the time is up, what was proven until then counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProofTime {
    /// Twice the time that the run took until then, but at least a second. A minute for a bound without a release.
    #[default]
    Usual,
    /// So long by the clock.
    AtMost(Duration),
    /// As long as counted work brings something. Only these proofs are the same on every machine.
    Full,
}

impl ProofTime {
    /// The limit, if there is one.
    pub(super) fn limit(self, usual: Duration) -> Option<Duration> {
        match self {
            ProofTime::Usual => Some(usual),
            ProofTime::AtMost(time) => Some(time),
            ProofTime::Full => None,
        }
    }
}

/// What does not say how long a proof may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoProofTime(String);

impl fmt::Display for NoProofTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no time for a proof; write a number and a unit, such as 60s or 5m, or write full", self.0)
    }
}

impl std::error::Error for NoProofTime {}

impl FromStr for ProofTime {
    type Err = NoProofTime;

    fn from_str(text: &str) -> Result<Self, NoProofTime> {
        match text {
            "full" => Ok(ProofTime::Full),
            _ => humantime::parse_duration(text).map(ProofTime::AtMost).map_err(|_| NoProofTime(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!("full".parse(), Ok(ProofTime::Full));
        assert_eq!("60s".parse(), Ok(ProofTime::AtMost(Duration::from_mins(1))));
        assert_eq!("1m 30s".parse(), Ok(ProofTime::AtMost(Duration::from_secs(90))));
        assert_eq!("0s".parse(), Ok(ProofTime::AtMost(Duration::ZERO)));
        for text in ["", "60", "-1s", "long", "60x", "99999999999999999999s"] {
            let refused = text.parse::<ProofTime>().unwrap_err().to_string();
            assert!(refused.starts_with(&format!("`{text}` is no time for a proof; ")), "{refused}");
        }
    }

    #[test]
    fn limits() {
        let (usual, given) = (Duration::from_secs(7), Duration::from_secs(3));
        assert_eq!(ProofTime::Usual.limit(usual), Some(usual));
        assert_eq!(ProofTime::AtMost(given).limit(usual), Some(given));
        assert_eq!(ProofTime::Full.limit(usual), None);
    }
}
