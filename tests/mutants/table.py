#!/usr/bin/env python3
"""Counts what became of the mutants of a run, by area: `table.py FOLDER`. `table.py --missed FOLDER` names those that the scenarios
missed, as regular expressions."""

import collections
import json
import pathlib
import re
import sys


def outcomes(folder: pathlib.Path):
    """Name, file, what became of it, and what the tests said, for every mutant of a stage."""
    folder = folder / "mutants.out"
    if not (folder / "outcomes.json").is_file():
        return
    for outcome in json.loads((folder / "outcomes.json").read_text())["outcomes"]:
        if isinstance(outcome["scenario"], dict):
            mutant = outcome["scenario"]["Mutant"]
            log = folder / outcome["log_path"]
            yield mutant["name"], mutant["file"], outcome["summary"], log.read_text(errors="replace")


def main() -> None:
    folder = pathlib.Path(sys.argv[-1])
    first = list(outcomes(folder / "scenarios"))
    if "--missed" in sys.argv:
        for name, _, summary, _ in first:
            if summary == "MissedMutant":
                print("^" + re.escape(name) + "$")
        return
    second = {name: summary for name, _, summary, _ in outcomes(folder / "tests")}
    counts = collections.defaultdict(collections.Counter)
    missed = []
    for name, file, summary, log in first:
        area = pathlib.PurePath(file).relative_to("crates/amidst/src").parts[0].removesuffix(".rs")
        if summary == "CaughtMutant":
            what = "verification" if "stopped by the verification" in log else "scenarios"
        elif summary == "MissedMutant":
            later = second.get(name)
            what = {"CaughtMutant": "tests", "Timeout": "timeout"}.get(later, "missed")
            if what == "missed":
                missed.append(name)
        else:
            what = {"Timeout": "timeout", "Unviable": "unviable"}.get(summary, summary)
        counts[area][what] += 1
        counts["all"][what] += 1
    columns = ["verification", "scenarios", "tests", "timeout", "missed"]
    print(f"{'area':10} {'mutants':>8}" + "".join(f"{column:>14}" for column in columns) + f"{'caught':>9}")
    for area in sorted(counts, key=lambda area: (area == "all", area)):
        count = counts[area]
        viable = sum(count.values()) - count["unviable"]
        caught = viable - count["missed"]
        cells = "".join(f"{count[column]:>14}" for column in columns)
        print(f"{area:10} {viable:>8}{cells}{caught / max(viable, 1):>9.1%}")
    print(f"\n{counts['all']['unviable']} more do not build.")
    if missed:
        print("\nmissed:")
        print("\n".join(missed))


if __name__ == "__main__":
    main()
