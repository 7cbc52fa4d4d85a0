#!/usr/bin/env python3
"""Makes a table of visits to a hospital, in which most persons have several rows.

    tests/persons/visits.py [PERSONS] [SEED] > visits.csv

`visit` numbers the rows, so that rows of a release can be found again. Year of birth, sex, ZIP code and household stay the same for a
person; day, ward and diagnosis change from visit to visit. Some persons come often, and most of those for the same reason.
"""

import csv
import datetime
import random
import sys

DIAGNOSES = ["asthma", "diabetes", "flu", "fracture", "gastritis", "hypertension", "migraine", "pneumonia"]
WARDS = ["north", "south", "surgery", "day clinic"]
COLUMNS = ["pid", "household", "visit", "birth", "sex", "zip", "day", "ward", "dx"]


def visits(persons, seed):
    """The rows, shuffled, so that rows of a person do not stand together."""
    rng = random.Random(seed)
    rows = []
    household = 0
    for person in range(persons):
        household += rng.random() < 0.5
        birth, sex = rng.randint(1930, 2015), rng.choice("fm")
        zip_code = f"{75270 + rng.randint(0, 30):05}"
        times = min(60, int(rng.paretovariate(1.1)) + rng.randint(0, 3))
        usual = rng.choice(DIAGNOSES)
        for _ in range(times):
            day = datetime.date(2020, 1, 1) + datetime.timedelta(days=rng.randint(0, 730))
            dx = usual if rng.random() < 0.6 else rng.choice(DIAGNOSES)
            rows.append([f"p{person:06}", f"h{household:06}", None, birth, sex, zip_code, day, rng.choice(WARDS), dx])
    rng.shuffle(rows)
    for number, row in enumerate(rows, 1):
        row[2] = number
    return rows


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS)
    out.writerows(visits(*(arguments + [400, 1][len(arguments) :])))
