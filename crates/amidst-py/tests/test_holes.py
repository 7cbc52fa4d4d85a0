"""One test for every hole that a hostile trial found in Python, named after it."""

from __future__ import annotations

import pandas as pd
import pytest

import amidst

PEOPLE = pd.DataFrame({
    "age": [1, 1, 1, 1, 2, 2, 2, 2],
    "disease": ["HIV", "hiv", "HIV ", "HIV", "flu", "cold", "gout", "asthma"],
})


def test_spellings_become_one() -> None:
    asked = {"quasi": "age", "sensitive": "disease", "kind": {"age": "set"}, "k": 4}
    said = amidst.anonymize(PEOPLE, **asked).report()["remarks"]
    assert any("3 values differ only in their spelling" in remark for remark in said)
    release = amidst.anonymize(PEOPLE, **asked, fold=True)
    assert list(release.table["disease"]) == ["HIV", "HIV", "HIV", "HIV", "flu", "cold", "gout", "asthma"]
    assert amidst.audit(release, original=PEOPLE)["covers_original"]


def test_a_table_over_the_limit() -> None:
    for memory in (10, "10 B"):
        with pytest.raises(amidst.UsageError, match="is too large"):
            amidst.anonymize(PEOPLE, quasi="age", k=2, memory=memory)
    with pytest.raises(amidst.UsageError, match="is no size"):
        amidst.anonymize(PEOPLE, quasi="age", k=2, memory="lots")


def test_a_hundred_thousand_threads() -> None:
    with pytest.raises(amidst.UsageError, match="1024 at most"):
        amidst.anonymize(PEOPLE, quasi="age", k=2, threads=100_000)
