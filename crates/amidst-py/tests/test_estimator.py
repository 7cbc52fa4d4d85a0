"""The Anonymizer, by scikit-learn's own checks and in pipelines."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

import amidst
from amidst import Anonymizer

QUASI = ["age", "zip", "sex"]

# What scikit-learn's checks suppose and does not hold of a release.
TEXT = "a release has ranges, not numbers"
EXPECTED = {
    "check_transformer_general": TEXT,
    "check_transformer_data_not_an_array": TEXT,
    "check_pipeline_consistency": TEXT,
    "check_estimators_pickle": TEXT,
    "check_methods_sample_order_invariance": TEXT,
    "check_fit_idempotent": TEXT,
    "check_methods_subset_invariance": TEXT,
    "check_fit2d_1sample": "one record hides among nobody",
}


def expected(estimator):
    return EXPECTED


@parametrize_with_checks([Anonymizer(k=2, seed=1)], expected_failed_checks=expected)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def crowd(rows, seed=1):
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": draw.integers(20, 60, rows),
            "town": draw.choice(["Ulm", "Bonn", "Kiel"], rows),
            "score": draw.normal(size=rows).round(3),
        }
    )


def others(known, rows, seed=2):
    """People like those who are known, so that each fits a class."""
    return known.sample(rows, replace=True, random_state=seed, ignore_index=True).assign(score=range(rows))


def test_new_rows_get_cells_that_cover_them():
    known = crowd(400)
    new = others(known, 300)
    anonymizer = Anonymizer(quasi=["age", "town"], k=5, seed=1, new_rows="joined", publish_as_is="score").fit(known)
    published = anonymizer.transform(new)
    cells = set(zip(anonymizer.release_.table["age"], anonymizer.release_.table["town"], strict=True))
    for row, (age, town) in enumerate(zip(published["age"], published["town"], strict=True)):
        assert (age, town) in cells
        low, high = map(int, age.strip("[]").split("-")) if age.startswith("[") else (int(age), int(age))
        assert low <= new["age"][row] <= high
        assert town == new["town"][row] or new["town"][row] in town.strip("{}").split(", ") or town == "*"
    pd.testing.assert_series_equal(published["score"], new["score"])
    both = pd.concat([anonymizer.release_.table, published])
    assert amidst.audit(both, ["age", "town"], k=5).passed


def test_new_rows_alone_must_hide_amidst_each_other():
    known = crowd(400)
    new = others(known, 300)
    anonymizer = Anonymizer(quasi=["age", "town"], k=5, seed=1, new_rows="alone", publish_as_is="score").fit(known)
    with pytest.raises(amidst.InfeasibleError, match="cannot be published on their own"):
        anonymizer.transform(new.head(4))
    many = pd.concat([new] * 5, ignore_index=True)  # everybody has four doubles
    assert amidst.audit(anonymizer.transform(many), ["age", "town"], k=5).passed


def test_models_count_for_new_rows_too():
    known = crowd(300).assign(disease=lambda f: np.where(np.arange(len(f)) % 2, "flu", "cold"))
    anonymizer = Anonymizer(quasi=["age", "town"], sensitive="disease", k=4, seed=1, l=1.5, new_rows="joined", publish_as_is="score").fit(known)
    with pytest.raises(amidst.InfeasibleError, match="together with the release"):
        anonymizer.transform(others(known, 300).assign(disease="flu"))


def test_rows_that_fit_nowhere():
    anonymizer = Anonymizer(quasi=["age", "town"], k=5, seed=1, new_rows="joined", publish_as_is="score").fit(crowd(400))
    with pytest.raises(amidst.InfeasibleError, match="1 of 2 new rows fit no class of the release, first row 2"):
        anonymizer.transform(crowd(400).head(2).assign(age=lambda f: [f["age"][0], 300]))


def test_forms_that_cannot_be_joined():
    plan = amidst.init(crowd(400))
    plan["columns"]["score"] = {"role": "other"}
    plan["columns"]["age"]["show"] = "middle"
    anonymizer = Anonymizer(plan=plan, k=5, seed=1, new_rows="joined").fit(crowd(400))
    with pytest.raises(amidst.UsageError, match="shown by their cells"):
        anonymizer.transform(crowd(10, seed=2))
    with pytest.raises(amidst.UsageError, match="does not say what it covers"):
        anonymizer.set_params(new_rows="modelling", unmatched="star").transform(crowd(10, seed=2))


def test_of_its_own_rows_it_gives_the_release(people):
    for frame in (people, pl.from_pandas(people)):
        anonymizer = Anonymizer(quasi=QUASI, identifier="name", k=3, seed=1)
        both = anonymizer.fit_transform(frame), anonymizer.transform(frame)
        assert isinstance(both[0], type(frame))
        assert both[0].equals(both[1])
        assert both[0].equals(amidst.anonymize(frame, quasi=QUASI, identifier="name", k=3, seed=1, keep_order=True).table)
        assert not anonymizer.release_.table.equals(both[0]), "the release itself has a secret order"
        assert list(anonymizer.get_feature_names_out()) == list(both[0].columns)


def test_parameters_and_pickles(people):
    anonymizer = Anonymizer(quasi=QUASI, identifier="name", k=3, l=None)
    assert anonymizer.get_params()["k"] == 3
    assert clone(anonymizer).set_params(k=4).k == 4
    fitted = anonymizer.fit(people)
    loaded = pickle.loads(pickle.dumps(fitted))
    assert loaded.transform(people).shape == fitted.transform(people).shape
    pd.testing.assert_frame_equal(loaded.release_.table, fitted.release_.table)
    assert loaded.release_.report()["achieved"] == fitted.release_.report()["achieved"]
    assert b"Ann" not in pickle.dumps(fitted), "identifiers do not stay behind"


def test_in_a_pipeline():
    known = crowd(400)
    labels = known["age"] > 40
    model = make_pipeline(
        Anonymizer(quasi=["age", "town"], k=5, seed=1), OneHotEncoder(handle_unknown="ignore"), LogisticRegression()
    )
    model.fit(known[["age", "town"]], labels)
    new = others(known, 200)[["age", "town"]]
    assert (model.predict(new) == (new["age"] > 40)).mean() > 0.9
