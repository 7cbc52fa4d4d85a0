#!/usr/bin/env python3
"""Counts the households of every class of releases for which `household-k` was asked, for all partitioners, refiners and forms.

    tests/persons/households.py BINARY

BINARY is amidst. Nothing of amidst is used for the counting. Releases publish the column `visit`, which numbers the rows, so each row is
found again in the original. Members of a household live in the same ZIP code, as they do: that is what makes classes of few households.
"""

import collections
import csv
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import visits

K, HOUSEHOLDS, PERSONS = 5, 4, 150
QUASI = ["birth", "sex", "zip"]
ROLES = ["--quasi", ",".join(QUASI), "--sensitive", "dx", "--kind", "zip=range", "--household", "household", "--publish-as-is", "visit,day"]
BY_ROWS, BY_PERSONS = ["--identifier", "pid"], ["--person", "pid"]
ASKED = ["--k", str(K), "--require", f"household-k(k={HOUSEHOLDS})", "--seed", "1"]
GROUPED = ("anatomy", "slicing")

binary, folder = str(Path(sys.argv[1]).resolve()), Path(tempfile.mkdtemp())
failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)
        print("FAILED", message)


def run(*arguments):
    done = subprocess.run([binary, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def read(name):
    with open(folder / name, newline="") as file:
        return list(csv.DictReader(file))


def write(name, rows):
    with open(folder / name, "w", newline="") as file:
        out = csv.DictWriter(file, visits.COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
    return {str(row["visit"]): row for row in rows}


def table():
    """The visits, with one ZIP code for each household."""
    rows = [dict(zip(visits.COLUMNS, row)) for row in visits.visits(PERSONS, 3)]
    zips = {}
    for row in rows:
        row["zip"] = zips.setdefault(row["household"], row["zip"])
    return rows


def fewest(release, original, form="generalization"):
    """The fewest households, persons and rows of a class of a release. A row without a household has none."""
    key = (lambda row: row["group"]) if form in GROUPED else lambda row: tuple(row[name] for name in QUASI)
    classes = collections.defaultdict(list)
    for row in release:
        classes[key(row)].append(original[row["visit"]])
    households = min(len({row["household"] for row in rows} - {""}) for rows in classes.values())
    return households, min(len({row["pid"] for row in rows}) for rows in classes.values()), min(map(len, classes.values()))


def check(what, original, source, whose, *flags, form="generalization"):
    """Makes a release and counts."""
    code, _, error = run("anonymize", source, "-o", "r.csv", *ROLES, *whose, *ASKED, *flags)
    if code != 0:
        return expect(False, f"{what}: {error.strip().splitlines()[-1]}")
    households, persons, rows = fewest(read("r.csv"), original, form)
    expect(households >= HOUSEHOLDS, f"{what}: a class has {households} households")
    expect((persons if whose == BY_PERSONS else rows) >= K, f"{what}: a class has {persons} persons and {rows} rows")
    audit = json.loads(run("audit", "r.csv", "--plan", "r.plan.toml", "--original", source, "--json")[1])
    expect(audit["failures"] == [], f"{what}: the audit says {audit['failures']}")
    expect(audit["achieved"]["households"] == households, f"{what}: the audit counts {audit['achieved']['households']}, not {households}")
    return None


def names(what):
    return [entry["name"] for entry in json.loads(run("list", what, "--json")[1])]


def partitioners(original):
    for name in names("partitioners"):
        own = ["--suppress", "5%"] if name in ("anatomy",) else []
        for whose in (BY_ROWS, BY_PERSONS):
            check(f"{name} {whose[0]}", original, "visits.csv", whose, "--partitioner", name, *own)
    for name in names("refiners"):
        check(f"refiner {name}", original, "visits.csv", BY_PERSONS, "--partitioner", "mondrian", "--refine", name)


def forms(original):
    for form in ("generalization(nested)", "centres", "anatomy", "slicing"):
        flags = ["--partitioner", "mondrian", "--publish", form, "--l", "1.2"]
        if form == "generalization(nested)":
            continue  # Parquet only; cells are those of a generalization
        check(f"form {form}", original, "visits.csv", BY_PERSONS, *flags, form=form)
    for form in ("ring", "randomization(l=1.2)"):
        code, _, error = run("anonymize", "visits.csv", "-o", "no.csv", *ROLES, *BY_ROWS, *ASKED, "--l", "1.2", "--publish", form)
        expect(code != 0 and "cannot promise household-k" in error, f"{form} is not refused: {error}")
        expect(not (folder / "no.csv").exists(), f"{form} is published")


def gaps(rows):
    """Rows without a household count for none."""
    some = [{**row, "household": "" if number % 4 == 0 else row["household"]} for number, row in enumerate(rows)]
    original = write("gaps.csv", some)
    for whose in (BY_ROWS, BY_PERSONS):
        check(f"gaps {whose[0]}", original, "gaps.csv", whose, "--partitioner", "mondrian")
    _, _, error = run("anonymize", "gaps.csv", "-o", "r.csv", *ROLES, *BY_ROWS, *ASKED)
    out = run("anonymize", "gaps.csv", "-o", "r.csv", *ROLES, *BY_ROWS, *ASKED)[1]
    empty = sum(not row["household"] for row in some)
    expect(f"{empty} rows name no household" in out + error and "the first is row 1 of" in out + error, f"gaps are not told: {out}")


def left_out(original):
    check("suppression", original, "visits.csv", BY_PERSONS, "--partitioner", "mondrian", "--suppress", "10%")
    expect(len(read("r.csv")) <= len(original), "suppression adds rows")


def audits(original):
    """A release for which households were not asked breaks the requirement, and without the original nothing passes."""
    for whose in (BY_ROWS, BY_PERSONS):
        run("anonymize", "visits.csv", "-o", "u.csv", *ROLES, *whose, "--k", K, "--seed", "1", "--partitioner", "mondrian")
        households = fewest(read("u.csv"), original)[0]
        expect(households < HOUSEHOLDS, f"the table is too easy: {households} households without asking for any")
        asked = ["--plan", "u.plan.toml", "--require", f"household-k(k={HOUSEHOLDS})"]
        code, out, error = run("audit", "u.csv", *asked, "--original", "visits.csv")
        expect(code != 0 and f"{households} is reached" in out + error, f"the audit passes {households} households: {out}{error}")
        code, out, error = run("audit", "u.csv", *asked)
        expect(code != 0 and "only the original" in out + error, f"the audit passes without the original: {out}{error}")


def mistakes(original):
    everybody = len({row["household"] for row in original.values()})
    given = ["--quasi", ",".join(QUASI), "--identifier", "pid", "--k", K]
    cases = [
        (["--household", "house"], "household-k(k=2)", "there is no column `house`"),
        (["--household", "household"], f"household-k(k={everybody + 1})", f"{everybody} different households"),
        ([], "household-k(k=2)", "no column says whose household"),
        (["--household", "zip"], "household-k(k=2)", "named twice"),
    ]
    for whose in (["--publish-as-is", "visit,day"], ["--person", "visit", "--publish-as-is", "day"]):
        for flags, model, message in cases:
            code, _, error = run("anonymize", "visits.csv", "-o", "no.csv", *given, *whose, *flags, "--require", model)
            expect(code != 0 and message in error, f"{flags} {model}: {error}")
            expect(not (folder / "no.csv").exists(), f"{flags} {model} is published")


def risks(original):
    """The household risk, by the definition."""
    plan = "[privacy]\nk = 2\n[columns]\nbirth = { role = 'quasi', kind = 'range' }\nsex = { role = 'quasi', kind = 'set' }\n"
    plan += "zip = { role = 'quasi', kind = 'range' }\npid = { role = 'person' }\nhousehold = { role = 'household' }\n"
    plan += "".join(f"{name} = {{ role = 'other' }}\n" for name in ("visit", "day", "ward", "dx"))
    (folder / "plan.toml").write_text(plan)
    flags = ["--quasi", ",".join(QUASI), "--household", "household"]
    for flags, unit in (flags, "visit"), (["--plan", "plan.toml"], "pid"):
        classes = collections.defaultdict(set)
        for row in original.values():
            classes[tuple(str(row[name]) for name in QUASI)].add(row[unit])
        risk = collections.defaultdict(dict)
        for row in original.values():
            own = 1 / len(classes[tuple(str(row[name]) for name in QUASI)])
            members = risk[row["household"]]
            members[row[unit]] = max(members.get(row[unit], 0), own)
        found = [1 - math.prod(1 - own for own in members.values()) for members in risk.values()]
        told = json.loads(run("risk", "visits.csv", *flags, "--json")[1])
        told = told["households"]
        expected = {"households": len(found), "highest": max(found), "average": sum(found) / len(found)}
        expected["at_risk"] = sum(one > 0.2 + 1e-9 for one in found)
        for name, value in expected.items():
            expect(math.isclose(told[name], value, rel_tol=1e-9), f"risk {flags}: {name} is {told[name]}, not {value}")


def main():
    rows = table()
    original = write("visits.csv", rows)
    for part in (partitioners, forms, left_out, audits, mistakes, risks):
        part(original)
    gaps(rows)
    print(f"{len(failures)} failures" if failures else "every class has rows of enough households")
    sys.exit(bool(failures))


main()
