"""Lets anonypy's Mondrian partition a table.

    peer_anonypy.py FILE K LIMIT RANGE_COLUMNS SET_COLUMNS

Prints the processor and the wall-clock seconds of the partitioning alone, then a line of row numbers for each group.
Prints nothing when it takes longer than LIMIT seconds.
"""

import signal
import sys
import time

import pandas as pd
from anonypy.mondrian import Mondrian

file, k, limit, ranges, sets = sys.argv[1:]
ranges, sets = ranges.split(","), sets.split(",")
table = pd.read_csv(file, keep_default_na=False, usecols=ranges + sets)
for column in sets:
    table[column] = table[column].astype("category")

signal.signal(signal.SIGALRM, lambda *_: sys.exit(0))
signal.alarm(int(limit))
cpu, wall = time.process_time(), time.perf_counter()
groups = Mondrian(table, ranges + sets).partition(k=int(k))
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
signal.alarm(0)

print(cpu, wall)
for group in groups:
    print(*group)
