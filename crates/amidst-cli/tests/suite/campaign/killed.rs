//! SIGKILL and SIGTERM at random points.

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{NEW, Numbers, Scene, State, Tally, signal};
use crate::support::Folder;

fn start(folder: &Folder) -> Child {
    folder.command().args(NEW.split(' ')).stderr(Stdio::null()).spawn().unwrap()
}

/// How long a whole run takes.
fn usual(scene: &Scene) -> Duration {
    let folder = scene.folder(true);
    let started = Instant::now();
    assert!(start(&folder).wait().unwrap().success());
    started.elapsed()
}

/// Half of the points lie anywhere in a run, half of them soon after it began to write.
fn signals(name: &str, points: usize, seed: u64) {
    let scene = Scene::new();
    let whole = usual(&scene).as_micros() as u64;
    let mut numbers = Numbers(seed);
    let mut tally = Tally::default();
    for point in 0..points {
        let over_old = point % 4 < 3;
        let folder = scene.folder(over_old);
        let mut child = start(&folder);
        if point % 2 == 0 {
            sleep(Duration::from_micros(numbers.below(whole + whole / 10)));
        } else {
            while child.try_wait().unwrap().is_none() && folder.waiting().is_empty() {
                sleep(Duration::from_micros(200));
            }
            sleep(Duration::from_micros(numbers.below(whole / 4)));
        }
        signal(name, child.id());
        let status = child.wait().unwrap();
        let left = folder.leftovers();
        let state = tally.look(&scene, &folder, over_old);
        if name == "TERM" {
            assert_eq!(left, [""; 0], "a run that could clear up did not");
            let expected = if status.success() { State::New } else { State::Old };
            assert_eq!(state, expected, "{status}");
        }
    }
    tally.tell(&format!("SIG{name} at random"));
}

#[test]
fn at_some_random_points() {
    signals("KILL", 25, 1);
}

#[test]
fn stopped_at_some_random_points() {
    signals("TERM", 10, 2);
}

#[test]
#[ignore = "part of `make campaign`"]
fn at_many_random_points() {
    signals("KILL", 1000, 3);
}

#[test]
#[ignore = "part of `make campaign`"]
fn stopped_at_many_random_points() {
    signals("TERM", 200, 4);
}
