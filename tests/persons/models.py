"""The privacy models by persons, from their definitions, in exact fractions.

A class is a list of pairs of a person and a value, one for each row. A person weighs one, however many rows the person has: the weight is
split evenly over the rows in the class. Frequency l and alpha take the share of the persons who have a value at all.
"""

import math
from collections import Counter, defaultdict
from fractions import Fraction


def by_person(rows):
    """The values of each person, with repetitions."""
    values = defaultdict(list)
    for person, value in rows:
        values[person].append(value)
    return values


def shares(rows):
    """The share of each value: the mean over all persons of the share of the person's rows that have it."""
    persons = by_person(rows)
    sums = defaultdict(Fraction)
    for values in persons.values():
        for value, times in Counter(values).items():
            sums[value] += Fraction(times, len(values) * len(persons))
    return sums


def most_common(rows):
    """The largest share of the persons who have a value at all."""
    persons = by_person(rows)
    bearers = Counter(value for values in persons.values() for value in set(values))
    return Fraction(max(bearers.values()), len(persons))


def equal(p, q, _):
    return sum(abs(p[value] - q[value]) for value in q) / 2


def ordered(p, q, order):
    """The earth that is carried over each step between neighbours, of the values that the table has."""
    present = [value for value in order if value in q]
    carried = work = Fraction(0)
    for value in present:
        carried += p[value] - q[value]
        work += abs(carried)
    return work / max(1, len(present) - 1)


def hierarchical(p, q, tree):
    """Below each node, what some children have too much goes to those that have too little; what is left goes up.

    The tree has the path of each value, from itself to the root, and all paths are equally long.
    """
    height = len(next(iter(tree.values()))) - 1
    extra = {value: p[value] - q[value] for value in q}
    work = Fraction(0)
    for level in range(1, height + 1):
        children = defaultdict(list)
        below = defaultdict(Fraction)
        for value, more in extra.items():
            below[tree[value][level - 1], tree[value][level]] += more
        for (_, node), more in below.items():
            children[node].append(more)
        for all_extra in children.values():
            much = sum(more for more in all_extra if more > 0)
            little = sum(-more for more in all_extra if more < 0)
            work += Fraction(level, height) * min(much, little)
    return work


DISTANCES = {"equal": equal, "ordered": ordered, "hierarchical": hierarchical}


def holds(model, level, rows, table, scale):
    """Whether a class satisfies a model. `level` has its parameters, `table` all published rows, `scale` the order or the tree."""
    if model == "distinct-l":
        return len({value for _, value in rows}) >= level["l"]
    if model == "frequency-l":
        return most_common(rows) * Fraction(str(level["l"])) <= 1
    if model == "alpha-k":
        return most_common(rows) <= Fraction(str(level["alpha"]))
    p, q = shares(rows), table
    if model == "entropy-l":
        return -sum(float(share) * math.log(share) for share in p.values()) >= math.log(level["l"]) - 1e-9
    if model == "recursive-l":
        falling = sorted(p.values(), reverse=True)
        return falling[0] < Fraction(str(level["c"])) * sum(falling[level["l"] - 1 :])
    if model == "t-closeness":
        distance = DISTANCES[level.get("distance", "equal")]
        return distance(p, q, scale) <= Fraction(str(level["t"]))
    if model == "basic-beta":
        return all((p[value] - q[value]) / q[value] <= Fraction(str(level["beta"])) for value in p)
    if model == "enhanced-beta":
        most = {value: min(level["beta"], -math.log(share)) for value, share in q.items()}
        return all(float((p[value] - q[value]) / q[value]) <= most[value] + 1e-9 for value in p)
    if model == "delta-disclosure":
        return all(abs(math.log(p[value] / q[value])) < level["delta"] + 1e-9 for value in p)
    raise ValueError(f"there is no definition of {model} here; write it")
