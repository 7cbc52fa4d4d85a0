"""Compares what `amidst audit` and pycanon find in the same releases of the Adult table.

    check.py BINARY FOLDER

Run from the root of the project. BINARY is amidst; the releases go to FOLDER. pycanon knows nothing of how they were
made: both read the published file and say which k and which distinct l it reaches and how many classes it has.
"""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
from pycanon.anonymity import k_anonymity, l_diversity
from pycanon.anonymity.utils.aux_anonymity import get_equiv_class

ADULT = "data/adult/adult.csv.gz"
PLAN = "data/adult/plan.toml"
PLANNED = ["age", "education-num", "workclass", "marital-status", "occupation", "native-country", "race", "sex"]
SETS = ["age", "education-num", "workclass", "marital-status", "race", "sex", "native-country"]
TREES = ["marital-status", "occupation", "native-country"]

# name, k, quasi-identifiers, sensitive columns, flags
CASES = [
    ("range and set", 2, SETS, [], []),
    ("range and set", 10, SETS, ["occupation"], []),
    ("range and set, order kept", 10, SETS, ["occupation"], ["--keep-order"]),
    ("range and set", 50, SETS, ["occupation"], ["--keep-order"]),
    ("two sensitive columns", 50, SETS, ["occupation", "income"], []),
    ("suppress", 10, SETS, ["income"], [f"--kind={c}=suppress" for c in SETS]),
    ("suppress", 50, ["age", "race", "sex"], ["occupation"], [f"--kind={c}=suppress" for c in ("race", "sex")]),
    ("taxonomy", 2, TREES, ["income"], [f"--hierarchy={c}=data/adult/hierarchies/{c}.csv" for c in TREES]),
    ("taxonomy", 50, TREES, ["income"], [f"--hierarchy={c}=data/adult/hierarchies/{c}.csv" for c in TREES]),
    ("plan", 2, PLANNED, [], ["--plan", PLAN]),
    ("plan", 10, PLANNED, ["income"], ["--plan", PLAN]),
    ("plan, order kept", 10, PLANNED, ["income"], ["--plan", PLAN, "--keep-order"]),
    ("plan", 50, PLANNED, ["income"], ["--plan", PLAN]),
]

passed = failed = 0


def compare(name, ours, theirs):
    global passed, failed
    same = ours == theirs
    passed, failed = passed + same, failed + (not same)
    print(f"{'ok  ' if same else 'FAIL'}  {name}: amidst {ours}, pycanon {theirs}", flush=True)


def columns(quasi, sensitive):
    return ["--quasi", ",".join(quasi)] + (["--sensitive", ",".join(sensitive)] if sensitive else [])


def amidst(binary, *arguments):
    """The exit code and the JSON; 1 means that an audit does not pass."""
    done = subprocess.run([binary, *map(str, arguments), "--json", "--quiet"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"amidst {arguments[0]} failed: {done.stderr}")
    return done.returncode, json.loads(done.stdout)


def judge(binary, name, release, k, quasi, sensitive):
    """Lets both look at a release; it ought to reach k exactly when amidst passes it."""
    code, audit = amidst(binary, "audit", release, "--k", k, *columns(quasi, sensitive))
    # All cells as text, none of them missing: pandas leaves rows with a missing key out of its groups.
    table = pd.read_csv(release, dtype=str, keep_default_na=False)
    theirs = k_anonymity(table, quasi)
    compare(f"{name}: rows", audit["rows"], len(table))
    compare(f"{name}: k", audit["achieved"]["k"], theirs)
    compare(f"{name}: classes", audit["classes"], len(get_equiv_class(table, quasi)))
    compare(f"{name}: passes k = {k}", code == 0, bool(theirs >= k))
    if sensitive:
        compare(f"{name}: distinct l", audit["achieved"]["distinct_l"], l_diversity(table, quasi, sensitive))


def spoil(release, spoilt, column, value):
    """A copy of the release with another value in one cell."""
    with open(release, newline="") as file:
        rows = list(csv.reader(file))
    rows[len(rows) // 2][rows[0].index(column)] = value
    with open(spoilt, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def main():
    binary, folder = sys.argv[1], Path(sys.argv[2])
    for number, (name, k, quasi, sensitive, flags) in enumerate(CASES):
        name = f"{name}, k = {k}"
        release = folder / f"{number}.csv"
        roles = [] if "--plan" in flags else columns(quasi, sensitive)
        code, _ = amidst(binary, "anonymize", ADULT, "-o", release, "--k", k, *roles, *flags)
        if code != 0:
            sys.exit(f"amidst anonymize failed for {name}")
        judge(binary, name, release, k, quasi, sensitive)
        # A cell that nobody else has leaves its row alone; so does an empty one, which must not be overlooked.
        if k == 10 and sensitive:
            for what, value in [("a changed cell", "[0-999]"), ("an emptied cell", "")]:
                spoilt = folder / f"{number}-spoilt.csv"
                spoil(release, spoilt, quasi[0], value)
                judge(binary, f"{name}, {what}", spoilt, k, quasi, sensitive)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
