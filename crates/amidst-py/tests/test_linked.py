"""Pseudonyms, moved dates and several tables of the same persons."""

import hashlib
import hmac

import amidst
import pandas as pd
import pytest

COLUMNS = {"quasi": ["age", "sex"], "sensitive": "dx"}


@pytest.fixture
def key(tmp_path):
    file = tmp_path / "person.key"
    amidst.make_key(file)
    return file


@pytest.fixture
def visits():
    rows = [
        {"pid": f"p{person}", "age": 30 + person // 4, "sex": "fm"[person % 2], "day": f"2020-03-{1 + 5 * visit:02}", "dx": f"dx{(person + visit) % 3}"}
        for person in range(12)
        for visit in range(1 + person % 3)
    ]
    return pd.DataFrame(rows)


def pseudonym(key, person):
    digest = hmac.new(bytes.fromhex(key.read_text()), digestmod=hashlib.sha256)
    digest.update(b"amidst person" + len(person).to_bytes(4, "little") + person.encode())
    return digest.hexdigest()[:32]


def test_pseudonyms_are_those_of_the_key(visits, key):
    release = amidst.anonymize(visits, pseudonym="pid", key=key, k=3, keep_order=True, publish_as_is="day", **COLUMNS)
    assert list(release.table["pid"]) == [pseudonym(key, person) for person in visits["pid"]]
    cells = release.table.groupby("pid")[["age", "sex"]].nunique()
    assert (cells == 1).all().all()
    assert (release.table.groupby(["age", "sex"])["pid"].nunique() >= 3).all()
    # The audit of the release alone counts persons.
    assert amidst.audit(release).passed and amidst.audit(release)["people"]["persons"] == 12
    assert amidst.audit(release, original=visits, key=key).passed


def test_dates_move_together(visits, key):
    release = amidst.anonymize(visits, pseudonym="pid", shift={"day": 21}, keep_weekday=True, key=key, k=3, keep_order=True, **COLUMNS)
    moved = pd.to_datetime(release.table["day"]) - pd.to_datetime(visits["day"])
    assert (moved.groupby(visits["pid"]).nunique() == 1).all()
    assert (moved.dt.days % 7 == 0).all() and moved.dt.days.abs().max() <= 21
    days = amidst.anonymize(visits, person="pid", study_day="day", k=3, keep_order=True, **COLUMNS)
    assert list(days.table["day"]) == [int(day[8:]) - 1 for day in visits["day"]]


def test_rows_of_a_person_are_limited(visits, key):
    release = amidst.anonymize(visits, pseudonym="pid", rows_per_person=1, key=key, k=3, publish_as_is="day", **COLUMNS)
    assert len(release.table) == release.table["pid"].nunique() == 12


def test_tables_of_the_same_persons(visits, key):
    persons = visits.drop_duplicates("pid")[["pid", "age", "sex"]]
    plan = {
        "privacy": {"k": 3},
        "method": {"order": "keep"},
        "columns": {
            "pid": {"role": "person", "publish": "pseudonym"},
            "age": {"role": "quasi", "kind": "range"},
            "sex": {"role": "quasi", "kind": "set"},
        },
        "tables": {"visits": {"person": "pid", "columns": {"day": {"role": "other"}, "dx": {"role": "sensitive"}}}},
    }
    tables = {"visits": visits}
    release = amidst.anonymize(persons, plan=plan, key=key, tables=tables)
    published = release.parts["visits"]
    assert list(published["pid"]) == [pseudonym(key, person) for person in visits["pid"]]
    assert list(published["dx"]) == list(visits["dx"])
    # The cells of a person are those of the main table.
    joined = published.merge(release.table, on="pid", suffixes=("", "_main"))
    assert len(joined) == len(visits) and (joined["age"] == joined["age_main"]).all()
    assert amidst.audit(release).passed
    assert amidst.audit(release, original=persons, tables=tables, key=key).passed
    with pytest.raises(amidst.UsageError, match="the plan names no file for it, and none is given"):
        amidst.anonymize(persons, plan=plan, key=key)


def test_without_a_key(visits, monkeypatch, key):
    monkeypatch.delenv("AMIDST_KEY", raising=False)
    with pytest.raises(amidst.UsageError, match="depends on a secret key, and none is given") as refused:
        amidst.anonymize(visits, pseudonym="pid", k=3, **COLUMNS)
    assert "key=" in str(refused.value) and 'make one (amidst.make_key("person.key"))' in str(refused.value)
    with pytest.raises(amidst.UsageError, match="the file is there already"):
        amidst.make_key(key)
