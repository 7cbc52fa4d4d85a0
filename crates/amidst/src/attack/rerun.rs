//! Re-running the algorithm, in the spirit of the minimality attack.
//!
//! The adversary knows the algorithm, what was asked of it, and all records, but for one thing about one target. So there are several worlds that could be, and
//! it makes the release of each: a world that gives another release is ruled out. A target of which all other worlds are ruled out is pinned down, whatever the
//! privacy model: all of them judge classes, and none asks how the classes came about. Two sorts of things are unknown:
//!
//! - **sensitive**: which of two persons of a class has which sensitive values. An exchange, because any other change shows in the counts: who knows all
//!   records but one subtracts, where sensitive values are published as they are. Every other combination of values in the target's class is tried once.
//! - **quasi**: the target's value in one quasi-identifier. The worlds are values of the column that the target's published cell covers, some of them at random.
//!
//! Either is played twice:
//!
//! - **With the plan**, which has the seed. Compared is what the release shows of quasi-identifiers and sensitive values, with the order of the
//!   rows and without. The order depends on all records and the seed, so who has the seed rules out every wrong world by it; without the order only those in which
//!   other classes are formed.
//! - **Without it**, some random seeds are tried in every world, and the rows compared without their order. Where not even the true world gives the published rows
//!   by any of them, nothing can be ruled out that way. Where it does, because the algorithm does not depend on the seed or hardly, a world that never gives them is.

mod show;
mod targets;

use std::time::{Duration, Instant};

use indexmap::IndexMap;

use super::{Attack, Build, Finding, Rerun, Scene, Verdict, World};
use crate::error::{Error, Result};
use crate::measure::Figure;
use crate::plan::Seed;
use crate::problem::mixed;
use crate::progress::{Observer, Progress};
use crate::registry::{Entry, Param, Range, Value};
use crate::verify::Published;
use show::Show;
use targets::Target;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "rerun",
    about: "knows the algorithm and all records but for one thing about one target, and makes the release of every world that could be",
    paper: "Wong, Fu, Wang and Pei, VLDB 2007 (minimality attack)",
    params: &[
        Param {
            name: "unknown",
            about: "what is not known: which of two has which sensitive values, the target's value in a quasi-identifier, or one after the other",
            range: Range::Choice(&["both", "sensitive", "quasi"]),
            default: Some(Value::Word("both")),
        },
        Param {
            name: "targets",
            about: "how many records are attacked, drawn at random",
            range: Range::Integer(1, 1_000_000),
            default: Some(Value::Integer(5)),
        },
        Param {
            name: "worlds",
            about: "how many other values of a quasi-identifier are tried at most, drawn at random",
            range: Range::Integer(1, 1_000_000),
            default: Some(Value::Integer(4)),
        },
        Param {
            name: "seeds",
            about: "how many random seeds are tried in each world by who does not have the plan",
            range: Range::Integer(1, 1_000_000),
            default: Some(Value::Integer(3)),
        },
        Param {
            name: "seconds",
            about: "after how long no more releases are made",
            range: Range::Number(0.0, 1e9),
            default: Some(Value::Number(20.0)),
        },
    ],
    build: |params| {
        let number = |name: &str| params.integer(name) as usize;
        let unknown = match params.word("unknown") {
            "sensitive" => &[Unknown::Sensitive][..],
            "quasi" => &[Unknown::Quasi],
            _ => &[Unknown::Sensitive, Unknown::Quasi],
        };
        let (targets, worlds, seeds) = (number("targets"), number("worlds"), number("seeds"));
        Box::new(Again { unknown, targets, worlds, seeds, seconds: params.number("seconds") })
    },
};

struct Again {
    unknown: &'static [Unknown],
    targets: usize,
    worlds: usize,
    seeds: usize,
    seconds: f64,
}

/// What the adversary does not know of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unknown {
    Sensitive,
    Quasi,
}

impl Unknown {
    fn name(self) -> &'static str {
        match self {
            Unknown::Sensitive => "sensitive",
            Unknown::Quasi => "quasi",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Unknown::Sensitive => "which of two has which sensitive values",
            Unknown::Quasi => "a value of a quasi-identifier",
        }
    }
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
    /// The same for who has no plan.
    pinned_without_plan: usize,
    skipped: usize,
}

impl Attack for Again {
    fn knows(&self) -> &'static str {
        "the algorithm, what was asked of it, and all records but for one thing about one of them; with the plan and without"
    }

    fn attack(&self, scene: &Scene, progress: Progress) -> Result<Finding> {
        let (Some(rerun), Some(seed)) = (scene.rerun, scene.plan.method.seed) else {
            return Ok(Finding::not_tried(
                "how the release was made is only known from the plan that is stored beside it",
            ));
        };
        let Some(piece_of) = &scene.view.piece_of else {
            return Ok(Finding::not_tried("it is not known which published row comes from which record"));
        };
        let show = Show::new(scene.release, scene)?;
        let end = Instant::now() + Duration::from_secs_f64(self.seconds);
        let game = Game { scene, rerun, seed, show: &show, limited: Limited { progress, end } };
        match game.made(World::Original, seed)? {
            Made::OutOfTime => {
                return Ok(Finding::not_tried(format!(
                    "making the release again takes longer than {} s",
                    self.seconds
                )));
            }
            Made::Release(Some(again)) if again == show => {}
            Made::Release(_) => return Ok(Finding::not_tried("the plan does not make this very release again")),
        }
        let met = game.met(World::Original, self.seeds)?.unwrap_or(false);
        let mut played = Vec::new();
        for (place, unknown) in self.unknown.iter().enumerate() {
            // What is left of the time is shared by those to come.
            let left = end.saturating_duration_since(Instant::now());
            let end = Instant::now() + left / (self.unknown.len() - place) as u32;
            let game = Game { limited: Limited { progress, end }, ..game };
            let found = match self.targets(scene, piece_of, *unknown) {
                Err(reason) => Err(reason),
                Ok(targets) => {
                    let tally = game.play(&targets, met, self.seeds)?;
                    if tally.targets == 0 {
                        Err(format!("{} s were not enough for one target", self.seconds))
                    } else {
                        Ok(tally)
                    }
                }
            };
            played.push((*unknown, found));
        }
        Ok(self.finding(&played, met))
    }
}

impl Again {
    /// The targets, or why there are none.
    fn targets(&self, scene: &Scene, piece_of: &[u32], unknown: Unknown) -> Result<Vec<Target>, String> {
        let (targets, none) = match unknown {
            Unknown::Sensitive if scene.encoded().sensitive().is_empty() => {
                return Err("no column is sensitive".to_owned());
            }
            Unknown::Quasi if !scene.hides_rows() => {
                let form = scene.plan.method.publish.name();
                return Err(format!("a release by {form} publishes no closures that would hide them"));
            }
            Unknown::Sensitive => {
                let targets = targets::sensitive(scene, &members(scene, piece_of), self.targets);
                (targets, "no class has several combinations of sensitive values")
            }
            Unknown::Quasi => {
                let targets = targets::quasi(scene, piece_of, self.targets, self.worlds);
                (targets, "no cell leaves open what the value is")
            }
        };
        if targets.is_empty() { Err(none.to_owned()) } else { Ok(targets) }
    }

    fn finding(&self, played: &[(Unknown, Result<Tally, String>)], met: bool) -> Finding {
        if let [(_, Err(reason))] = played {
            return Finding::not_tried(reason);
        }
        let nothing = played.iter().all(|(_, found)| found.is_err());
        let verdict = if nothing { Verdict::NotTried } else { Verdict::Unpromised };
        let mut finding = Finding::new(verdict, Vec::new(), None);
        for (unknown, found) in played {
            let what = unknown.words();
            match found {
                Err(reason) => finding.say(format!("{what}: not tried, because {reason}")),
                Ok(tally) => {
                    finding.figures.insert(unknown.name().to_owned(), tally.figures());
                    let Tally { targets, worlds, same_rows, pinned_by_rows, pinned_by_order, .. } = tally;
                    finding.say(format!(
                        "{what}, with the plan: {pinned_by_order} of {targets} targets are pinned down, {pinned_by_rows} of them without looking at \
                         the order of the rows; {same_rows} of {worlds} other worlds give the same rows"
                    ));
                    finding.say(format!(
                        "{what}, without the plan: {} of {targets} targets, with {} random seeds per world",
                        tally.pinned_without_plan, self.seeds
                    ));
                    if tally.skipped > 0 {
                        finding.say(format!("{what}: {} more targets were skipped for want of time", tally.skipped));
                    }
                }
            }
        }
        if !nothing {
            finding.figure("met_without_plan", f64::from(u8::from(met)));
            finding.say(
                if met {
                    "a random seed gives the published rows, so a secret seed does not protect them"
                } else {
                    "no random seed that was tried gives the published rows, so without the plan there is nothing to compare; keep the plan with the original"
                }
                .to_owned(),
            );
        }
        finding
    }
}

impl Tally {
    fn figures(&self) -> Figure {
        let figures = [
            ("targets", self.targets),
            ("worlds", self.worlds),
            ("worlds_with_the_same_rows", self.same_rows),
            ("worlds_with_the_same_order", self.same_order),
            ("pinned_by_rows", self.pinned_by_rows),
            ("pinned_by_order", self.pinned_by_order),
            ("pinned_without_plan", self.pinned_without_plan),
            ("skipped", self.skipped),
        ];
        let named = figures.map(|(name, value)| (name.to_owned(), Figure::One(value as f64)));
        Figure::Many(IndexMap::from(named))
    }
}

/// The records of each published class.
fn members(scene: &Scene, piece_of: &[u32]) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); scene.classes().len()];
    for (piece, row) in piece_of.iter().zip(0..) {
        // Records that were left out have a class behind the others.
        if let Some(rows) = members.get_mut(scene.view.pieces[*piece as usize].class as usize) {
            rows.push(row);
        }
    }
    members
}

/// What the adversary has, and for how long.
struct Game<'a> {
    scene: &'a Scene<'a>,
    rerun: &'a Rerun<'a>,
    seed: Seed,
    show: &'a Show,
    limited: Limited<'a>,
}

enum Made {
    /// What the release of a world shows; none where it has none.
    Release(Option<Show>),
    OutOfTime,
}

impl Game<'_> {
    fn play(&self, targets: &[Target], met: bool, seeds: usize) -> Result<Tally> {
        let progress = self.limited.progress;
        progress.begin("making the release again", targets.len() as u64)?;
        let mut tally = Tally::default();
        for (place, worlds) in targets.iter().enumerate() {
            let found = self.with_plan(worlds)?;
            let without = match found {
                Some(_) if met => self.without_plan(worlds, seeds)?,
                Some(_) => Some(false),
                None => None,
            };
            let (Some((rows, order)), Some(pinned_without)) = (found, without) else {
                tally.skipped = targets.len() - place;
                break;
            };
            tally.targets += 1;
            tally.worlds += worlds.len();
            tally.same_rows += rows;
            tally.same_order += order;
            tally.pinned_by_rows += usize::from(rows == 0);
            tally.pinned_by_order += usize::from(order == 0);
            tally.pinned_without_plan += usize::from(pinned_without);
            progress.advance(1)?;
        }
        Ok(tally)
    }

    /// How many of these worlds give the same rows, and how many in the same order; `None` when time is up.
    fn with_plan(&self, worlds: &[World]) -> Result<Option<(usize, usize)>> {
        let (mut rows, mut order) = (0, 0);
        for world in worlds {
            match self.made(*world, self.seed)? {
                Made::OutOfTime => return Ok(None),
                Made::Release(Some(other)) => {
                    rows += usize::from(other.classes == self.show.classes);
                    order += usize::from(other == *self.show);
                }
                Made::Release(None) => {}
            }
        }
        Ok(Some((rows, order)))
    }

    /// Whether none of these worlds gives the published rows by any of so many random seeds; `None` when time is up.
    fn without_plan(&self, worlds: &[World], seeds: usize) -> Result<Option<bool>> {
        for world in worlds {
            match self.met(*world, seeds)? {
                Some(false) => {}
                Some(true) => return Ok(Some(false)),
                None => return Ok(None),
            }
        }
        Ok(Some(true))
    }

    /// Whether a world gives the published rows by one of so many random seeds; `None` when time is up.
    fn met(&self, world: World, seeds: usize) -> Result<Option<bool>> {
        for number in 0..seeds as u64 {
            // As good as any others that the adversary may draw, and the same in every run.
            match self.made(world, Seed(mixed(!self.seed.0, number)))? {
                Made::OutOfTime => return Ok(None),
                Made::Release(Some(other)) if other.classes == self.show.classes => return Ok(Some(true)),
                Made::Release(_) => {}
            }
        }
        Ok(Some(false))
    }

    fn made(&self, world: World, seed: Seed) -> Result<Made> {
        let show = |release: Published| Show::new(&release, self.scene);
        match (self.rerun)(world, seed, Progress::to(&self.limited)) {
            Ok(release) => release.map(show).transpose().map(Made::Release),
            Err(Error::Interrupted) if !self.limited.progress.interrupted() => Ok(Made::OutOfTime),
            Err(e) => Err(e),
        }
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
