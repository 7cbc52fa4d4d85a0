"""Counts the persons in every class of releases that amidst makes, and holds the privacy models against their definitions.

    check.py BINARY FOLDER

Run from the root of the project. BINARY is amidst; tables and releases go to FOLDER. The column `visit` numbers the rows and is published
as it is, so every published row is found again in the original. amidst itself says which partitioners, refiners, forms and models there are.
"""

import csv
import gzip
import itertools
import json
import os
import random
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import models
import visits

K = 4
SHARES = "../shared/data"
REFUSING = {"ring", "randomization"}
# Models of values with the least levels that are worth asking for; a tree of diagnoses and an order of wards.
DEMANDS = {
    "none": None,
    "distinct-l": ("dx", {"l": 3}),
    "frequency-l": ("dx", {"l": 1.4}),
    "entropy-l": ("dx", {"l": 3}),
    "recursive-l": ("dx", {"c": 2, "l": 2}),
    "alpha-k": ("ward", {"alpha": 0.9}),
    "t-closeness": ("dx", {"t": 0.5}),
    "t-closeness, ordered": ("ward", {"t": 0.15, "distance": "ordered"}),
    "t-closeness, hierarchical": ("dx", {"t": 0.4, "distance": "hierarchical"}),
    "basic-beta": ("dx", {"beta": 2}),
    "enhanced-beta": ("dx", {"beta": 2}),
    "delta-disclosure": ("dx", {"delta": 1.5}),
}
ORDER = visits.WARDS
ORGANS = {"asthma": "lung", "flu": "lung", "pneumonia": "lung", "diabetes": "blood", "hypertension": "blood"}
TREE = {dx: (dx, ORGANS.get(dx, "other"), "*") for dx in visits.DIAGNOSES}
# What is asked of the columns: some change from visit to visit, or all are the same for a person.
QUASI = {"visits": ["birth", "sex", "zip", "day"], "persons": ["birth", "sex", "zip"]}

ALL = "AMIDST_ALL_CASES" in os.environ
failures = []


def listed(binary, what):
    """The members of a list, each with every named choice of each of its parameters, one at a time."""
    done = subprocess.run([binary, "list", what, "--json"], capture_output=True, text=True, check=True)
    for entry in json.loads(done.stdout):
        yield entry["name"]
        for parameter in entry["params"]:
            for choice in parameter["range"].get("choice", []):
                if choice != parameter["default"]:
                    yield f"{entry['name']}({parameter['name']}={choice})"


def possible(partitioner, form, asked, suppress, *_):
    """Whether amidst can be asked this: some leave out records only where that is allowed, and some forms need a model."""
    leaves_out = "small=suppress" in partitioner or "small=delete" in partitioner
    return (suppress or not leaves_out) and (asked != "none" or form.split("(")[0] not in ("anatomy", "slicing"))


def pairs(*dimensions):
    """Cases in which every two choices meet, greedily; or all of them."""
    cases = [case for case in itertools.product(*dimensions) if possible(*case)]
    if ALL:
        return cases
    random.Random(1).shuffle(cases)
    meeting = lambda case: {((i, case[i]), (j, case[j])) for i, j in itertools.combinations(range(len(case)), 2)}
    seen, chosen = set(), []
    for least in range(len(dimensions) * (len(dimensions) - 1) // 2, 0, -1):
        for case in cases:
            if len(meeting(case) - seen) >= least:
                seen |= meeting(case)
                chosen.append(case)
    return chosen


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def demand(name):
    """The model, its column and its level; and the flag that asks for it."""
    column, level = DEMANDS[name]
    model = name.split(",")[0]
    return model, column, level, f"--require={column}={model}({','.join(f'{key}={value}' for key, value in level.items())})"


def broken(classes, asked):
    """What is wrong with classes of rows of the original, as texts."""
    for rows in classes:
        persons = {row["pid"] for row in rows}
        if len(persons) < K:
            yield f"a class of {len(rows)} rows has {len(persons)} persons"
    if asked != "none":
        model, column, level, _ = demand(asked)
        valued = [[(row["pid"], row[column]) for row in rows] for rows in classes]
        table = models.shares([pair for rows in valued for pair in rows])
        scale = TREE if level.get("distance") == "hierarchical" else ORDER
        for rows in valued:
            if not models.holds(model, level, rows, table, scale):
                yield f"a class of {len(rows)} rows breaks {model} {level}: {sorted(rows)}"


def classes_of(release, quasi, originals):
    """The rows of the original by what looks the same in the release."""
    group = ["group"] if "group" in release[0] else quasi
    classes = defaultdict(list)
    for row in release:
        classes[tuple(row[name] for name in group)].append(originals[row["visit"]])
    return list(classes.values())


def check(binary, table, originals, folder, number, case):
    """Makes a release and counts. Gives what is wrong, or None; and whether the release could be made."""
    partitioner, form, asked, suppress, refiner, quasi = case
    output = folder / f"{number}.csv"
    sensitive = demand(asked)[1] if asked != "none" else "dx"
    flags = ["--person=pid", "--identifier=household", f"--quasi={','.join(quasi)}", f"--k={K}", f"--sensitive={sensitive}"]
    # The visit says which row of the original a row is.
    told = [name for name in ("visit", "day") if name in next(iter(originals.values())) and name not in quasi]
    flags += [f"--publish-as-is={','.join(told)}"]
    flags += [f"--partitioner={partitioner}", f"--publish={form}"]
    flags += [f"--hierarchy=dx={folder / 'dx.csv'}"] if sensitive == "dx" else [f"--order=ward={','.join(ORDER)}"]
    flags += [demand(asked)[-1]] if asked != "none" else []
    flags += [f"--suppress={suppress}"] if suppress else []
    flags += [f"--refine={refiner}"] if refiner else []
    done = subprocess.run([binary, "anonymize", table, "-o", output, "--quiet", *flags], capture_output=True, text=True)
    if done.returncode:
        # A model that the whole table reaches as one class can be had.
        possible = not list(broken([list(originals.values())], asked))
        # Anatomy needs two values in each group, which not every model asks for.
        possible = possible and not (form == "anatomy" and "all records have the same value" in done.stderr)
        wrong = done.returncode != 1 or possible or output.exists()
        return (f"was refused: {done.stderr.strip()}" if wrong else None), False
    release = read(output)
    left_out = len(originals) - len({row["visit"] for row in release})
    if len(release) + left_out != len(originals) or left_out > len(originals) * 0.05 * bool(suppress):
        return f"has {len(release)} rows, {left_out} were left out", True
    return next(broken(classes_of(release, quasi, originals), asked), None), True


def run(binary, folder, name, table, cases):
    """Checks all cases of a table and tells how they went."""
    originals = {row["visit"]: row for row in read(table)}
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda case: check(binary, table, originals, folder, *case), enumerate(cases)))
    made = sum(released for _, released in found)
    for case, (wrong, _) in zip(cases, found):
        if wrong:
            failures.append(wrong)
            print(f"FAIL  {name}, {case}: {wrong}", flush=True)
    print(f"{name}: {len(cases)} plans, {made} releases, {len(cases) - made} cannot be had", flush=True)
    if made < len(cases) * 0.9:
        failures.append(f"{name}: too few releases")
        print(f"FAIL  {failures[-1]}", flush=True)


def notices(binary, folder, table):
    """What counts rows must fail: otherwise this script finds nothing."""
    originals = {row["visit"]: row for row in read(table)}
    output, quasi = folder / "rows.csv", QUASI["persons"]
    flags = ["--identifier=pid,household", f"--quasi={','.join(quasi)}", "--sensitive=dx", f"--k={K}", "--l=1.4", "--quiet"]
    flags += ["--publish-as-is=visit,day"]
    subprocess.run([binary, "anonymize", table, "-o", output, *flags], check=True)
    classes = classes_of(read(output), quasi, originals)
    for asked, words in [("none", "persons"), ("frequency-l", "breaks frequency-l")]:
        if not any(words in wrong for wrong in broken(classes, asked)):
            failures.append(asked)
            print(f"FAIL  a release that counts rows passes {asked}", flush=True)


def refusals(binary, folder, table, forms):
    """Forms that do not count persons must say so and publish nothing."""
    for form in forms:
        output = folder / "refused.csv"
        flags = ["--person=pid", "--quasi=birth", "--sensitive=dx", "--identifier=household,visit,sex,zip,day,ward", "--k=4", "--l=1.2"]
        done = subprocess.run([binary, "anonymize", table, "-o", output, *flags, f"--publish={form}"], capture_output=True, text=True)
        clear = done.returncode == 2 and "cannot count the persons in column `pid`: " in done.stderr
        if not clear or output.exists():
            failures.append(form)
            print(f"FAIL  {form} does not refuse persons: {done.stderr}", flush=True)
    print(f"refused: {', '.join(forms)}", flush=True)


def borrowed(path, columns, keep, persons, seed):
    """Rows of a public table with made-up persons, in the columns of visits; None where it is not there."""
    path = Path(SHARES) / path
    if not path.is_file():
        print(f"SKIPPED  there is no {path}", flush=True)
        return None
    rng = random.Random(seed)
    rows = []
    with gzip.open(path, "rt", newline="") as file:
        for number, row in enumerate(filter(keep, csv.DictReader(file)), 1):
            if number > (20_000 if ALL else 2_000):
                break
            person = rng.randrange(int(persons * (10 if ALL else 1)))
            value = hash_of(row[columns[-1]])
            values = [visits.WARDS[value // 8 % 4], visits.DIAGNOSES[value % 8]]
            rows.append([f"p{person}", f"h{person // 2}", number, *(row[column] for column in columns[:-1]), *values])
    return rows


def hash_of(text):
    """A number that is the same on every machine."""
    return sum(ord(letter) * 31**place for place, letter in enumerate(text))


def main():
    binary, folder = sys.argv[1], Path(sys.argv[2])
    (folder / "dx.csv").write_text("".join(";".join(path) + "\n" for path in TREE.values()))
    partitioners, refiners = list(listed(binary, "partitioners")), ["", *listed(binary, "refiners")]
    forms = list(listed(binary, "publishers"))
    refusing = [form for form in forms if form.split("(")[0] in REFUSING]
    # Nested cells need Parquet, which plain Python cannot read. The classes are those of cells of text.
    counting = [form for form in forms if form not in refusing and "nested" not in form]
    known = {name.split(",")[0] for name in DEMANDS} | {"k-anonymity", "household-k"}  # households.py counts households
    unknown = {name.split("(")[0] for name in listed(binary, "constraints")} - known
    if unknown:
        sys.exit(f"there is no demand for {', '.join(sorted(unknown))}; write one")

    table = folder / "visits.csv"
    write(table, visits.COLUMNS, visits.visits(60, 3))
    cases = pairs(partitioners, counting, DEMANDS, ["", "5%"], refiners[:1] if not ALL else refiners, list(QUASI))
    # Refiners once more, after a quick partitioner.
    cases += pairs(["mondrian"], counting[:1], DEMANDS, [""], refiners, ["visits"])
    run(binary, folder, "visits", table, [(*case[:5], QUASI[case[5]]) for case in cases])
    notices(binary, folder, table)
    refusals(binary, folder, table, refusing)

    # A few rounds of the search show what it does to persons; the small table above has whole searches.
    quick = ["engine" if ALL else "engine(rounds=3)", "mondrian", "hilbert"]
    for name, path, columns, keep, persons in [
        ("NHDS", "health/nhds2010.csv.gz", ["age", "sex", "race", "care_days", "dx01"], lambda row: row["age_unit"] == "years", 700),
        ("ACS", "census/acs-income.csv.gz", ["AGEP", "SEX", "SCHL", "WKHP", "OCCP"], lambda row: True, 700),
    ]:
        rows = borrowed(path, columns, keep, persons, 5)
        if rows:
            quasi = columns[:4]
            table = folder / f"{name}.csv"
            write(table, ["pid", "household", "visit", *quasi, "ward", "dx"], rows)
            cases = pairs(quick, ["generalization", "anatomy"], DEMANDS, ["", "5%"])
            run(binary, folder, name, table, [(*case, "", quasi) for case in cases])
    print(f"{len(failures)} failed")
    sys.exit(bool(failures))


main()
