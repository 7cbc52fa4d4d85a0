"""Compares what `amidst audit` and pycanon find in the same releases of the Adult table and of hospital discharges.

    check.py BINARY FOLDER

Run from the root of the project. BINARY is amidst; the releases go to FOLDER. They are made of every fourth row of Adult with little effort,
because how little they lose does not matter here. Where AMIDST_ALL_CASES is set, they are made of all rows with the usual effort. pycanon knows nothing of how they were made: both read the published file and say how many classes it has
and what it reaches by every model that pycanon has.
Where pycanon differs from a definition, the definition is computed here, too, and amidst is held against that:

- it rounds entropy l down;
- it sorts ascending for recursive (c, l), so its c is not the one of the definition;
- its enhanced beta is the least of the basic beta and the largest -ln of a share, where the definition asks of every value
  that it gains no more than -ln of its own share.
"""

import csv
import functools
import gzip
import hashlib
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from pycanon.anonymity import (
    alpha_k_anonymity,
    basic_beta_likeness,
    delta_disclosure,
    enhanced_beta_likeness,
    entropy_l_diversity,
    k_anonymity,
    l_diversity,
    t_closeness,
)
from pycanon.anonymity.utils.aux_anonymity import get_equiv_class

ADULT = "data/adult/adult.csv.gz"
PLAN = "data/adult/plan.toml"
DISCHARGES = "../shared/data/health/nhds2010.csv.gz"
PLANNED = ["age", "education-num", "workclass", "marital-status", "occupation", "native-country", "race", "sex"]
SETS = ["age", "education-num", "workclass", "marital-status", "race", "sex", "native-country"]
TREES = ["marital-status", "occupation", "native-country"]
FEW = ["age", "education-num", "race", "sex"]
PATIENT = ["age", "sex", "race", "region", "care_days"]
# pycanon looks at the whole class for each value: it is asked where classes times values are no more than this.
PATIENCE = 4000

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

# For parts of the tables: k, sensitive columns and demands. Each must be met by what the definitions say. Columns of many
# values have large classes, so that pycanon is asked, too.
ADULT_DEMANDS = [
    (25, ["occupation"], ["frequency-l(l=3)"]),
    (25, ["occupation"], ["distinct-l(l=8)"]),
    (25, ["occupation"], ["entropy-l(l=7.5)"]),
    (25, ["occupation"], ["recursive-l(c=1.5,l=4)"]),
    (25, ["occupation"], ["alpha-k(alpha=0.25)"]),
    (25, ["occupation"], ["t-closeness(t=0.3)"]),
    (25, ["occupation"], ["basic-beta(beta=2.5)"]),
    (25, ["occupation"], ["enhanced-beta(beta=2.5)"]),
    (25, ["occupation"], ["delta-disclosure(delta=1.2)"]),
    (150, ["hours-per-week"], ["t-closeness(t=0.1,distance=ordered)"]),
    (150, ["hours-per-week"], ["t-closeness(t=0.25)"]),
    (25, ["occupation", "income"], ["t-closeness(t=0.35)", "frequency-l(l=1.2)"]),
]
DISCHARGE_DEMANDS = [
    (100, ["dx01"], ["distinct-l(l=2)"]),
    (100, ["dx01"], ["frequency-l(l=4)"]),
    (100, ["dx01"], ["entropy-l(l=8)"]),
    (100, ["dx01"], ["t-closeness(t=0.5)"]),
    (100, ["dx01"], ["basic-beta(beta=6)"]),
    (100, ["dx01"], ["delta-disclosure(delta=2)"]),
]
NUMERIC = ["hours-per-week"]
ALL = "AMIDST_ALL_CASES" in os.environ

passed = failed = 0


def compare(name, ours, theirs, who="pycanon"):
    """Whole numbers must be the same, others up to rounding."""
    global passed, failed
    if isinstance(ours, float) and isinstance(theirs, float):
        same = math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)
    else:
        same = ours == theirs
    passed, failed = passed + same, failed + (not same)
    print(f"{'ok  ' if same else 'FAIL'}  {name}: amidst {ours}, {who} {theirs}", flush=True)


def columns(quasi, sensitive):
    return ["--quasi", ",".join(quasi)] + (["--sensitive", ",".join(sensitive)] if sensitive else [])


def amidst(binary, *arguments):
    """The exit code and the JSON; 1 means that an audit does not pass."""
    done = subprocess.run([binary, *map(str, arguments), "--json", "--quiet"], capture_output=True, text=True)
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f"amidst {' '.join(map(str, arguments))} failed: {done.stderr}")
    return done.returncode, json.loads(done.stdout)


def definitions(table, quasi, column):
    """What the column reaches by the letter of the papers, from how often each class has each value."""
    counts = pd.crosstab(table.groupby(quasi).ngroup(), table[column]).to_numpy(dtype=float)
    size = counts.sum(axis=1, keepdims=True)
    share, usual = counts / size, counts.sum(axis=0) / counts.sum()
    has = counts > 0
    log = np.log(np.where(has, share, 1.0))
    gain = np.where(has, share / usual - 1.0, 0.0)
    least = int(has.sum(axis=1).min())
    falling = -np.sort(-counts, axis=1)
    levels = {
        "distinct_l": least,
        "l": float((size[:, 0] / counts.max(axis=1)).min()),
        "entropy_l": float(np.exp(-(share * log).sum(axis=1).max())),
        "alpha": float(share.max()),
        "recursive_c": {
            str(l): float((falling[:, 0] / falling[:, l - 1 :].sum(axis=1)).max()) for l in range(2, least + 1)
        },
        "t": float(np.abs(share - usual).sum(axis=1).max() / 2),
        "beta": float(gain.max()),
        "enhanced_beta": float(gain.max()) if (gain <= -np.log(usual) + 1e-9).all() else None,
        "delta": float(np.abs(np.where(has, log - np.log(usual), 0.0)).max()),
    }
    if column in NUMERIC:
        steps = np.abs((share - usual).cumsum(axis=1)).sum(axis=1) / (counts.shape[1] - 1)
        levels["t_ordered"] = float(steps.max())
    return levels


@functools.cache
def read(digest, release, numbers):
    """All cells as text, none of them missing: pandas leaves rows with a missing key out of its groups. Columns of numbers as such, because
    pycanon takes the distance by order for them. The digest is that of the file, so a release is read again where it has changed."""
    table = pd.read_csv(release, dtype=str, keep_default_na=False)
    return table.astype({column: float for column in numbers})


@functools.cache
def defined_levels(digest, release, numbers, quasi, column):
    """What a column reaches by definition. Asked once for a release, which may be judged by many demands."""
    return definitions(read(digest, release, numbers), list(quasi), column)


@functools.cache
def pycanon_levels(digest, release, numbers, quasi, column):
    """The same by pycanon, as far as it has it; and the smallest share of a value in the table."""
    table, quasi, own = read(digest, release, numbers), list(quasi), [column]
    levels = {
        "distinct_l": int(l_diversity(table, quasi, own)),
        "entropy_l": int(entropy_l_diversity(table, quasi, own)),
        "alpha": float(alpha_k_anonymity(table, quasi, own)[0]),
        "beta": float(basic_beta_likeness(table, quasi, own)),
        "enhanced_beta": float(enhanced_beta_likeness(table, quasi, own)),
        "delta": float(delta_disclosure(table, quasi, own)),
        "rarest": float(table[column].value_counts(normalize=True).min()),
    }
    if column in NUMERIC:
        levels["t_ordered"] = float(t_closeness(table, quasi, own))
        table = table.astype({column: str})
    return {**levels, "t": float(t_closeness(table, quasi, own))}


def by_pycanon(ours, theirs):
    """Our figures and those of pycanon, and what its variants come to for our figures."""
    yield "distinct l", ours["distinct_l"], theirs["distinct_l"]
    # A level of exactly 3 may be 2.9999… for one of the two.
    near = [math.floor(ours["entropy_l"] + slack) for slack in (-1e-9, 1e-9)]
    entropy_l = theirs["entropy_l"]
    yield "entropy l, rounded down", entropy_l if entropy_l in near else near[0], entropy_l
    yield "alpha", ours["alpha"], theirs["alpha"]
    yield "beta", ours["beta"], theirs["beta"]
    variant = min(ours["beta"], -math.log(theirs["rarest"]))
    yield "enhanced beta, their variant", variant, theirs["enhanced_beta"]
    yield "delta", ours["delta"], theirs["delta"]
    if "t_ordered" in theirs:
        yield "t by order", ours["t_ordered"], theirs["t_ordered"]
    yield "t", ours["t"], theirs["t"]


def judge(binary, name, release, k, quasi, sensitive, demands=()):
    """Lets all look at a release; it ought to reach k exactly when amidst passes it."""
    flags = [f"--require={demand}" for demand in demands]
    code, audit = amidst(binary, "audit", release, "--k", k, *columns(quasi, sensitive), *flags)
    numbers = tuple(column for column in NUMERIC if column in sensitive)
    known = (hashlib.sha256(release.read_bytes()).hexdigest(), release, numbers)
    table = read(*known)
    theirs = int(k_anonymity(table, quasi))
    classes = len(get_equiv_class(table, quasi))
    compare(f"{name}: rows", audit["rows"], len(table))
    compare(f"{name}: k", audit["achieved"]["k"], theirs)
    compare(f"{name}: classes", audit["classes"], classes)
    enough = theirs >= k
    for column in sensitive:
        ours = audit["achieved"]["sensitive"][column]
        defined = defined_levels(*known, tuple(quasi), column)
        for level, value in defined.items():
            compare(f"{name}: {column}: {level}", ours[level], value, "by definition")
        if classes * table[column].nunique() <= PATIENCE:
            for level, value, other in by_pycanon(ours, pycanon_levels(*known, tuple(quasi), column)):
                compare(f"{name}: {column}: {level}", value, other)
        enough &= all(meets(defined, demand) for demand in demands)
    compare(f"{name}: passes", code == 0, bool(enough), "the others")


def meets(levels, demand):
    """Whether levels are enough for a demand."""
    model, given = demand.rstrip(")").split("(")
    given = dict(part.split("=") for part in given.split(","))
    if model == "recursive-l":
        return levels["recursive_c"].get(given["l"], math.inf) < float(given["c"])
    if model == "t-closeness":
        return levels["t_ordered" if "distance" in given else "t"] <= float(given["t"]) + 1e-9
    if model == "delta-disclosure":
        return levels["delta"] < float(given["delta"])
    if model == "enhanced-beta":
        return levels["enhanced_beta"] is not None and levels["enhanced_beta"] <= float(given["beta"]) + 1e-9
    at_most = {"alpha-k": "alpha", "basic-beta": "beta"}
    if model in at_most:
        return levels[at_most[model]] <= float(given[at_most[model]]) + 1e-9
    at_least = {"distinct-l": "distinct_l", "frequency-l": "l", "entropy-l": "entropy_l"}
    return levels[at_least[model]] >= float(given["l"]) - 1e-9


def spoil(release, spoilt, column, value):
    """A copy of the release with another value in one cell."""
    with open(release, newline="") as file:
        rows = list(csv.reader(file))
    rows[len(rows) // 2][rows[0].index(column)] = value
    with open(spoilt, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def publish(binary, name, table, release, k, flags):
    others = [] if "--plan" in flags else ["--others", "drop"]
    effort = [] if ALL else ["--effort", "fast"]
    code, _ = amidst(binary, "anonymize", table, "-o", release, "--k", k, *others, *effort, *flags)
    if code != 0:
        sys.exit(f"amidst anonymize failed for {name}")


def adult(binary, folder):
    table = folder / "adult.csv"
    with gzip.open(ADULT, "rt") as file:
        table.write_text("".join(list(file)[:: 1 if ALL else 4]))
    for number, (name, k, quasi, sensitive, flags) in enumerate(CASES):
        name = f"{name}, k = {k}"
        release = folder / f"{number}.csv"
        roles = [] if "--plan" in flags else columns(quasi, sensitive)
        publish(binary, name, table, release, k, [*roles, *flags])
        judge(binary, name, release, k, quasi, sensitive)
        # A cell that nobody else has leaves its row alone; so does an empty one, which must not be overlooked.
        if k == 10 and sensitive:
            for what, value in [("a changed cell", "[0-999]"), ("an emptied cell", "")]:
                spoilt = folder / f"{number}-spoilt.csv"
                spoil(release, spoilt, quasi[0], value)
                judge(binary, f"{name}, {what}", spoilt, k, quasi, sensitive)


def demanding(binary, folder, what, part, quasi, demands):
    """Releases of a part of a table that must reach more than k."""
    for k, sensitive, demand in demands:
        name = f"{what}, {', '.join(sensitive)}, {' and '.join(demand) or 'nothing asked'}"
        release = folder / "demanding.csv"
        flags = [f"--require={model}" for model in demand]
        publish(binary, name, part, release, k, [*columns(quasi, sensitive), *flags])
        judge(binary, name, release, k, quasi, sensitive, demand)
    # The last release, by what the others of these columns were made for.
    for other in [demand for _, those, demand in demands if those == sensitive]:
        judge(binary, f"{what}, the last release by {' and '.join(other)}", release, k, quasi, sensitive, other)


def main():
    binary, folder = sys.argv[1], Path(sys.argv[2])
    adult(binary, folder)

    part = folder / "part.csv"
    pd.read_csv(ADULT, dtype=str)[[*FEW, "occupation", "income", "hours-per-week"]].head(5000).to_csv(part, index=False)
    demanding(binary, folder, "adult", part, FEW, ADULT_DEMANDS)

    if Path(DISCHARGES).is_file():
        discharges = pd.read_csv(gzip.open(DISCHARGES), dtype=str, keep_default_na=False)
        discharges = discharges[discharges["age_unit"] == "years"]
        common = discharges["dx01"].value_counts().index[:40]
        discharges = discharges[discharges["dx01"].isin(common)][[*PATIENT, "dx01"]].head(6000)
        discharges.to_csv(part, index=False)
        demanding(binary, folder, "discharges", part, PATIENT, DISCHARGE_DEMANDS)
    else:
        print(f"SKIPPED  the hospital discharges: there is no {DISCHARGES}", flush=True)

    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
