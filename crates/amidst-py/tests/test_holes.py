"""One test for every hole that a hostile trial found in the Python package, named after it."""

from __future__ import annotations

import io
from typing import Any

import amidst
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest


def outlier() -> dict[str, list[Any]]:
    """Twenty people of about the same age, and one who is far older and has what nobody else has."""
    return {"age": [*range(20, 40), 99], "dx": [*["flu", "cold"] * 10, "Kuru"]}


def left_out(table: Any) -> Any:
    release = amidst.anonymize(table, quasi="age", sensitive="dx", k=3, suppress=0.1, seed=1)
    assert release.report()["suppressed"]["rows"] == 1
    return release.table


def test_hole_3_unused_categories_of_pandas() -> None:
    frame = pd.DataFrame(outlier()).astype({"dx": pd.CategoricalDtype(["flu", "Kuru", "cold"], ordered=True)})
    published = left_out(frame)
    assert list(published.dx.cat.categories) == ["flu", "cold"]
    assert published.dx.cat.ordered
    file = io.BytesIO()
    published.to_parquet(file)
    assert b"Kuru" not in file.getvalue()


def test_hole_3_unused_categories_of_polars() -> None:
    for kind in (pl.Enum(["flu", "Kuru", "cold"]), pl.Categorical, pl.String):
        frame = pl.DataFrame(outlier()).with_columns(pl.col("dx").cast(kind))
        published = left_out(frame)
        assert set(published["dx"].cast(pl.String)) == {"flu", "cold"}
        if isinstance(kind, pl.Enum):
            assert list(published.schema["dx"].categories) == ["flu", "cold"]
        file = io.BytesIO()
        published.write_parquet(file)
        assert b"Kuru" not in file.getvalue(), kind


def test_hole_3_unused_values_of_arrow_dictionaries() -> None:
    table = pa.table(outlier())
    table = table.set_column(1, "dx", table["dx"].dictionary_encode())
    published = left_out(table)
    assert set(published["dx"].combine_chunks().dictionary.to_pylist()) == {"flu", "cold"}
    file = io.BytesIO()
    pq.write_table(published, file)
    assert b"Kuru" not in file.getvalue()


PEOPLE = pd.DataFrame({
    "age": [1, 1, 1, 1, 2, 2, 2, 2],
    "disease": ["HIV", "hiv", "HIV ", "HIV", "flu", "cold", "gout", "asthma"],
})


def test_spellings_become_one() -> None:
    asked = {"quasi": "age", "sensitive": "disease", "kind": {"age": "set"}, "k": 4, "keep_order": True}
    said = amidst.anonymize(PEOPLE, **asked).report()["remarks"]
    assert any("3 values differ only in their spelling" in remark for remark in said)
    release = amidst.anonymize(PEOPLE, **asked, fold=True)
    assert list(release.table["disease"]) == ["HIV", "HIV", "HIV", "HIV", "flu", "cold", "gout", "asthma"]
    assert amidst.audit(release, original=PEOPLE)["covers_original"]


def test_a_table_over_the_limit() -> None:
    for memory in (10, "10 B"):
        with pytest.raises(amidst.UsageError, match="is too large"):
            amidst.anonymize(PEOPLE, quasi="age", k=2, memory=memory)
    with pytest.raises(amidst.UsageError, match="is not a size"):
        amidst.anonymize(PEOPLE, quasi="age", k=2, memory="lots")


def test_a_hundred_thousand_threads() -> None:
    with pytest.raises(amidst.UsageError, match="1024 at most"):
        amidst.anonymize(PEOPLE, quasi="age", k=2, threads=100_000)
