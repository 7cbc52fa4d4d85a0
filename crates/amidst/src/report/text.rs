//! The text form of all outcomes.

use std::fmt;
use std::path::PathBuf;

use indexmap::IndexMap;

use super::advice;
use super::card::{self, Card};
use super::warning;
use super::{AttackOutcome, AuditOutcome, Comparison, Details, Hit, MeasureOutcome, Outcome, Run, Seconds, Suppressed};
use crate::attack::{Finding, Verdict};
use crate::measure::{Figure, Scores};
use crate::notation::{decimals, grouped, percent};
use crate::plan::Plan;
use crate::verify::{Audit, Levels};

/// The most values that the text names as hit by suppression.
const MAX_HITS_SHOWN: usize = 3;
/// The length of the longest bar of a histogram, in characters.
const LONGEST_BAR: usize = 40;

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.verdict)?;
        self.files(f)?;
        write!(f, "rows       {}", grouped(self.audit.rows))?;
        match self.dropped_rows {
            0 => writeln!(f)?,
            dropped => writeln!(f, "; {} left out because a value is missing", grouped(dropped))?,
        }
        if let Some(suppressed) = &self.suppressed {
            writeln!(f, "suppressed {suppressed}")?;
        }
        privacy(f, &self.audit, Some(&self.asked))?;
        warning::write(f, &self.warnings)?;
        self.others.iter().try_for_each(|other| writeln!(f, "{other}"))?;
        loss_line(f, &self.scores)?;
        advice::write(f, &self.advice)?;
        if let Some(certificate) = &self.certificate {
            writeln!(f, "proven     {certificate}")?;
        }
        self.method(f)?;
        self.cost(f)?;
        writeln!(f, "\nmeasures")?;
        f.write_str(&table(&self.scores))?;
        self.closing(f)
    }
}

impl Outcome {
    /// The files that were written.
    fn files(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |heading: &str, file: &PathBuf| writeln!(f, "{heading:10} {}", file.display());
        self.output.iter().try_for_each(|file| line("published", file))?;
        self.parts.iter().try_for_each(|file| line("", file))?;
        self.plan.iter().try_for_each(|file| line("plan", file))?;
        self.dictionary.iter().try_for_each(|file| line("dictionary", file))?;
        self.manifest.iter().try_for_each(|file| line("manifest", file))?;
        self.reports.iter().chain(&self.public_reports).try_for_each(|file| line("report", file))
    }

    /// How the release was made.
    fn method(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let refine: String = self.refine.iter().map(|r| format!(", refined by {r}")).collect();
        let Outcome { partitioner, measure, publish, .. } = self;
        writeln!(f, "method     {partitioner}{refine}, for {measure}; published by {publish}")?;
        if self.output.is_some() && self.plan.is_none() {
            // Where a plan is stored the seed is in it. It is not printed there, because anybody may read the terminal.
            writeln!(f, "seed       {}; keep it secret, no plan is stored beside a stream", self.seed)?;
        }
        self.remarks.iter().try_for_each(|remark| writeln!(f, "           {remark}"))
    }

    /// Time and memory.
    fn cost(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "time       {}", self.seconds)?;
        match self.peak_memory_bytes {
            Some(bytes) => writeln!(f, "memory     {} MiB at most", grouped((bytes >> 20) as usize)),
            None => Ok(()),
        }
    }

    /// Which files recipients may have, and which to keep.
    fn closing(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(plan) = &self.plan else { return Ok(()) };
        let line = |f: &mut fmt::Formatter<'_>, heading: &str, files: &mut dyn Iterator<Item = &PathBuf>| {
            let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
            write!(f, "\n{heading:9}  {}", files.join(", "))
        };
        let release = self.output.iter().chain(&self.parts).chain(&self.dictionary).chain(&self.manifest);
        line(f, "hand out", &mut release.chain(&self.public_reports))?;
        line(f, "keep", &mut std::iter::once(plan).chain(&self.reports))?;
        writeln!(f, "\n           with the original; they would help somebody to re-identify people")
    }

    /// The whole report, with secrets and details.
    pub fn whole_text(&self) -> String {
        let card = self.details.as_ref().map(|details| format!("{}\n", Told(self, details))).unwrap_or_default();
        let details = self.details.as_ref().map(|details| format!("\n{details}")).unwrap_or_default();
        let key = self.fingerprint_key.map(|key| format!(", fingerprint key {key}")).unwrap_or_default();
        format!("{}\n\n{card}{self}\nsecrets    seed {}{key}\n{details}", super::INTERNAL, self.seed)
    }
}

/// The first card of a report.
struct Told<'a>(&'a Outcome, &'a Details);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Told(outcome, details) = self;
        card::write(f, outcome, &Card::new(outcome, details))
    }
}

/// The time of the whole run, and of its parts.
impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Seconds { read, partition, certify, publish, verify, report, total } = *self;
        let parts = [
            ("read", Some(read)),
            ("partition", Some(partition)),
            ("prove", certify),
            ("publish", Some(publish)),
            ("verify", Some(verify)),
            ("measure", Some(report)),
        ];
        let parts = parts.into_iter().filter_map(|(name, seconds)| Some(format!("{name} {}", duration(seconds?))));
        write!(f, "{} ({})", duration(total), parts.collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Display for Suppressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, share) = (grouped(self.rows), percent(self.share));
        write!(f, "{rows} rows, {share} of the table, left out as the plan allows")?;
        if self.hit.is_empty() {
            return Ok(());
        }
        let groups = self.hit.iter().take(MAX_HITS_SHOWN).map(|hit| {
            let Hit { column, value, rows, suppressed } = hit;
            format!("{column} {value} ({} of {})", grouped(*suppressed), grouped(*rows))
        });
        write!(f, ";\n           most affected: {}", groups.collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Display for AuditOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.verdict)?;
        // Before the figures, which can look as if all were well.
        for failure in &self.failures {
            writeln!(f, "\nfails: {failure}")?;
        }
        if !self.failures.is_empty() && self.audit.is_some() {
            writeln!(f)?;
        }
        if let Some(audit) = &self.audit {
            writeln!(f, "rows       {}", grouped(audit.rows))?;
            privacy(f, audit, None)?;
        }
        if self.uncounted {
            writeln!(f, "           these figures count rows, not persons")?;
        }
        warning::write(f, &self.warnings)?;
        self.others.iter().try_for_each(|other| writeln!(f, "{other}"))?;
        if let Some(scores) = &self.scores {
            loss_line(f, scores)?;
        }
        let rings = self.audit.as_ref().is_some_and(|audit| audit.windows.is_some());
        if self.covers_original == Some(true) {
            writeln!(
                f,
                "original   each published cell covers the original value; all other columns are unchanged, or coded as asked"
            )?;
        }
        match self.covers_original {
            Some(true) if rings => writeln!(f, "           each record fits as many rows as its window says")?,
            None if rings => writeln!(f, "original   not given; without it, k is a claim of the file and not proven")?,
            _ => {}
        }
        if !self.unnamed.is_empty() {
            let names = self.unnamed.join(", ");
            writeln!(f, "unnamed    {names}: no flag names these columns; check whether they may be published")?;
        }
        if let Some(audit) = &self.audit {
            let unit = if audit.people.is_some() { " in persons" } else { "" };
            writeln!(f, "\n{} sizes{unit}", if rings { "ring" } else { "class" })?;
            f.write_str(&histogram(audit))?;
        }
        Ok(())
    }
}

impl fmt::Display for AttackOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            writeln!(f, "fails: {failure}")?;
        }
        if !self.findings.is_empty() {
            writeln!(f, "rows       {}", grouped(self.rows))?;
            writeln!(f, "form       {}", self.publish)?;
        }
        for (name, finding) in &self.findings {
            writeln!(f, "\n{name}: {}", verdict(finding))?;
            writeln!(f, "  knows     {}", finding.knows)?;
            if !finding.promised.is_empty() {
                writeln!(f, "  promised  {}", finding.promised.join(", "))?;
            }
            for (place, sentence) in finding.found.iter().enumerate() {
                let heading = match (place, finding.verdict) {
                    (0, Verdict::NotTried) => "because",
                    (0, _) => "found",
                    _ => "",
                };
                writeln!(f, "  {heading:9} {sentence}")?;
            }
        }
        Ok(())
    }
}

/// The verdict on an attack, in words.
fn verdict(finding: &Finding) -> String {
    match (finding.verdict, finding.learned) {
        (Verdict::Withstood, _) => "withstood".to_owned(),
        (Verdict::Broken, learned) => {
            format!("LEARNED MORE THAN PROMISED, about {} {}", grouped(learned.unwrap_or(0)), finding.counts.name())
        }
        (Verdict::Unpromised, _) => "no requirement covers this attack".to_owned(),
        (Verdict::NotTried, _) => "not tried".to_owned(),
    }
}

pub(super) fn privacy(f: &mut fmt::Formatter<'_>, audit: &Audit, asked: Option<&Plan>) -> fmt::Result {
    let mean = audit.rows as f64 / audit.classes.max(1) as f64;
    let unit = if audit.people.is_some() { " persons" } else { "" };
    write!(f, "privacy    k = {}{unit}", audit.achieved.k)?;
    if let Some(plan) = asked {
        write!(f, " reached, {} asked for", plan.privacy.k)?;
    }
    let what = if audit.windows.is_some() { "rings" } else { "classes" };
    writeln!(f, "; {} {what} of {mean:.1} rows on average", grouped(audit.classes))?;
    if let Some(people) = &audit.people {
        let (persons, share) = (grouped(people.persons), percent(people.largest_share));
        writeln!(f, "           k and the levels below count persons: {persons} have rows in the release;")?;
        writeln!(f, "           the rows of one person make up at most {share} of a class")?;
        if let Some(k) = people.k_by_number_of_rows {
            writeln!(
                f,
                "           pseudonyms link the rows of a person: at least {} who share a class have equally many",
                grouped(k)
            )?;
        }
    }
    if audit.windows.is_some() {
        let k = audit.achieved.k;
        writeln!(
            f,
            "           here k counts the rows that fit each record: at least {k} neighbours in a ring, which need not"
        )?;
        writeln!(f, "           look the same; in the lines below, a class is any such neighbourhood")?;
    }
    if let Some(households) = audit.achieved.households {
        write!(f, "households rows of at least {} different ones in each class", grouped(households))?;
        match asked.and_then(|plan| plan.household_sizes().ok()?.into_iter().max()) {
            Some(k) => writeln!(f, ", {k} asked for")?,
            None => writeln!(f)?,
        }
    }
    for (column, levels) in &audit.achieved.sensitive {
        writeln!(f, "sensitive  {column}: {}", levels.text(audit.people.is_some()))?;
        if let (Some(p), Some(posterior)) = (audit.achieved.retention, levels.posterior) {
            let (kept, sure) = (decimals(p), percent(posterior));
            writeln!(
                f,
                "           each row has its own value with probability {kept}; nobody can be more than {sure} sure of a row's value"
            )?;
        }
        let persons = audit.people.is_some();
        let models = asked.and_then(|plan| plan.models_in_words(column, persons).ok()).unwrap_or_default();
        for (words, model) in models {
            writeln!(f, "           asked for: {words} [{model}]")?;
        }
    }
    Ok(())
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(false))
    }
}

impl Levels {
    /// The levels in words, of persons or of rows.
    fn text(&self, of_persons: bool) -> String {
        let Levels { distinct_l, l, entropy_l, alpha, t, t_ordered, t_hierarchical, beta, delta, .. } = self;
        let different = if *distinct_l == 1 { "value" } else { "different values" };
        let largest = percent(*alpha);
        let share = if of_persons {
            format!("no value is that of more than {largest} of the persons of a class")
        } else {
            format!("no value has more than {largest} of a class")
        };
        let by = |name: &str, t: &Option<f64>| t.map(|t| format!(", {} by {name}", decimals(t))).unwrap_or_default();
        format!(
            "at least {distinct_l} {different} in a class; {share}\n           \
             l = {} by frequency, {} by entropy; t = {}{}{}; beta = {}, delta = {}",
            decimals(*l),
            decimals(*entropy_l),
            decimals(*t),
            by("order", t_ordered),
            by("hierarchy", t_hierarchical),
            decimals(*beta),
            decimals(*delta)
        )
    }
}

/// The line with LM and NCP, which most people know.
fn loss_line(f: &mut fmt::Formatter<'_>, scores: &Scores) -> fmt::Result {
    let known = ["lm", "ncp"].iter().filter_map(|name| scores.loss.get_key_value(*name));
    let parts: Vec<_> = known.map(|(name, value)| format!("{name} {}", number(*value))).collect();
    if parts.is_empty() {
        return Ok(());
    }
    writeln!(f, "loss       {} (0 is the original, 1 is everything suppressed)", parts.join(", "))
}

impl fmt::Display for MeasureOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&table(&self.scores))
    }
}

impl Comparison {
    /// The runs as a table: a header, and a row for each run.
    pub fn table(&self) -> Vec<Vec<String>> {
        let figures: Vec<Vec<(String, f64)>> = self.runs.iter().map(|run| flat(&run.scores)).collect();
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in figures.iter().flatten() {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let many = |of: fn(&Run) -> String| self.runs.iter().any(|run| of(run) != of(&self.runs[0]));
        let (ls, rows) = (self.runs.iter().any(|run| run.l.is_some()), many(|run| run.rows.to_string()));
        let head = [("k", true), ("l", ls), ("rows", rows), ("partitioner", true), ("classes", true), ("risk", true)];
        let head = head.into_iter().chain([("seconds", true), ("cpu_seconds", true)]).filter(|(_, shown)| *shown);
        let head = head.map(|(name, _)| name).chain(names.iter().copied()).map(str::to_owned);
        let mut table = vec![head.collect::<Vec<_>>()];
        for (run, figures) in self.runs.iter().zip(&figures) {
            let mut row = vec![run.k.to_string()];
            row.extend(ls.then(|| run.l.map(|l| l.to_string()).unwrap_or_default()));
            row.extend(rows.then(|| run.rows.to_string()));
            let how = if run.refused.is_some() { "impossible" } else { "stopped" };
            row.push(run.partitioner.clone());
            row.push(run.classes.map_or_else(|| how.to_owned(), |classes| classes.to_string()));
            row.push(run.risk.map(|risk| format!("{:.4}", risk.average)).unwrap_or_default());
            row.push(format!("{:.3}", run.seconds));
            row.push(run.cpu_seconds.map(|s| format!("{s:.3}")).unwrap_or_default());
            let figure = |name: &&str| figures.iter().find(|(n, _)| n == name).map(|(_, value)| value.to_string());
            row.extend(names.iter().map(|name| figure(name).unwrap_or_default()));
            table.push(row);
        }
        table
    }

    /// The number of columns before those of the measures.
    fn fixed(table: &[Vec<String>]) -> usize {
        table.first().and_then(|head| head.iter().position(|name| name == "cpu_seconds")).map_or(0, |place| place + 1)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = self.table();
        let fixed = Comparison::fixed(&table);
        for cell in table.iter_mut().skip(1).flat_map(|row| row.iter_mut().skip(fixed)) {
            if let Ok(value) = cell.parse() {
                *cell = number(value);
            }
        }
        let columns = table.first().map_or(0, Vec::len);
        let width = |column: usize| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &table {
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                match column {
                    0 => write!(f, "{cell:>width$}")?,
                    _ if table[0][column] == "partitioner" => write!(f, "  {cell:width$}")?,
                    _ => write!(f, "  {cell:>width$}")?,
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// All figures, each with its name.
fn flat(scores: &Scores) -> Vec<(String, f64)> {
    fn parts(name: &str, figure: &Figure, lines: &mut Vec<(String, f64)>) {
        match figure {
            Figure::One(value) => lines.push((name.to_owned(), *value)),
            Figure::Many(many) => many.iter().for_each(|(part, f)| parts(&format!("{name} {part}"), f, lines)),
        }
    }
    let mut lines: Vec<(String, f64)> = scores.loss.iter().map(|(name, value)| (name.clone(), *value)).collect();
    scores.utility.iter().for_each(|(name, figure)| parts(name, figure, &mut lines));
    lines
}

/// All figures, one per line, and the measures that were skipped.
fn table(scores: &Scores) -> String {
    let lines = flat(scores);
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let figures = lines.iter().map(|(name, value)| format!("  {name:width$}  {:>14}\n", number(*value)));
    let mut reasons: IndexMap<&str, Vec<&str>> = IndexMap::new();
    scores.skipped.iter().for_each(|(name, why)| reasons.entry(why).or_default().push(name));
    let skipped = reasons.iter().map(|(why, names)| format!("  not measured: {}\n    {why}\n", names.join(", ")));
    figures.chain(skipped).collect()
}

/// A figure with fewer decimals the larger it is.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        x if x >= 1e12 => format!("{value:.3e}"),
        x if x >= 1000.0 => {
            format!("{}{}", if value < 0.0 { "-" } else { "" }, grouped(value.abs().round() as usize))
        }
        x if x >= 10.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

/// Class sizes in bins that grow: the smallest size of each bin, the largest, and the number of classes.
pub(super) fn class_sizes(audit: &Audit) -> Vec<(usize, usize, usize)> {
    let mut bins = Vec::new();
    let mut from = audit.achieved.k.max(1);
    let largest = audit.class_sizes.keys().next_back().copied().unwrap_or(0);
    while from <= largest {
        // Bins grow by half, so that the sizes near k, which most classes have, stay apart.
        let to = (from + from.div_ceil(2)).max(from + 1) - 1;
        bins.push((from, to.min(largest), audit.class_sizes.range(from..=to).map(|(_, n)| n).sum()));
        from = to + 1;
    }
    bins
}

/// A text histogram of the class sizes.
pub fn histogram(audit: &Audit) -> String {
    let bins = class_sizes(audit);
    let most = bins.iter().map(|bin| bin.2).max().unwrap_or(1).max(1);
    let label = |from: usize, to: usize| if from == to { from.to_string() } else { format!("{from}-{to}") };
    let wide = bins.iter().map(|(from, to, _)| label(*from, *to).len()).max().unwrap_or(0);
    bins.iter()
        .map(|(from, to, n)| {
            let bar = "█".repeat((n * LONGEST_BAR).div_ceil(most));
            format!("  {:>wide$}  {bar} {}\n", label(*from, *to), grouped(*n))
        })
        .collect()
}

pub(super) fn duration(seconds: f64) -> String {
    if seconds < 0.9995 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.1} s") }
}
