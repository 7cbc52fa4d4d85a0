"""Happening 7: Python kept the order of the rows where the command line shuffles, and a pickle of a release carried the secret order."""

import pickle
import re

import amidst
import pandas as pd
import polars as pl
import pytest

QUASI = ["age", "zip", "sex"]
ASKED = {"quasi": QUASI, "identifier": "name", "k": 3}


def many(people):
    """Enough rows that no shuffle leaves them in order by chance."""
    return pd.concat([people] * 5, ignore_index=True).assign(number=range(60)).set_index(pd.Index(range(1000, 1060)))


def test_rows_are_shuffled_by_default(people):
    frame = many(people)
    release = amidst.anonymize(frame, **ASKED, publish_as_is="number", others="drop")
    assert release.rows != list(range(60)) and sorted(release.rows) == list(range(60))
    assert list(release.table["number"]) == release.rows
    assert list(release.table.index) == list(range(60)), "no index says where a row was"
    assert release.plan["method"]["order"] == "shuffle"
    kept = amidst.anonymize(frame, **ASKED, publish_as_is="number", others="drop", keep_order=True)
    assert list(kept.table["number"]) == list(range(60))


def test_a_plan_decides_about_the_order(people):
    plan = amidst.init(people, k=3)
    assert plan["method"]["order"] == "shuffle"
    assert amidst.anonymize(people, plan=plan).rows != list(range(12))
    assert amidst.anonymize(people, plan=plan, keep_order=True).rows == list(range(12))
    plan["method"]["order"] = "keep"
    assert amidst.anonymize(people, plan=plan).rows == list(range(12))


def test_order_is_about_categories(people):
    with pytest.raises(TypeError, match="for the order of the rows there is keep_order=True"):
        amidst.anonymize(people, **ASKED, order="keep")


def bytes_of_rows(rows):
    """The order as lists of numbers of all usual widths."""
    return [b"".join(row.to_bytes(width, "little") for row in rows) for width in (1, 2, 4, 8)]


@pytest.mark.parametrize("kind", ["pandas", "polars", "files"])
def test_a_pickle_has_no_order_no_seed_and_no_original(people, tmp_path, kind):
    seed = 7_771_234_567_891
    frame = many(people).assign(name=lambda f: pd.Categorical(f["name"])).astype({"zip": "category"})
    if kind == "files":
        frame.to_csv(tmp_path / "people.csv", index=False)
    given = {"pandas": frame, "polars": pl.from_pandas(frame), "files": tmp_path / "people.csv"}[kind]
    release = amidst.anonymize(given, **ASKED, others="drop", sensitive="disease", seed=seed, report=tmp_path / "report.json")
    rows = release.rows
    str(release), repr(release), release._repr_html_(), release.table, release.plan["method"]["seed"]
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        stored = pickle.dumps(release, protocol)
        assert str(seed).encode() not in stored and seed.to_bytes(8, "little") not in stored
        assert release.plan["method"]["fingerprint_key"].encode() not in stored
        assert not any(order in stored for order in bytes_of_rows(rows) + bytes_of_rows(rows[:8])[1:])
        # Names are no part of the release, and neither are zips that no class shows.
        shown = " ".join(map(str, release.arrow[""].first(60)))
        for value in [*people["name"], *people["zip"]]:
            if not re.search(rf"\b{value}\b", shown):
                assert value.encode() not in stored, value
    loaded = pickle.loads(stored)
    with pytest.raises(amidst.UsageError, match="does not say which row is whose"):
        loaded.rows
    assert "seed" not in loaded.plan["method"] and "seed" not in loaded.report()
    # It is still a release that can be judged and shown.
    assert amidst.audit(loaded).passed and len(loaded) == 60
    assert loaded._repr_html_() == release._repr_html_()
    assert str(seed) not in str(loaded) and pickle.dumps(loaded) == pickle.dumps(pickle.loads(pickle.dumps(loaded)))


def test_a_pickled_anonymizer_cannot_test_guesses(people):
    anonymizer = amidst.Anonymizer(**ASKED, others="drop", seed=99_123_456_789).fit(many(people))
    stored = pickle.dumps(anonymizer.release_)
    assert b"99123456789" not in stored and (99_123_456_789).to_bytes(8, "little") not in stored
    # Whoever fits with a known seed has given it away themselves; by default there is none to find.
    anonymizer = amidst.Anonymizer(**ASKED, others="drop").fit(many(people))
    seed = anonymizer.release_.plan["method"]["seed"]
    stored = pickle.dumps(anonymizer)
    assert str(seed).encode() not in stored
    assert anonymizer._fitted.encode() not in stored, "a fingerprint confirms a guess of the original"
    assert not any(order in stored for order in bytes_of_rows(anonymizer.release_.rows)[1:])
