//! Re-running the algorithm, in the spirit of the minimality attack.
//!
//! The adversary knows the algorithm, the plan, and everybody's quasi-identifiers and sensitive values, but for two of one class of whom it does not know which has
//! which sensitive values. So there are two worlds, and it makes the release of both: if the wrong one gives another release, it is ruled out. Here the target is one of the two, and
//! every other combination of sensitive values in its class is tried once. A target of which all other worlds are ruled out is pinned down, whatever the
//! privacy model: all of them judge classes, and none asks how the classes came about.
//!
//! Compared is what the release shows of quasi-identifiers and sensitive values, with the order of the rows and without. The order depends on all records and the seed, so who has the seed rules out every wrong
//! world; without the order only those in which other classes are formed.
//!
//! Somebody who knows *all* records but one needs none of this where sensitive values are published as they are: they subtract.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use arrow_array::Array;
use arrow_array::cast::AsArray;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rustc_hash::FxHashSet;

use super::{Attack, Build, Finding, Rerun, Scene, Verdict};
use crate::encode::Code;
use crate::error::{Error, Result};
use crate::progress::{Observer, Progress};
use crate::read::{Table, texts};
use crate::registry::{Entry, Param, Range, Value};
use crate::verify::Published;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "rerun",
    about: "knows the algorithm, the plan and nearly all records, and makes the release again with sensitive values exchanged",
    paper: "Wong, Fu, Wang and Pei, VLDB 2007 (minimality attack)",
    params: &[
        Param {
            name: "targets",
            about: "how many records are attacked, drawn at random",
            range: Range::Integer(1, 1_000_000),
            default: Some(Value::Integer(5)),
        },
        Param {
            name: "seconds",
            about: "after how long no more releases are made",
            range: Range::Number(0.0, 1e9),
            default: Some(Value::Number(20.0)),
        },
    ],
    build: |params| {
        let (targets, seconds) = (params.integer("targets") as usize, params.number("seconds"));
        Box::new(Again { targets, seconds })
    },
};

struct Again {
    targets: usize,
    seconds: f64,
}

/// What became of the targets.
#[derive(Default)]
struct Tally {
    targets: usize,
    worlds: usize,
    /// Worlds that give the same rows, and in the same order.
    same_rows: usize,
    same_order: usize,
    /// Targets whose every other world is ruled out by the rows, and by their order.
    pinned_by_rows: usize,
    pinned_by_order: usize,
    skipped: usize,
}

impl Attack for Again {
    fn knows(&self) -> &'static str {
        "the algorithm, the plan, and all records, but not which of two in a class has which sensitive values"
    }

    fn attack(&self, scene: &Scene, progress: Progress) -> Result<Finding> {
        let Some(rerun) = scene.rerun else {
            return Ok(Finding::not_tried(
                "how the release was made is only known from the plan that is stored beside it (--plan)",
            ));
        };
        if scene.encoded().sensitive().is_empty() {
            return Ok(Finding::not_tried("no column is sensitive"));
        }
        let Some(members) = members(scene) else {
            return Ok(Finding::not_tried("it is not known which published row comes from which record"));
        };
        let end = Instant::now() + Duration::from_secs_f64(self.seconds);
        let limited = Limited { progress, end };
        let show = Show::new(scene.release, scene)?;
        let World::Made(again) = once(rerun, None, &limited)? else {
            return Ok(Finding::not_tried(format!("making the release again takes longer than {} s", self.seconds)));
        };
        if again.map(|again| Show::new(&again, scene)).transpose()?.as_ref() != Some(&show) {
            return Ok(Finding::not_tried("the plan does not make this very release again"));
        }
        let targets = self.targets(scene, &members);
        progress.begin("making the release again", targets.len() as u64)?;
        let mut tally = Tally::default();
        for (place, (target, class)) in targets.iter().enumerate() {
            let worlds = exchanges(scene, *target, &members[*class]);
            let Some(found) = worlds_of(scene, rerun, &show, &worlds, &limited)? else {
                tally.skipped = targets.len() - place;
                break;
            };
            tally.targets += 1;
            tally.worlds += worlds.len();
            tally.same_rows += found.0;
            tally.same_order += found.1;
            tally.pinned_by_rows += usize::from(found.0 == 0);
            tally.pinned_by_order += usize::from(found.1 == 0);
            progress.advance(1)?;
        }
        Ok(tally.finding(targets.is_empty(), self.seconds))
    }
}

impl Again {
    /// Published records of classes with several combinations of sensitive values, at random, with their classes.
    fn targets(&self, scene: &Scene, members: &[Vec<u32>]) -> Vec<(u32, usize)> {
        let several = |rows: &Vec<u32>| rows.iter().any(|row| secret(scene, *row) != secret(scene, rows[0]));
        let classes = members.iter().enumerate().filter(|(_, rows)| several(rows));
        let mut targets: Vec<(u32, usize)> =
            classes.flat_map(|(class, rows)| rows.iter().map(move |row| (*row, class))).collect();
        let (chosen, _) = targets.partial_shuffle(&mut ChaCha12Rng::seed_from_u64(0), self.targets);
        chosen.to_vec()
    }
}

impl Tally {
    fn finding(&self, none: bool, seconds: f64) -> Finding {
        if none {
            return Finding::not_tried("no class has several combinations of sensitive values");
        }
        if self.targets == 0 {
            return Finding::not_tried(format!("{seconds} s were not enough for one target"));
        }
        let mut finding = Finding::new(Verdict::Unpromised, Vec::new(), None);
        for (name, value) in [
            ("targets", self.targets),
            ("worlds", self.worlds),
            ("worlds_with_the_same_rows", self.same_rows),
            ("worlds_with_the_same_order", self.same_order),
            ("pinned_by_rows", self.pinned_by_rows),
            ("pinned_by_order", self.pinned_by_order),
            ("skipped", self.skipped),
        ] {
            finding.figure(name, value as f64);
        }
        let Tally { targets, worlds, same_rows, pinned_by_rows, pinned_by_order, skipped, .. } = self;
        finding.say(format!(
            "without the order of the rows {pinned_by_rows} of {targets} targets are pinned down: {same_rows} of {worlds} other worlds give the same rows"
        ));
        finding.say(format!(
            "with it, for who has the seed, {pinned_by_order} of {targets}: keep the plan with the original, and give --seed a number that nobody guesses"
        ));
        if *skipped > 0 {
            finding.say(format!("{skipped} more targets were skipped after {seconds} s"));
        }
        finding
    }
}

/// The records of each published class, where it is known who is in which.
fn members(scene: &Scene) -> Option<Vec<Vec<u32>>> {
    let piece_of = scene.view.piece_of.as_ref()?;
    let mut members = vec![Vec::new(); scene.classes().len()];
    for (piece, row) in piece_of.iter().zip(0..) {
        // Records that were left out have a class behind the others.
        if let Some(rows) = members.get_mut(scene.view.pieces[*piece as usize].class as usize) {
            rows.push(row);
        }
    }
    Some(members)
}

/// The sensitive values of a record.
fn secret(scene: &Scene, row: u32) -> Vec<Code> {
    scene.encoded().sensitive().iter().map(|column| column.row(row)).collect()
}

/// The worlds in which the target has other sensitive values of its class: with whom it exchanges them.
fn exchanges(scene: &Scene, target: u32, class: &[u32]) -> Vec<(u32, u32)> {
    let mut seen: FxHashSet<Vec<Code>> = FxHashSet::from_iter([secret(scene, target)]);
    class.iter().filter(|row| seen.insert(secret(scene, **row))).map(|row| (target, *row)).collect()
}

/// How many of these worlds give the same rows, and how many in the same order; `None` when time is up.
fn worlds_of(
    scene: &Scene,
    rerun: &Rerun,
    show: &Show,
    worlds: &[(u32, u32)],
    limited: &Limited,
) -> Result<Option<(usize, usize)>> {
    let (mut rows, mut order) = (0, 0);
    for exchange in worlds {
        let World::Made(made) = once(rerun, Some(*exchange), limited)? else { return Ok(None) };
        let Some(other) = made.map(|made| Show::new(&made, scene)).transpose()? else { continue };
        rows += usize::from(other.classes == show.classes);
        order += usize::from(other == *show);
    }
    Ok(Some((rows, order)))
}

enum World {
    Made(Option<Box<Published>>),
    OutOfTime,
}

fn once(rerun: &Rerun, exchange: Option<(u32, u32)>, limited: &Limited) -> Result<World> {
    match rerun(exchange, Progress::to(limited)) {
        Ok(made) => Ok(World::Made(made.map(Box::new))),
        Err(Error::Interrupted) if !limited.progress.interrupted() => Ok(World::OutOfTime),
        Err(e) => Err(e),
    }
}

/// Shows nothing, and stops the work when its time is up.
struct Limited<'a> {
    progress: Progress<'a>,
    end: Instant,
}

impl Observer for Limited<'_> {
    fn begin(&self, _: &'static str, _: u64) {}

    fn advance(&self, _: u64) {}

    fn interrupted(&self) -> bool {
        self.progress.interrupted() || Instant::now() > self.end
    }
}

/// What a release shows, as numbers.
#[derive(PartialEq)]
struct Show {
    /// The rows in their order, each with its class.
    rows: Vec<u64>,
    /// The same without any order: what is in each class, sorted.
    classes: Vec<u64>,
}

impl Show {
    fn new(release: &Published, scene: &Scene) -> Result<Self> {
        let Published { table, classes, mixed, .. } = release;
        let all: Vec<&str> =
            table.names().filter(|name| !scene.schema.other.iter().any(|other| other == name)).collect();
        let whole = numbers(table, &all)?;
        let rows = whole.iter().zip(&classes.of_row).map(|(row, class)| hash(&(row, class))).collect();
        // What belongs together: the columns that stand in their rows, and every set of those that do not.
        let fixed: Vec<&str> = all.iter().copied().filter(|name| !scene.is_mixed(name)).collect();
        let sets = mixed.iter().map(|set| set.iter().map(String::as_str).collect());
        let mut shown = vec![Vec::new(); classes.sizes.len()];
        for (place, set) in std::iter::once(fixed).chain(sets).enumerate() {
            for (cells, class) in numbers(table, &set)?.iter().zip(&classes.of_row) {
                shown[*class as usize].push(hash(&(place, cells)));
            }
        }
        let mut classes: Vec<u64> = shown
            .into_iter()
            .map(|mut cells| {
                cells.sort_unstable();
                hash(&cells)
            })
            .collect();
        classes.sort_unstable();
        Ok(Show { rows, classes })
    }
}

/// A number for what each row has in some columns.
fn numbers(table: &Table, columns: &[&str]) -> Result<Vec<u64>> {
    let mut numbers = vec![0_u64; table.rows()];
    for column in columns {
        let texts = texts(table.column(column)?).map_err(|e| Error::column(column, &e))?;
        let by_key: Vec<u64> =
            texts.values().as_string::<i32>().iter().map(|text| hash(text.unwrap_or_default())).collect();
        let null = hash("");
        for (row, number) in numbers.iter_mut().enumerate() {
            let cell = if texts.is_null(row) { null } else { by_key[texts.keys().value(row) as usize] };
            *number = hash(&(*number, cell));
        }
    }
    Ok(numbers)
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
