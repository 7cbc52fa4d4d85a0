"""Happening 8: cross-validation of a pipeline was nan, because a quarter of the held-out rows fits no class; `show` was not accepted."""

import time

import amidst
import numpy as np
import pandas as pd
import polars as pl
import pytest
from amidst import Anonymizer
from pathlib import Path
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

ROOT = Path(__file__).parents[3]
QUASI = ["age", "workclass", "education-num", "marital-status", "race", "sex"]


@pytest.fixture(scope="module")
def adult():
    table = pd.read_csv(ROOT / "data/adult/adult.csv.gz").head(1200)
    income = next(name for name in table.columns if "income" in name or "salary" in name)
    return table[QUASI], table[income] == table[income].mode()[0]


def pipeline(model=None, **options):
    options = {"k": 10, "seed": 1, **options}
    return make_pipeline(Anonymizer(**options), OneHotEncoder(handle_unknown="ignore"), model or LogisticRegression(max_iter=500))


def test_cross_validation_is_a_number(adult):
    X, y = adult
    # Many of the rows fit no class, so it is `unmatched` that makes this work.
    half = X.sample(frac=0.5, random_state=1)
    with pytest.raises(amidst.InfeasibleError, match=r"[1-9]\d* of 600 new rows fit no class of the release, first row \d+"):
        Anonymizer(k=10, seed=1, unmatched="error").fit(X.drop(half.index)).transform(half)
    for model in (LogisticRegression(max_iter=500), DecisionTreeClassifier(max_depth=4, random_state=0)):
        scores = cross_val_score(pipeline(model), X, y, cv=3)
        assert not np.isnan(scores).any()
        assert scores.mean() > max(y.mean(), 1 - y.mean()) - 0.02
    assert not np.isnan(cross_val_score(pipeline(unmatched="star"), X, y, cv=3)).any()


def test_grid_search_over_k(adult):
    X, y = adult
    search = GridSearchCV(pipeline(), {"anonymizer__k": np.array([5, 25]), "anonymizer__unmatched": ["nearest", "star"]}, cv=3)
    search.fit(X, y)
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()
    assert search.best_estimator_[0].release_.report()["achieved"]["k"] >= search.best_params_["anonymizer__k"]


def line(*ages, town="Ulm"):
    return pd.DataFrame({"age": [*ages], "town": [town] * len(ages)})


@pytest.fixture
def known():
    """Classes of three: ages 20-22 and 60-64 of Ulm, 40-44 of Bonn."""
    return pd.concat([line(20, 21, 22), line(60, 62, 64), line(40, 42, 44, town="Bonn")], ignore_index=True)


def cells(frame):
    return list(frame.itertuples(index=False, name=None))


def test_the_nearest_class_is_the_one_that_grows_least(known):
    anonymizer = Anonymizer(["age", "town"], k=3, seed=1).fit(known)
    assert set(cells(anonymizer.release_.table)) == {("[20-22]", "Ulm"), ("[60-64]", "Ulm"), ("[40-44]", "Bonn")}
    # The release spans 44 years and two towns, so another town costs 1 / (2 - 1), and a year 1 / 44.
    assert cells(anonymizer.transform(line(24, 50, 41, 58))) == [
        ("[20-22]", "Ulm"), ("[60-64]", "Ulm"), ("[20-22]", "Ulm"), ("[60-64]", "Ulm"),
    ]
    # 41 of Bonn is covered. 30 of Bonn: 10/44 there, 1 + 8/44 in Ulm.
    assert cells(anonymizer.transform(line(41, 30, town="Bonn"))) == [("[40-44]", "Bonn")] * 2


def test_values_that_nobody_had(known):
    anonymizer = Anonymizer(["age", "town"], k=3, seed=1).fit(known)
    new = pd.DataFrame({"age": [21.0, None, 500.0], "town": ["Oslo", "Bonn", None]})
    # An unknown town is as far from all, so the age decides; so does the town where the age is missing; 500 is beyond 64.
    assert cells(anonymizer.transform(new)) == [("[20-22]", "Ulm"), ("[40-44]", "Bonn"), ("[60-64]", "Ulm")]
    starred = anonymizer.set_params(unmatched="star").transform(new)
    assert cells(starred) == [("*", "*")] * 3
    with pytest.raises(amidst.InfeasibleError, match="3 of 3 new rows fit no class of the release, first row 1"):
        anonymizer.set_params(unmatched="error").transform(new)


@pytest.mark.parametrize(
    ("hierarchy", "values", "new", "expected"),
    [
        ("mask:1,2,3", ["1011", "1012", "1013", "2011", "2012", "2013"], ["1019", "1099", "3000"], ["101*", "101*", None]),
        ("widths:10,40", [11, 12, 13, 91, 92, 93], [19, 25, 80, 500], ["[10-19]", "[10-19]", "[90-99]", "[90-99]"]),
        ({"*": {"A": ["a", "b", "c"], "B": ["d", "e", "f"]}}, list("aabdde"), ["c", "f", "z"], ["A", "B", None]),
        ("dates:month,year", ["2020-01-05", "2020-01-06", "2020-01-07", "2021-06-01", "2021-06-02", "2021-06-03"],
         ["2020-01-31", "2020-03-01", "2021-05-31"], ["2020-01", "2020-01", "2021-06"]),
    ],
    ids=["mask", "widths", "written", "dates"],
)  # fmt: skip
def test_trees(hierarchy, values, new, expected):
    known = pd.DataFrame({"v": values})
    anonymizer = Anonymizer("v", k=3, seed=1, hierarchy={"v": hierarchy}).fit(known)
    published = anonymizer.transform(pd.DataFrame({"v": new}))["v"].tolist()
    shown = set(anonymizer.release_.table["v"])
    for found, wanted in zip(published, expected, strict=True):
        assert found in shown if wanted is None else found == wanted


def test_each_row_is_looked_up_on_its_own(adult):
    """Other new rows, their number and their order change nothing: the release and the row alone decide."""
    X, _ = adult
    anonymizer = Anonymizer(k=10, seed=1).fit(X.head(600))
    new = X.tail(600)
    whole = anonymizer.transform(new)
    pd.testing.assert_frame_equal(anonymizer.transform(new.iloc[::-1]), whole.iloc[::-1])
    parts = [anonymizer.transform(new.iloc[place : place + 1]) for place in range(0, 600, 29)]
    pd.testing.assert_frame_equal(pd.concat(parts), whole.iloc[::29])


def test_nearest_against_a_plain_search(adult):
    """Every class is asked, with the definition written out for ranges and sets."""
    X, _ = adult
    columns = ["age", "education-num", "workclass"]
    anonymizer = Anonymizer(columns, k=25, seed=1, kind={"workclass": "set", "education-num": "range"}).fit(X[columns].head(600))
    classes = sorted(set(cells(anonymizer.release_.table)))
    known = set()
    for *_, cell in classes:
        known |= set(cell.strip("{}").split(", ")) - {"*"}

    def ends(cell):
        return (float("-inf"), float("inf")) if cell == "*" else tuple(map(float, (cell.strip("[]").split("-") * 2)[:2]))

    spans = []
    for column in (0, 1):
        found = [ends(each[column]) for each in classes if each[column] != "*"]
        spans.append((min(lo for lo, _ in found), max(hi for _, hi in found)))

    def growth(row, each):
        total = 0.0
        for column, (first, last) in enumerate(spans):
            lo, hi = ends(each[column])
            total += max(lo - row[column], row[column] - hi, 0) / (last - first)
        members = set(each[2].strip("{}").split(", "))
        return total + (0 if each[2] == "*" or row[2] in members else 1 / (len(known) - 1))

    new = X[columns].tail(300)
    inside = (new["age"].between(*spans[0])) & (new["education-num"].between(*spans[1])) & new["workclass"].isin(known)
    new = new[inside]
    for row, found in zip(cells(new), cells(anonymizer.transform(new)), strict=True):
        assert growth(row, found) == pytest.approx(min(growth(row, each) for each in classes), abs=1e-9)


def test_show(known):
    shown = Anonymizer(["age", "town"], k=3, seed=1, show={"age": "bounds"}).fit(known)
    assert list(shown.get_feature_names_out()) == ["age_min", "age_max", "town"]
    assert cells(shown.transform(line(21, 30))) == [(20, 22, "Ulm")] * 2
    starred = shown.set_params(unmatched="star").transform(line(30))
    assert starred["age_min"].isna().all() and starred["town"].tolist() == ["*"]
    for show, centre in [("middle", 62.0), ("mean", 62.0), ("median", "62")]:
        anonymizer = Anonymizer(["age", "town"], k=3, seed=1, show={"age": show}).fit(known)
        assert cells(anonymizer.fit_transform(known))[3] == (centre, "Ulm")
        assert cells(anonymizer.transform(line(64, 55))) == [(centre, "Ulm")] * 2
    assert not np.isnan(cross_val_score(make_pipeline(shown, OneHotEncoder(handle_unknown="ignore"), LogisticRegression()), *twice(known), cv=2)).any()


def twice(known):
    frame = pd.concat([known] * 4, ignore_index=True)
    return frame, frame["age"] > 30


@pytest.mark.parametrize("given", [pd.DataFrame, pl.DataFrame])
def test_output_as_scikit_learn_expects(known, given):
    frame = known if given is pd.DataFrame else pl.from_pandas(known)
    for output, kind in [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("default", given)]:
        transformer = Anonymizer(["age", "town"], k=3, seed=1).set_output(transform=output)
        assert isinstance(transformer.fit_transform(frame), kind)
        assert isinstance(transformer.transform(frame[:2]), kind)
        assert list(transformer.transform(frame[:2]).columns) == ["age", "town"]
    matrix = Anonymizer(k=3, seed=1).set_output(transform="pandas").fit_transform(known[["age"]].to_numpy())
    assert list(matrix.columns) == ["x0"]


def test_rows_and_index_stay_aligned(known):
    frame = known.set_index(pd.Index(list("abcdefghi")))
    anonymizer = Anonymizer(["age", "town"], k=3, seed=1)
    fitted = anonymizer.fit_transform(frame)
    assert list(fitted.index) == list("abcdefghi")
    assert cells(fitted) == [("[20-22]", "Ulm")] * 3 + [("[60-64]", "Ulm")] * 3 + [("[40-44]", "Bonn")] * 3
    assert list(anonymizer.transform(frame.tail(2)).index) == ["h", "i"]
    beside = ColumnTransformer([("hidden", Anonymizer(k=3, seed=1), ["age"]), ("as is", "passthrough", ["town"])])
    assert beside.set_output(transform="pandas").fit_transform(frame).notna().all(axis=None)


def test_rows_that_the_release_leaves_out_stay_in_y(known):
    outlier = pd.concat([known, line(400)], ignore_index=True)
    anonymizer = Anonymizer(["age", "town"], k=3, seed=1, suppress=0.1)
    fitted = anonymizer.fit_transform(outlier)
    assert len(anonymizer.release_) == 9 and len(fitted) == 10
    assert cells(fitted)[-1] == ("[60-64]", "Ulm")
    assert cells(anonymizer.set_params(unmatched="star").transform(outlier))[-1] == ("*", "*")
    missing = known.assign(age=known["age"].where(known["age"] != 42))
    with pytest.raises(amidst.InfeasibleError, match="fit no class"):
        Anonymizer(["age", "town"], k=2, seed=1, drop_missing=True, unmatched="error").fit_transform(missing)


def test_what_is_published_is_true(known):
    """Rows that are published are never moved to the nearest class."""
    for new_rows in ("alone", "joined"):
        anonymizer = Anonymizer(["age", "town"], k=3, seed=1, new_rows=new_rows).fit(known)
        with pytest.raises(amidst.InfeasibleError, match="1 of 1 new rows fit no class .* would not be true"):
            anonymizer.transform(line(30))
        starred = anonymizer.set_params(unmatched="star")
        assert cells(starred.transform(line(30, 31, 32))) == [("*", "*")] * 3


def test_choices_are_checked(known):
    with pytest.raises(ValueError, match="unmatched is 'nearst'; there are: 'nearest', 'star', 'error'"):
        Anonymizer("age", k=3, unmatched="nearst").fit(known)
    with pytest.raises(TypeError, match="new_rows must be a text, not True"):
        Anonymizer("age", k=3, new_rows=True).fit(known)


def test_many_rows_and_classes_take_seconds():
    draw = np.random.default_rng(1)

    def rows(count, seed):
        draw = np.random.default_rng(seed)
        return pd.DataFrame({name: draw.normal(size=count).round(2) for name in "abcd"})

    anonymizer = Anonymizer(k=2, seed=1, partitioner="mondrian").fit(rows(6000, 1))
    assert anonymizer.release_.report()["classes"] > 1000
    started = time.monotonic()
    anonymizer.transform(rows(6000, 2))
    assert time.monotonic() - started < 60
    del draw
