"""Files that functions write: never over what they read, and for whom they are."""

import os
import stat

import pytest

import amidst

QUASI = ["age", "zip", "sex"]


@pytest.fixture
def table(people, tmp_path):
    path = tmp_path / "people.csv"
    people.to_csv(path, index=False)
    os.link(path, tmp_path / "hard.csv")
    os.symlink("people.csv", tmp_path / "link.html")
    return path


@pytest.mark.parametrize("name", ["people.csv", "hard.csv", "link.html"])
def test_a_release_over_its_table(table, name):
    before = table.read_bytes()
    with pytest.raises(amidst.UsageError, match="would overwrite the table"):
        amidst.anonymize(table, quasi=QUASI, k=3, output=table.parent / name)
    assert table.read_bytes() == before


def test_a_report_over_the_plan(table):
    plan = table.parent / "plan.json"
    amidst.init(table, k=3).save(plan)
    before = plan.read_bytes()
    with pytest.raises(amidst.UsageError, match="would overwrite the plan"):
        amidst.anonymize(table, plan=plan, report=plan)
    assert plan.read_bytes() == before


def test_a_page_over_the_table(table):
    before = table.read_bytes()
    with pytest.raises(amidst.UsageError, match="would overwrite the table"):
        amidst.compare(table, quasi=QUASI, k=3, algorithms="mondrian", report=table.parent / "link.html")
    assert table.read_bytes() == before


def test_plans_are_for_their_owner(table):
    output = table.parent / "release.csv"
    release = amidst.anonymize(table, quasi=QUASI, identifier="name", k=3, output=output)
    release.plan.save(table.parent / "mine.toml")
    for name in ("release.plan.toml", "mine.toml"):
        assert stat.S_IMODE((table.parent / name).stat().st_mode) == 0o600
    assert not list(table.parent.glob(".amidst-*"))


def test_files_of_different_releases(table):
    output, plan = table.parent / "release.csv", table.parent / "release.plan.toml"
    release = amidst.anonymize(table, quasi=QUASI, identifier="name", k=3, output=output)
    assert amidst.audit(release).passed and amidst.audit(output, plan=plan).passed
    plan.write_text(plan.read_text().replace("k = 3", "k = 2"))
    report = amidst.audit(output, plan=plan)
    assert not report.passed
    assert "`release.plan.toml`" in str(report).replace(str(table.parent) + "/", "")
    with pytest.raises(amidst.UsageError, match="make the release again"):
        amidst.measure(table, output, plan=plan)


def test_a_report_says_who_answers_for_the_release(table):
    page = table.parent / "report.html"
    about = {"recipient": "University of Oslo", "signed_by": "Ann"}
    release = amidst.anonymize(table, quasi=QUASI, identifier="name", k=3, report=page, about=about, profile=["gdpr", "ema"])
    assert release.report()["about"] == {**about, "profiles": ["gdpr", "ema"]}
    assert [found["profile"] for found in release.report()["details"]["checklists"]] == ["gdpr", "ema"]
    assert "University of Oslo" in page.read_text() and release.plan["report"]["recipient"] == "University of Oslo"
    with pytest.raises(amidst.UsageError, match="a report has no field `who`"):
        amidst.anonymize(table, quasi=QUASI, identifier="name", k=3, about={"who": "Ann"})
