//! Rerun: running the algorithm again on every possible table, in the spirit of the minimality attack.
//!
//! The adversary knows the algorithm, the requirements, and all records, except one fact about one target. So several worlds are possible. The
//! adversary makes the release of each world, and excludes a world if its release differs from the published one. A target is pinned down if
//! all other worlds are excluded. No privacy model prevents this, because models judge classes and not how the classes were formed. Two kinds
//! of facts are unknown:
//!
//! - **sensitive**: which of two records of a class has which sensitive values. In each other world the two have exchanged their values. Any
//!   other change would show in the counts: an adversary who knows all records but one can subtract. Each other combination of values in the
//!   target's class is tried once.
//! - **quasi**: the target's value in one quasi-identifier. The other worlds are random values that the target's published cell covers.
//!
//! Each kind is tried twice:
//!
//! - **With the plan**, which contains the seed. The quasi-identifiers and sensitive values of the releases are compared, once with the order of
//!   the rows and once without. The order depends on the seed and all records, so it excludes every wrong world. Without the order, only worlds
//!   with other classes are excluded.
//! - **Without the plan**. Some random seeds are tried in each world, and releases are compared without the order of the rows. If not even the
//!   true world gives the published rows, nothing can be excluded. If it does, because the algorithm hardly depends on the seed, a world that
//!   never gives them is excluded.
//!
//! Targets are records, also where the plan counts persons.
//!
//! Complexity: that of one run of the algorithm for each target, world and seed, up to the time limit.
//!
//! Wong, Fu, Wang and Pei, "Minimality attack in privacy preserving data publishing", VLDB 2007.
//!
//! # Example
//!
//! ```text
//! amidst attack adult.csv.gz release.csv --plan release.plan.toml --attacks 'rerun(unknown=quasi, targets=10)'
//! ```

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
    about: "knows the algorithm and all records except one fact about one target, and makes the release of every possible world",
    paper: "Wong, Fu, Wang and Pei, VLDB 2007 (minimality attack)",
    params: &[
        Param {
            name: "unknown",
            about: "the unknown fact: which of two records has which sensitive values, the target's value in a quasi-identifier, or both in turn",
            range: Range::Choice(&["both", "sensitive", "quasi"]),
            default: Some(Value::Word("both")),
        },
        Param {
            name: "targets",
            about: "the number of random targets",
            range: Range::Integer(1, 1_000_000),
            default: Some(Value::Integer(5)),
        },
        Param {
            name: "worlds",
            about: "the most other values of a quasi-identifier that are tried, drawn at random",
            range: Range::Integer(1, 1_000_000),
            default: Some(Value::Integer(4)),
        },
        Param {
            name: "seeds",
            about: "the number of random seeds that are tried in each world without the plan",
            range: Range::Integer(1, 1_000_000),
            default: Some(Value::Integer(3)),
        },
        Param {
            name: "seconds",
            about: "the time limit in seconds",
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

/// The fact about a target that the adversary does not know.
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
            Unknown::Sensitive => "which of two records has which sensitive values",
            Unknown::Quasi => "a value of a quasi-identifier",
        }
    }
}

/// The results for all targets.
#[derive(Default)]
struct Tally {
    targets: usize,
    worlds: usize,
    /// Worlds that give the published rows in any order.
    same_rows: usize,
    /// Worlds that give the published rows in the same order.
    same_order: usize,
    /// Targets that are pinned down by the rows alone.
    pinned_by_rows: usize,
    /// Targets that are pinned down by the order of the rows.
    pinned_by_order: usize,
    /// Targets that are pinned down without the plan.
    pinned_without_plan: usize,
    /// Targets that were not tried because time was up.
    skipped: usize,
}

impl Attack for Again {
    fn knows(&self) -> &'static str {
        "the algorithm, the requirements, and all records except one fact about one of them; with the plan and without"
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
            // The remaining time is shared equally by the kinds that are still to try.
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
    /// The targets, or the reason why there are none.
    fn targets(&self, scene: &Scene, piece_of: &[u32], unknown: Unknown) -> Result<Vec<Target>, String> {
        let (targets, none) = match unknown {
            Unknown::Sensitive if scene.encoded().sensitive().is_empty() => {
                return Err("no column is sensitive".to_owned());
            }
            Unknown::Quasi if !scene.hides_rows() => {
                let form = scene.plan.method.publish.name();
                return Err(format!("a release by {form} publishes no closures that could hide them"));
            }
            Unknown::Sensitive => {
                let targets = targets::sensitive(scene, &members(scene, piece_of), self.targets);
                (targets, "no class has several combinations of sensitive values")
            }
            Unknown::Quasi => {
                let targets = targets::quasi(scene, piece_of, self.targets, self.worlds);
                (targets, "every cell shows a single value")
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
                        "{what}, with the plan: {pinned_by_order} of {targets} targets are pinned down, {pinned_by_rows} of them without the \
                         order of the rows; {same_rows} of {worlds} other worlds give the same rows"
                    ));
                    finding.say(format!(
                        "{what}, without the plan: {} of {targets} targets are pinned down, with {} random seeds for each world",
                        tally.pinned_without_plan, self.seeds
                    ));
                    if tally.skipped > 0 {
                        finding.say(format!("{what}: {} more targets were skipped because time was up", tally.skipped));
                    }
                }
            }
        }
        if !nothing {
            finding.figure("met_without_plan", f64::from(u8::from(met)));
            finding.say(
                if met {
                    "a random seed gives the published rows, so keeping the seed secret does not protect them"
                } else {
                    "no random seed that was tried gives the published rows, so without the plan nothing can be excluded; keep the plan with the original"
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
        // Records that were left out are in a class after all others.
        if let Some(rows) = members.get_mut(scene.view.pieces[*piece as usize].class as usize) {
            rows.push(row);
        }
    }
    members
}

/// The state of the attack: what the adversary has, and the time limit.
struct Game<'a> {
    scene: &'a Scene<'a>,
    rerun: &'a Rerun<'a>,
    seed: Seed,
    show: &'a Show,
    limited: Limited<'a>,
}

enum Made {
    /// The content of the release of a world; none if there is no such release.
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

    /// The number of these worlds that give the published rows, and the number that give them in the same order; `None` if time is up.
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

    /// Whether none of these worlds gives the published rows with any of `seeds` random seeds; `None` if time is up.
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

    /// Whether a world gives the published rows with one of `seeds` random seeds; `None` if time is up.
    fn met(&self, world: World, seeds: usize) -> Result<Option<bool>> {
        for number in 0..seeds as u64 {
            // These seeds are as good as any that an adversary may draw, and they are the same in every run.
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

/// An observer that stops the work when time is up.
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
