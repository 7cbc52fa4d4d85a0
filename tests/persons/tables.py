"""Tables of the same persons that are published together, checked with the standard library alone.

    tables.py BINARY FOLDER

Run from the root of the project. BINARY is amidst; tables and releases go to FOLDER. A table of persons and one of their visits are made
from the visits table, with persons who have no visit. The checks: all pseudonyms are those of HMAC-SHA-256; joins count the same rows for each
person before and after; the cells that both tables have are the same for a person; each person has one combination of own cells in the
visits, which covers all of the person's values and is shared by at least k persons with visits; frequency-l holds by persons; all files
appear or none.
"""

import csv
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

import linked
import visits

K = linked.K
expect = linked.expect

PLAN = """
[privacy]
k = {k}
suppress = {suppress}

[method]
partitioner = "{partitioner}"

[columns]
pid       = {{ role = "person", publish = "pseudonym" }}
household = {{ role = "identifier" }}
birth     = {{ role = "quasi", kind = "range" }}
sex       = {{ role = "quasi", kind = "set" }}
zip       = {{ role = "quasi", kind = "range" }}

[tables.visits]
file = "visits.csv"
person = "patient"

[tables.visits.columns]
visit = {{ role = "other" }}
day   = {{ role = "other", publish = "shift(days=30)" }}
ward  = {ward}
dx    = {{ role = "sensitive", require = ["frequency-l(l=1.1)"] }}
"""


def write(path, columns, rows):
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, columns, lineterminator="\n", extrasaction="ignore")
        out.writeheader()
        out.writerows(rows)


def make(folder, seed):
    """A table of persons, some of whom have no visit, and one of visits, which repeats the sex."""
    rows = [dict(zip(visits.COLUMNS, row)) for row in visits.visits(160, seed)]
    persons = {row["pid"]: row for row in rows}
    rng = random.Random(seed)
    absent = set(rng.sample(sorted(persons), 20))
    rows = [{**row, "patient": row["pid"]} for row in rows if row["pid"] not in absent]
    write(folder / "persons.csv", ["pid", "household", "birth", "sex", "zip"], persons.values())
    write(folder / "visits.csv", ["visit", "patient", "sex", "day", "ward", "dx"], rows)
    return list(persons.values()), rows


def check(name, folder, persons, rows, own):
    main, other = linked.rows_of(folder / "out.csv"), linked.rows_of(folder / "out.visits.csv")
    pseudonym = {row["pid"]: linked.mac("amidst person", row["pid"])[:16].hex() for row in persons}
    there = {row["pid"] for row in main}
    expect(f"{name}: a pseudonym is not that of a person", there <= set(pseudonym.values()))
    before = Counter(pseudonym[row["patient"]] for row in rows)
    after = Counter(row["patient"] for row in other)
    expect(f"{name}: joins count other rows", after == {p: n for p, n in before.items() if p in there})
    cells = {row["pid"]: tuple(row[column] for column in linked.PERSON) for row in main}
    sex = {row["pid"]: row["sex"] for row in main}
    by_visit = {str(row["visit"]): row for row in rows}
    classes, tuples = defaultdict(set), defaultdict(set)
    bearers = defaultdict(lambda: defaultdict(set))
    for row in other:
        origin = by_visit[row["visit"]]
        expect(f"{name}: a row has another person", pseudonym[origin["patient"]] == row["patient"])
        expect(f"{name}: cells differ between the tables", row["sex"] == sex[row["patient"]])
        for column in own:
            expect(f"{name}: {row[column]} does not cover {origin[column]}", linked.covers(row[column], origin[column]))
        key = (cells[row["patient"]], tuple(row[column] for column in own))
        classes[key].add(row["patient"])
        tuples[row["patient"]].add(key)
        bearers[key][row["dx"]].add(row["patient"])
    expect(f"{name}: a person has several combinations of cells", all(len(keys) == 1 for keys in tuples.values()))
    smallest = min(map(len, classes.values()))
    expect(f"{name}: only {smallest} persons with visits share their cells", smallest >= K)
    everybody = defaultdict(set)
    for row in main:
        everybody[tuple(row[column] for column in linked.PERSON)].add(row["pid"])
    expect(f"{name}: a class has too few persons", min(map(len, everybody.values())) >= K)
    most = max(len(have) / len(classes[key]) for key, of in bearers.items() for have in of.values())
    expect(f"{name}: a diagnosis is had by {most:.3f} of a class", most <= 1 / 1.1 + 1e-9)


def plan(folder, partitioner="engine", suppress=0.0, own=True):
    ward = '{ role = "quasi", kind = "set" }' if own else '{ role = "other" }'
    text = PLAN.format(k=K, suppress=suppress, partitioner=partitioner, ward=ward)
    (folder / "plan.toml").write_text(text)


def main(binary, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    persons, rows = make(folder, 11)
    anonymize = ["anonymize", folder / "persons.csv", "-o", folder / "out.csv", "--plan", folder / "plan.toml"]
    audit = ["audit", folder / "out.csv", "--plan", folder / "out.plan.toml"]
    for partitioner in linked.partitioners(binary):
        for own, suppress in ((True, 0.0), (False, 0.05)) if linked.ALL or partitioner == "engine" else ((True, 0.0),):
            plan(folder, partitioner, suppress, own)
            name = f"{partitioner}, own cells {own}, suppress {suppress}"
            linked.run(binary, folder, name, *anonymize)
            check(name, folder, persons, rows, ["ward"] if own else [])
            linked.run(binary, folder, name, *audit)
            linked.run(binary, folder, name, *audit, "--original", folder / "persons.csv")

    # A release with a row of another class, or with a value of its own, does not pass.
    plan(folder)
    linked.run(binary, folder, "honest", *anonymize)
    (folder / "out.manifest.json").unlink()
    honest = linked.rows_of(folder / "out.visits.csv")
    columns = list(honest[0])
    often = Counter(row["patient"] for row in honest)
    for what, change, with_original in (
        ("an unknown pseudonym", {"patient": "0" * 32}, []),
        ("another cell of the main table", {"sex": "x"}, []),
        ("another cell of its own", {"ward": "north "}, []),
        ("another diagnosis", {"dx": "none"}, ["--original", folder / "persons.csv"]),
    ):
        place = next(place for place, row in enumerate(honest) if often[row["patient"]] > 1)
        changed = [dict(row) for row in honest]
        changed[place].update(change)
        write(folder / "out.visits.csv", columns, changed)
        done = linked.run(binary, folder, what, *audit, *with_original, fails=True)
        expect(f"{what}: {done.stdout}{done.stderr}", done.returncode == 1)

    # What cannot be published leaves all files as they were.
    def refused(what, message):
        for file in folder.glob("out.*"):
            file.write_text("before")
            if file.name.endswith(("plan.toml", "json")):
                file.unlink()
        done = linked.run(binary, folder, what, *anonymize, fails=True)
        expect(f"{what}: {done.stderr}", message in done.stderr)
        left = {file.name: file.read_text() for file in folder.glob("out*")}
        expect(f"{what}: {left}", set(left.values()) == {"before"})

    stranger = {**rows[0], "visit": 999999, "patient": "nobody"}
    write(folder / "visits.csv", ["visit", "patient", "sex", "day", "ward", "dx"], [*rows, stranger])
    refused("a visit of nobody", f"the first is row {len(rows) + 1}")
    other = {**rows[0], "sex": "f" if rows[0]["sex"] == "m" else "m"}
    write(folder / "visits.csv", ["visit", "patient", "sex", "day", "ward", "dx"], [other, *rows[1:]])
    refused("a person of two sexes", "row 1: the value is not one that the same person has")
    print(f"tables of the same persons: {'all as asked' if not linked.failures else f'{len(linked.failures)} failures'}")
    return bool(linked.failures)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
