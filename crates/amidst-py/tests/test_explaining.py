"""Why a release is as general as it is, advice, and dry runs."""

import os

import pandas as pd
import pytest

import amidst

QUASI = ["age", "zip", "sex"]


@pytest.fixture
def release(people):
    return amidst.anonymize(people, quasi=QUASI, sensitive="disease", identifier="name", k=3, seed=1)


def test_a_row(people, release):
    table = release.table
    for row in (1, 7, 12):
        found = amidst.explain(release, row=row)
        alike = (table[QUASI].astype(str) == table[QUASI].astype(str).iloc[row - 1]).all(axis=1)
        assert found["row"]["class_rows"] == alike.sum()
        cells = {cell["column"]: cell["cell"] for cell in found["row"]["cells"]}
        assert cells == dict(table[QUASI].astype(str).iloc[row - 1])
        assert "audience" not in found and "forced_by" not in str(found)
    internal = amidst.explain(release, row=1, original=people)
    assert internal["audience"] == "internal: not for recipients"
    assert str(internal).startswith("INTERNAL")


def test_a_column(people, release):
    found = amidst.explain(release, column="age")["column"]
    low, high = people["age"].min(), people["age"].max()
    # A cell is one age, or a range of them.
    bounds = release.table["age"].astype(str).str.strip("[]").str.split("-")
    width = bounds.map(lambda ends: (int(ends[-1]) - int(ends[0])) / (high - low))
    assert found["loss"] == pytest.approx(width.mean())
    assert found["single"] == (width == 0).sum()
    tried = amidst.explain(release, column="age", original=people)["column"]["trials"]
    assert (tried["rows"], tried["of"]) == (len(people), len(people))
    assert tried["tried"][0]["choice"] == "as it is" and tried["tried"][-1]["choice"] == "left out"


def test_files_have_their_plan_beside_them(people, tmp_path):
    file = tmp_path / "release.csv"
    amidst.anonymize(people, quasi=QUASI, identifier="name", others="drop", k=3, output=file)
    assert amidst.explain(file, row=2)["rows"] == len(people)
    (tmp_path / "release.plan.toml").rename(tmp_path / "away.toml")
    with pytest.raises(amidst.UsageError, match="no plan is stored beside"):
        amidst.explain(file, row=2)
    assert amidst.explain(file, row=2, plan=tmp_path / "away.toml")["rows"] == len(people)


def test_a_frame_needs_a_plan(release):
    with pytest.raises(amidst.UsageError, match="plan"):
        amidst.explain(release.table, row=1)
    assert amidst.explain(release.table, row=1, plan=release.plan)["row"]["row"] == 1


def test_mistakes(release):
    with pytest.raises(amidst.UsageError, match="a row or a column"):
        amidst.explain(release)
    with pytest.raises(amidst.UsageError, match="row must be 1 or more"):
        amidst.explain(release, row=0)
    with pytest.raises(amidst.UsageError, match="there is no row 13"):
        amidst.explain(release, row=13)
    with pytest.raises(amidst.UsageError, match="did you mean `age`"):
        amidst.explain(release, column="agee")
    with pytest.raises(TypeError, match="unexpected keyword"):
        amidst.explain(release, row=1, quasi=["age"])


def test_dry_run(people, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = dict(quasi=QUASI, sensitive="disease", identifier="name", k=3)
    planned = amidst.dry_run(people, **arguments, output="release.csv")
    assert os.listdir(tmp_path) == []
    assert {column["name"]: column["role"] for column in planned["columns"]} == amidst.anonymize(people, **arguments).plan.roles()
    assert planned["estimate"]["seconds"] > 0
    assert str(planned).startswith("DRY RUN: nothing was written.")
    with pytest.raises(amidst.InfeasibleError):
        amidst.dry_run(people, quasi=QUASI, identifier="name", k=13)
    with pytest.raises(amidst.UsageError, match="single a person out"):
        amidst.dry_run(people, quasi="age", k=3)


def test_advice():
    rows = range(400)
    table = pd.DataFrame({"age": [20 + i * 7 % 60 for i in rows], "place": [f"place {i * 31 % 190}" for i in rows], "sex": [i % 2 for i in rows]})
    release = amidst.anonymize(table, quasi=["age", "place", "sex"], kind={"place": "suppress"}, k=5, effort="fast")
    (advice,) = release.report()["advice"]
    assert advice["column"] == "place" and advice["share"] > 0.5
    assert "advice     `place`" in str(release)
