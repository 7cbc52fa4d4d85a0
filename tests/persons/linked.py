"""Releases in which pseudonyms link the rows of a person, checked with the standard library alone.

    linked.py BINARY FOLDER

Run from the root of the project. BINARY is amidst; tables and releases go to FOLDER. The column `visit` numbers the rows and is published as
it is, so every published row is found again in the original. For every partitioner, and for the forms that can, it checks: all rows of a
pseudonym have the same cells, at least k pseudonyms share them, the cells cover the values, frequency-l holds by persons, pseudonyms, moved
dates and study days are those of HMAC-SHA-256, intervals within a person are unchanged, and a person keeps at most the rows that were asked
for. Tampered releases must not pass the audit.
"""

import csv
import datetime
import hashlib
import hmac
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import visits

K = 4
KEY = bytes(range(32))
ALL = "AMIDST_ALL_CASES" in os.environ
PERSON = ["birth", "sex", "zip"]
VARYING = ["birth", "sex", "zip", "ward"]
failures = []


def expect(what, holds):
    if not holds:
        failures.append(what)
        print("FAILED", what)


def framed(*texts):
    return b"".join(len(text.encode()).to_bytes(4, "little") + text.encode() for text in texts)


def mac(purpose, *texts):
    return hmac.new(KEY, purpose.encode() + framed(*texts), hashlib.sha256).digest()


def offset(person, days, weekday):
    most = days // 7 if weekday else days
    number = int.from_bytes(mac("amidst shift", person)[:8], "little")
    return (number % (2 * most + 1) - most) * (7 if weekday else 1)


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def covers(cell, value):
    if cell == "*" or cell == value:
        return True
    if cell.startswith("{"):
        return value in cell[1:-1].split(", ")
    if cell.startswith("["):
        low, high = cell[1:-1].split("-")
        return float(low) <= float(value) <= float(high)
    # A code that is masked from the right.
    begins = cell.rstrip("*")
    return begins != cell and len(cell) == len(value) and value.startswith(begins)


def run(binary, folder, name, *flags, fails=False):
    key = {**os.environ, "AMIDST_KEY": KEY.hex()}
    command = [binary, *flags]
    done = subprocess.run(command, capture_output=True, text=True, env=key)
    if (done.returncode != 0) != fails:
        expect(f"{name}: {' '.join(map(str, flags))}\n{done.stdout}{done.stderr}", False)
    return done


def of_persons(release, quasi):
    """The pseudonyms that share each combination of cells, and the combinations of each pseudonym."""
    classes, tuples = defaultdict(set), defaultdict(set)
    for row in release:
        cells = tuple(row[column] for column in quasi)
        classes[cells].add(row["pid"])
        tuples[row["pid"]].add(cells)
    return classes, tuples


def check_release(name, original, release, quasi, l=None, centres=False):
    classes, tuples = of_persons(release, quasi)
    expect(f"{name}: a pseudonym has several tuples of cells", all(len(cells) == 1 for cells in tuples.values()))
    expect(f"{name}: a class has fewer than {K} pseudonyms", min(map(len, classes.values())) >= K)
    by_visit = {row["visit"]: row for row in original}
    for row in release:
        before = by_visit[row["visit"]]
        expect(f"{name}: wrong pseudonym", row["pid"] == mac("amidst person", before["pid"])[:16].hex())
        for column in [] if centres else quasi:
            expect(f"{name}: {row[column]} does not cover {before[column]}", covers(row[column], before[column]))
    if l:
        values = defaultdict(lambda: defaultdict(set))
        for row in release:
            values[tuple(row[column] for column in quasi)][row["dx"]].add(row["pid"])
        most = max(
            len(bearers) / len(classes[cells]) for cells, of_class in values.items() for bearers in of_class.values()
        )
        expect(f"{name}: a value is had by {most:.3f} of a class", most <= 1 / l + 1e-9)


def partitioners(binary):
    """All but the one that gives every row the same levels. It refuses pseudonyms: check_refusal."""
    done = subprocess.run([binary, "list", "partitioners", "--json"], capture_output=True, text=True, check=True)
    return [entry["name"] for entry in json.loads(done.stdout) if entry["name"] != "full-domain"]


def check_refusal(binary, folder, table):
    target = folder / "refused.csv"
    flags = ["--pseudonym", "pid", "--publish-as-is", "visit", "--identifier", "household,day", "--quasi", ",".join(PERSON)]
    asked = ["anonymize", table, "-o", target, *flags, "--k", str(K), "--partitioner", "full-domain"]
    done = run(binary, folder, "full-domain", *asked, fails=True)
    expect(f"full-domain says why it refuses: {done.stderr}", "drop the pseudonyms" in done.stderr)
    expect("full-domain publishes nothing", not target.exists())


def check_partitioners(binary, folder, table, original):
    flags = ["--pseudonym", "pid", "--publish-as-is", "visit", "--identifier", "household,day", "--sensitive", "dx", "--k", str(K)]
    for partitioner in partitioners(binary):
        for quasi in (PERSON, VARYING):
            target = folder / "release.csv"
            asked = ["anonymize", table, "-o", target, *flags, "--quasi", ",".join(quasi), "--partitioner", partitioner]
            name = f"{partitioner} by {' '.join(quasi)}"
            run(binary, folder, name, *asked)
            check_release(name, original, rows_of(target), quasi)
            if ALL or partitioner in ("engine", "mondrian"):
                run(binary, folder, name, *asked, "--l", "1.3", "--suppress", "10%")
                check_release(f"{name}, l", original, rows_of(target), quasi, l=1.3)
                run(binary, folder, name, "audit", target, "--plan", folder / "release.plan.toml")


def check_forms(binary, folder, table, original):
    flags = ["--pseudonym", "pid", "--publish-as-is", "visit", "--identifier", "household,day", "--quasi", ",".join(PERSON), "--sensitive", "dx"]
    done = subprocess.run([binary, "list", "publishers", "--json"], capture_output=True, text=True, check=True)
    for form in (entry["name"] for entry in json.loads(done.stdout)):
        target = folder / "form.csv"
        asked = ["anonymize", table, "-o", target, *flags, "--k", str(K), "--l", "1.2", "--publish", form]
        if form in ("generalization", "centres"):
            run(binary, folder, form, *asked)
            check_release(form, original, rows_of(target), PERSON, centres=form == "centres")
        else:
            done = run(binary, folder, form, *asked, fails=True)
            expect(f"{form} says why it refuses: {done.stderr}", "link" in done.stderr or "persons" in done.stderr)
            expect(f"{form} publishes nothing", not target.exists())
        for file in folder.glob("form.*"):
            file.unlink()


def check_dates(binary, folder, table, original):
    day = datetime.date.fromisoformat
    by_visit = {row["visit"]: row for row in original}
    flags = ["--pseudonym", "pid", "--publish-as-is", "visit", "--identifier", "household", "--quasi", ",".join(PERSON), "--k", str(K)]
    for weekday in (False, True):
        target = folder / "dates.csv"
        extra = ["--keep-weekday"] if weekday else []
        run(binary, folder, "shift", "anonymize", table, "-o", target, *flags, "--shift", "day=40", *extra)
        moved = set()
        for row in rows_of(target):
            before = by_visit[row["visit"]]
            days = (day(row["day"]) - day(before["day"])).days
            moved.add(days)
            expect(f"a date moved by {days} days", days == offset(before["pid"], 40, weekday))
            expect("the weekday is kept", not weekday or days % 7 == 0)
        expect(f"dates move by {len(moved)} different numbers of days", len(moved) >= (8 if weekday else 40))
    target = folder / "days.csv"
    run(binary, folder, "study-day", "anonymize", table, "-o", target, *flags, "--study-day", "day")
    first = {}
    for row in original:
        first[row["pid"]] = min(first.get(row["pid"], row["day"]), row["day"])
    for row in rows_of(target):
        before = by_visit[row["visit"]]
        days = (day(before["day"]) - day(first[before["pid"]])).days
        expect(f"study day {row['day']} instead of {days}", row["day"] == str(days))


def check_limit(binary, folder, table, original):
    flags = ["--pseudonym", "pid", "--publish-as-is", "visit", "--identifier", "household,day", "--quasi", ",".join(PERSON), "--k", str(K)]
    target = folder / "limited.csv"
    run(binary, folder, "limit", "anonymize", table, "-o", target, *flags, "--rows-per-person", "2")
    release = rows_of(target)
    had = Counter(row["pid"] for row in original)
    have = Counter(row["pid"] for row in release)
    expect("every person keeps at most two rows, and no fewer", sorted(have.values()) == sorted(min(2, n) for n in had.values()))
    check_release("limited", original, release, PERSON)
    audit = ["audit", target, "--plan", folder / "limited.plan.toml", "--original", table]
    run(binary, folder, "limited", *audit)
    # The same rows in another order: the key decides, not the place.
    other = folder / "reversed.csv"
    with open(other, "w", newline="") as file:
        out = csv.DictWriter(file, original[0].keys(), lineterminator="\n")
        out.writeheader()
        out.writerows(reversed(original))
    again = folder / "again.csv"
    run(binary, folder, "limit again", "anonymize", other, "-o", again, *flags, "--rows-per-person", "2")
    kept = [{row["visit"] for row in rows} for rows in (release, rows_of(again))]
    expect("the same key keeps the same rows", kept[0] == kept[1])


def check_tampering(binary, folder, table):
    flags = ["--pseudonym", "pid", "--publish-as-is", "visit", "--identifier", "household", "--quasi", ",".join(PERSON), "--sensitive", "dx"]
    target = folder / "honest.csv"
    run(binary, folder, "honest", "anonymize", table, "-o", target, *flags, "--k", str(K), "--shift", "day=9")
    plan = folder / "honest.plan.toml"
    (folder / "honest.manifest.json").unlink()
    release = rows_of(target)
    classes, _ = of_persons(release, PERSON)
    times = Counter(row["pid"] for row in release)
    often = next(row for row in release if times[row["pid"]] > 1)
    other = next(row for row in release if [row[c] for c in PERSON] != [often[c] for c in PERSON])
    small = min(classes.values(), key=len)

    def tampered(what, change, original=True):
        rows = [dict(row) for row in release]
        change(rows)
        path = folder / "tampered.csv"
        with open(path, "w", newline="") as file:
            out = csv.DictWriter(file, release[0].keys(), lineterminator="\n")
            out.writeheader()
            out.writerows(rows)
        beside = ["--original", table] if original else []
        done = run(binary, folder, what, "audit", path, "--plan", plan, *beside, fails=True)
        expect(f"{what}: {done.stdout}{done.stderr}", done.returncode == 1)

    place = release.index(often)

    def move(rows):
        rows[place].update({column: other[column] for column in PERSON})

    def merge(rows):
        one = sorted(small)[0]
        for row in rows:
            if row["pid"] in small:
                row["pid"] = one

    def rename(rows):
        rows[place]["pid"] = "0" * 32

    def shift(rows):
        rows[place]["day"] = str(datetime.date.fromisoformat(rows[place]["day"]) + datetime.timedelta(days=1))

    def unveil(rows):
        names = {mac("amidst person", row["pid"])[:16].hex(): row["pid"] for row in rows_of(table)}
        for row in rows:
            row["pid"] = names[row["pid"]]

    tampered("persons are named", unveil, original=False)
    tampered("a row of a pseudonym has other cells", move, original=False)
    tampered("a class has too few pseudonyms", merge, original=False)
    tampered("a person has two pseudonyms", rename)
    tampered("a date was moved alone", shift)


def main(binary, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "visits.csv"
    with open(table, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(visits.COLUMNS)
        out.writerows(visits.visits(150, 7))
    original = rows_of(table)
    check_partitioners(binary, folder, table, original)
    check_refusal(binary, folder, table)
    check_forms(binary, folder, table, original)
    check_dates(binary, folder, table, original)
    check_limit(binary, folder, table, original)
    check_tampering(binary, folder, table)
    print(f"linked releases: {'all as asked' if not failures else f'{len(failures)} failures'}")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
