#!/usr/bin/env python3
"""Tries every mutant of the library with the tests, and counts who notices.

All mutants are built once (schemata.py). A first run of every test, without a mutant, says how long it takes and which functions it calls.
Then every mutant runs with the tests that call its function: first the scenarios, then the tests of the library, the command line and the
fuzz targets, the quick ones first, and those first that noticed another mutant of that function. The first failure ends it.

What was missed is compared with survivors.toml, which has a reason for each. Mutants that are not there are at the end of the output, and
the exit code is 1.

Results are kept in target/mutation while the library does not change. So a run goes on where the last one ended, and tries
mutants that were missed again. Needs cargo-mutants (cargo install cargo-mutants --locked), which lists the mutants, and Linux.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import tomllib

import schemata
from schemata import FOLDER, HERE, Mutant, Schemata

JOBS = 2
# A test that takes longer than so many seconds of processor time is left out.
SLOWEST = 5
# The tests of a mutant may take so many seconds altogether, as measured without a mutant.
MOST = 50
# Tests run in groups that take so many seconds at most: what is noticed early costs little.
GROUPS = [0.3, 1, 4, 15, MOST]
MEMORY = 8 << 30
# Those that are stuck wait for something, or for a processor where others keep it busy. So they are tried again, as missed ones are.
WHAT = ["verification", "scenarios", "tests", "time limit", "stuck", "missed"]
AGAIN = ["stuck", "missed"]


def execute(program: str, folder: str, names: list[str], environment: dict[str, str], seconds: float) -> tuple[int, str, float]:
    """Runs some tests. How they ended, what they said, and their processor time."""
    scratch = FOLDER / "tmp" / threading.current_thread().name
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    limits = ["prlimit", f"--cpu={int(seconds)}:{int(seconds) + 5}", f"--as={MEMORY}", "--core=0"]
    command = [*limits, program, "--exact", "--test-threads", "1", *names]
    environment = {**os.environ, "TMPDIR": str(scratch), "CARGO_MANIFEST_DIR": folder, **environment}
    with open(scratch / "output", "wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
        # A deadlock takes no processor time. Others may use the machine, too.
        timer = threading.Timer(60 + 10 * seconds, end, [process.pid])
        timer.start()
        _, status, used = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    end(process.pid)
    return process.returncode, (scratch / "output").read_text(errors="replace"), used.ru_utime + used.ru_stime


def end(group: int) -> None:
    """Ends a test with all processes that it started."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Test:
    """A test, how long it takes, and the functions with mutants that it calls."""

    def __init__(self, program: str, folder: str, name: str):
        self.program, self.folder, self.name = program, folder, name
        self.seconds, self.functions, self.passes = 0.0, frozenset(), False

    @property
    def scenario(self) -> bool:
        return pathlib.Path(self.program).name.startswith("scenarios-")

    def measure(self, known: dict[str, dict], file: pathlib.Path) -> "Test":
        """Runs the test, unless the same program was measured before."""
        program = pathlib.Path(self.program)
        key = f"{program.name} {program.stat().st_mtime_ns} {self.name}"
        if key not in known:
            self.run()
            entry = {"name": key, "seconds": self.seconds, "functions": sorted(self.functions), "passes": self.passes}
            with open(file, "a") as kept:
                kept.write(json.dumps(entry) + "\n")
            return self
        self.seconds, self.passes = known[key]["seconds"], known[key]["passes"]
        self.functions = frozenset(known[key]["functions"])
        return self

    def run(self) -> None:
        trace = FOLDER / "tmp" / f"{threading.current_thread().name}.trace"
        trace.unlink(missing_ok=True)
        code, _, self.seconds = execute(self.program, self.folder, [self.name], {"AMIDST_TRACE": str(trace)}, SLOWEST)
        self.passes = code == 0
        self.functions = frozenset(map(int, trace.read_text().split())) if trace.exists() else frozenset()


def tests(programs: dict[str, str]) -> list[Test]:
    """The tests that pass without a mutant in time."""
    found = []
    for program, folder in programs.items():

        def names(*flags: str) -> set[str]:
            command = [program, "--list", "--format", "terse", *flags]
            output = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
            return {line.removesuffix(": test") for line in output.splitlines() if line.endswith(": test")}

        found += [Test(program, folder, name) for name in sorted(names() - names("--ignored"))]
    (FOLDER / "tmp").mkdir(exist_ok=True)
    file = schemata.folder() / "tests.jsonl"
    known = results(file)
    with concurrent.futures.ThreadPoolExecutor(JOBS) as workers:
        measured = list(workers.map(lambda test: test.measure(known, file), found))
    left_out = [test.name for test in measured if not test.passes]
    print(f"{len(measured)} tests; left out, because they fail in the copy or take more than {SLOWEST} s: {', '.join(left_out) or 'none'}")
    return [test for test in measured if test.passes]


class Campaign:
    def __init__(self, all_tests: list[Test]):
        self.reaching: dict[int, list[Test]] = collections.defaultdict(list)
        for test in all_tests:
            for function in test.functions:
                self.reaching[function].append(test)
        self.noticed: dict[int, collections.Counter] = collections.defaultdict(collections.Counter)

    def groups(self, function: int):
        """The tests that call a function, in the order in which they are tried."""
        order = sorted(self.reaching[function], key=lambda test: (not test.scenario, -self.noticed[function][test.name], test.seconds))
        at, spent = 0, 0.0
        for limit in GROUPS:
            group: dict[tuple[str, str], list[Test]] = {}
            while at < len(order) and spent + order[at].seconds <= limit:
                group.setdefault((order[at].program, order[at].folder), []).append(order[at])
                spent += order[at].seconds
                at += 1
            yield from group.items()

    def attempt(self, mutant: Mutant) -> dict:
        start = time.monotonic()
        what, by = "missed", ""
        for (program, folder), group in self.groups(mutant.function):
            seconds = 10 + 5 * sum(test.seconds for test in group)
            code, output, _ = execute(program, folder, [test.name for test in group], {"AMIDST_MUTANT": str(mutant.number)}, seconds)
            if code != 0:
                by = next(iter(re.findall(r"^test (\S+) \.\.\. FAILED", output, re.MULTILINE)), "")
                if code in (-signal.SIGKILL, -signal.SIGXCPU) and not by:
                    what = "time limit" if code == -signal.SIGXCPU else "stuck"
                elif group[0].scenario:
                    what = "verification" if "stopped by the verification" in output else "scenarios"
                else:
                    what = "tests"
                self.noticed[mutant.function][by] += 1
                break
        return {"name": mutant.name, "what": what, "by": by, "seconds": round(time.monotonic() - start, 1)}


def results(file: pathlib.Path) -> dict[str, dict]:
    """What earlier runs found, by name."""
    lines = file.read_text().splitlines() if file.is_file() else []
    return {entry["name"]: entry for entry in map(json.loads, lines)}


def tell(found: dict[str, dict], copy: Schemata, mutants: list[Mutant]) -> int:
    counts: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    tried = [mutant for mutant in mutants if mutant.name in found]
    for mutant in tried:
        for area in (mutant.area, "all"):
            counts[area][found[mutant.name]["what"]] += 1
    print(f"\n| area | mutants | {' | '.join(WHAT)} | noticed |\n|---|" + "---|" * (len(WHAT) + 2))
    for area in sorted(counts, key=lambda area: (area == "all", area)):
        count = counts[area]
        share = 1 - sum(count[what] for what in AGAIN) / count.total()
        print(f"| {area} | {count.total()} | {' | '.join(str(count[what]) for what in WHAT)} | {share:.1%} |")
    unviable, untried = copy.left_out(schemata.UNVIABLE), copy.left_out(schemata.UNTRIED)
    print(f"\n{len(tried)} of {len(copy.mutants)}. {len(unviable)} more do not compile, {len(untried)} cannot be switched on:")
    print("\n".join(f"  {mutant.name}" for mutant in untried))
    listed = {}
    for reason in tomllib.loads((HERE / "survivors.toml").read_text()).get("reason", []):
        listed.update((key, reason["why"]) for key in reason["mutants"])
    missed = [mutant for mutant in tried if found[mutant.name]["what"] in AGAIN]
    reasons = collections.Counter(listed[mutant.key] for mutant in missed if mutant.key in listed)
    print(f"\n{len(missed)} were missed.")
    for why, number in reasons.most_common():
        print(f"  {number}: {why}")
    new = [mutant.name for mutant in missed if mutant.key not in listed]
    print(f"\n{len(new)} have no reason in survivors.toml:" if new else "\nAll of them have a reason.")
    print("\n".join(new))
    return 1 if new else 0


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--sample", type=int, help="only so many, drawn at random, always the same")
    arguments.add_argument("--seconds", type=float, default=float("inf"), help="begin no further mutant after so many seconds")
    arguments.add_argument("--tests", default="scenarios,replay,suite,lib", help="the programs of tests that are run: %(default)s")
    options = arguments.parse_args()
    start = time.monotonic()
    copy = Schemata(schemata.listed())
    programs = copy.build(options.tests.split(","))
    print(f"built after {time.monotonic() - start:.0f} s: {len(copy.mutants)} mutants", flush=True)
    campaign = Campaign(tests(programs))
    print(f"measured the tests after {time.monotonic() - start:.0f} s", flush=True)
    file = schemata.folder() / "results.jsonl"
    found = results(file)
    # In a random order, so that a part of the mutants is a sample of them.
    mutants = random.Random(1).sample(copy.mutants, len(copy.mutants))[: options.sample]
    left = [mutant for mutant in mutants if found.get(mutant.name, {"what": "missed"})["what"] in AGAIN]

    def attempt(mutant: Mutant) -> None:
        if time.monotonic() - start < options.seconds:
            result = campaign.attempt(mutant)
            found[mutant.name] = result
            with open(file, "a") as kept:
                kept.write(json.dumps(result) + "\n")

    with concurrent.futures.ThreadPoolExecutor(JOBS) as workers:
        list(workers.map(attempt, left))
    print(f"ended after {time.monotonic() - start:.0f} s")
    return tell(found, copy, mutants)


if __name__ == "__main__":
    sys.exit(main())
