"""`person` and `missing_person` in every function that takes columns."""

import inspect

import pandas as pd
import pytest

import amidst

COLUMNS = {"person": "pid", "quasi": ["age", "town"], "sensitive": "dx"}


@pytest.fixture
def visits():
    owners = [row * 7 % 12 for row in range(40)]
    rows = [
        (f"p{owner}", 20 + owner * 3 + row % 2, "ab"[owner % 2], ["flu", "gout", "cold"][row % 3]) for row, owner in enumerate(owners)
    ]
    return pd.DataFrame(rows, columns=["pid", "age", "town", "dx"])


def persons(release, visits):
    """The number of persons of each class."""
    table = release.table.assign(pid=[visits["pid"][row] for row in release.rows])
    return table.groupby(["age", "town"])["pid"].nunique()


def test_classes_have_k_persons(visits):
    release = amidst.anonymize(visits, k=3, **COLUMNS)
    assert "pid" not in release.table
    assert persons(release, visits).min() == release.report()["achieved"]["k"] >= 3
    assert release.report()["people"]["persons"] == 12
    by_rows = amidst.anonymize(visits, k=3, identifier="pid", quasi=["age", "town"], sensitive="dx")
    assert persons(by_rows, visits).min() < 3


def test_every_function_that_takes_columns_counts_persons(visits):
    release = amidst.anonymize(visits, k=3, keep_order=True, **COLUMNS)  # flags say nothing of another order
    audit = amidst.audit(release, original=visits)
    assert audit["people"]["persons"] == 12 and audit.passed
    named = amidst.audit(release.table, original=visits, k=3, **COLUMNS)
    assert named["achieved"]["k"] == audit["achieved"]["k"]
    assert amidst.measure(visits, release.table, **COLUMNS)["loss"]["lm"] == pytest.approx(release.report()["loss"]["lm"])
    assert amidst.attack(visits, release.table, k=3, **COLUMNS)
    assert amidst.bound(visits, k=3, **COLUMNS)["bound"]["loss"] <= release.report()["loss"]["lm"] + 1e-9
    assert amidst.compare(visits, k=3, algorithms="mondrian", **COLUMNS)["runs"]
    takes = [each for each in (getattr(amidst, name) for name in amidst.__all__) if inspect.isfunction(each)]
    takes = [each.__name__ for each in takes if "identifier" in inspect.signature(each).parameters]
    assert {"anonymize", "audit", "measure", "attack", "bound", "compare"} <= set(takes)
    for name in takes:
        assert {"person", "missing_person"} <= set(inspect.signature(getattr(amidst, name)).parameters), name


def test_rows_of_nobody(visits):
    visits.loc[[4, 9], "pid"] = None
    with pytest.raises(amidst.AmidstError, match="2 rows of `.*` do not say whose they are, the first is row 5") as refused:
        amidst.anonymize(visits, k=3, **COLUMNS)
    assert 'missing_person="own"' in str(refused.value) and 'missing_person="drop"' in str(refused.value)
    own = amidst.anonymize(visits, k=3, missing_person="own", **COLUMNS)
    assert (len(own.table), own.report()["people"]["persons"]) == (40, 14)
    drop = amidst.anonymize(visits, k=3, missing_person="drop", **COLUMNS)
    assert (len(drop.table), drop.report()["people"]["persons"]) == (38, 12)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"person": "nobody"}, "there is no column `nobody`"),
        ({"quasi": ["age", "pid"]}, "column `pid`: it is named twice, the second time as a person column"),
        ({"k": 13}, "the table has 12 persons, fewer than k = 13"),
        ({"missing_person": "guess"}, "guess"),
    ],
)
def test_mistakes(visits, changes, message):
    with pytest.raises(amidst.AmidstError, match=message):
        amidst.anonymize(visits, **{"k": 3, **COLUMNS, **changes})
