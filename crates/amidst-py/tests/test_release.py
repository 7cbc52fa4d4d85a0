"""What a release writes and shows: files by the verified path, reports, and the card of notebooks."""

import json
import pickle

import amidst
import pandas as pd
import pytest

ASKED = {"quasi": ["age", "zip", "sex"], "identifier": "name", "sensitive": "disease", "k": 3, "seed": 1}


def files(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.parametrize("name", ["release.csv", "release.csv.gz", "release.parquet"])
def test_what_is_saved_is_what_output_writes(people, tmp_path, name):
    (tmp_path / "now").mkdir(), (tmp_path / "later").mkdir()
    amidst.anonymize(people, **ASKED, output=tmp_path / "now" / name)
    release = amidst.anonymize(people, **ASKED)
    save = release.to_parquet if name.endswith("parquet") else release.to_csv
    save(tmp_path / "later" / name)
    now, later = files(tmp_path / "now"), files(tmp_path / "later")
    assert now.keys() == later.keys() and len(later) == 4
    assert later[name] == now[name]
    dictionary = json.loads(later["release.dictionary.json"])
    assert [file["file"] for file in dictionary["files"]] == [name]
    assert amidst.audit(tmp_path / "later" / name, plan=tmp_path / "later/release.plan.toml", original=people).passed
    # A pickle can be saved, too: it needs no original.
    loaded = pickle.loads(pickle.dumps(release))
    (loaded.to_parquet if name.endswith("parquet") else loaded.to_csv)(tmp_path / "later" / name)
    assert files(tmp_path / "later")[name] == now[name]
    assert b"seed" not in files(tmp_path / "later")["release.plan.toml"].replace(b"has the seed", b"")


@pytest.mark.parametrize("publish", [each["name"] for each in amidst.list_publishers()])
def test_all_forms(people, tmp_path, publish):
    release = amidst.anonymize(people, **ASKED, l=2, publish=publish)
    release.to_parquet(tmp_path / "release.parquet")
    saved = tmp_path / "release.parquet"
    assert amidst.audit(saved, plan=tmp_path / "release.plan.toml", original=people).passed


def test_existing_files_stay_where_saving_fails(people, tmp_path):
    release = amidst.anonymize(people, **ASKED)
    (tmp_path / "release.csv").write_text("mine")
    (tmp_path / "release.dictionary.json").write_text('"a diary"')
    before = files(tmp_path)
    with pytest.raises(amidst.UsageError, match="not a data dictionary that amidst wrote"):
        release.to_csv(tmp_path / "release.csv")
    assert files(tmp_path) == before
    with pytest.raises(amidst.FileError):
        release.to_csv(tmp_path / "nowhere" / "release.csv")


def test_what_was_changed_is_not_saved(people, tmp_path):
    release = amidst.anonymize(people, **ASKED)
    other = amidst.anonymize(people.assign(age=people["age"] + 1), **{**ASKED, "k": 2})
    release.__dict__["arrow"] = {"": other.arrow[""].take([0, 1, 2])}
    release.plan["columns"]["age"]["role"] = "identifier"
    with pytest.raises(amidst.AmidstError):
        release.to_csv(tmp_path / "release.csv")
    assert files(tmp_path) == {}


def test_names_say_what_is_written(people, tmp_path):
    release = amidst.anonymize(people, **ASKED)
    with pytest.raises(amidst.UsageError, match="does not end in .parquet"):
        release.to_parquet(tmp_path / "release.csv")
    with pytest.raises(amidst.UsageError, match="use to_parquet"):
        release.to_csv(tmp_path / "release.parquet")
    release = amidst.anonymize(people, **ASKED, output=tmp_path / "there.csv")
    with pytest.raises(amidst.UsageError, match="already"):
        release.to_csv(tmp_path / "release.csv")


def test_reports_afterwards(people, tmp_path):
    now = amidst.anonymize(people, **ASKED, keep_order=True, suppress=0.2, report=tmp_path / "now.json")
    release = amidst.anonymize(people, **ASKED, keep_order=True, suppress=0.2)
    told = release.report(tmp_path / "report.html", public=tmp_path / "public.html")
    assert told is release.report() and "details" not in told
    page, public = (tmp_path / "report.html").read_text(), (tmp_path / "public.html").read_text()
    assert "<svg" in page and "or recipients" in public
    assert str(release.plan["method"]["fingerprint_key"]) not in public
    release.report(tmp_path / "later.json")
    earlier, later = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("now", "later"))
    differ = {"seconds", "cpu_seconds", "peak_memory_bytes", "reports", "fingerprint_key"}
    assert {name: value for name, value in earlier.items() if name not in differ} == {
        name: value for name, value in later.items() if name not in differ
    }
    assert now.report()["achieved"] == later["achieved"]


def test_a_report_about_another_table_is_refused(people, tmp_path):
    release = amidst.anonymize(people, **ASKED)
    people["age"] += 10
    with pytest.raises(amidst.UnverifiedError):
        release.report(tmp_path / "report.html")
    assert files(tmp_path) == {}
    with pytest.raises(amidst.UsageError, match="a pickle has no original"):
        pickle.loads(pickle.dumps(release)).report(tmp_path / "report.html")


def test_a_report_of_a_release_with_a_key(people, tmp_path):
    amidst.make_key(tmp_path / "person.key")
    release = amidst.anonymize(people, quasi=["age", "sex"], pseudonym="name", key=tmp_path / "person.key", k=3, others="drop")
    release.report(tmp_path / "report.html")
    assert "<svg" in (tmp_path / "report.html").read_text()


def test_the_card_of_a_notebook(people, tmp_path):
    green = amidst.anonymize(people, **{**ASKED, "quasi": ["age", "zip", "sex"]}, l=2)
    card = green._repr_html_()
    assert green.report()["verdict"]["colour"] == "green" and "#1a7f37" in card
    green.report(tmp_path / "page.html")
    heading = "Verified: all requirements are met"
    assert heading in card and heading in (tmp_path / "page.html").read_text()
    assert "k = 3" in card and "a verified release" in card and "and 7 more rows" in card
    for cell in green.table.iloc[0]:
        assert f"<td>{cell}</td>" in card
    assert card.count("<tr>") < 20
    amber = amidst.anonymize(people.assign(disease="<flu>"), **ASKED)
    assert amber.report()["verdict"]["colour"] == "amber"
    card = amber._repr_html_()
    assert "#9a6700" in card and "<li>" in card and "&lt;flu&gt;" in card and "<flu>" not in card
    assert all(reason["message"].split("`")[0][:20] in card for reason in amber.report()["verdict"]["reasons"])
    assert pd.DataFrame is type(amber.table)
