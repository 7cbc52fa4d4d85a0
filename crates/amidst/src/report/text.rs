//! The report for people.

use std::fmt;

use super::{AuditOutcome, Outcome};
use crate::measure::Loss;
use crate::verify::Audit;

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { audit, seconds, .. } = self;
        let total = seconds.read + seconds.partition + seconds.publish + seconds.verify;
        writeln!(f, "published  {}", self.output.display())?;
        if let Some(plan) = &self.plan {
            writeln!(f, "plan       {}", plan.display())?;
        }
        write!(f, "rows       {}", grouped(audit.rows))?;
        match self.dropped_rows {
            0 => writeln!(f)?,
            dropped => writeln!(f, ", {} dropped for missing values", grouped(dropped))?,
        }
        privacy(f, audit, Some(self.asked.privacy.k))?;
        losses(f, &self.loss)?;
        let refine: String = self.refine.iter().map(|r| format!(", refined by {r}")).collect();
        writeln!(f, "method     {}{refine}, for {}; seed {}", self.partitioner, self.measure, self.seed)?;
        writeln!(
            f,
            "time       {} (read {}, partition {}, publish {}, verify {})",
            duration(total),
            duration(seconds.read),
            duration(seconds.partition),
            duration(seconds.publish),
            duration(seconds.verify)
        )?;
        if let Some(bytes) = self.peak_memory_bytes {
            writeln!(f, "memory     {} MiB at most", grouped((bytes >> 20) as usize))?;
        }
        Ok(())
    }
}

impl fmt::Display for AuditOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "rows       {}", grouped(self.audit.rows))?;
        privacy(f, &self.audit, None)?;
        if let Some(loss) = &self.loss {
            losses(f, loss)?;
        }
        if self.covers_original == Some(true) {
            writeln!(f, "original   every cell covers its value, every other column is unchanged")?;
        }
        writeln!(f, "\nclass sizes")?;
        f.write_str(&histogram(&self.audit))?;
        for failure in &self.failures {
            writeln!(f, "\nfails: {failure}")?;
        }
        Ok(())
    }
}

fn privacy(f: &mut fmt::Formatter<'_>, audit: &Audit, asked: Option<usize>) -> fmt::Result {
    let mean = audit.rows as f64 / audit.classes.max(1) as f64;
    write!(f, "privacy    k = {}", audit.achieved.k)?;
    if let Some(k) = asked {
        write!(f, " reached, {k} asked for")?;
    }
    write!(f, "; {} classes of {mean:.1} rows on average", grouped(audit.classes))?;
    if let Some(l) = audit.achieved.distinct_l {
        write!(f, "; at least {l} different sensitive {} in each", if l == 1 { "value" } else { "values" })?;
    }
    writeln!(f)
}

fn losses(f: &mut fmt::Formatter<'_>, loss: &Loss) -> fmt::Result {
    let parts: Vec<_> = loss.iter().map(|(name, value)| format!("{name} {value:.4}")).collect();
    writeln!(f, "loss       {} (0 is the original, 1 is everything suppressed)", parts.join(", "))
}

/// The sizes of the classes as bars, in bins that double.
pub fn histogram(audit: &Audit) -> String {
    const WIDTH: usize = 40;
    let mut bins: Vec<(usize, usize, usize)> = Vec::new(); // from, to, classes
    let mut from = audit.achieved.k.max(1);
    let largest = audit.class_sizes.keys().next_back().copied().unwrap_or(0);
    while from <= largest {
        // Half as much again, so that the sizes near k, where most classes are, stay apart.
        let to = (from + from.div_ceil(2)).max(from + 1) - 1;
        bins.push((from, to.min(largest), audit.class_sizes.range(from..=to).map(|(_, n)| n).sum()));
        from = to + 1;
    }
    let most = bins.iter().map(|bin| bin.2).max().unwrap_or(1).max(1);
    let label = |from: usize, to: usize| if from == to { from.to_string() } else { format!("{from}-{to}") };
    let wide = bins.iter().map(|(from, to, _)| label(*from, *to).len()).max().unwrap_or(0);
    bins.iter()
        .map(|(from, to, n)| {
            let bar = "█".repeat((n * WIDTH).div_ceil(most));
            format!("  {:>wide$}  {bar} {}\n", label(*from, *to), grouped(*n))
        })
        .collect()
}

/// 1234567 as `1,234,567`.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap_or_default()).collect();
    groups.join(",")
}

fn duration(seconds: f64) -> String {
    if seconds < 0.9995 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.1} s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
