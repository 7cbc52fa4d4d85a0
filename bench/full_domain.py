"""Full-domain recoding of Adult by trying every combination of levels, without amidst: the least loss by LM.

    full_domain.py [ROWS]

Adult by all nine hierarchies of ARX (data/adult/hierarchies), k = 5 and 10, at most 0 % and 5 % of the records left out. A record that is
left out loses everything. The same with amidst is in docs/figures/engine.md.
"""

import csv
import gzip
import sys
from collections import Counter
from pathlib import Path

ADULT = Path(__file__).parent.parent / "data" / "adult"


class Tree:
    """A hierarchy: for each level, the label of each label of the level below, and the share of the leaves that a label hides."""

    def __init__(self, column):
        paths = [line.split(";") for line in (ADULT / "hierarchies" / f"{column}.csv").read_text().splitlines()]
        height = {len(path) for path in paths}
        assert len(height) == 1, "the tree is not balanced"
        self.levels = range(height.pop())
        leaves = [Counter(path[level] for path in paths) for level in self.levels]
        self.labels = [{path[0]: path[level] for path in paths} for level in self.levels]
        self.loss = [{label: (n - 1) / (len(paths) - 1) for label, n in of.items()} for of in leaves]


def nodes(trees, counts, chosen=()):
    """Every combination of levels with the number of records of each class. Columns take their levels one after the other."""
    column = len(chosen)
    if column == len(trees):
        yield chosen, counts
        return
    for level in trees[column].levels:
        labels, rolled = trees[column].labels[level], Counter()
        for key, size in counts.items():
            rolled[(*key[:column], labels[key[column]], *key[column + 1 :])] += size
        yield from nodes(trees, rolled, (*chosen, level))


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else None
    with gzip.open(ADULT / "adult.csv.gz", "rt") as file:
        table = list(csv.DictReader(file))[:rows]
    columns = sorted((file.stem for file in (ADULT / "hierarchies").glob("*.csv")), key=lambda c: (c != "age", c))
    trees = [Tree(column) for column in columns]
    tuples = Counter(tuple(row[column] for column in columns) for row in table)
    best = {(k, percent): (2.0, ()) for k in (5, 10) for percent in (0, 5)}
    for node, counts in nodes(trees, tuples):
        losses = [tree.loss[level] for tree, level in zip(trees, node)]
        for k, percent in best:
            out = sum(size for size in counts.values() if size < k)
            if out <= percent / 100 * len(table):
                lost = out * len(trees)
                for key, size in counts.items():
                    if size >= k:
                        lost += size * sum(loss[label] for loss, label in zip(losses, key))
                best[k, percent] = min(best[k, percent], (lost / len(trees) / len(table), node))
    for (k, percent), (loss, node) in best.items():
        print(f"k = {k}, {percent} %: {loss:.6f}  " + ", ".join(f"{c} {level}" for c, level in zip(columns, node)))


if __name__ == "__main__":
    main()
