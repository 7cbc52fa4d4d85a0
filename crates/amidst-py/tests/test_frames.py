"""Every kind of frame: what comes out is what came in, with all its rows, columns and types that can be kept."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from arro3.core import Table
from conftest import people_rows

import amidst

QUASI = ["age", "zip", "sex"]
ASKED = {"quasi": QUASI, "sensitive": "disease", "identifier": "name", "k": 3, "l": 2, "seed": 1}


def frames():
    rows = people_rows()
    table = pa.table(rows)
    frame = pd.DataFrame(rows)
    chunks = pa.concat_tables([table.slice(0, 5), table.slice(5)])
    yield "pandas", frame, pd.DataFrame
    yield "polars", pl.DataFrame(rows), pl.DataFrame
    yield "polars in chunks", pl.concat([pl.DataFrame(rows)[:5], pl.DataFrame(rows)[5:]], rechunk=False), pl.DataFrame
    yield "lazy polars", pl.LazyFrame(rows), pl.LazyFrame
    yield "pyarrow", chunks, pa.Table
    yield "a batch", table.combine_chunks().to_batches()[0], pa.Table
    yield "a reader", chunks.to_reader(), pa.Table
    yield "duckdb", duckdb.from_arrow(table), duckdb.DuckDBPyRelation
    yield "arro3", Table.from_arrow(table), Table
    yield "something else", Capsule(table), amidst.ArrowTable


class Capsule:
    """Anything with the interface."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def rows_of(frame):
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, duckdb.DuckDBPyRelation):
        return frame.fetchall()
    table = pa.table(frame) if not isinstance(frame, pd.DataFrame) else pa.Table.from_pandas(frame)
    return [tuple(row.values()) for row in table.to_pylist()]


@pytest.mark.parametrize(("frame", "kind"), [pytest.param(f, k, id=name) for name, f, k in frames()])
def test_round_trip(frame, kind):
    release = amidst.anonymize(frame, **ASKED, keep_order=True)
    assert isinstance(release.table, kind)
    # The same cells whatever the kind, and as many as came in.
    expected = amidst.anonymize(pa.table(people_rows()), **ASKED, keep_order=True)
    assert rows_of(release.table) == rows_of(expected.table)
    assert [row[-1] for row in rows_of(release.table)] == people_rows()["disease"]
    assert len(release) == 12
    assert release.rows == list(range(12))
    assert amidst.audit(release, original=pa.table(people_rows())).passed


def test_untouched_columns_are_not_copied():
    table = pa.table({"age": list(range(100)), "n": list(range(100)), "x": [0.5] * 100})
    release = amidst.anonymize(table, quasi="age", k=5, keep_order=True, publish_as_is=["n", "x"])
    for name in ("n", "x"):
        before, after = (t.column(name).chunk(0).buffers()[1].address for t in (table, release.table))
        assert before == after, name


def test_pandas_types():
    frame = pd.DataFrame(
        {
            "age": pd.array([31, 32, None, 34, 35, 36], dtype="Int64"),
            "size": [1.5, None, 1.7, 1.8, 1.9, 1.6],
            "school": pd.Categorical(list("abcabc"), categories=["c", "a", "b", "d"], ordered=True),
            "born": pd.to_datetime(["2020-01-01", None, "2020-01-03", "2020-01-04", "2020-02-01", "2020-02-02"]),
            "town": [None, "Ulm", "Bonn", "Ulm", "Bonn", "Ulm"],
            "big": pd.array([1, None, 3, 4, 5, 2**60 + 1], dtype="Int64"),
            "level": pd.Categorical(list("abcabc"), categories=["c", "a", "b", "d"], ordered=True),
            "month": pd.period_range("2020-01", periods=6, freq="M"),
            "when": pd.date_range("2020-01-01 10:30", periods=6, tz="Europe/Berlin"),
            "note": pd.array(["x", None, "y", "z", "", "w"], dtype="string"),
            "flag": [True, False, True, False, True, False],
            "number": pd.Categorical([3, 1, 3, 1, 3, 1]),
        },
        index=list("uvwxyz"),
    )
    quasi = ["age", "size", "school", "born", "town"]
    publish_as_is = ["big", "month", "when", "note", "number"]
    release = amidst.anonymize(frame, quasi=quasi, k=3, keep_order=True, publish_as_is=publish_as_is)
    others = [name for name in frame.columns if name not in quasi]
    frame["level"] = frame["level"].cat.remove_unused_categories()  # nobody has a d, so nobody may read of it
    pd.testing.assert_frame_equal(release.table[others], frame[others].reset_index(drop=True))
    assert release.plan["columns"]["school"]["order"] == ["c", "a", "b", "d"]
    assert release.taken == {"age": "range", "size": "range", "born": "range", "town": "set"}
    assert release.report()["achieved"]["k"] >= 3
    # None, NaN and NaT are missing: a range that would mix them with values is a star.
    for name in ("age", "size", "born"):
        assert release.table[name].isin(["*"]).sum() >= 3, name
    assert not release.table["born"].str.contains("T").any()


def test_missing_values_of_polars():
    frame = pl.DataFrame({"age": [1.0, float("nan"), None, 4, 5, 6] * 2, "x": [1.0, float("nan"), None, 4, 5, 6] * 2})
    release = amidst.anonymize(frame, quasi="age", k=2, keep_order=True)
    assert release.table["x"].equals(frame["x"], null_equal=True)
    assert release.table["age"].null_count() == 4  # both are missing, and so the same


def test_polars_types():
    frame = pl.DataFrame(
        {
            "age": [1, 2, 3, 4, 5, 6],
            "sex": pl.Series(list("ababab"), dtype=pl.Enum(["a", "b", "c"])),
            "town": pl.Series(list("ababab"), dtype=pl.Categorical),
            "list": [[1], [2], None, [4], [5], [6]],
            "struct": [{"a": 1, "b": "x"}] * 6,
            "decimal": pl.Series(["1.50"] * 6).cast(pl.Decimal(10, 2)),
            "day": pl.Series(["2020-01-01"] * 6).str.to_date(),
        }
    )
    release = amidst.anonymize(frame, quasi="age", k=3, keep_order=True, publish_as_is=["day", "town", "list", "struct"])
    # Nobody has a c, so nobody may read of it.
    frame = frame.with_columns(pl.col("sex").cast(pl.Enum(["a", "b"])))
    assert release.table.drop("age").equals(frame.drop("age"))
    assert release.table.drop("age").schema == frame.drop("age").schema


def test_duckdb_hugeint():
    relation = duckdb.sql("select sum(i) as n, i % 7 as seven, 'a' as t from range(40) r(i) group by i")
    release = amidst.anonymize(relation, quasi=["n", "seven"], k=4)
    assert release.report()["achieved"]["k"] >= 4
    assert set(release.plan["columns"]) == {"n", "seven", "t"}


def test_files(tmp_path, people):
    people.to_csv(tmp_path / "people.csv", index=False)
    release = amidst.anonymize(tmp_path / "people.csv", output=tmp_path / "release.csv", **ASKED)
    assert release.table == tmp_path / "release.csv"
    assert amidst.audit(release, original=tmp_path / "people.csv").passed
    assert {file.name for file in tmp_path.iterdir()} == {
        "people.csv", "release.csv", "release.plan.toml", "release.dictionary.json", "release.manifest.json",
    }
    # Without an output it stays in memory.
    assert isinstance(amidst.anonymize(tmp_path / "people.csv", **ASKED).table, amidst.ArrowTable)
    # A frame can go to a file, too.
    assert amidst.anonymize(people, output=tmp_path / "frame.parquet", **ASKED).table.is_file()


def test_the_index_is_not_published():
    people = pd.DataFrame(people_rows()).set_index("name")
    release = amidst.anonymize(people, quasi=QUASI, k=3)
    assert list(release.table.columns) == ["age", "zip", "sex", "disease"]
    assert list(release.table.index) == list(range(12))


def test_shuffled_and_suppressed_rows_say_where_they_come_from(people):
    release = amidst.anonymize(people, **{**ASKED, "l": None, "suppress": 0.3})
    assert list(release.table["disease"]) == [people["disease"][row] for row in release.rows]
    assert release.rows != sorted(release.rows)
    dropped = people.assign(age=people["age"].where(people["age"] != 51))
    release = amidst.anonymize(dropped, **{**ASKED, "l": None}, drop_missing=True, keep_order=True)
    assert release.rows == [row for row in range(12) if row != 2]


@pytest.mark.parametrize("publish", [each["name"] for each in amidst.list_publishers()])
def test_forms(people, publish):
    release = amidst.anonymize(people, **ASKED, publish=publish)
    assert all(isinstance(part, pd.DataFrame) for part in [release.table, *release.parts.values()])
    assert amidst.audit(release, original=people).passed
    assert release.dictionary["form"].startswith(publish)
