"""What it costs to count persons instead of rows: processor seconds and loss of the same table with and without a person column.

    persons.py BINARY FOLDER [--persons N] [--rows N] [--k K] [--options 'sensitive=OCCP l=3'] [--only WORD]

BINARY is a release build of amidst. FOLDER has census/acs-income.csv.gz, which knows no persons, so they are made up:

- constant: a person's rows are the copies of one row's quasi-identifiers. Sensitive values are those of the rows.
- alike: a person's rows are neighbours when the table is sorted by sex, race, marital status, schooling and age, so they differ a little.
- random: a person's rows are any rows of the table.

Both are run in turn, and the processor time of the whole process is compared.
"""

import argparse
import csv
import gzip
import json
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

QUASI = ["AGEP", "SEX", "SCHL", "MAR", "RAC1P", "COW", "WKHP", "RELP"]


def people(rows, persons, rng):
    """How many rows each person has: one, and what is left goes to anybody, to some more often than to others."""
    weights = [rng.paretovariate(1.5) for _ in range(persons)]
    times = [1] * persons
    for person in rng.choices(range(persons), weights, k=rows - persons):
        times[person] += 1
    return times


def table(header, rows, persons, case, rng):
    """The rows with a person each."""
    place = [header.index(name) for name in QUASI]
    order = list(range(len(rows)))
    if case == "alike":
        keys = [header.index(name) for name in ("SEX", "RAC1P", "MAR", "SCHL", "AGEP")]
        order.sort(key=lambda row: [int(rows[row][key]) for key in keys])
    else:
        rng.shuffle(order)
    made, next_row = [None] * len(rows), 0
    for person, times in enumerate(people(len(rows), persons, rng)):
        own = order[next_row : next_row + times]
        next_row += times
        for row in own:
            cells = list(rows[row])
            if case == "constant":
                for column in place:
                    cells[column] = rows[own[0]][column]
            made[row] = [f"p{person}", *cells]
    return made


def run(binary, file, folder, k, person, options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    flags = ["--quasi", ",".join(QUASI), "--k", str(k), "--json", "--quiet"]
    flags += [f"--{'person' if person else 'identifier'}", "pid", *options]
    done = subprocess.run([binary, "anonymize", file, "-o", folder / "release.csv", *flags], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(done.stdout)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu": cpu, "report": report}


def told(figure):
    report = figure["report"]
    return f"{figure['cpu']:.1f} s, LM {report['loss']['lm']:.4f}, {report['classes']} classes;"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--persons", type=int, default=200_000)
    parser.add_argument("--rows", type=int, default=10**9)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--options", default="", help="further options, such as 'sensitive=OCCP l=3'")
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    with gzip.open(asked.folder / "census/acs-income.csv.gz", "rt", newline="") as file:
        header, *rows = csv.reader(file)
    rows = rows[: asked.rows]
    persons = min(asked.persons, len(rows))
    options = [f"--{option}" for option in asked.options.split()]
    print(f"{len(rows)} rows, {persons} persons, k = {asked.k}, {' '.join(options)}")
    for case in ("constant", "alike", "random"):
        if asked.only not in case:
            continue
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            file = folder / "table.csv"
            with open(file, "w", newline="") as out:
                writer = csv.writer(out, lineterminator="\n")
                writer.writerow(["pid", *header])
                writer.writerows(table(header, rows, persons, case, random.Random(1)))
            plain, counted = (run(asked.binary, file, folder, asked.k, person, options) for person in (False, True))
            print(f"{case:9}  rows: {told(plain)}  persons: {told(counted)}  ratio {counted['cpu'] / plain['cpu']:.2f}", flush=True)


main()
