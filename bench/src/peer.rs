//! A peer from elsewhere: the Mondrian of the Python package anonypy, in a process of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use amidst::internals::problem::{Partition, Problem};

use crate::data::{DataSet, root};
use crate::score::Score;

/// What the peer is called in the table.
pub const NAME: &str = "peer: anonypy 0.2.1 Mondrian";
const PACKAGES: [&str; 2] = ["anonypy==0.2.1", "pandas==2.3.3"];

/// A Python that has anonypy.
pub struct Peer {
    python: PathBuf,
}

impl Peer {
    /// Installs it below the target folder, unless it is there.
    pub fn install() -> Result<Self, String> {
        let venv = root().join("target/bench-venv");
        let python = venv.join("bin/python");
        if !venv.join("installed").is_file() {
            run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
            run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
            std::fs::write(venv.join("installed"), "").map_err(|e| e.to_string())?;
        }
        Ok(Peer { python })
    }

    /// Lets the peer form groups, and judges them like those of any partitioner; `None` when it takes longer than the
    /// limit.
    pub fn run(&self, set: &DataSet, file: &Path, problem: &Problem, limit: Duration) -> Result<Option<Score>, String> {
        let mut command = Command::new(&self.python);
        command.arg(root().join("bench/peer_anonypy.py")).arg(file);
        command.args([problem.min_size().to_string(), limit.as_secs().to_string()]);
        command.arg(set.range.join(",")).arg(set.set.join(","));
        let output = run(&mut command)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut lines = text.lines();
        let seconds: Vec<f64> = numbers(lines.next().unwrap_or_default())?;
        let [cpu, wall] = seconds[..] else { return Ok(None) };
        let groups = lines.map(numbers).collect::<Result<Vec<Vec<u32>>, _>>()?;
        let partition = Partition::new(problem.rows(), groups).map_err(|e| e.to_string())?;
        Score::new(problem, &partition, cpu, wall).map(Some).map_err(|e| e.to_string())
    }
}

fn numbers<T: std::str::FromStr>(line: &str) -> Result<Vec<T>, String> {
    line.split_whitespace().map(|n| n.parse().map_err(|_| format!("the peer printed `{n}`"))).collect()
}

fn run(command: &mut Command) -> Result<Output, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{program}: {e}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(format!("{program}: {}", errors.lines().last().unwrap_or("failed")))
}
